/**
 * What else may come where userinfo is, or is not, to be signed; and what a real provider signs.
 *
 * @module
 */
import type { MessageCode } from "../../lib/codes/index.js"
import type { OIDCConfig } from "../../lib/providers/provider.js"
import type { AuthConfig } from "../../lib/types.js"
import { describeServers, recordingLogger, shapesOn, TEST_SECRET } from "../support/apps.js"
import { type FaultyProvider, type ProviderMode, startFaultyProvider } from "../support/faulty-provider.js"
import { type RealProvider, signInAtProvider, startRealProvider } from "../support/real-provider.js"
import { expectRefused } from "./support/expect-refused.js"
import { deepFreeze, guardProcess } from "./support/guard.js"
import { begin, sessionCookies, sessionOf, signIn, startSite } from "./support/site.js"

guardProcess()

let op: FaultyProvider
let real: RealProvider
beforeAll(async () => {
  op = await startFaultyProvider()
  real = await startRealProvider()
})
beforeEach(() => op.reset())
afterAll(() => Promise.all([op.close(), real.close()]))

const REGISTERED: Partial<OIDCConfig> = { idToken: false, client: { userinfo_signed_response_alg: "RS256" } }

describeServers("an answer where userinfo may be signed", (start, stage) => {
  const rows = shapesOn(stage, "Auth()")
  const site = (options: Partial<OIDCConfig>, mode: ProviderMode = { userinfoJwt: {} }) =>
    startSite({ start, stage, op }, { mode, providers: [op.oidc(options)] })
  const textAs = (type: string | undefined, body: string): ProviderMode => ({
    fault: { userinfo: { status: 200, body, ...(type && { headers: { "content-type": type } }) } },
  })

  async function refuses(
    mode: ProviderMode,
    [code, reason]: readonly [MessageCode, RegExp],
    options: Partial<OIDCConfig> = REGISTERED,
  ) {
    const one = await site(options)
    await expectRefused(one, { mode, reason, tokenCalls: 1 })
    expect(one.failures().map(({ error }) => Reflect.get(Object(error), "messageCode"))).toEqual([code])
  }

  const NO_TOKEN = ["provider-answer-invalid", /the userinfo answer is not a JWT/] as const

  async function takes(options: Partial<OIDCConfig>, mode: ProviderMode) {
    const one = await site(options, mode)
    const browser = one.app.browser()
    await signIn(browser, op)
    expect(one.failures()).toEqual([])
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "Alice", email: "alice@example.com" } })
  }

  it("is refused as plain JSON, where the client is registered for a signature", () =>
    refuses({ userinfoJwt: undefined }, [
      "userinfo-signature-wrong",
      /the userinfo answer is not signed, and this client is registered for RS256/,
    ]))

  it("is taken as plain JSON from a provider that can sign, where the client is not registered for it", () =>
    takes({ idToken: false }, { discovery: (own) => ({ ...own, userinfo_signing_alg_values_supported: ["RS256"] }) }))

  it.each(rows(["application/jwt; charset=utf-8", "Application/JWT", "application/jwt ; q=1"]))(
    "is a signed one as %s, whose signature counts",
    async (contentType) => {
      await takes(REGISTERED, { userinfoJwt: { contentType } })
      await refuses({ userinfoJwt: { contentType, sig: "other-key" } }, [
        "userinfo-signature-wrong",
        /signature verification failed/,
      ])
    },
  )

  it.each(rows(["application/json", "text/plain", "application/jwtx"]))(
    "is refused as %s, though a token is in it",
    async (contentType) => {
      await refuses({ userinfoJwt: { contentType } }, ["userinfo-signature-wrong", /is not signed/])
      await refuses({ userinfoJwt: { contentType } }, ["provider-answer-invalid", /JSON|content-type/i], {
        idToken: false,
      })
    },
  )

  it.each(
    rows([
      ["no token", "this is no token"],
      ["three parts of nothing", ".."],
      ["three parts that are no JSON", "bm8.bm8.bm8"],
      ["a list for a header", "W10.e30.bm8"],
      ["nothing", ""],
      ["JSON", '{"sub":"alice","name":"Alice"}'],
    ]),
  )("is refused as application/jwt with %s in it", async (_, body) => {
    await refuses(textAs("application/jwt", body), NO_TOKEN)
    await refuses(textAs("application/jwt", body), NO_TOKEN, { idToken: false })
  })

  it("is of the issuer that the provider's own function says, and of no other", async () => {
    const issuer = "https://userinfo.test"
    const asked: unknown[] = []
    const userinfoIssuerOf: Required<OIDCConfig>["userinfoIssuerOf"] = ({ sub, iss }, from) => {
      asked.push([sub, from])
      return iss === "https://refused.test" ? undefined : issuer
    }
    const signedBy = (iss: string): ProviderMode => ({ userinfoJwt: { claims: (claims) => ({ ...claims, iss }) } })
    const one = await site({ ...REGISTERED, userinfoIssuerOf }, signedBy(issuer))
    await signIn(one.app.browser(), op)
    expect(one.failures()).toEqual([])
    expect(asked).toEqual([["alice", { issuer: op.issuer, endpoint: `${op.base}/userinfo` }]])
    await expectRefused(one, { mode: signedBy(op.issuer), reason: /"iss"/ })
    await expectRefused(one, { mode: signedBy("https://refused.test"), reason: /an issuer that is not allowed/ })
    await expectRefused(one, {
      mode: textAs("application/jwt", "no token"),
      reason: /the userinfo answer is not a JWT/,
    })
  })

  it("is never a token with plain OAuth, which has no keys to verify it with", async () => {
    const one = await startSite(
      { start, stage, op },
      { mode: { plainOAuth: true }, providers: [{ ...op.oauth(), id: "oidc" }] },
    )
    await expectRefused(one, { mode: { userinfoJwt: {} }, reason: /did not answer with a JSON object/ })
  })
})

