/**
 * Validation of signed userinfo responses (OpenID Connect Core §5.3.2).
 *
 * @module
 */
import type { MessageCode } from "../../../lib/errors/message-code.js"
import type { OIDCConfig } from "../../../lib/provider-kit/provider.js"
import { describeServers, shapesOn } from "../../support/apps.js"
import { createSigningKey, publicJwk } from "../../support/faulty-provider/signing.js"
import type { Claims, ProviderMode, SignedUserinfo } from "../../support/faulty-provider.js"
import { expectRefused } from "../support/expect-refused.js"
import { guardProcess } from "../support/guard.js"
import { sessionOf, signIn, startSite } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

/** Only userinfo has this name, so the test can see that userinfo was read and not the id_token. */
const SIGNED: ProviderMode = {
  userinfoJwt: {},
  userinfo: (user: Claims) => ({ ...user, name: "Alice of userinfo" }),
}

const listing = (...algs: string[]): ProviderMode => ({
  discovery: (document) => ({ ...document, userinfo_signing_alg_values_supported: algs }),
})

const claiming = (change: Claims): SignedUserinfo => ({ claims: (claims) => ({ ...claims, ...change }) })

const HOUR = 3600
const now = () => Math.floor(Date.now() / 1000)

interface SiteSetup {
  /** The provider's options. @default a client that is registered for RS256 */
  options?: Partial<OIDCConfig>
  /** Changes to `SIGNED` for valid responses. */
  mode?: ProviderMode
}

const registeredFor = (alg: string): Partial<OIDCConfig> => ({ client: { userinfo_signed_response_alg: alg } })
const ANY: SiteSetup = { options: {} }

