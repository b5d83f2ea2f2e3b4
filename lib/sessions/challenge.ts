/**
 * Formats the challenge of a 401 response, which must state how to authenticate (RFC 9110 §11.6.1). The scheme here is
 * "Cookie".
 *
 * @module
 */
import type { RequiredAuthentication, Shortfall } from "./required-authentication.js"

/** The challenge for a request without a session. */
export const COOKIE_CHALLENGE = 'Cookie realm="latchkey"'

/** Returns a description of what an authentication lacks. */
export const describeShortfalls = (shortfalls: readonly Shortfall[]): string =>
  shortfalls.includes("maxAgeSeconds")
    ? "More recent authentication is required"
    : "A different authentication level is required"

/**
 * Formats the challenge for a session whose authentication does not suffice (RFC 9470 §3). The values need no escaping:
 * the options are checked at start-up, and contain no quotation mark or backslash.
 */
export function formatChallenge(
  { maxAgeSeconds, acr }: RequiredAuthentication,
  shortfalls: readonly Shortfall[],
): string {
  const params = [
    `error="insufficient_user_authentication"`,
    `error_description="${describeShortfalls(shortfalls)}"`,
    ...(maxAgeSeconds === undefined ? [] : [`max_age="${maxAgeSeconds}"`]),
    ...(acr === undefined ? [] : [`acr_values="${acr}"`]),
  ]
  return [COOKIE_CHALLENGE, ...params].join(", ")
}
