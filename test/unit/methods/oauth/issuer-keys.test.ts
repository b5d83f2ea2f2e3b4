import { createIssuerKeys } from "../../../../lib/methods/oauth/issuer-keys.js"
import { createSigningKey, publicJwk, type SigningKey, signIdToken } from "../../../support/faulty-provider/signing.js"
import { answering, failureOf } from "./answering.js"
import { NOW } from "./setting.js"

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

const keyOf = (key: SigningKey | undefined): SigningKey => {
  if (!key) throw new Error("the keys are made before the tests")
  return key
}

/** A token of this key, under this key's name. */
function tokenOf(key: SigningKey | undefined, named = key): Promise<string> {
  const [own, kid] = [keyOf(key), keyOf(named).kid]
  return signIdToken(
    { sub: "7" },
    { key: own, kid },
    { rsa: own, ec: own, unpublished: async () => own, clientSecret: "" },
  )
}

/** An issuer that shows these keys, and the keys that are kept of it. */
function issuer(...shown: readonly (SigningKey | undefined)[]) {
  const time = { now: NOW }
  const state = { answer: () => Response.json({ keys: shown.map((key) => publicJwk(keyOf(key))) }) }
  const { asked, fetch } = answering({ "/jwks": () => state.answer(), "/moved": () => state.answer() })
  const keys = createIssuerKeys(fetch, { ttlMs: 3_600_000, failureMs: 1_000, now: () => time.now })
  const verify = async (token: Promise<string>, { alg = "ES256", jwksUri = URI } = {}) =>
    keys.verify(await token, { alg, jwksUri })
  const show = (...next: readonly (SigningKey | undefined)[]) => {
    state.answer = () => Response.json({ keys: next.map((key) => publicJwk(keyOf(key))) })
  }
  return { time, state, asked, verify, show }
}

const WRONG = { code: "ERR_JWS_SIGNATURE_VERIFICATION_FAILED" }
const UNKNOWN = { code: "ERR_JWKS_NO_MATCHING_KEY" }

describe("an issuer's keys", () => {
  it("are fetched once, and verify its tokens", async () => {
    const { asked, verify } = issuer(first, second)
    await verify(tokenOf(first))
    await verify(tokenOf(second))
    expect(asked.map(({ url, headers }) => [url, headers.get("accept")])).toEqual([
      [URI, "application/json, application/jwk-set+json"],
    ])
  })

  it("verify by the algorithm that is asked for alone", async () => {
    const { verify } = issuer(first, rsa)
    await verify(tokenOf(rsa), { alg: "RS256" })
    expect(await failureOf(verify(tokenOf(first), { alg: "RS256" }))).toMatchObject({
      code: "ERR_JOSE_ALG_NOT_ALLOWED",
    })
  })

  it("are those at the address, where discovery moves it", async () => {
    const { asked, verify } = issuer(first)
    for (const jwksUri of [URI, "https://acme.test/moved", "https://acme.test/moved", URI])
      await verify(tokenOf(first), { jwksUri })
    expect(asked.map(({ url }) => url)).toEqual([URI, "https://acme.test/moved", URI])
  })

  it.each<[string, () => Response, object]>([
    ["another status", () => new Response("{}", { status: 404 }), { message: `${URI} answered with status 404` }],
    ["a status without an answer", () => new Response(null, { status: 204 }), { messageCode: "provider-unreachable" }],
    ["a page", () => new Response("<html>"), { message: MALFORMED }],
    ["a list", () => Response.json([]), { message: MALFORMED }],
    ["an object without keys", () => Response.json({}), { message: MALFORMED }],
    ["keys that are no list", () => Response.json({ keys: {} }), { message: MALFORMED }],
  ])("can't be %s", async (_name, answer, failure) => {
    const { state, verify } = issuer(first)
    state.answer = answer
    expect(await failureOf(verify(tokenOf(first)))).toMatchObject(failure)
  })

  it("are found among others that nobody understands (RFC 7517 §5)", async () => {
    const { state, verify } = issuer(first)
    const odd = [null, 7, "key", [], {}, { kty: 7 }, { kty: "new", kid: keyOf(first).kid }]
    state.answer = () => Response.json({ keys: [...odd, publicJwk(keyOf(first))] })
    await verify(tokenOf(first))
  })

  it("are never a secret that everybody could read", async () => {
    const { state, verify } = issuer(first)
    const secret = "a secret that stands in the open"
    const own = { ...keyOf(first), clientSecret: secret }
    const material = { rsa: own, ec: own, unpublished: async () => own, clientSecret: secret }
    const token = signIdToken({ sub: "7" }, { alg: "HS256-secret" }, material)
    const key = { kty: "oct", alg: "HS256", k: Buffer.from(secret).toString("base64url") }
    state.answer = () => Response.json({ keys: [key] })
    expect(await failureOf(verify(token, { alg: "HS256" }))).toMatchObject({ code: "ERR_JOSE_NOT_SUPPORTED" })
    expect(await failureOf(verify(tokenOf(first)))).toMatchObject(UNKNOWN)
  })
})

