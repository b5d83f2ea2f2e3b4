import { type ContractCase, contractCase } from "./case.js"
import { expectEqual, expectNull, expectQuiet } from "./expect.js"
import { keyOf, newAccount, newPasskey, newSession, storeUser } from "./fixtures.js"

export const deleteUserCases: readonly ContractCase[] = [
  contractCase({
    name: "deleteUser deletes the user, and nobody else",
    needs: ["createUser", "getUser", "getUserByEmail", "deleteUser"],
    async check({ adapter }) {
      const [gone, other] = [await storeUser(adapter), await storeUser(adapter)]
      await adapter.deleteUser(gone.id)
      expectNull(await adapter.getUser(gone.id), "after deleteUser getUser gives null")
      expectNull(await adapter.getUserByEmail(gone.email), "after deleteUser getUserByEmail gives null")
      expectEqual((await adapter.getUserByEmail(other.email))?.id, other.id, "deleteUser leaves other users alone")
    },
  }),

  contractCase({
    name: "deleteUser ends the user's sessions, and nobody else's",
    needs: ["createUser", "deleteUser", "createSession", "getSessionAndUser"],
    promise: "cascade",
    async check({ adapter }) {
      const [gone, other] = [await storeUser(adapter), await storeUser(adapter)]
      const [ended, second, kept] = [newSession(gone.id), newSession(gone.id), newSession(other.id)]
      for (const session of [ended, second, kept]) await adapter.createSession(session)
      await adapter.deleteUser(gone.id)
      for (const { sessionToken } of [ended, second])
        expectNull(
          await adapter.getSessionAndUser(sessionToken),
          "after deleteUser getSessionAndUser gives null: nobody stays signed in as a user who is gone",
        )
      const found = await adapter.getSessionAndUser(kept.sessionToken)
      expectEqual(found?.user.id, other.id, "deleteUser leaves the sessions of others alone")
    },
  }),

  contractCase({
    name: "deleteUser deletes the session's row, too",
    needs: ["createUser", "deleteUser", "createSession", "updateSession"],
    promise: "cascade",
    async check({ adapter, asks }) {
      const user = await storeUser(adapter)
      const session = newSession(user.id)
      await adapter.createSession(session)
      await adapter.deleteUser(user.id)
      if (!asks("session-result")) return
      expectNull(
        await adapter.updateSession({ sessionToken: session.sessionToken, expires: session.expires }),
        "after deleteUser updateSession finds no row: deleteUser deletes sessions, and not only the way to them",
      )
    },
  }),

  contractCase({
    name: "deleteUser deletes the user's accounts, which can be linked again",
    needs: ["createUser", "deleteUser", "linkAccount", "getUserByAccount"],
    promise: "cascade",
    async check({ adapter }) {
      const gone = await storeUser(adapter)
      const account = newAccount(gone.id)
      await adapter.linkAccount(account)
      await adapter.deleteUser(gone.id)
      expectNull(await adapter.getUserByAccount(keyOf(account)), "after deleteUser getUserByAccount gives null")
      const next = await storeUser(adapter, { email: gone.email })
      const why = "after deleteUser the address and the account are free: the person can sign up again"
      await expectQuiet(() => adapter.linkAccount({ ...account, userId: next.id }), why)
      expectEqual((await adapter.getUserByAccount(keyOf(account)))?.id, next.id, why)
    },
  }),

  contractCase({
    name: "deleteUser deletes the user's passkeys",
    needs: ["createUser", "deleteUser", "createAuthenticator", "getAuthenticator", "listAuthenticatorsByUserId"],
    promise: "cascade",
    async check({ adapter }) {
      const gone = await storeUser(adapter)
      const passkey = newPasskey(gone.id)
      await adapter.createAuthenticator(passkey)
      await adapter.deleteUser(gone.id)
      expectNull(await adapter.getAuthenticator(passkey.credentialID), "after deleteUser getAuthenticator gives null")
      expectEqual(
        await adapter.listAuthenticatorsByUserId(gone.id),
        [],
        "after deleteUser the list of passkeys is empty",
      )
    },
  }),

  contractCase({
    name: "deleteUser of a user who is not there is no error",
    needs: ["deleteUser"],
    promise: "quiet-deletes",
    async check({ adapter }) {
      const why = "deleteUser of an unknown user is no error: two requests may delete the same one"
      await expectQuiet(() => adapter.deleteUser(crypto.randomUUID()), why)
    },
  }),
]
