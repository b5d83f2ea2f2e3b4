import { ACCOUNT, type AdapterTestCase, defineGuaranteeCases, PASSKEY, SESSION } from "./case.js"
import { expectEqual, expectNoError, expectNull, expectOwner, expectRejected } from "./expect.js"
import { newAccount, newLink, newPasskey, newSession, newUser, storeUser, uniqueText } from "./fixtures.js"

// By default, many databases ignore case, accents or trailing blanks when they compare text. With such a database, a
// similar address would give access to another user's account.

/** Returns strings that differ from `text`, but that some databases treat as equal to it. */
const lookalikes = (text: string): string[] => [
  text.toUpperCase(),
  text.replace("e", "é"),
  text.replace("e", "ｅ"),
  text.replace("e", "e\u0301"),
  `${text} `,
  ` ${text}`,
  `${text}\u0000`,
]

/** Returns the result of the call, or null if the call fails. Rejecting unusual text is as safe as not finding it. */
const nullOnError = async (call: () => unknown): Promise<unknown> => {
  try {
    return await call()
  } catch {
    return null
  }
}

export const exactTextCases: readonly AdapterTestCase[] = [
  ...defineGuaranteeCases("exact-text", ["createUser", "getUserByEmail"], {
    async "getUserByEmail finds an address by its exact text"({ adapter }) {
      const user = await storeUser(adapter, { email: `jose${uniqueText()}@example.test` })
      for (const lookalike of lookalikes(user.email))
        expectNull(
          await nullOnError(() => adapter.getUserByEmail(lookalike)),
          `getUserByEmail compares exactly: ${JSON.stringify(lookalike)} is not ${JSON.stringify(user.email)}`,
        )
    },

    async "createUser distinguishes addresses that differ in an accent"({ adapter }) {
      const email = `jose${uniqueText()}@example.test`
      const plain = await storeUser(adapter, { email })
      const accented = email.replace("jose", "josé")
      const why = "createUser accepts both jose@… and josé@…: they are two addresses"
      const other = await expectNoError(() => adapter.createUser(newUser({ email: accented })), why)
      expectEqual((await adapter.getUserByEmail(email))?.id, plain.id, why)
      expectEqual((await adapter.getUserByEmail(accented))?.id, other.id, why)
    },
  }),

  ...defineGuaranteeCases("exact-text", ACCOUNT, {
    async "getUserByAccount finds an account by its exact text"({ adapter }) {
      const [first, second] = [await storeUser(adapter), await storeUser(adapter)]
      const account = newAccount(first.id, { providerAccountId: `e${uniqueText()}` })
      await adapter.linkAccount(account)
      for (const providerAccountId of lookalikes(account.providerAccountId)) {
        const found = await nullOnError(() =>
          adapter.getUserByAccount({ provider: account.provider, providerAccountId }),
        )
        expectNull(found, `getUserByAccount compares exactly: ${JSON.stringify(providerAccountId)} is another account`)
      }
      const upper = newAccount(second.id, { providerAccountId: account.providerAccountId.toUpperCase() })
      const why = "linkAccount accepts ids that differ in case: some providers use base64"
      await expectNoError(() => adapter.linkAccount(upper), why)
      await expectOwner(adapter, upper, { id: second.id, why })
      await expectOwner(adapter, account, { id: first.id, why })
    },
  }),

  ...defineGuaranteeCases("exact-text", ["createVerificationToken", "useVerificationToken"], {
    async "useVerificationToken compares address and token exactly"({ adapter }) {
      const link = newLink({ identifier: `jose${uniqueText()}@example.test`, token: `e${uniqueText()}` })
      const { identifier, token } = link
      await adapter.createVerificationToken(link)
      const why = "useVerificationToken compares exactly"
      for (const lookalike of lookalikes(identifier)) {
        const used = await nullOnError(() => adapter.useVerificationToken({ identifier: lookalike, token }))
        expectNull(used, `${why}: ${JSON.stringify(lookalike)} is another address`)
      }
      for (const lookalike of lookalikes(token)) {
        const used = await nullOnError(() => adapter.useVerificationToken({ identifier, token: lookalike }))
        expectNull(used, `${why}: ${JSON.stringify(lookalike)} is another token`)
      }
      expectEqual((await adapter.useVerificationToken({ identifier, token }))?.token, token, why)
    },
  }),

  ...defineGuaranteeCases("exact-text", SESSION, {
    async "getSessionAndUser compares the token exactly"({ adapter }) {
      const user = await storeUser(adapter)
      const session = { ...newSession(user.id), sessionToken: `e${uniqueText()}` }
      await adapter.createSession(session)
      for (const lookalike of lookalikes(session.sessionToken)) {
        const found = await nullOnError(() => adapter.getSessionAndUser(lookalike))
        expectNull(found, `getSessionAndUser compares exactly: ${JSON.stringify(lookalike)} is another token`)
      }
    },
  }),

  ...defineGuaranteeCases("exact-text", PASSKEY, {
    async "getAuthenticator distinguishes credential ids that differ in case"({ adapter }) {
      const user = await storeUser(adapter)
      const id = uniqueText()
      const first = newPasskey(user.id, { credentialID: `qUjd${id}` })
      const second = newPasskey(user.id, { credentialID: `QuJD${id}` })
      await adapter.createAuthenticator(first)
      const why = "getAuthenticator compares exactly: base64 is case-sensitive"
      expectNull(await nullOnError(() => adapter.getAuthenticator(second.credentialID)), why)
      await expectNoError(() => adapter.createAuthenticator(second), why)
      expectEqual((await adapter.getAuthenticator(first.credentialID))?.credentialID, first.credentialID, why)
    },
  }),

  ...defineGuaranteeCases("exact-text", [...PASSKEY, "renameAuthenticator", "deleteAuthenticator"], {
    async "renameAuthenticator and deleteAuthenticator distinguish credential ids that differ in case"({ adapter }) {
      const user = await storeUser(adapter)
      const id = uniqueText()
      const first = newPasskey(user.id, { credentialID: `qUjd${id}` })
      await adapter.createAuthenticator(first)
      const why = "passkeys are found by their exact id: base64 is case-sensitive"
      await expectRejected(() => adapter.renameAuthenticator(`QuJD${id}`, "other"), why)
      await nullOnError(() => adapter.deleteAuthenticator(`QuJD${id}`))
      const stored = await adapter.getAuthenticator(first.credentialID)
      expectEqual([stored?.credentialID, stored?.name ?? null], [first.credentialID, null], why)
    },
  }),
]
