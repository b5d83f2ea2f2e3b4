import type { OAuthConfig } from "../../../../lib/providers/provider.js"
import type { AuthConfig } from "../../../../lib/types.js"
import { providerOf, settingOf } from "./setting.js"

const AUTHORIZE = "https://acme.test/authorize"
const OIDC = { type: "oidc", issuer: "https://acme.test" } as const

const ready = (provider: object = {}, config: Partial<AuthConfig> = {}) =>
  providerOf(settingOf(provider as Partial<OAuthConfig>, config))

describe("what is checked", () => {
  it.each<[object, Partial<AuthConfig>, string[]]>([
    [{}, {}, ["pkce", "state"]],
    [OIDC, {}, ["pkce", "state", "nonce"]],
    [{ checks: ["state"] }, {}, ["state"]],
    [{ checks: ["none"] }, {}, []],
    [{ ...OIDC, checks: ["none"] }, {}, []],
    [{ ...OIDC, checks: ["nonce", "pkce"] }, {}, ["pkce", "nonce"]],
    // Without an id_token there is nothing that a nonce could stand in.
    [{ checks: ["nonce", "pkce"] }, {}, ["pkce"]],
    // The proxy reads from the state where to hand the answer on to.
    [{ checks: ["pkce"] }, { redirectProxyUrl: "https://proxy.test/auth" }, ["pkce", "state"]],
    [{ checks: ["pkce"], redirectProxyUrl: "https://proxy.test/auth" }, {}, ["pkce", "state"]],
  ])("of %j with %j is %j", (provider, config, checks) => {
    expect([...ready(provider, config).checks]).toEqual(checks)
  })
})

describe("the parameters of the way to the provider", () => {
  it.each<[object, object]>([
    [{}, { scope: "openid profile email" }],
    [OIDC, { scope: "openid profile email" }],
    [{ ...OIDC, authorization: undefined }, { scope: "openid profile email" }],
    [
      { ...OIDC, authorization: { params: { prompt: "login" } } },
      { scope: "openid profile email", prompt: "login" },
    ],
    [{ authorization: { url: AUTHORIZE, params: { scope: "a b", x: 1 } } }, { scope: "a b", x: "1" }],
    [{ authorization: `${AUTHORIZE}?scope=a&x=1` }, { scope: "a", x: "1" }],
    [{ authorization: { url: AUTHORIZE, params: { scope: "", x: 1 } } }, { x: "1" }],
    [{ issuer: "https://acme.test", authorization: undefined }, {}],
  ])("of %j are %j", (provider, params) => {
    expect(ready(provider).authorizationParams).toEqual(params)
  })
})

describe("endpoints", () => {
  it("have their parameters in their address where it is not built anew each time", () => {
    const { token, userinfo, authorizationUrl } = ready({
      authorization: { url: AUTHORIZE, params: { a: 1 } },
      token: { url: "https://acme.test/token", params: { b: 2, c: "x y" } },
      userinfo: "https://acme.test/me?d=4",
    })
    expect([authorizationUrl, token.url, userinfo.url]).toEqual([
      AUTHORIZE,
      "https://acme.test/token?b=2&c=x+y",
      "https://acme.test/me?d=4",
    ])
  })

  it("stay as they are without any, or without an address", () => {
    const request = () => ({})
    const { token, userinfo } = ready({ userinfo: { request, params: { a: 1 } } })
    expect(token.url).toBe("https://acme.test/token")
    expect(userinfo).toEqual({ request, params: { a: 1 } })
    expect(ready({ ...OIDC, token: undefined, userinfo: undefined })).toMatchObject({ token: {}, userinfo: {} })
  })

  it("are URLs, query and all, for functions of the provider's own", () => {
    const request = () => ({})
    const { view } = ready({
      authorization: { url: AUTHORIZE, params: { scope: "a", x: 1 } },
      token: { url: "https://acme.test/token", params: { b: 2 } },
      userinfo: { request },
    })
    expect(view).toMatchObject({ id: "acme", clientId: "our-client", userinfo: { request } })
    const { authorization, token } = view as Record<string, { url: unknown }>
    expect([authorization?.url, token?.url]).toEqual([
      new URL(`${AUTHORIZE}?scope=a&x=1`),
      new URL("https://acme.test/token?b=2"),
    ])
  })
})

describe("where a form on our page may lead to, beside https", () => {
  it.each<[object, string[]]>([
    [{}, []],
    [{ authorization: "http://localhost:9000/authorize?x=1" }, ["http://localhost:9000"]],
    [{ ...OIDC, issuer: "http://localhost:9000/realm", authorization: undefined }, ["http://localhost:9000"]],
    [
      { ...OIDC, issuer: "http://localhost:9000/realm", authorization: "http://localhost:9001/authorize" },
      ["http://localhost:9001", "http://localhost:9000"],
    ],
    [
      { ...OIDC, issuer: "http://localhost:9000/realm", authorization: "http://localhost:9000/authorize" },
      ["http://localhost:9000"],
    ],
  ])("of %j is %j", (provider, targets) => {
    expect(ready(provider).formTargets).toEqual(targets)
  })
})

