/** Rate limits per client, for all user names and email addresses. */
import GitHub from "../../../lib/providers/github.js"
import Passkey from "../../../lib/providers/passkey.js"
import type { AuthConfig } from "../../../lib/types.js"
import { configOf } from "../../express/support/servers.js"
import { describeServer, type RunningApp, type TestApp } from "../../support/apps.js"
import { attempt, type Fields, providerReading, times } from "../support/attempts.js"
import { guardProcess } from "../support/guard.js"
import { mailbox } from "../support/mail.js"
import { register, startPasskeySite } from "../support/passkeys.js"
import { begin, flowCookies, sessionOf } from "../support/site.js"

guardProcess()

const behindProxy = { setup: (app: TestApp) => void app.set?.("trust proxy", 1) }
const ATTACKER = { headers: { "x-forwarded-for": "192.0.2.1" } }
const OTHER = { headers: { "x-forwarded-for": "192.0.2.2" } }
const right = { username: "ada", password: "right of ada" }

describeServer("Failed attempts with credentials", "Express 5", (start) => {
  /** Sequential attempts of one browser. */
  async function attemptAll(app: RunningApp, all: Fields[], client = ATTACKER): Promise<number[]> {
    const browser = app.browser(client)
    const statuses: number[] = []
    for (const fields of all) statuses.push(await attempt(browser, fields))
    return statuses
  }
  const startSite = (rateLimit: AuthConfig["rateLimit"] = {}, tried: string[] = []) =>
    start(configOf({ providers: [providerReading(["username"], tried)], rateLimit }), behindProxy)

  it("SEC-04: are limited per client for all names, and other clients are not refused", async () => {
    const tried: string[] = []
    const app = await startSite({}, tried)
    const statuses = await attemptAll(
      app,
      times(110, (i) => ({ username: `user-${i}` })),
    )
    expect(statuses).toEqual([...times(100, () => 302), ...times(10, () => 429)])
    expect(tried).toHaveLength(100)
    expect(await attemptAll(app, [right])).toEqual([429])
    const browser = app.browser(OTHER)
    await attempt(browser, right)
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "ada" } })
  })

  it("SEC-04: do not include correct passwords, so that an office can sign in from one IP address", async () => {
    const app = await startSite({ failuresPerClient: 3 })
    const office = times(30, (i) => ({ username: `user-${i}`, password: `right of user-${i}` }))
    expect(await attemptAll(app, [{ username: "bob" }, ...office])).toEqual(times(31, () => 302))
  })

  it("SEC-04: do not include attempts that the account limit refuses", async () => {
    const app = await startSite({ attempts: 2, failuresPerClient: 4 })
    const statuses = await attemptAll(app, [...times(9, () => ({ username: "bob" })), { username: "carl" }])
    expect(statuses).toEqual([302, 302, ...times(7, () => 429), 302])
  })

  it("SEC-04: are limited for concurrent attempts", async () => {
    const tried: string[] = []
    const app = await startSite({ failuresPerClient: 20 }, tried)
    const browser = app.browser(ATTACKER)
    const csrfToken = await browser.csrf()
    await Promise.all(
      times(60, (i) =>
        browser.clone().postJson("/auth/callback/credentials", { csrfToken, username: `p${i}`, password: "x" }),
      ),
    )
    expect(tried).toHaveLength(20)
  })

  it.each<[string, (i: number) => string]>([
    ["a number with decimals", (i) => `4711.${"0".repeat(i)}`],
    ["a number with zeros before it", (i) => `${"0".repeat(i)}4711`],
    ["wildcards", (i) => `ad${"%".repeat(i)}`],
    ["dashes in a phone number", (i) => `+49${"-".repeat(i)}4711`],
  ])("SEC-19: are limited even if each attempt spells the name differently: %s", async (_what, spelling) => {
    const tried: string[] = []
    const app = await startSite({ failuresPerClient: 30 }, tried)
    await attemptAll(
      app,
      times(50, (i) => ({ username: spelling(i + 1) })),
    )
    expect(tried).toHaveLength(30)
  })

  it("SEC-19: delay every attempt but refuse none when failuresPerSite is reached", async () => {
    const app = await startSite({ failuresPerSite: 3 })
    await attemptAll(
      app,
      times(3, (i) => ({ username: `user-${i}` })),
    )
    const browser = app.browser(OTHER)
    await browser.csrf()
    const startedAt = performance.now()
    expect(await attempt(browser, right)).toBe(302)
    expect(performance.now() - startedAt).toBeGreaterThan(950)
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "ada" } })
  })

  it.each<[string, Fields]>([
    ["with a name", right],
    ["with a name in an unknown field", { kennung: "ada", password: "right of ada" }],
  ])("SEC-05: do not lock out other visitors if IP addresses are unknown, %s", async (_how, fields) => {
    const config = configOf({
      providers: [providerReading(["username", "kennung"])],
      rateLimit: { failuresPerClient: 3 },
    })
    const app = await start(config)
    const { password: _, ...names } = fields
    const guesses = times(5, (i) => ({ ...Object.fromEntries(Object.keys(names).map((name) => [name, `x${i}`])) }))
    expect(await attemptAll(app, guesses)).toEqual(times(5, () => 302))
    const browser = app.browser(OTHER)
    await attempt(browser, fields)
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "ada" } })
  })

  it("SEC-07: are refused before rateLimit.account is called", async () => {
    let calls = 0
    const account = ({ username }: Fields) => {
      calls++
      return String(username)
    }
    const app = await startSite({ failuresPerClient: 2, account })
    await attemptAll(
      app,
      times(5, (i) => ({ username: `user-${i}` })),
    )
    expect(calls).toBe(2)
  })
})

