/**
 * Behaviour that a single catalogue case cannot cover: custom ids, servers without discovery, Gitea's slash, Login.gov's
 * key, Globus's RS512, and GraphQL errors with status 200.
 *
 * @module
 */
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from "jose"
import { setEnvDefaults } from "../../lib/index.js"
import type { Provider } from "../../lib/provider-kit/provider.js"
import DigitalOcean from "../../lib/providers/digitalocean.js"
import Gitea from "../../lib/providers/gitea.js"
import Globus from "../../lib/providers/globus.js"
import Linear from "../../lib/providers/linear.js"
import LoginGov from "../../lib/providers/login-gov.js"
import OAuth2 from "../../lib/providers/oauth2.js"
import OIDC from "../../lib/providers/oidc.js"
import Snapchat from "../../lib/providers/snapchat.js"
import { customFetch } from "../../lib/symbols.js"
import type { AuthConfig } from "../../lib/types.js"
import { describeServer, recordingLogger, type Start, TEST_SECRET } from "../support/apps.js"
import { type Internet, startInternet, type VendorAnswer } from "./support/internet.js"

const CLIENT = { clientId: "the-client", clientSecret: "the-client's-secret" }

let internet: Internet
beforeAll(async () => {
  internet = await startInternet()
})
afterAll(() => internet.close())

const variables: string[] = []
const setVariable = (name: string, value: string) => {
  process.env[name] = value
  variables.push(name)
}
afterEach(() => {
  for (const name of variables.splice(0)) delete process.env[name]
})

type Routes = Readonly<Record<string, VendorAnswer>>

/** Runs a complete sign-in. The responses may depend on the nonce of the authorization request. */
async function signIn(
  start: Start,
  provider: Provider,
  id: string,
  answers: (nonce: string) => Promise<Routes> | Routes,
) {
  const { logger, records, text } = recordingLogger()
  const app = await start({ secret: TEST_SECRET, providers: [provider], logger })
  const browser = app.browser()
  internet.answer(await answers(""))
  const { location } = await browser.post(`/auth/signin/${id}`, { csrfToken: await browser.csrf(), callbackUrl: "/me" })
  const { origin, pathname, searchParams } = new URL(location)
  internet.answer(await answers(searchParams.get("nonce") ?? ""))
  const answer = new URLSearchParams({ code: "c", state: searchParams.get("state") ?? "" })
  const page = await browser.get(`/auth/callback/${id}?${answer}`, { from: origin })
  const session: unknown = await (await browser.get("/me")).json()
  return { url: origin + pathname, params: Object.fromEntries(searchParams), page, session, records, text: text() }
}

const RSA = generateKeyPair("RS512", { extractable: true })

describeServer("the generic oidc provider", "Auth()", (start) => {
  it("is named after its issuer's host or by an option", () => {
    expect(OIDC({ issuer: "https://id.example.com/realm/" })).toMatchObject({ id: "oidc", name: "id.example.com" })
    expect(OIDC({ issuer: "https://id.example.com", name: "Acme" }).name).toBe("Acme")
    expect(OIDC({ issuer: undefined }).name).toBe("OpenID Connect")
    expect(OIDC({ issuer: "no address" }).name).toBe("OpenID Connect")
  })

  it("derives its path and variables from its id", async () => {
    setVariable("AUTH_ACME_ID_ID", "the-acme-client")
    setVariable("AUTH_ACME_ID_SECRET", "a-secret")
    setVariable("AUTH_ACME_ID_ISSUER", "https://id.acme.example")
    const config: AuthConfig = {
      providers: [OIDC({ id: "acme-id", issuer: undefined, [customFetch]: internet.fetch })],
    }
    setEnvDefaults(process.env, config)
    const [provider] = config.providers ?? []
    if (!provider) throw new Error("the provider is missing")
    expect(provider).toMatchObject({ id: "acme-id", name: "id.acme.example" })
    const found = await signIn(start, provider, "acme-id", () => ({
      "GET https://id.acme.example/.well-known/openid-configuration": {
        body: {
          issuer: "https://id.acme.example",
          authorization_endpoint: "https://id.acme.example/authorize",
          token_endpoint: "https://id.acme.example/token",
        },
      },
    }))
    expect(found.url).toBe("https://id.acme.example/authorize")
    expect(found.params).toMatchObject({
      client_id: "the-acme-client",
      redirect_uri: "http://app.test/auth/callback/acme-id",
    })
  })

  it("can be configured twice with different ids", async () => {
    const twice = ["a", "b"].map((id) => OIDC({ ...CLIENT, id, issuer: "https://id.example.com" }))
    const { logger, records } = recordingLogger()
    const app = await start({ secret: TEST_SECRET, providers: twice, logger })
    const known: unknown = await (await app.browser().get("/auth/providers")).json()
    expect(known).toMatchObject({ a: { name: "id.example.com" }, b: { name: "id.example.com" } })
    expect(records).toEqual([])
  })
})

