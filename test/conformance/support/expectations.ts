import type { Browser, Page } from "../../support/browser.js"
import type { RecordedRequest } from "../../support/faulty-provider.js"
import type { Run } from "./run.js"
import { CLIENT_CREDENTIALS } from "./suite-provider.js"

const REDIRECT_PATH = "/auth/callback/oidc"

export const readJson = async (browser: Browser, path: string): Promise<unknown> => (await browser.get(path)).json()

/** Expects a session with the user from userinfo, and an empty log. */
export async function expectSignedIn({ origin }: Run, browser: Browser, page: Page): Promise<void> {
  expect(await readJson(browser, "/log")).toEqual([])
  expect([page.status, page.location]).toEqual([302, `${origin}/`])
  expect(await readJson(browser, "/me")).toMatchObject({ user: { name: "Alice", email: "alice@example.com" } })
}

/** Expects no session, an error on the sign-in page, and one logged reason. */
export async function expectRefused({ module, origin }: Run, browser: Browser, page: Page): Promise<void> {
  expect(page.status).toBe(302)
  const { origin: pageOrigin, pathname, searchParams } = new URL(page.location)
  expect([pageOrigin, pathname, searchParams.get("error")]).toEqual([origin, "/auth/signin", "OAuthCallbackError"])
  expect(await readJson(browser, "/me")).toBeNull()
  expect(browser.cookies().filter(({ name }) => name.includes("session-token"))).toEqual([])
  const signInPage = await browser.get(page.location)
  expect([signInPage.status, (await signInPage.text()).includes('role="alert"')]).toEqual([200, true])
  expect(await readJson(browser, "/log")).toEqual([expect.stringMatching(module.reason ?? /^$/)])
}

/** Expects exactly the module's requests, each conforming to the specifications. */
export function expectRequests(run: Run): void {
  const { op, module } = run
  const expected = module.rotatesKeys ? [...module.requests, ...module.requests.slice(1)] : module.requests
  expect(op.requests.map(({ endpoint }) => endpoint)).toEqual(expected)
  for (const request of op.requests) {
    expect(JSON.stringify(request.query)).not.toMatch(/access_token|client_secret/)
    if (module.usesFapi) expectFapiRequest(run, request)
    else if (request.endpoint === "authorize") expectAuthorization(run, request)
    else if (request.endpoint === "token") expectTokenRequest(run, request)
    else if (request.endpoint === "userinfo") expectUserinfoRequest(request)
    else if (request.endpoint === "end_session") expectLogoutRequest(run, request)
  }
}

/** OpenID Connect Core §3.1.2.1 and RFC 7636 §4.3; state, nonce and challenge have 256 bits. */
function expectAuthorization({ origin, op, module }: Run, { query }: RecordedRequest): void {
  const { state, nonce, code_challenge, ...rest } = query
  expect(rest).toEqual({
    response_type: "code",
    client_id: op.client.clientId,
    redirect_uri: origin + REDIRECT_PATH,
    scope: "openid profile email",
    code_challenge_method: "S256",
    ...(module.usesFormPost && { response_mode: "form_post" }),
    ...module.asks,
  })
  for (const value of [state, nonce, code_challenge]) expect(value).toMatch(/^[\w.-]{43,}$/)
}

/** RFC 6749 §2.3.1 and §4.1.3, RFC 7636 §4.5. */
function expectTokenRequest({ origin }: Run, { method, headers, form }: RecordedRequest): void {
  const basic = Buffer.from(CLIENT_CREDENTIALS).toString("base64")
  expect([method, headers.authorization]).toEqual(["POST", `Basic ${basic}`])
  if (form["grant_type"] === "refresh_token") {
    // RFC 6749 §6.
    expect(form).toEqual({ grant_type: "refresh_token", refresh_token: expect.stringMatching(/^rt-/) })
    return
  }
  expect(form).toEqual({
    grant_type: "authorization_code",
    code: expect.stringMatching(/^code-/),
    redirect_uri: origin + REDIRECT_PATH,
    code_verifier: expect.stringMatching(/^[\w.~-]{43,128}$/),
  })
}

/** RFC 6750 §2.1. */
function expectUserinfoRequest({ method, headers, body }: RecordedRequest): void {
  expect([method, headers.authorization, body]).toEqual(["GET", expect.stringMatching(/^Bearer at-[\w-]+$/), ""])
}

/** FAPI 2.0 §5.3.2: the browser carries only a reference. The provider verifies proofs and assertions itself. */
function expectFapiRequest({ op }: Run, { endpoint, query, headers, form }: RecordedRequest): void {
  if (endpoint === "authorize")
    expect(query).toEqual({ client_id: op.client.clientId, request_uri: expect.stringMatching(/^urn:/) })
  if (endpoint === "par" || endpoint === "token")
    expect([headers.authorization, form["client_secret"]]).toEqual([undefined, undefined])
  if (endpoint === "par") expect(form["code_challenge_method"]).toBe("S256")
  if (endpoint === "userinfo") expect(headers.authorization).toMatch(/^DPoP at-/)
}

/** OpenID Connect RP-Initiated Logout 1.0 §2. */
function expectLogoutRequest({ origin, op }: Run, { method, query }: RecordedRequest): void {
  const { state, id_token_hint: hint, ...rest } = query
  expect([method, rest]).toEqual([
    "GET",
    { client_id: op.client.clientId, post_logout_redirect_uri: `${origin}/auth/post-logout/oidc` },
  ])
  expect(state).toMatch(/^[\w-]{43}$/)
  expect(op.secrets.has(hint ?? "")).toBe(true)
}
