import { createHash } from "node:crypto"
import type { AuthorizationServer } from "oauth4webapi"
import { peekClaims, requireValidIdToken } from "../../../../lib/methods/oauth/id-token.js"
import type { OIDCConfig } from "../../../../lib/providers/provider.js"
import type { Claims, ProviderMode } from "../../../support/faulty-provider/mode.js"
import { createSigningKey, publicJwk, type SigningKey, signIdToken } from "../../../support/faulty-provider/signing.js"
import { answering, failureOf } from "./answering.js"
import { NOW, providerOf, settingOf } from "./setting.js"

const ISSUER = "https://acme.test"
const ACCESS_TOKEN = "the access token"
const CLIENT_SECRET = "our-client-secret"
const SECONDS = NOW / 1000

let [key, other]: SigningKey[] = []
beforeAll(async () => {
  ;[key, other] = await Promise.all([createSigningKey("ES256"), createSigningKey("ES256")])
})

function requireKey(made: SigningKey | undefined): SigningKey {
  if (!made) throw new Error("the keys are made before the tests")
  return made
}

interface Given {
  readonly claims?: Claims
  readonly mode?: ProviderMode
  readonly provider?: Partial<OIDCConfig>
  readonly as?: Partial<AuthorizationServer>
}

/** Validates a token of the issuer's, and gives the addresses that were asked for it. */
async function validate({ claims, mode = {}, provider, as }: Given = {}): Promise<string[]> {
  const [own, unpublished] = [requireKey(key), requireKey(other)]
  const material = { rsa: own, ec: own, unpublished: async () => unpublished, clientSecret: CLIENT_SECRET }
  const id_token = await signIdToken({ sub: "7", iat: SECONDS, ...claims }, { alg: "ES256", ...mode }, material)
  const { asked, provider: fetching } = answering({ "/jwks": () => Response.json({ keys: [publicJwk(own)] }) })
  const ready = providerOf(settingOf({ type: "oidc", issuer: ISSUER, ...fetching, ...provider }))
  const server = { issuer: ISSUER, jwks_uri: `${ISSUER}/jwks`, ...as }
  await requireValidIdToken({ id_token, access_token: ACCESS_TOKEN }, { as: server, provider: ready, nowMs: NOW })
  return asked.map(({ url }) => url)
}

const trusting: Partial<OIDCConfig> = { verifyIdToken: false }
const named = (alg: string): ProviderMode => ({ header: (header) => ({ ...header, alg }) })

