import * as oauth from "oauth4webapi"
import { Browser } from "../../support/browser.js"
import { type Person, type RealProvider, signInAtProvider, startRealProvider } from "../../support/real-provider.js"

const REDIRECT_URI = "http://app.test/auth/callback/real"
const OVER_HTTP = { [oauth.allowInsecureRequests]: true }

const registered = { client_id: "shop", client_secret: "a secret of the shop's own, long enough" }
const client: oauth.Client = { client_id: registered.client_id }
const authentication = oauth.ClientSecretBasic(registered.client_secret)

let op: RealProvider
let as: oauth.AuthorizationServer

beforeAll(async () => {
  op = await startRealProvider({ clients: [{ ...registered, redirect_uris: [REDIRECT_URI] }] })
  const issuer = new URL(op.issuer)
  as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, OVER_HTTP))
})
afterAll(() => op.close())

function authorizationUrl(parameters: Record<string, string>): string {
  const url = new URL(as.authorization_endpoint ?? "")
  const always = { client_id: client.client_id, redirect_uri: REDIRECT_URI, response_type: "code" }
  url.search = new URLSearchParams({ ...always, scope: "openid profile email", ...parameters }).toString()
  return url.href
}

async function signIn(browser: Browser, person: Person) {
  const verifier = oauth.generateRandomCodeVerifier()
  const [nonce, state] = [oauth.generateRandomNonce(), oauth.generateRandomState()]
  const challenge = await oauth.calculatePKCECodeChallenge(verifier)
  const url = authorizationUrl({ nonce, state, code_challenge: challenge, code_challenge_method: "S256" })
  const back = new URL(await signInAtProvider(browser, url, person))
  expect(back.href.startsWith(REDIRECT_URI)).toBe(true)
  const checked = oauth.validateAuthResponse(as, client, back, state)
  const options = OVER_HTTP
  const answer = await oauth.authorizationCodeGrantRequest(
    ...([as, client, authentication, checked, REDIRECT_URI, verifier, options] as const),
  )
  const tokens = await oauth.processAuthorizationCodeResponse(as, client, answer, { expectedNonce: nonce })
  await oauth.validateApplicationLevelSignature(as, answer, OVER_HTTP)
  return tokens
}

describe("the real provider", () => {
  it("signs in a user with code, PKCE and nonce", async () => {
    const tokens = await signIn(new Browser(), "alice")
    const alice = { sub: "alice", name: "Alice", email: "alice@example.com", email_verified: true }
    expect(oauth.getValidatedIdTokenClaims(tokens)).toMatchObject(alice)
    const answer = await oauth.userInfoRequest(as, client, tokens.access_token, OVER_HTTP)
    expect(await oauth.processUserInfoResponse(as, client, "alice", answer)).toMatchObject(alice)
    expect(op.requests).toContainEqual({ method: "POST", path: "/token" })
  })

  it("does not show its sign-in page to a user who is signed in", async () => {
    const browser = new Browser()
    await signIn(browser, "bob")
    const before = op.requests.length
    const tokens = await signIn(browser, "bob")
    expect(oauth.getValidatedIdTokenClaims(tokens)?.sub).toBe("bob")
    const paths = op.requests.slice(before).map(({ path }) => path)
    expect(paths).toContain("/auth")
    expect(paths.filter((path) => path.startsWith("/interaction/"))).toEqual([])
  })

  it("returns access_denied if the user refuses", async () => {
    const challenge = { code_challenge: "x".repeat(43), code_challenge_method: "S256" }
    const back = await signInAtProvider(new Browser(), authorizationUrl(challenge), "nobody")
    expect(new URL(back).searchParams.get("error")).toBe("access_denied")
  })

  it("signInAtProvider rejects the URL of the application's error page", async () => {
    const where = "http://app.test/auth/error?error=Configuration"
    await expect(signInAtProvider(new Browser(), where, "bob")).rejects.toThrow(`not an authorization URL: "${where}"`)
  })

  it("rejects a request without PKCE", async () => {
    const back = await signInAtProvider(new Browser(), authorizationUrl({}), "alice")
    expect(new URL(back).searchParams.get("error")).toBe("invalid_request")
  })

  it("accepts clients that are added later, and returns their configuration", async () => {
    await op.addClient({ client_id: "late", redirect_uris: ["http://late.test/cb"] })
    const challenge = { code_challenge: "x".repeat(43), code_challenge_method: "S256" }
    const url = authorizationUrl({ ...challenge, client_id: "late", redirect_uri: "http://late.test/cb" })
    expect(await signInAtProvider(new Browser(), url, "bob")).toMatch(/^http:\/\/late\.test\/cb\?code=/)
    await op.addClient({ client_id: "late", redirect_uris: ["http://moved.test/cb"] })
    expect((await new Browser().get(url)).status).toBe(400)
    expect(op.clients.map(({ client_id }) => client_id)).toEqual(["shop", "late"])
    expect(op.oidc()).toMatchObject({ type: "oidc", issuer: op.issuer, clientId: "shop" })
  })
})