describeServer("the generic oauth2 provider", "Auth()", (start) => {
  it.each([
    ["https://auth.example.com", "https://auth.example.com/.well-known/oauth-authorization-server"],
    ["https://auth.example.com/", "https://auth.example.com/.well-known/oauth-authorization-server"],
    ["https://auth.example.com/a/b", "https://auth.example.com/.well-known/oauth-authorization-server/a/b"],
    ["https://auth.example.com:8443/a/", "https://auth.example.com:8443/.well-known/oauth-authorization-server/a"],
  ])("%s has its metadata at %s", (issuer, wellKnown) => {
    expect(OAuth2({ issuer })).toMatchObject({ wellKnown, name: new URL(issuer).host })
  })

  it.each([undefined, "no address"])("%s as an issuer is left to the configuration check", (issuer) => {
    expect(OAuth2({ issuer })).not.toHaveProperty("wellKnown")
    expect(OAuth2({ issuer }).name).toBe("OAuth 2")
  })

  it("signs in with three endpoints and requests no OpenID Connect scope", async () => {
    const provider = OAuth2({
      ...CLIENT,
      id: "acme",
      name: "Acme",
      authorization: "https://acme.example/authorize",
      token: "https://acme.example/token",
      userinfo: "https://acme.example/me",
      profile: ({ key, nick }) => ({ id: String(key), name: String(nick) }),
      [customFetch]: internet.fetch,
    })
    const found = await signIn(start, provider, "acme", () => ({
      "POST https://acme.example/token": { body: { access_token: "at", token_type: "bearer" } },
      "GET https://acme.example/me": { body: { key: 7, nick: "ada" } },
    }))
    expect(found.records).toEqual([])
    expect(found.params).not.toHaveProperty("scope")
    expect(found.session).toMatchObject({ user: { name: "ada" } })
  })

  it("rejects a profile without sub and id", async () => {
    const provider = OAuth2({
      ...CLIENT,
      authorization: { url: "https://acme.example/authorize", params: { scope: "me" } },
      token: "https://acme.example/token",
      userinfo: "https://acme.example/me",
      [customFetch]: internet.fetch,
    })
    const found = await signIn(start, provider, "oauth2", () => ({
      "POST https://acme.example/token": { body: { access_token: "at", token_type: "bearer" } },
      "GET https://acme.example/me": { body: { name: "Ada", email: "ada@example.com" } },
    }))
    expect(found.params["scope"]).toBe("me")
    expect(found.session).toBeNull()
    expect(found.records.map(({ code }) => code)).toEqual(["OAuthProfileParseError"])
  })
})

