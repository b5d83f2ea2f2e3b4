import { type AdapterTestCase, defineCases, defineGuaranteeCases, PASSKEY } from "./case.js"
import { expectEqual, expectNull, expectPasskey, expectRecord, expectRejected } from "./expect.js"
import { newPasskey, storeAccount, storePasskey, storeUser, uniqueText } from "./fixtures.js"

export const passkeyCases: readonly AdapterTestCase[] = [
  ...defineCases(["createUser", "linkAccount", "getAccount"], {
    async "getAccount returns null for a wrong id or provider, and the account for matching ones"(tools) {
      const { adapter } = tools
      const { account } = await storeAccount(adapter)
      const { provider, providerAccountId } = account
      for (const [id, name] of [
        [uniqueText(), provider],
        [providerAccountId, uniqueText()],
        [uniqueText(), uniqueText()],
      ] as const)
        expectNull(await adapter.getAccount(id, name), "getAccount returns null unless id and provider match")
      const found = await adapter.getAccount(providerAccountId, provider)
      expectRecord(found, account, {
        tools,
        why: "getAccount returns the account as linkAccount stored it",
        added: "id",
      })
    },
  }),

  ...defineCases(PASSKEY, {
    async "createAuthenticator returns the passkey as it was stored"(tools) {
      const { adapter } = tools
      const user = await storeUser(adapter)
      const passkey = newPasskey(user.id)
      const why = "createAuthenticator returns the given record: flags as booleans, the counter as a number"
      expectPasskey(await adapter.createAuthenticator(passkey), passkey, { tools, why })
      const stored = await adapter.getAuthenticator(passkey.credentialID)
      expectPasskey(stored, passkey, { tools, why: "createAuthenticator stores what it returns" })
    },

    async "createAuthenticator accepts a passkey without transports"(tools) {
      const { adapter } = tools
      const { passkey } = await storePasskey(adapter, { transports: null, credentialBackedUp: false })
      const stored = await adapter.getAuthenticator(passkey.credentialID)
      expectPasskey(stored, passkey, {
        tools,
        why: "getAuthenticator returns null or undefined for missing transports",
      })
    },
  }),

  ...defineGuaranteeCases("unique-passkey", PASSKEY, {
    async "createAuthenticator rejects a credential id that is taken"({ adapter }) {
      const [owner, other] = [await storeUser(adapter), await storeUser(adapter)]
      const passkey = newPasskey(owner.id)
      await adapter.createAuthenticator(passkey)
      await expectRejected(
        () => adapter.createAuthenticator(newPasskey(other.id, { credentialID: passkey.credentialID })),
        "createAuthenticator rejects a credential id that is taken (WebAuthn §7.1): otherwise a passkey could move to another user",
      )
      const stored = await adapter.getAuthenticator(passkey.credentialID)
      expectEqual(stored?.userId, owner.id, "the passkey stays with its first user")
    },
  }),

  ...defineCases(PASSKEY, {
    async "getAuthenticator returns null for an unknown passkey, and the record for a known one"(tools) {
      const { adapter } = tools
      const { passkey } = await storePasskey(adapter)
      expectNull(
        await adapter.getAuthenticator(uniqueText()),
        "getAuthenticator returns null for an unknown credential id",
      )
      const found = await adapter.getAuthenticator(passkey.credentialID)
      expectPasskey(found, passkey, { tools, why: "getAuthenticator returns the whole record" })
    },
  }),

  ...defineCases(["createUser", "createAuthenticator", "listAuthenticatorsByUserId"], {
    async "listAuthenticatorsByUserId returns the passkeys of one user"(tools) {
      const { adapter } = tools
      const [user, other] = [await storeUser(adapter), await storeUser(adapter)]
      const passkeys = [newPasskey(user.id), newPasskey(user.id)]
      for (const passkey of [...passkeys, newPasskey(other.id)]) await adapter.createAuthenticator(passkey)
      const unknown = await adapter.listAuthenticatorsByUserId(crypto.randomUUID())
      expectEqual(unknown, [], "listAuthenticatorsByUserId returns an empty list, not null, for an unknown user")
      const listed = await adapter.listAuthenticatorsByUserId(user.id)
      expectEqual(
        listed.length,
        2,
        "listAuthenticatorsByUserId returns every passkey of the user, and no passkey of another user",
      )
      for (const passkey of passkeys) {
        const found = listed.find(({ credentialID }) => credentialID === passkey.credentialID)
        expectPasskey(found, passkey, { tools, why: "listAuthenticatorsByUserId returns whole records" })
      }
    },
  }),

  ...defineCases([...PASSKEY, "updateAuthenticatorCounter"], {
    async "updateAuthenticatorCounter stores the new counter, and rejects an unknown passkey"(tools) {
      const { adapter } = tools
      const { passkey } = await storePasskey(adapter)
      await expectRejected(
        () => adapter.updateAuthenticatorCounter(uniqueText(), 1),
        "updateAuthenticatorCounter of an unknown passkey rejects: there is no record to return",
      )
      const updated = await adapter.updateAuthenticatorCounter(passkey.credentialID, 7)
      const why = "updateAuthenticatorCounter returns the whole record with the new counter"
      expectPasskey(updated, { ...passkey, counter: 7 }, { tools, why })
      const stored = await adapter.getAuthenticator(passkey.credentialID)
      expectEqual(stored?.counter, 7, "updateAuthenticatorCounter stores the new counter")
    },
  }),

  ...defineGuaranteeCases("counters", [...PASSKEY, "updateAuthenticatorCounter"], {
    async "updateAuthenticatorCounter never decreases a counter"({ adapter }) {
      const { passkey } = await storePasskey(adapter, { counter: 5 })
      const { credentialID } = passkey
      for (const counter of [4, 5, 0])
        await expectRejected(
          () => adapter.updateAuthenticatorCounter(credentialID, counter),
          `updateAuthenticatorCounter rejects ${counter} after 5 (WebAuthn §6.1.1): it indicates a copied passkey`,
        )
      const stored = await adapter.getAuthenticator(credentialID)
      expectEqual(stored?.counter, 5, "a rejected updateAuthenticatorCounter changes nothing")
    },
  }),

  ...defineGuaranteeCases("counters", ["createUser", "createAuthenticator", "updateAuthenticatorCounter"], {
    async "updateAuthenticatorCounter accepts 0 after 0"({ adapter }) {
      const { passkey } = await storePasskey(adapter, { counter: 0 })
      const { credentialID } = passkey
      const updated = await adapter.updateAuthenticatorCounter(credentialID, 0)
      expectEqual(
        updated.counter,
        0,
        "updateAuthenticatorCounter accepts 0 after 0: an authenticator without a counter always sends 0",
      )
    },
  }),
]
