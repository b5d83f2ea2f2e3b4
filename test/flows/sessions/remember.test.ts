/** `session.remember`: whether a session's cookie ends with the browser, for each way to sign in. */
import { randomUUID } from "node:crypto"
import { endSession, listSessions, migrateSession } from "../../../lib/index.js"
import { decode, encode } from "../../../lib/jwt.js"
import { mayBeUnregistered } from "../../../lib/security/session-id.js"
import type { AuthConfig, SessionOptions } from "../../../lib/types.js"
import { describeServer, describeServers, TEST_SECRET } from "../../support/apps.js"
import { type FaultyProvider, startFaultyProvider } from "../../support/faulty-provider.js"
import { createTerms, meet, requirementPages } from "../../support/requirements.js"
import { guardProcess } from "../support/guard.js"
import {
  byCredentials,
  byLink,
  CHECKED,
  type Choice,
  DAY_MS,
  describeSession,
  EMAIL,
  HOUR_MS,
  METHODS,
  PERSISTENT,
  type RememberOptions,
  signInWithProvider,
  startRememberSite,
  TRANSIENT,
  UNCHECKED,
} from "../support/remember.js"
import { sessionCookies, sessionOf } from "../support/site.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
afterAll(() => op.close())
beforeEach(() => op.reset())

const NAME = "authjs.session-token"
const STRATEGIES = ["jwt", "database"] as const
const CASES = STRATEGIES.flatMap((strategy) => METHODS.map(([name, method]) => [name, strategy, method] as const))

