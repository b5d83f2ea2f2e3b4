/**
 * The session cookies of a browser: under their name and, with `session.hostPrefix`, under the former one too.
 *
 * @module
 */
import { type CookieChange, dropChunked } from "../http/cookies.js"
import { MAX_OPENED, readValues } from "../http/duplicate-cookies.js"
import { createLogLimit } from "../log-limit.js"
import type { Logger } from "../logger.js"
import { type CONFLICT, findOnlySession, type SessionReader } from "../security/session-values.js"
import type { Awaitable } from "../types.js"
import type { SessionCookies } from "./session.js"

/** The name that is written first. */
function cookieNames({ sessionToken, formerSessionToken }: SessionCookies["cookieSet"]): readonly string[] {
  const { name } = sessionToken
  return formerSessionToken.name === name ? [name] : [name, formerSessionToken.name]
}

const valuesUnder = (name: string, { cookies, cookieHeader }: SessionCookies): readonly string[] =>
  readValues(cookies, name, cookieHeader)

/** Every value that may be the browser's session; the first of each name. */
export const sessionValues = (browser: SessionCookies): string[] =>
  cookieNames(browser.cookieSet).flatMap((name) => valuesUnder(name, browser).slice(0, MAX_OPENED))

/** Clears the session's cookies under the former name. */
export function dropFormer({ cookies, cookieSet }: SessionCookies): CookieChange[] {
  const { name } = cookieSet.formerSessionToken
  return name === cookieSet.sessionToken.name ? [] : dropChunked("formerSessionToken", cookies, name)
}

/** Clears the session's cookies under both names. */
export const dropSession = (browser: SessionCookies): CookieChange[] => [
  ...dropChunked("sessionToken", browser.cookies, browser.cookieSet.sessionToken.name),
  ...dropFormer(browser),
]

export interface NamedReader<T> extends Pick<SessionReader<T>, "owner"> {
  /** The session of a value in a cookie of this name; undefined for a value that is not valid. */
  readonly open: (value: string, name: string) => Awaitable<T | undefined>
}

/** The browser's session. The former name counts only without a session under the present one. */
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
  "a request had session cookies of different users, and was answered as signed out. Another host below the same domain may have set one of them, for the domain or for a longer path, which no answer of this site can clear. Set session: { hostPrefix: true }, so that browsers accept the cookie from this host alone"

/** Logs conflicts. Other hosts cause them, so the number of records is limited. */
export function createConflictLog(logger: Logger, now: () => number): () => void {
  const limit = createLogLimit(now)
  return () => {
    const leftOut = limit.take()
    if (leftOut === undefined) return
    const others = leftOut > 0 ? `; ${leftOut} more such requests are not in the log` : ""
    logger.warn("session-cookies-conflict", CONFLICT_MESSAGE + others)
  }
}
