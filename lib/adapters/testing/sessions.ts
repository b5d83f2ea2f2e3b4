import { type AdapterTestCase, defineCases, defineGuaranteeCases, SESSION } from "./case.js"
import { expectEqual, expectNoError, expectNull, expectRecord, expectTrue } from "./expect.js"
import { inDays, newSession, storeSession, storeUser, uniqueText } from "./fixtures.js"

export const sessionCases: readonly AdapterTestCase[] = [
  ...defineCases(SESSION, {
    async "createSession returns the session as it was stored"(tools) {
      const { adapter } = tools
      const user = await storeUser(adapter)
      const session = newSession(user.id)
      const created = await adapter.createSession(session)
      const why = "createSession returns the session with the given token, which is the value of the cookie"
      expectRecord(created, session, { tools, why, added: "id" })
      const found = await adapter.getSessionAndUser(session.sessionToken)
      expectRecord(found?.session, session, { tools, why: "createSession stores what it returns", added: "id" })
    },

    async "getSessionAndUser returns null for an unknown token, and session and user for a valid one"(tools) {
      const { adapter } = tools
      const { user, session } = await storeSession(adapter)
      for (const token of [uniqueText(), ""])
        expectNull(await adapter.getSessionAndUser(token), "getSessionAndUser returns null for an unknown token")
      const found = await adapter.getSessionAndUser(session.sessionToken)
      expectEqual(Object.keys(found ?? {}).sort(), ["session", "user"], "getSessionAndUser returns { session, user }")
      expectRecord(found?.session, session, { tools, why: "getSessionAndUser returns the whole session", added: "id" })
      expectRecord(found?.user, user, { tools, why: "getSessionAndUser returns the whole user, as getUser does" })
    },

    async "getSessionAndUser distinguishes the sessions of several users"({ adapter }) {
      const users = [await storeUser(adapter), await storeUser(adapter)]
      for (const { id } of [...users, ...users]) {
        const session = newSession(id)
        await adapter.createSession(session)
        const found = await adapter.getSessionAndUser(session.sessionToken)
        expectEqual(found?.user.id, id, "getSessionAndUser returns the user of the session")
      }
    },
  }),

  ...defineGuaranteeCases("orphan-sessions", [...SESSION, "deleteUser"], {
    async "getSessionAndUser returns null for the session of a deleted user"({ adapter }) {
      const user = await storeUser(adapter)
      await adapter.deleteUser(user.id)
      const session = newSession(user.id)
      // Like a sign-in that runs while the user is deleted. The adapter may reject the session, or store it.
      await Promise.resolve(adapter.createSession(session)).catch(() => undefined)
      const why = "getSessionAndUser returns null for a session without a user: neither an error nor a partial result"
      expectNull(await expectNoError(() => adapter.getSessionAndUser(session.sessionToken), why), why)
    },
  }),

  ...defineCases([...SESSION, "updateSession"], {
    async "updateSession stores another expiry"({ adapter }) {
      const { user, session } = await storeSession(adapter)
      const expires = inDays(30)
      await adapter.updateSession({ sessionToken: session.sessionToken, expires })
      const found = await adapter.getSessionAndUser(session.sessionToken)
      expectEqual(
        found?.session.expires,
        expires,
        "updateSession stores the new expiry: otherwise sessions expire while in use",
      )
      expectEqual(found?.user.id, user.id, "updateSession keeps the user of the session")
    },
  }),

  ...defineGuaranteeCases("session-result", [...SESSION, "updateSession"], {
    async "updateSession returns the updated session, and null for an unknown one"(tools) {
      const { adapter } = tools
      const { session } = await storeSession(adapter)
      const changed = { ...session, expires: inDays(30) }
      const updated = await adapter.updateSession({ sessionToken: session.sessionToken, expires: changed.expires })
      expectRecord(updated, changed, {
        tools,
        why: "updateSession returns the whole session with the change",
        added: "id",
      })
      const same = await adapter.updateSession({ sessionToken: session.sessionToken })
      const why = "updateSession without changes returns the session"
      expectRecord(same, changed, { tools, why, added: "id" })
      const unknown = uniqueText()
      const missing = await adapter.updateSession({ sessionToken: unknown, expires: changed.expires })
      expectNull(missing, "updateSession of an unknown session returns null: the session may have ended meanwhile")
      expectNull(await adapter.getSessionAndUser(unknown), "updateSession creates no session")
    },
  }),

  ...defineCases([...SESSION, "deleteSession"], {
    async "deleteSession deletes only the given session"({ adapter }) {
      const user = await storeUser(adapter)
      const [ended, kept] = [newSession(user.id), newSession(user.id)]
      for (const session of [ended, kept]) await adapter.createSession(session)
      await adapter.deleteSession(ended.sessionToken)
      expectNull(await adapter.getSessionAndUser(ended.sessionToken), "after deleteSession the token is invalid")
      const found = await adapter.getSessionAndUser(kept.sessionToken)
      expectEqual(found?.user.id, user.id, "deleteSession does not change the user's other sessions")
    },
  }),

  ...defineGuaranteeCases("quiet-deletes", ["deleteSession"], {
    async "deleteSession of an unknown session is not an error"({ adapter }) {
      const why = "deleteSession of an unknown session is not an error: a user can sign out twice"
      await expectNoError(() => adapter.deleteSession(uniqueText()), why)
    },
  }),

  ...defineCases([...SESSION, "deleteSessionsByUserId", "getUser"], {
    async "deleteSessionsByUserId deletes every session of one user"({ adapter }) {
      const [user, other] = [await storeUser(adapter), await storeUser(adapter)]
      const sessions = [newSession(user.id), newSession(user.id), newSession(user.id)]
      const kept = newSession(other.id)
      for (const session of [...sessions, kept]) await adapter.createSession(session)
      await adapter.deleteSessionsByUserId(user.id)
      for (const { sessionToken } of sessions)
        expectNull(
          await adapter.getSessionAndUser(sessionToken),
          "deleteSessionsByUserId deletes all sessions (sign out everywhere)",
        )
      const found = await adapter.getSessionAndUser(kept.sessionToken)
      expectEqual(found?.user.id, other.id, "deleteSessionsByUserId does not change the sessions of other users")
      expectEqual((await adapter.getUser(user.id))?.id, user.id, "deleteSessionsByUserId leaves the user")
      const why = "deleteSessionsByUserId of a user without a session is not an error"
      await expectNoError(() => adapter.deleteSessionsByUserId(user.id), why)
    },
  }),

  ...defineGuaranteeCases("hashed-sessions", ["createUser", "createSession", "updateSession"], {
    async "stores the hash of a session token, never the token"({ adapter, dump }) {
      if (!dump) return
      const { user, session } = await storeSession(adapter)
      await adapter.updateSession({ sessionToken: session.sessionToken, expires: inDays(30) })
      const text = await dump()
      expectTrue(
        text.includes(user.email),
        "dump() returns the whole database as text, which must contain the address of a new user",
      )
      const isRaw = text.includes(session.sessionToken)
      expectTrue(!isRaw, "createSession stores a hash of the token: a backup must not contain valid tokens")
    },
  }),
]
