import express from "express"
import { authMiddleware } from "../../lib/index.js"
import { servers } from "../express/support/servers.js"
import { describeServers, recordingLogger, TEST_SECRET } from "../support/apps.js"
import type { Browser, Page } from "../support/browser.js"
import { type Claims, type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { expectRefused } from "./support/expect-refused.js"
import { guardProcess } from "./support/guard.js"
import {
  type Beginning,
  begin,
  expectNoSecret,
  flowCookies,
  param,
  type SiteOptions,
  sessionOf,
  startSite,
} from "./support/site.js"

guardProcess()

const serve = servers()
let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
beforeEach(() => {
  op.reset()
  op.requests.length = 0
})
afterAll(() => op.close())

const byPost = { authorization: { params: { response_mode: "form_post" } } }

/** Lets the provider's page post its form, as a browser does from there. */
async function post(browser: Browser, change: Record<string, string> = {}, options?: Beginning): Promise<Page> {
  const { action, fields } = await op.authorizeByForm((await begin(browser, options)).location)
  return browser.post(action, { ...fields, ...change }, { from: op.issuer })
}

const postAndFollow = async (browser: Browser, change?: Record<string, string>): Promise<Page> => {
  const posted = await post(browser, change)
  return browser.get(posted.location, { from: op.issuer })
}

describeServers("an answer by form_post", (start, stage) => {
  const site = (options?: SiteOptions) => startSite({ start, stage, op }, { providers: [op.oidc(byPost)], ...options })

  it.each(["http", "https"])("OID-31: signs in over %s with Lax cookies alone", async (scheme) => {
    const one = await site(scheme === "https" ? { origin: "https://shop.test" } : {})
    const browser = one.app.browser()
    const answer = await post(browser, {}, { callbackUrl: "/cart" })
    expect(answer.status).toBe(303)
    expect(answer.headers.getSetCookie().filter((cookie) => /session-token/.test(cookie))).toEqual([])
    expect(new URL(answer.location).pathname).toBe("/auth/callback/oidc")
    const page = await browser.get(answer.location, { from: op.issuer })
    expect([page.status, page.location]).toEqual([302, `${one.app.origin}/cart`])
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "Alice" } })
    for (const cookie of browser.jar.all()) expect([cookie.name, cookie.sameSite]).toEqual([cookie.name, "lax"])
    expect(flowCookies(browser)).toEqual([])
    expect(one.failures()).toEqual([])
  })

  it("OID-31: shows no code and no state in the address in between", async () => {
    const one = await site()
    const browser = one.app.browser()
    const { action, fields } = await op.authorizeByForm((await begin(browser)).location)
    const { location } = await browser.post(action, fields, { from: op.issuer })
    expectNoSecret(one, location)
  })

  it("OID-32: brings a posted error to the sign-in page", async () => {
    const authorizationResponse = ({ state, iss }: Claims) => ({ state, iss, error: "login_required" })
    await expectRefused(await signsInByGetToo(), {
      mode: { authorizationResponse },
      attempt: (browser) => postAs(browser, "fp"),
      provider: "fp",
      reason: /login_required/,
      level: "warn",
      tokenCalls: 0,
    })
  })

  /** With a second provider, by which the helper signs in. */
  const signsInByGetToo = () => site({ providers: [op.oidc(), op.oidc({ ...byPost, id: "fp" })] })
  const postAs = async (browser: Browser, id: string, change: Record<string, string> = {}) => {
    const posted = await post(browser, change, { id })
    expect(posted.status).toBe(303)
    return browser.get(posted.location, { from: op.issuer })
  }

  it("OID-33: refuses a posted state that is another browser's, and one of an answer by GET", async () => {
    const one = await signsInByGetToo()
    const refused = { provider: "fp", reason: /could not be checked/, tokenCalls: 0, flowsLeft: 1 }
    await expectRefused(one, { ...refused, attempt: (browser) => postAs(browser, "fp", { state: "x" }) })
    const byGet = async (browser: Browser) => {
      const { fields } = await op.authorizeByForm((await begin(browser, { id: "fp" })).location)
      return browser.get(`/auth/callback/fp?${new URLSearchParams(fields)}`, { from: op.issuer })
    }
    await expectRefused(one, { ...refused, attempt: byGet })
  })

  it("OID-33: refuses the sealed address in a browser that did not begin, and a second time", async () => {
    const one = await site()
    const [victim, thief] = [one.app.browser(), one.app.browser()]
    const { location } = await post(thief)
    const page = await victim.get(location, { from: op.issuer })
    expect(param(page.location, "error")).toBe("OAuthCallbackError")
    expect(await sessionOf(victim)).toBeNull()
    await thief.get(location, { from: op.issuer })
    expect(await sessionOf(thief)).not.toBeNull()
    const again = await thief.get(location, { from: op.issuer })
    expect(param(again.location, "error")).toBe("OAuthCallbackError")
    expect(op.count("/token")).toBe(1)
  })

  it("OID-33: refuses the sealed address after a minute, and one that was made up", async () => {
    let now = Date.now()
    const one = await site({ config: { clock: () => now } })
    const browser = one.app.browser()
    const { location } = await post(browser)
    now += 80_000
    for (const address of [location, `${one.app.origin}/auth/callback/oidc?form_post=x`]) {
      const page = await browser.get(address, { from: op.issuer })
      expect(param(page.location, "error")).toBe("OAuthCallbackError")
    }
    expect(op.count("/token")).toBe(0)
  })

  it("OID-33: takes no POST from a provider that answers by GET", async () => {
    const one = await site({ providers: [op.oidc()] })
    const page = await one.app.browser().post("/auth/callback/oidc", { code: "c", state: "s" }, { from: op.issuer })
    expect([page.status, page.headers.get("allow")]).toEqual([405, "GET, HEAD"])
  })

  it.each(["code", "state", "iss"])("OID-34: refuses a posted answer with two of %s", async (name) => {
    const attempt = async (browser: Browser) => {
      const { action, fields } = await op.authorizeByForm((await begin(browser, { id: "fp" })).location)
      const posted = await browser.post(action, [[name, "evil"], ...Object.entries(fields)], { from: op.issuer })
      return browser.get(posted.location, { from: op.issuer })
    }
    const refused = { provider: "fp", reason: /more than once/, tokenCalls: 0 }
    await expectRefused(await signsInByGetToo(), { ...refused, attempt })
  })

  it("puts the person that is posted the first time into profile.user", async () => {
    const profiles: unknown[] = []
    const profile = (claims: Claims) => {
      profiles.push(claims["user"])
      return { id: String(claims["sub"]) }
    }
    const one = await site({ providers: [op.oidc({ ...byPost, profile })] })
    const user = { name: { firstName: "Ada", lastName: "L" }, email: "ada@example.com" }
    await postAndFollow(one.app.browser(), { user: JSON.stringify(user) })
    await postAndFollow(one.app.browser(), { user: "{no json" })
    await postAndFollow(one.app.browser(), { user: '"text"' })
    await postAndFollow(one.app.browser())
    expect(profiles).toEqual([user, undefined, undefined, undefined])
    expect(one.failures()).toEqual([])
  })
})

it.each([true, false])("OID-34: refuses it where a parser has read the form, nesting or not: %s", async (extended) => {
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
})
