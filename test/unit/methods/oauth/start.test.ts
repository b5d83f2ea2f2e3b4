import { createHash } from "node:crypto"
import { MemoryAdapter } from "../../../../lib/adapters/memory.js"
import { encode } from "../../../../lib/jwt.js"
import { findFlow } from "../../../../lib/methods/oauth/flow.js"
import { startOAuth } from "../../../../lib/methods/oauth/start.js"
import type { OAuthConfig } from "../../../../lib/provider-kit/provider.js"
import { customFetch } from "../../../../lib/symbols.js"
import type { AuthConfig } from "../../../../lib/types.js"
import { failureOf } from "./fake-endpoints.js"
import { callOf, createSite, NOW, ORIGIN, providerOf, startFlow, type TestSite } from "./test-site.js"

/** Starts a flow, and returns the flow that the browser's cookies hold for its callback. */
async function flowOf(site: TestSite, query: Record<string, string> = {}) {
  const { state, cookies, url } = await startFlow(site, { query })
  const found = findFlow(await callOf(site, { query: { state }, cookies }), providerOf(site), site.runtime)
  return { flow: found?.flow, url }
}

const ISSUER = "https://acme.test"
const OIDC = {
  type: "oidc",
  issuer: ISSUER,
  [customFetch]: async () => Response.json({ issuer: ISSUER }),
} as const

describe("startOAuth", () => {
  it("stores the current user in the flow if there is an adapter", async () => {
    const session = { strategy: "jwt" } as const
    const secret = "a secret for tests alone, of forty-eight letters"
    const salt = "__Secure-authjs.session-token"
    const maxAge = NOW / 1000 + 60 - Math.floor(Date.now() / 1000)
    const cookies = { [salt]: await encode({ token: { sub: "7" }, secret, salt, maxAge }) }
    const userIdOfFlow = async (config: Partial<AuthConfig>, has: Readonly<Record<string, string>>) => {
      const site = createSite({}, config)
      const { state, cookies: kept } = await startFlow(site, { cookies: has })
      const call = await callOf(site, { query: { state }, cookies: kept })
      return findFlow(call, providerOf(site), site.runtime)?.flow.userId
    }
    const withStore = { adapter: MemoryAdapter(), session }
    expect(await userIdOfFlow(withStore, cookies)).toBe("7")
    expect(await userIdOfFlow(withStore, {})).toBeNull()
    expect(await userIdOfFlow({}, cookies)).toBeUndefined()
  })

  it("requests a code with the client id, the scope and the redirect URI", async () => {
    const { url } = await startFlow(createSite())
    expect(url.origin + url.pathname).toBe("https://acme.test/authorize")
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: "code",
      client_id: "our-client",
      redirect_uri: `${ORIGIN}/auth/callback/acme`,
      scope: "openid profile email",
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
    })
  })

  it.each<[string, Partial<OAuthConfig>, string[]]>([
    ["OAuth", {}, ["state", "verifier"]],
    ["OpenID Connect", OIDC, ["state", "verifier", "nonce"]],
    ["OAuth with state alone", { checks: ["state"] }, ["state"]],
    ["OpenID Connect with a nonce alone", { ...OIDC, checks: ["nonce"] }, ["nonce"]],
    ["PKCE alone", { checks: ["pkce"] }, ["verifier"]],
    ["nothing", { checks: ["none"] }, []],
  ])("stores the values that the callback checks: %s", async (_name, provider, kept) => {
    const { flow, url } = await flowOf(createSite(provider))
    const { state, verifier, nonce } = flow ?? {}
    expect(flow).toEqual({
      provider: "acme",
      callbackUrl: ORIGIN,
      returnPath: "/auth/callback/acme",
      ...(state && { state }),
      ...(verifier && { verifier }),
      ...(nonce && { nonce }),
    })
    expect(
      Object.entries({ state, verifier, nonce })
        .filter(([, value]) => value)
        .map(([name]) => name),
    ).toEqual(["state", "verifier", "nonce"].filter((name) => kept.includes(name)))
    for (const value of [state, verifier, nonce].filter(Boolean)) expect(value).toMatch(/^[\w-]{43}$/)
    const challenge = verifier && createHash("sha256").update(verifier).digest("base64url")
    const { searchParams } = url
    expect(["state", "nonce", "code_challenge", "code_challenge_method"].map((name) => searchParams.get(name))).toEqual(
      [state, nonce, challenge, verifier && "S256"].map((value) => value ?? null),
    )
  })

  it("generates different values for each flow", async () => {
    const site = createSite(OIDC)
    const flows = await Promise.all(Array.from({ length: 20 }, () => flowOf(site)))
    for (const name of ["state", "verifier", "nonce"] as const)
      expect(new Set(flows.map(({ flow }) => flow?.[name])).size).toBe(20)
  })

  it.each([
    "client_id",
    "client_secret",
    "redirect_uri",
    "response_type",
    "response_mode",
    "state",
    "nonce",
    "request",
    "request_uri",
    "registration",
    "code_challenge",
    "code_challenge_method",
    "scope",
    "callbackUrl",
    "csrfToken",
  ])("ignores the reserved parameter %s in a sign-in link", async (name) => {
    const site = createSite({ checks: ["none"] })
    const plain = await startFlow(site)
    expect((await startFlow(site, { query: { [name]: "evil" } })).url.href).toBe(plain.url.href)
  })

  it("passes on prompt, login_hint and unknown parameters of a link", async () => {
    const query = { prompt: "login", login_hint: "ada@example.com", challenge: "x" }
    const { url } = await startFlow(createSite(), { query })
    expect(Object.fromEntries(url.searchParams)).toMatchObject(query)
  })

  it("takes the scope from a link with allowScopeOverride", async () => {
    const { url } = await startFlow(createSite({ allowScopeOverride: true }), { query: { scope: "mail" } })
    expect(url.searchParams.get("scope")).toBe("mail")
  })

  it("sends the provider's parameters, and lets a link override them", async () => {
    const site = createSite({
      authorization: { url: "https://acme.test/authorize?a=1", params: { prompt: "none", b: 2 } },
    })
    const { url } = await startFlow(site, { query: { prompt: "login" } })
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ a: "1", b: "2", prompt: "login" })
  })
})

