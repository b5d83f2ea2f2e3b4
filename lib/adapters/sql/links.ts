import type { OwnAdapter, VerificationToken } from "../adapter.js"
import { isOfClaims } from "./claims.js"
import { GIVEN, readFirst } from "./read.js"
import { fromLink, toLink } from "./rows.js"
import type { Store } from "./store.js"
import { takeRow } from "./take.js"

type LinkMethods = Pick<OwnAdapter, "createVerificationToken" | "useVerificationToken" | "deleteVerificationTokens">

const selectLink = ({ db, names }: Store) =>
  db.selectFrom(names.verificationTokens).selectAll().where("identifier", "=", GIVEN).where("token", "=", GIVEN)

/** Sign-in links that were sent; their tokens come as hashes already. */
export class Links implements LinkMethods {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  async createVerificationToken(link: VerificationToken): Promise<VerificationToken> {
    const { db, names } = this.#store
    const row = fromLink(link)
    await db.insertInto(names.verificationTokens).values(row).execute()
    return toLink(row)
  }

  async useVerificationToken(link: Pick<VerificationToken, "identifier" | "token">): Promise<VerificationToken | null> {
    const { db, names } = this.#store
    const [identifier, token] = [String(link.identifier), String(link.token)]
    if (isOfClaims(identifier)) return null
    const remove = db
      .deleteFrom(names.verificationTokens)
      .where("identifier", "=", identifier)
      .where("token", "=", token)
    const row = await takeRow(
      { read: () => readFirst(selectLink, [identifier, token], this.#store), remove },
      this.#store,
    )
    return row ? toLink(row) : null
  }

  async deleteVerificationTokens(identifier: string): Promise<void> {
    const { db, names } = this.#store
    if (isOfClaims(String(identifier))) return
    await db.deleteFrom(names.verificationTokens).where("identifier", "=", String(identifier)).execute()
  }
}
