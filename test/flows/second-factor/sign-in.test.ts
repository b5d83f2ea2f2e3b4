/** Sign-ins with a second factor. It is required after every first factor, and each code works once. */
import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import { resetSecondFactor } from "../../../lib/index.js"
import Credentials from "../../../lib/providers/credentials.js"
import Passkey from "../../../lib/providers/passkey.js"
import { MemoryStore } from "../../../lib/store/memory.js"
import type { AuthConfig } from "../../../lib/types.js"
import { describeServer, type RunningApp, recordingLogger, type Start, TEST_SECRET } from "../../support/apps.js"
import type { Browser, Page } from "../../support/browser.js"
import { type FaultyProvider, startFaultyProvider } from "../../support/faulty-provider.js"
import { createTerms, meet, requirementPages } from "../../support/requirements.js"
import { codeAt, enrol, FACTOR_PATH, secretIn, submitCode } from "../../support/second-factor.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, confirmLink, mailbox } from "../support/mail.js"
import * as passkeys from "../support/passkeys.js"
import { sessionCookies, sessionOf, signIn } from "../support/site.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
afterAll(() => op.close())
beforeEach(() => op.reset())

const ADA = "ada@example.com"
const STEP_MS = 30_000

interface Site {
  readonly app: RunningApp
  readonly config: AuthConfig
  readonly mail: ReturnType<typeof mailbox>
  readonly adapter: ReturnType<typeof MemoryAdapter>
  readonly time: { now: number }
  readonly events: { name: string; message: object }[]
  readonly codes: () => unknown[]
}

const EVENTS = ["signIn", "createUser", "linkAccount", "secondFactor"] as const

async function startSite(start: Start, more: Partial<AuthConfig> = {}): Promise<Site> {
  const [mail, adapter, time] = [mailbox({ emailCode: true }), MemoryAdapter(), { now: Date.now() }]
  const events: Site["events"] = []
  const { logger, records } = recordingLogger()
  const authorize = ({ password }: { password?: unknown }) =>
    password === "right" ? adapter.getUserByEmail(ADA) : null
  const config: AuthConfig = {
    secret: TEST_SECRET,
    logger,
    providers: [
      op.oidc(),
      mail.provider,
      Passkey,
      Credentials({ authorize, credentials: { password: { type: "password" } } }),
    ],
    adapter,
    session: { strategy: "database" },
    clock: () => time.now,
    rateLimit: false,
    secondFactor: { required: () => true, rememberDeviceDays: 30 },
    events: Object.fromEntries(EVENTS.map((name) => [name, (message: object) => void events.push({ name, message })])),
    ...more,
  }
  const app = await start(config, requirementPages())
  const codes = () => records.map(({ error, code }) => Reflect.get(Object(error), "messageCode") ?? code)
  return { app, config, mail, adapter, time, events, codes }
}

/** Opens a link of an email in the browser that requested it. */
async function openLink(browser: Browser, { mail }: Site, email = ADA): Promise<Page> {
  await askForLink(browser, email, { callbackUrl: "/cart" })
  return browser.get(mail.linkTo(email))
}

const withPassword = async (browser: Browser): Promise<Page> =>
  browser.post("/auth/callback/credentials", {
    csrfToken: await browser.csrf(),
    callbackUrl: "/cart",
    password: "right",
  })

/** Signs up a new user with an authenticator app, and goes on to the next time step, which has another code. */
async function signUp(site: Site, email = ADA) {
  const browser = site.app.browser()
  await openLink(browser, site, email)
  const enrolled = await enrol(browser, { timeMs: site.time.now })
  site.time.now += STEP_MS
  site.events.length = 0
  return { browser, ...enrolled }
}

