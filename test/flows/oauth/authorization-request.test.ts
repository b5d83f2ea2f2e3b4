import { describeServers } from "../../support/apps.js"
import { type Claims, startFaultyProvider } from "../../support/faulty-provider.js"
import { guardProcess } from "../support/guard.js"
import {
  begin,
  expectNoSecret,
  flowCookies,
  openCallback,
  param,
  type SiteOptions,
  sessionOf,
  signIn,
  startSite,
} from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

const HOUR_MS = 60 * 60 * 1000

describeServers("authorization request", (start, stage) => {
  const createSite = (options?: SiteOptions) => startSite({ start, stage, op }, options)

  it("OID-25: does not start a sign-in if the metadata names another issuer", async () => {
    let now = Date.now()
    for (const issuer of ["https://evil.test", `${op.issuer}/tenant`, undefined, 1]) {
      const site = await createSite({ config: { clock: () => now } })
      op.set({ discovery: (document) => ({ ...document, issuer }) })
      const browser = site.app.browser()
      const page = await begin(browser)
      expect(page.location).toBe(`${site.app.origin}/auth/signin?error=OAuthCallbackError`)
      expect(site.failures().map(({ error }) => Object(error?.cause).provider)).toEqual(["oidc"])
      expect(site.logText()).toContain("but the configured issuer is")
      expect([op.count("/authorize"), flowCookies(browser)]).toEqual([0, []])
      op.reset()
      // A failed fetch is cached for one second.
      now += 1001
      await signIn(browser, op)
      expect(await sessionOf(browser)).not.toBeNull()
    }
  })

  it("OID-26: reads the endpoints and the JWKS address from the metadata", async () => {
    const site = await createSite()
    const browser = site.app.browser()
    await signIn(browser, op)
    expect(await sessionOf(browser)).not.toBeNull()
    expect([op.count("discovery"), op.count(op.jwksPath), op.count("/token")]).toEqual([1, 1, 1])
    const moved = await startFaultyProvider({ issuerPath: "/tenant" })
    const there = await startSite({ start, stage, op: moved })
    const visitor = there.app.browser()
    await signIn(visitor, moved)
    expect(await sessionOf(visitor)).not.toBeNull()
    expect(moved.count(moved.jwksPath)).toBe(1)
    await moved.close()
  })

  it("OID-27: fetches the metadata once per hour, even for 100 concurrent sign-ins", async () => {
    let now = Date.now()
    const { app } = await createSite({ config: { clock: () => now } })
    const pages = await Promise.all(Array.from({ length: 100 }, () => begin(app.browser())))
    for (const page of pages) expect(page.location).toContain(`${op.base}/authorize?`)
    for (let i = 0; i < 5; i++) await signIn(app.browser(), op)
    expect([op.count("discovery"), op.count("/jwks")]).toEqual([1, 1])
    now += HOUR_MS + 1000
    await Promise.all(Array.from({ length: 5 }, () => begin(app.browser())))
    expect(op.count("discovery")).toBe(2)
  })

  it("OID-28: form-encodes the client id and secret for client_secret_basic", async () => {
    const client = { clientId: "a:b c%d+é~*'()!", clientSecret: "p:ss w%rd+é/?&=~*'()!" }
    const strange = await startFaultyProvider(client)
    const site = await startSite({ start, stage, op: strange })
    const browser = site.app.browser()
    await signIn(browser, strange)
    expect(await sessionOf(browser)).not.toBeNull()
    expect(strange.last("/token").clientAuth).toMatchObject({ method: "client_secret_basic", ...client })
    const formEncoded = (text: string) => new URLSearchParams({ "": text }).toString().slice(1)
    expect(strange.last("/token").clientAuth?.basic).toBe(
      `${formEncoded(client.clientId)}:${formEncoded(client.clientSecret)}`,
    )
    expect(strange.last("/token").form).not.toHaveProperty("client_secret")
    await strange.close()
  })

  it("OID-29: sends the access token to userinfo in the Authorization header, not in the URL", async () => {
    const { app } = await createSite({ providers: [op.oidc({ idToken: false })] })
    const browser = app.browser()
    await signIn(browser, op)
    expect(await sessionOf(browser)).not.toBeNull()
    const { headers, query, body } = op.last("/userinfo")
    expect([headers.authorization, query, body]).toEqual([expect.stringMatching(/^Bearer at-/), {}, ""])
  })

  it("OID-30: requests only the scopes openid, profile and email", async () => {
    const { app } = await createSite()
    const { location } = await begin(app.browser())
    expect(param(location, "scope")).toBe("openid profile email")
    expect([...new URL(location).searchParams.keys()].sort()).toEqual(
      "client_id code_challenge code_challenge_method nonce redirect_uri response_type scope state".split(" "),
    )
  })

  it("OID-35: sends a state and a nonce even if the provider does not support PKCE", async () => {
    const discovery = (document: Claims) => ({ ...document, code_challenge_methods_supported: undefined })
    const { app } = await createSite({ mode: { discovery, checkPkce: false } })
    const browser = app.browser()
    const { location } = await begin(browser)
    expect(param(location, "state").length).toBeGreaterThanOrEqual(22)
    expect(param(location, "nonce").length).toBeGreaterThanOrEqual(22)
    await openCallback(browser, op, await op.authorize(location))
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it("OID-36: creates a new S256 challenge for each sign-in and sends the verifier only to the token endpoint", async () => {
    const site = await createSite({ config: { debug: true } })
    const challenges: string[] = []
    for (let i = 0; i < 3; i++) {
      const browser = site.app.browser()
      const { location } = await begin(browser)
      challenges.push(param(location, "code_challenge"))
      expect(param(location, "code_challenge_method")).toBe("S256")
      const back = await op.authorize(location)
      const page = await openCallback(browser, op, back)
      const { code_verifier: verifier = "" } = op.last("/token").form
      expect(verifier).toMatch(/^[\w.~-]{43,128}$/)
      expect(location + back + page.location).not.toContain(verifier)
    }
    expect(new Set(challenges).size).toBe(3)
    expectNoSecret(site, site.logText())
  })

  it("OID-42: ignores protocol parameters in the sign-in URL and forwards user hints such as login_hint", async () => {
    const { app } = await createSite()
    const reserved = {
      ...{ client_id: "o", redirect_uri: "https://evil.test/cb", response_type: "token", response_mode: "fragment" },
      ...{ state: "evil", nonce: "evil", code_challenge: "evil", code_challenge_method: "plain", scope: "admin" },
      ...{ request: "evil", request_uri: "https://evil.test/r", registration: "evil", client_secret: "evil" },
    }
    const hints = { login_hint: "a@b.test", prompt: "login", ui_locales: "de", max_age: "60", acr_values: "1" }
    const browser = app.browser()
    const { location } = await begin(browser, { query: `?${new URLSearchParams({ ...reserved, ...hints })}` })
    const params = Object.fromEntries(new URL(location).searchParams)
    expect(location.startsWith(`${op.base}/authorize?`)).toBe(true)
    expect(params).toMatchObject({
      ...hints,
      ...{ client_id: op.client.clientId, redirect_uri: `${app.origin}/auth/callback/oidc`, response_type: "code" },
      ...{ code_challenge_method: "S256", scope: "openid profile email" },
    })
    expect(JSON.stringify(params)).not.toContain("evil")
    for (const name of ["request", "request_uri", "registration", "client_secret", "response_mode", "csrfToken"])
      expect(params).not.toHaveProperty(name)
    await openCallback(browser, op, await op.authorize(location))
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it("OID-42: ignores a redirect_uri in the sign-in URL that is repeated or percent-encoded", async () => {
    const { app } = await createSite()
    const { location } = await begin(app.browser(), {
      query: "?redirect_uri=https://evil.test/a&redirect_uri=https://evil.test/b&redirect%5Furi=https://evil.test/c",
    })
    expect(new URL(location).searchParams.getAll("redirect_uri")).toEqual([`${app.origin}/auth/callback/oidc`])
  })
})
