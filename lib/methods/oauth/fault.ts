import type { MessageCode } from "../../codes/index.js"
import { coded } from "../../error-codes.js"
import { OAuthCallbackError } from "../../errors.js"
import { printable } from "../../redact.js"
import { plainError as withoutDetails } from "../../security/plain-error.js"
import { type Requirement, requirementIn } from "./requirements.js"
import { spellingsOfAll } from "./secret-spellings.js"

type Secrets = readonly (string | undefined)[]

/** Longer texts of a provider are cut. */
const MAX_TEXT_LENGTH = 1000

/** Text from outside as a log may have it: providers repeat what they were sent, and people write into addresses. */
function loggable(text: string, secrets: Secrets): string {
  const masked = spellingsOfAll(secrets).reduce((rest, spelling) => rest.replaceAll(spelling, "[masked]"), text)
  // Patterns are for short texts: over a long one they take their time.
  return printable(masked.slice(0, MAX_TEXT_LENGTH).replace(CREDENTIALS, "$1 [masked]").replace(JWT, "[masked]"))
}

/** What a client or a person is let in by, in a header (RFC 7617, RFC 6750). */
const CREDENTIALS = /\b(Basic|Bearer) +[\w.~+/-]+=*/gi
/** Of any token, cut off too (RFC 7519). */
const JWT = /\beyJ[\w-]{8,}(?:\.[\w-]*)+/g

/** An error of a library or of the network as a log may have it. What is secret in this attempt is masked. */
export const plainError = (value: unknown, secrets: Secrets = []): Error =>
  withoutDetails(value, (text) => loggable(text, secrets))

/** What people do themselves at a provider, and nobody has to mend (RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6). */
const REFUSALS = new Set([
  "access_denied",
  "login_required",
  "interaction_required",
  "consent_required",
  "account_selection_required",
])

/** What the provider's word for it means, and where an operator should look. */
type Refusal = Requirement

const CLIENT: Refusal = {
  code: "client-refused",
  hint: "compare the client id and secret with the provider's console; the secret may have expired",
}
const SPENT: Refusal = {
  code: "code-refused",
  hint: "the code was spent or too old, or the redirect URI differs from the one of the start",
}

const SPENT_OR_DPOP: Refusal = {
  ...SPENT,
  hint: `${SPENT.hint}, or the client is registered for DPoP-bound access tokens, which latchkey does not support`,
}

/** By the provider's error code (RFC 6749 §4.1.2.1, §5.2); the last two are words of vendors for the same. */
const KNOWN: Readonly<Record<string, Refusal>> = {
  redirect_uri_mismatch: {
    code: "redirect-uri-mismatch",
    hint: "register this redirect URI at the provider, to the letter",
  },
  invalid_client: CLIENT,
  unauthorized_client: {
    code: "client-not-allowed",
    hint: "allow the authorization code flow for this client at the provider",
  },
  invalid_scope: {
    code: "scope-refused",
    hint: "compare the scope with what the provider lets this client ask for",
  },
  invalid_grant: SPENT,
  incorrect_client_credentials: CLIENT,
  bad_verification_code: SPENT,
}

/** At the token endpoint some providers answer a wrong secret with `unauthorized_client`. */
const KNOWN_OF_TOKENS: Readonly<Record<string, Refusal>> = {
  ...KNOWN,
  unauthorized_client: {
    code: "client-refused",
    hint: `${CLIENT.hint}, or the client may not use the authorization code flow`,
  },
}

/** An error that a provider answered with. */
export interface ProviderError {
  readonly code: string
  readonly description?: unknown
  /** Did the token endpoint answer? */
  readonly isOfTokens?: boolean
  /** Does the provider's metadata list DPoP? Some refuse a request without a proof as they refuse a spent code. */
  readonly offersDpop?: boolean
}

function knownRefusal({ code, description, isOfTokens, offersDpop }: ProviderError): Refusal | undefined {
  const known = isOfTokens ? KNOWN_OF_TOKENS : KNOWN
  if (code === "invalid_grant" && offersDpop) return requirementIn(code, description) ?? SPENT_OR_DPOP
  return requirementIn(code, description) ?? (Object.hasOwn(known, code) ? known[code] : undefined)
}

/** What an operator should look at, by the provider's error. */
export function hintFor(error: ProviderError, redirectUri: string): { hint?: string; redirect_uri?: string } {
  const known = knownRefusal(error)
  return known ? { hint: known.hint, ...(known.code === "redirect-uri-mismatch" && { redirect_uri: redirectUri }) } : {}
}

/** The code of a failure that the provider has told in its own words. */
export function refusalCode(error: ProviderError): MessageCode {
  if (REFUSALS.has(error.code)) return "sign-in-cancelled"
  return (
    knownRefusal(error)?.code ??
    (error.code === "temporarily_unavailable" ? "provider-unreachable" : "provider-refused")
  )
}

/** The provider answered the authorization request with an error. */
export function refusal(
  query: Readonly<Record<string, string>>,
  { provider, redirectUri, nonce }: { provider: string; redirectUri: string; nonce: string | undefined },
): OAuthCallbackError {
  const { error = "", error_description } = query
  const secrets = [query["state"], query["code"], nonce]
  const code = loggable(error, secrets)
  const answered = { code: error, description: error_description }
  const failure = coded(
    refusalCode(answered),
    new OAuthCallbackError(`the provider answered "${code}"`, {
      provider,
      error: code,
      ...(error_description && { error_description: loggable(error_description, secrets) }),
      ...hintFor(answered, redirectUri),
    }),
  )
  return REFUSALS.has(error) ? Object.assign(failure, { level: "warn" as const }) : failure
}
