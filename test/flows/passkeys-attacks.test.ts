/** How a hostile client goes about passkeys, beside what `passkeys.test.ts` has. */
import type { JWT } from "../../lib/jwt.js"
import Passkey from "../../lib/providers/passkey.js"
import { describeServers, type Start } from "../support/apps.js"
import { createPasskey, usePasskey } from "../support/authenticator.js"
import type { Browser } from "../support/browser.js"
import { guardProcess } from "./support/guard.js"
import { errorOf } from "./support/mail.js"
import { finish, optionsFor, register, signIn, startPasskeySite, toldOf } from "./support/passkeys.js"
import { sessionCookies, sessionOf } from "./support/site.js"

guardProcess()

const ADA = "ada@example.com"
const EVE = "eve@example.com"
const FAILED = "WebAuthnVerificationError"

/** Somebody with a passkey, and a browser that is signed out. */
async function ada(start: Start, config: Parameters<typeof startPasskeySite>[1] = {}) {
  const site = await startPasskeySite(start, config)
  const { passkey } = await register(site.app.browser(), site.app.origin, { email: ADA })
  site.records.length = 0
  return { ...site, passkey, browser: site.app.browser() }
}

type Found = Awaited<ReturnType<typeof ada>>

/** Somebody who is signed in already keeps that session; a stranger gets none; the owner's passkey works on. */
async function expectRefused({ app, records, passkey }: Found, attempt: (browser: Browser) => Promise<string>) {
  const [stranger, member] = [app.browser(), app.browser()]
  await register(member, app.origin, { email: `member-${Math.random()}@example.com` })
  const before = sessionCookies(member)
  for (const browser of [stranger, member]) {
    records.length = 0
    expect(await attempt(browser)).toBe(FAILED)
    expect(toldOf(records)).toEqual([["warn", FAILED]])
    expect(records.find(({ code }) => code === FAILED)?.error?.cause).toMatchObject({ provider: "passkey" })
    expect(browser.cookies().filter(({ name }) => name.includes("challenge"))).toEqual([])
  }
  expect([sessionCookies(stranger), sessionCookies(member)]).toEqual([[], before])
  const owner = app.browser()
  await signIn(owner, passkey, app.origin, { counter: 1_000 + passkey.counter })
  expect(await sessionOf(owner)).toMatchObject({ user: { email: ADA } })
}

const clientData = (text: string) => Buffer.from(text).toString("base64url")

