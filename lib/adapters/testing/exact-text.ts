import { type ContractCase, contractCase } from "./case.js"
import { expectEqual, expectNull, expectQuiet, expectRejected } from "./expect.js"
import { fresh, keyOf, newAccount, newLink, newPasskey, newSession, newUser, storeUser } from "./fixtures.js"

// Databases compare text by rules of language unless they are told otherwise: "é" equals "e" for many of them, and
// blanks at the end count for nothing. An address that only looks like another's must not open that one's account.

/** Texts that are not the given one, though some stores think so. */
const lookalikes = (text: string): string[] => [
  text.toUpperCase(),
  text.replace("e", "é"),
  text.replace("e", "ｅ"),
  text.replace("e", "e\u0301"),
  `${text} `,
  ` ${text}`,
  `${text}\u0000`,
]

/** Some stores refuse odd text instead of looking for it; that is as safe. */
const orNull = async (call: () => unknown): Promise<unknown> => {
  try {
    return await call()
  } catch {
    return null
  }
}

export const exactTextCases: readonly ContractCase[] = [
  contractCase({
    name: "getUserByEmail finds an address by its exact text",
    needs: ["createUser", "getUserByEmail"],
    promise: "exact-text",
    async check({ adapter }) {
      const user = await storeUser(adapter, { email: `jose${fresh()}@example.test` })
      for (const other of lookalikes(user.email))
        expectNull(
          await orNull(() => adapter.getUserByEmail(other)),
          `getUserByEmail compares exactly: ${JSON.stringify(other)} is not ${JSON.stringify(user.email)}`,
        )
    },
  }),

  contractCase({
    name: "createUser keeps addresses apart that differ in an accent",
    needs: ["createUser", "getUserByEmail"],
    promise: "exact-text",
    async check({ adapter }) {
      const email = `jose${fresh()}@example.test`
      const plain = await storeUser(adapter, { email })
      const accented = email.replace("jose", "josé")
      const why = "createUser takes both jose@… and josé@…: they are two addresses"
      const other = await expectQuiet(() => adapter.createUser(newUser({ email: accented })), why)
      expectEqual((await adapter.getUserByEmail(email))?.id, plain.id, why)
      expectEqual((await adapter.getUserByEmail(accented))?.id, other.id, why)
    },
  }),

  contractCase({
    name: "getUserByAccount finds an account by its exact text",
    needs: ["createUser", "linkAccount", "getUserByAccount"],
    promise: "exact-text",
    async check({ adapter }) {
      const [first, second] = [await storeUser(adapter), await storeUser(adapter)]
      const account = newAccount(first.id, { providerAccountId: `e${fresh()}` })
      await adapter.linkAccount(account)
      for (const providerAccountId of lookalikes(account.providerAccountId)) {
        const found = await orNull(() => adapter.getUserByAccount({ provider: account.provider, providerAccountId }))
        expectNull(found, `getUserByAccount compares exactly: ${JSON.stringify(providerAccountId)} is another account`)
      }
      const upper = newAccount(second.id, { providerAccountId: account.providerAccountId.toUpperCase() })
      const why = "linkAccount takes ids that differ in case: providers use base64 and the like"
      await expectQuiet(() => adapter.linkAccount(upper), why)
      expectEqual((await adapter.getUserByAccount(keyOf(upper)))?.id, second.id, why)
      expectEqual((await adapter.getUserByAccount(keyOf(account)))?.id, first.id, why)
    },
  }),

  contractCase({
    name: "useVerificationToken compares address and token exactly",
    needs: ["createVerificationToken", "useVerificationToken"],
    promise: "exact-text",
    async check({ adapter }) {
      const link = newLink({ identifier: `jose${fresh()}@example.test`, token: `e${fresh()}` })
      const { identifier, token } = link
      await adapter.createVerificationToken(link)
      const why = "useVerificationToken compares exactly"
      for (const other of lookalikes(identifier)) {
        const used = await orNull(() => adapter.useVerificationToken({ identifier: other, token }))
        expectNull(used, `${why}: ${JSON.stringify(other)} is another address`)
      }
      for (const other of lookalikes(token)) {
        const used = await orNull(() => adapter.useVerificationToken({ identifier, token: other }))
        expectNull(used, `${why}: ${JSON.stringify(other)} is another token`)
      }
      expectEqual((await adapter.useVerificationToken({ identifier, token }))?.token, token, why)
    },
  }),

  contractCase({
    name: "getSessionAndUser compares the token exactly",
    needs: ["createUser", "createSession", "getSessionAndUser"],
    promise: "exact-text",
    async check({ adapter }) {
      const user = await storeUser(adapter)
      const session = { ...newSession(user.id), sessionToken: `e${fresh()}` }
      await adapter.createSession(session)
      for (const other of lookalikes(session.sessionToken)) {
        const found = await orNull(() => adapter.getSessionAndUser(other))
        expectNull(found, `getSessionAndUser compares exactly: ${JSON.stringify(other)} is another token`)
      }
    },
  }),

  contractCase({
    name: "getAuthenticator tells apart credential ids that differ in case",
    needs: ["createUser", "createAuthenticator", "getAuthenticator"],
    promise: "exact-text",
    async check({ adapter }) {
      const user = await storeUser(adapter)
      const id = fresh()
      const first = newPasskey(user.id, { credentialID: `qUjd${id}` })
      const second = newPasskey(user.id, { credentialID: `QuJD${id}` })
      await adapter.createAuthenticator(first)
      const why = "getAuthenticator compares exactly: in base64 case counts"
      expectNull(await orNull(() => adapter.getAuthenticator(second.credentialID)), why)
      await expectQuiet(() => adapter.createAuthenticator(second), why)
      expectEqual((await adapter.getAuthenticator(first.credentialID))?.credentialID, first.credentialID, why)
    },
  }),

  contractCase({
    name: "renameAuthenticator and deleteAuthenticator tell apart credential ids that differ in case",
    needs: ["createUser", "createAuthenticator", "getAuthenticator", "renameAuthenticator", "deleteAuthenticator"],
    promise: "exact-text",
    async check({ adapter }) {
      const user = await storeUser(adapter)
      const id = fresh()
      const first = newPasskey(user.id, { credentialID: `qUjd${id}` })
      await adapter.createAuthenticator(first)
      const why = "passkeys are found by the exact text of their id: in base64 case counts"
      await expectRejected(() => adapter.renameAuthenticator(`QuJD${id}`, "other"), why)
      await orNull(() => adapter.deleteAuthenticator(`QuJD${id}`))
      const stored = await adapter.getAuthenticator(first.credentialID)
      expectEqual([stored?.credentialID, stored?.name ?? null], [first.credentialID, null], why)
    },
  }),
]
