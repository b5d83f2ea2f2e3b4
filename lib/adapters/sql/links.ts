import type { BuiltInAdapter } from "../adapter.js"
import { deleteReturning } from "./delete-returning.js"
import { PARAM, readFirst } from "./read.js"
import { fromLink, toLink } from "./rows.js"
import type { SqlConnection } from "./tables.js"

type LinkMethods = Pick<BuiltInAdapter, "createVerificationToken" | "useVerificationToken" | "deleteVerificationTokens">

const selectLink = ({ db, names }: SqlConnection) =>
  db.selectFrom(names.verificationTokens).selectAll().where("identifier", "=", PARAM).where("token", "=", PARAM)

/** Returns the link methods of the adapter, which run on this connection. The tokens that they receive are hashes. */
export function linkMethods(connection: SqlConnection): LinkMethods {
  const { db, names } = connection
  return {
    async createVerificationToken(link) {
      const row = fromLink(link)
      await db.insertInto(names.verificationTokens).values(row).execute()
      return toLink(row)
    },
    async useVerificationToken(link) {
      const [identifier, token] = [String(link.identifier), String(link.token)]
      const remove = db
        .deleteFrom(names.verificationTokens)
        .where("identifier", "=", identifier)
        .where("token", "=", token)
      const read = () => readFirst(selectLink, [identifier, token], connection)
      const row = await deleteReturning({ read, remove }, connection)
      return row ? toLink(row) : null
    },
    async deleteVerificationTokens(identifier) {
      await db.deleteFrom(names.verificationTokens).where("identifier", "=", String(identifier)).execute()
    },
  }
}
