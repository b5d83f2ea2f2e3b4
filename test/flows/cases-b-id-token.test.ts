import type { TokenSet } from "../../lib/types.js"
import { describeServers, shapesOn } from "../support/apps.js"
import { type Claims, type FaultyProvider, type ProviderMode, startFaultyProvider } from "../support/faulty-provider.js"
import { expectRefused } from "./support/expect-refused.js"
import { guardProcess } from "./support/guard.js"
import { begin, param, type SiteOptions, sessionOf, signIn, startSite } from "./support/site.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
beforeEach(() => op.reset())
afterAll(() => op.close())

/** The mode in which claims of the id_token are others. */
const claiming = (change: Claims | ((claims: Claims) => Claims)): ProviderMode => ({
  claims: (claims) => (typeof change === "function" ? change(claims) : { ...claims, ...change }),
})

const HOUR = 3600
const now = () => Math.floor(Date.now() / 1000)

describeServers("what an id_token must be", (start, stage) => {
  const rows = shapesOn(stage, "Auth()")
  const site = (options?: SiteOptions) => startSite({ start, stage, op }, options)
  const refuses = async (mode: ProviderMode, reason: RegExp, options?: SiteOptions) =>
    expectRefused(await site(options), { mode, reason, tokenCalls: 1 })

  it("OID-01: refuses a signature by a key that is not the named one", async () => {
    await refuses({ sig: "other-key" }, /signature verification failed/)
    expect(op.count("/jwks")).toBe(1)
  })

  it("OID-01: refuses an id_token whose signature was taken off", () =>
    refuses({ sig: "stripped" }, /signature verification failed/))

  it("OID-02: refuses a kid that the JWKS lacks, after fetching it once more and not again for a while", async () => {
    const { app } = await site()
    const browser = app.browser()
    await signIn(browser, op)
    const warm = op.count("/jwks")
    op.set({ kid: "unknown" })
    for (let i = 0; i < 3; i++) expect((await signIn(app.browser(), op)).location).toContain("error=OAuthCallbackError")
    expect(op.count("/jwks") - warm).toBe(1)
    await refuses({ kid: "unknown" }, /no applicable key found/)
  })

  it.each(rows(["none", "None", "nOnE"] as const))("OID-03: refuses an id_token with alg %s, signed by nobody", (alg) =>
    refuses({ alg }, /alg/),
  )

  it.each(rows(["none", "None", "nOnE"] as const))("OID-03: refuses alg %s also where discovery lists it", (alg) => {
    const discovery = (document: Claims) => ({ ...document, id_token_signing_alg_values_supported: ["RS256", alg] })
    return refuses({ alg }, /not signed/, { mode: { discovery } })
  })

  it.each(rows(["none", "None"] as const))("OID-03: refuses alg %s also where signatures are not verified", (alg) => {
    const discovery = (document: Claims) => ({ ...document, id_token_signing_alg_values_supported: ["RS256", alg] })
    const mode = { alg, ...claiming({ at_hash: undefined }) }
    return refuses(mode, /not signed/, { mode: { discovery }, providers: [op.oidc({ verifyIdToken: false })] })
  })

  it.each(rows(["HS256-secret", "HS256-public-key"] as const))("OID-04: refuses %s", (alg) => refuses({ alg }, /alg/))

  it.each(rows(["HS256-secret", "HS256-public-key"] as const))(
    "OID-04: refuses %s also where discovery lists HS256",
    (alg) => {
      const discovery = (document: Claims) => ({
        ...document,
        id_token_signing_alg_values_supported: ["RS256", "HS256"],
      })
      return refuses({ alg }, /not registered for/, { mode: { discovery } })
    },
  )

  it("OID-04: takes HS256 by the secret from a client that is registered for it, and no other key's", async () => {
    const options: SiteOptions = {
      mode: { alg: "HS256-secret" },
      providers: [op.oidc({ client: { id_token_signed_response_alg: "HS256" } })],
    }
    await refuses({ alg: "HS256-public-key" }, /signature verification failed/, options)
    await refuses({ alg: "RS256" }, /alg/, options)
  })

  it("OID-05: refuses an ES256 signature by another key", () => refuses({ alg: "ES256-bad" }, /signature verification/))

  it("OID-05: takes a good ES256 signature", async () => {
    const { app } = await site({ mode: { alg: "ES256" } })
    const browser = app.browser()
    await signIn(browser, op)
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "Alice" } })
  })

  it.each(
    rows([
      ["another issuer", () => "https://evil.test"],
      ["a trailing slash", () => `${op.issuer}/`],
      ["another case", () => op.issuer.toUpperCase()],
      ["https for http", () => op.issuer.replace("http:", "https:")],
      ["nothing", () => undefined],
    ]),
  )("OID-07: refuses %s in iss", (_, iss) =>
    refuses(
      claiming((claims) => ({ ...claims, iss: iss() })),
      /"iss"/,
    ),
  )

  it.each(
    rows([
      ["another client", "other"],
      ["other clients", ["other", "third"]],
      ["this client's id within another", "x-latchkey-tests"],
    ]),
  )("OID-08: refuses an id_token for %s", (_, aud) => refuses(claiming({ aud }), /"aud"/))

  it("OID-08: refuses one for several clients that names no authorised party, or another", async () => {
    const aud = [op.client.clientId, "other"]
    await refuses(claiming({ aud }), /audience/)
    await refuses(claiming({ aud, azp: "other" }), /azp/)
    await refuses(claiming({ azp: "other" }), /azp/)
  })

  it.each(
    rows([
      ["absent", undefined],
      ["an empty list", []],
      ["a number", 7],
      ["null", null],
    ]),
  )("OID-09: refuses an aud that is %s", (_, aud) => refuses(claiming({ aud }), /"aud"/))

  it.each(
    rows([
      ["absent", undefined],
      ["empty", ""],
      ["a number", 4711],
      ["longer than 255 characters", "s".repeat(256)],
      ["an object", { id: 1 }],
    ]),
  )("OID-11: refuses a sub that is %s, and makes no user of it", (_, sub) => refuses(claiming({ sub }), /sub/))

  it.each(
    rows([
      ["absent", undefined],
      ["text", String(now())],
    ]),
  )("OID-12: refuses an iat that is %s", (_, iat) => refuses(claiming({ iat }), /"iat"/))

  it.each(
    rows([
      ["an hour ago", () => now() - HOUR],
      ["absent", () => undefined],
      ["text", () => String(now() + HOUR)],
      ["null", () => null],
    ]),
  )("OID-14: refuses an exp that is %s", (_, exp) =>
    refuses(
      claiming((claims) => ({ ...claims, exp: exp() })),
      /"exp"/,
    ),
  )

  it("OID-15: refuses an nbf that is yet to come", () => refuses(claiming({ nbf: now() + HOUR }), /"nbf"/))

  it.each(
    rows([
      ["another", "n".repeat(43)],
      ["none", undefined],
      ["an empty one", ""],
    ]),
  )("OID-16: refuses a nonce that is %s", (_, nonce) => refuses(claiming({ nonce }), /nonce/))

  it("OID-16: refuses the nonce of an earlier sign-in; each has its own of 128 bits and more", async () => {
    const one = await site()
    const nonces: string[] = []
    for (let i = 0; i < 3; i++) nonces.push(param((await begin(one.app.browser())).location, "nonce"))
    expect(new Set(nonces).size).toBe(3)
    for (const nonce of nonces) expect(Buffer.from(nonce, "base64url").length).toBeGreaterThanOrEqual(16)
    await expectRefused(one, { mode: claiming({ nonce: nonces[0] }), reason: /nonce/ })
  })

  it("OID-17: refuses an at_hash that is another token's", async () => {
    await refuses(claiming({ at_hash: "AAAAAAAAAAAAAAAAAAAAAA" }), /at_hash/)
    await refuses(claiming({ at_hash: "" }), /at_hash/)
    await refuses(claiming({ at_hash: 1 }), /at_hash/)
  })

  it("OID-17: takes an id_token without at_hash", async () => {
    const { app } = await site({ mode: claiming({ at_hash: undefined }) })
    const browser = app.browser()
    await signIn(browser, op)
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it.each(
    rows([
      ["another's", { sub: "bob" }],
      ["nobody's", { sub: undefined }],
      ["a number", { sub: 1 }],
    ]),
  )("OID-18: refuses a userinfo that is %s", (_, change) =>
    refuses({ userinfo: (user: Claims) => ({ ...user, ...change }) }, /sub/, {
      providers: [op.oidc({ idToken: false })],
    }),
  )

  it("OID-18: refuses another's userinfo also from the provider's own request", () => {
    // It asks userinfo through the given fetch, and puts another person's sub in.
    const request = async ({ fetch: ask, tokens }: { fetch: typeof fetch; tokens: TokenSet }) => {
      const headers = { authorization: `Bearer ${tokens.access_token}` }
      const { user_id, ...rest }: Claims = Object(await (await ask(`${op.base}/userinfo`, { headers })).json())
      return { ...rest, sub: user_id ?? rest["sub"] }
    }
    return refuses({ userinfo: (user: Claims) => ({ ...user, user_id: "bob" }) }, /another subject/, {
      providers: [op.oidc({ idToken: false, userinfo: { request } })],
    })
  })

  it("OID-52: refuses an authentication that is older than max_age, or of unknown age", async () => {
    const one = await site()
    const attempt = (browser: Parameters<typeof signIn>[0]) => signIn(browser, op, { query: "?max_age=0" })
    await expectRefused(one, { attempt, mode: claiming({ auth_time: now() - HOUR }), reason: /too much time/ })
    await expectRefused(one, { attempt, mode: claiming({ auth_time: undefined }), reason: /auth_time/ })
    await expectRefused(one, { attempt, mode: claiming({ auth_time: "now" }), reason: /auth_time/ })
    const browser = one.app.browser()
    await attempt(browser)
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it("refuses an answer of the token endpoint that is no OpenID Connect", async () => {
    await refuses({ omitIdToken: true }, /id_token/)
    await refuses({ token: (json) => ({ ...json, id_token: "not.a.jwt" }) }, /JWT|JSON/i)
    await refuses({ token: (json) => ({ ...json, id_token: 1 }) }, /id_token/)
    await refuses({ token: (json) => ({ ...json, access_token: undefined }) }, /access_token/)
    await refuses({ token: (json) => ({ ...json, token_type: "mac" }) }, /token_type/)
    await refuses({ token: () => [] }, /JSON/)
  })
})
