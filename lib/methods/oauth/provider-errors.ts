import { OAuthCallbackError } from "../../errors/errors.js"
import type { MessageCode } from "../../errors/message-code.js"
import { printable } from "../../logging/redact.js"
import { copyError } from "../../security/copy-error.js"
import { type Diagnosis, requirementFromError } from "./requirements.js"
import { encodeSecrets } from "./secret-encodings.js"

type Secrets = readonly (string | undefined)[]

/** The number of characters to which texts of a provider are truncated. */
const MAX_TEXT_LENGTH = 1000

/** Makes text from outside safe to log. Providers may repeat secrets that they received, and users can edit URLs. */
function sanitizeText(text: string, secrets: Secrets): string {
  const masked = encodeSecrets(secrets).reduce((rest, encoding) => rest.replaceAll(encoding, "[masked]"), text)
  // Truncate the text before the patterns are applied, because they are slow on long texts.
  return printable(masked.slice(0, MAX_TEXT_LENGTH).replace(CREDENTIALS, "$1 [masked]").replace(JWT, "[masked]"))
}

/** The credentials in an `Authorization` header (RFC 7617, RFC 6750, RFC 9449). */
const CREDENTIALS = /\b(Basic|Bearer|DPoP) +[\w.~+/-]+=*/gi
/** A JWT, complete or truncated (RFC 7519). */
const JWT = /\beyJ[\w-]{8,}(?:\.[\w-]*)+/g

/** Returns a copy of an error from a library or the network. The copy is safe to log: the secrets are masked. */
export const sanitizeProviderError = (value: unknown, secrets: Secrets = []): Error =>
  copyError(value, (text) => sanitizeText(text, secrets))

/** Error codes for a user who has not completed the sign-in (RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6). */
const USER_REFUSALS = new Set([
  "access_denied",
  "login_required",
  "interaction_required",
  "consent_required",
  "account_selection_required",
])

const CLIENT_REFUSED: Diagnosis = {
  messageCode: "client-refused",
  hint: "compare the client id and secret with the provider's console; the secret may have expired",
}
const CODE_REFUSED: Diagnosis = {
  messageCode: "code-refused",
  hint: "the code was already used or has expired, or the redirect URI is not that of the authorization request",
}

const CODE_OR_DPOP_REFUSED: Diagnosis = {
  ...CODE_REFUSED,
  hint: `${CODE_REFUSED.hint}, or the client is registered for DPoP-bound access tokens: write { dpop: true } in the options of the provider`,
}

/** Diagnoses by error code (RFC 6749 §4.1.2.1, §5.2). The first and the last two error codes are vendor-specific. */
const DIAGNOSES: Readonly<Record<string, Diagnosis>> = {
  redirect_uri_mismatch: {
    messageCode: "redirect-uri-mismatch",
    hint: "register exactly this redirect URI at the provider",
  },
  invalid_client: CLIENT_REFUSED,
  unauthorized_client: {
    messageCode: "client-not-allowed",
    hint: "allow the authorization code flow for this client at the provider",
  },
  invalid_scope: {
    messageCode: "scope-refused",
    hint: "compare the scope with the scopes that the provider allows for this client",
  },
  invalid_grant: CODE_REFUSED,
  incorrect_client_credentials: CLIENT_REFUSED,
  bad_verification_code: CODE_REFUSED,
}

/** Diagnoses for the token endpoint, where some providers reject a wrong secret with `unauthorized_client`. */
const TOKEN_ENDPOINT_DIAGNOSES: Readonly<Record<string, Diagnosis>> = {
  ...DIAGNOSES,
  unauthorized_client: {
    messageCode: "client-refused",
    hint: `${CLIENT_REFUSED.hint}, or the client may not use the authorization code flow`,
  },
}

/** An error that a provider has returned, in an authorization response or in the response of an endpoint. */
export interface ProviderError {
  readonly code: string
  readonly description?: unknown
  /** True if the token endpoint returned the error. */
  readonly isFromTokenEndpoint?: boolean
  /** True if the metadata lists DPoP. Some providers reject a request without a DPoP proof with `invalid_grant`. */
  readonly offersDpop?: boolean
  /** True if the request had a DPoP proof. */
  readonly usesDpop?: boolean
}

/** An error response of one of the provider's endpoints (RFC 6749 §5.2). */
export class EndpointRefusal extends Error implements ProviderError {
  override name = "EndpointRefusal"
  readonly description: unknown
  constructor(
    readonly code: string,
    {
      endpoint,
      status,
      description,
    }: { readonly endpoint: string; readonly status: number; readonly description: unknown },
  ) {
    const more = typeof description === "string" ? `: ${description}` : ""
    super(`the ${endpoint} answered "${code}" with status ${status}${more}`)
    this.description = description
  }
}

/** Returns the diagnosis for a provider's error; undefined if the error is unknown. */
function findDiagnosis(error: ProviderError): Diagnosis | undefined {
  const { code, description, isFromTokenEndpoint, offersDpop, usesDpop } = error
  const diagnoses = isFromTokenEndpoint ? TOKEN_ENDPOINT_DIAGNOSES : DIAGNOSES
  const requirement = requirementFromError(code, description, usesDpop)
  if (code === "invalid_grant" && offersDpop && !usesDpop) return requirement ?? CODE_OR_DPOP_REFUSED
  return requirement ?? (Object.hasOwn(diagnoses, code) ? diagnoses[code] : undefined)
}

/** Returns a hint for the operator, with the redirect URI if the error is about it. Empty if the error is unknown. */
export function refusalHint(error: ProviderError, redirectUri: string): { hint?: string; redirect_uri?: string } {
  const diagnosis = findDiagnosis(error)
  return diagnosis
    ? { hint: diagnosis.hint, ...(diagnosis.messageCode === "redirect-uri-mismatch" && { redirect_uri: redirectUri }) }
    : {}
}

/** Returns this package's code for a provider's error. */
export function refusalCode(error: ProviderError): MessageCode {
  if (USER_REFUSALS.has(error.code)) return "sign-in-cancelled"
  return (
    findDiagnosis(error)?.messageCode ??
    (error.code === "temporarily_unavailable" ? "provider-unreachable" : "provider-refused")
  )
}

/** Creates the error for an error response to the authorization request. */
export function createAuthorizationError(
  query: Readonly<Record<string, string>>,
  { provider, redirectUri, nonce }: { provider: string; redirectUri: string; nonce: string | undefined },
): OAuthCallbackError {
  const { error = "", error_description } = query
  const secrets = [query["state"], query["code"], nonce]
  const code = sanitizeText(error, secrets)
  const providerError = { code: error, description: error_description }
  const facts = {
    provider,
    error: code,
    ...(error_description && { error_description: sanitizeText(error_description, secrets) }),
    ...refusalHint(providerError, redirectUri),
  }
  return new OAuthCallbackError(`the provider answered "${code}"`, facts, {
    messageCode: refusalCode(providerError),
    level: USER_REFUSALS.has(error) ? "warn" : "error",
  })
}
