/**
 * What a provider says of itself, held against what the configuration wants of it.
 *
 * @module
 */
import type { AuthorizationServer } from "oauth4webapi"
import { asError } from "../../errors.js"
import { isSecureUrl } from "../../methods/oauth/endpoint.js"
import type { ReadyOAuth } from "../../methods/oauth/prepare.js"
import { requirementsOf } from "../../methods/oauth/requirements.js"
import { type DoctorFinding, fail, ok, warn } from "./finding.js"
import { type Answer, objectIn } from "./watched-fetch.js"

const listOf = (value: unknown): readonly unknown[] | undefined => (Array.isArray(value) ? value : undefined)

const quoted = (list: readonly unknown[]): string => list.map(String).join(", ")

/** Why the metadata could not be had: nobody answered, something else did, or another issuer. */
export function discoveryFinding({ id, issuer = "" }: ReadyOAuth, error: unknown, answer?: Answer): DoctorFinding {
  const { message } = asError(error)
  if (!answer)
    return fail("provider-unreachable", id, "the issuer can't be reached from this machine", {
      seen: message,
      write: `issuer: the address that answers at ${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`,
    })
  const named = answer.status === 200 ? objectIn(answer)?.["issuer"] : undefined
  if (typeof named === "string")
    return fail("issuer-mismatch", id, "the discovery document is of another issuer", {
      seen: `issuer "${named}", configured "${issuer}"`,
      write: `issuer: "${named}"`,
    })
  return fail("discovery-failed", id, "there is no discovery document where the issuer should have it", {
    seen: message,
    write: "issuer: the provider's issuer, as its console or documentation has it, path and all",
  })
}

function checkEndpoints(as: AuthorizationServer, { id, type, allowInsecure }: ReadyOAuth): DoctorFinding[] {
  const needed = ["authorization_endpoint", "token_endpoint", ...(type === "oidc" ? ["jwks_uri"] : [])]
  const missing = needed.filter((name) => typeof as[name] !== "string")
  const insecure = needed.filter((name) => typeof as[name] === "string" && !isSecureUrl(String(as[name])))
  return [
    ...(missing.length > 0
      ? [fail("endpoints-missing", id, `the provider names no ${missing.join(", ")}`, { seen: as.issuer })]
      : []),
    ...(insecure.length > 0 && !allowInsecure
      ? [
          fail("provider-url-insecure", id, `${insecure.join(", ")} would be called without encryption`, {
            seen: quoted(insecure.map((name) => as[name])),
            write: "an issuer on https",
          }),
        ]
      : []),
  ]
}

/** RFC 8414 §2: what is not in the document is not known; only what the document rules out is told. */
function checkAbilities(as: AuthorizationServer, provider: ReadyOAuth): DoctorFinding[] {
  const { id, checks, client, type } = provider
  const pkce = listOf(as.code_challenge_methods_supported)
  const types = listOf(as.response_types_supported)
  const algorithms = listOf(as.id_token_signing_alg_values_supported)
  const methods = listOf(as.token_endpoint_auth_methods_supported)
  const method = String(client["token_endpoint_auth_method"] ?? "client_secret_basic")
  const wantedAlg = client.id_token_signed_response_alg
  return [
    ...requirementsOf(as).map(({ code, hint }) => fail(code, id, hint)),
    ...(checks.has("pkce") && pkce && !pkce.includes("S256")
      ? [
          warn("pkce-unsupported", id, "the provider does not know PKCE with S256", {
            seen: `code_challenge_methods_supported: ${quoted(pkce)}`,
            write: 'checks: ["state", "nonce"], if sign-ins fail',
          }),
        ]
      : []),
    ...(types && !types.includes("code")
      ? [
          fail("code-flow-unsupported", id, "the provider gives no codes", {
            seen: `response_types_supported: ${quoted(types)}`,
          }),
        ]
      : []),
    ...(type === "oidc" && algorithms && !algorithms.some((alg) => isUsable(alg, wantedAlg))
      ? [
          fail("id-token-alg-unsupported", id, "the provider signs id_tokens in no way that is accepted here", {
            seen: `id_token_signing_alg_values_supported: ${quoted(algorithms)}`,
            write: "RS256, PS256, ES256 or EdDSA for this client, at the provider",
          }),
        ]
      : []),
    ...(methods && !methods.includes(method)
      ? [
          warn("client-auth-unsupported", id, `the provider does not list ${method}, by which it is told who asks`, {
            seen: `token_endpoint_auth_methods_supported: ${quoted(methods)}`,
            write: `client: { token_endpoint_auth_method: "${methods.find((m) => String(m).startsWith("client_secret")) ?? methods[0]}" }`,
          }),
        ]
      : []),
  ]
}

/** Signatures with a shared key count only where the client says so. */
const isUsable = (alg: unknown, wanted: unknown): boolean =>
  alg === wanted || /^(?:[RPE]S(?:256|384|512)|EdDSA|Ed25519)$/.test(String(alg))

/** The findings of a discovery document. */
export function checkMetadata(as: AuthorizationServer, provider: ReadyOAuth): DoctorFinding[] {
  const found = [...checkEndpoints(as, provider), ...checkAbilities(as, provider)]
  return found.length > 0
    ? found
    : [ok("issuer-mismatch", provider.id, `${as.issuer} is the issuer that is configured`)]
}