describeServer("gitea", "Auth()", (start) => {
  const SITE = "https://example.com/git"
  const CALLS = { token: `${SITE}/login/oauth/access_token`, keys: `${SITE}/login/oauth/keys` }

  /** Signs in at an instance that uses these issuers in its metadata and in its tokens. */
  async function signInWith(
    options: { baseUrl: string } | { issuer: string },
    metadataIssuer: string,
    tokenIssuer: string,
  ) {
    const { publicKey, privateKey } = await RSA
    const provider = Gitea({ ...CLIENT, ...options, [customFetch]: internet.fetch })
    return signIn(start, provider, "gitea", async (nonce) => ({
      [`GET ${SITE}/.well-known/openid-configuration`]: {
        body: {
          issuer: metadataIssuer,
          authorization_endpoint: `${SITE}/login/oauth/authorize`,
          token_endpoint: CALLS.token,
          jwks_uri: CALLS.keys,
          id_token_signing_alg_values_supported: ["RS512"],
        },
      },
      [`GET ${CALLS.keys}`]: { body: { keys: [{ ...(await exportJWK(publicKey)), alg: "RS512" }] } },
      [`POST ${CALLS.token}`]: {
        body: {
          access_token: "at",
          token_type: "bearer",
          id_token: await new SignJWT({ nonce, name: "Ada" })
            .setProtectedHeader({ alg: "RS512" })
            .setIssuer(tokenIssuer)
            .setSubject("1")
            .setAudience(CLIENT.clientId)
            .setIssuedAt()
            .setExpirationTime("5m")
            .sign(privateKey),
        },
      },
    }))
  }

  it.each([
    [{ baseUrl: SITE }, SITE, SITE],
    [{ baseUrl: SITE }, `${SITE}/`, `${SITE}/`],
    [{ baseUrl: `${SITE}/` }, `${SITE}/`, `${SITE}/`],
    [{ issuer: `${SITE}/` }, SITE, SITE],
    [{ issuer: SITE }, `${SITE}/`, SITE],
  ])(
    "in a subfolder, %j works with %s in the metadata and %s in the tokens",
    async (options, metadataIssuer, tokenIssuer) => {
      const found = await signInWith(options, metadataIssuer, tokenIssuer)
      expect(found.records).toEqual([])
      expect(found.session).toMatchObject({ user: { name: "Ada" } })
    },
  )

  it("rejects an id_token of another issuer", async () => {
    const found = await signInWith({ baseUrl: SITE }, SITE, "https://example.com")
    expect(found.session).toBeNull()
    expect(found.records.map(({ code }) => code)).toEqual(["OAuthCallbackError"])
  })

  it("rejects metadata of another issuer", async () => {
    const found = await signInWith({ baseUrl: SITE }, "https://example.com", SITE)
    expect(found.url).toBe("http://app.test/auth/signin")
    expect(found.text).toContain('is "https://example.com", but the configured issuer is')
  })
})