describe("OID-22: keys that do not verify a token", () => {
  it("are fetched once more at once for a key of another name", async () => {
    const { asked, verify, show } = issuer(first)
    await verify(tokenOf(first))
    show(second)
    await verify(tokenOf(second))
    expect(asked).toHaveLength(2)
  })

  it("are fetched for unknown names at most every five seconds", async () => {
    const { time, asked, verify } = issuer(first)
    await verify(tokenOf(first))
    for (const [after, count] of [
      [0, 2],
      [4_999, 2],
      [1, 3],
      [1, 3],
    ] as const) {
      time.now += after
      expect(await failureOf(verify(tokenOf(second)))).toMatchObject(UNKNOWN)
      expect(asked).toHaveLength(count)
    }
  })

  it("are not fetched for a wrong signature when they have just come, but later", async () => {
    const { time, asked, verify } = issuer(first)
    expect(await failureOf(verify(tokenOf(second, first)))).toMatchObject(WRONG)
    time.now += 4_999
    expect(await failureOf(verify(tokenOf(second, first)))).toMatchObject(WRONG)
    expect(asked).toHaveLength(1)
    time.now += 1
    expect(await failureOf(verify(tokenOf(second, first)))).toMatchObject(WRONG)
    expect(await failureOf(verify(tokenOf(second, first)))).toMatchObject(WRONG)
    expect(asked).toHaveLength(2)
  })

  it("may have been changed under the same name", async () => {
    const { time, state, verify } = issuer(first)
    await verify(tokenOf(first))
    time.now += 5_000
    state.answer = () => Response.json({ keys: [{ ...publicJwk(keyOf(second)), kid: keyOf(first).kid }] })
    await verify(tokenOf(second, first))
  })

  it("are fetched once for all who come at once", async () => {
    const { asked, verify, show } = issuer(first)
    await verify(tokenOf(first))
    show(second)
    await Promise.all(Array.from({ length: 5 }, () => verify(tokenOf(second))))
    expect(asked).toHaveLength(2)
  })

  it.each([5, 60_000, 24 * 3_600_000])("FLT-13: are fetched anew when the clock is set back by %d ms", async (ms) => {
    const { time, asked, verify, show } = issuer(first)
    await verify(tokenOf(first))
    expect(await failureOf(verify(tokenOf(second)))).toMatchObject(UNKNOWN)
    time.now += 10
    show(second)
    time.now -= 10 + ms
    await verify(tokenOf(second))
    expect(asked).toHaveLength(3)
  })

  it("FLT-13: are fetched for unknown names at most every five seconds by the new clock, too", async () => {
    const { time, asked, verify } = issuer(first)
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
      expect(asked).toHaveLength(count)
    }
  })
})
