import type { AuthConfig } from "../../../lib/types.js"
import { describeServers, recordingLogger, TEST_SECRET } from "../../support/apps.js"
import { type FaultyProvider, startFaultyProvider } from "../../support/faulty-provider.js"
import { deepFreeze, guardProcess } from "../support/guard.js"
import { begin, expectNoSecret, flowCookies, param, sessionCookies, sessionOf, withParams } from "../support/site.js"

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
  /** Starts a deployment at its own origin. */
  async function deploy(origin: string, more: Partial<AuthConfig> = {}, provider = {}) {
    const { logger, records, text } = recordingLogger()
    const providers = [op.oidc(provider)]
    const redirectProxyOrigins = ["https://*.example.test"]
    const own = { redirectProxyUrl: PROXY_URL, redirectProxyOrigins, redirectProxySecret: PROXY_SECRET }
    const config = { providers, secret: TEST_SECRET, trustHost: true, logger, ...own, ...more }
    const app = await start(deepFreeze(config) as AuthConfig, { origin })
    const failures = () => [...records]
    // Behind a proxy that terminates TLS.
    return { app, failures, text, browser: app.browser({ secure: true }) }
  }

  it.each(["for all providers", "for one provider"])(
    "forwards the callback through the proxy if it is set %s",
    async (scope) => {
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
      // The proxy needs no cookie, so the test uses another browser.
      const forwarded = await proxy.browser.get(back, { from: op.issuer })
      expect(forwarded.status).toBe(302)
      expect(forwarded.location).toBe(`https://preview-1.example.test/auth/callback/oidc${new URL(back).search}`)
      expect(forwarded.headers.getSetCookie().join()).not.toMatch(/session-token/)
      const page = await preview.browser.get(forwarded.location, { from: PROXY })
      expect(page.location).toBe("https://preview-1.example.test/cart")
      expect(op.last("/token").form["redirect_uri"]).toBe(`${PROXY_URL}/callback/oidc`)
      expect(await sessionOf(preview.browser)).toMatchObject({ user: { name: "Alice" } })
      expect([preview.failures(), proxy.failures(), flowCookies(preview.browser)]).toEqual([[], [], []])
    },
  )

  it("keeps the choice to stay signed in", async () => {
    const session = { remember: "ask" } as const
    for (const remember of ["true", ""]) {
      const { browser } = await deploy("https://preview-5.example.test", { session })
      const proxy = await deploy(PROXY)
      const { location } = await browser.post("/auth/signin/oidc", { csrfToken: await browser.csrf(), remember })
      const forwarded = await proxy.browser.get(await op.authorize(location), { from: op.issuer })
      await browser.get(forwarded.location, { from: PROXY })
      const [cookie] = sessionCookies(browser)
      expect([remember, cookie?.expiresAt !== undefined]).toEqual([remember, remember === "true"])
    }
  })

  it("SEC-21: forwards the callback to a preview deployment with another session secret", async () => {
    const preview = await deploy("https://preview-3.example.test", {
      secret: "another secret, of a preview, long enough",
    })
    const proxy = await deploy(PROXY)
    const back = await op.authorize((await begin(preview.browser)).location)
    const forwarded = await proxy.browser.get(back, { from: op.issuer })
    await preview.browser.get(forwarded.location, { from: PROXY })
    expect(await sessionOf(preview.browser)).toMatchObject({ user: { name: "Alice" } })
    // The proxy cannot decrypt a session of the preview.
    const proxyBrowser = proxy.browser
    for (const cookie of preview.browser.cookies()) proxyBrowser.setCookie(cookie.name, cookie.value, { secure: true })
    expect(await sessionOf(proxyBrowser)).toBeNull()
  })

  it("forwards an error response", async () => {
    const [preview, proxy] = [await deploy("https://preview-2.example.test"), await deploy(PROXY)]
    op.set({ authorizationResponse: ({ state }) => ({ state, error: "access_denied" }) })
    const back = await op.authorize((await begin(preview.browser)).location)
    const forwarded = await proxy.browser.get(back, { from: op.issuer })
    const page = await preview.browser.get(forwarded.location, { from: PROXY })
    expect(page.location).toBe("https://preview-2.example.test/auth/signin?error=OAuthCallbackError")
    expect([preview.failures().length, proxy.failures().length]).toEqual([1, 0])
  })

  it("does not forward to a deployment that redirectProxyOrigins does not list", async () => {
    const stranger = await deploy("https://evil.test")
    const proxy = await deploy(PROXY)
    const back = await op.authorize((await begin(stranger.browser)).location)
    const refused = await proxy.browser.get(back, { from: op.issuer })
    expect(refused.location).toBe(`${PROXY}/auth/signin?error=OAuthCallbackError`)
    expect(proxy.failures()).toHaveLength(1)
    expect(proxy.text()).toContain("redirectProxyOrigins")
  })

  it("forwards nothing without redirectProxyOrigins and warns at start-up", async () => {
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

  it("forwards nothing if the sign-in started on the proxy itself", async () => {
    const proxy = await deploy(PROXY)
    const back = await op.authorize((await begin(proxy.browser, { callbackUrl: "/home" })).location)
    const page = await proxy.browser.get(back, { from: op.issuer })
    expect(page.location).toBe(`${PROXY}/home`)
    expect(await sessionOf(proxy.browser)).not.toBeNull()
  })

  it("does not forward a state that is encrypted with another secret", async () => {
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

  it("does not forward a callback whose state is forged or missing", async () => {
    const proxy = await deploy(PROXY)
    for (const state of ["made-up", undefined]) {
      const back = withParams(`${PROXY_URL}/callback/oidc?code=c`, { state })
      const page = await proxy.browser.get(back, { from: op.issuer })
      expect(page.location).toBe(`${PROXY}/auth/signin?error=OAuthCallbackError`)
    }
  })

  /** A mix-up attack (RFC 9700 §4.4): the evil provider redirects to the honest one with the state of its own sign-in. */
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
    const forgedUrl = withParams(await at("honest"), { state })
    return { preview, proxy, state, forgedUrl }
  }

  it("OID-41, ADV-13: does not forward a code with another provider's state", async () => {
    const { preview, proxy, forgedUrl } = await mixUp()
    const back = await op.authorize(forgedUrl)
    expect(back.startsWith(`${PROXY_URL}/callback/honest?code=`)).toBe(true)
    const refused = await proxy.browser.get(back, { from: op.issuer })
    expect(refused.location).toBe(`${PROXY}/auth/signin?error=OAuthCallbackError`)
    expect(proxy.failures().map(({ error }) => Reflect.get(Object(error), "messageCode"))).toEqual([
      "redirect-proxy-provider-mismatch",
    ])
    expectNoSecret({ op }, refused.location + proxy.text())
    // The preview rejects it too if the attacker bypasses the proxy.
    const page = await preview.browser.get(back.replace(PROXY, preview.app.origin), { from: op.issuer })
    expect(page.location).toContain("error=OAuthCallbackError")
    expect([op.count("/token"), evil.count("/token"), await sessionOf(preview.browser)]).toEqual([0, 0, null])
  })

  it("OID-41, ADV-13: rejects a posted response with another provider's state, on the proxy and on the preview", async () => {
    const { preview, proxy, forgedUrl } = await mixUp({ authorization: byPost(op) })
    // A form_post response goes to the preview directly.
    expect(param(forgedUrl, "redirect_uri")).toBe(`${preview.app.origin}/auth/callback/honest`)
    const { fields } = await op.authorizeByForm(forgedUrl)
    for (const { app, browser } of [proxy, preview]) {
      const posted = await browser.post("/auth/callback/honest", fields, { from: op.issuer })
      expect([posted.status, posted.location.startsWith(`${app.origin}/auth/callback/honest?`)]).toEqual([303, true])
      const page = await browser.get(posted.location, { from: op.issuer })
      expect(page.location).toBe(`${app.origin}/auth/signin?error=OAuthCallbackError`)
    }
    // The callback of a provider without form_post accepts no POST.
    expect((await proxy.browser.post("/auth/callback/evil", fields, { from: op.issuer })).status).toBe(405)
    expect([op.count("/token"), evil.count("/token"), await sessionOf(preview.browser)]).toEqual([0, 0, null])
  })

  it.each(["code", "error"])("OID-34: does not forward a callback with a repeated %s", async (name) => {
    const [preview, proxy] = [await deploy("https://preview-5.example.test"), await deploy(PROXY)]
    const back = await op.authorize((await begin(preview.browser)).location)
    const refused = await proxy.browser.get(`${back}&${name}=evil&${name}=evil`, { from: op.issuer })
    expect(refused.location).toBe(`${PROXY}/auth/signin?error=OAuthCallbackError`)
    expect(proxy.failures()).toHaveLength(1)
    expect(proxy.text()).toContain(`has "${name}" more than once`)
    expectNoSecret({ op }, refused.location + proxy.text())
  })

  it("another browser cannot finish a sign-in with a forwarded callback", async () => {
    const [preview, proxy] = [await deploy("https://preview-3.example.test"), await deploy(PROXY)]
    const back = await op.authorize((await begin(preview.browser)).location)
    const { location } = await proxy.browser.get(back, { from: op.issuer })
    const victim = preview.app.browser({ secure: true })
    const page = await victim.get(location, { from: PROXY })
    expect(page.location).toContain("error=OAuthCallbackError")
    expect(await sessionOf(victim)).toBeNull()
  })
})
