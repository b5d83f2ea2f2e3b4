/**
 * The session cookies of a browser: under their current name and, with `session.hostPrefix`, under the former one too.
 *
 * @module
 */
import type { Awaitable } from "../base/awaitable.js"
import type { CookieChange } from "../base/types.js"
import { dropChunked } from "../http/cookies.js"
import { MAX_OPENED, readValues } from "../http/duplicate-cookies.js"
import { createLogLimit } from "../logging/log-limit.js"
import type { Logger } from "../logging/logger.js"
import { type CONFLICT, findOnlySession, type SessionReader } from "../security/session-values.js"
import type { SessionCookies } from "./session.js"

/** The current name, and the former one if it differs. */
function cookieNames({ sessionToken, formerSessionToken }: SessionCookies["cookieSet"]): readonly string[] {
  const { name } = sessionToken
  return formerSessionToken.name === name ? [name] : [name, formerSessionToken.name]
}

const valuesUnder = (name: string, { cookies, cookieHeader }: SessionCookies): readonly string[] =>
  readValues(cookies, name, cookieHeader)

/** The values that may be the browser's session, at most `MAX_OPENED` of each name, with the names of their cookies. */
export const namedSessionValues = (browser: SessionCookies): { readonly name: string; readonly value: string }[] =>
  cookieNames(browser.cookieSet).flatMap((name) =>
    valuesUnder(name, browser)
      .slice(0, MAX_OPENED)
      .map((value) => ({ name, value })),
  )

/** The values that may be the browser's session. */
export const sessionValues = (browser: SessionCookies): string[] =>
  namedSessionValues(browser).map(({ value }) => value)

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

/** Finds the browser's session. The former name is read only if the current one has no valid session. */
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
  "a request has session cookies of different users, so it is treated as signed out. Another host of the same domain may have set one of them for the domain or for a longer path, and this site can't clear it. Set session: { hostPrefix: true }, so that browsers accept the cookie only from this host"

/** Logs conflicts. Other hosts can cause any number of them, so the number of records is limited. */
export function createConflictLog(logger: Logger, now: () => number): () => void {
  const limit = createLogLimit(now)
  return () => {
    const omitted = limit.take()
    if (omitted === undefined) return
    const others = omitted > 0 ? `; ${omitted} more such requests were not logged` : ""
    logger.warn("session-cookies-conflict", CONFLICT_MESSAGE + others)
  }
}
