import { asError, OAuthCallbackError } from "../../errors.js"

/**
 * An error of a library or of the network without what hangs on it: their causes hold answers with tokens in them,
 * and loggers print causes.
 */
export function plainError(value: unknown): Error {
  const error = asError(value)
  const plain = new Error(error.message)
  plain.name = error.name
  if (error.stack) plain.stack = error.stack
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
  HINTS[code] ? { hint: HINTS[code], ...(code === "redirect_uri_mismatch" && { redirect_uri: redirectUri }) } : {}

/** The provider answered the authorization request with an error. */
export function refusal(
  query: Readonly<Record<string, string>>,
  provider: string,
  redirectUri: string,
): OAuthCallbackError {
  const { error = "", error_description } = query
  const failure = new OAuthCallbackError(`the provider answered "${error}"`, {
    provider,
    error,
    ...(error_description && { error_description }),
    ...hintFor(error, redirectUri),
  })
  return REFUSALS.has(error) ? Object.assign(failure, { level: "warn" as const }) : failure
}
