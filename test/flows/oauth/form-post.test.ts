import express from "express"
import { authMiddleware } from "../../../lib/index.js"
import { servers } from "../../express/support/servers.js"
import { describeServers, recordingLogger, TEST_SECRET } from "../../support/apps.js"
import type { Browser, Page } from "../../support/browser.js"
import type { Claims } from "../../support/faulty-provider.js"
import { expectRefused } from "../support/expect-refused.js"
import { guardProcess } from "../support/guard.js"
import {
  begin,
  expectNoSecret,
  flowCookies,
  param,
  type SignInOptions,
  type SiteOptions,
  sessionOf,
  startSite,
} from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const serve = servers()
const op = useProvider()
beforeEach(() => {
  op.requests.length = 0
})

const byPost = { authorization: { params: { response_mode: "form_post" } } }

/** Posts the provider's response form to the callback, as a browser does. */
async function post(browser: Browser, change: Record<string, string> = {}, options?: SignInOptions): Promise<Page> {
  const { action, fields } = await op.authorizeByForm((await begin(browser, options)).location)
  return browser.post(action, { ...fields, ...change }, { from: op.issuer })
}

const postAndFollow = async (browser: Browser, change?: Record<string, string>): Promise<Page> => {
  const posted = await post(browser, change)
  return browser.get(posted.location, { from: op.issuer })
}

