import { sha256Hex } from "../../security/tokens.js"
import type { AdapterClaim, OwnAdapter } from "../adapter.js"
import { fromLink } from "./rows.js"
import type { Store } from "./store.js"

/** Where links have an address: claims stand among them, so that they need no table of their own. */
const IDENTIFIER = "latchkey:claimed"

/** Is it the address of claims? It comes from a visitor, who must neither use nor delete one. */
export const isOfClaims = (identifier: string): boolean => identifier === IDENTIFIER

/** What was used and is good once. */
export class Claims implements Pick<OwnAdapter, "claimOnce"> {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  async claimOnce({ id, expires }: AdapterClaim): Promise<boolean> {
    const { db, names, dialect } = this.#store
    const row = fromLink({ identifier: IDENTIFIER, token: sha256Hex(id), expires })
    const insert = db.insertInto(names.verificationTokens).values(row)
    // Of all who insert it at once, one has written it.
    if (dialect === "mysql") return (await insert.ignore().executeTakeFirst()).numInsertedOrUpdatedRows === 1n
    const written = await insert
      .onConflict((conflict) => conflict.doNothing())
      .returning("token")
      .executeTakeFirst()
    return written !== undefined
  }
}
