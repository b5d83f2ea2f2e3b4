import * as oauth from "oauth4webapi"
import type { Flow } from "../../../../lib/methods/oauth/flow.js"
import { type Exchange, exchangeCode } from "../../../../lib/methods/oauth/token-request.js"
import type { EndpointHandler, OAuthConfig } from "../../../../lib/provider-kit/provider.js"
import { CODE, failureOf, fakeEndpoints, type Responses, TOKENS } from "./fake-endpoints.js"
import { BASE, createSite, NOW, providerOf } from "./test-site.js"

const REDIRECT_URI = `${BASE}/callback/acme`
const FLOW: Flow = { provider: "acme", state: "the state", verifier: "v".repeat(43), callbackUrl: BASE }

interface ExchangeOptions {
  readonly responses?: Responses
  readonly provider?: Partial<OAuthConfig>
  readonly flow?: Flow | undefined
  readonly dpop?: oauth.DPoPHandle
  /** The token endpoint in the provider's metadata. */
  readonly at?: string
}

/** Exchanges a code at a provider with these responses. */
async function runExchange(given: ExchangeOptions = {}) {
  const { responses, provider = {}, flow, at, dpop } = { flow: FLOW, ...given }
  const { requests, fetch } = fakeEndpoints(responses)
  const ready = providerOf(createSite(provider))
  const as = { ...(await ready.metadata.get()), ...(at !== undefined && { token_endpoint: at }) }
  const query = { code: CODE, state: "the state" }
  const exchange: Exchange = { as, provider: ready, flow, redirectUri: REDIRECT_URI, query, fetch, nowMs: NOW, dpop }
  const params = oauth.validateAuthResponse(as, ready.client, new URLSearchParams({ code: CODE }), oauth.skipStateCheck)
  return { ...(await exchangeCode(exchange, params)), requests, fetch }
}

const answer = (json: unknown, init?: ResponseInit): Responses => ({ "/token": () => Response.json(json, init) })
const withToken = (token: EndpointHandler): Partial<OAuthConfig> =>
  ({ token: { url: "https://acme.test/token", ...token } }) as Partial<OAuthConfig>

describe("exchangeCode (RFC 6749 §4.1.3)", () => {
  it("sends the code, the redirect URI, the verifier and the client's credentials", async () => {
    const { requests } = await runExchange()
    expect(requests.map(({ method, url }) => [method, url])).toEqual([["POST", "https://acme.test/token"]])
    expect(Object.fromEntries(new URLSearchParams(await requests[0]?.text()))).toEqual({
      grant_type: "authorization_code",
      code: CODE,
      redirect_uri: REDIRECT_URI,
      code_verifier: FLOW.verifier,
    })
    const credentials = Buffer.from("our-client:our-client-secret").toString("base64")
    expect(requests[0]?.headers.get("authorization")).toBe(`Basic ${credentials}`)
  })

  it("sends no verifier if the flow has none", async () => {
    const { verifier: _, ...withoutVerifier } = FLOW
    for (const flow of [withoutVerifier, undefined]) {
      const { requests } = await runExchange({ flow })
      expect(new URLSearchParams(await requests[0]?.text()).has("code_verifier")).toBe(false)
    }
  })

  it("rejects without a token endpoint", async () => {
    expect(await failureOf(runExchange({ at: "" }))).toMatchObject({ message: expect.stringMatching(/token_endpoint/) })
  })

  it("requires https, except for localhost or with allowInsecure", async () => {
    expect((await runExchange({ at: "http://localhost:8080/token" })).requests).toHaveLength(1)
    const at = "http://acme.test/token"
    expect(await failureOf(runExchange({ at }))).toMatchObject({
      messageCode: "provider-url-insecure",
      message: `${at} is not https; set allowInsecure: true to allow it`,
    })
    expect((await runExchange({ at, provider: { allowInsecure: true } })).requests).toHaveLength(1)
  })

  it("uses the response that conform() returns, or the original one", async () => {
    const conform = async (response: Response) => {
      const { accessToken } = await response.json()
      return accessToken === undefined ? undefined : Response.json({ ...TOKENS, access_token: accessToken })
    }
    const odd = await runExchange({ responses: answer({ accessToken: "repaired" }), provider: withToken({ conform }) })
    expect(odd.tokens.access_token).toBe("repaired")
    expect((await runExchange({ provider: withToken({ conform }) })).tokens.access_token).toBe(TOKENS.access_token)
  })
})

