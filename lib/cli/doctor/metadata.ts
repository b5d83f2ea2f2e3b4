/**
 * Compares the metadata of a provider with the configuration.
 *
 * @module
 */
import type { AuthorizationServer } from "oauth4webapi"
import { asError } from "../../errors/errors.js"
import type { MessageCode } from "../../errors/message-code.js"
import { isSecureUrl } from "../../methods/oauth/endpoint.js"
import type { ReadyOAuth } from "../../methods/oauth/prepare.js"
import { listRequirements } from "../../methods/oauth/requirements.js"
import { type DoctorFinding, fail, ok, warn } from "./check.js"
import { parseObject, type RecordedResponse } from "./responses.js"

/** The finding for metadata that could not be loaded: no response, another response, or another issuer. */
export function discoveryFinding(
  { id, issuer = "" }: ReadyOAuth,
  error: unknown,
  response?: RecordedResponse,
): DoctorFinding {
  const seen = asError(error).message
  const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`
  if (!response)
    return fail("provider-unreachable", id, { seen, fix: `issuer: the address that answers at ${address}` })
  const reported = response.status === 200 ? parseObject(response)?.["issuer"] : undefined
  if (typeof reported === "string") {
    const both = `issuer "${reported}", configured "${issuer}"`
    return fail("issuer-mismatch", id, { seen: both, fix: `issuer: "${reported}"` })
  }
  const fix = "issuer: the provider's issuer from its console or documentation, including the path"
  return fail("provider-unreachable", id, {
    cause: "There is no discovery document at the issuer's address",
    seen,
    fix,
  })
}

function checkEndpoints(as: AuthorizationServer, { id, type, allowInsecure }: ReadyOAuth): DoctorFinding[] {
  const required = ["authorization_endpoint", "token_endpoint", ...(type === "oidc" ? ["jwks_uri"] : [])]
  const missing = required.filter((name) => typeof as[name] !== "string")
  const insecure = required.filter((name) => typeof as[name] === "string" && !isSecureUrl(String(as[name])))
  const found: DoctorFinding[] = []
  if (missing.length > 0)
    found.push(fail("endpoints-missing", id, { seen: `no ${missing.join(", ")} in the metadata` }))
  if (insecure.length > 0 && !allowInsecure) {
    const seen = insecure.map((name) => `${name}: ${as[name]}`).join(", ")
    found.push(fail("provider-url-insecure", id, { seen, fix: "set an issuer with https://" }))
  }
  return found
}

/** A list of the metadata, and the test whether it supports the configuration. */
interface Support {
  readonly code: MessageCode
  readonly field: string
  readonly isSupported: (values: readonly unknown[], provider: ReadyOAuth) => boolean
  /** A wrong list of this kind is common, so the finding is only a warning. */
  readonly isUnreliable?: true
  readonly fix?: (values: readonly unknown[]) => string
}

/** Signatures with a shared key are accepted only if the client configures them. */
const isUsable = (alg: unknown, configured: unknown): boolean =>
  alg === configured || /^(?:[RPE]S(?:256|384|512)|EdDSA|Ed25519)$/.test(String(alg))

const authMethod = ({ client }: ReadyOAuth): string =>
  String(client["token_endpoint_auth_method"] ?? "client_secret_basic")

const SUPPORT: readonly Support[] = [
  {
    code: "pkce-unsupported",
    field: "code_challenge_methods_supported",
    isSupported: (methods, { checks }) => !checks.has("pkce") || methods.includes("S256"),
    isUnreliable: true,
    fix: () => 'if sign-ins fail, set checks: ["state", "nonce"]',
  },
  {
    code: "client-not-allowed",
    field: "response_types_supported",
    isSupported: (types) => types.includes("code"),
  },
  {
    code: "id-token-alg-unsupported",
    field: "id_token_signing_alg_values_supported",
    isSupported: (algorithms, { type, client }) =>
      type !== "oidc" || algorithms.some((alg) => isUsable(alg, client.id_token_signed_response_alg)),
    fix: () => "at the provider, select RS256, PS256, ES256 or EdDSA for this client",
  },
  {
    code: "client-auth-unsupported",
    field: "token_endpoint_auth_methods_supported",
    isSupported: (methods, provider) => methods.includes(authMethod(provider)),
    isUnreliable: true,
    fix: (methods) =>
      `client: { token_endpoint_auth_method: "${methods.find((m) => String(m).startsWith("client_secret")) ?? methods[0]}" }`,
  },
]

/** RFC 8414 §2: a missing field has an unknown value, so only explicit conflicts are reported. */
const checkSupport = (as: AuthorizationServer, provider: ReadyOAuth): DoctorFinding[] =>
  SUPPORT.flatMap(({ code, field, isSupported, isUnreliable, fix }) => {
    const values: unknown = as[field]
    if (!Array.isArray(values) || isSupported(values, provider)) return []
    const seen = `${field}: ${values.map(String).join(", ")}`
    return [(isUnreliable ? warn : fail)(code, provider.id, { seen, ...(fix && { fix: fix(values) }) })]
  })

/** The findings of a discovery document. */
export function checkMetadata(as: AuthorizationServer, provider: ReadyOAuth): DoctorFinding[] {
  const { id } = provider
  const found = [
    ...checkEndpoints(as, provider),
    ...listRequirements(as).map(({ code, hint }) => fail(code, id, { cause: hint })),
    ...checkSupport(as, provider),
  ]
  return found.length > 0 ? found : [ok("issuer-mismatch", id, `${as.issuer} is the configured issuer`)]
}
