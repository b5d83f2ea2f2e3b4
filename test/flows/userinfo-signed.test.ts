/**
 * Userinfo as a signed token (OpenID Connect Core §5.3.2): what it must be, where the profile is taken from it.
 *
 * @module
 */
import type { MessageCode } from "../../lib/codes/index.js"
import type { OIDCConfig } from "../../lib/providers/provider.js"
import { describeServers, shapesOn } from "../support/apps.js"
import { createSigningKey, publicJwk } from "../support/faulty-provider/signing.js"
import {
  type Claims,
  type FaultyProvider,
  type ProviderMode,
  type SignedUserinfo,
  startFaultyProvider,
} from "../support/faulty-provider.js"
import { expectRefused } from "./support/expect-refused.js"
import { guardProcess } from "./support/guard.js"
import { sessionOf, signIn, startSite } from "./support/site.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
beforeEach(() => op.reset())
afterAll(() => op.close())

/** The name stands in userinfo alone, so that it shows which of the two was read. */
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

interface Situation {
  /** The provider's options. @default a client that is registered for RS256 */
  options?: Partial<OIDCConfig>
  /** Over `SIGNED`, as long as nothing is wrong. */
  mode?: ProviderMode
}

const registeredFor = (alg: string): Partial<OIDCConfig> => ({ client: { userinfo_signed_response_alg: alg } })
const ANY: Situation = { options: {} }

