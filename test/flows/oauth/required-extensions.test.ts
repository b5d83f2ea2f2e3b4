/** Clients for which a real provider requires extensions of OAuth that are not configured here. */
import OIDC from "../../../lib/providers/oidc.js"
import { describeServers, recordingLogger, type Start, TEST_SECRET } from "../../support/apps.js"
import { type RealProvider, signInAtProvider, startRealProvider } from "../../support/real-provider.js"
import { guardProcess } from "../support/guard.js"
import { begin, sessionOf } from "../support/site.js"

guardProcess()

let real: RealProvider
beforeAll(async () => {
  real = await startRealProvider()
})
afterAll(() => real.close())

describeServers("extensions that a provider requires", (start) => {
  let clients = 0

  /** Registers a client that requires an extension, signs in, and returns the logged code and hint. */
  async function failureOf(metadata: object, starting: Start = start) {
    const clientId = `client-${++clients}`
    const clientSecret = `secret of ${clientId}, which has more than 32 characters`
    const { logger, records } = recordingLogger()
    const providers = [OIDC({ issuer: real.issuer, clientId, clientSecret })]
    const app = await starting({ providers, secret: TEST_SECRET, logger })
    const redirect_uris = [`${app.origin}${app.basePath}/callback/oidc`]
    await real.addClient({ client_id: clientId, client_secret: clientSecret, redirect_uris, ...metadata })
    const browser = app.browser()
    const { location } = await begin(browser)
    await browser.get(await signInAtProvider(browser, location, "alice"))
    expect(await sessionOf(browser)).toBeNull()
    const [error] = records.flatMap(({ args }) => args.filter((arg) => arg instanceof Error))
    const { hint } = Object(Object(error).cause)
    return { code: Reflect.get(Object(error), "messageCode"), hint }
  }

  it("logs a hint that names DPoP if the provider requires it", async () => {
    const { code, hint } = await failureOf({ dpop_bound_access_tokens: true })
    // The provider responds as if the code was used already; only its own log has the reason.
    expect([code, hint]).toEqual(["code-refused", expect.stringContaining("registered for DPoP-bound access tokens")])
  })

  it("logs a hint that names pushed authorization requests if the provider requires them", async () => {
    const { code, hint } = await failureOf({ require_pushed_authorization_requests: true })
    expect([code, hint]).toEqual(["extension-required", expect.stringContaining("pushedAuthorizationRequests: true")])
  })

  it("does not start a sign-in if the provider only accepts certificates", async () => {
    const strict = await startRealProvider({
      features: { mTLS: { enabled: true, tlsClientAuth: true } },
      settings: { clientAuthMethods: ["tls_client_auth"] },
    })
    const { logger, records } = recordingLogger()
    const providers = [OIDC({ issuer: strict.issuer, clientId: "a-client", clientSecret: "a secret" })]
    const app = await start({ providers, secret: TEST_SECRET, logger })
    expect((await begin(app.browser())).location).toContain("/auth/signin?error=")
    const [error] = records.flatMap(({ args }) => args.filter((arg) => arg instanceof Error))
    expect(Reflect.get(Object(error), "messageCode")).toBe("extension-required")
    expect(String(Object(Object(error).cause).err)).toContain('token_endpoint_auth_method: "tls_client_auth"')
    await strict.close()
  })
})