describe("exchangeCode with a key to which tokens are bound (RFC 9449)", () => {
  const bound = async (json: object, given: ExchangeOptions = {}, init?: ResponseInit) => {
    const dpop = oauth.DPoP({}, await oauth.generateKeyPair("ES256"))
    return runExchange({ dpop, responses: answer(json, init), ...given })
  }

  it("sends a proof, and accepts only a token that is bound to the key", async () => {
    const { requests, tokens } = await bound({ ...TOKENS, token_type: "DPoP" })
    expect(requests[0]?.headers.get("dpop")).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
    expect(tokens.token_type).toBe("dpop")
    expect((await runExchange()).requests[0]?.headers.has("dpop")).toBe(false)
    expect(await failureOf(bound({ ...TOKENS, token_type: "Bearer" }))).toMatchObject({
      messageCode: "dpop-unsupported",
      message: expect.stringContaining('a token of the type "Bearer", which is not bound to the key'),
    })
  })

  it("records in an error whether a proof was sent", async () => {
    const refused = { error: "invalid_dpop_proof" }
    const responses = answer(refused, { status: 400 })
    expect(await failureOf(bound(refused, {}, { status: 400 }))).toMatchObject({ usesDpop: true })
    expect(await failureOf(runExchange({ responses }))).toMatchObject({ usesDpop: false, offersDpop: false })
  })
})

it("exchangeCode limits the token to the configured APIs (RFC 8707)", async () => {
  const resource = ["https://api.acme.test/", "https://files.acme.test/"]
  const { requests } = await runExchange({ provider: { resource } })
  expect(new URLSearchParams(await requests[0]?.text()).getAll("resource")).toEqual(resource)
})

describe("exchangeCode with the provider's own token request", () => {
  const requesting = (request: NonNullable<EndpointHandler["request"]>, ...flow: (Flow | undefined)[]) =>
    runExchange({ provider: withToken({ request }), flow: flow.length > 0 ? flow[0] : FLOW })

  it("passes the parameters, the checks and the resolved client secret", async () => {
    const contexts: Record<string, unknown>[] = []
    const { fetch, requests } = await runExchange({
      provider: {
        ...withToken({ request: (context) => contexts.push(context) && TOKENS }),
        clientSecret: async () => "the secret of today",
      },
      flow: { ...FLOW, nonce: "the nonce" },
    })
    expect(requests).toEqual([])
    expect(contexts).toEqual([
      {
        params: { code: CODE, state: "the state" },
        checks: { code_verifier: FLOW.verifier, state: "the state", nonce: "the nonce" },
        provider: expect.objectContaining({ clientId: "our-client", clientSecret: "the secret of today" }),
        redirect_uri: REDIRECT_URI,
        fetch,
      },
    ])
  })

  it("passes the token endpoint's URL, also if it is discovered", async () => {
    const urls: unknown[] = []
    const token: EndpointHandler = { request: ({ provider }) => urls.push(provider.token.url) && TOKENS }
    await runExchange({ provider: withToken(token) })
    await runExchange({ provider: { token }, at: "https://acme.test/discovered" })
    await runExchange({ provider: { token } })
    expect(urls.map((url) => url instanceof URL && url.href)).toEqual([
      "https://acme.test/token",
      "https://acme.test/discovered",
      false,
    ])
  })

  it("refuses a discovered token endpoint that is not https, because the request sends the client secret", async () => {
    const token = { request: () => TOKENS }
    expect(await failureOf(runExchange({ provider: { token }, at: "http://acme.test/token" }))).toMatchObject({
      messageCode: "provider-url-insecure",
    })
  })

  it("passes empty checks if nothing is checked", async () => {
    const checks: unknown[] = []
    await requesting((context) => checks.push(context.checks) && TOKENS, undefined)
    expect(checks).toEqual([{}])
  })

  it.each<[string, unknown]>([
    ["a Response", Response.json(TOKENS)],
    [
      "an object with the members of a Response",
      { status: 200, headers: new Headers(), text: async () => JSON.stringify(TOKENS) },
    ],
    ["the tokens", TOKENS],
    ["tokens with the members status and text", { ...TOKENS, status: "ok", text: "yes" }],
    ["tokens with a numeric status", { ...TOKENS, status: 200 }],
    ["tokens with a function", { ...TOKENS, text: () => "yes" }],
    ["tokens in the member tokens", { tokens: TOKENS, more: 1 }],
  ])("accepts %s", async (_name, given) => {
    const { tokens } = await requesting(() => given)
    expect(tokens).toMatchObject({ access_token: "the access token", token_type: "bearer" })
  })

  it.each([null, "text", 7, true, [TOKENS]])("rejects %j", async (given) => {
    expect(await failureOf(requesting(() => given))).toMatchObject({
      message: "the token endpoint answered with status 200 and no JSON object",
    })
  })
})

