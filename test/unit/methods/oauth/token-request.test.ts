import * as oauth from "oauth4webapi"
import type { Flow } from "../../../../lib/methods/oauth/flow.js"
import { type Exchange, exchangeCode } from "../../../../lib/methods/oauth/token-request.js"
import type { EndpointHandler, OAuthConfig } from "../../../../lib/providers/provider.js"
import { type Answers, answering, CODE, failureOf, TOKENS } from "./answering.js"
import { BASE, NOW, providerOf, settingOf } from "./setting.js"

const REDIRECT_URI = `${BASE}/callback/acme`
const FLOW: Flow = { provider: "acme", state: "the state", verifier: "v".repeat(43), callbackUrl: BASE }

interface Asked {
  readonly answers?: Answers
  readonly provider?: Partial<OAuthConfig>
  readonly flow?: Flow | undefined
  /** Where the token endpoint is, by the provider's metadata. */
  readonly at?: string
}

/** Exchanges a code at a provider that answers so. */
async function exchanged(given: Asked = {}) {
  const { answers, provider = {}, flow, at } = { flow: FLOW, ...given }
  const { asked, fetch } = answering(answers)
  const ready = providerOf(settingOf(provider))
  const as = { ...(await ready.metadata.get()), ...(at !== undefined && { token_endpoint: at }) }
  const query = { code: CODE, state: "the state" }
  const exchange: Exchange = { as, provider: ready, flow, redirectUri: REDIRECT_URI, query, fetch, nowMs: NOW }
  const params = oauth.validateAuthResponse(as, ready.client, new URLSearchParams({ code: CODE }), oauth.skipStateCheck)
  return { ...(await exchangeCode(exchange, params)), asked, fetch }
}

const answer = (json: unknown, init?: ResponseInit): Answers => ({ "/token": () => Response.json(json, init) })
const withToken = (token: EndpointHandler): Partial<OAuthConfig> =>
  ({ token: { url: "https://acme.test/token", ...token } }) as Partial<OAuthConfig>

describe("the request for tokens (RFC 6749 §4.1.3)", () => {
  it("brings the code, its redirect URI, the verifier, and who asks", async () => {
    const { asked } = await exchanged()
    expect(asked.map(({ method, url }) => [method, url])).toEqual([["POST", "https://acme.test/token"]])
    expect(Object.fromEntries(new URLSearchParams(await asked[0]?.text()))).toEqual({
      grant_type: "authorization_code",
      code: CODE,
      redirect_uri: REDIRECT_URI,
      code_verifier: FLOW.verifier,
    })
    const credentials = Buffer.from("our-client:our-client-secret").toString("base64")
    expect(asked[0]?.headers.get("authorization")).toBe(`Basic ${credentials}`)
  })

  it("has no verifier where none was promised", async () => {
    const { verifier: _, ...promised } = FLOW
    for (const flow of [promised, undefined]) {
      const { asked } = await exchanged({ flow })
      expect(new URLSearchParams(await asked[0]?.text()).has("code_verifier")).toBe(false)
    }
  })

  it("needs an address", async () => {
    expect(await failureOf(exchanged({ at: "" }))).toMatchObject({ message: expect.stringMatching(/token_endpoint/) })
  })

  it("goes over https, or to this machine", async () => {
    expect((await exchanged({ at: "http://localhost:8080/token" })).asked).toHaveLength(1)
    const at = "http://acme.test/token"
    expect(await failureOf(exchanged({ at }))).toMatchObject({
      messageCode: "provider-url-insecure",
      message: `${at} is not https; set allowInsecure: true to use it all the same`,
    })
    expect((await exchanged({ at, provider: { allowInsecure: true } })).asked).toHaveLength(1)
  })

  it("has an answer that the provider may mend, or leave as it is", async () => {
    const conform = async (response: Response) => {
      const { accessToken } = await response.json()
      return accessToken === undefined ? undefined : Response.json({ ...TOKENS, access_token: accessToken })
    }
    const odd = await exchanged({ answers: answer({ accessToken: "mended" }), provider: withToken({ conform }) })
    expect(odd.tokens.access_token).toBe("mended")
    expect((await exchanged({ provider: withToken({ conform }) })).tokens.access_token).toBe(TOKENS.access_token)
  })
})

