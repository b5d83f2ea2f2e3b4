/**
 * Decides whether the session's cookie is persistent (`session.remember`). A browser that is closed keeps persistent
 * cookies and deletes the others. The decision is made at the sign-in and does not change. An encrypted session stores
 * it in a claim. A database session stores it in a suffix of its token, because an adapter has no field for it.
 *
 * @module
 */
import type { JWT } from "../base/types.js"
import type { SessionOptions } from "../config/auth-config.js"

/**
 * The idle timeout of a transient session, whose cookie is not persistent. Browsers that restore their tabs also
 * restore such cookies, so the server has to end the session.
 */
const TRANSIENT_MAX_AGE_SECONDS = 86_400
/** A thirtieth of the idle timeout, like the default of `session.updateAge`. */
const TRANSIENT_UPDATE_AGE_SECONDS = TRANSIENT_MAX_AGE_SECONDS / 30

/** Decides whether the cookie of a new session is persistent. `choice` is the user's choice on the sign-in page. */
export const decidePersistence = (
  remember: NonNullable<SessionOptions["remember"]>,
  choice: boolean | undefined,
): boolean => (remember === "ask" ? choice === true : remember)

type Ages = Required<Pick<SessionOptions, "maxAge" | "updateAge">>

/** Returns a function that selects `maxAge` and `updateAge` for persistent or for transient sessions. */
export function createAges({ maxAge, updateAge }: Ages): (isPersistent: boolean) => Ages {
  const persistent = { maxAge, updateAge }
  const transient = {
    maxAge: Math.min(maxAge, TRANSIENT_MAX_AGE_SECONDS),
    updateAge: Math.min(updateAge, TRANSIENT_UPDATE_AGE_SECONDS),
  }
  return (isPersistent) => (isPersistent ? persistent : transient)
}

/** Returns the claims that store the decision. A persistent session has none, like the sessions of Auth.js. */
export const toPersistenceClaims = (isPersistent: boolean): Pick<JWT, "session_remember"> =>
  isPersistent ? {} : { session_remember: false }

export const hasPersistentClaims = ({ session_remember }: JWT): boolean => session_remember !== false

/** The suffix of a transient session's token. The start of the session may follow it. */
const TRANSIENT_TOKEN = /\.transient(?:\.[\da-z]{6,7})?$/

/**
 * Adds the suffix to the token of a new transient session. A client can't remove it, because the adapter has no session
 * with the changed token.
 */
export const withPersistence = (token: string, isPersistent: boolean): string =>
  isPersistent ? token : `${token}.transient`

export const isPersistentToken = (token: string): boolean => !TRANSIENT_TOKEN.test(token)
