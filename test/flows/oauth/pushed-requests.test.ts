/** Pushed authorization requests (RFC 9126) at a real provider. */
import { generateKeyPairSync } from "node:crypto"
import OIDC from "../../../lib/providers/oidc.js"
import { describeServers, recordingLogger, type Start, TEST_SECRET } from "../../support/apps.js"
import { type RealClient, type RealProvider, signInAtProvider, startRealProvider } from "../../support/real-provider.js"
import { guardProcess } from "../support/guard.js"
import { begin, sessionOf } from "../support/site.js"

guardProcess()

const REQUIRED = { pushedAuthorizationRequests: { enabled: true, requirePushedAuthorizationRequests: true } }

let requiring: RealProvider
let offering: RealProvider
beforeAll(async () => {
  requiring = await startRealProvider({ features: REQUIRED })
  offering = await startRealProvider()
})
afterAll(() => Promise.all([requiring.close(), offering.close()]))

describeServers("pushed authorization requests", (start: Start) => {
  let clients = 0

  async function open(real: RealProvider, provider: object = {}, registered: Partial<RealClient> = {}) {
    const clientId = `client-${++clients}`
    const clientSecret = `secret of ${clientId}, which has more than 32 characters`
    const { logger, records } = recordingLogger()
    const providers = [OIDC({ issuer: real.issuer, clientId, clientSecret, ...provider })]
    const app = await start({ providers, secret: TEST_SECRET, logger })
    const redirect_uris = [`${app.origin}${app.basePath}/callback/oidc`]
    await real.addClient({ client_id: clientId, client_secret: clientSecret, redirect_uris, ...registered })
    return { app, browser: app.browser(), clientId, records }
  }

  it.each<[string, () => RealProvider, (issuer: string) => object]>([
    ["the metadata requires it", () => requiring, () => ({})],
    [
      "the metadata requires it and authorization.url is configured",
      () => requiring,
      (issuer) => ({ authorization: { url: `${issuer}/auth` } }),
    ],
    ["the option is true", () => offering, () => ({ pushedAuthorizationRequests: true })],
  ])("keeps all parameters out of the browser if %s", async (_, real, options) => {
    const { browser, clientId } = await open(real(), options(real().issuer))
    const { location } = await begin(browser, { query: "?login_hint=alice" })
    const { searchParams } = new URL(location)
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: clientId,
      request_uri: expect.stringMatching(/^urn:ietf:params:oauth:request_uri:/),
    })
    await browser.get(await signInAtProvider(browser, location, "alice"))
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "Alice" } })
  })

  it("uses the option's URL as the endpoint", async () => {
    const endpoint = `${offering.issuer}/request`
    const { browser } = await open(offering, { pushedAuthorizationRequests: endpoint })
    const { location } = await begin(browser)
    expect(new URL(location).searchParams.has("request_uri")).toBe(true)
  })

  it("sends the parameters through the browser by default", async () => {
    const { browser } = await open(offering)
    const { location } = await begin(browser)
    expect(new URL(location).searchParams.get("scope")).toBe("openid profile email")
  })

  it("authenticates with private_key_jwt, whose audience is the issuer", async () => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
    const jwk = { ...privateKey.export({ format: "jwk" }), kid: "our-key", alg: "ES256" }
    const { d: _, ...publicJwk } = jwk
    const key = await crypto.subtle.importKey("jwk", jwk, { name: "ECDSA", namedCurve: "P-256" }, false, ["sign"])
    const sent: URLSearchParams[] = []
    const { customFetch } = await import("../../../lib/index.js")
    const { browser } = await open(
      requiring,
      {
        client: { token_endpoint_auth_method: "private_key_jwt" },
        token: { clientPrivateKey: { key, kid: "our-key" } },
        [customFetch]: ((input, init) => {
          if (init?.body instanceof URLSearchParams) sent.push(init.body)
          return fetch(input, init)
        }) satisfies typeof fetch,
      },
      { token_endpoint_auth_method: "private_key_jwt", jwks: { keys: [publicJwk] } },
    )
    const { location } = await begin(browser)
    await browser.get(await signInAtProvider(browser, location, "alice"))
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "Alice" } })
    const audiences = sent.map((form) => {
      const [, payload = ""] = (form.get("client_assertion") ?? "").split(".")
      return JSON.parse(Buffer.from(payload, "base64url").toString()).aud
    })
    expect(audiences).toEqual([requiring.issuer, requiring.issuer])
  })

  it.each<[string, object, object]>([
    ["client-refused", {}, { client_secret: "another secret, which has more than 32 characters" }],
    ["provider-refused", {}, { redirect_uris: ["https://app.test/callback"] }],
    ["endpoints-missing", { conformMetadata: withoutEndpoint }, {}],
    ["provider-unreachable", { pushedAuthorizationRequests: "http://127.0.0.1:9/request" }, {}],
  ])("shows an error and logs %s, without secrets, if the request cannot be pushed", async (code, ...rest) => {
    const { app, browser, clientId, records } = await open(requiring, ...rest)
    const { location } = await begin(browser)
    expect(location).toContain(`${app.origin}/auth/signin?error=`)
    const [error, another] = records.flatMap(({ args }) => args.filter((arg) => arg instanceof Error))
    expect([error, another]).toMatchObject([{ messageCode: code }, undefined])
    expect(JSON.stringify(records)).not.toContain(`secret of ${clientId}`)
  })
})

function withoutEndpoint({ pushed_authorization_request_endpoint: _, ...metadata }: Record<string, unknown>) {
  return metadata
}