describe("the token response of exchangeCode (RFC 6749 §5)", () => {
  const tokensOf = async (json: object) => (await runExchange({ responses: answer(json) })).tokens

  it("is returned with all its members", async () => {
    expect(await tokensOf({ ...TOKENS, refresh_token: "r", scope: "a b", more: { x: 1 } })).toEqual({
      access_token: "the access token",
      token_type: "bearer",
      refresh_token: "r",
      scope: "a b",
      more: { x: 1 },
    })
  })

  it.each([
    [3600, 3600],
    [1, 1],
    ["60", 60],
  ])("sets expires_at from expires_in %j, which is %j seconds", async (expires_in, seconds) => {
    expect(await tokensOf({ ...TOKENS, expires_in })).toMatchObject({
      expires_in: seconds,
      expires_at: NOW / 1000 + seconds,
    })
  })

  it("rounds expires_at down to whole seconds", async () => {
    const provider = providerOf(createSite())
    const as = await provider.metadata.get()
    const { fetch } = fakeEndpoints(answer({ ...TOKENS, expires_in: 10 }))
    const params = oauth.validateAuthResponse(as, provider.client, new URLSearchParams({ code: CODE }))
    const exchange = { as, provider, flow: FLOW, redirectUri: REDIRECT_URI, query: {}, fetch, nowMs: NOW + 999 }
    expect((await exchangeCode(exchange, params)).tokens.expires_at).toBe(NOW / 1000 + 10)
  })

  it("has no expires_at without expires_in", async () => {
    expect(await tokensOf(TOKENS)).not.toHaveProperty("expires_at")
    expect(await tokensOf({ ...TOKENS, expires_in: 0 })).not.toHaveProperty("expires_at")
  })

  it.each<[string, unknown]>([
    ["is not a number", ["3600"]],
    ["exceeds the range of dates", Math.floor(Number.MAX_SAFE_INTEGER / 1000) - NOW / 1000 + 1],
    ["is the largest number", Number.MAX_VALUE],
  ])("has no expires_at if expires_in %s", async (_what, expires_in) => {
    expect(await tokensOf({ ...TOKENS, expires_in })).not.toHaveProperty("expires_at")
  })

  it("has an expires_at at the end of the range of dates", async () => {
    const expires_in = Math.floor(Number.MAX_SAFE_INTEGER / 1000) - NOW / 1000
    expect(await tokensOf({ ...TOKENS, expires_in })).toMatchObject({ expires_at: NOW / 1000 + expires_in })
  })

  it("keeps the id_token of a plain OAuth provider without reading its claims", async () => {
    const { tokens, claims } = await runExchange({ responses: answer({ ...TOKENS, id_token: "no JWT" }) })
    expect([tokens.id_token, claims]).toEqual(["no JWT", undefined])
  })

  it.each<[string, Response, string, string | undefined]>([
    [
      "is not JSON",
      new Response("<html>", { status: 502 }),
      "the token endpoint answered with status 502 and no JSON",
      "provider-unreachable",
    ],
    [
      "is an array",
      Response.json([TOKENS]),
      "the token endpoint answered with status 200 and no JSON object",
      undefined,
    ],
    [
      "has tokens and another status",
      Response.json(TOKENS, { status: 201 }),
      "the token endpoint answered with status 201",
      "provider-unreachable",
    ],
    [
      "is an error without a code",
      Response.json({}, { status: 500 }),
      "the token endpoint answered with status 500",
      "provider-unreachable",
    ],
    [
      "is an error whose code is not a string",
      Response.json({ error: { code: 7 } }, { status: 400 }),
      "the token endpoint answered with status 400",
      "provider-unreachable",
    ],
  ])("is rejected if it %s", async (_name, response, message, messageCode) => {
    const error = await failureOf(runExchange({ responses: { "/token": () => response.clone() } }))
    expect(error).toMatchObject({ message })
    expect(Object(error).messageCode).toBe(messageCode)
  })

  it.each([200, 400, 401])("is rejected with the token endpoint's error code, with any status: %d", async (status) => {
    const refusal = { error: "invalid_grant", error_description: "too old" }
    expect(await failureOf(runExchange({ responses: answer(refusal, { status }) }))).toMatchObject({
      name: "TokenRefusal",
      isFromTokenEndpoint: true,
      code: "invalid_grant",
      message: `the token endpoint answered "invalid_grant" with status ${status}: too old`,
    })
    for (const error_description of [undefined, 7, null])
      expect(
        await failureOf(runExchange({ responses: answer({ ...refusal, error_description }, { status }) })),
      ).toMatchObject({ message: `the token endpoint answered "invalid_grant" with status ${status}` })
  })

  it("is accepted with an empty error beside the tokens", async () => {
    expect((await tokensOf({ ...TOKENS, error: "" })).access_token).toBe("the access token")
  })
})
