import { createIssuerKeys } from "../../../../lib/methods/oauth/issuer-keys.js"
import { createSigningKey, publicJwk, type SigningKey, signIdToken } from "../../../support/faulty-provider/signing.js"
import { failureOf, fakeEndpoints } from "./fake-endpoints.js"
import { NOW } from "./test-site.js"

const URI = "https://acme.test/jwks"
const MALFORMED = `${URI} did not answer with a JSON Web Key Set`

let [first, second, rsa]: SigningKey[] = []
beforeAll(async () => {
  ;[first, second, rsa] = await Promise.all([
    createSigningKey("ES256"),
    createSigningKey("ES256"),
    createSigningKey("RS256"),
  ])
})

const requireKey = (key: SigningKey | undefined): SigningKey => {
  if (!key) throw new Error("beforeAll has not created the keys")
  return key
}

/** A token signed by `key` under the key id of `named`. */
function tokenOf(key: SigningKey | undefined, named = key): Promise<string> {
  const [own, kid] = [requireKey(key), requireKey(named).kid]
  return signIdToken(
    { sub: "7" },
    { key: own, kid },
    { rsa: own, ec: own, unpublished: async () => own, clientSecret: "" },
  )
}

/** An issuer that publishes these keys, and the cache of its keys. */
function issuer(...published: readonly (SigningKey | undefined)[]) {
  const time = { now: NOW }
  const state = { answer: () => Response.json({ keys: published.map((key) => publicJwk(requireKey(key))) }) }
  const { requests, fetch } = fakeEndpoints({ "/jwks": () => state.answer(), "/moved": () => state.answer() })
  const keys = createIssuerKeys(fetch, { ttlMs: 3_600_000, failureTtlMs: 1_000, now: () => time.now })
  const verify = async (token: Promise<string>, { alg = "ES256", jwksUri = URI } = {}) =>
    keys.verify(await token, { alg, jwksUri })
  const publish = (...next: readonly (SigningKey | undefined)[]) => {
    state.answer = () => Response.json({ keys: next.map((key) => publicJwk(requireKey(key))) })
  }
  return { time, state, requests, verify, publish }
}

const WRONG = { code: "ERR_JWS_SIGNATURE_VERIFICATION_FAILED" }
const UNKNOWN = { code: "ERR_JWKS_NO_MATCHING_KEY" }

describe("createIssuerKeys", () => {
  it("fetches the keys once, and verifies tokens with them", async () => {
    const { requests, verify } = issuer(first, second)
    await verify(tokenOf(first))
    await verify(tokenOf(second))
    expect(requests.map(({ url, headers }) => [url, headers.get("accept")])).toEqual([
      [URI, "application/json, application/jwk-set+json"],
    ])
  })

  it("verifies with keys of the requested algorithm only", async () => {
    const { verify } = issuer(first, rsa)
    await verify(tokenOf(rsa), { alg: "RS256" })
    expect(await failureOf(verify(tokenOf(first), { alg: "RS256" }))).toMatchObject({
      code: "ERR_JOSE_ALG_NOT_ALLOWED",
    })
  })

  it("fetches the keys again if discovery returns another jwks_uri", async () => {
    const { requests, verify } = issuer(first)
    for (const jwksUri of [URI, "https://acme.test/moved", "https://acme.test/moved", URI])
      await verify(tokenOf(first), { jwksUri })
    expect(requests.map(({ url }) => url)).toEqual([URI, "https://acme.test/moved", URI])
  })

  it.each<[string, () => Response, object]>([
    ["status 404", () => new Response("{}", { status: 404 }), { message: `${URI} answered with status 404` }],
    ["status 204", () => new Response(null, { status: 204 }), { messageCode: "provider-unreachable" }],
    ["an HTML page", () => new Response("<html>"), { message: MALFORMED }],
    ["an array", () => Response.json([]), { message: MALFORMED }],
    ["an object without keys", () => Response.json({}), { message: MALFORMED }],
    ["keys that are not an array", () => Response.json({ keys: {} }), { message: MALFORMED }],
  ])("rejects %s as a key set", async (_name, answer, failure) => {
    const { state, verify } = issuer(first)
    state.answer = answer
    expect(await failureOf(verify(tokenOf(first)))).toMatchObject(failure)
  })

  it("ignores unknown keys in the set (RFC 7517 §5)", async () => {
    const { state, verify } = issuer(first)
    const odd = [null, 7, "key", [], {}, { kty: 7 }, { kty: "new", kid: requireKey(first).kid }]
    state.answer = () => Response.json({ keys: [...odd, publicJwk(requireKey(first))] })
    await verify(tokenOf(first))
  })

  it("rejects symmetric keys in the set, because everyone can read them", async () => {
    const { state, verify } = issuer(first)
    const secret = "a secret that is public"
    const own = { ...requireKey(first), clientSecret: secret }
    const material = { rsa: own, ec: own, unpublished: async () => own, clientSecret: secret }
    const token = signIdToken({ sub: "7" }, { alg: "HS256-secret" }, material)
    const key = { kty: "oct", alg: "HS256", k: Buffer.from(secret).toString("base64url") }
    state.answer = () => Response.json({ keys: [key] })
    expect(await failureOf(verify(token, { alg: "HS256" }))).toMatchObject({ code: "ERR_JOSE_NOT_SUPPORTED" })
    expect(await failureOf(verify(tokenOf(first)))).toMatchObject(UNKNOWN)
  })
})

