import express from "express"
import { authMiddleware } from "../../lib/index.js"
import type { AuthConfig } from "../../lib/types.js"
import { configOf, servers } from "../express/support/servers.js"
import { type FaultyProvider, type ProviderMode, startFaultyProvider } from "../support/faulty-provider.js"
import { recordingLogger } from "../support/recording-logger.js"

const serve = servers()
let provider: FaultyProvider
beforeAll(async () => {
  provider = await startFaultyProvider()
})
afterEach(() => provider.reset())
afterAll(() => provider.close())

/** The code that the log has after somebody went to the provider and came back. */
async function codeAfter(
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

describe("a sign-in at a provider that fails is logged with the code of its reason:", () => {
  it.each<[string, ProviderMode]>([
    ["client-refused", refusing("invalid_client")],
    ["code-refused", refusing("invalid_grant")],
    ["provider-refused", refusing("teapot")],
    ["provider-unreachable", { fault: { token: "reset" } }],
    ["provider-unreachable", { fault: { token: { status: 502 } } }],
    ["provider-unreachable", { fault: { discovery: { status: 404 } } }],
    ["id-token-signature-wrong", { sig: "other-key" }],
    ["clock-skew", { claims: (claims) => ({ ...claims, iat: Number(claims["iat"]) + 600 }) }],
    ["clock-skew", { claims: (claims) => ({ ...claims, exp: Number(claims["iat"]) - 600 }) }],
    ["issuer-mismatch", { claims: (claims) => ({ ...claims, iss: "https://another.test" }) }],
    ["provider-answer-invalid", { claims: (claims) => ({ ...claims, nonce: "another" }) }],
  ])("%s", async (code, mode) => {
    expect(await codeAfter(mode)).toEqual([code])
  })

  it.each([
    ["pushed-requests-required", "require_pushed_authorization_requests"],
    ["signed-requests-required", "require_signed_request_object"],
  ])("%s, of a provider whose metadata has it", async (code, name) => {
    expect(await codeAfter({ discovery: (metadata) => ({ ...metadata, [name]: true }) })).toEqual([code])
    expect(await codeAfter({ discovery: (metadata) => ({ ...metadata, [name]: false }) })).toEqual([])
  })

  it.each<[string, ProviderMode]>([
    ["provider-unreachable", { fault: { userinfo: { status: 502 } } }],
    ["provider-unreachable", { fault: { userinfo: "reset" } }],
    ["provider-answer-invalid", { userinfo: (user) => ({ ...user, sub: "bob" }) }],
  ])("%s, of userinfo", async (code, mode) => {
    expect(await codeAfter(mode, { over: { providers: [provider.oidc({ idToken: false })] } })).toEqual([code])
  })

  it.each([
    ["redirect-uri-mismatch", "redirect_uri_mismatch"],
    ["client-not-allowed", "unauthorized_client"],
    ["scope-refused", "invalid_scope"],
    ["provider-unreachable", "temporarily_unavailable"],
    ["sign-in-cancelled", "access_denied"],
  ])("%s, which the browser brings", async (code, answer) => {
    expect(await codeAfter({}, { answer })).toEqual([code])
  })
})