describeServers("session.remember", (start) => {
  const startSite = (session: SessionOptions, more: Partial<RememberOptions> = {}) =>
    startRememberSite(start, { op, session, ...more })

  it.each(CASES)("with %s and the strategy %s follows the user's choice", async (_name, strategy, method) => {
    const site = await startSite({ strategy })
    const unchecked = await method(site, UNCHECKED)
    expect(await describeSession(unchecked, site)).toEqual(TRANSIENT)
    const second = await startSite({ strategy })
    expect(await describeSession(await method(second, CHECKED), second)).toEqual(PERSISTENT)
  })

  it.each(CASES)(
    "with %s and the strategy %s keeps the user's choice while a requirement is open",
    async (_name, strategy, method) => {
      for (const [choice, expected] of [[UNCHECKED, TRANSIENT] as const, [CHECKED, PERSISTENT] as const]) {
        const site = await startSite(
          { strategy },
          { config: { requirements: [createTerms()] }, start: requirementPages() },
        )
        const browser = await method(site, choice)
        expect(await sessionOf(browser)).toBeNull()
        await meet(browser)
        expect(await describeSession(browser, site)).toEqual(expected)
      }
    },
  )

  it.each(STRATEGIES)('ignores the form unless it is "ask": strategy %s', async (strategy) => {
    for (const [remember, expected] of [[false, TRANSIENT] as const, [true, PERSISTENT] as const]) {
      for (const choice of [CHECKED, UNCHECKED]) {
        const site = await startSite({ strategy, remember })
        expect(await describeSession(await byLink(site, choice), site)).toEqual(expected)
      }
    }
  })

  it.each(STRATEGIES)('accepts "on" and booleans in JSON: strategy %s', async (strategy) => {
    const site = await startSite({ strategy })
    for (const [remember, expected] of [
      // A checkbox without a value attribute sends "on".
      ["on", PERSISTENT],
      [true, PERSISTENT],
      ["false", TRANSIENT],
      [false, TRANSIENT],
    ] as const) {
      const browser = site.browser()
      await browser.postJson("/auth/callback/credentials", { csrfToken: await browser.csrf(), remember })
      expect([remember, await describeSession(browser, site)]).toEqual([remember, expected])
    }
  })

  it.each(STRATEGIES)("does not extend a session.maxAge of less than a day: strategy %s", async (strategy) => {
    const site = await startSite({ strategy, maxAge: 3_600 })
    const browser = await byLink(site, UNCHECKED)
    expect(await describeSession(browser, site)).toEqual({ ...TRANSIENT, hours: 1 })
  })

  it.each(STRATEGIES)("ends the session a day after its last use: strategy %s", async (strategy) => {
    const site = await startSite({ strategy })
    const browser = await byLink(site, UNCHECKED)
    for (let uses = 0; uses < 3; uses++) {
      site.time.now += 20 * HOUR_MS
      await browser.get("/me")
      expect(await describeSession(browser, site)).toEqual(TRANSIENT)
    }
    site.time.now += DAY_MS + 16_000
    expect(await sessionOf(browser)).toBeNull()
  })

  it.each(STRATEGIES)("keeps the absolute timeout: strategy %s", async (strategy) => {
    const site = await startSite({ strategy, absoluteMaxAge: 30 * 3_600 })
    const browser = await byLink(site, UNCHECKED)
    expect(await describeSession(browser, site)).toEqual(TRANSIENT)
    site.time.now += 20 * HOUR_MS
    await browser.get("/me")
    expect(await describeSession(browser, site)).toEqual({ ...TRANSIENT, hours: 10 })
    site.time.now += 10 * HOUR_MS + 1
    expect(await sessionOf(browser)).toBeNull()
  })

  it.each(STRATEGIES)("keeps the kind of cookie in an update: strategy %s", async (strategy) => {
    const site = await startSite({ strategy })
    for (const [choice, expected] of [[UNCHECKED, TRANSIENT] as const, [CHECKED, PERSISTENT] as const]) {
      const browser = await byLink(site, choice)
      const page = await browser.postJson("/auth/session", { csrfToken: await browser.csrf(), data: { name: "Ada" } })
      expect(page.headers.getSetCookie().some((header) => header.startsWith(NAME))).toBe(true)
      expect(await describeSession(browser, site)).toEqual(expected)
    }
  })

  it.each(STRATEGIES)("keeps the kind of cookie when the secret changes: strategy %s", async (strategy) => {
    const site = await startSite({ strategy })
    const secret = ["another secret, of the next month, long enough", TEST_SECRET]
    const next = await startSite({ strategy }, { config: { ...site.config, secret, clock: () => site.time.now } })
    for (const [choice, expected] of [[UNCHECKED, TRANSIENT] as const, [CHECKED, PERSISTENT] as const]) {
      const later = next.browser()
      for (const { name, value, expiresAt } of sessionCookies(await byLink(site, choice)))
        later.setCookie(name, value, expiresAt === undefined ? {} : { expiresAt })
      const before = later.cookie(NAME)
      await later.get("/auth/session")
      expect(later.cookie(NAME) === before).toBe(strategy === "database")
      expect(await describeSession(later, site)).toEqual(expected)
    }
  })

  it("is chosen on the built-in page, and the choice is kept after a failed attempt", async () => {
    const site = await startSite({ strategy: "database" })
    const browser = site.browser()
    const open = async (url: string, action: string) => browser.form(await (await browser.get(url)).text(), action)
    const form = await open("/auth/signin", "/callback/credentials")
    expect(form.fields).not.toHaveProperty("remember")
    const failed = await browser.submit(form, { ...CHECKED, password: "wrong" })
    const formAfterFailure = await open(failed.location, "/callback/credentials")
    expect(formAfterFailure.fields).toMatchObject(CHECKED)
    const newForm = await open("/auth/signin", "/callback/credentials")
    expect(newForm.fields).not.toHaveProperty("remember")
    await browser.submit(formAfterFailure, { password: "" })
    expect(await describeSession(browser, site)).toEqual(PERSISTENT)
  })

  it("keeps the choice if the user cancels at the provider", async () => {
    const site = await startSite({ strategy: "jwt" })
    const browser = site.browser()
    const page = await browser.get("/auth/signin")
    const { location } = await browser.submit(browser.form(await page.text(), "/signin/oidc"), CHECKED)
    op.set({ authorizationResponse: ({ state }) => ({ state, error: "access_denied" }) })
    const refused = await browser.get(await op.authorize(location), { from: op.issuer })
    const shown = await browser.get(refused.location)
    expect(browser.form(await shown.text(), "/signin/oidc").fields).toMatchObject(CHECKED)
  })

  it("applies to all chunks, and clears those of an earlier session", async () => {
    const jwt: NonNullable<AuthConfig["callbacks"]>["jwt"] = ({ token, account }) =>
      account ? { ...token, filler: "x".repeat(account.provider === "credentials" ? 1 : 4_500) } : token
    const site = await startSite({ strategy: "jwt" }, { config: { callbacks: { jwt } } })
    const browser = await byLink(site, CHECKED)
    expect([sessionCookies(browser).length, await describeSession(browser, site)]).toEqual([2, PERSISTENT])
    site.time.now += 1_000
    await browser.post("/auth/callback/credentials", { csrfToken: await browser.csrf() })
    expect([sessionCookies(browser).length, await describeSession(browser, site)]).toEqual([1, TRANSIENT])
    const other = await byLink(site, UNCHECKED)
    expect([sessionCookies(other).length, await describeSession(other, site)]).toEqual([2, TRANSIENT])
  })

  it.each(STRATEGIES)("does not change when the user connects an account: strategy %s", async (strategy) => {
    for (const [first, second, expected] of [
      [UNCHECKED, CHECKED, TRANSIENT],
      [CHECKED, UNCHECKED, PERSISTENT],
    ] as [Choice, Choice, object][]) {
      const site = await startSite({ strategy })
      const browser = await byLink(site, first)
      await signInWithProvider(browser, site, second)
      expect(await describeSession(browser, site)).toEqual(expected)
    }
  })

  it.each(STRATEGIES)("is chosen again at a later sign-in: strategy %s", async (strategy) => {
    const site = await startSite({ strategy })
    const browser = await byLink(site, CHECKED)
    site.time.now += 1_000
    const signInAgain = (choice: Choice) => byCredentials({ ...site, browser: () => browser }, choice)
    expect(await describeSession(await signInAgain(UNCHECKED), site)).toEqual(TRANSIENT)
    expect(await describeSession(await signInAgain(CHECKED), site)).toEqual(PERSISTENT)
  })

  it.each(
    STRATEGIES.flatMap((strategy) => [[strategy, {}] as const, [strategy, { absoluteMaxAge: 864_000 }] as const]),
  )("limits the record to a day, and the session ends with its record: strategy %s, %j", async (strategy, more) => {
    const site = await startSite({ strategy, ...more })
    const browser = await byLink(site, UNCHECKED)
    const user = await site.config.adapter?.getUserByEmail?.(EMAIL)
    const [session] = await listSessions(site.config, String(user?.id))
    expect(session?.expires.getTime()).toBe(site.time.now + DAY_MS)
    // The token contains the id, so the id is not a hash of the token.
    expect(session?.id).toMatch(/^[\w-]{22}$/)
    expect(mayBeUnregistered(String(session?.id))).toBe(false)
    expect(await endSession(site.config, String(session?.id))).toBe(true)
    expect(await sessionOf(browser)).toBeNull()
  })

  it.each(STRATEGIES)("needs no record in a store: strategy %s", async (strategy) => {
    const site = await startSite({ strategy, revocable: false })
    const browser = await byLink(site, UNCHECKED)
    site.time.now += HOUR_MS
    await browser.get("/me")
    expect(await describeSession(browser, site)).toEqual(TRANSIENT)
    expect(await describeSession(await byLink(site, CHECKED), site)).toEqual(PERSISTENT)
  })

  it("works with the application's own session tokens", async () => {
    const site = await startSite({ strategy: "database", generateSessionToken: randomUUID, absoluteMaxAge: 864_000 })
    const browser = await byLink(site, UNCHECKED)
    expect(browser.cookie(NAME)).toMatch(/^[\da-f-]{36}\.transient\.[\da-z]{6}$/)
    site.time.now += HOUR_MS
    await browser.get("/me")
    expect(await describeSession(browser, site)).toEqual(TRANSIENT)
    const { isPersistent } = Object(await describeSession(await byLink(site, CHECKED), site))
    expect(isPersistent).toBe(true)
  })

  it.each(STRATEGIES)("keeps the kind of cookie under a new name: strategy %s", async (strategy) => {
    const site = await startSite({ strategy }, { start: { origin: "https://app.test" } })
    const config = { ...site.config, session: { ...site.config.session, hostPrefix: true } }
    const later = await startSite({}, { config, start: { origin: "https://app.test" } })
    const moved = later.browser()
    for (const cookie of (await byLink(site, UNCHECKED)).jar.all()) moved.jar.put(cookie)
    await moved.get("/me")
    expect(sessionCookies(moved).map(({ name, expiresAt }) => [name, expiresAt])).toEqual([
      ["__Host-authjs.session-token", undefined],
    ])
  })

  it("can't be changed by the jwt callback", async () => {
    const jwt: NonNullable<AuthConfig["callbacks"]>["jwt"] = ({ token, trigger }) => {
      const { session_remember: _, ...others } = token
      return trigger === "update" ? { ...others, session_remember: false } : others
    }
    const site = await startSite({ strategy: "jwt" }, { config: { callbacks: { jwt } } })
    for (const [choice, expected] of [[UNCHECKED, TRANSIENT] as const, [CHECKED, PERSISTENT] as const]) {
      const browser = await byLink(site, choice)
      await browser.postJson("/auth/session", { csrfToken: await browser.csrf(), data: {} })
      await browser.get("/auth/session")
      expect(await describeSession(browser, site)).toEqual(expected)
    }
  })

  it.each([false, "ask"] as const)("treats a session of Auth.js as persistent: %j", async (remember) => {
    const site = await startSite(
      { strategy: "jwt", remember },
      { config: { adapter: undefined, providers: [op.oidc()] } },
    )
    const browser = site.browser()
    const token = await encode({ token: { sub: "7", name: "Ada" }, secret: TEST_SECRET, salt: NAME })
    browser.setCookie(NAME, token)
    await browser.get("/auth/session")
    expect(browser.cookie(NAME)).not.toBe(token)
    expect(await describeSession(browser, site)).toEqual(PERSISTENT)
    expect(await decode({ token: browser.cookie(NAME) ?? "", secret: TEST_SECRET, salt: NAME })).not.toHaveProperty(
      "session_remember",
    )
  })
})

describeServer("session.remember of migrated sessions", "Express 5", (start) => {
  it.each(STRATEGIES)("is that of the old session, also after a requirement: strategy %s", async (strategy) => {
    for (const requirements of [[], [createTerms()]])
      for (const [remember, expected] of [
        [false, TRANSIENT],
        [true, PERSISTENT],
        [undefined, PERSISTENT],
      ] as const) {
        const config = { requirements }
        const read = () => ({ user: { email: EMAIL }, ...(remember !== undefined && { remember }) })
        const pages = requirementPages()
        const site = await startRememberSite(start, {
          ...{ op, session: { strategy }, config },
          start: {
            ...pages,
            setup: (server) =>
              server.use((req, res, next) =>
                migrateSession(site.config, { cookie: "old", until: new Date(site.time.now + DAY_MS), read })(
                  req,
                  res,
                  next,
                ),
              ),
          },
        })
        const browser = site.browser()
        browser.setCookie("old", "1")
        await browser.get("/me")
        if (requirements.length > 0) await meet(browser)
        expect([remember, await describeSession(browser, site)]).toEqual([remember, expected])
      }
  })
})