describeServers("signed userinfo", (start, stage) => {
  const rows = shapesOn(stage, "Auth()")
  const site = ({ options = registeredFor("RS256"), mode }: Situation = {}) =>
    startSite(
      { start, stage, op },
      { mode: { ...SIGNED, ...mode }, providers: [op.oidc({ idToken: false, ...options })] },
    )

  async function takes(situation?: Situation): Promise<void> {
    const one = await site(situation)
    const browser = one.app.browser()
    await signIn(browser, op)
    expect(one.failures().filter(({ level }) => level === "error")).toEqual([])
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "Alice of userinfo", email: "alice@example.com" } })
  }

  async function refuses(mode: ProviderMode, [code, reason]: readonly [MessageCode, RegExp], situation?: Situation) {
    const one = await site(situation)
    await expectRefused(one, { mode, reason, tokenCalls: 1 })
    expect(one.failures().map(({ error }) => Reflect.get(Object(error), "messageCode"))).toEqual([code])
  }
  const refusesSigned = (userinfoJwt: SignedUserinfo, ...rest: RestOf<typeof refuses>) =>
    refuses({ userinfoJwt }, ...rest)

  const WRONG_SIGNATURE = ["userinfo-signature-wrong", /the userinfo answer: signature verification failed/] as const
  const UNKNOWN_KEY = ["userinfo-signature-wrong", /the userinfo answer: no applicable key found/] as const
  const UNSIGNED = ["userinfo-signature-wrong", /the userinfo answer is not signed/] as const
  const UNREGISTERED = [
    "userinfo-signature-wrong",
    /the userinfo answer is signed with \w+, which this client is not reg/,
  ] as const
  const WRONG_ALG = ["provider-answer-invalid", /"alg"/] as const

  it("is the profile, by the algorithm that the client is registered for, with the keys of the id_token", async () => {
    await takes()
    expect(op.last("/userinfo").headers.accept).toBe("application/jwt")
    expect(op.count("/jwks")).toBe(1)
  })

  it.each(rows(["RS256", "ES256"] as const))("is taken with %s, which the metadata lists", (alg) =>
    takes({ ...ANY, mode: { userinfoJwt: { alg } } }),
  )

  it.each(
    rows([
      ["by a key that is not the named one", { sig: "other-key" }],
      ["that was taken off", { sig: "stripped" }],
    ] as const),
  )("is refused with a signature %s", (_, signing) => refusesSigned(signing, WRONG_SIGNATURE))

  it("is refused with a key of its own in its header", async () => {
    const key = await createSigningKey("RS256")
    const header = (own: Claims) => ({ ...own, jwk: publicJwk(key), jku: "https://evil.test/jwks" })
    await refusesSigned({ key, kid: op.keys.rsa.kid, header }, WRONG_SIGNATURE)
    await refusesSigned({ key, header }, UNKNOWN_KEY)
  })

  it.each(rows(["none", "None", "nOnE"] as const))("is refused with alg %s, registered or not", async (alg) => {
    await refusesSigned({ alg }, UNSIGNED)
    await refusesSigned({ alg }, UNSIGNED, { ...ANY, mode: listing("RS256", alg) })
  })

  it.each(rows(["none", "nOnE"] as const))("is refused with alg %s also where signatures are not verified", (alg) =>
    refusesSigned({ alg }, UNSIGNED, { options: { verifyIdToken: false }, mode: listing("RS256", alg) }),
  )

  it("is taken by anybody's key where signatures are not verified", () =>
    takes({ options: { verifyIdToken: false }, mode: { userinfoJwt: { sig: "other-key" } } }))

  it.each(rows(["HS256-secret", "HS256-public-key"] as const))("is refused with %s where keys sign", async (alg) => {
    await refusesSigned({ alg }, UNREGISTERED)
    await refusesSigned({ alg }, UNREGISTERED, { ...ANY, mode: listing("RS256", "HS256") })
  })

  it("is taken with HS256 by the secret from a client that is registered for it, and with no other key", async () => {
    const situation: Situation = { options: registeredFor("HS256"), mode: { userinfoJwt: { alg: "HS256-secret" } } }
    await takes(situation)
    await refusesSigned({ alg: "HS256-public-key" }, WRONG_SIGNATURE, situation)
    await refusesSigned({ alg: "RS256" }, UNREGISTERED, situation)
  })

  it("is taken with one of several registered algorithms, as the library allows, and with no other", async () => {
    // The type has one alone.
    const options = registeredFor(["ES256", "RS256"] as unknown as string)
    await takes({ options })
    await takes({ options, mode: { userinfoJwt: { alg: "ES256" } } })
    await refusesSigned({ alg: "HS256-secret" }, UNREGISTERED, { options })
  })

  it("is refused with another algorithm than the registered one, or a listed one, or where none is said", async () => {
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
  )("is refused with %s in iss", (_, iss) =>
    refuses({ userinfoJwt: { claims: (claims) => ({ ...claims, iss: iss() }) } }, [
      iss() === null ? "provider-answer-invalid" : "issuer-mismatch",
      /"iss"/,
    ]),
  )

  it.each(
    rows([
      ["another client", "other"],
      ["other clients", ["other", "third"]],
      ["nobody", []],
      ["null", null],
    ]),
  )("is refused for %s in aud", (_, aud) => refusesSigned(claiming({ aud }), ["provider-answer-invalid", /"aud"/]))

  it("is taken without iss and aud, and for several clients of which this is one", async () => {
    await takes({ mode: { userinfoJwt: claiming({ iss: undefined, aud: undefined }) } })
    await takes({ mode: { userinfoJwt: claiming({ aud: ["other", op.client.clientId] }) } })
  })

  it.each(
    rows([
      ["another's", "bob"],
      ["nobody's", undefined],
      ["a number", 1],
    ]),
  )("OID-18: is refused where it is %s", (_, sub) =>
    refusesSigned(claiming({ sub }), ["provider-answer-invalid", /"sub"/]),
  )

  it.each(
    rows([
      ["that has expired", { exp: now() - HOUR }, "clock-skew", /"exp".+clock says/],
      ["that is yet to come", { nbf: now() + HOUR }, "clock-skew", /"nbf".+clock says/],
      ["with an end that is text", { exp: String(now() + HOUR) }, "provider-answer-invalid", /"exp"/],
    ] as const),
  )("is refused %s", (_, change, code, reason) => refusesSigned(claiming(change), [code, reason]))

  it("is refused with a kid that the JWKS lacks, which is fetched once more and not again for a while", async () => {
    const { app } = await site()
    await signIn(app.browser(), op)
    const warm = op.count("/jwks")
    op.set({ userinfoJwt: { kid: "unknown" } })
    for (let i = 0; i < 3; i++) expect((await signIn(app.browser(), op)).location).toContain("error=OAuthCallbackError")
    expect(op.count("/jwks") - warm).toBe(1)
    await refusesSigned({ kid: "unknown" }, UNKNOWN_KEY)
  })

  it("is taken by a key that came after the id_token was signed, the JWKS having been fetched once more", async () => {
    const { app } = await site()
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

  it("is refused encrypted", () => refusesSigned({ encrypted: true }, ["provider-answer-invalid", /is encrypted/]))
})

type RestOf<Refuses> = Refuses extends (mode: never, ...rest: infer Rest) => unknown ? Rest : never
