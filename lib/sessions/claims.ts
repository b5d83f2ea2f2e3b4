/**
 * The claims of sessions in cookies.
 *
 * @module
 */
import type { JWT } from "../base/types.js"
import type { SignedIn } from "./session.js"

/** The claims of a new session, as in Auth.js. */
export const createClaims = ({ user }: SignedIn): JWT => ({
  name: user.name,
  email: user.email,
  picture: user.image,
  ...(user.id !== undefined && { sub: String(user.id) }),
})

/** The claim of the address that was verified at the sign-in. */
export const readVerifiedEmailClaim = ({ session_verified_email }: JWT): string | undefined =>
  typeof session_verified_email === "string" ? session_verified_email : undefined

/** The last millisecond of the year 9999. Not every store accepts later times. */
const LATEST = Date.UTC(10_000, 0) - 1

/** A time of a token in milliseconds since 1970. Other applications with the secret can write any number. */
export const readTime = (seconds: unknown): number | undefined =>
  typeof seconds === "number" ? Math.max(0, Math.min(seconds * 1000, LATEST)) : undefined

/** The user's id. Other applications with the secret can write any value; a `jwt` callback can write a number. */
export const readSubject = ({ sub }: JWT): string | undefined =>
  typeof sub === "string" || typeof sub === "number" ? String(sub) : undefined

/** Rejects results such as `true`, which would become a session without a user. */
export function requireClaims(result: JWT | null): JWT | null {
  if (!result) return null
  if (typeof result === "object" && !Array.isArray(result)) return result
  throw new TypeError("callbacks.jwt must return the token, or null to end the session")
}
