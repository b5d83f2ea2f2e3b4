import type { OwnAdapter } from "../adapter.js"
import { fromLink, toLink } from "./rows.js"
import type { Store } from "./store.js"
import { takeRow } from "./take.js"

type LinkMethods = Pick<OwnAdapter, "createVerificationToken" | "useVerificationToken" | "deleteVerificationTokens">

/** Sign-in links that were sent; their tokens come as hashes already. */
export function linkMethods(store: Store): LinkMethods {
  const { db, names } = store

  return {
    async createVerificationToken(link) {
      const row = fromLink(link)
      await db.insertInto(names.verificationTokens).values(row).execute()
      return toLink(row)
    },

    async useVerificationToken(link) {
      const [identifier, token] = [String(link.identifier), String(link.token)]
      const select = db
        .selectFrom(names.verificationTokens)
        .selectAll()
        .where("identifier", "=", identifier)
        .where("token", "=", token)
      const remove = db
        .deleteFrom(names.verificationTokens)
        .where("identifier", "=", identifier)
        .where("token", "=", token)
      const row = await takeRow({ select, remove }, store)
      return row ? toLink(row) : null
    },

    async deleteVerificationTokens(identifier) {
      await db.deleteFrom(names.verificationTokens).where("identifier", "=", String(identifier)).execute()
    },
  }
}
