import { ACCOUNT, type AdapterTestCase, defineCases, defineGuaranteeCases, PASSKEY, SESSION } from "./case.js"
import { expectEqual, expectNoError, expectNull, expectOwner } from "./expect.js"
import { accountKey, newSession, storeAccount, storePasskey, storeSession, storeUser } from "./fixtures.js"

export const deleteUserCases: readonly AdapterTestCase[] = [
  ...defineCases(["createUser", "getUser", "getUserByEmail", "deleteUser"], {
    async "deleteUser deletes only the given user"({ adapter }) {
      const [deleted, other] = [await storeUser(adapter), await storeUser(adapter)]
      await adapter.deleteUser(deleted.id)
      expectNull(await adapter.getUser(deleted.id), "after deleteUser getUser returns null")
      expectNull(await adapter.getUserByEmail(deleted.email), "after deleteUser getUserByEmail returns null")
      expectEqual((await adapter.getUserByEmail(other.email))?.id, other.id, "deleteUser does not change other users")
    },
  }),

  ...defineGuaranteeCases("cascade", [...SESSION, "deleteUser"], {
    async "deleteUser deletes only the user's sessions"({ adapter }) {
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

  ...defineGuaranteeCases("cascade", ["createUser", "deleteUser", "createSession", "updateSession"], {
    async "deleteUser deletes the session's row, too"({ adapter, requires }) {
      const { user, session } = await storeSession(adapter)
      await adapter.deleteUser(user.id)
      if (!requires("session-result")) return
      expectNull(
        await adapter.updateSession({ sessionToken: session.sessionToken, expires: session.expires }),
        "after deleteUser, updateSession returns null: deleteUser also deletes the rows of the sessions",
      )
    },
  }),

  ...defineGuaranteeCases("cascade", [...ACCOUNT, "deleteUser"], {
    async "deleteUser deletes the user's accounts, which can be linked again"({ adapter }) {
      const { user: deleted, account } = await storeAccount(adapter)
      await adapter.deleteUser(deleted.id)
      expectNull(await adapter.getUserByAccount(accountKey(account)), "after deleteUser getUserByAccount returns null")
      const next = await storeUser(adapter, { email: deleted.email })
      const why = "after deleteUser the address and the account are free: the user can sign up again"
      await expectNoError(() => adapter.linkAccount({ ...account, userId: next.id }), why)
      await expectOwner(adapter, account, { id: next.id, why })
    },
  }),

  ...defineGuaranteeCases("cascade", [...PASSKEY, "deleteUser", "listAuthenticatorsByUserId"], {
    async "deleteUser deletes the user's passkeys"({ adapter }) {
      const { user: deleted, passkey } = await storePasskey(adapter)
      await adapter.deleteUser(deleted.id)
      expectNull(await adapter.getAuthenticator(passkey.credentialID), "after deleteUser getAuthenticator returns null")
      expectEqual(
        await adapter.listAuthenticatorsByUserId(deleted.id),
        [],
        "after deleteUser, listAuthenticatorsByUserId returns an empty list",
      )
    },
  }),

  ...defineGuaranteeCases("quiet-deletes", ["deleteUser"], {
    async "deleteUser of an unknown user is not an error"({ adapter }) {
      const why = "deleteUser of an unknown user is not an error: two requests may delete the same user"
      await expectNoError(() => adapter.deleteUser(crypto.randomUUID()), why)
    },
  }),
]
