import type { AuthConfig } from "../../lib/types.js"
import { describeServers, recordingLogger, TEST_SECRET } from "../support/apps.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { deepFreeze, guardProcess } from "./support/guard.js"
import { begin, expectNoSecret, flowCookies, param, sessionOf, withParams } from "./support/site.js"

guardProcess()

let op: FaultyProvider
let evil: FaultyProvider
beforeAll(async () => {
  ;[op, evil] = await Promise.all([startFaultyProvider(), startFaultyProvider()])
})
beforeEach(() => {
  for (const provider of [op, evil]) {
    provider.reset()
    provider.requests.length = 0
  }
})
afterAll(() => Promise.all([op.close(), evil.close()]))

const PROXY = "https://auth.example.test"
const PROXY_URL = `${PROXY}/auth`
const PROXY_SECRET = "a secret of the proxy, of forty-eight letters, too"

const byPost = ({ base }: FaultyProvider) => ({ url: `${base}/authorize`, params: { response_mode: "form_post" } })

describeServers("redirectProxyUrl", (start) => {
  /** A deployment at an origin of its own. */
  async function deploy(origin: string, more: Partial<AuthConfig> = {}, provider = {}) {
    const { logger, records, text } = recordingLogger()
    const providers = [op.oidc(provider)]
    const redirectProxyOrigins = ["https://*.example.test"]
    const own = { redirectProxyUrl: PROXY_URL, redirectProxyOrigins, redirectProxySecret: PROXY_SECRET }
    const config = { providers, secret: TEST_SECRET, trustHost: true, logger, ...own, ...more }
    const app = await start(deepFreeze(config) as AuthConfig, { origin })
    const failures = () => [...records]
    // Behind a proxy that ends TLS.
    return { app, failures, text, browser: app.browser({ secure: true }) }
  }

  it.each(["for all providers", "for one provider"])("set %s, brings the answer by way of the proxy", async (scope) => {
    const where = scope === "for one provider" ? { redirectProxyUrl: undefined } : {}
    const provider = scope === "for one provider" ? { redirectProxyUrl: PROXY_URL, checks: ["pkce"] } : {}
    const [preview, proxy] = [
      await deploy("https://preview-1.example.test", where as Partial<AuthConfig>, provider),
      await deploy(PROXY, where as Partial<AuthConfig>, provider),
    ]
    const { location } = await begin(preview.browser, { callbackUrl: "/cart" })
    expect(param(location, "redirect_uri")).toBe(`${PROXY_URL}/callback/oidc`)
    expect(param(location, "state")).not.toBe("")
    const back = await op.authorize(location)
    expect(back.startsWith(`${PROXY_URL}/callback/oidc?`)).toBe(true)
    // The proxy needs no cookie: it is another browser to it.
    const handed = await proxy.browser.get(back, { from: op.issuer })
    expect(handed.status).toBe(302)
    expect(handed.location).toBe(`https://preview-1.example.test/auth/callback/oidc${new URL(back).search}`)
    expect(handed.headers.getSetCookie().join()).not.toMatch(/session-token/)
    const page = await preview.browser.get(handed.location, { from: PROXY })
    expect(page.location).toBe("https://preview-1.example.test/cart")
    expect(op.last("/token").form["redirect_uri"]).toBe(`${PROXY_URL}/callback/oidc`)
    expect(await sessionOf(preview.browser)).toMatchObject({ user: { name: "Alice" } })
    expect([preview.failures(), proxy.failures(), flowCookies(preview.browser)]).toEqual([[], [], []])
  })

  it("SEC-21: brings the answer to a preview that has another secret for its sessions", async () => {
    const preview = await deploy("https://preview-3.example.test", {
      secret: "another secret, of a preview, long enough",
    })
    const proxy = await deploy(PROXY)
    const back = await op.authorize((await begin(preview.browser)).location)
    const handed = await proxy.browser.get(back, { from: op.issuer })
    await preview.browser.get(handed.location, { from: PROXY })
    expect(await sessionOf(preview.browser)).toMatchObject({ user: { name: "Alice" } })
    // The secret of the proxy opens no session of the preview, nor does that of the preview open one of the proxy.
    const stranger = proxy.browser
    for (const cookie of preview.browser.cookies()) stranger.setCookie(cookie.name, cookie.value, { secure: true })
    expect(await sessionOf(stranger)).toBeNull()
  })

  it("hands an error on just so", async () => {
    const [preview, proxy] = [await deploy("https://preview-2.example.test"), await deploy(PROXY)]
    op.set({ authorizationResponse: ({ state }) => ({ state, error: "access_denied" }) })
    const back = await op.authorize((await begin(preview.browser)).location)
    const handed = await proxy.browser.get(back, { from: op.issuer })
    const page = await preview.browser.get(handed.location, { from: PROXY })
    expect(page.location).toBe("https://preview-2.example.test/auth/signin?error=OAuthCallbackError")
    expect([preview.failures().length, proxy.failures().length]).toEqual([1, 0])
  })

  it("hands nothing on to a deployment that the proxy does not list", async () => {
    const stranger = await deploy("https://evil.test")
    const proxy = await deploy(PROXY)
    const back = await op.authorize((await begin(stranger.browser)).location)
    const refused = await proxy.browser.get(back, { from: op.issuer })
    expect(refused.location).toBe(`${PROXY}/auth/signin?error=OAuthCallbackError`)
    expect(proxy.failures()).toHaveLength(1)
    expect(proxy.text()).toContain("redirectProxyOrigins")
  })

  it("hands nothing on without a list of deployments, and warns of it at the start", async () => {
    const unlisted = { redirectProxyOrigins: undefined } as unknown as Partial<AuthConfig>
    const [preview, proxy] = [await deploy("https://preview-9.example.test"), await deploy(PROXY, unlisted)]
    const back = await op.authorize((await begin(preview.browser)).location)
    const refused = await proxy.browser.get(back, { from: op.issuer })
    expect(refused.location).toBe(`${PROXY}/auth/signin?error=OAuthCallbackError`)
    const [atStart, atAnswer] = proxy.failures()
    expect(atStart?.code).toBe("redirect-proxy-origins-missing")
    expect(Reflect.get(Object(atAnswer?.error), "messageCode")).toBe("redirect-proxy-origins-missing")
    expect(proxy.text()).toContain('redirectProxyOrigins: ["https://preview-9.example.test"]')
  })

  it("on the proxy itself is a sign-in like any other", async () => {
    const proxy = await deploy(PROXY)
    const back = await op.authorize((await begin(proxy.browser, { callbackUrl: "/home" })).location)
    const page = await proxy.browser.get(back, { from: op.issuer })
    expect(page.location).toBe(`${PROXY}/home`)
    expect(await sessionOf(proxy.browser)).not.toBeNull()
  })

  it("hands nothing on that another secret has sealed", async () => {
    const stranger = await deploy("https://evil.test", {
      redirectProxySecret: "the secret of an attacker, long enough to be one",
    })
    const proxy = await deploy(PROXY)
    const back = await op.authorize((await begin(stranger.browser)).location)
    const page = await proxy.browser.get(back, { from: op.issuer })
    expect(page.location).toBe(`${PROXY}/auth/signin?error=OAuthCallbackError`)
    expect(proxy.failures()).toHaveLength(1)
    expect(proxy.text()).toContain("State could not be decoded")
    expectNoSecret({ op }, page.location + proxy.text())
    expect(Object(proxy.failures()[0]?.error?.cause)).toMatchObject({ provider: "oidc" })
    expect(op.count("/token")).toBe(0)
  })

  it("hands nothing on with a state that was made up, or with none", async () => {
    const proxy = await deploy(PROXY)
    for (const state of ["made-up", undefined]) {
      const back = withParams(`${PROXY_URL}/callback/oidc?code=c`, { state })
      const page = await proxy.browser.get(back, { from: op.issuer })
      expect(page.location).toBe(`${PROXY}/auth/signin?error=OAuthCallbackError`)
    }
  })

  /** Two providers, of which one sends people who begin with it to the other, with its own state (RFC 9700 §4.4). */
  async function mixUp(honest = {}) {
    const providers = [op.oauth({ id: "honest", ...honest }), evil.oauth({ id: "evil" })]
    const [preview, proxy] = [
      await deploy("https://preview-4.example.test", { providers }),
      await deploy(PROXY, { providers }),
    ]
    op.set({ plainOAuth: true })
    evil.set({ plainOAuth: true })
    const at = async (id: string) => (await begin(preview.browser, { id })).location
    const state = param(await at("evil"), "state")
    const question = withParams(await at("honest"), { state })
    return { preview, proxy, state, question }
  }

  it("OID-41, ADV-13: hands no code of one provider on to another one's callback", async () => {
    const { preview, proxy, question } = await mixUp()
    const back = await op.authorize(question)
    expect(back.startsWith(`${PROXY_URL}/callback/honest?code=`)).toBe(true)
    const refused = await proxy.browser.get(back, { from: op.issuer })
    expect(refused.location).toBe(`${PROXY}/auth/signin?error=OAuthCallbackError`)
    expect(proxy.failures().map(({ error }) => Reflect.get(Object(error), "messageCode"))).toEqual([
      "redirect-proxy-provider-mismatch",
    ])
    expectNoSecret({ op }, refused.location + proxy.text())
    // Nor is it taken where its way leads past the proxy.
    const page = await preview.browser.get(back.replace(PROXY, preview.app.origin), { from: op.issuer })
    expect(page.location).toContain("error=OAuthCallbackError")
    expect([op.count("/token"), evil.count("/token"), await sessionOf(preview.browser)]).toEqual([0, 0, null])
  })

  it("OID-41, ADV-13: hands no posted answer on, and takes none with another provider's state", async () => {
    const { preview, proxy, question } = await mixUp({ authorization: byPost(op) })
    // Where it posts to is its own address.
    expect(param(question, "redirect_uri")).toBe(`${preview.app.origin}/auth/callback/honest`)
    const { fields } = await op.authorizeByForm(question)
    for (const { app, browser } of [proxy, preview]) {
      const posted = await browser.post("/auth/callback/honest", fields, { from: op.issuer })
      expect([posted.status, posted.location.startsWith(`${app.origin}/auth/callback/honest?`)]).toEqual([303, true])
      const page = await browser.get(posted.location, { from: op.issuer })
      expect(page.location).toBe(`${app.origin}/auth/signin?error=OAuthCallbackError`)
    }
    // At a provider that answers by GET nobody posts.
    expect((await proxy.browser.post("/auth/callback/evil", fields, { from: op.issuer })).status).toBe(405)
    expect([op.count("/token"), evil.count("/token"), await sessionOf(preview.browser)]).toEqual([0, 0, null])
  })

  it.each(["code", "error"])("OID-34: hands nothing on that has two of %s", async (name) => {
    const [preview, proxy] = [await deploy("https://preview-5.example.test"), await deploy(PROXY)]
    const back = await op.authorize((await begin(preview.browser)).location)
    const refused = await proxy.browser.get(`${back}&${name}=evil&${name}=evil`, { from: op.issuer })
    expect(refused.location).toBe(`${PROXY}/auth/signin?error=OAuthCallbackError`)
    expect(proxy.failures()).toHaveLength(1)
    expect(proxy.text()).toContain(`has "${name}" more than once`)
    expectNoSecret({ op }, refused.location + proxy.text())
  })

  it("lets nobody finish another's sign-in with an answer that was handed on", async () => {
    const [preview, proxy] = [await deploy("https://preview-3.example.test"), await deploy(PROXY)]
    const back = await op.authorize((await begin(preview.browser)).location)
    const { location } = await proxy.browser.get(back, { from: op.issuer })
    const victim = preview.app.browser({ secure: true })
    const page = await victim.get(location, { from: PROXY })
    expect(page.location).toContain("error=OAuthCallbackError")
    expect(await sessionOf(victim)).toBeNull()
  })
})