describeServer("login-gov", "Auth()", (start) => {
  it("uses the sandbox if the variable is set", () => {
    expect(LoginGov()).toMatchObject({ issuer: "https://secure.login.gov" })
    setVariable("AUTH_LOGIN_GOV_ISSUER", "https://idp.int.identitysandbox.gov")
    expect(LoginGov()).toMatchObject({ issuer: "https://idp.int.identitysandbox.gov" })
  })

  it("authenticates with its private key if it has one", async () => {
    const { privateKey } = await generateKeyPair("RS256")
    const { publicKey, privateKey: theirs } = await RSA
    const SITE = "https://secure.login.gov"
    const provider = LoginGov({
      clientId: "urn:gov:gsa:openidconnect.profiles:sp:sso:agency:app",
      token: { clientPrivateKey: privateKey },
      [customFetch]: internet.fetch,
    })
    expect(provider.client).toEqual({ token_endpoint_auth_method: "private_key_jwt" })
    const found = await signIn(start, provider, "login-gov", async (nonce) => ({
      [`GET ${SITE}/.well-known/openid-configuration`]: {
        body: {
          issuer: SITE,
          authorization_endpoint: `${SITE}/openid_connect/authorize`,
          token_endpoint: `${SITE}/api/openid_connect/token`,
          userinfo_endpoint: `${SITE}/api/openid_connect/userinfo`,
          jwks_uri: `${SITE}/api/openid_connect/certs`,
          id_token_signing_alg_values_supported: ["RS512"],
        },
      },
      [`GET ${SITE}/api/openid_connect/certs`]: { body: { keys: [{ ...(await exportJWK(publicKey)), alg: "RS512" }] } },
      [`POST ${SITE}/api/openid_connect/token`]: {
        body: {
          access_token: "at",
          token_type: "Bearer",
          id_token: await new SignJWT({ nonce })
            .setProtectedHeader({ alg: "RS512" })
            .setIssuer(SITE)
            .setSubject("u")
            .setAudience("urn:gov:gsa:openidconnect.profiles:sp:sso:agency:app")
            .setIssuedAt()
            .setExpirationTime("5m")
            .sign(theirs),
        },
      },
      [`GET ${SITE}/api/openid_connect/userinfo`]: { body: { sub: "u", email: "a@example.com", email_verified: true } },
    }))
    expect(found.records).toEqual([])
    expect(found.session).toMatchObject({ user: { email: "a@example.com" } })
    const asked = internet.calls.find(({ name }) => name.startsWith("POST"))
    const assertion = decodeJwt(new URLSearchParams(asked?.body).get("client_assertion") ?? "")
    expect(assertion).toMatchObject({ iss: "urn:gov:gsa:openidconnect.profiles:sp:sso:agency:app" })
    expect(assertion.aud).toContain(`${SITE}/api/openid_connect/token`)
  })
})

describeServer("globus", "Auth()", (start) => {
  it("accepts id_tokens signed with RS512", async () => {
    const { publicKey, privateKey } = await RSA
    const SITE = "https://auth.globus.org"
    const found = await signIn(
      start,
      Globus({ ...CLIENT, [customFetch]: internet.fetch }),
      "globus",
      async (nonce) => ({
        [`GET ${SITE}/.well-known/openid-configuration`]: {
          body: {
            issuer: SITE,
            authorization_endpoint: `${SITE}/v2/oauth2/authorize`,
            token_endpoint: `${SITE}/v2/oauth2/token`,
            jwks_uri: `${SITE}/jwk.json`,
            id_token_signing_alg_values_supported: ["RS512"],
          },
        },
        [`GET ${SITE}/jwk.json`]: { body: { keys: [{ ...(await exportJWK(publicKey)), alg: "RS512" }] } },
        [`POST ${SITE}/v2/oauth2/token`]: {
          body: {
            access_token: "at",
            token_type: "Bearer",
            id_token: await new SignJWT({ nonce, name: "Ada" })
              .setProtectedHeader({ alg: "RS512" })
              .setIssuer(SITE)
              .setSubject("2982f207-04c0-11e5-ac60-22000b92c6ec")
              .setAudience(CLIENT.clientId)
              .setIssuedAt()
              .setExpirationTime("5m")
              .sign(privateKey),
          },
        },
      }),
    )
    expect(found.records).toEqual([])
    expect(found.session).toMatchObject({ user: { name: "Ada" } })
  })
})

describe("API errors with status 200", () => {
  const ask = (provider: { userinfo?: { request?: (context: unknown) => unknown } }, body: unknown) =>
    Promise.resolve(
      provider.userinfo?.request?.({
        tokens: { access_token: "at" },
        provider: {},
        fetch: async () => Response.json(body),
      }),
    )

  it.each([
    ["Linear", Linear()],
    ["Snapchat", Snapchat()],
  ])("%s: an error is reported", async (name, provider) => {
    await expect(ask(provider, { data: null, errors: [{ message: "no" }] })).rejects.toThrow(`${name}: no`)
    await expect(ask(provider, { data: {} })).rejects.toThrow(`${name}: the response has no user`)
    await expect(ask(provider, {})).rejects.toThrow(`${name}: the response has no user`)
  })

  it("DigitalOcean: a response without a user is rejected", async () => {
    expect(await ask(DigitalOcean(), {})).toBeUndefined()
  })
})
