import { type ContractCase, contractCase } from "./case.js"
import { expectEqual, expectNull, expectPasskey, expectRecord, expectRejected } from "./expect.js"
import { fresh, newAccount, newPasskey, storeUser } from "./fixtures.js"

export const passkeyCases: readonly ContractCase[] = [
  contractCase({
    name: "getAccount gives null for a wrong id or provider, and the account for the right ones",
    needs: ["createUser", "linkAccount", "getAccount"],
    async check(tools) {
      const { adapter } = tools
      const user = await storeUser(adapter)
      const account = newAccount(user.id)
      const { provider, providerAccountId } = account
      await adapter.linkAccount(account)
      for (const [id, name] of [
        [fresh(), provider],
        [providerAccountId, fresh()],
        [fresh(), fresh()],
      ] as const)
        expectNull(await adapter.getAccount(id, name), "getAccount gives null unless id and provider are right")
      const found = await adapter.getAccount(providerAccountId, provider)
      expectRecord(found, account, { tools, why: "getAccount gives the account as linkAccount stored it", ownId: true })
    },
  }),

  contractCase({
    name: "createAuthenticator gives the passkey as it was stored",
    needs: ["createUser", "createAuthenticator", "getAuthenticator"],
    async check(tools) {
      const { adapter } = tools
      const user = await storeUser(adapter)
      const passkey = newPasskey(user.id)
      const why = "createAuthenticator gives what it was given: flags as true or false, the counter as a number"
      expectPasskey(await adapter.createAuthenticator(passkey), passkey, { tools, why })
      const stored = await adapter.getAuthenticator(passkey.credentialID)
      expectPasskey(stored, passkey, { tools, why: "createAuthenticator stores what it gives" })
    },
  }),

  contractCase({
    name: "createAuthenticator takes a passkey that names no transports",
    needs: ["createUser", "createAuthenticator", "getAuthenticator"],
    async check(tools) {
      const { adapter } = tools
      const user = await storeUser(adapter)
      const passkey = newPasskey(user.id, { transports: null, credentialBackedUp: false })
      await adapter.createAuthenticator(passkey)
      const stored = await adapter.getAuthenticator(passkey.credentialID)
      expectPasskey(stored, passkey, {
        tools,
        why: "getAuthenticator gives null, or nothing, for transports never named",
      })
    },
  }),

  contractCase({
    name: "createAuthenticator refuses a credential id that is taken",
    needs: ["createUser", "createAuthenticator", "getAuthenticator"],
    promise: "unique-passkey",
    async check({ adapter }) {
      const [owner, other] = [await storeUser(adapter), await storeUser(adapter)]
      const passkey = newPasskey(owner.id)
      await adapter.createAuthenticator(passkey)
      await expectRejected(
        () => adapter.createAuthenticator(newPasskey(other.id, { credentialID: passkey.credentialID })),
        "createAuthenticator rejects a credential id that is taken (WebAuthn §7.1): otherwise a passkey changes hands",
      )
      const stored = await adapter.getAuthenticator(passkey.credentialID)
      expectEqual(stored?.userId, owner.id, "the passkey stays with its first user")
    },
  }),

  contractCase({
    name: "getAuthenticator gives null for an unknown passkey, and the record for a known one",
    needs: ["createUser", "createAuthenticator", "getAuthenticator"],
    async check(tools) {
      const { adapter } = tools
      const user = await storeUser(adapter)
      const passkey = newPasskey(user.id)
      await adapter.createAuthenticator(passkey)
      expectNull(await adapter.getAuthenticator(fresh()), "getAuthenticator gives null for an unknown credential id")
      const found = await adapter.getAuthenticator(passkey.credentialID)
      expectPasskey(found, passkey, { tools, why: "getAuthenticator gives the whole record" })
    },
  }),

  contractCase({
    name: "listAuthenticatorsByUserId gives the passkeys of one user",
    needs: ["createUser", "createAuthenticator", "listAuthenticatorsByUserId"],
    async check(tools) {
      const { adapter } = tools
      const [user, other] = [await storeUser(adapter), await storeUser(adapter)]
      const passkeys = [newPasskey(user.id), newPasskey(user.id)]
      for (const passkey of [...passkeys, newPasskey(other.id)]) await adapter.createAuthenticator(passkey)
      const nobody = await adapter.listAuthenticatorsByUserId(crypto.randomUUID())
      expectEqual(nobody, [], "listAuthenticatorsByUserId gives an empty list for nobody, and not null")
      const listed = await adapter.listAuthenticatorsByUserId(user.id)
      expectEqual(listed.length, 2, "listAuthenticatorsByUserId gives every passkey of the user, and no other's")
      for (const passkey of passkeys) {
        const found = listed.find(({ credentialID }) => credentialID === passkey.credentialID)
        expectPasskey(found, passkey, { tools, why: "listAuthenticatorsByUserId gives whole records" })
      }
    },
  }),

  contractCase({
    name: "updateAuthenticatorCounter stores the new counter, and refuses an unknown passkey",
    needs: ["createUser", "createAuthenticator", "getAuthenticator", "updateAuthenticatorCounter"],
    async check(tools) {
      const { adapter } = tools
      const user = await storeUser(adapter)
      const passkey = newPasskey(user.id)
      await adapter.createAuthenticator(passkey)
      await expectRejected(
        () => adapter.updateAuthenticatorCounter(fresh(), 1),
        "updateAuthenticatorCounter of an unknown passkey rejects: it has no record to give back",
      )
      const updated = await adapter.updateAuthenticatorCounter(passkey.credentialID, 7)
      const why = "updateAuthenticatorCounter gives the whole record with the new counter"
      expectPasskey(updated, { ...passkey, counter: 7 }, { tools, why })
      const stored = await adapter.getAuthenticator(passkey.credentialID)
      expectEqual(stored?.counter, 7, "updateAuthenticatorCounter stores the new counter")
    },
  }),

  contractCase({
    name: "updateAuthenticatorCounter never lets a counter go back",
    needs: ["createUser", "createAuthenticator", "getAuthenticator", "updateAuthenticatorCounter"],
    promise: "counters",
    async check({ adapter }) {
      const user = await storeUser(adapter)
      const { credentialID } = await adapter.createAuthenticator(newPasskey(user.id, { counter: 5 }))
      for (const counter of [4, 5, 0])
        await expectRejected(
          () => adapter.updateAuthenticatorCounter(credentialID, counter),
          `updateAuthenticatorCounter rejects ${counter} after 5 (WebAuthn §6.1.1): it is the mark of a copied passkey`,
        )
      const stored = await adapter.getAuthenticator(credentialID)
      expectEqual(stored?.counter, 5, "a refused updateAuthenticatorCounter changes nothing")
    },
  }),

  contractCase({
    name: "updateAuthenticatorCounter takes 0 after 0",
    needs: ["createUser", "createAuthenticator", "updateAuthenticatorCounter"],
    promise: "counters",
    async check({ adapter }) {
      const user = await storeUser(adapter)
      const { credentialID } = await adapter.createAuthenticator(newPasskey(user.id, { counter: 0 }))
      const updated = await adapter.updateAuthenticatorCounter(credentialID, 0)
      expectEqual(updated.counter, 0, "updateAuthenticatorCounter takes 0 after 0: such passkeys do not count")
    },
  }),
]
