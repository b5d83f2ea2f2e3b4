/**
 * Reads and clears the session cookies of a browser. With `session.hostPrefix`, a cookie may still have the former
 * name, without `__Host-`.
 *
 * @module
 */
import type { Awaitable } from "../base/awaitable.js"
import type { CookieChange } from "../base/types.js"
import { dropChunked } from "../http/cookies.js"
import { MAX_TRIED_VALUES, readValues } from "../http/duplicate-cookies.js"
import { createLogLimit } from "../logging/log-limit.js"
import type { Logger } from "../logging/logger.js"
import { type CONFLICT, findOnlySession, type SessionReader } from "../security/session-values.js"
import type { SessionCookies } from "./session.js"

/** Returns the current name of the session cookie, and the former name if it differs. */
function cookieNames({ sessionToken, formerSessionToken }: SessionCookies["cookieSet"]): readonly string[] {
  const { name } = sessionToken
  return formerSessionToken.name === name ? [name] : [name, formerSessionToken.name]
}

const valuesUnder = (name: string, { cookies, cookieHeader }: SessionCookies): readonly string[] =>
  readValues(cookies, name, cookieHeader)

/**
 * Returns the values that may be the browser's session, each with the name of its cookie: at most `MAX_TRIED_VALUES`
 * for each name.
 */
export const namedSessionValues = (browser: SessionCookies): { readonly name: string; readonly value: string }[] =>
  cookieNames(browser.cookieSet).flatMap((name) =>
    valuesUnder(name, browser)
      .slice(0, MAX_TRIED_VALUES)
      .map((value) => ({ name, value })),
  )

/** Returns the values that may be the browser's session. */
export const sessionValues = (browser: SessionCookies): string[] =>
  namedSessionValues(browser).map(({ value }) => value)

/** Returns the changes that clear the session's cookies under the former name. */
export function dropFormerCookies({ cookies, cookieSet }: SessionCookies): CookieChange[] {
  const { name } = cookieSet.formerSessionToken
  return name === cookieSet.sessionToken.name ? [] : dropChunked("formerSessionToken", cookies, name)
}

/** Returns the changes that clear the session's cookies under both names. */
export const dropSessionCookies = (browser: SessionCookies): CookieChange[] => [
  ...dropChunked("sessionToken", browser.cookies, browser.cookieSet.sessionToken.name),
  ...dropFormerCookies(browser),
]

/** Functions that read the session in a cookie, which has the current or the former name. */
export interface NamedReader<T> extends Pick<SessionReader<T>, "owner"> {
  /** Returns the session of a cookie's value; undefined if the value is invalid. */
  readonly open: (value: string, name: string) => Awaitable<T | undefined>
}

/**
 * Finds the session of the browser. Returns undefined without a session, and `CONFLICT` if the cookies are of several
 * users or too many. The cookie with the former name is read only if the cookie with the current name contains no valid
 * session.
 */
export async function findSession<T>(
  browser: SessionCookies,
  { open, owner }: NamedReader<T>,
): Promise<T | undefined | typeof CONFLICT> {
  for (const name of cookieNames(browser.cookieSet)) {
    const found = await findOnlySession(valuesUnder(name, browser), { open: (value) => open(value, name), owner })
    if (found !== undefined) return found
  }
  return undefined
}

const CONFLICT_MESSAGE =
  "a request has session cookies of different users, or more than four session cookies, so it is treated as signed out. Another host of the same domain may have set one of them for the domain or for a longer path, and this site can't clear it. Set session: { hostPrefix: true }, so that browsers accept the cookie only from this host"

/**
 * Returns a function that logs a conflict. Other hosts can cause any number of conflicts, so the number of log records
 * is limited.
 */
export function createConflictLog(logger: Logger, now: () => number): () => void {
  const limit = createLogLimit(now)
  return () => {
    const omitted = limit.take()
    if (omitted === undefined) return
    const omittedNote = omitted > 0 ? `; ${omitted} more such requests were not logged` : ""
    logger.warn("session-cookies-conflict", CONFLICT_MESSAGE + omittedNote)
  }
}
