/** Attacks by a hostile client, beyond those in `passkeys.test.ts`. */
import type { JWT } from "../../../lib/jwt.js"
import Passkey from "../../../lib/providers/passkey.js"
import { describeServers, type Start } from "../../support/apps.js"
import { createPasskey, usePasskey } from "../../support/authenticator.js"
import type { Browser } from "../../support/browser.js"
import { guardProcess } from "../support/guard.js"
import { errorOf } from "../support/mail.js"
import { finish, loggedLevels, optionsFor, register, signIn, startPasskeySite } from "../support/passkeys.js"
import { sessionCookies, sessionOf } from "../support/site.js"

guardProcess()

const ADA = "ada@example.com"
const EVE = "eve@example.com"
const FAILED = "WebAuthnVerificationError"

/** Registers Ada with a passkey and returns a signed-out browser. */
async function registerAda(start: Start, config: Parameters<typeof startPasskeySite>[1] = {}) {
  const site = await startPasskeySite(start, config)
  const { passkey } = await register(site.app.browser(), site.app.origin, { email: ADA })
  site.records.length = 0
  return { ...site, passkey, browser: site.app.browser() }
}

type AdaSite = Awaited<ReturnType<typeof registerAda>>

/** Expects that the attempt creates no session, keeps an existing one, and leaves the owner's passkey usable. */
async function expectRefused({ app, records, passkey }: AdaSite, attempt: (browser: Browser) => Promise<string>) {
  const [stranger, member] = [app.browser(), app.browser()]
  await register(member, app.origin, { email: `member-${Math.random()}@example.com` })
  const before = sessionCookies(member)
  for (const browser of [stranger, member]) {
    records.length = 0
    expect(await attempt(browser)).toBe(FAILED)
    expect(loggedLevels(records)).toEqual([["warn", FAILED]])
    expect(records.find(({ code }) => code === FAILED)?.error?.cause).toMatchObject({ provider: "passkey" })
    expect(browser.cookies().filter(({ name }) => name.includes("challenge"))).toEqual([])
  }
  expect([sessionCookies(stranger), sessionCookies(member)]).toEqual([[], before])
  const owner = app.browser()
  await signIn(owner, passkey, app.origin, { counter: 1_000 + passkey.counter })
  expect(await sessionOf(owner)).toMatchObject({ user: { email: ADA } })
}

const clientData = (text: string) => Buffer.from(text).toString("base64url")

describeServers("attacks on passkeys", (start) => {
  it.each([
    ["has another port", (origin: string) => origin.replace(/:(\d+)$|$/, ":1")],
    ["has a path", (origin: string) => `${origin}/`],
    ["only begins with the site's origin", (origin: string) => `${origin}.evil.test`],
    ["only ends with the site's host", (origin: string) => origin.replace("://", "://evil-")],
    ["has the site before an @", (origin: string) => `${origin}@evil.test`],
    ["is null", () => "null"],
    ["is empty", () => ""],
  ])("WAN-02: rejects an assertion whose origin %s", async (_name, change) => {
    const setup = await registerAda(start)
    const { origin } = setup.app
    await expectRefused(setup, async (browser) => {
      const { options } = await optionsFor(browser, { action: "authenticate" })
      const behaviour = { origin: change(origin), rpId: options.rpId }
      return errorOf(await finish(browser, "authenticate", usePasskey(setup.passkey, options, behaviour)))
    })
  })

  it("WAN-02: rejects an assertion whose client data was changed after signing", async () => {
    const setup = await registerAda(start)
    const { origin } = setup.app
    await expectRefused(setup, async (browser) => {
      const { options } = await optionsFor(browser, { action: "authenticate" })
      const answer = usePasskey(setup.passkey, options, { origin: "https://evil.test", rpId: options.rpId })
      const { challenge } = options
      answer.response.clientDataJSON = clientData(
        JSON.stringify({ type: "webauthn.get", challenge, origin, crossOrigin: false }),
      )
      return errorOf(await finish(browser, "authenticate", answer))
    })
  })

  it("WAN-02: rejects an assertion of type webauthn.create", async () => {
    const setup = await registerAda(start)
    const { origin } = setup.app
    await expectRefused(setup, async (browser) => {
      const { options } = await optionsFor(browser, { action: "authenticate" })
      const answer = usePasskey(setup.passkey, options, { origin })
      const text = Buffer.from(answer.response.clientDataJSON, "base64url").toString()
      answer.response.clientDataJSON = clientData(text.replace("webauthn.get", "webauthn.create"))
      return errorOf(await finish(browser, "authenticate", answer))
    })
  })

  it("WAN-04: rejects a signature of another key", async () => {
    const setup = await registerAda(start)
    const { origin } = setup.app
    const { passkey: foreign } = await register(setup.app.browser(), origin, { email: EVE })
    await expectRefused(setup, async (browser) => {
      const { options } = await optionsFor(browser, { action: "authenticate" })
      const answer = usePasskey({ ...foreign, id: setup.passkey.id }, options, { origin, counter: 50 })
      return errorOf(await finish(browser, "authenticate", answer))
    })
  })

  it("WAN-07: responds the same to an unknown passkey and to a wrong signature", async () => {
    const setup = await registerAda(start)
    const { origin } = setup.app
    const answers = []
    for (const id of [setup.passkey.id, "bm9ib2R5IGhhcyB0aGlz"]) {
      const browser = setup.app.browser()
      const { options } = await optionsFor(browser, { action: "authenticate" })
      const answer = usePasskey({ ...setup.passkey, id }, options, { origin, counter: 0 })
      answer.response.signature = Buffer.alloc(70).toString("base64url")
      const page = await finish(browser, "authenticate", answer)
      const set = page.headers.getSetCookie().map((cookie) => cookie.replace(/=.*/, ""))
      answers.push([page.status, page.location, set.map((name) => name.replace(/\.[\w-]{16}$/, ""))])
    }
    expect(answers[0]).toEqual(answers[1])
  })

  it("WAN-06: rejects a registration without user verification", async () => {
    const setup = await registerAda(start)
    const browser = setup.app.browser()
    const { page } = await register(browser, setup.app.origin, { email: EVE, behaviour: { isVerified: false } })
    expect([errorOf(page), sessionCookies(browser)]).toEqual([FAILED, []])
    expect(await setup.adapter.getUserByEmail(EVE)).toBeNull()
    expect(loggedLevels(setup.records)).toEqual([["warn", FAILED]])
  })

  it("WAN-06: accepts a registration without user verification if that is configured, but requires it at sign-in", async () => {
    const providers = [Passkey({ verifyRegistrationOptions: { requireUserVerification: false } })]
    const setup = await registerAda(start, { providers })
    const { page, passkey } = await register(setup.app.browser(), setup.app.origin, {
      email: EVE,
      behaviour: { isVerified: false },
    })
    expect(page.location).toBe(`${setup.app.origin}/me`)
    const browser = setup.app.browser()
    expect(errorOf(await signIn(browser, passkey, setup.app.origin, { isVerified: false }))).toBe(FAILED)
    await signIn(browser, passkey, setup.app.origin)
    expect(await sessionOf(browser)).toMatchObject({ user: { email: EVE } })
  })

  it("WAN-08: does not add a passkey if the jwt callback has ended the session", async () => {
    let isEnded = false
    const callbacks = {
      jwt: ({ token, trigger }: { token: JWT; trigger?: string }) => (isEnded && !trigger ? null : token),
    }
    const setup = await registerAda(start, { callbacks, session: { strategy: "jwt" } })
    const { app, adapter } = setup
    const thief = app.browser()
    await signIn(thief, setup.passkey, app.origin)
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
