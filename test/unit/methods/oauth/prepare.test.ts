import type { OAuthConfig } from "../../../../lib/provider-kit/provider.js"
import type { AuthConfig } from "../../../../lib/types.js"
import { createSite, providerOf } from "./test-site.js"

const AUTHORIZE = "https://acme.test/authorize"
const OIDC = { type: "oidc", issuer: "https://acme.test" } as const

const ready = (provider: object = {}, config: Partial<AuthConfig> = {}) =>
  providerOf(createSite(provider as Partial<OAuthConfig>, config))

describe("the checks of a prepared provider", () => {
  it.each<[object, Partial<AuthConfig>, string[]]>([
    [{}, {}, ["pkce", "state"]],
    [OIDC, {}, ["pkce", "state", "nonce"]],
    [{ checks: ["state"] }, {}, ["state"]],
    [{ checks: ["none"] }, {}, []],
    [{ ...OIDC, checks: ["none"] }, {}, []],
    [{ ...OIDC, checks: ["nonce", "pkce"] }, {}, ["pkce", "nonce"]],
    // Without an id_token, no response could carry a nonce.
    [{ checks: ["nonce", "pkce"] }, {}, ["pkce"]],
    // The proxy reads from the state where to forward the response.
    [{ checks: ["pkce"] }, { redirectProxyUrl: "https://proxy.test/auth" }, ["pkce", "state"]],
    [{ checks: ["pkce"], redirectProxyUrl: "https://proxy.test/auth" }, {}, ["pkce", "state"]],
  ])("of %j with the configuration %j are %j", (provider, config, checks) => {
    expect([...ready(provider, config).checks]).toEqual(checks)
  })
})

describe("the authorizationParams of a prepared provider", () => {
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
    [
      { authorization: { url: AUTHORIZE, params: { scope: "" } }, acrValues: ["phr", "phrh"] },
      { acr_values: "phr phrh" },
    ],
    [
      { ...OIDC, claims: { id_token: { email: null } }, authorization: { params: { claims: "{}", prompt: "login" } } },
      { scope: "openid profile email", prompt: "login", claims: '{"id_token":{"email":null}}' },
    ],
  ])("of %j are %j", (provider, params) => {
    expect(ready(provider).authorizationParams).toEqual(params)
  })
})

describe("the endpoints of a prepared provider", () => {
  it("have their parameters in the URL, except the authorization endpoint", () => {
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

  it("are unchanged without parameters or without a URL", () => {
    const request = () => ({})
    const { token, userinfo } = ready({ userinfo: { request, params: { a: 1 } } })
    expect(token.url).toBe("https://acme.test/token")
    expect(userinfo).toEqual({ request, params: { a: 1 } })
    expect(ready({ ...OIDC, token: undefined, userinfo: undefined })).toMatchObject({ token: {}, userinfo: {} })
  })

  it("are URL objects with parameters for the provider's own functions", () => {
    const request = () => ({})
    const { providerArgument } = ready({
      authorization: { url: AUTHORIZE, params: { scope: "a", x: 1 } },
      token: { url: "https://acme.test/token", params: { b: 2 } },
      userinfo: { request },
    })
    expect(providerArgument).toMatchObject({ id: "acme", clientId: "our-client", userinfo: { request } })
    const { authorization, token } = providerArgument as Record<string, { url: unknown }>
    expect([authorization?.url, token?.url]).toEqual([
      new URL(`${AUTHORIZE}?scope=a&x=1`),
      new URL("https://acme.test/token?b=2"),
    ])
  })
})

describe("the formTargets of a prepared provider", () => {
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
  ])("of %j are %j", (provider, targets) => {
    expect(ready(provider).formTargets).toEqual(targets)
  })
})

describe("the default profile() of a prepared provider", () => {
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
    // As text, a boolean would be the same id for every user.
    [{ id: true }, {}],
    [{ sub: false }, {}],
    [{}, {}],
    [
      { email: null, picture: null },
      { email: null, image: null },
    ],
  ])("maps %j to %j", async (profile, user) => {
    expect(await ready().profile({ ...profile }, {}, {} as never)).toEqual(user)
  })
})

