import { describeProblem } from "../../../../lib/errors/errors.js"
import { customFetch } from "../../../../lib/index.js"
import OIDC from "../../../../lib/providers/oidc.js"
import { createRuntime } from "../../../../lib/runtime/runtime.js"

const SETTINGS = { issuer: "https://id.test", clientId: "id", clientSecret: "secret" }

function problemsOf(options: object): string[] {
  const config = { secret: "a secret for tests alone, of forty-eight letters", logger: {} }
  const { problems } = createRuntime(
    { ...config, providers: [OIDC({ ...SETTINGS, ...options })] },
    { NODE_ENV: "test" },
  )
  return problems.map((problem) => `${problem.code} ${describeProblem(problem)}`)
}

const NEEDS_FETCH = "provider-option-missing providers[0][customFetch] is missing, but"

describe("createRuntime with an extension that needs a function of the application", () => {
  it.each<[object, string]>([
    [{ token_endpoint_auth_method: "tls_client_auth" }, `${NEEDS_FETCH} tls_client_auth needs it`],
    [
      { token_endpoint_auth_method: "self_signed_tls_client_auth" },
      `${NEEDS_FETCH} self_signed_tls_client_auth needs it. Write [customFetch]: fetchWithCertificate, as in docs/oauth.md#client-certificates`,
    ],
    [
      { tls_client_certificate_bound_access_tokens: true },
      `${NEEDS_FETCH} client.tls_client_certificate_bound_access_tokens needs it`,
    ],
    [
      { require_signed_request_object: true },
      `${NEEDS_FETCH} client.require_signed_request_object needs it. Write a [customFetch] that signs pushed requests, as in docs/oauth.md#signed-requests`,
    ],
    [
      { id_token_encrypted_response_alg: "RSA-OAEP-256" },
      "provider-option-missing providers[0].token.conform is missing, but client.id_token_encrypted_response_alg needs it. Write token: { conform: decryptIdToken }, as in docs/oauth.md#encrypted-id_tokens",
    ],
    [
      { userinfo_encrypted_response_alg: "RSA-OAEP-256" },
      "provider-option-missing providers[0].userinfo.request is missing, but client.userinfo_encrypted_response_alg needs it",
    ],
  ])("reports the missing function: %j", (client, problem) => {
    expect(problemsOf({ client })).toEqual([expect.stringContaining(problem)])
    const functions = {
      ...{ [customFetch]: fetch, token: { conform: async () => undefined } },
      userinfo: { request: async () => ({}) },
    }
    expect(problemsOf({ client, ...functions })).toEqual([])
  })

  it("needs no client secret with a certificate", () => {
    const client = { token_endpoint_auth_method: "tls_client_auth" }
    expect(problemsOf({ client, clientSecret: undefined, [customFetch]: fetch })).toEqual([])
  })
})
