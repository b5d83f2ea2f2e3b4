import { startOAuth } from "../../../../lib/methods/oauth/start.js"
import type { OAuthConfig } from "../../../../lib/provider-kit/provider.js"
import { customFetch } from "../../../../lib/symbols.js"
import { recordedTrace, traceIdOf } from "./recorded-trace.js"
import { BASE, callOf, createSite, providerOf, type TestSite } from "./test-site.js"

async function startTraced(provider: Partial<OAuthConfig> = {}) {
  const site = createSite(provider)
  const { trace, lines } = recordedTrace()
  const call = { ...(await callOf(site, { path: "/signin/acme" })), trace }
  const reply = await startOAuth(call, providerOf(site), site.runtime)
  return { lines, params: new URL(reply.location ?? "").searchParams, trace }
}

const REQUEST_LINE = `requests https://acme.test/authorize with client_id "our-client", redirect_uri "${BASE}/callback/acme"`
const issuer = "https://acme.test"
const OIDC = { type: "oidc", issuer, [customFetch]: async () => Response.json({ issuer }) } as const

describe("the trace of startOAuth", () => {
  it.each<[Partial<OAuthConfig>, string]>([
    [{}, "pkce + state"],
    [OIDC, "pkce + state + nonce"],
    [{ checks: ["state"] }, "state"],
    [{ checks: ["pkce"] }, "pkce"],
    [{ ...OIDC, checks: ["nonce"] }, "nonce"],
  ])("logs the authorization request and its checks: %j", async (provider, checks) => {
    const { lines } = await startTraced(provider)
    const line = `${REQUEST_LINE}, scope "openid profile email", checks ${checks}`
    expect(lines).toEqual([["oauth", expect.stringMatching(/^flow [0-9A-Z]{4} 1\.1 /)]])
    expect(lines[0]?.[1].slice("flow XXXX 1.1 ".length)).toBe(line)
  })

  it("logs that nothing is checked, and gets no id from the flow", async () => {
    const { lines, trace } = await startTraced({
      checks: ["none"],
      authorization: { url: "https://acme.test/authorize", params: { scope: "" } },
    })
    expect(lines).toEqual([])
    trace.flush()
    expect(lines[0]?.[1]).toMatch(
      new RegExp(` 1\\.1 ${REQUEST_LINE.replace(/[.?]/g, "\\$&")}, scope null, checks none$`),
    )
  })

  it("derives its id from the state or the nonce of the request", async () => {
    const known: [Partial<OAuthConfig>, string][] = [
      [{}, "state"],
      [OIDC, "state"],
      [{ ...OIDC, checks: ["nonce"] }, "nonce"],
    ]
    for (const [provider, parameter] of known) {
      const { lines, params } = await startTraced(provider)
      expect(lines[0]?.[1].split(" ")[1]).toBe(traceIdOf(params.get(parameter) ?? ""))
    }
  })
})

describe("startOAuth at a faulty provider", () => {
  const failure = async (site: TestSite) =>
    startOAuth(await callOf(site, { path: "/signin/acme" }), providerOf(site), site.runtime).then(
      () => undefined,
      (error: unknown) => error,
    )
  const discovering = (answer: () => Response) =>
    createSite({
      ...OIDC,
      authorization: undefined,
      token: undefined,
      userinfo: undefined,
      [customFetch]: async () => answer(),
    })
  const metadata = { issuer, authorization_endpoint: "https://acme.test/authorize" }

  it.each<[string, () => Response]>([
    ["sign-in-not-started", () => Response.json({ issuer })],
    ["provider-url-insecure", () => Response.json({ issuer, authorization_endpoint: "http://acme.test/authorize" })],
    ["extension-required", () => Response.json({ ...metadata, require_signed_request_object: true })],
    ["endpoints-missing", () => Response.json({ ...metadata, require_pushed_authorization_requests: true })],
    ["issuer-mismatch", () => Response.json({ issuer: "https://other.test" })],
    ["provider-unreachable", () => new Response(null, { status: 503 })],
  ])("rejects with the code %s", async (messageCode, answer) => {
    expect(await failure(discovering(answer))).toMatchObject({ type: "OAuthSignInError", messageCode })
  })
})
