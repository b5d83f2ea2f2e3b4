import { type AdapterTestCase, defineCase } from "./case.js"
import { expectEqual, expectNull, expectOwner, expectQuiet } from "./expect.js"
import { accountKey, newSession, storeAccount, storePasskey, storeSession, storeUser } from "./fixtures.js"

export const deleteUserCases: readonly AdapterTestCase[] = [
  defineCase({
    name: "deleteUser deletes only the given user",
    needs: ["createUser", "getUser", "getUserByEmail", "deleteUser"],
    async check({ adapter }) {
      const [deleted, other] = [await storeUser(adapter), await storeUser(adapter)]
      await adapter.deleteUser(deleted.id)
      expectNull(await adapter.getUser(deleted.id), "after deleteUser getUser returns null")
      expectNull(await adapter.getUserByEmail(deleted.email), "after deleteUser getUserByEmail returns null")
      expectEqual((await adapter.getUserByEmail(other.email))?.id, other.id, "deleteUser does not change other users")
    },
  }),

  defineCase({
    name: "deleteUser deletes only the user's sessions",
    needs: ["createUser", "deleteUser", "createSession", "getSessionAndUser"],
    guarantee: "cascade",
    async check({ adapter }) {
      const [deleted, other] = [await storeUser(adapter), await storeUser(adapter)]
      const [ended, second, kept] = [newSession(deleted.id), newSession(deleted.id), newSession(other.id)]
      for (const session of [ended, second, kept]) await adapter.createSession(session)
      await adapter.deleteUser(deleted.id)
      for (const { sessionToken } of [ended, second])
        expectNull(
          await adapter.getSessionAndUser(sessionToken),
          "after deleteUser getSessionAndUser returns null: a deleted user does not stay signed in",
        )
      const found = await adapter.getSessionAndUser(kept.sessionToken)
      expectEqual(found?.user.id, other.id, "deleteUser does not change the sessions of other users")
    },
  }),

  defineCase({
    name: "deleteUser deletes the session's row, too",
    needs: ["createUser", "deleteUser", "createSession", "updateSession"],
    guarantee: "cascade",
    async check({ adapter, requires }) {
      const { user, session } = await storeSession(adapter)
      await adapter.deleteUser(user.id)
      if (!requires("session-result")) return
      expectNull(
        await adapter.updateSession({ sessionToken: session.sessionToken, expires: session.expires }),
        "after deleteUser updateSession finds no row: deleteUser deletes the session rows",
      )
    },
  }),

  defineCase({
    name: "deleteUser deletes the user's accounts, which can be linked again",
    needs: ["createUser", "deleteUser", "linkAccount", "getUserByAccount"],
    guarantee: "cascade",
    async check({ adapter }) {
      const { user: deleted, account } = await storeAccount(adapter)
      await adapter.deleteUser(deleted.id)
      expectNull(await adapter.getUserByAccount(accountKey(account)), "after deleteUser getUserByAccount returns null")
      const next = await storeUser(adapter, { email: deleted.email })
      const why = "after deleteUser the address and the account are free: the user can sign up again"
      await expectQuiet(() => adapter.linkAccount({ ...account, userId: next.id }), why)
      await expectOwner(adapter, account, { id: next.id, why })
    },
  }),

  defineCase({
    name: "deleteUser deletes the user's passkeys",
    needs: ["createUser", "deleteUser", "createAuthenticator", "getAuthenticator", "listAuthenticatorsByUserId"],
    guarantee: "cascade",
    async check({ adapter }) {
      const { user: deleted, passkey } = await storePasskey(adapter)
      await adapter.deleteUser(deleted.id)
      expectNull(await adapter.getAuthenticator(passkey.credentialID), "after deleteUser getAuthenticator returns null")
      expectEqual(
        await adapter.listAuthenticatorsByUserId(deleted.id),
        [],
        "after deleteUser the list of passkeys is empty",
      )
    },
  }),

  defineCase({
    name: "deleteUser of an unknown user is not an error",
    needs: ["deleteUser"],
    guarantee: "quiet-deletes",
    async check({ adapter }) {
      const why = "deleteUser of an unknown user is not an error: two requests may delete the same user"
      await expectQuiet(() => adapter.deleteUser(crypto.randomUUID()), why)
    },
  }),
]
