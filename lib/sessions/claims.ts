/**
 * Creates and reads the claims of encrypted sessions.
 *
 * @module
 */
import type { JWT } from "../base/types.js"
import type { SignedIn } from "./session.js"

/** Returns the claims of a new session, as in Auth.js. */
export const createClaims = ({ user }: SignedIn): JWT => ({
  name: user.name,
  email: user.email,
  picture: user.image,
  ...(user.id !== undefined && { sub: String(user.id) }),
})

/**
 * Returns the email address that was verified at the sign-in; "" if the user's address was not verified, and undefined
 * if the claim is missing.
 */
export const readVerifiedEmailClaim = ({ session_verified_email }: JWT): string | undefined =>
  typeof session_verified_email === "string" ? session_verified_email : undefined

/** The last millisecond of the year 9999. Not every store accepts later times. */
const LATEST_TIME_MS = Date.UTC(10_000, 0) - 1

/**
 * Converts a time claim to milliseconds since 1970; returns undefined if it is not a number. The result is limited to
 * the years 1970 to 9999, because other applications with the secret can write any number.
 */
export const readTime = (seconds: unknown): number | undefined =>
  typeof seconds === "number" ? Math.max(0, Math.min(seconds * 1000, LATEST_TIME_MS)) : undefined

/**
 * Returns the user's id; undefined if the claim is neither a string nor a number. Other applications with the secret
 * can write any value, and a `jwt` callback can write a number.
 */
export const readSubject = ({ sub }: JWT): string | undefined =>
  typeof sub === "string" || typeof sub === "number" ? String(sub) : undefined

/**
 * Returns the claims that the `jwt` callback returned; null if the callback returned null or another falsy value. A
 * result such as `true` is rejected, because it would become a session without a user.
 *
 * @throws TypeError if the result is an array, or a truthy value other than an object
 */
export function requireClaims(result: JWT | null): JWT | null {
  if (!result) return null
  if (typeof result === "object" && !Array.isArray(result)) return result
  throw new TypeError("callbacks.jwt must return the token, or null to end the session")
}