describe("isEmailVerified of a prepared provider", () => {
  const email = "a@b.test"
  it.each<[string, object, object, boolean]>([
    ["OAuth with email_verified", {}, { email, email_verified: true }, true],
    ["OAuth without an email", {}, { email_verified: true }, false],
    ["OAuth with email_verified: false", {}, { email, email_verified: false }, false],
    ["OAuth with email_verified as a string", {}, { email, email_verified: "true" }, false],
    ["OAuth without email_verified", {}, { email }, false],
    ["OpenID Connect with email_verified", OIDC, { email, email_verified: true }, true],
    ["OpenID Connect without an email", OIDC, { email_verified: true }, false],
    ["OpenID Connect with an email that is not a string", OIDC, { email: [email], email_verified: true }, false],
    ["OpenID Connect with email_verified: false", OIDC, { email, email_verified: false }, false],
    ["verifiesEmail: always, with an email", { verifiesEmail: "always" }, { email, email_verified: false }, true],
    ["verifiesEmail: always, with an empty email", { verifiesEmail: "always" }, { email: "" }, false],
    [
      "verifiesEmail: always, with an email that is not a string",
      { verifiesEmail: "always" },
      { email: [email] },
      false,
    ],
    ["verifiesEmail: never", { verifiesEmail: "never" }, { email, email_verified: true }, false],
    [
      "verifiesEmail: by claim, with email_verified",
      { verifiesEmail: "by claim" },
      { email, email_verified: true },
      true,
    ],
    ["verifiesEmail: by claim, without email_verified", { verifiesEmail: "by claim" }, { email }, false],
    ["the option isEmailVerified that returns true", { isEmailVerified: () => true }, {}, true],
    [
      "the option isEmailVerified that returns false",
      { isEmailVerified: () => false },
      { email, email_verified: true },
      false,
    ],
    ["the option isEmailVerified that returns a promise", { isEmailVerified: async () => true }, {}, false],
    ["the option isEmailVerified that returns a number", { isEmailVerified: () => 1 }, {}, false],
  ])("for %s, with the provider options %j and the profile %j, is %s", (_name, provider, profile, isVerified) => {
    expect(ready(provider).isEmailVerified({ ...profile })).toBe(isVerified)
  })
})

describe("the options of a prepared provider", () => {
  it("are strict by default", () => {
    expect(ready()).toMatchObject({
      id: "acme",
      name: "Acme",
      type: "oauth",
      issuer: undefined,
      usesFormPost: false,
      usesJwtResponse: false,
      redirectProxyUrl: undefined,
      allowInsecure: false,
      usesIdToken: false,
      verifiesIdToken: true,
      trustsAuthenticationContext: false,
      prefersUserinfo: false,
      verifiesEmail: "by claim",
      allowsEmailLinking: false,
      allowsScopeOverride: false,
      client: { client_id: "our-client" },
    })
    expect(ready().isAllowed({})).toBe(true)
  })

  it("take the values of the configuration", () => {
    const style = { brandColor: "#123456" }
    const options = { allowInsecure: true, allowScopeOverride: true, allowDangerousEmailAccountLinking: true, style }
    const trust = { trustAuthenticationContext: true, verifiesEmail: "never" }
    expect(
      ready({
        ...OIDC,
        ...options,
        ...trust,
        idToken: false,
        client: { client_id: "x", id_token_signed_response_alg: "ES256" },
      }),
    ).toMatchObject({
      style,
      issuer: "https://acme.test",
      type: "oidc",
      allowInsecure: true,
      trustsAuthenticationContext: true,
      prefersUserinfo: true,
      verifiesEmail: "never",
      allowsEmailLinking: true,
      allowsScopeOverride: true,
      client: { client_id: "our-client", id_token_signed_response_alg: "ES256" },
    })
    expect(ready(OIDC).usesIdToken).toBe(true)
    expect(ready({ ...OIDC, idToken: true }).prefersUserinfo).toBe(false)
    expect(ready({ idToken: false }).prefersUserinfo).toBe(false)
    expect(ready({ ...OIDC, verifyIdToken: false }).verifiesIdToken).toBe(false)
  })

  it.each<[string, object, boolean]>([
    ["by default with OpenID Connect", OIDC, true],
    ["if the provider maps the profile itself", { ...OIDC, profile: () => ({ id: "7" }) }, false],
    ["with idToken: true", { ...OIDC, idToken: true }, false],
    ["with idToken: false", { ...OIDC, idToken: false }, false],
    ["with OAuth, which has no id_token", {}, false],
  ])(
    "complete the claims of the id_token with userinfo %s, with the provider options %j: %s",
    (_when, provider, expected) => {
      expect(ready(provider).completesIdToken).toBe(expected)
    },
  )

  it("select the token fields of an account, or those that account() returns", () => {
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

  it("include the provider's own functions", () => {
    const own = { isAllowed: () => false, issuerOf: () => undefined, userinfoIssuerOf: () => undefined }
    expect(ready({ ...OIDC, ...own })).toMatchObject(own)
  })
})
