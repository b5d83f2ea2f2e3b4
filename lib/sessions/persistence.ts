/**
 * Whether a browser keeps the session's cookie after it is closed (`session.remember`). It is decided at the sign-in and
 * does not change: an encrypted session has it as a claim, and a database session as a suffix of its token, because an
 * adapter stores nothing else.
 *
 * @module
 */
import type { JWT } from "../base/types.js"
import type { SessionOptions } from "../config/auth-config.js"

/** How long a session lasts without use if its cookie ends with the browser: a browser may restore such cookies. */
const TRANSIENT_MAX_AGE_SECONDS = 86_400
/** A thirtieth, as by default for all sessions of less than 30 days. */
const TRANSIENT_UPDATE_AGE_SECONDS = TRANSIENT_MAX_AGE_SECONDS / 30

/** Decides whether the cookie of a new session is persistent. `choice` is that of the user on the sign-in page. */
export const decidePersistence = (
  remember: NonNullable<SessionOptions["remember"]>,
  choice: boolean | undefined,
): boolean => (remember === "ask" ? choice === true : remember)

type Ages = Required<Pick<SessionOptions, "maxAge" | "updateAge">>

/** Returns the function that selects the ages of a session. */
export function createAges({ maxAge, updateAge }: Ages): (isPersistent: boolean) => Ages {
  const persistent = { maxAge, updateAge }
  const transient = {
    maxAge: Math.min(maxAge, TRANSIENT_MAX_AGE_SECONDS),
    updateAge: Math.min(updateAge, TRANSIENT_UPDATE_AGE_SECONDS),
  }
  return (isPersistent) => (isPersistent ? persistent : transient)
}

/** The claims of an encrypted session. A persistent one has none, like the sessions of Auth.js. */
export const toPersistenceClaims = (isPersistent: boolean): Pick<JWT, "session_remember"> =>
  isPersistent ? {} : { session_remember: false }

export const hasPersistentClaims = ({ session_remember }: JWT): boolean => session_remember !== false

/** The end of a database session's token, which the time of the sign-in may follow. */
const TRANSIENT_TOKEN = /\.transient(?:\.[\da-z]{6,7})?$/

/** Marks the token of a new database session. A client can't change it: the adapter has no session with that token. */
export const withPersistence = (token: string, isPersistent: boolean): string =>
  isPersistent ? token : `${token}.transient`

export const isPersistentToken = (token: string): boolean => !TRANSIENT_TOKEN.test(token)
