/**
 * Further forged id_tokens, beyond those in `id-token.test.ts`: known attacks on other libraries.
 *
 * @module
 */
import { describeServers, shapesOn } from "../../support/apps.js"
import { createSigningKey, publicJwk, type SigningKey } from "../../support/faulty-provider/signing.js"
import type { Claims, ProviderMode } from "../../support/faulty-provider.js"
import { expectRefused } from "../support/expect-refused.js"
import { guardProcess } from "../support/guard.js"
import { flowCookies, type SiteOptions, sessionCookies, sessionOf, signIn, startSite } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()
let attacker: SigningKey
let weak: SigningKey
beforeAll(async () => {
  attacker = await createSigningKey("RS256")
  weak = await createSigningKey("RS256", 1024)
})

/** Changes claims of the id_token. */
const claiming = (change: Claims): ProviderMode => ({ claims: (claims) => ({ ...claims, ...change }) })

/** Changes the signed id_token without signing it again. */
const rewriting = (change: (parts: [header: string, payload: string, signature: string]) => string): ProviderMode => ({
  token: (json) => {
    const [header = "", payload = "", signature = ""] = String(json["id_token"]).split(".")
    return { ...json, id_token: change([header, payload, signature]) }
  },
})

const decode = (part: string): Claims => JSON.parse(Buffer.from(part, "base64url").toString())
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")

