import { type Awaitable, isPromiseLike } from "../base/awaitable.js"
import type { JWT } from "../base/types.js"
import { MAX_TRIED_VALUES } from "../http/duplicate-cookies.js"

/** Functions that read the session in a value of the session cookie. */
export interface SessionReader<T> {
  /** Returns the session in a cookie value; undefined if the value is invalid. */
  readonly open: (value: string) => Awaitable<T | undefined>
  /** Returns the owner of a session; undefined if the session does not contain the owner. */
  readonly owner: (session: T) => string | undefined
}

/** The result for a browser with sessions of different users. It is treated as signed out. */
export const CONFLICT = "conflict"

/**
 * Returns the session in the values of the session cookie; undefined if no value is valid.
 *
 * A sibling host can plant a cookie with another session, and a request does not show which cookie this site has set.
 * Several sessions of one user are accepted. Sessions of different users, or more than `MAX_TRIED_VALUES` values, are a
 * conflict.
 */
export async function findOnlySession<T>(
  values: readonly string[],
  { open, owner }: SessionReader<T>,
): Promise<T | undefined | typeof CONFLICT> {
  let found: T | undefined
  for (let i = 0; i < values.length && i < MAX_TRIED_VALUES; i++) {
    const opening = open(values[i] ?? "")
    const session = isPromiseLike(opening) ? await opening : opening
    if (session === undefined) continue
    if (found !== undefined && !isSameOwner(owner(found), owner(session))) return CONFLICT
    found ??= session
  }
  return found !== undefined && values.length > MAX_TRIED_VALUES ? CONFLICT : found
}

/** Two unknown owners are treated as different users. */
const isSameOwner = (a: string | undefined, b: string | undefined): boolean => a !== undefined && a === b

/**
 * Returns the owner of a session from its claims: the user's id, or the email address, because users of some
 * applications have no id.
 */
export const readOwner = ({ sub, email }: Pick<JWT, "sub" | "email">): string | undefined => sub ?? email ?? undefined
