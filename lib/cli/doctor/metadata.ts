/**
 * Compares the metadata of a provider with the configuration.
 *
 * @module
 */
import type { AuthorizationServer } from "oauth4webapi"
import { asError } from "../../errors/errors.js"
import type { MessageCode } from "../../errors/message-code.js"
import { RESPONSE_MODES } from "../../methods/oauth/check-authorization.js"
import { CLIENT_AUTH_METHODS, readAuthMethod } from "../../methods/oauth/client-auth.js"
import { isSecureUrl, pushesRequests } from "../../methods/oauth/endpoint.js"
import type { ReadyOAuth } from "../../methods/oauth/prepare.js"
import { listRequirements } from "../../methods/oauth/requirements.js"
import { type DoctorFinding, fail, ok, warn } from "./check.js"
import { parseObject, type RecordedResponse } from "./responses.js"

/**
 * Returns the finding for metadata that could not be loaded: the provider did not respond, its response is not a
 * discovery document, or the document contains another issuer.
 */
export function discoveryFinding(
  { id, issuer = "" }: ReadyOAuth,
  error: unknown,
  response?: RecordedResponse,
): DoctorFinding {
  const seen = asError(error).message
  const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`
  if (!response)
    return fail("provider-unreachable", id, {
      seen,
      fix: `check the network and the issuer: ${address} must return the discovery document`,
    })
  const reportedIssuer = response.status === 200 ? parseObject(response)?.["issuer"] : undefined
  if (typeof reportedIssuer === "string") {
    const bothIssuers = `issuer "${reportedIssuer}", configured "${issuer}"`
    return fail("issuer-mismatch", id, { seen: bothIssuers, fix: `issuer: "${reportedIssuer}"` })
  }
  const fix = "issuer: the provider's issuer from its console or documentation, including the path"
  return fail("provider-unreachable", id, {
    cause: "There is no discovery document at the issuer's address",
    seen,
    fix,
  })
}

function checkEndpoints(as: AuthorizationServer, provider: ReadyOAuth): DoctorFinding[] {
  const { id, usesIdToken, allowInsecure, source } = provider
  const required = [
    "authorization_endpoint",
    "token_endpoint",
    ...(usesIdToken ? ["jwks_uri"] : []),
    ...(pushesRequests(as, source) ? ["pushed_authorization_request_endpoint"] : []),
  ]
  const missing = required.filter((name) => !URL.canParse(String(as[name])))
  const insecure = required.filter((name) => !missing.includes(name) && !isSecureUrl(String(as[name])))
  const found: DoctorFinding[] = []
  if (missing.length > 0)
    found.push(fail("endpoints-missing", id, { seen: `no valid URL for ${missing.join(", ")} in the metadata` }))
  if (insecure.length > 0 && !allowInsecure) {
    const seen = insecure.map((name) => `${name}: ${as[name]}`).join(", ")
    found.push(fail("provider-url-insecure", id, { seen, fix: "set an issuer with https://" }))
  }
  return found
}

/** A rule for a list in the metadata. `isSupported` is true if the values in the list support the configuration. */
interface SupportRule {
  readonly code: MessageCode
  readonly field: string
  readonly isSupported: (values: readonly unknown[], provider: ReadyOAuth) => boolean
  /** True if many providers publish a wrong list. Then the finding is only a warning. */
  readonly isUnreliable?: true
  readonly fix?: (values: readonly unknown[]) => string
}

/** True if id_tokens with this algorithm are accepted. HMAC algorithms are accepted only if configured. */
const isAcceptedAlgorithm = (alg: unknown, configured: unknown): boolean =>
  alg === configured || /^(?:[RPE]S(?:256|384|512)|EdDSA|Ed25519)$/.test(String(alg))

/**
 * Returns the method of client authentication to configure, if possible a method that uses the client secret. Undefined
 * if latchkey supports none of `methods`.
 */
const suggestAuthMethod = (methods: readonly unknown[]): unknown =>
  methods.find((method) => String(method).startsWith("client_secret")) ??
  methods.find((method) => CLIENT_AUTH_METHODS.includes(method))

const SUPPORT_RULES: readonly SupportRule[] = [
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
    code: "extension-required",
    field: "response_modes_supported",
    isSupported: (modes, { authorizationParams }) => modes.includes(authorizationParams["response_mode"] ?? "query"),
    isUnreliable: true,
    fix: (modes) => {
      const mode = RESPONSE_MODES.find((name) => modes.includes(name))
      return mode
        ? `authorization: { params: { response_mode: "${mode}" } }`
        : 'at the provider, enable response_mode "query" for this client'
    },
  },
  {
    code: "id-token-alg-unsupported",
    field: "id_token_signing_alg_values_supported",
    isSupported: (algorithms, { usesIdToken, client }) =>
      !usesIdToken || algorithms.some((alg) => isAcceptedAlgorithm(alg, client.id_token_signed_response_alg)),
    fix: () => "at the provider, select RS256, PS256, ES256 or EdDSA for this client",
  },
  {
    code: "client-auth-unsupported",
    field: "token_endpoint_auth_methods_supported",
    isSupported: (methods, provider) => methods.includes(readAuthMethod(provider.source)),
    isUnreliable: true,
    fix: (methods) => {
      const method = suggestAuthMethod(methods)
      return method
        ? `client: { token_endpoint_auth_method: "${method}" }`
        : "write a function token.request that authenticates the client"
    },
  },
]

/**
 * Reports the lists that do not support the configuration. Some providers omit lists, so a missing list is not
 * reported.
 */
const checkSupport = (as: AuthorizationServer, provider: ReadyOAuth): DoctorFinding[] =>
  SUPPORT_RULES.flatMap(({ code, field, isSupported, isUnreliable, fix }) => {
    const values: unknown = as[field]
    if (!Array.isArray(values) || isSupported(values, provider)) return []
    const seen = `${field}: ${values.map(String).join(", ")}`
    return [(isUnreliable ? warn : fail)(code, provider.id, { seen, ...(fix && { fix: fix(values) }) })]
  })

const LOGOUT_FIELDS = [
  "end_session_endpoint",
  "backchannel_logout_supported",
  "backchannel_logout_session_supported",
] as const

/**
 * Reports which kinds of logout an OpenID provider supports (RP-Initiated Logout 1.0 §2.1, Back-Channel Logout 1.0
 * §2.1). Reports an error if logout is enabled, but the provider has no endpoint for it.
 */
export function checkLogout(as: AuthorizationServer, provider: ReadyOAuth): DoctorFinding[] {
  const { id, usesIdToken, logsOut, endSessionUrl } = provider
  if (!usesIdToken) return []
  if (logsOut && !endSessionUrl && !as.end_session_endpoint)
    return [fail("logout-endpoint-missing", id, { seen: "no end_session_endpoint in the metadata" })]
  const support = LOGOUT_FIELDS.map((name) => `${name} ${as[name] ? "yes" : "no"}`)
  return [ok("logout-endpoint-missing", id, `logout at the provider: ${support.join(", ")}`)]
}

/** Checks a discovery document against the configuration. */
export function checkMetadata(as: AuthorizationServer, provider: ReadyOAuth): DoctorFinding[] {
  const { id } = provider
  const found = [
    ...checkEndpoints(as, provider),
    ...listRequirements(as, provider).map(({ messageCode, hint }) => fail(messageCode, id, { cause: hint })),
    ...checkSupport(as, provider),
  ]
  return found.length > 0 ? found : [ok("issuer-mismatch", id, `${as.issuer} is the configured issuer`)]
}