let clients = 0

describeServers("userinfo that a real provider signs", (start) => {
  /** A client whose registration says this, in an application whose options say that. */
  async function signInWith(registration: object, client: OIDCConfig["client"] = {}) {
    const clientId = `client-${++clients}`
    const clientSecret = `secret of ${clientId}, which has more than 32 characters`
    const { logger, records } = recordingLogger()
    const providers = [real.oidc({ id: "oidc", clientId, clientSecret, idToken: false, client })]
    const app = await start(deepFreeze({ providers, secret: TEST_SECRET, logger }) as AuthConfig)
    const redirect_uris = [`${app.origin}${app.basePath}/callback/oidc`]
    await real.addClient({ client_id: clientId, client_secret: clientSecret, redirect_uris, ...registration })
    const browser = app.browser()
    const { location } = await begin(browser)
    await browser.get(await signInAtProvider(browser, location, "bob"))
    return { browser, codes: records.map(({ error }) => Reflect.get(Object(error), "messageCode")) }
  }
  const bob = { user: { name: "Bob", email: "bob@example.com" } }

  it.each(["RS256", "HS256"])("is taken with %s by who is registered for it", async (alg) => {
    const registration = { userinfo_signed_response_alg: alg }
    const { browser, codes } = await signInWith(registration, registration)
    expect(codes).toEqual([])
    expect(await sessionOf(browser)).toMatchObject(bob)
  })

  it("is taken by who does not know of the registration, as the metadata lists RS256", async () => {
    const { browser, codes } = await signInWith({ userinfo_signed_response_alg: "RS256" })
    expect(codes).toEqual([])
    expect(await sessionOf(browser)).toMatchObject(bob)
  })

  it.each([
    ["plain JSON", {}, "userinfo-signature-wrong"],
    ["HS256", { userinfo_signed_response_alg: "HS256" }, "userinfo-signature-wrong"],
  ])("is refused as %s by who is registered for RS256", async (_, registration, code) => {
    const { browser, codes } = await signInWith(registration, { userinfo_signed_response_alg: "RS256" })
    expect(codes).toEqual([code])
    expect([await sessionOf(browser), sessionCookies(browser)]).toEqual([null, []])
  })
})
