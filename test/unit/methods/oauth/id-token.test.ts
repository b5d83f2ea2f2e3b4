import { createHash } from "node:crypto"
import type { AuthorizationServer } from "oauth4webapi"
import { peekClaims, requireValidIdToken } from "../../../../lib/methods/oauth/id-token.js"
import type { OIDCConfig } from "../../../../lib/provider-kit/provider.js"
import type { Claims, ProviderMode } from "../../../support/faulty-provider/mode.js"
import { createSigningKey, publicJwk, type SigningKey, signIdToken } from "../../../support/faulty-provider/signing.js"
import { failureOf, fakeEndpoints } from "./fake-endpoints.js"
import { createSite, NOW, providerOf } from "./test-site.js"

const ISSUER = "https://acme.test"
const ACCESS_TOKEN = "the access token"
const CLIENT_SECRET = "our-client-secret"
const SECONDS = NOW / 1000

let [key, other]: SigningKey[] = []
beforeAll(async () => {
  ;[key, other] = await Promise.all([createSigningKey("ES256"), createSigningKey("ES256")])
})

function requireKey(made: SigningKey | undefined): SigningKey {
  if (!made) throw new Error("beforeAll has not created the keys")
  return made
}

interface Given {
  readonly claims?: Claims
  readonly mode?: ProviderMode
  readonly provider?: Partial<OIDCConfig>
  readonly as?: Partial<AuthorizationServer>
}

/** Validates a token of the issuer, and returns the URLs that were requested. */
async function validate({ claims, mode = {}, provider, as }: Given = {}): Promise<string[]> {
  const [own, unpublished] = [requireKey(key), requireKey(other)]
  const material = { rsa: own, ec: own, unpublished: async () => unpublished, clientSecret: CLIENT_SECRET }
  const id_token = await signIdToken({ sub: "7", iat: SECONDS, ...claims }, { alg: "ES256", ...mode }, material)
  const { requests, provider: fetching } = fakeEndpoints({ "/jwks": () => Response.json({ keys: [publicJwk(own)] }) })
  const ready = providerOf(createSite({ type: "oidc", issuer: ISSUER, ...fetching, ...provider }))
  const server = { issuer: ISSUER, jwks_uri: `${ISSUER}/jwks`, ...as }
  const tokens = { id_token, claims: peekClaims(id_token), access_token: ACCESS_TOKEN }
  await requireValidIdToken(tokens, { as: server, provider: ready, nowMs: NOW })
  return requests.map(({ url }) => url)
}

const unverified: Partial<OIDCConfig> = { verifyIdToken: false }
const withAlg = (alg: string): ProviderMode => ({ header: (header) => ({ ...header, alg }) })

describe("the signature check of requireValidIdToken", () => {
  const WRONG = { messageCode: "signature-wrong" }

  it("OID-01, OID-05: verifies the signature with the issuer's keys", async () => {
    expect(await validate()).toEqual([`${ISSUER}/jwks`])
    expect(await failureOf(validate({ mode: { alg: "ES256-bad" } }))).toMatchObject({
      ...WRONG,
      message: "the id_token: signature verification failed",
    })
  })

  it("OID-02: rejects an id_token that is signed by an unknown key", async () => {
    expect(await failureOf(validate({ mode: { kid: "unknown" } }))).toMatchObject({
      ...WRONG,
      message: "the id_token: no applicable key found in the JSON Web Key Set",
    })
  })

  it("rejects an id_token whose header can't be decoded", async () => {
    const provider = providerOf(createSite({ type: "oidc", issuer: ISSUER }))
    const claims = { sub: "7", iat: SECONDS }
    const payload = Buffer.from(JSON.stringify(claims)).toString("base64url")
    const tokens = { id_token: `x.${payload}.y`, claims, access_token: ACCESS_TOKEN }
    const validating = requireValidIdToken(tokens, { as: { issuer: ISSUER }, provider, nowMs: NOW })
    await expect(validating).rejects.toThrow("the id_token is not a JWT")
  })

  it.each(["none", "None", "nOnE"] as const)(
    "OID-03: rejects the alg %s, even with verifyIdToken: false",
    async (alg) => {
      for (const provider of [{}, unverified])
        expect(await failureOf(validate({ mode: { alg }, provider }))).toMatchObject({
          ...WRONG,
          message: "the id_token is not signed",
        })
    },
  )

  it.each(["", undefined])("rejects the alg %j, even with verifyIdToken: false", async (alg) => {
    const mode = { header: (header: Claims) => ({ ...header, alg }) }
    expect(await failureOf(validate({ mode, provider: unverified }))).toMatchObject(WRONG)
  })

  it("skips the verification with verifyIdToken: false", async () => {
    expect(await validate({ mode: { alg: "ES256-bad" }, provider: unverified })).toEqual([])
  })

  it("requires a jwks_uri over https", async () => {
    // The type requires a jwks_uri, but a provider may omit it.
    const without = { jwks_uri: undefined } as unknown as Partial<AuthorizationServer>
    const error = await failureOf(validate({ as: without }))
    expect(error).toMatchObject({
      message: "the provider's metadata has no jwks_uri to verify the id_token with",
    })
    expect(error).not.toHaveProperty("messageCode")
    expect(await failureOf(validate({ as: { jwks_uri: "http://acme.test/jwks" } }))).toMatchObject({
      messageCode: "provider-url-insecure",
    })
  })

  it("reports a failed request for the keys as provider-unreachable", async () => {
    const error = await failureOf(validate({ as: { jwks_uri: "https://acme.test/elsewhere" } }))
    expect(error).toMatchObject({ messageCode: "provider-unreachable" })
  })
})

