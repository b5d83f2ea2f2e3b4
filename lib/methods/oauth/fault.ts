import type { MessageCode } from "../../codes/index.js"
import { coded } from "../../error-codes.js"
import { OAuthCallbackError } from "../../errors.js"
import { printable } from "../../redact.js"
import { plainError as withoutDetails } from "../../security/plain-error.js"
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
interface Refusal {
  readonly code: MessageCode
  readonly hint: string
}

const CLIENT: Refusal = {
  code: "client-refused",
  hint: "compare the client id and secret with the provider's console; the secret may have expired",
}
const SPENT: Refusal = {
  code: "code-refused",
  hint: "the code was spent or too old, or the redirect URI differs from the one of the start",
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

const knownRefusal = (error: string): Refusal | undefined => (Object.hasOwn(KNOWN, error) ? KNOWN[error] : undefined)

/** What an operator should look at, by the provider's error code. */
export function hintFor(error: string, redirectUri: string): { hint?: string; redirect_uri?: string } {
  const known = knownRefusal(error)
  return known ? { hint: known.hint, ...(known.code === "redirect-uri-mismatch" && { redirect_uri: redirectUri }) } : {}
}

/** The code of a failure that the provider has told in its own words. */
export function refusalCode(error: string): MessageCode {
  if (REFUSALS.has(error)) return "sign-in-cancelled"
  return (
    knownRefusal(error)?.code ?? (error === "temporarily_unavailable" ? "provider-unreachable" : "provider-refused")
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
  const failure = coded(
    refusalCode(error),
    new OAuthCallbackError(`the provider answered "${code}"`, {
      provider,
      error: code,
      ...(error_description && { error_description: loggable(error_description, secrets) }),
      ...hintFor(error, redirectUri),
    }),
  )
  return REFUSALS.has(error) ? Object.assign(failure, { level: "warn" as const }) : failure
}