describeServers("form_post response", (start, stage) => {
  const createSite = (options?: SiteOptions) =>
    startSite({ start, stage, op }, { providers: [op.oidc(byPost)], ...options })

  it.each(["http", "https"])("OID-31: signs in over %s with SameSite=Lax cookies only", async (scheme) => {
    const site = await createSite(scheme === "https" ? { origin: "https://shop.test" } : {})
    const browser = site.app.browser()
    const answer = await post(browser, {}, { callbackUrl: "/cart" })
    expect(answer.status).toBe(303)
    expect(answer.headers.getSetCookie().filter((cookie) => /session-token/.test(cookie))).toEqual([])
    expect(new URL(answer.location).pathname).toBe("/auth/callback/oidc")
    const page = await browser.get(answer.location, { from: op.issuer })
    expect([page.status, page.location]).toEqual([302, `${site.app.origin}/cart`])
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "Alice" } })
    for (const cookie of browser.jar.all()) expect([cookie.name, cookie.sameSite]).toEqual([cookie.name, "lax"])
    expect(flowCookies(browser)).toEqual([])
    expect(site.failures()).toEqual([])
  })

  it("OID-31: the intermediate redirect contains neither the code nor the state", async () => {
    const site = await createSite()
    const browser = site.app.browser()
    const { action, fields } = await op.authorizeByForm((await begin(browser)).location)
    const { location } = await browser.post(action, fields, { from: op.issuer })
    expectNoSecret(site, location)
  })

  it("OID-32: redirects to the sign-in page after a posted error", async () => {
    const authorizationResponse = ({ state, iss }: Claims) => ({ state, iss, error: "login_required" })
    await expectRefused(await siteWithTwoProviders(), {
      mode: { authorizationResponse },
      attempt: (browser) => postAs(browser, "fp"),
      provider: "fp",
      reason: /login_required/,
      level: "warn",
      tokenCalls: 0,
    })
  })

  /** Starts a site with a second provider without form_post, which `expectRefused` signs in with. */
  const siteWithTwoProviders = () => createSite({ providers: [op.oidc(), op.oidc({ ...byPost, id: "fp" })] })
  const postAs = async (browser: Browser, id: string, change: Record<string, string> = {}) => {
    const posted = await post(browser, change, { id })
    expect(posted.status).toBe(303)
    return browser.get(posted.location, { from: op.issuer })
  }

  it("OID-33: rejects a posted response with an unknown state, and a response by GET", async () => {
    const site = await siteWithTwoProviders()
    const refused = { provider: "fp", reason: /could not be checked/, tokenCalls: 0, flowsLeft: 1 }
    await expectRefused(site, { ...refused, attempt: (browser) => postAs(browser, "fp", { state: "x" }) })
    const byGet = async (browser: Browser) => {
      const { fields } = await op.authorizeByForm((await begin(browser, { id: "fp" })).location)
      return browser.get(`/auth/callback/fp?${new URLSearchParams(fields)}`, { from: op.issuer })
    }
    await expectRefused(site, { ...refused, attempt: byGet })
  })

  it("OID-33: rejects the encrypted redirect URL in another browser and redeems the code once", async () => {
    const site = await createSite()
    const [victim, attacker] = [site.app.browser(), site.app.browser()]
    const { location } = await post(attacker)
    const page = await victim.get(location, { from: op.issuer })
    expect(param(page.location, "error")).toBe("OAuthCallbackError")
    expect(await sessionOf(victim)).toBeNull()
    await attacker.get(location, { from: op.issuer })
    expect(await sessionOf(attacker)).not.toBeNull()
    const again = await attacker.get(location, { from: op.issuer })
    expect(new URL(again.location).href).toBe(`${site.app.origin}/`)
    expect(op.count("/token")).toBe(1)
  })

  it("OID-33: rejects an encrypted redirect URL that is older than a minute or forged", async () => {
    let now = Date.now()
    const site = await createSite({ config: { clock: () => now } })
    const browser = site.app.browser()
    const { location } = await post(browser)
    now += 80_000
    for (const address of [location, `${site.app.origin}/auth/callback/oidc?form_post=x`]) {
      const page = await browser.get(address, { from: op.issuer })
      expect(param(page.location, "error")).toBe("OAuthCallbackError")
    }
    expect(op.count("/token")).toBe(0)
  })

  it("OID-33: responds 405 to a POST if the provider does not use form_post", async () => {
    const site = await createSite({ providers: [op.oidc()] })
    const page = await site.app.browser().post("/auth/callback/oidc", { code: "c", state: "s" }, { from: op.issuer })
    expect([page.status, page.headers.get("allow")]).toEqual([405, "GET, HEAD"])
  })

  it.each(["code", "state", "iss"])("OID-34: rejects a posted response with a repeated %s", async (name) => {
    const attempt = async (browser: Browser) => {
      const { action, fields } = await op.authorizeByForm((await begin(browser, { id: "fp" })).location)
      const posted = await browser.post(action, [[name, "evil"], ...Object.entries(fields)], { from: op.issuer })
      return browser.get(posted.location, { from: op.issuer })
    }
    const refused = { provider: "fp", reason: /more than once/, tokenCalls: 0 }
    await expectRefused(await siteWithTwoProviders(), { ...refused, attempt })
  })

  it("passes the posted user to the profile callback as `user` and ignores malformed values", async () => {
    const profiles: unknown[] = []
    const profile = (claims: Claims) => {
      profiles.push(claims["user"])
      return { id: String(claims["sub"]) }
    }
    const site = await createSite({ providers: [op.oidc({ ...byPost, profile })] })
    const user = { name: { firstName: "Ada", lastName: "L" }, email: "ada@example.com" }
    await postAndFollow(site.app.browser(), { user: JSON.stringify(user) })
    await postAndFollow(site.app.browser(), { user: "{no json" })
    await postAndFollow(site.app.browser(), { user: '"text"' })
    await postAndFollow(site.app.browser())
    expect(profiles).toEqual([user, undefined, undefined, undefined])
    expect(site.failures()).toEqual([])
  })
})

it.each([true, false])(
  "OID-34: rejects a repeated code after express.urlencoded has parsed the form (extended: %s)",
  async (extended) => {
    const { logger, text } = recordingLogger()
    const config = { providers: [op.oidc(byPost)], secret: TEST_SECRET, trustHost: true, logger }
    const app = express().use(express.urlencoded({ extended }), authMiddleware(config))
    const { browser } = await serve(app)
    const visitor = browser()
    const { action, fields } = await op.authorizeByForm((await begin(visitor)).location)
    const posted = await visitor.post(action, [["code", "evil"], ...Object.entries(fields)], { from: op.issuer })
    const page = await visitor.get(posted.location, { from: op.issuer })
    expect([param(page.location, "error"), op.count("/token")]).toEqual(["OAuthCallbackError", 0])
    expect(text()).toContain('has "code" more than once')
  },
)
