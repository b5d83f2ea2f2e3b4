import { expectStored } from "./accounts.js"
import { type AdapterTestCase, defineGuaranteeCases, PASSKEY, SESSION } from "./case.js"
import { expectEqual, expectNoError, expectNull, expectRecord } from "./expect.js"
import { newAccount, newLink, newSession, newUser, storePasskey, storeUser, uniqueText } from "./fixtures.js"

/** Returns dates with milliseconds, most of them near next year's daylight saving changes in Europe and America. */
function datesAroundClockChanges(): Date[] {
  const year = new Date().getUTCFullYear() + 1
  const sundayUpTo = (month: number, day: number) => day - new Date(Date.UTC(year, month, day)).getUTCDay()
  const [lastSundayOfMarch, lastSundayOfOctober] = [sundayUpTo(2, 31), sundayUpTo(9, 31)]
  const [secondSundayOfMarch, firstSundayOfNovember] = [sundayUpTo(2, 14), sundayUpTo(10, 7)]
  return [
    Date.UTC(year, 2, lastSundayOfMarch, 0, 59, 59, 999),
    Date.UTC(year, 2, lastSundayOfMarch, 1, 0, 0, 1),
    Date.UTC(year, 2, lastSundayOfMarch, 2, 30, 0, 123),
    Date.UTC(year, 9, lastSundayOfOctober, 0, 30, 0, 456),
    Date.UTC(year, 9, lastSundayOfOctober, 1, 30, 0, 456),
    Date.UTC(year, 2, secondSundayOfMarch, 2, 30, 0, 789),
    Date.UTC(year, 10, firstSundayOfNovember, 5, 30, 0, 7),
    Date.UTC(year, 10, firstSundayOfNovember, 6, 30, 0, 7),
    Date.UTC(year, 6, 1, 12, 0, 0, 500),
  ].map((time) => new Date(time))
}

/** Runs the work in another time zone, if the test runner supports changing TZ. Stored dates must not depend on TZ. */
async function inTimeZone(zone: string, work: () => Promise<void>): Promise<void> {
  const { TZ } = process.env
  process.env["TZ"] = zone
  try {
    await work()
  } finally {
    if (TZ === undefined) delete process.env["TZ"]
    else process.env["TZ"] = TZ
  }
}

const UNICODE = "Zoë 🦊 𠮷野家 👩‍👩‍👧 עברית ﷽ \u{10FFFD}"

