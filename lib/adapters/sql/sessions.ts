import { sha256Hex } from "../../security/tokens.js"
import type { BuiltInAdapter } from "../adapter.js"
import { deleteReturning } from "./delete-returning.js"
import { PARAM, readFirst } from "./read.js"
import { fromSession, toSession, toUser } from "./rows.js"
import type { SqlConnection } from "./tables.js"

type SessionMethods = Pick<
  BuiltInAdapter,
  "createSession" | "getSessionAndUser" | "updateSession" | "deleteSession" | "deleteSessionsByUserId"
>

const selectSession = ({ db, names }: SqlConnection) =>
  db.selectFrom(names.sessions).selectAll().where("token_hash", "=", PARAM)

const selectSessionAndUser = ({ db, names }: SqlConnection) =>
  db
    .selectFrom(`${names.sessions} as s`)
    .innerJoin(`${names.users} as u`, "u.id", "s.user_id")
    .selectAll("u")
    .select("s.expires as latchkey_session_expires")
    .where("s.token_hash", "=", PARAM)

/**
 * Returns the session methods of the adapter, which run on this connection. Sessions are stored under the hash of their
 * token, so that the table contains no valid tokens.
 */
export function sessionMethods(connection: SqlConnection): SessionMethods {
  const { db, names } = connection
  return {
    async createSession({ sessionToken, userId, expires }) {
      const row = { token_hash: sha256Hex(sessionToken), ...fromSession({ userId, expires }) }
      await db.insertInto(names.sessions).values(row).execute()
      return toSession(row, sessionToken)
    },
    async getSessionAndUser(sessionToken) {
      const row = await readFirst(selectSessionAndUser, [sha256Hex(sessionToken)], connection)
      if (!row) return null
      const { latchkey_session_expires: expires, ...user } = row
      return { session: toSession({ user_id: user.id, expires }, sessionToken), user: toUser(user) }
    },
    async updateSession({ sessionToken, ...change }) {
      const hash = sha256Hex(sessionToken)
      const values = fromSession(change)
      if (Object.keys(values).length > 0)
        await db.updateTable(names.sessions).set(values).where("token_hash", "=", hash).execute()
      const row = await readFirst(selectSession, [hash], connection)
      return row ? toSession(row, sessionToken) : null
    },
    async deleteSession(sessionToken) {
      const hash = sha256Hex(sessionToken)
      const remove = db.deleteFrom(names.sessions).where("token_hash", "=", hash)
      const read = () => readFirst(selectSession, [hash], connection)
      const row = await deleteReturning({ read, remove }, connection)
      return row ? toSession(row, sessionToken) : null
    },
    async deleteSessionsByUserId(userId) {
      await db.deleteFrom(names.sessions).where("user_id", "=", String(userId)).execute()
    },
  }
}