describeServer("Sign-ups with a passkey", "Express 5", (start) => {
  const startSite = (rateLimit: AuthConfig["rateLimit"], more: Partial<AuthConfig> = {}) =>
    startPasskeySite((config) => start(config, behindProxy), { rateLimit, ...more })

  const signUp = async ({ app }: { app: RunningApp }, email: string, client = ATTACKER) => {
    const browser = app.browser(client)
    const { page } = await register(browser, app.origin, { email })
    return { browser, status: page.status }
  }

  it("SEC-04: are limited per client, and other clients can sign up", async () => {
    const site = await startSite({ passkeySignUpsPerClient: 2 })
    const statuses: number[] = []
    for (let i = 0; i < 4; i++) statuses.push((await signUp(site, `user-${i}@example.com`)).status)
    expect(statuses).toEqual([302, 302, 429, 429])
    expect((await signUp(site, "ada@example.com", OTHER)).status).toBe(302)
  })

  it("SEC-04: do not include another passkey of a signed-in user", async () => {
    const site = await startSite({ passkeySignUpsPerClient: 1 })
    const { browser } = await signUp(site, "ada@example.com")
    expect((await register(browser, site.app.origin)).page.status).toBe(302)
    expect((await signUp(site, "bob@example.com")).status).toBe(429)
  })

  it("SEC-15: are limited per email address and client, so that an attacker does not use up the owner's limit", async () => {
    const site = await startSite({ passkeySignUpsPerAddress: 1 })
    expect((await signUp(site, "ada@example.com")).status).toBe(302)
    expect((await signUp(site, "ada@example.com")).status).toBe(429)
    expect((await signUp(site, "ada@example.com", OTHER)).status).not.toBe(429)
  })

  it("SEC-15: a warning is logged at start-up if no provider can verify an email address", async () => {
    const { provider } = mailbox()
    const getUserInfo = async () => null
    const codes = async (providers: AuthConfig["providers"]) =>
      (await startSite({}, { providers })).records.map((r) => r.code)
    expect(await codes([Passkey])).toContain("passkey-addresses-unverified")
    expect(await codes([Passkey, provider])).not.toContain("passkey-addresses-unverified")
    expect(await codes([Passkey({ getUserInfo })])).not.toContain("passkey-addresses-unverified")
  })
})

describeServer("Starts of an OAuth sign-in", "Express 5", (start) => {
  const startSite = (rateLimit?: AuthConfig["rateLimit"], more = behindProxy) =>
    start(
      configOf({
        providers: [GitHub({ clientId: "a", clientSecret: "b" })],
        ...(rateLimit !== undefined && { rateLimit }),
      }),
      more,
    )

  /** Starts flows of one client in separate browsers, as a program without cookies does. */
  async function startAll(app: RunningApp, count: number, client = ATTACKER): Promise<number[]> {
    const statuses: number[] = []
    for (let i = 0; i < count; i++) statuses.push((await begin(app.browser(client), { id: "github" })).status)
    return statuses
  }

  it("SEC-04: are limited per client by default, and other clients can sign in", async () => {
    const app = await startSite()
    const statuses = await startAll(app, 305)
    expect(statuses).toEqual([...times(300, () => 302), ...times(5, () => 429)])
    expect(await startAll(app, 1, OTHER)).toEqual([302])
  })

  it("SEC-04: get 429 with Retry-After and no flow cookie when the limit is reached", async () => {
    const app = await startSite({ oauthSignInsPerClient: 1, windowSeconds: 60 })
    await startAll(app, 1)
    const browser = app.browser(ATTACKER)
    const page = await begin(browser, { id: "github" })
    expect(page.status).toBe(429)
    expect(Number(page.headers.get("retry-after"))).toBeGreaterThan(0)
    expect(flowCookies(browser)).toEqual([])
  })

  it("SEC-05: do not lock out other visitors if IP addresses are unknown", async () => {
    const app = await startSite({ oauthSignInsPerClient: 2 }, { setup: () => {} })
    expect(await startAll(app, 4)).toEqual([302, 302, 302, 302])
  })

  it("SEC-04: are not limited with rateLimit: false", async () => {
    expect(await startAll(await startSite(false), 305)).toEqual(times(305, () => 302))
  })
})