export const valueCases: readonly AdapterTestCase[] = [
  ...defineGuaranteeCases("milliseconds", ["createUser", "getUser", "updateUser"], {
    async "keeps dates of users to the millisecond, in any time zone"({ adapter }) {
      const { id } = await storeUser(adapter)
      for (const zone of ["UTC", "Europe/Berlin", "America/St_Johns"])
        await inTimeZone(zone, async () => {
          for (const date of datesAroundClockChanges()) {
            await adapter.updateUser({ id, emailVerified: date })
            const stored = await adapter.getUser(id)
            expectEqual(
              stored?.emailVerified,
              date,
              `getUser returns the date that updateUser has stored; time zone ${zone}`,
            )
          }
        })
    },
  }),

  ...defineGuaranteeCases("milliseconds", [...SESSION, "createVerificationToken", "useVerificationToken"], {
    async "keeps the expiry of a session and of a link to the millisecond"({ adapter }) {
      const user = await storeUser(adapter)
      for (const expires of datesAroundClockChanges()) {
        const [session, link] = [{ ...newSession(user.id), expires }, newLink({ expires })]
        await adapter.createSession(session)
        const found = await adapter.getSessionAndUser(session.sessionToken)
        expectEqual(
          found?.session.expires,
          expires,
          "getSessionAndUser returns the expiry that createSession has stored",
        )
        await adapter.createVerificationToken(link)
        const used = await adapter.useVerificationToken({ identifier: link.identifier, token: link.token })
        expectEqual(
          used?.expires,
          expires,
          "useVerificationToken returns the expiry that createVerificationToken has stored",
        )
      }
    },
  }),

  ...defineGuaranteeCases("wide-numbers", [...SESSION, "getUser", "linkAccount"], {
    async "keeps dates and seconds after 2038"(tools) {
      const { adapter } = tools
      const after2038 = new Date("2101-02-03T04:05:06.000Z")
      const user = await storeUser(adapter, { emailVerified: after2038 })
      expectEqual(
        (await adapter.getUser(user.id))?.emailVerified,
        after2038,
        "getUser returns a date after 2038 unchanged",
      )
      const session = { ...newSession(user.id), expires: after2038 }
      await adapter.createSession(session)
      const found = await adapter.getSessionAndUser(session.sessionToken)
      expectEqual(found?.session.expires, after2038, "getSessionAndUser returns an expiry after 2038 unchanged")
      const account = newAccount(user.id, { expires_at: after2038.getTime() / 1000 })
      await adapter.linkAccount(account)
      await expectStored(tools, account, "linkAccount stores an expires_at after 2038, as a number")
    },
  }),

  ...defineGuaranteeCases("wide-numbers", [...PASSKEY, "updateAuthenticatorCounter"], {
    async "keeps counters up to 2^32 - 1"({ adapter }) {
      const { passkey } = await storePasskey(adapter, { counter: 2 ** 31 })
      const { credentialID } = passkey
      await adapter.updateAuthenticatorCounter(credentialID, 2 ** 32 - 1)
      const stored = await adapter.getAuthenticator(credentialID)
      expectEqual(
        stored?.counter,
        2 ** 32 - 1,
        "getAuthenticator returns a counter of 32 bits (WebAuthn §6.1) as a number",
      )
    },
  }),

  ...defineGuaranteeCases("unicode", ["createUser", "getUser", "getUserByEmail"], {
    async "keeps four-byte characters in names and addresses"(tools) {
      const email = `𠮷🦊${uniqueText()}@example.test`
      const user = await storeUser(tools.adapter, { email, name: UNICODE })
      const why = "text in any script is returned exactly as it was stored"
      expectRecord(await tools.adapter.getUser(user.id), { ...user, email, name: UNICODE }, { tools, why })
      const found = await tools.adapter.getUserByEmail(email)
      expectEqual(found?.id, user.id, "getUserByEmail finds an address with characters of four bytes")
    },

    async "keeps quotes, percent signs, line ends and the words of query languages"({ adapter }) {
      const name = `"O'Brien"; DROP TABLE users; -- \\ %_*?[a] \${x} {{y}} $1 :id \t\r\n null`
      const user = await storeUser(adapter, { name, email: `o'b"r%i_e*n${uniqueText()}@example.test` })
      expectEqual((await adapter.getUser(user.id))?.name, name, "text is stored as text and never executed")
      expectEqual(
        (await adapter.getUserByEmail(user.email))?.id,
        user.id,
        "getUserByEmail finds an address with quotes",
      )
      const pattern = user.email.replace(/^o'b"r/, "%").replace("*", "_")
      expectNull(await adapter.getUserByEmail(pattern), "getUserByEmail does not interpret patterns")
    },
  }),

  ...defineGuaranteeCases("plain-text", ["createUser", "getUser", "updateUser"], {
    async "keeps text that looks like a date, a number or null as text"({ adapter }) {
      const { id } = await storeUser(adapter)
      for (const name of [
        "2024-01-02T03:04:05.678Z",
        "2024-01-02",
        "0123",
        "1e3",
        "true",
        "null",
        "{}",
        "@x",
        "\\x41",
      ]) {
        await adapter.updateUser({ id, name })
        const why =
          "a name stays a string even if it looks like a date or a number: views of the application expect a string"
        expectEqual((await adapter.getUser(id))?.name, name, why)
      }
    },
  }),

  ...defineGuaranteeCases("long-values", ["createUser", "getUser", "linkAccount"], {
    async "keeps tokens of 8,000 and URLs of 2,000 characters"(tools) {
      const image = `https://example.test/${"p".repeat(2000 - 21)}`
      const why = "signed picture URLs and tokens are long: neither is truncated or rejected"
      const user = await expectNoError(() => tools.adapter.createUser(newUser({ image })), why)
      expectEqual((await tools.adapter.getUser(user.id))?.image, image, why)
      const account = newAccount(user.id, {
        access_token: "a".repeat(4096),
        refresh_token: "r".repeat(4096),
        id_token: "i".repeat(8192),
        scope: "s".repeat(2000),
      })
      await expectNoError(() => tools.adapter.linkAccount(account), why)
      await expectStored(tools, account, why)
    },
  }),
]
