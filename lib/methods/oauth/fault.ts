import { asError, OAuthCallbackError } from "../../errors.js"
import { printable } from "../../logger.js"
import { formEncode } from "./client-auth.js"

type Secrets = readonly (string | undefined)[]

/** Longer texts of a provider are cut. */
const MAX_TEXT_LENGTH = 1000

/** Somebody may send a code of one letter, to have it struck out of every word of the record. */
const isLong = (secret: string | undefined): secret is string => secret !== undefined && secret.length > 5

/** A secret as it stands in a header or an answer, in an address and in a form. */
const spellingsOf = (secret: string): string[] => [secret, encodeURIComponent(secret), formEncode(secret)]

/** Text from outside as a log may have it: providers repeat what they were sent, and people write into addresses. */
function loggable(text: string, secrets: Secrets): string {
  const spellings = secrets.flatMap((secret) => (isLong(secret) ? spellingsOf(secret) : []))
  const masked = spellings.reduce((rest, spelling) => rest.replaceAll(spelling, "[masked]"), text)
  // Patterns are for short texts: over a long one they take their time.
  return printable(masked.slice(0, MAX_TEXT_LENGTH).replace(CREDENTIALS, "$1 [masked]").replace(JWT, "[masked]"))
}

/** What a client or a person is let in by, in a header (RFC 7617, RFC 6750). */
const CREDENTIALS = /\b(Basic|Bearer) +[\w.~+/-]+=*/gi
/** Of any token, cut off too (RFC 7519). */
const JWT = /\beyJ[\w-]{8,}(?:\.[\w-]*)+/g

/**
 * An error of a library or of the network without what hangs on it: their causes hold answers with tokens in them,
 * and loggers print causes. What is secret in this attempt is masked.
 */
export function plainError(value: unknown, secrets: Secrets = []): Error {
  const error = asError(value)
  const plain = new Error(loggable(error.message, secrets))
  plain.name = error.name
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line))
  plain.stack = [`${plain.name}: ${plain.message}`, ...frames].join("\n")
  return plain
}

/** What people do themselves at a provider, and nobody has to mend (RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6). */
const REFUSALS = new Set([
  "access_denied",
  "login_required",
  "interaction_required",
  "consent_required",
  "account_selection_required",
])

const HINTS: Record<string, string> = {
  redirect_uri_mismatch: "register this redirect URI at the provider, to the letter",
  invalid_client: "compare the client id and secret with the provider's console",
  unauthorized_client: "allow the authorization code flow for this client at the provider",
  invalid_scope: "compare the scope with what the provider lets this client ask for",
  invalid_grant: "the code was spent or too old, or the redirect URI differs from the one of the start",
}

/** What an operator should look at, by the provider's error code. */
export const hintFor = (code: string, redirectUri: string): { hint?: string; redirect_uri?: string } =>
  Object.hasOwn(HINTS, code)
    ? { hint: HINTS[code] ?? "", ...(code === "redirect_uri_mismatch" && { redirect_uri: redirectUri }) }
    : {}

/** The provider answered the authorization request with an error. */
export function refusal(
  query: Readonly<Record<string, string>>,
  { provider, redirectUri, nonce }: { provider: string; redirectUri: string; nonce: string | undefined },
): OAuthCallbackError {
  const { error = "", error_description } = query
  const secrets = [query["state"], query["code"], nonce]
  const code = loggable(error, secrets)
  const failure = new OAuthCallbackError(`the provider answered "${code}"`, {
    provider,
    error: code,
    ...(error_description && { error_description: loggable(error_description, secrets) }),
    ...hintFor(error, redirectUri),
  })
  return REFUSALS.has(error) ? Object.assign(failure, { level: "warn" as const }) : failure
}