describeServers("id_token validation: further variants", (start, stage) => {
  const rows = shapesOn(stage)
  const createSite = (options?: SiteOptions) => startSite({ start, stage, op }, options)
  const refuses = async (mode: ProviderMode, reason: RegExp, options?: SiteOptions) =>
    expectRefused(await createSite(options), { mode, reason, tokenCalls: 1 })

  it.each(
    rows<[string, (mine: Claims) => Claims]>([
      ["as a JWK (jwk)", (jwk) => ({ jwk })],
      ["by URL (jku)", () => ({ jku: `${op.base}/keys-of-an-attacker` })],
      ["as a certificate (x5c)", () => ({ x5c: ["MIIB"], x5u: `${op.base}/keys-of-an-attacker` })],
    ]),
  )("OID-06: ignores a key that the token's header provides %s", async (_, carry) => {
    const header = (own: Claims) => ({ ...own, ...carry(publicJwk(attacker)) })
    // With the kid of the published key, and with its own.
    await refuses({ key: attacker, kid: op.keys.rsa.kid, header }, /signature verification failed/)
    await refuses({ key: attacker, header }, /no applicable key found/)
    expect(op.count("other")).toBe(0)
  })

  it.each(
    rows<[string, ProviderMode]>([
      ["whose claims were changed", rewriting(([h, p, s]) => `${h}.${encode({ ...decode(p), sub: "bob" })}.${s}`)],
      ["whose header was changed", rewriting(([h, p, s]) => `${encode({ ...decode(h), cty: "x" })}.${p}.${s}`)],
      ["whose signature is truncated", rewriting(([h, p, s]) => `${h}.${p}.${s.slice(0, -8)}`)],
      ["whose signature has extra bytes", rewriting(([h, p, s]) => `${h}.${p}.${s}AAAA`)],
    ]),
  )("OID-01: rejects a token %s", (_, mode) => refuses(mode, /signature verification failed/))

  it.each(
    rows([
      ["all zeros", Buffer.alloc(64)],
      ["empty", Buffer.alloc(0)],
      ["all ones", Buffer.alloc(64, 255)],
    ]),
  )("OID-05: rejects an ES256 signature that is %s (CVE-2022-21449)", (_, signature) =>
    refuses(
      { alg: "ES256", ...rewriting(([h, p]) => `${h}.${p}.${signature.toString("base64url")}`) },
      /signature verification failed/,
    ),
  )

  it("OID-01: rejects a signature by a 1024-bit RSA key even if the key is in the JWKS", () => {
    const jwks = ({ keys }: { keys: Claims[] }) => ({ keys: [...keys, publicJwk(weak)] })
    return refuses({ key: weak, jwks }, /modulusLength|2048/)
  })

  /** Expects a rejection with unusable keys, and a successful sign-in six seconds later with valid ones. */
  const refusesAndRecovers = async (mode: ProviderMode, reason: RegExp) => {
    let now = Date.now()
    const site = await createSite({ config: { clock: () => now } })
    const browser = site.app.browser()
    op.set(mode)
    const page = await signIn(browser, op)
    expect(page.location).toBe(`${site.app.origin}/auth/signin?error=OAuthCallbackError`)
    expect([sessionCookies(browser), flowCookies(browser), site.events]).toEqual([[], [], []])
    expect(site.failures().map(({ error }) => String(Object(error?.cause).err))).toEqual([
      expect.stringMatching(reason),
    ])
    site.behave()
    now += 6_000
    await signIn(browser, op)
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "Alice" } })
  }

  it("OID-02: rejects a token whose kid names a key for another algorithm", () =>
    refuses({ kid: op.keys.ec.kid }, /no applicable key found/))

  it.each(
    rows<[string, Claims]>([
      ["is for encryption (use)", { use: "enc" }],
      ["has another alg", { alg: "PS256" }],
      ["is for encryption (key_ops)", { key_ops: ["encrypt"] }],
    ]),
  )("OID-02: rejects a token that is signed with a key that %s", (_, change) => {
    const jwks = ({ keys }: { keys: Claims[] }) => ({ keys: keys.map((key) => ({ ...key, ...change })) })
    return refusesAndRecovers({ jwks }, /no applicable key found/)
  })

  it.each(rows(["RS384", "RS512", "PS256", "ES512", "HS512", "", 256, ["RS256"]]))(
    "OID-04: rejects alg %j in the header of a token with a valid RS256 signature",
    (alg) => refuses({ header: (own) => ({ ...own, alg }) }, /alg/),
  )

  it.each(rows([{ crit: ["exp"] }, { crit: [] }, { crit: ["b64"], b64: false }, { b64: false, crit: "b64" }]))(
    "OID-03: rejects unsupported critical header parameters: %j",
    (demands) => refuses({ header: (own) => ({ ...own, ...demands }) }, /crit|b64/),
  )

  it.each(
    rows<[string, ProviderMode]>([
      ["five parts, like a JWE", rewriting(([h, p, s]) => `${h}.${p}.${s}.${p}.${s}`)],
      ["two parts", rewriting(([h, p]) => `${h}.${p}`)],
      ["a header that is not JSON", rewriting(([, p, s]) => `e30e30.${p}.${s}`)],
      ["claims that are an array", rewriting(([h, , s]) => `${h}.${encode([])}.${s}`)],
      ["claims that are null", rewriting(([h, , s]) => `${h}.${encode(null)}.${s}`)],
      ["an object instead of a string", { token: (json) => ({ ...json, id_token: { sub: "bob" } }) }],
    ]),
  )("OID-03: rejects a malformed id_token: %s", (_, mode) => refuses(mode, /JWT|JSON|JWE|id_token/i))

  it.each(
    rows<[string, Claims, RegExp]>([
      ["a nonce that is an array", { nonce: ["x"] }, /nonce/],
      ["a nonce that is an object", { nonce: {} }, /nonce/],
      ["an aud in another case", { aud: "LATCHKEY-TESTS" }, /"aud"/],
      ["an aud that is a nested array", { aud: [["latchkey-tests"]] }, /"aud"/],
      ["an exp that is true", { exp: true }, /"exp"/],
      ["an exp of 0", { exp: 0 }, /"exp"/],
      ["a negative exp", { exp: -1 }, /"exp"/],
      ["an iat one year in the future", { iat: Math.floor(Date.now() / 1000) + 31_536_000 }, /from the future/],
      ["an iss that is an array", { iss: ["x"] }, /"iss"/],
      ["a sub that is an array", { sub: ["alice"] }, /sub/],
      ["a sub that is null", { sub: null }, /sub/],
      ["a sub that is true", { sub: true }, /sub/],
      ["an azp that is an array", { azp: ["latchkey-tests"] }, /azp/],
      ["an at_hash that is null", { at_hash: null }, /at_hash/],
    ]),
  )("OID-07 to 17: rejects %s", (_, claims, reason) => refuses(claiming(claims), reason))

  it("OID-20: rejects a token without kid if several keys match, and accepts it if one key matches", async () => {
    // OpenID Connect Core §10.1: a kid is required if the JWKS has several keys.
    const jwks = ({ keys }: { keys: Claims[] }) => ({ keys: [publicJwk(attacker), ...keys] })
    await refusesAndRecovers({ kid: "absent", jwks }, /multiple matching keys/)
    const site = await createSite({ mode: { kid: "absent" } })
    const browser = site.app.browser()
    await signIn(browser, op)
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it.each(
    rows<[string, (jwks: { keys: Claims[] }) => unknown, RegExp]>([
      ["RSA keys without a modulus", ({ keys }) => ({ keys: keys.map(({ n: _, ...key }) => key) }), /JWK|key/i],
      ["no keys", () => ({ keys: [] }), /no applicable key found/],
      ["an object instead of an array", ({ keys }) => ({ keys: { ...keys } }), /Key Set/],
      ["only malformed keys", () => ({ keys: [null, 1, [], { kty: 1 }] }), /no applicable key found/],
    ]),
  )("OID-23: rejects tokens while the JWKS has %s, and accepts them afterwards", (_, jwks, reason) =>
    refusesAndRecovers({ jwks }, reason),
  )

  it("OID-21: accepts a new key with the kid of the old one within six seconds", async () => {
    let now = Date.now()
    const { app } = await createSite({ config: { clock: () => now } })
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
