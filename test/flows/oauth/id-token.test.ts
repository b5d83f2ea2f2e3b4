import type { TokenSet } from "../../../lib/types.js"
import { describeServers, shapesOn } from "../../support/apps.js"
import type { Claims, ProviderMode } from "../../support/faulty-provider.js"
import { expectRefused } from "../support/expect-refused.js"
import { guardProcess } from "../support/guard.js"
import { begin, param, type SiteOptions, sessionOf, signIn, startSite } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

/** Changes claims of the id_token. */
const claiming = (change: Claims | ((claims: Claims) => Claims)): ProviderMode => ({
  claims: (claims) => (typeof change === "function" ? change(claims) : { ...claims, ...change }),
})

const HOUR = 3600
const now = () => Math.floor(Date.now() / 1000)

describeServers("id_token validation", (start, stage) => {
  const rows = shapesOn(stage, "Auth()")
  const createSite = (options?: SiteOptions) => startSite({ start, stage, op }, options)
  const refuses = async (mode: ProviderMode, reason: RegExp, options?: SiteOptions) =>
    expectRefused(await createSite(options), { mode, reason, tokenCalls: 1 })

  it("OID-01: rejects a signature by another key than the kid names", async () => {
    await refuses({ sig: "other-key" }, /signature verification failed/)
    expect(op.count("/jwks")).toBe(1)
  })

  it("OID-01: rejects an id_token whose signature was removed", () =>
    refuses({ sig: "stripped" }, /signature verification failed/))

  it("OID-02: rejects an unknown kid after one new fetch of the JWKS, which is not repeated for a while", async () => {
    const { app } = await createSite()
    const browser = app.browser()
    await signIn(browser, op)
    const warm = op.count("/jwks")
    op.set({ kid: "unknown" })
    for (let i = 0; i < 3; i++) expect((await signIn(app.browser(), op)).location).toContain("error=OAuthCallbackError")
    expect(op.count("/jwks") - warm).toBe(1)
    await refuses({ kid: "unknown" }, /no applicable key found/)
  })

  it.each(rows(["none", "None", "nOnE"] as const))("OID-03: rejects an unsigned id_token with alg %s", (alg) =>
    refuses({ alg }, /alg/),
  )

  it.each(rows(["none", "None", "nOnE"] as const))("OID-03: rejects alg %s even if the metadata lists it", (alg) => {
    const discovery = (document: Claims) => ({ ...document, id_token_signing_alg_values_supported: ["RS256", alg] })
    return refuses({ alg }, /not signed/, { mode: { discovery } })
  })

  it.each(rows(["none", "None"] as const))("OID-03: rejects alg %s even with verifyIdToken: false", (alg) => {
    const discovery = (document: Claims) => ({ ...document, id_token_signing_alg_values_supported: ["RS256", alg] })
    const mode = { alg, ...claiming({ at_hash: undefined }) }
    return refuses(mode, /not signed/, { mode: { discovery }, providers: [op.oidc({ verifyIdToken: false })] })
  })

  it.each(rows(["HS256-secret", "HS256-public-key"] as const))("OID-04: rejects %s", (alg) => refuses({ alg }, /alg/))

  it.each(rows(["HS256-secret", "HS256-public-key"] as const))(
    "OID-04: rejects %s even if the metadata lists HS256",
    (alg) => {
      const discovery = (document: Claims) => ({
        ...document,
        id_token_signing_alg_values_supported: ["RS256", "HS256"],
      })
      return refuses({ alg }, /not registered for/, { mode: { discovery } })
    },
  )

  it("OID-04: accepts only HS256 with the client secret if the client is registered for HS256", async () => {
    const options: SiteOptions = {
      mode: { alg: "HS256-secret" },
      providers: [op.oidc({ client: { id_token_signed_response_alg: "HS256" } })],
    }
    await refuses({ alg: "HS256-public-key" }, /signature verification failed/, options)
    await refuses({ alg: "RS256" }, /alg/, options)
  })

  it("OID-05: rejects an ES256 signature by another key", () => refuses({ alg: "ES256-bad" }, /signature verification/))

  it("OID-05: accepts a valid ES256 signature", async () => {
    const { app } = await createSite({ mode: { alg: "ES256" } })
    const browser = app.browser()
    await signIn(browser, op)
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "Alice" } })
  })

  it.each(
    rows([
      ["another issuer", () => "https://evil.test"],
      ["the issuer with a trailing slash", () => `${op.issuer}/`],
      ["the issuer in upper case", () => op.issuer.toUpperCase()],
      ["the issuer with https instead of http", () => op.issuer.replace("http:", "https:")],
      ["missing", () => undefined],
    ]),
  )("OID-07: rejects an iss that is %s", (_, iss) =>
    refuses(
      claiming((claims) => ({ ...claims, iss: iss() })),
      /"iss"/,
    ),
  )

  it.each(
    rows([
      ["another client", "other"],
      ["other clients", ["other", "third"]],
      ["a client whose id contains this one", "x-latchkey-tests"],
    ]),
  )("OID-08: rejects an id_token for %s", (_, aud) => refuses(claiming({ aud }), /"aud"/))

  it("OID-08: rejects a token with several audiences and no azp, or with another client as azp", async () => {
    const aud = [op.client.clientId, "other"]
    await refuses(claiming({ aud }), /audience/)
    await refuses(claiming({ aud, azp: "other" }), /azp/)
    await refuses(claiming({ azp: "other" }), /azp/)
  })

  it.each(
    rows([
      ["missing", undefined],
      ["an empty array", []],
      ["a number", 7],
      ["null", null],
    ]),
  )("OID-09: rejects an aud that is %s", (_, aud) => refuses(claiming({ aud }), /"aud"/))

  it.each(
    rows([
      ["missing", undefined],
      ["empty", ""],
      ["a number", 4711],
      ["longer than 255 characters", "s".repeat(256)],
      ["an object", { id: 1 }],
    ]),
  )("OID-11: rejects a sub that is %s and creates no user", (_, sub) => refuses(claiming({ sub }), /sub/))

  it.each(
    rows([
      ["missing", undefined],
      ["a string", String(now())],
    ]),
  )("OID-12: rejects an iat that is %s", (_, iat) => refuses(claiming({ iat }), /"iat"/))

  it.each(
    rows([
      ["an hour ago", () => now() - HOUR],
      ["missing", () => undefined],
      ["a string", () => String(now() + HOUR)],
      ["null", () => null],
    ]),
  )("OID-14: rejects an exp that is %s", (_, exp) =>
    refuses(
      claiming((claims) => ({ ...claims, exp: exp() })),
      /"exp"/,
    ),
  )

  it("OID-15: rejects an nbf in the future", () => refuses(claiming({ nbf: now() + HOUR }), /"nbf"/))

  it.each(
    rows([
      ["a different one", "n".repeat(43)],
      ["missing", undefined],
      ["empty", ""],
    ]),
  )("OID-16: rejects a nonce that is %s", (_, nonce) => refuses(claiming({ nonce }), /nonce/))

  it("OID-16: rejects the nonce of an earlier sign-in; each nonce is new and has at least 128 bits", async () => {
    const site = await createSite()
    const nonces: string[] = []
    for (let i = 0; i < 3; i++) nonces.push(param((await begin(site.app.browser())).location, "nonce"))
    expect(new Set(nonces).size).toBe(3)
    for (const nonce of nonces) expect(Buffer.from(nonce, "base64url").length).toBeGreaterThanOrEqual(16)
    await expectRefused(site, { mode: claiming({ nonce: nonces[0] }), reason: /nonce/ })
  })

  it("OID-17: rejects an at_hash that does not match the access token", async () => {
    await refuses(claiming({ at_hash: "AAAAAAAAAAAAAAAAAAAAAA" }), /at_hash/)
    await refuses(claiming({ at_hash: "" }), /at_hash/)
    await refuses(claiming({ at_hash: 1 }), /at_hash/)
  })

  it("OID-17: accepts an id_token without at_hash", async () => {
    const { app } = await createSite({ mode: claiming({ at_hash: undefined }) })
    const browser = app.browser()
    await signIn(browser, op)
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it.each(
    rows([
      ["another user's", { sub: "bob" }],
      ["missing", { sub: undefined }],
      ["a number", { sub: 1 }],
    ]),
  )("OID-18: rejects userinfo whose sub is %s", (_, change) =>
    refuses({ userinfo: (user: Claims) => ({ ...user, ...change }) }, /sub/, {
      providers: [op.oidc({ idToken: false })],
    }),
  )

  it("OID-18: rejects another user's userinfo from a custom userinfo request too", () => {
    // The custom request replaces the sub with another user's.
    const request = async ({ fetch: send, tokens }: { fetch: typeof fetch; tokens: TokenSet }) => {
      const headers = { authorization: `Bearer ${tokens.access_token}` }
      const { user_id, ...rest }: Claims = Object(await (await send(`${op.base}/userinfo`, { headers })).json())
      return { ...rest, sub: user_id ?? rest["sub"] }
    }
    return refuses(
      { userinfo: (user: Claims) => ({ ...user, user_id: "bob" }) },
      /the sub of the userinfo response differs/,
      {
        providers: [op.oidc({ idToken: false, userinfo: { request } })],
      },
    )
  })

  it("OID-52: rejects an authentication that is older than max_age or has no valid auth_time", async () => {
    const site = await createSite()
    const attempt = (browser: Parameters<typeof signIn>[0]) => signIn(browser, op, { query: "?max_age=0" })
    await expectRefused(site, { attempt, mode: claiming({ auth_time: now() - HOUR }), reason: /too much time/ })
    await expectRefused(site, { attempt, mode: claiming({ auth_time: undefined }), reason: /auth_time/ })
    await expectRefused(site, { attempt, mode: claiming({ auth_time: "now" }), reason: /auth_time/ })
    const browser = site.app.browser()
    await attempt(browser)
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it("rejects a token response that is not valid OpenID Connect", async () => {
    await refuses({ omitIdToken: true }, /id_token/)
    await refuses({ token: (json) => ({ ...json, id_token: "not.a.jwt" }) }, /JWT|JSON/i)
    await refuses({ token: (json) => ({ ...json, id_token: 1 }) }, /id_token/)
    await refuses({ token: (json) => ({ ...json, access_token: undefined }) }, /access_token/)
    await refuses({ token: (json) => ({ ...json, token_type: "mac" }) }, /token_type/)
    await refuses({ token: () => [] }, /JSON/)
  })
})