describe("OID-22: createIssuerKeys with a token that no cached key verifies", () => {
  it("fetches the keys again at once for an unknown key id", async () => {
    const { requests, verify, publish } = issuer(first)
    await verify(tokenOf(first))
    publish(second)
    await verify(tokenOf(second))
    expect(requests).toHaveLength(2)
  })

  it("fetches the keys for unknown key ids at most every five seconds", async () => {
    const { time, requests, verify } = issuer(first)
    await verify(tokenOf(first))
    for (const [after, count] of [
      [0, 2],
      [4_999, 2],
      [1, 3],
      [1, 3],
    ] as const) {
      time.now += after
      expect(await failureOf(verify(tokenOf(second)))).toMatchObject(UNKNOWN)
      expect(requests).toHaveLength(count)
    }
  })

  it("fetches the keys for a wrong signature only if they are at least five seconds old", async () => {
    const { time, requests, verify } = issuer(first)
    expect(await failureOf(verify(tokenOf(second, first)))).toMatchObject(WRONG)
    time.now += 4_999
    expect(await failureOf(verify(tokenOf(second, first)))).toMatchObject(WRONG)
    expect(requests).toHaveLength(1)
    time.now += 1
    expect(await failureOf(verify(tokenOf(second, first)))).toMatchObject(WRONG)
    expect(await failureOf(verify(tokenOf(second, first)))).toMatchObject(WRONG)
    expect(requests).toHaveLength(2)
  })

  it("verifies with a new key that has the same key id", async () => {
    const { time, state, verify } = issuer(first)
    await verify(tokenOf(first))
    time.now += 5_000
    state.answer = () => Response.json({ keys: [{ ...publicJwk(requireKey(second)), kid: requireKey(first).kid }] })
    await verify(tokenOf(second, first))
  })

  it("fetches the keys once for concurrent calls", async () => {
    const { requests, verify, publish } = issuer(first)
    await verify(tokenOf(first))
    publish(second)
    await Promise.all(Array.from({ length: 5 }, () => verify(tokenOf(second))))
    expect(requests).toHaveLength(2)
  })

  it.each([5, 60_000, 24 * 3_600_000])(
    "FLT-13: fetches the keys again if the clock is set back by %d ms",
    async (ms) => {
      const { time, requests, verify, publish } = issuer(first)
      await verify(tokenOf(first))
      expect(await failureOf(verify(tokenOf(second)))).toMatchObject(UNKNOWN)
      time.now += 10
      publish(second)
      time.now -= 10 + ms
      await verify(tokenOf(second))
      expect(requests).toHaveLength(3)
    },
  )

  it("FLT-13: limits fetches for unknown key ids to one in five seconds after the clock was set back", async () => {
    const { time, requests, verify } = issuer(first)
    await verify(tokenOf(first))
    await failureOf(verify(tokenOf(second)))
    time.now -= 3_600_000
    for (const [after, count] of [
      [0, 4],
      [4_999, 4],
      [1, 5],
    ] as const) {
      time.now += after
      expect(await failureOf(verify(tokenOf(second)))).toMatchObject(UNKNOWN)
      expect(requests).toHaveLength(count)
    }
  })
})
