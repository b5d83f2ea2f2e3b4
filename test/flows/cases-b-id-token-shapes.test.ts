/**
 * Other shapes of what `cases-b-id-token.test.ts` refuses: the ways in which tokens were forged elsewhere.
 *
 * @module
 */
import { describeServers, shapesOn } from "../support/apps.js"
import { createSigningKey, publicJwk, type SigningKey } from "../support/faulty-provider/signing.js"
import { type Claims, type FaultyProvider, type ProviderMode, startFaultyProvider } from "../support/faulty-provider.js"
import { expectRefused } from "./support/expect-refused.js"
import { guardProcess } from "./support/guard.js"
import { flowCookies, type SiteOptions, sessionCookies, sessionOf, signIn, startSite } from "./support/site.js"

guardProcess()

let op: FaultyProvider
let attacker: SigningKey
let weak: SigningKey
beforeAll(async () => {
  op = await startFaultyProvider()
  attacker = await createSigningKey("RS256")
  weak = await createSigningKey("RS256", 1024)
})
beforeEach(() => op.reset())
afterAll(() => op.close())

/** The mode in which claims of the id_token are others. */
const claiming = (change: Claims): ProviderMode => ({ claims: (claims) => ({ ...claims, ...change }) })

/** The mode in which the finished id_token is changed on its way, by somebody without a key. */
const rewriting = (change: (parts: [header: string, payload: string, signature: string]) => string): ProviderMode => ({
  token: (json) => {
    const [header = "", payload = "", signature = ""] = String(json["id_token"]).split(".")
    return { ...json, id_token: change([header, payload, signature]) }
  },
})

const decode = (part: string): Claims => JSON.parse(Buffer.from(part, "base64url").toString())
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")

