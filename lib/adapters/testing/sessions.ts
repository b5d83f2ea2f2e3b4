import { type ContractCase, contractCase } from "./case.js"
import { expectEqual, expectNull, expectQuiet, expectRecord, expectTrue } from "./expect.js"
import { fresh, inDays, newSession, storeUser } from "./fixtures.js"

export const sessionCases: readonly ContractCase[] = [
  contractCase({
    name: "createSession gives the session as it was stored",
    needs: ["createUser", "createSession", "getSessionAndUser"],
    async check(tools) {
      const { adapter } = tools
      const user = await storeUser(adapter)
      const session = newSession(user.id)
      const created = await adapter.createSession(session)
      const why = "createSession gives the session with the token that it was given: that token goes into the cookie"
      expectRecord(created, session, { tools, why, ownId: true })
      const found = await adapter.getSessionAndUser(session.sessionToken)
      expectRecord(found?.session, session, { tools, why: "createSession stores what it gives", ownId: true })
    },
  }),

  contractCase({
    name: "getSessionAndUser gives null for an unknown token, and session and user for a good one",
    needs: ["createUser", "createSession", "getSessionAndUser"],
    async check(tools) {
      const { adapter } = tools
      const user = await storeUser(adapter)
      const session = newSession(user.id)
      await adapter.createSession(session)
      for (const token of [fresh(), ""])
        expectNull(await adapter.getSessionAndUser(token), "getSessionAndUser gives null for an unknown token")
      const found = await adapter.getSessionAndUser(session.sessionToken)
      expectEqual(Object.keys(found ?? {}).sort(), ["session", "user"], "getSessionAndUser gives { session, user }")
      expectRecord(found?.session, session, { tools, why: "getSessionAndUser gives the whole session", ownId: true })
      expectRecord(found?.user, user, { tools, why: "getSessionAndUser gives the whole user, as getUser does" })
    },
  }),

  contractCase({
    name: "getSessionAndUser tells the sessions of several users apart",
    needs: ["createUser", "createSession", "getSessionAndUser"],
    async check({ adapter }) {
      const users = [await storeUser(adapter), await storeUser(adapter)]
      for (const { id } of [...users, ...users]) {
        const session = newSession(id)
        await adapter.createSession(session)
        const found = await adapter.getSessionAndUser(session.sessionToken)
        expectEqual(found?.user.id, id, "getSessionAndUser gives the user whose session it is")
      }
    },
  }),

  contractCase({
    name: "getSessionAndUser gives null for the session of a user who is gone",
    needs: ["createUser", "deleteUser", "createSession", "getSessionAndUser"],
    promise: "orphan-sessions",
    async check({ adapter }) {
      const user = await storeUser(adapter)
      await adapter.deleteUser(user.id)
      const session = newSession(user.id)
      // A sign-in that races with a deletion: the store may refuse the row, or keep it and not find it.
      await Promise.resolve(adapter.createSession(session)).catch(() => undefined)
      const why = "a session without a user is no session: null, and neither an error nor half an answer"
      expectNull(await expectQuiet(() => adapter.getSessionAndUser(session.sessionToken), why), why)
    },
  }),

  contractCase({
    name: "updateSession stores another end",
    needs: ["createUser", "createSession", "getSessionAndUser", "updateSession"],
    async check({ adapter }) {
      const user = await storeUser(adapter)
      const session = newSession(user.id)
      await adapter.createSession(session)
      const expires = inDays(30)
      await adapter.updateSession({ sessionToken: session.sessionToken, expires })
      const found = await adapter.getSessionAndUser(session.sessionToken)
      expectEqual(
        found?.session.expires,
        expires,
        "updateSession stores the new end: otherwise sessions end while in use",
      )
      expectEqual(found?.user.id, user.id, "updateSession keeps whose session it is")
    },
  }),

  contractCase({
    name: "updateSession gives the updated session, and null for an unknown one",
    needs: ["createUser", "createSession", "getSessionAndUser", "updateSession"],
    promise: "session-result",
    async check(tools) {
      const { adapter } = tools
      const user = await storeUser(adapter)
      const session = newSession(user.id)
      await adapter.createSession(session)
      const changed = { ...session, expires: inDays(30) }
      const updated = await adapter.updateSession({ sessionToken: session.sessionToken, expires: changed.expires })
      expectRecord(updated, changed, { tools, why: "updateSession gives the whole session, changed", ownId: true })
      const same = await adapter.updateSession({ sessionToken: session.sessionToken })
      const why = "updateSession without anything to change gives the session as it is"
      expectRecord(same, changed, { tools, why, ownId: true })
      const unknown = fresh()
      const missing = await adapter.updateSession({ sessionToken: unknown, expires: changed.expires })
      expectNull(missing, "updateSession of an unknown session gives null: it may have ended meanwhile")
      expectNull(await adapter.getSessionAndUser(unknown), "updateSession creates no session")
    },
  }),

  contractCase({
    name: "deleteSession ends one session, and no other",
    needs: ["createUser", "createSession", "getSessionAndUser", "deleteSession"],
    async check({ adapter }) {
      const user = await storeUser(adapter)
      const [ended, kept] = [newSession(user.id), newSession(user.id)]
      for (const session of [ended, kept]) await adapter.createSession(session)
      await adapter.deleteSession(ended.sessionToken)
      expectNull(
        await adapter.getSessionAndUser(ended.sessionToken),
        "after deleteSession the token is good for nothing",
      )
      const found = await adapter.getSessionAndUser(kept.sessionToken)
      expectEqual(found?.user.id, user.id, "deleteSession leaves the user's other sessions alone")
    },
  }),

  contractCase({
    name: "deleteSession of a session that is not there is no error",
    needs: ["deleteSession"],
    promise: "quiet-deletes",
    async check({ adapter }) {
      const why = "deleteSession of an unknown session is no error: signing out twice is signing out"
      await expectQuiet(() => adapter.deleteSession(fresh()), why)
    },
  }),

  contractCase({
    name: "deleteSessionsByUserId ends every session of one user",
    needs: ["createUser", "createSession", "getSessionAndUser", "deleteSessionsByUserId", "getUser"],
    async check({ adapter }) {
      const [user, other] = [await storeUser(adapter), await storeUser(adapter)]
      const sessions = [newSession(user.id), newSession(user.id), newSession(user.id)]
      const kept = newSession(other.id)
      for (const session of [...sessions, kept]) await adapter.createSession(session)
      await adapter.deleteSessionsByUserId(user.id)
      for (const { sessionToken } of sessions)
        expectNull(
          await adapter.getSessionAndUser(sessionToken),
          "deleteSessionsByUserId ends all: «sign out everywhere»",
        )
      const found = await adapter.getSessionAndUser(kept.sessionToken)
      expectEqual(found?.user.id, other.id, "deleteSessionsByUserId leaves the sessions of others alone")
      expectEqual((await adapter.getUser(user.id))?.id, user.id, "deleteSessionsByUserId leaves the user")
      const why = "deleteSessionsByUserId of somebody without a session is no error"
      await expectQuiet(() => adapter.deleteSessionsByUserId(user.id), why)
    },
  }),

  contractCase({
    name: "stores the hash of a session token, never the token",
    needs: ["createUser", "createSession", "updateSession"],
    promise: "hashed-sessions",
    async check({ adapter, dump }) {
      if (!dump) return
      const user = await storeUser(adapter)
      const session = newSession(user.id)
      await adapter.createSession(session)
      await adapter.updateSession({ sessionToken: session.sessionToken, expires: inDays(30) })
      const text = await dump()
      expectTrue(
        text.includes(user.email),
        "dump() gives the whole store as text: the address of a new user must be in it",
      )
      const isRaw = text.includes(session.sessionToken)
      expectTrue(
        !isRaw,
        "createSession stores a hash of the token: who reads a backup must not be able to sign in with it",
      )
    },
  }),
]
