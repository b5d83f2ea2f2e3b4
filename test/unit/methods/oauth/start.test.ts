import { createHash } from "node:crypto"
import { MemoryAdapter } from "../../../../lib/adapters/memory.js"
import { encode } from "../../../../lib/jwt.js"
import { findFlow } from "../../../../lib/methods/oauth/flow.js"
import { startOAuth } from "../../../../lib/methods/oauth/start.js"
import type { OAuthConfig } from "../../../../lib/providers/provider.js"
import { customFetch } from "../../../../lib/symbols.js"
import type { AuthConfig } from "../../../../lib/types.js"
import { begin, callOf, NOW, ORIGIN, providerOf, type Setting, settingOf } from "./setting.js"

/** What the browser keeps of an attempt that was begun so, found by its answer. */
async function flowOf(setting: Setting, query: Record<string, string> = {}) {
  const { state, cookies, url } = await begin(setting, { query })
  const found = findFlow(await callOf(setting, { query: { state }, cookies }), providerOf(setting), setting.runtime)
  return { flow: found?.flow, url }
}

const OIDC = { type: "oidc", issuer: "https://acme.test" } as const

describe("the way to the provider", () => {
  it("remembers who is signed in, where accounts are linked: with a store", async () => {
    const session = { strategy: "jwt" } as const
    const secret = "a secret for tests alone, of forty-eight letters"
    const salt = "__Secure-authjs.session-token"
    const maxAge = NOW / 1000 + 60 - Math.floor(Date.now() / 1000)
    const cookies = { [salt]: await encode({ token: { sub: "7" }, secret, salt, maxAge }) }
    const beginnerOf = async (config: Partial<AuthConfig>, has: Readonly<Record<string, string>>) => {
      const setting = settingOf({}, config)
      const { state, cookies: kept } = await begin(setting, { cookies: has })
      const call = await callOf(setting, { query: { state }, cookies: kept })
      return findFlow(call, providerOf(setting), setting.runtime)?.flow.userId
    }
    const withStore = { adapter: MemoryAdapter(), session }
    expect(await beginnerOf(withStore, cookies)).toBe("7")
    expect(await beginnerOf(withStore, {})).toBeNull()
    expect(await beginnerOf({}, cookies)).toBeUndefined()
  })

  it("says who asks, for what, and where to answer", async () => {
    const { url } = await begin(settingOf())
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
  ])("carries what is checked at the end: %s", async (_name, provider, kept) => {
    const { flow, url } = await flowOf(settingOf(provider))
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

  it("is another each time", async () => {
    const setting = settingOf(OIDC)
    const flows = await Promise.all(Array.from({ length: 20 }, () => flowOf(setting)))
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
  ])("is not bent by a link that says %s", async (name) => {
    const setting = settingOf({ checks: ["none"] })
    const plain = await begin(setting)
    expect((await begin(setting, { query: { [name]: "evil" } })).url.href).toBe(plain.url.href)
  })

  it("takes from a link how the person is to be asked", async () => {
    const query = { prompt: "login", login_hint: "ada@example.com", challenge: "x" }
    const { url } = await begin(settingOf(), { query })
    expect(Object.fromEntries(url.searchParams)).toMatchObject(query)
  })

  it("takes the scope from a link where the provider allows it", async () => {
    const { url } = await begin(settingOf({ allowScopeOverride: true }), { query: { scope: "mail" } })
    expect(url.searchParams.get("scope")).toBe("mail")
  })

  it("has the provider's own parameters, and a link's over them", async () => {
    const setting = settingOf({
      authorization: { url: "https://acme.test/authorize?a=1", params: { prompt: "none", b: 2 } },
    })
    const { url } = await begin(setting, { query: { prompt: "login" } })
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ a: "1", b: "2", prompt: "login" })
  })
})

describe("how long ago the person may have signed in at the provider", () => {
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
  ])("is kept for the check at the end: %j is %j", async (max_age, expected) => {
    expect((await flowOf(settingOf(), { max_age })).flow?.maxAge).toBe(expected)
  })

  it("is the provider's own where a link does not say", async () => {
    const setting = settingOf({ authorization: { url: "https://acme.test/authorize", params: { max_age: 60 } } })
    expect((await flowOf(setting)).flow?.maxAge).toBe(60)
    expect((await flowOf(setting, { max_age: "30" })).flow?.maxAge).toBe(30)
    expect((await flowOf(settingOf())).flow).not.toHaveProperty("maxAge")
  })
})

describe("a sign-in does not begin", () => {
  const failure = async (setting: Setting) => {
    const call = await callOf(setting, { path: "/signin/acme" })
    return startOAuth(call, providerOf(setting), setting.runtime).then(
      () => undefined,
      (error: unknown) => error,
    )
  }
  const discovering = (metadata: object) =>
    settingOf({
      ...OIDC,
      authorization: undefined,
      token: undefined,
      userinfo: undefined,
      [customFetch]: async () => Response.json(metadata),
    })

  it("where the provider says no address for it", async () => {
    expect(await failure(discovering({ issuer: "https://acme.test" }))).toMatchObject({
      type: "OAuthSignInError",
      message: "the sign-in could not be begun",
      cause: { provider: "acme", err: { message: "the provider's metadata has no authorization_endpoint" } },
    })
  })

  it("over an address that is not https", async () => {
    const metadata = { issuer: "https://acme.test", authorization_endpoint: "http://acme.test/authorize" }
    expect(await failure(discovering(metadata))).toMatchObject({
      type: "OAuthSignInError",
      cause: { err: { message: expect.stringContaining("http://acme.test/authorize is not https") } },
    })
  })

  it("but does where the provider says one", async () => {
    const metadata = { issuer: "https://acme.test", authorization_endpoint: "https://acme.test/go" }
    expect((await begin(discovering(metadata))).url.href).toMatch(/^https:\/\/acme\.test\/go\?/)
  })
})