describe("maxAge in the flow of startOAuth", () => {
  it.each([
    ["300", 300],
    ["0", 0],
    ["999999999", 999_999_999],
    ["1234567890", undefined],
    ["", undefined],
    ["-1", undefined],
    ["1.5", undefined],
    ["x1", undefined],
    ["1x", undefined],
  ])("with max_age %j in the link is %j", async (max_age, expected) => {
    expect((await flowOf(createSite(), { max_age })).flow?.maxAge).toBe(expected)
  })

  it("is the provider's max_age unless the link has one", async () => {
    const site = createSite({ authorization: { url: "https://acme.test/authorize", params: { max_age: 60 } } })
    expect((await flowOf(site)).flow?.maxAge).toBe(60)
    expect((await flowOf(site, { max_age: "30" })).flow?.maxAge).toBe(30)
    expect((await flowOf(createSite())).flow).not.toHaveProperty("maxAge")
  })
})

describe("startOAuth with a limit of sign-ins for each client", () => {
  const rateLimit = { oauthSignInsPerClient: 2, windowSeconds: 120 }

  /** Starts a sign-in from each of these addresses, one after another, and returns "started" or the error for each. */
  async function startFrom(addresses: readonly (string | undefined)[], config: Partial<AuthConfig> = { rateLimit }) {
    const site = createSite({}, config)
    const outcomes: unknown[] = []
    for (const clientAddress of addresses) {
      const call = { ...(await callOf(site, { path: "/signin/acme" })), clientAddress }
      const started = startOAuth(call, providerOf(site), site.runtime)
      outcomes.push(await started.then(() => "started").catch((error: unknown) => error))
    }
    return outcomes
  }

  const refusal = expect.objectContaining({
    type: "TooManyAttempts",
    message: "too many attempts: the limit oauthSignInsPerClient is reached",
    retryAfterSeconds: 120,
    cause: { provider: "acme" },
  })

  it("SEC-04: refuses the sign-ins of a client beyond the limit, with the time to wait", async () => {
    const addresses = ["192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2"]
    expect(await startFrom(addresses)).toEqual(["started", "started", refusal, "started"])
  })

  it("ADV-22: treats an IPv6 network as one client", async () => {
    const addresses = ["2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8:0:1::1"]
    expect(await startFrom(addresses)).toEqual(["started", "started", refusal, "started"])
  })

  it.each([
    ["clients without a known address", [undefined, undefined, undefined], { rateLimit }],
    ["any client if the limits are off", ["192.0.2.1", "192.0.2.1", "192.0.2.1"], { rateLimit: false }],
  ] as const)("does not limit %s", async (_who, addresses, config) => {
    expect(await startFrom(addresses, config)).toEqual(["started", "started", "started"])
  })
})

describe("startOAuth with discovery", () => {
  const failure = (site: TestSite) => failureOf(startFlow(site))
  const discovering = (metadata: object) =>
    createSite({
      ...OIDC,
      authorization: undefined,
      token: undefined,
      userinfo: undefined,
      [customFetch]: async () => Response.json(metadata),
    })

  it("rejects if the metadata has no authorization_endpoint", async () => {
    expect(await failure(discovering({ issuer: "https://acme.test" }))).toMatchObject({
      type: "OAuthSignInError",
      message: "the sign-in could not be started",
      cause: { provider: "acme", err: { message: "the provider's metadata has no authorization_endpoint" } },
    })
  })

  it("rejects an authorization_endpoint that is not https", async () => {
    const metadata = { issuer: "https://acme.test", authorization_endpoint: "http://acme.test/authorize" }
    expect(await failure(discovering(metadata))).toMatchObject({
      type: "OAuthSignInError",
      cause: { err: { message: expect.stringContaining("http://acme.test/authorize is not https") } },
    })
  })

  it("adds no hint for an error that does not come from an endpoint of the provider", async () => {
    const conformMetadata = () => {
      throw Object.assign(new Error("no metadata"), { code: "invalid_client" })
    }
    const site = createSite({ ...OIDC, conformMetadata } as Partial<OAuthConfig>)
    const error = await failure(site)
    expect(error).toMatchObject({
      type: "OAuthSignInError",
      messageCode: "sign-in-not-started",
      cause: { provider: "acme", err: { message: "no metadata" } },
    })
    expect(error).not.toHaveProperty("cause.hint")
  })

  it("redirects to the authorization_endpoint of the metadata", async () => {
    const metadata = { issuer: "https://acme.test", authorization_endpoint: "https://acme.test/go" }
    expect((await startFlow(discovering(metadata))).url.href).toMatch(/^https:\/\/acme\.test\/go\?/)
  })
})
