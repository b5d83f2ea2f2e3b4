import type { Browser, Page } from "../../support/browser.js"
import type { RecordedRequest } from "../../support/faulty-provider.js"
import type { Run } from "./run.js"
import { CLIENT_CREDENTIALS } from "./suite-provider.js"

const REDIRECT_PATH = "/auth/callback/oidc"

const json = async (browser: Browser, path: string): Promise<unknown> => (await browser.get(path)).json()

/** Expects a session with the user from userinfo, and an empty log. */
export async function expectSignedIn({ origin }: Run, browser: Browser, page: Page): Promise<void> {
  expect(await json(browser, "/log")).toEqual([])
  expect([page.status, page.location]).toEqual([302, `${origin}/`])
  expect(await json(browser, "/me")).toMatchObject({ user: { name: "Alice", email: "alice@example.com" } })
}

/** Expects no session, an error on the sign-in page, and one logged reason. */
export async function expectRefused({ module, origin }: Run, browser: Browser, page: Page): Promise<void> {
  expect(page.status).toBe(302)
  const { origin: where, pathname, searchParams } = new URL(page.location)
  expect([where, pathname, searchParams.get("error")]).toEqual([origin, "/auth/signin", "OAuthCallbackError"])
  expect(await json(browser, "/me")).toBeNull()
  expect(browser.cookies().filter(({ name }) => name.includes("session-token"))).toEqual([])
  const shown = await browser.get(page.location)
  expect([shown.status, (await shown.text()).includes('role="alert"')]).toEqual([200, true])
  expect(await json(browser, "/log")).toEqual([expect.stringMatching(module.reason ?? /^$/)])
}

/** Expects exactly the module's requests, each conforming to the specifications. */
export function expectRequests(run: Run): void {
  const { op, module } = run
  const expected = module.rotatesKeys ? [...module.requests, ...module.requests.slice(1)] : module.requests
  expect(op.requests.map(({ endpoint }) => endpoint)).toEqual(expected)
  for (const request of op.requests) {
    expect(JSON.stringify(request.query)).not.toMatch(/access_token|client_secret/)
    if (request.endpoint === "authorize") expectAuthorization(run, request)
    if (request.endpoint === "token") expectTokenRequest(run, request)
    if (request.endpoint === "userinfo") expectUserinfoRequest(request)
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
