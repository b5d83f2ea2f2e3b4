/**
 * Compares the metadata of a provider with the configuration.
 *
 * @module
 */
import type { AuthorizationServer } from "oauth4webapi"
import { asError } from "../../errors/errors.js"
import { isSecureUrl } from "../../methods/oauth/endpoint.js"
import type { ReadyOAuth } from "../../methods/oauth/prepare.js"
import { listRequirements } from "../../methods/oauth/requirements.js"
import { type DoctorFinding, fail, ok, warn } from "./finding.js"
import { parseObject, type RecordedResponse } from "./recording-fetch.js"

const asList = (value: unknown): readonly unknown[] | undefined => (Array.isArray(value) ? value : undefined)

const joinList = (list: readonly unknown[]): string => list.map(String).join(", ")

/** The finding for metadata that could not be loaded: no response, another response, or another issuer. */
export function discoveryFinding(
  { id, issuer = "" }: ReadyOAuth,
  error: unknown,
  response?: RecordedResponse,
): DoctorFinding {
  const { message } = asError(error)
  if (!response)
    return fail("provider-unreachable", id, "the issuer can't be reached from this machine", {
      seen: message,
      fix: `issuer: the address that answers at ${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`,
    })
  const reportedIssuer = response.status === 200 ? parseObject(response)?.["issuer"] : undefined
  if (typeof reportedIssuer === "string")
    return fail("issuer-mismatch", id, "the discovery document belongs to another issuer", {
      seen: `issuer "${reportedIssuer}", configured "${issuer}"`,
      fix: `issuer: "${reportedIssuer}"`,
    })
  return fail("provider-unreachable", id, "there is no discovery document at the issuer's address", {
    seen: message,
    fix: "issuer: the provider's issuer from its console or documentation, including the path",
  })
}

function checkEndpoints(as: AuthorizationServer, { id, type, allowInsecure }: ReadyOAuth): DoctorFinding[] {
  const required = ["authorization_endpoint", "token_endpoint", ...(type === "oidc" ? ["jwks_uri"] : [])]
  const missing = required.filter((name) => typeof as[name] !== "string")
  const insecure = required.filter((name) => typeof as[name] === "string" && !isSecureUrl(String(as[name])))
  return [
    ...(missing.length > 0
      ? [fail("endpoints-missing", id, `the provider's metadata has no ${missing.join(", ")}`, { seen: as.issuer })]
      : []),
    ...(insecure.length > 0 && !allowInsecure
      ? [
          fail("provider-url-insecure", id, `${insecure.join(", ")} would be called without encryption`, {
            seen: joinList(insecure.map((name) => as[name])),
            fix: "set an issuer with https://",
          }),
        ]
      : []),
  ]
}

/** RFC 8414 §2: a missing field has an unknown value, so only explicit conflicts are reported. */
function checkSupport(as: AuthorizationServer, provider: ReadyOAuth): DoctorFinding[] {
  const { id, checks, client, type } = provider
  const pkce = asList(as.code_challenge_methods_supported)
  const types = asList(as.response_types_supported)
  const algorithms = asList(as.id_token_signing_alg_values_supported)
  const methods = asList(as.token_endpoint_auth_methods_supported)
  const method = String(client["token_endpoint_auth_method"] ?? "client_secret_basic")
  const configuredAlg = client.id_token_signed_response_alg
  return [
    ...listRequirements(as).map(({ code, hint }) => fail(code, id, hint)),
    ...(checks.has("pkce") && pkce && !pkce.includes("S256")
      ? [
          warn("pkce-unsupported", id, "the provider does not list PKCE with S256", {
            seen: `code_challenge_methods_supported: ${joinList(pkce)}`,
            fix: 'if sign-ins fail, set checks: ["state", "nonce"]',
          }),
        ]
      : []),
    ...(types && !types.includes("code")
      ? [
          fail("client-not-allowed", id, "the provider does not support the code flow", {
            seen: `response_types_supported: ${joinList(types)}`,
          }),
        ]
      : []),
    ...(type === "oidc" && algorithms && !algorithms.some((alg) => isUsable(alg, configuredAlg))
      ? [
          fail("id-token-alg-unsupported", id, "the provider signs id_tokens with no accepted algorithm", {
            seen: `id_token_signing_alg_values_supported: ${joinList(algorithms)}`,
            fix: "at the provider, select RS256, PS256, ES256 or EdDSA for this client",
          }),
        ]
      : []),
    ...(methods && !methods.includes(method)
      ? [
          warn("client-auth-unsupported", id, `the provider does not list the client authentication method ${method}`, {
            seen: `token_endpoint_auth_methods_supported: ${joinList(methods)}`,
            fix: `client: { token_endpoint_auth_method: "${methods.find((m) => String(m).startsWith("client_secret")) ?? methods[0]}" }`,
          }),
        ]
      : []),
  ]
}

/** Signatures with a shared key are accepted only if the client configures them. */
const isUsable = (alg: unknown, configured: unknown): boolean =>
  alg === configured || /^(?:[RPE]S(?:256|384|512)|EdDSA|Ed25519)$/.test(String(alg))

/** The findings of a discovery document. */
export function checkMetadata(as: AuthorizationServer, provider: ReadyOAuth): DoctorFinding[] {
  const found = [...checkEndpoints(as, provider), ...checkSupport(as, provider)]
  return found.length > 0 ? found : [ok("issuer-mismatch", provider.id, `${as.issuer} is the configured issuer`)]
}