describeServers("what an id_token must be, in other shapes", (start, stage) => {
  const rows = shapesOn(stage)
  const site = (options?: SiteOptions) => startSite({ start, stage, op }, options)
  const refuses = async (mode: ProviderMode, reason: RegExp, options?: SiteOptions) =>
    expectRefused(await site(options), { mode, reason, tokenCalls: 1 })

  it.each(
    rows<[string, (mine: Claims) => Claims]>([
      ["as jwk", (jwk) => ({ jwk })],
      ["at an address, jku", () => ({ jku: `${op.base}/keys-of-an-attacker` })],
      ["as a certificate, x5c", () => ({ x5c: ["MIIB"], x5u: `${op.base}/keys-of-an-attacker` })],
    ]),
  )("OID-06: believes no key that the token itself brings along %s", async (_, carry) => {
    const header = (own: Claims) => ({ ...own, ...carry(publicJwk(attacker)) })
    // By the published key's name, and by its own.
    await refuses({ key: attacker, kid: op.keys.rsa.kid, header }, /signature verification failed/)
    await refuses({ key: attacker, header }, /no applicable key found/)
    expect(op.count("other")).toBe(0)
  })

  it.each(
    rows<[string, ProviderMode]>([
      ["whose claims were changed", rewriting(([h, p, s]) => `${h}.${encode({ ...decode(p), sub: "bob" })}.${s}`)],
      ["whose header was changed", rewriting(([h, p, s]) => `${encode({ ...decode(h), cty: "x" })}.${p}.${s}`)],
      ["whose signature was cut short", rewriting(([h, p, s]) => `${h}.${p}.${s.slice(0, -8)}`)],
      ["whose signature goes on", rewriting(([h, p, s]) => `${h}.${p}.${s}AAAA`)],
    ]),
  )("OID-01: refuses a token %s", (_, mode) => refuses(mode, /signature verification failed/))

  it.each(
    rows([
      ["all zero", Buffer.alloc(64)],
      ["of no bytes", Buffer.alloc(0)],
      ["all ones", Buffer.alloc(64, 255)],
    ]),
  )("OID-05: refuses an ES256 signature that is %s (CVE-2022-21449)", (_, signature) =>
    refuses(
      { alg: "ES256", ...rewriting(([h, p]) => `${h}.${p}.${signature.toString("base64url")}`) },
      /signature verification failed/,
    ),
  )

  it("OID-01: refuses an RSA key of 1024 bits, though the JWKS has it", () => {
    const jwks = ({ keys }: { keys: Claims[] }) => ({ keys: [...keys, publicJwk(weak)] })
    return refuses({ key: weak, jwks }, /modulusLength|2048/)
  })

  /** Refused with keys that are of no use, and let in by good ones a little later, not in an hour. */
  const refusesAndRecovers = async (mode: ProviderMode, reason: RegExp) => {
    let now = Date.now()
    const one = await site({ config: { clock: () => now } })
    const browser = one.app.browser()
    op.set(mode)
    const page = await signIn(browser, op)
    expect(page.location).toBe(`${one.app.origin}/auth/signin?error=OAuthCallbackError`)
    expect([sessionCookies(browser), flowCookies(browser), one.events]).toEqual([[], [], []])
    expect(one.failures().map(({ error }) => String(Object(error?.cause).err))).toEqual([expect.stringMatching(reason)])
    one.behave()
    now += 6_000
    await signIn(browser, op)
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "Alice" } })
  }

  it("OID-02: refuses a token that names the key of another algorithm", () =>
    refuses({ kid: op.keys.ec.kid }, /no applicable key found/))

  it.each(
    rows<[string, Claims]>([
      ["is for encryption", { use: "enc" }],
      ["has another algorithm", { alg: "PS256" }],
      ["may only encrypt", { key_ops: ["encrypt"] }],
    ]),
  )("OID-02: refuses a token by a key that %s", (_, change) => {
    const jwks = ({ keys }: { keys: Claims[] }) => ({ keys: keys.map((key) => ({ ...key, ...change })) })
    return refusesAndRecovers({ jwks }, /no applicable key found/)
  })

  it.each(rows(["RS384", "RS512", "PS256", "ES512", "HS512", "", 256, ["RS256"]]))(
    "OID-04: refuses a header that says alg %j over a good signature",
    (alg) => refuses({ header: (own) => ({ ...own, alg }) }, /alg/),
  )

  it.each(rows([{ crit: ["exp"] }, { crit: [] }, { crit: ["b64"], b64: false }, { b64: false, crit: "b64" }]))(
    "OID-03: refuses a header that demands what nobody here understands: %j",
    (demands) => refuses({ header: (own) => ({ ...own, ...demands }) }, /crit|b64/),
  )

  it.each(
    rows<[string, ProviderMode]>([
      ["five parts, encrypted", rewriting(([h, p, s]) => `${h}.${p}.${s}.${p}.${s}`)],
      ["two parts", rewriting(([h, p]) => `${h}.${p}`)],
      ["a header that is no JSON", rewriting(([, p, s]) => `e30e30.${p}.${s}`)],
      ["claims that are a list", rewriting(([h, , s]) => `${h}.${encode([])}.${s}`)],
      ["claims that are null", rewriting(([h, , s]) => `${h}.${encode(null)}.${s}`)],
      ["an object for a token", { token: (json) => ({ ...json, id_token: { sub: "bob" } }) }],
    ]),
  )("OID-03: refuses %s", (_, mode) => refuses(mode, /JWT|JSON|JWE|id_token/i))

  it.each(
    rows<[string, Claims, RegExp]>([
      ["a list with the right nonce", { nonce: ["x"] }, /nonce/],
      ["an object for a nonce", { nonce: {} }, /nonce/],
      ["the client's id in other letters", { aud: "LATCHKEY-TESTS" }, /"aud"/],
      ["a list within a list for aud", { aud: [["latchkey-tests"]] }, /"aud"/],
      ["true for exp", { exp: true }, /"exp"/],
      ["the beginning of 1970 for exp", { exp: 0 }, /"exp"/],
      ["an exp before 1970", { exp: -1 }, /"exp"/],
      ["an iat of next year", { iat: Math.floor(Date.now() / 1000) + 31_536_000 }, /from the future/],
      ["a list for iss", { iss: ["x"] }, /"iss"/],
      ["a sub in a list", { sub: ["alice"] }, /sub/],
      ["null for a sub", { sub: null }, /sub/],
      ["true for a sub", { sub: true }, /sub/],
      ["a list for azp", { azp: ["latchkey-tests"] }, /azp/],
      ["null for at_hash", { at_hash: null }, /at_hash/],
    ]),
  )("OID-07 to 17: refuse %s", (_, claims, reason) => refuses(claiming(claims), reason))

  it("OID-20: refuses a token without kid where several keys could have signed it, and takes it where one could", async () => {
    // Core §10.1: with several keys a kid must be there.
    const jwks = ({ keys }: { keys: Claims[] }) => ({ keys: [publicJwk(attacker), ...keys] })
    await refusesAndRecovers({ kid: "absent", jwks }, /multiple matching keys/)
    const one = await site({ mode: { kid: "absent" } })
    const browser = one.app.browser()
    await signIn(browser, op)
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it.each(
    rows<[string, (jwks: { keys: Claims[] }) => unknown, RegExp]>([
      ["keys without their numbers", ({ keys }) => ({ keys: keys.map(({ n: _, ...key }) => key) }), /JWK|key/i],
      ["no keys", () => ({ keys: [] }), /no applicable key found/],
      ["keys in an object", ({ keys }) => ({ keys: { ...keys } }), /Key Set/],
      ["keys of other kinds alone", () => ({ keys: [null, 1, [], { kty: 1 }] }), /no applicable key found/],
    ]),
  )("OID-23: refuses, and goes on when they are mended, where the JWKS has %s", (_, jwks, reason) =>
    refusesAndRecovers({ jwks }, reason),
  )

  it("OID-21: takes a new key under the old one's name, a little later at the latest", async () => {
    let now = Date.now()
    const { app } = await site({ config: { clock: () => now } })
    await signIn(app.browser(), op)
    const before = op.count("/jwks")
    const renewed = { ...(await createSigningKey("RS256")), kid: op.keys.rsa.kid }
    op.set({ key: renewed, jwks: () => ({ keys: [publicJwk(renewed)] }) })
    now += 6_000
    for (let i = 0; i < 2; i++) {
      const browser = app.browser()
      await signIn(browser, op)
      expect(await sessionOf(browser)).not.toBeNull()
    }
    expect(op.count("/jwks") - before).toBe(1)
  })
})