describeServer("The second factor", "Express 5", (start) => {
  it("is set up in the first sign-in, with a QR code and the secret in Base32", async () => {
    const site = await startSite(start)
    const browser = site.app.browser()
    const stopped = await openLink(browser, site)
    expect(stopped.location).toBe(`${site.app.origin}${FACTOR_PATH}`)
    const page = await browser.get(stopped.location)
    const html = await page.text()
    expect([page.status, secretIn(html)]).toEqual([200, expect.stringMatching(/^[A-Z2-7]{32}$/)])
    expect(html).toContain("<svg")
    expect([await sessionOf(browser), await site.adapter.getUserByEmail(ADA), site.events]).toEqual([null, null, []])
    const { recoveryCodes, html: shown } = await enrol(browser, { timeMs: site.time.now })
    expect([recoveryCodes.length, new Set(recoveryCodes).size]).toEqual([10, 10])
    expect(recoveryCodes[0]).toMatch(/^[A-Z\d]{5}-[A-Z\d]{5}$/)
    expect(shown).toContain(`href="${site.app.origin}/cart"`)
    expect(shown).toContain(`href="data:text/plain;charset=utf-8,`)
    expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
    expect(site.events.map(({ name }) => name)).toEqual(["createUser", "secondFactor", "signIn"])
    const user = await site.adapter.getUserByEmail(ADA)
    expect(site.events[1]?.message).toEqual({ owner: user?.id, change: "enrolled" })
  })

  it("is not set up by a wrong code, and keeps its secret for the next try", async () => {
    const site = await startSite(start)
    const browser = site.app.browser()
    const html = await (await browser.get((await openLink(browser, site)).location)).text()
    const again = await (await browser.submit(browser.form(html, "second-factor"), { code: "000000" })).text()
    expect(secretIn(again)).toBe(secretIn(html))
    expect(again).toContain("This code isn&#39;t right")
    expect([await sessionOf(browser), await site.adapter.getUserByEmail(ADA)]).toEqual([null, null])
    const code = codeAt(secretIn(html), site.time.now)
    await browser.submit(browser.form(again, "second-factor"), { code })
    expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
  })

  it.each(["an email link", "an email code", "a password", "OpenID Connect"])(
    "is required after %s, before anything changes",
    async (method) => {
      const site = await startSite(start)
      const { secret } = await signUp(site)
      const user = await site.adapter.getUserByEmail(ADA)
      await site.adapter.linkAccount({
        userId: String(user?.id),
        provider: "oidc",
        providerAccountId: "user-1",
        type: "oidc",
      })
      op.set({ claims: (claims) => ({ ...claims, sub: "user-1" }) })
      const before = [user, await site.adapter.listAccountsByUserId(String(user?.id))]
      const browser = site.app.browser()
      const ways: Record<string, () => Promise<Page>> = {
        "an email link": () => openLink(browser, site),
        async "an email code"() {
          await askForLink(browser, ADA, { callbackUrl: "/cart" })
          const form = browser.form(await (await browser.get("/auth/verify-request")).text(), "callback/mail")
          return browser.submit(form, { code: site.mail.codeFor(ADA) })
        },
        "a password": () => withPassword(browser),
        "OpenID Connect": () => signIn(browser, op, { callbackUrl: "/cart" }),
      }
      const stopped = await ways[method]?.()
      expect(stopped?.location).toBe(`${site.app.origin}${FACTOR_PATH}`)
      expect([await sessionOf(browser), sessionCookies(browser), site.events]).toEqual([null, [], []])
      const rows = [await site.adapter.getUserByEmail(ADA), await site.adapter.listAccountsByUserId(String(user?.id))]
      expect(rows).toEqual(before)
      const html = await (await browser.get(FACTOR_PATH)).text()
      expect(html).toContain('autocomplete="one-time-code"')
      expect(html).not.toContain("<svg")
      const done = await submitCode(browser, { code: codeAt(secret, site.time.now) })
      expect(done.location).toBe(`${site.app.origin}/cart`)
      expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
      expect(site.events.at(-1)).toMatchObject({
        name: "signIn",
        message: { data: { "second-factor": { method: "totp" } } },
      })
    },
  )

  it("is not revealed by a wrong password, which gets the same response with and without a second factor", async () => {
    const site = await startSite(start)
    const answers: unknown[] = []
    for (const isEnrolled of [false, true]) {
      if (isEnrolled) await signUp(site)
      const browser = site.app.browser()
      const fields = { csrfToken: await browser.csrf(), callbackUrl: "/cart", password: "wrong" }
      const page = await browser.post("/auth/callback/credentials", fields)
      answers.push([page.status, page.location, browser.cookies().map(({ name }) => name)])
    }
    expect(answers[0]).toEqual(answers[1])
  })

  it("CVE-2026-18963: is required after an email link that a user opens to recover an account", async () => {
    const site = await startSite(start)
    await signUp(site)
    const browser = site.app.browser()
    expect((await openLink(browser, site)).location).toBe(`${site.app.origin}${FACTOR_PATH}`)
    // A link that another browser requested, and that is confirmed on its page, leads to the second factor too.
    await askForLink(site.app.browser(), ADA)
    const other = site.app.browser()
    expect((await confirmLink(other, site.mail.linkTo(ADA))).location).toBe(`${site.app.origin}${FACTOR_PATH}`)
    expect([await sessionOf(browser), await sessionOf(other)]).toEqual([null, null])
  })

  it("GHSA-xg6x-h9c9-2m83: no cookie of a pending sign-in is a session, even if sessions are stored in cookies", async () => {
    const site = await startSite(start, { session: { strategy: "jwt" } })
    await signUp(site)
    const browser = site.app.browser()
    await openLink(browser, site)
    for (let read = 0; read < 3; read++) {
      expect(await sessionOf(browser)).toBeNull()
      expect(await (await browser.get("/auth/session")).json()).toBeNull()
    }
    const names = browser.cookies().map(({ name }) => name)
    expect(names).toContain("authjs.pending-sign-in")
    expect(names.filter((name) => name.includes("session-token"))).toEqual([])
    // The value is not a session under the name of the session cookie either.
    const [pending] = browser.cookies().filter(({ name }) => name === "authjs.pending-sign-in")
    browser.setCookie("authjs.session-token", pending?.value ?? "")
    expect(await sessionOf(browser)).toBeNull()
  })

  it("is proved by each code only once, even in different sign-ins", async () => {
    const site = await startSite(start)
    const { secret } = await signUp(site)
    const [first, second] = [site.app.browser(), site.app.browser()]
    await openLink(first, site)
    await openLink(second, site)
    const code = codeAt(secret, site.time.now)
    await submitCode(first, { code })
    expect(await sessionOf(first)).not.toBeNull()
    const refused = await submitCode(second, { code })
    expect(refused.location).toContain("error=SecondFactorCode")
    expect(await sessionOf(second)).toBeNull()
    site.time.now += STEP_MS
    await submitCode(second, { code: codeAt(secret, site.time.now) })
    expect(await sessionOf(second)).not.toBeNull()
  })

  it("accepts the codes of the previous and the next time step, but no older or later codes", async () => {
    const site = await startSite(start)
    const { secret } = await signUp(site)
    site.time.now += 10 * STEP_MS
    const browser = site.app.browser()
    await openLink(browser, site)
    for (const steps of [-2, 2]) {
      const page = await submitCode(browser, { code: codeAt(secret, site.time.now + steps * STEP_MS) })
      expect([steps, page.location]).toEqual([steps, expect.stringContaining("error=SecondFactorCode")])
    }
    await submitCode(browser, { code: codeAt(secret, site.time.now - STEP_MS) })
    expect(await sessionOf(browser)).not.toBeNull()
    const later = site.app.browser()
    await openLink(later, site)
    await submitCode(later, { code: codeAt(secret, site.time.now + STEP_MS) })
    expect(await sessionOf(later)).not.toBeNull()
  })

  it("refuses all codes for ten minutes after five tries, and for longer after the next five", async () => {
    const time = { now: Date.now() }
    const store = MemoryStore({ now: () => time.now })
    const site = await startSite(start, { store, clock: () => time.now })
    const { secret } = await signUp(site)
    const browser = site.app.browser()
    await openLink(browser, site)
    const wrong = () => submitCode(browser, { code: "000000" })
    for (let index = 0; index < 5; index++) expect((await wrong()).status).toBe(302)
    const paused = await submitCode(browser, { code: codeAt(secret, time.now) })
    expect([paused.status, Number(paused.headers.get("retry-after"))]).toEqual([429, 600])
    expect(await sessionOf(browser)).toBeNull()
    time.now += 600_000
    const later = site.app.browser()
    await openLink(later, site)
    for (let index = 0; index < 5; index++) await submitCode(later, { code: "000000" })
    const longer = await submitCode(later, { code: "000000" })
    expect([longer.status, Number(longer.headers.get("retry-after"))]).toEqual([429, 1200])
    expect(site.codes()).toContain("second-factor-refused")
  })

  it("is proved by each recovery code only once", async () => {
    const site = await startSite(start)
    const { recoveryCodes } = await signUp(site)
    const [code = ""] = recoveryCodes
    const browser = site.app.browser()
    await openLink(browser, site)
    const done = await submitCode(browser, { recoveryCode: code.toLowerCase().replace("-", " ") })
    expect(done.location).toBe(`${site.app.origin}/cart`)
    expect(site.events.map(({ name, message }) => [name, Reflect.get(message, "change")])).toContainEqual([
      "secondFactor",
      "recovery-code-used",
    ])
    const second = site.app.browser()
    await openLink(second, site)
    expect((await submitCode(second, { recoveryCode: code })).location).toContain("error=SecondFactorRecoveryCode")
    await submitCode(second, { recoveryCode: recoveryCodes[1] ?? "" })
    expect(await sessionOf(second)).not.toBeNull()
  })

  it("can't be set up again with the first factor alone", async () => {
    const site = await startSite(start)
    await signUp(site)
    const fresh = site.app.browser()
    // The encrypted setup of another user, with a code that is valid for it.
    await openLink(fresh, site, "eve@example.com")
    const html = await (await fresh.get(FACTOR_PATH)).text()
    const { fields } = fresh.form(html, "second-factor")
    const browser = site.app.browser()
    await openLink(browser, site)
    const code = codeAt(secretIn(html), site.time.now)
    const page = await browser.post(FACTOR_PATH, { ...fields, csrfToken: await browser.csrf(), code })
    expect(page.location).toBe(`${site.app.origin}${FACTOR_PATH}`)
    expect(await sessionOf(browser)).toBeNull()
  })

  it("is not required in a trusted browser until the user removes the trust", async () => {
    const site = await startSite(start)
    const { secret, browser: owner } = await signUp(site)
    const browser = site.app.browser()
    await openLink(browser, site)
    await submitCode(browser, { code: codeAt(secret, site.time.now) }, { trust: "true" })
    site.time.now += STEP_MS
    expect((await openLink(browser, site)).location).toBe(`${site.app.origin}/cart`)
    // Another user of the browser is not trusted.
    expect((await openLink(browser, site, "eve@example.com")).location).toContain(FACTOR_PATH)
    const page = await (await owner.get("/auth/sessions")).text()
    expect(page).toContain("Trusted browsers")
    await owner.submit(owner.forms(page).find(({ fields }) => fields["do"] === "distrust") ?? owner.form(page))
    expect((await openLink(browser, site)).location).toContain(FACTOR_PATH)
  })

  it("comes before the application's requirements", async () => {
    const site = await startSite(start, { requirements: [createTerms()] })
    const browser = site.app.browser()
    expect((await openLink(browser, site)).location).toContain(FACTOR_PATH)
    // The page of a requirement can't complete the second factor.
    expect((await meet(browser)).location).toContain(FACTOR_PATH)
    const { html, recoveryCodes } = await enrol(browser, { timeMs: site.time.now })
    expect([recoveryCodes.length, html.includes(`href="${site.app.origin}/terms"`)]).toEqual([10, true])
    expect(await sessionOf(browser)).toBeNull()
    expect((await meet(browser)).location).toBe(`${site.app.origin}/cart`)
    site.time.now += STEP_MS
    const [code = ""] = recoveryCodes
    const second = site.app.browser()
    await openLink(second, site)
    await submitCode(second, { recoveryCode: code })
    await meet(second)
    expect(await sessionOf(second)).toMatchObject({ user: { email: ADA } })
  })

  it("is proved by a passkey that verifies the user, so that the user needs no authenticator app", async () => {
    const site = await startSite(start)
    const device = site.app.browser()
    const { passkey, page } = await passkeys.register(device, site.app.origin, { email: ADA })
    expect(page.location).toBe(`${site.app.origin}/me`)
    const user = await site.adapter.getUserByEmail(ADA)
    await site.adapter.updateUser({ id: String(user?.id), emailVerified: new Date() })
    const browser = site.app.browser()
    await openLink(browser, site)
    const html = await (await browser.get(FACTOR_PATH)).text()
    expect(html).toContain('data-passkey="sign-in"')
    expect(html).not.toContain('name="code"')
    const done = await passkeys.signIn(browser, passkey, site.app.origin)
    expect(done.location).toBe(`${site.app.origin}/cart`)
    expect(site.events.at(-1)).toMatchObject({ message: { data: { "second-factor": { method: "passkey" } } } })
    expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
  })

  it("is not proved by the passkey of the first factor if the passkey does not verify the user", async () => {
    const unverified = Passkey({ verifyAuthenticationOptions: { requireUserVerification: false } })
    const site = await startSite(start, { providers: [mailbox().provider, unverified] })
    const { passkey } = await passkeys.register(site.app.browser(), site.app.origin, { email: ADA })
    const use = (browser: Browser, isVerified: boolean) =>
      passkeys.signIn(browser, passkey, site.app.origin, { isVerified })
    const thief = site.app.browser()
    for (let times = 0; times < 3; times++) {
      expect((await use(thief, false)).location).toContain(FACTOR_PATH)
      expect(await (await thief.get(FACTOR_PATH)).text()).not.toContain('data-passkey="sign-in"')
      expect(await sessionOf(thief)).toBeNull()
    }
    // A verification on the device is a second factor.
    await use(thief, true)
    expect(await sessionOf(thief)).toMatchObject({ user: { email: ADA } })
  })

  it("is required only of users who have set it up if the application does not require it", async () => {
    const site = await startSite(start, { secondFactor: { required: () => false } })
    const browser = site.app.browser()
    expect((await openLink(browser, site)).location).toBe(`${site.app.origin}/cart`)
    await enrol(browser, { path: `${FACTOR_PATH}?setup=true`, timeMs: site.time.now })
    const second = site.app.browser()
    expect((await openLink(second, site)).location).toContain(FACTOR_PATH)
  })

  it("is removed by resetSecondFactor, which ends all sessions of the user", async () => {
    const site = await startSite(start)
    const { browser } = await signUp(site)
    const user = await site.adapter.getUserByEmail(ADA)
    await resetSecondFactor(site.config, user?.id)
    expect(await sessionOf(browser)).toBeNull()
    expect(site.events.at(-1)).toMatchObject({ name: "secondFactor", message: { owner: user?.id, change: "reset" } })
    const second = site.app.browser()
    await openLink(second, site)
    expect(await (await second.get(FACTOR_PATH)).text()).toContain("<svg")
  })

  it("of an attacker is removed when the owner first verifies the address", async () => {
    const site = await startSite(start, { secondFactor: { required: () => false } })
    const attacker = site.app.browser()
    await passkeys.register(attacker, site.app.origin, { email: ADA })
    await enrol(attacker, { path: `${FACTOR_PATH}?setup=true`, timeMs: site.time.now })
    const owner = site.app.browser()
    const page = await openLink(owner, site)
    expect(page.location).not.toContain(FACTOR_PATH)
    expect(await sessionOf(owner)).toMatchObject({ user: { email: ADA } })
    expect(await sessionOf(attacker)).toBeNull()
    const again = site.app.browser()
    expect((await openLink(again, site)).location).toBe(`${site.app.origin}/cart`)
  })

  it("fails closed if the secret that encrypts it was removed, and the failure is logged", async () => {
    const store = MemoryStore()
    const adapter = MemoryAdapter()
    const site = await startSite(start, { store, adapter })
    await signUp({ ...site, adapter })
    const rotated = await startSite(start, { store, adapter, secret: "another-secret-of-32-characters-or-more" })
    const browser = rotated.app.browser()
    expect((await openLink(browser, rotated)).location).toContain("error=Configuration")
    expect([await sessionOf(browser), rotated.codes()]).toEqual([
      null,
      expect.arrayContaining(["second-factor-unreadable"]),
    ])
    const kept = await startSite(start, {
      ...{ store, adapter, secret: ["another-secret-of-32-characters-or-more", TEST_SECRET] },
    })
    expect((await openLink(kept.app.browser(), kept)).location).toContain(FACTOR_PATH)
  })

  it("creates one session for 100 concurrent submissions of a valid code", async () => {
    const site = await startSite(start)
    const { secret } = await signUp(site)
    const browser = site.app.browser()
    await openLink(browser, site)
    const csrfToken = await browser.csrf()
    const copies = Array.from({ length: 100 }, () => browser.clone())
    const fields = { csrfToken, do: "verify", code: codeAt(secret, site.time.now) }
    await Promise.all(copies.map((copy) => copy.post(FACTOR_PATH, fields)))
    const sessions = await Promise.all(copies.map((copy) => sessionOf(copy)))
    expect(sessions.filter(Boolean)).toHaveLength(1)
  })
})
