import * as oauth from "oauth4webapi"
import type { Flow } from "../../../../lib/methods/oauth/flow.js"
import { exchangeCode } from "../../../../lib/methods/oauth/token-request.js"
import type { OIDCConfig } from "../../../../lib/provider-kit/provider.js"
import { createSigningKey, publicJwk, type SigningKey, signIdToken } from "../../../support/faulty-provider/signing.js"
import { CODE, failureOf, fakeEndpoints, TOKENS } from "./fake-endpoints.js"
import { BASE, createSite, NOW, providerOf } from "./test-site.js"

const ISSUER = "https://acme.test"
const FLOW: Flow = { provider: "acme", nonce: "the nonce", verifier: "v".repeat(43), callbackUrl: BASE }
const SECONDS = NOW / 1000
const CLAIMS = {
  iss: ISSUER,
  aud: "our-client",
  sub: "7",
  iat: SECONDS,
  exp: SECONDS + 3600,
  nonce: "the nonce",
}

let key: SigningKey
let other: SigningKey
beforeAll(async () => {
  key = await createSigningKey("ES256")
  other = await createSigningKey("ES256")
})

interface Given {
  readonly claims?: object
  readonly answer?: object
  readonly provider?: Partial<OIDCConfig>
  readonly flow?: Flow | undefined
  readonly signer?: SigningKey
  readonly headers?: Record<string, string>
  readonly nowMs?: number
}

/** Exchanges a code at a provider that signs these claims. */
async function runExchange(given: Given = {}) {
  const { claims, answer = {}, provider, flow, signer = key, headers = {}, nowMs = NOW } = { flow: FLOW, ...given }
  const material = { rsa: key, ec: key, unpublished: async () => other, clientSecret: "" }
  const id_token = await signIdToken({ ...CLAIMS, ...claims }, { key: signer, kid: key.kid }, material)
  const {
    requests,
    fetch,
    provider: own,
  } = fakeEndpoints({
    "/.well-known/openid-configuration": () =>
      Response.json({
        issuer: ISSUER,
        token_endpoint: `${ISSUER}/token`,
        jwks_uri: `${ISSUER}/jwks`,
        id_token_signing_alg_values_supported: ["ES256"],
      }),
    "/jwks": () => Response.json({ keys: [publicJwk(key)] }),
    "/token": () => Response.json({ ...TOKENS, id_token, ...answer }, { headers }),
  })
  const site = createSite({ type: "oidc", issuer: ISSUER, ...own, ...provider })
  const ready = providerOf(site)
  const as = await ready.metadata.get()
  const exchange = {
    as,
    provider: ready,
    flow,
    redirectUri: `${BASE}/callback/acme`,
    query: { code: CODE },
    fetch,
    nowMs,
  }
  const params = oauth.validateAuthResponse(as, ready.client, new URLSearchParams({ code: CODE }), oauth.skipStateCheck)
  return { ...(await exchangeCode(exchange, params)), requests, id_token }
}

describe("exchangeCode at an OpenID provider", () => {
  it("returns the tokens with the validated claims", async () => {
    const { tokens, claims, id_token } = await runExchange()
    expect(claims).toEqual(CLAIMS)
    expect(tokens).toEqual({ access_token: "the access token", token_type: "bearer", id_token })
  })

  it.each<[string, Given, RegExp]>([
    ["a wrong nonce", { claims: { nonce: "another" } }, /nonce/],
    ["no nonce", { claims: { nonce: undefined } }, /nonce/],
    ["no id_token", { answer: { id_token: undefined } }, /id_token/],
    ["an id_token that is not a string", { answer: { id_token: 7 } }, /id_token/],
    [
      "a signature by another key",
      {
        get signer() {
          return other
        },
      },
      /signature verification failed/,
    ],
    ["another audience", { claims: { aud: "another" } }, /aud/],
    ["another issuer", { claims: { iss: "https://evil.test" } }, /iss/],
  ])("rejects %s", async (_name, given, reason) => {
    expect(await failureOf(runExchange(given))).toMatchObject({ message: expect.stringMatching(reason) })
  })

  it("rejects a nonce in the id_token if the flow has none", async () => {
    const { nonce: _, ...flow } = FLOW
    const withoutNonce = {
      provider: { checks: ["pkce"] } as Partial<OIDCConfig>,
      flow,
    }
    expect((await runExchange({ ...withoutNonce, claims: { nonce: undefined } })).claims).not.toHaveProperty("nonce")
    expect(await failureOf(runExchange(withoutNonce))).toMatchObject({ message: expect.stringMatching(/nonce/) })
    const none = { ...withoutNonce, flow: undefined, claims: { nonce: undefined } }
    expect((await runExchange(none)).claims).toMatchObject({ sub: "7" })
    // The error states that the id_token is missing.
    expect(await failureOf(runExchange({ ...none, answer: { id_token: undefined } }))).toMatchObject({
      message: expect.stringMatching(/"id_token"/),
    })
  })
})

describe("OID-52: exchangeCode with max_age", () => {
  it.each([
    [60, SECONDS - 60, true],
    [60, SECONDS - 100, false],
    [0, SECONDS, true],
    [0, SECONDS - 100, false],
    [60, undefined, false],
    [undefined, undefined, true],
    [undefined, SECONDS - 100_000, true],
  ])("of %j seconds and the auth_time %j accepts the id_token: %s", async (maxAge, auth_time, isAccepted) => {
    const flow = maxAge === undefined ? FLOW : { ...FLOW, maxAge }
    const error = await failureOf(runExchange({ claims: { auth_time }, flow }))
    expect(error === undefined).toBe(isAccepted)
    if (!isAccepted) expect(String(error)).toMatch(/auth_time|too much time/)
  })
})

describe("exchangeCode with issuerOf", () => {
  const tenant = "https://acme.test/tenant"
  const issuerOf: OIDCConfig["issuerOf"] = ({ tid }, issuer) => (tid === "ours" ? `${issuer}/tenant` : undefined)

  it("expects the issuer that issuerOf returns", async () => {
    const { claims } = await runExchange({ provider: { issuerOf }, claims: { tid: "ours", iss: tenant } })
    expect(claims).toMatchObject({ iss: tenant })
    expect(await failureOf(runExchange({ provider: { issuerOf }, claims: { tid: "ours" } }))).toMatchObject({
      message: expect.stringMatching(/"iss"/),
    })
  })

  it("rejects a tenant for which issuerOf returns undefined", async () => {
    expect(
      await failureOf(runExchange({ provider: { issuerOf }, claims: { tid: "evil", iss: tenant } })),
    ).toMatchObject({
      messageCode: "issuer-mismatch",
      message: "the token is from a tenant that is not allowed",
    })
  })

  it("rejects a response without an id_token", async () => {
    expect(await failureOf(runExchange({ provider: { issuerOf }, answer: { id_token: undefined } }))).toMatchObject({
      message: expect.stringMatching(/"id_token"/),
    })
  })
})

describe("exchangeCode with an expired id_token", () => {
  it("reports the clock skew that the Date header shows", async () => {
    const headers = { date: new Date(NOW).toUTCString() }
    const error = await failureOf(runExchange({ nowMs: NOW + 7_200_000, headers }))
    expect(error).toMatchObject({ messageCode: "clock-skew", message: expect.stringMatching(/7200 s ahead/) })
  })
})

it("exchangeCode rejects an encrypted id_token, and names the option that decrypts it", async () => {
  const id_token = "eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ.a.b.c.d"
  expect(await failureOf(runExchange({ answer: { id_token } }))).toMatchObject({
    messageCode: "extension-required",
    message: expect.stringContaining("conform"),
  })
})
