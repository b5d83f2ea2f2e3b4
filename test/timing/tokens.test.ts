/**
 * SES-24: nobody finds a token byte by byte.
 *
 * @module
 */
import crypto, { createHash, createHmac, randomBytes } from "node:crypto"
import { MemoryAdapter } from "../../lib/adapters/memory.js"
import { createLink, useLink } from "../../lib/methods/email/link.js"
import type { ReadyEmail } from "../../lib/methods/email/prepare.js"
import { createRuntime } from "../../lib/runtime.js"
import { createCsrfToken, readCsrfCookie } from "../../lib/security/csrf.js"
import { isEqualText, randomHex } from "../../lib/security/tokens.js"
import { mailbox, openLink, startMailSite } from "../flows/support/mail.js"
import { describeServer, recordingLogger, TEST_SECRET } from "../support/apps.js"
import { LEAK, leakOf, leastLeakOf } from "./support/dudect.js"
import { isStrict } from "./support/strictness.js"

const MEASUREMENTS = isStrict ? 1_000_000 : 100_000

jest.setTimeout(isStrict ? 600_000 : 120_000)

const otherDigit = (digit: string) => (digit === "0" ? "1" : "0")

const randomDigits = (count: number): string =>
  randomBytes(Math.ceil(count / 2))
    .toString("hex")
    .slice(0, count)

/** How many digits at the end are wrong: of fewer guesses each would come often, and a processor learns. */
const WRONG_AT_END = 5

/** A text that is right as far as `right`, then wrong in one digit, and then by chance. */
const guessAt = (text: string, right: number) => () =>
  text.slice(0, right) + otherDigit(text.charAt(right)) + randomDigits(text.length - right - 1)

/** Guesses at a text of hexadecimal digits: wrong from the first on, and wrong in the last ones alone. */
const guessesAt = (text: string) => [guessAt(text, 0), guessAt(text, text.length - WRONG_AT_END)] as const

/** As a program without care would do it. */
function isEqualUntilItIsNot(one: string, other: string): boolean {
  for (let i = 0; i < one.length; i++) if (one.charCodeAt(i) !== other.charCodeAt(i)) return false
  return true
}

describe("the instrument", () => {
  const token = randomHex()

  it("sees a comparison that stops at the first difference", async () => {
    const compare = (guess: string) => isEqualUntilItIsNot(guess, token)
    expect(await leakOf({ kinds: guessesAt(token), compare, measurements: MEASUREMENTS })).toBeGreaterThan(LEAK)
  })

  it("sees nothing where there is nothing", async () => {
    const [, last] = guessesAt(token)
    const compare = (guess: string) => isEqualUntilItIsNot(guess, token)
    expect(await leastLeakOf({ kinds: [last, last], compare, measurements: MEASUREMENTS })).toBeLessThan(LEAK)
  })
})

describe(`SES-24: of ${MEASUREMENTS} guesses, those wrong at once take as long as those wrong at the end`, () => {
  it("for the token that a form sends", async () => {
    const token = randomHex()
    const compare = (guess: string) => isEqualText(guess, token)
    expect(await leastLeakOf({ kinds: guessesAt(token), compare, measurements: MEASUREMENTS })).toBeLessThan(LEAK)
  })

  it("for the hash in the CSRF cookie", async () => {
    const { token, cookie } = createCsrfToken([TEST_SECRET])
    const [first, last] = guessesAt(cookie.slice(token.length + 1))
    const kinds = [() => `${token}|${first()}`, () => `${token}|${last()}`] as const
    const compare = (guess: string) => readCsrfCookie(guess, [TEST_SECRET])
    expect(await leastLeakOf({ kinds, compare, measurements: MEASUREMENTS })).toBeLessThan(LEAK)
  })

  it("for the token of a link", async () => {
    const adapter = MemoryAdapter()
    const providers = [mailbox().provider]
    const runtime = createRuntime({ secret: TEST_SECRET, adapter, providers, logger: recordingLogger().logger }, {})
    // The only provider is the mailbox.
    const provider = runtime.providers.get("mail")?.provider as ReadyEmail
    const link = await createLink("ada@example.com", provider, runtime)
    await adapter.createVerificationToken(link.stored)
    const compare = (token: string) =>
      useLink({ email: "ada@example.com", token }, provider, runtime).then(
        () => Promise.reject(new Error("a wrong token was taken")),
        () => false,
      )
    const kinds = guessesAt(link.token)
    expect(await leastLeakOf({ kinds, compare, measurements: MEASUREMENTS })).toBeLessThan(LEAK)
  })
})

describeServer("SES-24: what is compared", "Auth()", (start) => {
  const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

  it("is digests in constant time: of the form's token and of the cookie's hash", async () => {
    const site = await startMailSite(start)
    const browser = site.browser()
    const csrfToken = await browser.csrf()
    const [wrong] = guessesAt(csrfToken)
    const guess = wrong()
    const compared = jest.spyOn(crypto, "timingSafeEqual")
    const page = await browser.post("/auth/signin/mail", { csrfToken: guess, email: "ada@example.com" })
    const pairs = compared.mock.calls.map((pair) => pair.map((one) => Buffer.from(one as Uint8Array).toString("hex")))
    compared.mockRestore()
    expect(page.location).toContain("error=MissingCSRF")
    const hash = sha256(csrfToken + TEST_SECRET)
    expect(pairs).toEqual([
      [sha256(hash), sha256(hash)],
      [sha256(guess), sha256(csrfToken)],
    ])
  })

  it("is for a link a keyed hash of the token, so that no guess approaches it in steps", async () => {
    const asked: unknown[] = []
    const site = await startMailSite(start, {
      over: ({ useVerificationToken }) => ({
        useVerificationToken: (params) => {
          asked.push(params)
          return useVerificationToken?.(params) ?? null
        },
      }),
    })
    const token = randomHex()
    await openLink(site.browser(), `/auth/callback/mail?token=${token}&email=ada%40example.com`)
    const keyed = createHmac("sha256", TEST_SECRET).update(`latchkey.email-link ${token}`).digest("hex")
    // The second is the hash of Auth.js, for links that were sent before this process started.
    const hashes = [keyed, sha256(token + TEST_SECRET)]
    expect(asked).toEqual(hashes.map((hash) => ({ identifier: "ada@example.com", token: hash })))
  })
})
