import { sign } from "node:crypto"
import { createSigningKey, publicJwk, type SigningKey } from "../../../support/faulty-provider/signing.js"
import { CODE, failureOf, fakeEndpoints, finish } from "./fake-endpoints.js"
import { createSite, NOW, startFlow } from "./test-site.js"

const ISSUER = "https://acme.test"
const SECONDS = NOW / 1000

let key: SigningKey
let other: SigningKey
beforeAll(async () => {
  key = await createSigningKey("ES256")
  other = await createSigningKey("ES256")
})

/** Signs a response (JARM §2.1). The spaces in its header are valid, but the JWT does not begin with "eyJ" as most do. */
function signResponse(claims: object, { privateKey }: SigningKey = key): string {
  const parts = [`{ "alg": "ES256", "kid": "${key.kid}" }`, JSON.stringify(claims)]
  const input = parts.map((part) => Buffer.from(part).toString("base64url")).join(".")
  return `${input}.${sign("sha256", Buffer.from(input), { key: privateKey, dsaEncoding: "ieee-p1363" }).toString("base64url")}`
}

interface Given {
  readonly claims?: object
  readonly signer?: SigningKey
  readonly provider?: object
  /** Returns the query of the callback, which by default contains only the JWT. */
  readonly toQuery?: (response: string) => Record<string, string>
}

/** Starts a sign-in at a provider with signed responses, and finishes it with one. */
async function signInByJwt({ claims, signer, provider, toQuery = (response) => ({ response }) }: Given = {}) {
  const { provider: endpoints, requests } = fakeEndpoints({ "/jwks": () => Response.json({ keys: [publicJwk(key)] }) })
  const options = {
    issuer: ISSUER,
    jwks_endpoint: `${ISSUER}/jwks`,
    authorization: { url: `${ISSUER}/authorize`, params: { response_mode: "query.jwt" } },
    client: { authorization_signed_response_alg: "ES256" },
  }
  const site = createSite({ ...endpoints, ...options, ...provider })
  const { state, cookies } = await startFlow(site)
  const response = signResponse(
    { iss: ISSUER, aud: "our-client", exp: SECONDS + 60, code: CODE, state, ...claims },
    signer,
  )
  const identity = await finish(site, { cookies, query: toQuery(response) })
  return { identity, requests }
}

describe("finishOAuth with a signed response (JARM)", () => {
  it("sends the code in the response to the token endpoint", async () => {
    const { identity, requests } = await signInByJwt()
    expect(identity.account.providerAccountId).toBe("7")
    const request = requests.find(({ url }) => url === `${ISSUER}/token`)
    expect(new URLSearchParams(await request?.text()).get("code")).toBe(CODE)
  })

  it.each<[string, () => Given, string]>([
    ["signed with another key", () => ({ signer: other }), "the authorization response: signature verification failed"],
    [
      "of another issuer",
      () => ({ claims: { iss: "https://evil.test" } }),
      'the iss of the authorization response is not "https://acme.test"',
    ],
    [
      "for another client",
      () => ({ claims: { aud: "another" } }),
      "the aud of the authorization response does not contain the client id",
    ],
    ["that has expired", () => ({ claims: { exp: SECONDS - 30 } }), "the authorization response has expired"],
  ])("rejects a response %s", async (_, given, message) => {
    expect(await failureOf(signInByJwt(given()))).toMatchObject({
      type: "OAuthCallbackError",
      message: "the provider's response can't be used",
      cause: { provider: "acme", err: { message } },
    })
  })

  it("rejects an error in a response that the provider has not signed", async () => {
    expect(await failureOf(signInByJwt({ claims: { error: "access_denied" }, signer: other }))).toMatchObject({
      messageCode: "signature-wrong",
    })
    expect(await failureOf(signInByJwt({ claims: { error: "access_denied" } }))).toMatchObject({
      messageCode: "sign-in-cancelled",
      message: 'the provider answered "access_denied"',
    })
  })

  it("rejects plain parameters, which do not belong to this response mode", async () => {
    const checks = { checks: ["none"] }
    expect(await failureOf(signInByJwt({ provider: checks, toQuery: () => ({ code: CODE }) }))).toMatchObject({
      type: "OAuthCallbackError",
      messageCode: "provider-answer-invalid",
      cause: { provider: "acme", err: { message: "the authorization response is not a JWT" } },
    })
  })

  it("masks the response in an error of the provider's own functions", async () => {
    const request = ({ params }: { params: Record<string, string> }) => {
      throw new Error(`no tokens for ${params["response"]}`)
    }
    expect(await failureOf(signInByJwt({ provider: { token: { request } } }))).toMatchObject({
      cause: { err: { message: "no tokens for [masked]" } },
    })
  })
})
