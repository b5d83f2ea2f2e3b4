/**
 * Formats of userinfo responses, and responses that a real provider signs.
 *
 * @module
 */
import type { MessageCode } from "../../../lib/errors/message-code.js"
import type { OIDCConfig } from "../../../lib/provider-kit/provider.js"
import type { AuthConfig } from "../../../lib/types.js"
import { describeServers, recordingLogger, shapesOn, TEST_SECRET } from "../../support/apps.js"
import type { ProviderMode } from "../../support/faulty-provider.js"
import { type RealProvider, signInAtProvider, startRealProvider } from "../../support/real-provider.js"
import { expectRefused } from "../support/expect-refused.js"
import { deepFreeze, guardProcess } from "../support/guard.js"
import { begin, sessionCookies, sessionOf, signIn, startSite } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()
let real: RealProvider
beforeAll(async () => {
  real = await startRealProvider()
})
afterAll(() => real.close())

const REGISTERED: Partial<OIDCConfig> = { idToken: false, client: { userinfo_signed_response_alg: "RS256" } }

describeServers("userinfo response format", (start, stage) => {
  const rows = shapesOn(stage, "Auth()")
  const createSite = (options: Partial<OIDCConfig>, mode: ProviderMode = { userinfoJwt: {} }) =>
    startSite({ start, stage, op }, { mode, providers: [op.oidc(options)] })
  const textAs = (type: string | undefined, body: string): ProviderMode => ({
    fault: { userinfo: { status: 200, body, ...(type && { headers: { "content-type": type } }) } },
  })

  async function refuses(
    mode: ProviderMode,
    [code, reason]: readonly [MessageCode, RegExp],
    options: Partial<OIDCConfig> = REGISTERED,
  ) {
    const site = await createSite(options)
    await expectRefused(site, { mode, reason, tokenCalls: 1 })
    expect(site.failures().map(({ error }) => Reflect.get(Object(error), "messageCode"))).toEqual([code])
  }

  const NOT_A_JWT = ["provider-answer-invalid", /the userinfo response is not a JWT/] as const

  async function accepts(options: Partial<OIDCConfig>, mode: ProviderMode) {
    const site = await createSite(options, mode)
    const browser = site.app.browser()
    await signIn(browser, op)
    expect(site.failures()).toEqual([])
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "Alice", email: "alice@example.com" } })
  }

  it("rejects plain JSON if the client is registered for signed userinfo", () =>
    refuses({ userinfoJwt: undefined }, [
      "signature-wrong",
      /the userinfo response is not signed, and this client is registered for RS256/,
    ]))

  it("accepts plain JSON from a provider that can sign if the client is not registered for it", () =>
    accepts({ idToken: false }, { discovery: (own) => ({ ...own, userinfo_signing_alg_values_supported: ["RS256"] }) }))

  it.each(rows(["application/jwt; charset=utf-8", "Application/JWT", "application/jwt ; q=1"]))(
    "verifies the signature of a response with content type %s",
    async (contentType) => {
      await accepts(REGISTERED, { userinfoJwt: { contentType } })
      await refuses({ userinfoJwt: { contentType, sig: "other-key" } }, [
        "signature-wrong",
        /signature verification failed/,
      ])
    },
  )

  it.each(rows(["application/json", "text/plain", "application/jwtx"]))(
    "rejects a JWT with content type %s",
    async (contentType) => {
      await refuses({ userinfoJwt: { contentType } }, ["signature-wrong", /is not signed/])
      await refuses({ userinfoJwt: { contentType } }, ["provider-answer-invalid", /JSON|content-type/i], {
        idToken: false,
      })
    },
  )

  it.each(
    rows([
      ["text that is not a JWT", "this is no token"],
      ["three empty parts", ".."],
      ["three parts that are not JSON", "bm8.bm8.bm8"],
      ["an array as the header", "W10.e30.bm8"],
      ["an empty body", ""],
      ["JSON", '{"sub":"alice","name":"Alice"}'],
    ]),
  )("rejects content type application/jwt with %s", async (_, body) => {
    await refuses(textAs("application/jwt", body), NOT_A_JWT)
    await refuses(textAs("application/jwt", body), NOT_A_JWT, { idToken: false })
  })

  it("accepts only the issuer that userinfoIssuerOf returns", async () => {
    const issuer = "https://userinfo.test"
    const calls: unknown[] = []
    const userinfoIssuerOf: Required<OIDCConfig>["userinfoIssuerOf"] = ({ sub, iss }, from) => {
      calls.push([sub, from])
      return iss === "https://refused.test" ? undefined : issuer
    }
    const signedBy = (iss: string): ProviderMode => ({ userinfoJwt: { claims: (claims) => ({ ...claims, iss }) } })
    const site = await createSite({ ...REGISTERED, userinfoIssuerOf }, signedBy(issuer))
    await signIn(site.app.browser(), op)
    expect(site.failures()).toEqual([])
    expect(calls).toEqual([["alice", { issuer: op.issuer, endpoint: `${op.base}/userinfo` }]])
    await expectRefused(site, { mode: signedBy(op.issuer), reason: /"iss"/ })
    await expectRefused(site, {
      mode: signedBy("https://refused.test"),
      reason: /the issuer of the userinfo response is not allowed/,
    })
    await expectRefused(site, {
      mode: textAs("application/jwt", "no token"),
      reason: /the userinfo response is not a JWT/,
    })
  })

  it("rejects a JWT from a plain OAuth provider, which has no keys to verify it", async () => {
    const site = await startSite(
      { start, stage, op },
      { mode: { plainOAuth: true }, providers: [{ ...op.oauth(), id: "oidc" }] },
    )
    await expectRefused(site, { mode: { userinfoJwt: {} }, reason: /did not answer with a JSON object/ })
  })
})

let clients = 0

describeServers("userinfo that a real provider signs", (start) => {
  /** Signs in with a client that has this registration at the provider and these options in the application. */
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

  it.each(["RS256", "HS256"])("is accepted with %s if the client option matches the registration", async (alg) => {
    const registration = { userinfo_signed_response_alg: alg }
    const { browser, codes } = await signInWith(registration, registration)
    expect(codes).toEqual([])
    expect(await sessionOf(browser)).toMatchObject(bob)
  })

  it("is accepted without a client option if the metadata lists its algorithm", async () => {
    const { browser, codes } = await signInWith({ userinfo_signed_response_alg: "RS256" })
    expect(codes).toEqual([])
    expect(await sessionOf(browser)).toMatchObject(bob)
  })

  it.each([
    ["plain JSON", {}, "signature-wrong"],
    ["signed with HS256", { userinfo_signed_response_alg: "HS256" }, "signature-wrong"],
  ])("is rejected if it is %s and the client option is RS256", async (_, registration, code) => {
    const { browser, codes } = await signInWith(registration, { userinfo_signed_response_alg: "RS256" })
    expect(codes).toEqual([code])
    expect([await sessionOf(browser), sessionCookies(browser)]).toEqual([null, []])
  })
})