describeServers("signed userinfo", (start, stage) => {
  const rows = shapesOn(stage, "Auth()")
  const createSite = ({ options = registeredFor("RS256"), mode }: SiteSetup = {}) =>
    startSite(
      { start, stage, op },
      { mode: { ...SIGNED, ...mode }, providers: [op.oidc({ idToken: false, ...options })] },
    )

  async function accepts(setup?: SiteSetup): Promise<void> {
    const site = await createSite(setup)
    const browser = site.app.browser()
    await signIn(browser, op)
    expect(site.failures().filter(({ level }) => level === "error")).toEqual([])
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "Alice of userinfo", email: "alice@example.com" } })
  }

  async function refuses(mode: ProviderMode, [code, reason]: readonly [MessageCode, RegExp], setup?: SiteSetup) {
    const site = await createSite(setup)
    await expectRefused(site, { mode, reason, tokenCalls: 1 })
    expect(site.failures().map(({ error }) => Reflect.get(Object(error), "messageCode"))).toEqual([code])
  }
  const refusesSigned = (userinfoJwt: SignedUserinfo, ...rest: RestOf<typeof refuses>) =>
    refuses({ userinfoJwt }, ...rest)

  const WRONG_SIGNATURE = ["signature-wrong", /the userinfo response: signature verification failed/] as const
  const UNKNOWN_KEY = ["signature-wrong", /the userinfo response: no applicable key found/] as const
  const UNSIGNED = ["signature-wrong", /the userinfo response is not signed/] as const
  const UNREGISTERED = [
    "signature-wrong",
    /the userinfo response is signed with \w+, which this client is not reg/,
  ] as const
  const WRONG_ALG = ["provider-answer-invalid", /"alg"/] as const

  it("is accepted with the registered algorithm and the keys of the id_token", async () => {
    await accepts()
    expect(op.last("/userinfo").headers.accept).toBe("application/jwt")
    expect(op.count("/jwks")).toBe(1)
  })

  it.each(rows(["RS256", "ES256"] as const))("is accepted with %s if the metadata lists it", (alg) =>
    accepts({ ...ANY, mode: { userinfoJwt: { alg } } }),
  )

  it.each(
    rows([
      ["by another key than the kid names", { sig: "other-key" }],
      ["that was removed", { sig: "stripped" }],
    ] as const),
  )("is rejected with a signature %s", (_, signing) => refusesSigned(signing, WRONG_SIGNATURE))

  it("is rejected if the key comes from its own header", async () => {
    const key = await createSigningKey("RS256")
    const header = (own: Claims) => ({ ...own, jwk: publicJwk(key), jku: "https://evil.test/jwks" })
    await refusesSigned({ key, kid: op.keys.rsa.kid, header }, WRONG_SIGNATURE)
    await refusesSigned({ key, header }, UNKNOWN_KEY)
  })

  it.each(rows(["none", "None", "nOnE"] as const))(
    "is rejected with alg %s, even if the metadata lists it",
    async (alg) => {
      await refusesSigned({ alg }, UNSIGNED)
      await refusesSigned({ alg }, UNSIGNED, { ...ANY, mode: listing("RS256", alg) })
    },
  )

  it.each(rows(["none", "nOnE"] as const))("is rejected with alg %s even with verifyIdToken: false", (alg) =>
    refusesSigned({ alg }, UNSIGNED, { options: { verifyIdToken: false }, mode: listing("RS256", alg) }),
  )

  it("is accepted with a signature by any key if verifyIdToken is false", () =>
    accepts({ options: { verifyIdToken: false }, mode: { userinfoJwt: { sig: "other-key" } } }))

  it.each(rows(["HS256-secret", "HS256-public-key"] as const))(
    "is rejected with %s if the client is not registered for HS256",
    async (alg) => {
      await refusesSigned({ alg }, UNREGISTERED)
      await refusesSigned({ alg }, UNREGISTERED, { ...ANY, mode: listing("RS256", "HS256") })
    },
  )

  it("is accepted only with HS256 and the client secret if the client is registered for HS256", async () => {
    const setup: SiteSetup = { options: registeredFor("HS256"), mode: { userinfoJwt: { alg: "HS256-secret" } } }
    await accepts(setup)
    await refusesSigned({ alg: "HS256-public-key" }, WRONG_SIGNATURE, setup)
    await refusesSigned({ alg: "RS256" }, UNREGISTERED, setup)
  })

  it("is accepted only with a registered algorithm if the client has several", async () => {
    // The type allows a single algorithm only.
    const options = registeredFor(["ES256", "RS256"] as unknown as string)
    await accepts({ options })
    await accepts({ options, mode: { userinfoJwt: { alg: "ES256" } } })
    await refusesSigned({ alg: "HS256-secret" }, UNREGISTERED, { options })
  })

  it("is rejected with an algorithm that is neither registered nor listed, and if the metadata lists none", async () => {
    await refusesSigned({ alg: "ES256" }, UNREGISTERED)
    await refusesSigned({ alg: "ES256" }, WRONG_ALG, { ...ANY, mode: listing("RS256") })
    const discovery = ({ userinfo_signing_alg_values_supported: _, ...document }: Claims) => document
    await refusesSigned({}, ["provider-answer-invalid", /alg/], { ...ANY, mode: { discovery, userinfoJwt: undefined } })
  })

  it.each(
    rows([
      ["another issuer", () => "https://evil.test"],
      ["a trailing slash", () => `${op.issuer}/`],
      ["null", () => null],
    ]),
  )("is rejected with %s in iss", (_, iss) =>
    refuses({ userinfoJwt: { claims: (claims) => ({ ...claims, iss: iss() }) } }, [
      iss() === null ? "provider-answer-invalid" : "issuer-mismatch",
      /"iss"/,
    ]),
  )

  it.each(
    rows([
      ["another client", "other"],
      ["other clients", ["other", "third"]],
      ["an empty array", []],
      ["null", null],
    ]),
  )("is rejected with %s in aud", (_, aud) => refusesSigned(claiming({ aud }), ["provider-answer-invalid", /"aud"/]))

  it("is accepted without iss and aud, and with several audiences that include this client", async () => {
    await accepts({ mode: { userinfoJwt: claiming({ iss: undefined, aud: undefined }) } })
    await accepts({ mode: { userinfoJwt: claiming({ aud: ["other", op.client.clientId] }) } })
  })

  it.each(
    rows([
      ["another user's", "bob"],
      ["missing", undefined],
      ["a number", 1],
    ]),
  )("OID-18: is rejected if its sub is %s", (_, sub) =>
    refusesSigned(claiming({ sub }), ["provider-answer-invalid", /"sub"/]),
  )

  it.each(
    rows([
      ["if it has expired", { exp: now() - HOUR }, "clock-skew", /"exp".+the time is/],
      ["if its nbf is in the future", { nbf: now() + HOUR }, "clock-skew", /"nbf".+the time is/],
      ["if its exp is a string", { exp: String(now() + HOUR) }, "provider-answer-invalid", /"exp"/],
    ] as const),
  )("is rejected %s", (_, change, code, reason) => refusesSigned(claiming(change), [code, reason]))

  it("is rejected with an unknown kid after one new fetch of the JWKS, which is not repeated for a while", async () => {
    const { app } = await createSite()
    await signIn(app.browser(), op)
    const warm = op.count("/jwks")
    op.set({ userinfoJwt: { kid: "unknown" } })
    for (let i = 0; i < 3; i++) expect((await signIn(app.browser(), op)).location).toContain("error=OAuthCallbackError")
    expect(op.count("/jwks") - warm).toBe(1)
    await refusesSigned({ kid: "unknown" }, UNKNOWN_KEY)
  })

  it("is accepted with a key that was added later, with one new fetch of the JWKS", async () => {
    const { app } = await createSite()
    await signIn(app.browser(), op)
    const warm = op.count("/jwks")
    const key = await createSigningKey("RS256")
    op.set({ userinfoJwt: { key }, jwks: ({ keys }) => ({ keys: [...keys, publicJwk(key)] }) })
    for (let i = 0; i < 2; i++) {
      const browser = app.browser()
      await signIn(browser, op)
      expect(await sessionOf(browser)).toMatchObject({ user: { name: "Alice of userinfo" } })
    }
    expect(op.count("/jwks") - warm).toBe(1)
  })

  it("is rejected if it is encrypted", () =>
    refusesSigned({ encrypted: true }, ["provider-answer-invalid", /is encrypted/]))
})

type RestOf<Refuses> = Refuses extends (mode: never, ...rest: infer Rest) => unknown ? Rest : never
