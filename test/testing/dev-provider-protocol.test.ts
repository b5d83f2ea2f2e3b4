import { createHash, randomUUID } from "node:crypto"
import { createRemoteJWKSet, decodeJwt, jwtVerify } from "jose"
import * as oauth from "oauth4webapi"
import { devProvider } from "../../lib/testing.js"
import { Browser } from "../support/browser.js"
import { parseForms, visibleText } from "../support/html.js"
import { overNetwork } from "../support/network.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { BASIC, CALLBACK, CLIENT, formOf, get, type Params, relyingParty, VERIFIER } from "./support/relying-party.js"

failOnUnhandled()

let now = Date.now()
const redirectUris = ["https://app.test/callback"]
const dev = devProvider({ port: 0, ...CLIENT, redirectUris, clock: () => now })
const { authorizationUrl, answerTo, codeFor, post, redeem, refresh, userinfo } = relyingParty(dev)

beforeAll(() => dev.listen())
beforeEach(() => {
  dev.reset()
  now = Date.now()
})
afterAll(() => dev.close())

describe("devProvider() as an OpenID provider", () => {
  it("conforms to a strict client from discovery to userinfo", async () => {
    const insecure = { [oauth.allowInsecureRequests]: true }
    const issuer = new URL(dev.issuer)
    const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure))
    const client = { client_id: "the app" }
    dev.next({ as: "bob" })
    const params = oauth.validateAuthResponse(as, client, await answerTo({ max_age: "60" }), "a-state")
    const secret = oauth.ClientSecretBasic("p:a+s%s")
    const request = oauth.authorizationCodeGrantRequest(as, client, secret, params, CALLBACK, VERIFIER, insecure)
    const expected = { expectedNonce: "a-nonce", maxAge: 60, requireIdToken: true }
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, await request, expected)
    await jwtVerify(tokens.id_token ?? "", createRemoteJWKSet(new URL(as.jwks_uri ?? "")), { issuer: dev.issuer })
    const answer = await oauth.userInfoRequest(as, client, tokens.access_token, insecure)
    expect(await oauth.processUserInfoResponse(as, client, "bob", answer)).toEqual({
      ...{ sub: "bob", name: "Bob", email: "bob@example.com", email_verified: true },
    })
  })

  it("returns only the claims of the requested scope", async () => {
    const { body } = await redeem(await codeFor({ scope: "openid email" }))
    const claims = decodeJwt(String(body["id_token"]))
    expect(claims).toMatchObject({ email: "alice@example.com", email_verified: true })
    expect(claims).not.toHaveProperty("name")
  })

  it("ignores a user's own claims that would change the token's meaning", async () => {
    dev.next({ claims: { iss: "https://evil.test", aud: "other", sub: "root", exp: 1, nonce: "other" } })
    const { body } = await redeem((await answerTo()).get("code") ?? "")
    expect(decodeJwt(String(body["id_token"]))).toMatchObject({
      ...{ iss: dev.issuer, aud: "the app", sub: "alice", nonce: "a-nonce" },
    })
  })

  describe("shows an error page without a redirect for", () => {
    it.each<[string, Params]>([
      ["another client", { client_id: "other" }],
      ["no redirect_uri", { redirect_uri: undefined }],
      ["a redirect URI on another host", { redirect_uri: "https://evil.test/callback" }],
      ["a redirect URI that only begins like an allowed one", { redirect_uri: "https://app.test/callback/2" }],
      ["a host that only begins with localhost", { redirect_uri: "http://localhost.evil.test/" }],
      ["a script", { redirect_uri: "javascript:alert(1)//localhost" }],
    ])("%s", async (_, over) => {
      dev.next()
      const response = await get(authorizationUrl(over))
      expect(response.status).toBe(400)
      expect(response.headers.get("location")).toBeNull()
      expect(visibleText(await response.text())).toContain("The request failed")
    })
  })

  describe("redirects with an error for", () => {
    const PKCE = ["invalid_request", "PKCE is required: code_challenge, with code_challenge_method=S256"] as const
    it.each<[string, Params, readonly [error: string, description: string]]>([
      [
        "another response type",
        { response_type: "token" },
        ["unsupported_response_type", 'response_type must be "code"'],
      ],
      [
        "an unknown response mode",
        { response_mode: "fragment" },
        ["invalid_request", 'response_mode must be "query" or "form_post"'],
      ],
      ["a scope without openid", { scope: "email" }, ["invalid_scope", 'scope must contain "openid"']],
      ["no PKCE", { code_challenge: undefined }, PKCE],
      ["PKCE by plain", { code_challenge_method: "plain" }, PKCE],
      ["PKCE without a method", { code_challenge_method: undefined }, PKCE],
      ["an invalid max_age", { max_age: "-1" }, ["invalid_request", "max_age must be a number of seconds"]],
      [
        "prompt none with another value",
        { prompt: "none login" },
        ["invalid_request", 'prompt "none" cannot be combined with other values'],
      ],
      [
        "an unknown prompt",
        { prompt: "create" },
        ["invalid_request", "prompt must be one of none, login, consent, select_account"],
      ],
      ["a request object", { request: "e30.e30." }, ["request_not_supported", "request objects are not supported"]],
      [
        "a request_uri",
        { request_uri: "https://app.test/r" },
        ["request_uri_not_supported", "request objects are not supported"],
      ],
      ["prompt none without a session", { prompt: "none" }, ["login_required", expect.any(String)]],
    ])("%s", async (_, over, [error, error_description]) => {
      const answer = await answerTo(over)
      const told = { error, error_description, state: "a-state", iss: dev.issuer }
      expect(Object.fromEntries(answer)).toMatchObject(told)
      expect(answer.has("code")).toBe(false)
    })
  })

  it.each(["login", "consent", "select_account", "login consent"])("signs in with prompt %s", async (prompt) => {
    expect(await codeFor({ prompt })).not.toBe("")
  })

  it("signs in no user who was deleted meanwhile", async () => {
    dev.users.set("carol", { name: "Carol" })
    dev.next({ as: "carol" })
    dev.users.delete("carol")
    expect((await answerTo()).get("error")).toBe("access_denied")
  })

  it("redirects only to a configured redirect URI", async () => {
    dev.next()
    const { location } = await new Browser().get(authorizationUrl({ redirect_uri: "https://app.test/callback" }))
    expect(location).toMatch(/^https:\/\/app\.test\/callback\?code=/)
  })

  it("accepts a posted authorization request", async () => {
    const { search, pathname } = new URL(authorizationUrl())
    dev.next()
    const { location } = await new Browser().post(dev.issuer + pathname, new URLSearchParams(search))
    expect(new URL(location).searchParams.get("state")).toBe("a-state")
  })

  it("responds to form_post with an escaped form that also has a button", async () => {
    dev.next()
    const state = `"><script>alert(1)</script>`
    const response = await get(authorizationUrl({ response_mode: "form_post", state }))
    const html = await response.text()
    const [form] = parseForms(html)
    expect(form).toMatchObject({ action: CALLBACK, method: "POST", buttons: [{ label: "Continue" }] })
    expect(form?.fields).toMatchObject({ state, iss: dev.issuer, code: expect.any(String) })
    expect(html).not.toContain("<script>alert")
    const [, script = ""] = /<script>([^<]*)<\/script>/.exec(html) ?? []
    const hash = createHash("sha256").update(script).digest("base64")
    expect(response.headers.get("content-security-policy")).toContain(`script-src 'sha256-${hash}'`)
  })

  describe("remembers a browser", () => {
    it("for prompt=none, until max_age or a sign-out", async () => {
      const browser = new Browser()
      dev.next({ as: "bob" })
      await answerTo({}, browser)
      const silent = { prompt: "none" }
      const { body } = await redeem((await answerTo(silent, browser)).get("code") ?? "")
      expect(decodeJwt(String(body["id_token"]))).toMatchObject({ sub: "bob" })
      now += 120_000
      expect((await answerTo({ ...silent, max_age: "60" }, browser)).get("error")).toBe("login_required")
      expect((await answerTo({ ...silent, max_age: "180" }, browser)).has("code")).toBe(true)
      await browser.get(`${dev.issuer}/end-session`)
      expect((await answerTo(silent, browser)).get("error")).toBe("login_required")
    })

    it("and redirects after a sign-out if the application identifies itself", async () => {
      const { body } = await redeem(await codeFor())
      // An expired hint is accepted too.
      const hint = String(body["id_token"])
      const out = (params: Params) =>
        new Browser().get(
          `${dev.issuer}/end-session?${formOf({ post_logout_redirect_uri: "http://localhost:3000/", state: "s", ...params })}`,
        )
      expect((await out({ id_token_hint: hint })).location).toBe("http://localhost:3000/?state=s")
      expect((await out({ client_id: "the app" })).location).toBe("http://localhost:3000/?state=s")
      expect((await out({})).location).toBe("")
      expect((await out({ id_token_hint: `${hint.slice(0, -4)}AAAA` })).location).toBe("")
      const elsewhere = await out({ client_id: "the app", post_logout_redirect_uri: "https://evil.test/" })
      expect(visibleText(await elsewhere.text())).toContain("You are signed out at the provider")
    })
  })

  describe("its token endpoint", () => {
    it.each<[string, Params, Record<string, string> | undefined, number, string]>([
      ["another redirect_uri", { redirect_uri: `${CALLBACK}/` }, undefined, 400, "invalid_grant"],
      ["another verifier", { code_verifier: `${VERIFIER}x` }, undefined, 400, "invalid_grant"],
      ["no verifier", { code_verifier: undefined }, undefined, 400, "invalid_grant"],
      ["an unknown code", { code: randomUUID() }, undefined, 400, "invalid_grant"],
      ["no code", { code: undefined }, undefined, 400, "invalid_grant"],
      ["another grant type", { grant_type: "password" }, undefined, 400, "unsupported_grant_type"],
      ["no credentials", {}, {}, 401, "invalid_client"],
      ["the id without the secret", { client_id: "the app" }, {}, 401, "invalid_client"],
      ["a wrong secret", { client_id: "the app", client_secret: "p:a+s%S" }, {}, 401, "invalid_client"],
      ["a wrong id", { client_id: "app", client_secret: "p:a+s%s" }, {}, 401, "invalid_client"],
      [
        "an invalid Authorization header",
        {},
        { authorization: `Basic ${Buffer.from("%:%").toString("base64")}` },
        401,
        "invalid_client",
      ],
    ])("rejects %s", async (_, over, headers, status, error) => {
      const answer = await redeem(await codeFor(), over, headers)
      expect([answer.status, answer.body["error"]]).toEqual([status, error])
      expect(answer.headers.has("www-authenticate")).toBe(status === 401)
      expect(answer.headers.get("cache-control")).toBe("no-store")
    })

    it("accepts the secret in the body too", async () => {
      const { status } = await redeem(await codeFor(), { client_id: "the app", client_secret: "p:a+s%s" }, {})
      expect(status).toBe(200)
    })

    it("rejects a reused code and revokes its tokens", async () => {
      const code = await codeFor({ scope: "openid offline_access" })
      const { body } = await redeem(code)
      expect((await userinfo(body["access_token"])).status).toBe(200)
      expect((await redeem(code)).body["error"]).toBe("invalid_grant")
      const refused = await userinfo(body["access_token"])
      expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, 'Bearer error="invalid_token"'])
      const again = await refresh(body["refresh_token"])
      expect(again.body["error"]).toBe("invalid_grant")
    })

    it("rejects a code after a minute and an access token after an hour", async () => {
      const [late, inTime] = [await codeFor(), await codeFor()]
      now += 59_000
      const { body } = await redeem(inTime)
      now += 2_000
      expect((await redeem(late)).body["error"]).toBe("invalid_grant")
      now += 3_600_000
      expect((await userinfo(body["access_token"])).status).toBe(401)
    })

    it("issues single-use refresh tokens for offline_access", async () => {
      expect((await redeem(await codeFor())).body).not.toHaveProperty("refresh_token")
      const first = await redeem(await codeFor({ scope: "openid email offline_access" }))
      const second = await refresh(first.body["refresh_token"])
      expect(decodeJwt(String(second.body["id_token"]))).toMatchObject({ sub: "alice", email: "alice@example.com" })
      expect(decodeJwt(String(second.body["id_token"]))).not.toHaveProperty("nonce")
      expect((await refresh(first.body["refresh_token"])).body["error"]).toBe("invalid_grant")
      expect((await refresh(second.body["refresh_token"])).status).toBe(200)
    })

    it("rejects a repeated parameter", async () => {
      const body = `grant_type=authorization_code&code=a&code=b`
      const headers = { authorization: BASIC, "content-type": "application/x-www-form-urlencoded" }
      const response = await overNetwork(new Request(`${dev.issuer}/token`, { method: "POST", body, headers }))
      expect(await response.json()).toMatchObject({ error: "invalid_request" })
    })
  })

  it("rejects a wrong method, an unknown path, another host and a body that is too long", async () => {
    expect((await get(`${dev.issuer}/token`)).status).toBe(405)
    expect((await get(`${dev.issuer}/nothing`)).status).toBe(404)
    expect((await get(`${dev.issuer}/`)).status).toBe(200)
    const { port } = new URL(dev.issuer)
    const rebound = new Request(authorizationUrl().replace("127.0.0.1", "evil.test"))
    expect((await overNetwork(rebound, `http://127.0.0.1:${port}`)).status).toBe(421)
    expect((await post({ code: "a".repeat(70_000) })).status).toBe(413)
  })
})
