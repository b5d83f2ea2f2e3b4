import type { OwnAdapter, VerificationToken } from "../adapter.js"
import { deleteReturning } from "./delete-returning.js"
import { PARAM, readFirst } from "./read.js"
import { fromLink, toLink } from "./rows.js"
import type { SqlConnection } from "./tables.js"

type LinkMethods = Pick<OwnAdapter, "createVerificationToken" | "useVerificationToken" | "deleteVerificationTokens">

const selectLink = ({ db, names }: SqlConnection) =>
  db.selectFrom(names.verificationTokens).selectAll().where("identifier", "=", PARAM).where("token", "=", PARAM)

/** Email links that were sent. Their tokens are already hashed. */
export class Links implements LinkMethods {
  readonly #connection: SqlConnection

  constructor(connection: SqlConnection) {
    this.#connection = connection
  }

  async createVerificationToken(link: VerificationToken): Promise<VerificationToken> {
    const { db, names } = this.#connection
    const row = fromLink(link)
    await db.insertInto(names.verificationTokens).values(row).execute()
    return toLink(row)
  }

  async useVerificationToken(link: Pick<VerificationToken, "identifier" | "token">): Promise<VerificationToken | null> {
    const { db, names } = this.#connection
    const [identifier, token] = [String(link.identifier), String(link.token)]
    const remove = db
      .deleteFrom(names.verificationTokens)
      .where("identifier", "=", identifier)
      .where("token", "=", token)
    const row = await deleteReturning(
      { read: () => readFirst(selectLink, [identifier, token], this.#connection), remove },
      this.#connection,
    )
    return row ? toLink(row) : null
  }

  async deleteVerificationTokens(identifier: string): Promise<void> {
    const { db, names } = this.#connection
    await db.deleteFrom(names.verificationTokens).where("identifier", "=", String(identifier)).execute()
  }
}