describe("a provider that requests tokens itself", () => {
  const requesting = (request: NonNullable<EndpointHandler["request"]>, ...flow: (Flow | undefined)[]) =>
    exchanged({ provider: withToken({ request }), flow: flow.length > 0 ? flow[0] : FLOW })

  it("gets what it needs for that, the secret as it is now", async () => {
    const contexts: Record<string, unknown>[] = []
    const { fetch, asked } = await exchanged({
      provider: {
        ...withToken({ request: (context) => contexts.push(context) && TOKENS }),
        clientSecret: async () => "the secret of today",
      },
      flow: { ...FLOW, nonce: "the nonce" },
    })
    expect(asked).toEqual([])
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

  it("gets no checks where nothing is checked", async () => {
    const checks: unknown[] = []
    await requesting((context) => checks.push(context.checks) && TOKENS, undefined)
    expect(checks).toEqual([{}])
  })

  it.each<[string, unknown]>([
    ["a Response", Response.json(TOKENS)],
    [
      "what has a Response's members",
      { status: 200, headers: new Headers(), text: async () => JSON.stringify(TOKENS) },
    ],
    ["the tokens", TOKENS],
    ["the tokens, with members of a Response's names", { ...TOKENS, status: "ok", text: "yes" }],
    ["the tokens, with a status", { ...TOKENS, status: 200 }],
    ["the tokens, with a function", { ...TOKENS, text: () => "yes" }],
    ["the tokens under their name", { tokens: TOKENS, more: 1 }],
  ])("may answer with %s", async (_name, given) => {
    const { tokens } = await requesting(() => given)
    expect(tokens).toMatchObject({ access_token: "the access token", token_type: "bearer" })
  })

  it.each([null, "text", 7, true, [TOKENS]])("may not answer with %j", async (given) => {
    expect(await failureOf(requesting(() => given))).toMatchObject({
      message: "the token endpoint answered with status 200 and no JSON object",
    })
  })
})

describe("an answer of the token endpoint (RFC 6749 §5)", () => {
  const tokensOf = async (json: object) => (await exchanged({ answers: answer(json) })).tokens

  it("is kept with all that it says", async () => {
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
  ])("says when its token expires: after %j seconds", async (expires_in, seconds) => {
    expect(await tokensOf({ ...TOKENS, expires_in })).toMatchObject({
      expires_in: seconds,
      expires_at: NOW / 1000 + seconds,
    })
  })

  it("counts whole seconds", async () => {
    const provider = providerOf(settingOf())
    const as = await provider.metadata.get()
    const { fetch } = answering(answer({ ...TOKENS, expires_in: 10 }))
    const params = oauth.validateAuthResponse(as, provider.client, new URLSearchParams({ code: CODE }))
    const exchange = { as, provider, flow: FLOW, redirectUri: REDIRECT_URI, query: {}, fetch, nowMs: NOW + 999 }
    expect((await exchangeCode(exchange, params)).tokens.expires_at).toBe(NOW / 1000 + 10)
  })

  it("that does not say when its token expires has no such time", async () => {
    expect(await tokensOf(TOKENS)).not.toHaveProperty("expires_at")
    expect(await tokensOf({ ...TOKENS, expires_in: 0 })).not.toHaveProperty("expires_at")
  })

  it.each<[string, unknown]>([
    ["is no number", ["3600"]],
    ["is beyond what dates can hold", Math.floor(Number.MAX_SAFE_INTEGER / 1000) - NOW / 1000 + 1],
    ["is beyond all numbers", Number.MAX_VALUE],
  ])("has no such time where it %s", async (_what, expires_in) => {
    expect(await tokensOf({ ...TOKENS, expires_in })).not.toHaveProperty("expires_at")
  })

  it("has it as far as dates go", async () => {
    const expires_in = Math.floor(Number.MAX_SAFE_INTEGER / 1000) - NOW / 1000
    expect(await tokensOf({ ...TOKENS, expires_in })).toMatchObject({ expires_at: NOW / 1000 + expires_in })
  })

  it("proves nothing by an id_token where it is plain OAuth's, and keeps it", async () => {
    const { tokens, claims } = await exchanged({ answers: answer({ ...TOKENS, id_token: "no JWT" }) })
    expect([tokens.id_token, claims]).toEqual(["no JWT", undefined])
  })

  it.each<[string, Response, string, string | undefined]>([
    [
      "is no JSON",
      new Response("<html>", { status: 502 }),
      "the token endpoint answered with status 502 and no JSON",
      "provider-unreachable",
    ],
    ["is a list", Response.json([TOKENS]), "the token endpoint answered with status 200 and no JSON object", undefined],
    [
      "has tokens and another status",
      Response.json(TOKENS, { status: 201 }),
      "the token endpoint answered with status 201",
      "provider-unreachable",
    ],
    [
      "says nothing of what is wrong",
      Response.json({}, { status: 500 }),
      "the token endpoint answered with status 500",
      "provider-unreachable",
    ],
    [
      "says it in no text",
      Response.json({ error: { code: 7 } }, { status: 400 }),
      "the token endpoint answered with status 400",
      "provider-unreachable",
    ],
  ])("is refused that %s", async (_name, response, message, messageCode) => {
    const error = await failureOf(exchanged({ answers: { "/token": () => response.clone() } }))
    expect(error).toMatchObject({ message })
    expect(Object(error).messageCode).toBe(messageCode)
  })

  it.each([200, 400, 401])("is a refusal with an error, whatever its status: %d", async (status) => {
    const told = { error: "invalid_grant", error_description: "too old" }
    expect(await failureOf(exchanged({ answers: answer(told, { status }) }))).toMatchObject({
      name: "TokenRefusal",
      code: "invalid_grant",
      message: `the token endpoint answered "invalid_grant" with status ${status}: too old`,
    })
    for (const error_description of [undefined, 7, null])
      expect(await failureOf(exchanged({ answers: answer({ ...told, error_description }, { status }) }))).toMatchObject(
        { message: `the token endpoint answered "invalid_grant" with status ${status}` },
      )
  })

  it("is none with an error beside its token", async () => {
    expect((await tokensOf({ ...TOKENS, error: "" })).access_token).toBe("the access token")
  })
})
