/**
 * SES-24: a token cannot be guessed byte by byte.
 *
 * @module
 */
import crypto, { createHash, createHmac, randomBytes } from "node:crypto"
import { MemoryAdapter } from "../../lib/adapters/memory.js"
import { consumeLink, createLink } from "../../lib/methods/email/link.js"
import type { ReadyEmail } from "../../lib/methods/email/prepare.js"
import { createRuntime } from "../../lib/runtime/runtime.js"
import { createCsrfToken, verifyCsrfCookie } from "../../lib/security/csrf.js"
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

/** The number of wrong digits at the end. With fewer, guesses would repeat, and the processor would learn them. */
const WRONG_AT_END = 5

/** A guess with `right` correct digits, one wrong digit, and random digits. */
const guessAt = (text: string, right: number) => () =>
  text.slice(0, right) + otherDigit(text.charAt(right)) + randomDigits(text.length - right - 1)

/** Two kinds of guesses: wrong from the first digit on, and wrong only in the last digits. */
const guessesAt = (text: string) => [guessAt(text, 0), guessAt(text, text.length - WRONG_AT_END)] as const

/** A comparison that is not constant-time. */
function isEqualEarlyExit(one: string, other: string): boolean {
  for (let i = 0; i < one.length; i++) if (one.charCodeAt(i) !== other.charCodeAt(i)) return false
  return true
}

describe("timing measurement", () => {
  const token = randomHex()

  it("detects a comparison that stops at the first difference", async () => {
    const compare = (guess: string) => isEqualEarlyExit(guess, token)
    expect(await leakOf({ kinds: guessesAt(token), compare, measurements: MEASUREMENTS })).toBeGreaterThan(LEAK)
  })

  it("finds no difference between equal kinds of input", async () => {
    const [, last] = guessesAt(token)
    const compare = (guess: string) => isEqualEarlyExit(guess, token)
    expect(await leastLeakOf({ kinds: [last, last], compare, measurements: MEASUREMENTS })).toBeLessThan(LEAK)
  })
})

describe(`SES-24: comparing ${MEASUREMENTS} guesses takes the same time for early and late differences`, () => {
  it("for the CSRF token of a form", async () => {
    const token = randomHex()
    const compare = (guess: string) => isEqualText(guess, token)
    expect(await leastLeakOf({ kinds: guessesAt(token), compare, measurements: MEASUREMENTS })).toBeLessThan(LEAK)
  })

  it("for the hash in the CSRF cookie", async () => {
    const { token, cookie } = createCsrfToken([TEST_SECRET])
    const [first, last] = guessesAt(cookie.slice(token.length + 1))
    const kinds = [() => `${token}|${first()}`, () => `${token}|${last()}`] as const
    const compare = (guess: string) => verifyCsrfCookie(guess, [TEST_SECRET])
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
      consumeLink({ email: "ada@example.com", token }, provider, runtime).then(
        () => Promise.reject(new Error("a wrong token was accepted")),
        () => false,
      )
    const kinds = guessesAt(link.token)
    expect(await leastLeakOf({ kinds, compare, measurements: MEASUREMENTS })).toBeLessThan(LEAK)
  })
})

describeServer("SES-24: compared values", "Auth()", (start) => {
  const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

  it("digests of the form's token and of the cookie's hash are compared in constant time", async () => {
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

  it("a link is looked up by a keyed hash of its token, so that guesses cannot approach it byte by byte", async () => {
    const lookups: unknown[] = []
    const site = await startMailSite(start, {
      over: ({ useVerificationToken }) => ({
        useVerificationToken: (params) => {
          lookups.push(params)
          return useVerificationToken?.(params) ?? null
        },
      }),
    })
    const token = randomHex()
    await openLink(site.browser(), `/auth/callback/mail?token=${token}&email=ada%40example.com`)
    const keyed = createHmac("sha256", TEST_SECRET).update(`latchkey.email-link ${token}`).digest("hex")
    // The second is the hash of Auth.js, for links that were sent before this process started.
    const hashes = [keyed, sha256(token + TEST_SECRET)]
    expect(lookups).toEqual(hashes.map((hash) => ({ identifier: "ada@example.com", token: hash })))
  })
})
