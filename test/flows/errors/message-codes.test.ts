import express from "express"
import { authMiddleware } from "../../../lib/index.js"
import type { AuthConfig } from "../../../lib/types.js"
import { configOf, servers } from "../../express/support/servers.js"
import { type FaultyProvider, type ProviderMode, startFaultyProvider } from "../../support/faulty-provider.js"
import { recordingLogger } from "../../support/recording-logger.js"

const serve = servers()
let provider: FaultyProvider
beforeAll(async () => {
  provider = await startFaultyProvider()
})
afterEach(() => provider.reset())
afterAll(() => provider.close())

/** Signs in at the provider and returns the logged codes. */
async function loggedCodes(
  mode: ProviderMode,
  { over = {}, answer = "" }: { over?: Partial<AuthConfig>; answer?: string } = {},
) {
  provider.set(mode)
  const log = recordingLogger()
  const app = express()
  app.use(authMiddleware(configOf({ providers: [provider.oidc()], logger: log.logger, ...over })))
  const { browser } = await serve(app)
  const visitor = browser()
  const csrfToken = await visitor.csrf("/auth")
  const start = await visitor.post("/auth/signin/oidc", { csrfToken })
  if (start.location.startsWith(provider.base)) {
    const state = new URL(start.location).searchParams.get("state")
    await visitor.get(
      answer ? `/auth/callback/oidc?state=${state}&error=${answer}` : await provider.authorize(start.location),
    )
  }
  return log.records.map(({ args }) => {
    const error = args.find((arg) => arg instanceof Error)
    return Reflect.get(Object(error), "messageCode")
  })
}

const refusing = (error: string) => ({ fault: { token: { status: 400, body: { error } } } }) as const

describe("A failed provider sign-in is logged with the code of its reason:", () => {
  it.each<[string, ProviderMode]>([
    ["client-refused", refusing("invalid_client")],
    ["code-refused", refusing("invalid_grant")],
    ["provider-refused", refusing("teapot")],
    ["provider-unreachable", { fault: { token: "reset" } }],
    ["provider-unreachable", { fault: { token: { status: 502 } } }],
    ["provider-unreachable", { fault: { discovery: { status: 404 } } }],
    ["signature-wrong", { sig: "other-key" }],
    ["clock-skew", { claims: (claims) => ({ ...claims, iat: Number(claims["iat"]) + 600 }) }],
    ["clock-skew", { claims: (claims) => ({ ...claims, exp: Number(claims["iat"]) - 600 }) }],
    ["issuer-mismatch", { claims: (claims) => ({ ...claims, iss: "https://another.test" }) }],
    ["provider-answer-invalid", { claims: (claims) => ({ ...claims, nonce: "another" }) }],
  ])("%s", async (code, mode) => {
    expect(await loggedCodes(mode)).toEqual([code])
  })

  it.each([
    ["extension-required", "require_signed_request_object"],
    ["endpoints-missing", "require_pushed_authorization_requests"],
  ])("%s, if the provider's metadata has %s", async (code, name) => {
    expect(await loggedCodes({ discovery: (metadata) => ({ ...metadata, [name]: true }) })).toEqual([code])
    expect(await loggedCodes({ discovery: (metadata) => ({ ...metadata, [name]: false }) })).toEqual([])
  })

  it.each<[string, ProviderMode]>([
    ["provider-unreachable", { fault: { userinfo: { status: 502 } } }],
    ["provider-unreachable", { fault: { userinfo: "reset" } }],
    ["provider-answer-invalid", { userinfo: (user) => ({ ...user, sub: "bob" }) }],
  ])("%s, for the userinfo endpoint", async (code, mode) => {
    expect(await loggedCodes(mode, { over: { providers: [provider.oidc({ idToken: false })] } })).toEqual([code])
  })

  it.each([
    ["redirect-uri-mismatch", "redirect_uri_mismatch"],
    ["client-not-allowed", "unauthorized_client"],
    ["scope-refused", "invalid_scope"],
    ["provider-unreachable", "temporarily_unavailable"],
    ["sign-in-cancelled", "access_denied"],
  ])("%s, for an error in the authorization response", async (code, answer) => {
    expect(await loggedCodes({}, { answer })).toEqual([code])
  })
})