describe("the signature of an id_token", () => {
  const WRONG = { messageCode: "id-token-signature-wrong" }

  it("OID-01, OID-05: is verified by the issuer's keys", async () => {
    expect(await validate()).toEqual([`${ISSUER}/jwks`])
    expect(await failureOf(validate({ mode: { alg: "ES256-bad" } }))).toMatchObject({
      ...WRONG,
      message: "the id_token: signature verification failed",
    })
  })

  it("OID-02: is by one of them", async () => {
    expect(await failureOf(validate({ mode: { kid: "unknown" } }))).toMatchObject({
      ...WRONG,
      message: "the id_token: no applicable key found in the JSON Web Key Set",
    })
  })

  it("is that of a JWT: its header can be read", async () => {
    const provider = providerOf(settingOf({ type: "oidc", issuer: ISSUER }))
    const claims = Buffer.from(JSON.stringify({ sub: "7", iat: SECONDS })).toString("base64url")
    const tokens = { id_token: `x.${claims}.y`, access_token: ACCESS_TOKEN }
    const validating = requireValidIdToken(tokens, { as: { issuer: ISSUER }, provider, nowMs: NOW })
    await expect(validating).rejects.toThrow("the id_token is not a JWT")
  })

  it.each(["none", "None", "nOnE"] as const)(
    "OID-03: is there, even where the options trust it: not %s",
    async (alg) => {
      for (const provider of [{}, trusting])
        expect(await failureOf(validate({ mode: { alg }, provider }))).toMatchObject({
          ...WRONG,
          message: "the id_token is not signed",
        })
    },
  )

  it.each(["", undefined])("is named: not %j", async (alg) => {
    const mode = { header: (header: Claims) => ({ ...header, alg }) }
    expect(await failureOf(validate({ mode, provider: trusting }))).toMatchObject(WRONG)
  })

  it("is not looked at where the options trust the way it came", async () => {
    expect(await validate({ mode: { alg: "ES256-bad" }, provider: trusting })).toEqual([])
  })

  it("needs an address of keys, over https", async () => {
    // What a server leaves out is not there.
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

  it("keeps the failure that is none of the signature's", async () => {
    const error = await failureOf(validate({ as: { jwks_uri: "https://acme.test/elsewhere" } }))
    expect(error).toMatchObject({ messageCode: "provider-unreachable" })
  })
})

describe("OID-04: a signature with the client's secret", () => {
  const registered = (id_token_signed_response_alg: string) => ({ client: { id_token_signed_response_alg } })
  const mode: ProviderMode = { alg: "HS256-secret" }

  it("counts where the client was registered for it", async () => {
    expect(await validate({ mode, provider: registered("HS256") })).toEqual([])
    const provider = { ...registered("HS256"), clientSecret: async () => CLIENT_SECRET }
    expect(await validate({ mode, provider })).toEqual([])
  })

  it("is by that secret", async () => {
    for (const provider of [
      { ...registered("HS256"), clientSecret: "another" },
      { ...registered("HS256"), clientSecret: async () => "another" },
    ])
      expect(await failureOf(validate({ mode, provider }))).toMatchObject({
        messageCode: "id-token-signature-wrong",
        message: "the id_token: signature verification failed",
      })
  })

  it.each([[{}], [registered("ES256")], [registered("HS512")]])("counts in no other case: %j", async (provider) => {
    expect(await failureOf(validate({ mode, provider }))).toMatchObject({
      messageCode: "id-token-signature-wrong",
      message: "the id_token is signed with HS256, which this client is not registered for",
    })
  })

  it("is not made with what everybody knows", async () => {
    expect(
      await failureOf(validate({ mode: { alg: "HS256-public-key" }, provider: registered("HS256") })),
    ).toMatchObject({ messageCode: "id-token-signature-wrong" })
  })
})

describe("OID-17: at_hash (Core §3.1.3.6)", () => {
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
  ])("of a token that is signed with %s is by %s", async (alg, hash) => {
    const by = (at_hash: unknown) => validate({ claims: { at_hash }, mode: named(alg), provider: trusting })
    expect(await failureOf(by(half(hash)))).toBeUndefined()
    for (const wrong of [half(hash, "another"), half(hash).slice(1), `${half(hash)}x`, "", null, 7, [half(hash)]])
      expect(await failureOf(by(wrong))).toMatchObject({ message: "at_hash does not belong to the access token" })
  })

  it("is by the algorithm's own hash and no other", async () => {
    const claims = { at_hash: half("sha256") }
    for (const alg of ["ES384", "RS512", "EdDSA"])
      expect(await failureOf(validate({ claims, mode: named(alg), provider: trusting }))).toBeDefined()
  })

  it("can't be checked where nobody knows how", async () => {
    const claims = { at_hash: half("sha256") }
    expect(await failureOf(validate({ claims, mode: named("ES256K"), provider: trusting }))).toMatchObject({
      message: "at_hash can't be checked for ES256K",
    })
    expect(await failureOf(validate({ mode: named("ES256K"), provider: trusting }))).toBeUndefined()
  })
})

describe("what an id_token says", () => {
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
  ])("is looked at: %j", async (claims, message) => {
    expect(Object(await failureOf(validate({ claims }))).message).toBe(message)
  })

  it("is from the future by the clocks", async () => {
    expect(await failureOf(validate({ claims: { iat: SECONDS + 61 } }))).toMatchObject({ messageCode: "clock-skew" })
  })
})

describe("claims that are not believed yet", () => {
  it("are read", () => {
    expect(peekClaims(`${btoa('{"alg":"none"}')}.${btoa('{"a":1}')}.`)).toEqual({ a: 1 })
  })

  it.each(["", "a", "a.b", "a.b.c", "..", "....."])("are none in %j", (text) => {
    expect(() => peekClaims(text)).toThrow("the id_token is not a JWT")
    expect(() => peekClaims(text, "the answer")).toThrow("the answer is not a JWT")
  })
})