describe("OID-04: requireValidIdToken with an HS256 signature", () => {
  const registered = (id_token_signed_response_alg: string) => ({ client: { id_token_signed_response_alg } })
  const mode: ProviderMode = { alg: "HS256-secret" }

  it("accepts the signature if the client is registered for HS256", async () => {
    expect(await validate({ mode, provider: registered("HS256") })).toEqual([])
    const provider = { ...registered("HS256"), clientSecret: async () => CLIENT_SECRET }
    expect(await validate({ mode, provider })).toEqual([])
  })

  it("rejects a signature with another secret", async () => {
    for (const provider of [
      { ...registered("HS256"), clientSecret: "another" },
      { ...registered("HS256"), clientSecret: async () => "another" },
    ])
      expect(await failureOf(validate({ mode, provider }))).toMatchObject({
        messageCode: "signature-wrong",
        message: "the id_token: signature verification failed",
      })
  })

  it.each([[{}], [registered("ES256")], [registered("HS512")]])(
    "rejects the signature if the client is registered for %j",
    async (provider) => {
      expect(await failureOf(validate({ mode, provider }))).toMatchObject({
        messageCode: "signature-wrong",
        message: "the id_token is signed with HS256, which this client is not registered for",
      })
    },
  )

  it("rejects a signature made with the public key", async () => {
    expect(
      await failureOf(validate({ mode: { alg: "HS256-public-key" }, provider: registered("HS256") })),
    ).toMatchObject({ messageCode: "signature-wrong" })
  })
})

describe("OID-17: the at_hash check of requireValidIdToken (Core §3.1.3.6)", () => {
  const half = (hash: string, text = ACCESS_TOKEN) => {
    const digest = createHash(hash).update(text).digest()
    return digest.subarray(0, digest.length / 2).toString("base64url")
  }

  it.each([
    ["RS256", "sha256"],
    ["ES384", "sha384"],
    ["PS512", "sha512"],
    ["EdDSA", "sha512"],
    ["Ed25519", "sha512"],
  ])("for alg %s uses the hash %s", async (alg, hash) => {
    const by = (at_hash: unknown) => validate({ claims: { at_hash }, mode: withAlg(alg), provider: unverified })
    expect(await failureOf(by(half(hash)))).toBeUndefined()
    for (const wrong of [half(hash, "another"), half(hash).slice(1), `${half(hash)}x`, "", null, 7, [half(hash)]])
      expect(await failureOf(by(wrong))).toMatchObject({ message: "at_hash does not belong to the access token" })
  })

  it("rejects the hash of another algorithm", async () => {
    const claims = { at_hash: half("sha256") }
    for (const alg of ["ES384", "RS512", "EdDSA"])
      expect(await failureOf(validate({ claims, mode: withAlg(alg), provider: unverified }))).toBeDefined()
  })

  it("rejects an at_hash for an unknown algorithm", async () => {
    const claims = { at_hash: half("sha256") }
    expect(await failureOf(validate({ claims, mode: withAlg("ES256K"), provider: unverified }))).toMatchObject({
      message: "at_hash can't be checked for ES256K",
    })
    expect(await failureOf(validate({ mode: withAlg("ES256K"), provider: unverified }))).toBeUndefined()
  })
})

describe("the claims check of requireValidIdToken", () => {
  const SUB = "the id_token's sub is not a text of 1 to 255 characters"
  const FUTURE = "the id_token is from the future: compare the clocks"
  const PARTY = "the id_token was issued to another party (azp)"

  it.each<[Claims, string | undefined]>([
    [{ sub: "x" }, undefined],
    [{ sub: "x".repeat(255) }, undefined],
    [{ sub: "x".repeat(256) }, SUB],
    [{ sub: "" }, SUB],
    [{ sub: 7 }, SUB],
    [{ sub: ["7"] }, SUB],
    [{ sub: undefined }, SUB],
    [{ iat: SECONDS + 60 }, undefined],
    [{ iat: SECONDS + 61 }, FUTURE],
    [{ iat: undefined }, undefined],
    [{ iat: "9999999999" }, undefined],
    [{ azp: "our-client" }, undefined],
    [{ azp: "another" }, PARTY],
    [{ azp: "" }, PARTY],
    [{ azp: null }, PARTY],
    [{ azp: ["our-client"] }, PARTY],
  ])("for the claims %j reports %s", async (claims, message) => {
    expect(Object(await failureOf(validate({ claims }))).message).toBe(message)
  })

  it("reports an iat in the future as clock skew", async () => {
    expect(await failureOf(validate({ claims: { iat: SECONDS + 61 } }))).toMatchObject({ messageCode: "clock-skew" })
  })
})

describe("peekClaims", () => {
  it("reads the claims without verifying the token", () => {
    expect(peekClaims(`${btoa('{"alg":"none"}')}.${btoa('{"a":1}')}.`)).toEqual({ a: 1 })
  })

  it.each(["", "a", "a.b", "a.b.c", "..", "....."])("throws for the malformed token %j", (text) => {
    expect(() => peekClaims(text)).toThrow("the id_token is not a JWT")
    expect(() => peekClaims(text, "the answer")).toThrow("the answer is not a JWT")
  })
})
