import { sha256Hex } from "../../security/tokens.js"
import type { OwnAdapter } from "../adapter.js"
import { fromSession, toSession, toUser } from "./rows.js"
import type { Store } from "./store.js"
import { takeRow } from "./take.js"

type SessionMethods = Pick<
  OwnAdapter,
  "createSession" | "getSessionAndUser" | "updateSession" | "deleteSession" | "deleteSessionsByUserId"
>

/** Sessions, found by a hash: who reads the table can't sign in with what stands there. */
export function sessionMethods(store: Store): SessionMethods {
  const { db, names } = store
  const select = (hash: string) => db.selectFrom(names.sessions).selectAll().where("token_hash", "=", hash)

  return {
    async createSession({ sessionToken, userId, expires }) {
      const row = { user_id: String(userId), expires: expires.getTime() }
      await db
        .insertInto(names.sessions)
        .values({ ...row, token_hash: sha256Hex(sessionToken) })
        .execute()
      return toSession(row, sessionToken)
    },

    async getSessionAndUser(sessionToken) {
      const row = await db
        .selectFrom(`${names.sessions} as s`)
        .innerJoin(`${names.users} as u`, "u.id", "s.user_id")
        .selectAll("u")
        .select("s.expires as latchkey_session_expires")
        .where("s.token_hash", "=", sha256Hex(sessionToken))
        .executeTakeFirst()
      if (!row) return null
      const { latchkey_session_expires: expires, ...user } = row
      return { session: toSession({ user_id: user.id, expires }, sessionToken), user: toUser(user) }
    },

    async updateSession({ sessionToken, ...rest }) {
      const hash = sha256Hex(sessionToken)
      const change = fromSession(rest)
      if (Object.keys(change).length > 0)
        await db.updateTable(names.sessions).set(change).where("token_hash", "=", hash).execute()
      const row = await select(hash).executeTakeFirst()
      return row ? toSession(row, sessionToken) : null
    },

    async deleteSession(sessionToken) {
      const hash = sha256Hex(sessionToken)
      const remove = db.deleteFrom(names.sessions).where("token_hash", "=", hash)
      const row = await takeRow({ select: select(hash), remove }, store)
      return row ? toSession(row, sessionToken) : null
    },

    async deleteSessionsByUserId(userId) {
      await db.deleteFrom(names.sessions).where("user_id", "=", String(userId)).execute()
    },
  }
}