describeServers("A passkey's answer", (start) => {
  it.each([
    ["its port is another", (origin: string) => origin.replace(/:(\d+)$|$/, ":1")],
    ["it has a path", (origin: string) => `${origin}/`],
    ["the site's name is only its beginning", (origin: string) => `${origin}.evil.test`],
    ["the site's name is only its end", (origin: string) => origin.replace("://", "://evil-")],
    ["the site stands before an @", (origin: string) => `${origin}@evil.test`],
    ["it is no origin at all", () => "null"],
    ["it is empty", () => ""],
  ])("WAN-02: is refused when of its origin %s", async (_name, change) => {
    const found = await ada(start)
    const { origin } = found.app
    await expectRefused(found, async (browser) => {
      const { options } = await optionsFor(browser, { action: "authenticate" })
      const behaviour = { origin: change(origin), rpId: options.rpId }
      return errorOf(await finish(browser, "authenticate", usePasskey(found.passkey, options, behaviour)))
    })
  })

  it("WAN-02: is refused when the page was changed after it was signed", async () => {
    const found = await ada(start)
    const { origin } = found.app
    await expectRefused(found, async (browser) => {
      const { options } = await optionsFor(browser, { action: "authenticate" })
      const answer = usePasskey(found.passkey, options, { origin: "https://evil.test", rpId: options.rpId })
      const { challenge } = options
      answer.response.clientDataJSON = clientData(
        JSON.stringify({ type: "webauthn.get", challenge, origin, crossOrigin: false }),
      )
      return errorOf(await finish(browser, "authenticate", answer))
    })
  })

  it("WAN-02: is refused when it was made to register", async () => {
    const found = await ada(start)
    const { origin } = found.app
    await expectRefused(found, async (browser) => {
      const { options } = await optionsFor(browser, { action: "authenticate" })
      const answer = usePasskey(found.passkey, options, { origin })
      const text = Buffer.from(answer.response.clientDataJSON, "base64url").toString()
      answer.response.clientDataJSON = clientData(text.replace("webauthn.get", "webauthn.create"))
      return errorOf(await finish(browser, "authenticate", answer))
    })
  })

  it("WAN-04: is refused when the signature is another key's", async () => {
    const found = await ada(start)
    const { origin } = found.app
    const { passkey: foreign } = await register(found.app.browser(), origin, { email: EVE })
    await expectRefused(found, async (browser) => {
      const { options } = await optionsFor(browser, { action: "authenticate" })
      const answer = usePasskey({ ...foreign, id: found.passkey.id }, options, { origin, counter: 50 })
      return errorOf(await finish(browser, "authenticate", answer))
    })
  })

  it("WAN-07: says the same of a passkey that nobody has and of one whose signature is wrong", async () => {
    const found = await ada(start)
    const { origin } = found.app
    const answers = []
    for (const id of [found.passkey.id, "bm9ib2R5IGhhcyB0aGlz"]) {
      const browser = found.app.browser()
      const { options } = await optionsFor(browser, { action: "authenticate" })
      const answer = usePasskey({ ...found.passkey, id }, options, { origin, counter: 0 })
      answer.response.signature = Buffer.alloc(70).toString("base64url")
      const page = await finish(browser, "authenticate", answer)
      const set = page.headers.getSetCookie().map((cookie) => cookie.replace(/=.*/, ""))
      answers.push([page.status, page.location, set.map((name) => name.replace(/\.[\w-]{16}$/, ""))])
    }
    expect(answers[0]).toEqual(answers[1])
  })

  it("WAN-06: makes no passkey where the authenticator did not ask for a finger or a PIN", async () => {
    const found = await ada(start)
    const browser = found.app.browser()
    const { page } = await register(browser, found.app.origin, { email: EVE, behaviour: { isVerified: false } })
    expect([errorOf(page), sessionCookies(browser)]).toEqual([FAILED, []])
    expect(await found.adapter.getUserByEmail(EVE)).toBeNull()
    expect(toldOf(found.records)).toEqual([["warn", FAILED]])
  })

  it("WAN-06: makes one where the application asks for none, which still signs in with one alone", async () => {
    const providers = [Passkey({ verifyRegistrationOptions: { requireUserVerification: false } })]
    const found = await ada(start, { providers })
    const { page, passkey } = await register(found.app.browser(), found.app.origin, {
      email: EVE,
      behaviour: { isVerified: false },
    })
    expect(page.location).toBe(`${found.app.origin}/me`)
    const browser = found.app.browser()
    expect(errorOf(await signIn(browser, passkey, found.app.origin, { isVerified: false }))).toBe(FAILED)
    await signIn(browser, passkey, found.app.origin)
    expect(await sessionOf(browser)).toMatchObject({ user: { email: EVE } })
  })

  it("WAN-08: adds nothing to an account whose session the application has ended meanwhile", async () => {
    let isEnded = false
    const callbacks = {
      jwt: ({ token, trigger }: { token: JWT; trigger?: string }) => (isEnded && !trigger ? null : token),
    }
    const found = await ada(start, { callbacks, session: { strategy: "jwt" } })
    const { app, adapter } = found
    const thief = app.browser()
    await signIn(thief, found.passkey, app.origin)
    const { options } = await optionsFor(thief, { action: "register" })
    const { response, passkey: added } = createPasskey(options, { origin: app.origin })
    isEnded = true
    expect(errorOf(await finish(thief, "register", response))).toBe("AccountNotLinked")
    const user = await adapter.getUserByEmail(ADA)
    expect(await adapter.listAuthenticatorsByUserId(String(user?.id))).toHaveLength(1)
    const stranger = app.browser()
    expect(errorOf(await signIn(stranger, added, app.origin))).toBe(FAILED)
  })
})