describe("the profile as a user", () => {
  it.each<[object, object]>([
    [
      { sub: "7", name: "Ada", email: "a@b.test", picture: "p" },
      { id: "7", name: "Ada", email: "a@b.test", image: "p" },
    ],
    [
      { sub: "7", id: "8", nickname: "ada", preferred_username: "a" },
      { id: "7", name: "ada" },
    ],
    [
      { id: 8, preferred_username: "a" },
      { id: "8", name: "a" },
    ],
    [{ id: 0 }, { id: "0" }],
    [{ id: null, name: null }, {}],
    [{ sub: null, id: undefined }, {}],
    // As text it would name everybody.
    [{ id: true }, {}],
    [{ sub: false }, {}],
    [{}, {}],
    [
      { email: null, picture: null },
      { email: null, image: null },
    ],
  ])("of %j is %j", async (profile, user) => {
    expect(await ready().profile({ ...profile }, {}, {} as never)).toEqual(user)
  })
})

describe("an address is proved", () => {
  const email = "a@b.test"
  it.each<[string, object, object, boolean]>([
    ["OAuth", {}, { email, email_verified: true }, true],
    ["OAuth without a claim", {}, { email_verified: true }, false],
    ["OAuth that says no", {}, { email, email_verified: false }, false],
    ["OAuth in text", {}, { email, email_verified: "true" }, false],
    ["OAuth that says nothing", {}, { email }, false],
    ["OpenID Connect", OIDC, { email, email_verified: true }, true],
    ["OpenID Connect without the claim that is meant", OIDC, { email_verified: true }, false],
    ["OpenID Connect with an odd claim", OIDC, { email: [email], email_verified: true }, false],
    ["OpenID Connect that says no", OIDC, { email, email_verified: false }, false],
    ["the provider's own word", { isEmailVerified: () => true }, {}, true],
    ["the provider's own no", { isEmailVerified: () => false }, { email, email_verified: true }, false],
    ["a promise, which is no boolean", { isEmailVerified: async () => true }, {}, false],
    ["a number, which is none", { isEmailVerified: () => 1 }, {}, false],
  ])("by %s", (_name, provider, profile, isProved) => {
    expect(ready(provider).isEmailVerified({ ...profile })).toBe(isProved)
  })
})

describe("options", () => {
  it("are strict by themselves", () => {
    expect(ready()).toMatchObject({
      id: "acme",
      name: "Acme",
      type: "oauth",
      issuer: undefined,
      usesFormPost: false,
      redirectProxyUrl: undefined,
      allowInsecure: false,
      verifiesIdToken: true,
      prefersUserinfo: false,
      allowsEmailLinking: false,
      allowsScopeOverride: false,
      client: { client_id: "our-client" },
    })
    expect(ready().isAllowed({})).toBe(true)
  })

  it("say otherwise where the configuration does", () => {
    const style = { brandColor: "#123456" }
    const said = { allowInsecure: true, allowScopeOverride: true, allowDangerousEmailAccountLinking: true, style }
    expect(
      ready({ ...OIDC, ...said, idToken: false, client: { client_id: "x", id_token_signed_response_alg: "ES256" } }),
    ).toMatchObject({
      style,
      issuer: "https://acme.test",
      type: "oidc",
      allowInsecure: true,
      prefersUserinfo: true,
      allowsEmailLinking: true,
      allowsScopeOverride: true,
      client: { client_id: "our-client", id_token_signed_response_alg: "ES256" },
    })
    expect(ready({ ...OIDC, idToken: true }).prefersUserinfo).toBe(false)
    expect(ready({ idToken: false }).prefersUserinfo).toBe(false)
    expect(ready({ ...OIDC, verifyIdToken: false }).verifiesIdToken).toBe(false)
  })

  it("keep of the tokens what an account has, or what the provider says", () => {
    const tokens = {
      access_token: "a",
      id_token: "i",
      refresh_token: "r",
      expires_at: 1,
      scope: "s",
      token_type: "bearer",
      session_state: "x",
    } as const
    expect(ready().account({ ...tokens, expires_in: 7, more: "no" })).toEqual(tokens)
    expect(ready().account({ access_token: "a" })).toEqual({ access_token: "a" })
    expect(ready({ account: ({ scope }: { scope: string }) => ({ scope }) }).account(tokens)).toEqual({ scope: "s" })
    expect(ready({ account: () => undefined }).account(tokens)).toEqual({})
  })

  it("hand on what the provider allows, and who", () => {
    const isAllowed = () => false
    const issuerOf = () => undefined
    expect(ready({ ...OIDC, isAllowed, issuerOf })).toMatchObject({ isAllowed, issuerOf })
  })
})
