import { type Awaitable, isPromiseLike } from "../base/awaitable.js"
import type { JWT } from "../base/types.js"
import { MAX_OPENED } from "../http/duplicate-cookies.js"

/** Functions that read the values of a session cookie. */
export interface SessionReader<T> {
  /** The session of a value; undefined for a value that is not valid. */
  readonly open: (value: string) => Awaitable<T | undefined>
  /** The owner of a session; undefined if the session does not contain it. */
  readonly owner: (session: T) => string | undefined
}

/** The browser has sessions of different users, so it is treated as signed out. */
export const CONFLICT = "conflict"

/**
 * The session among the values of the session cookie.
 *
 * A sibling host can plant another session, and a request does not show which value this site has set. Several values
 * of one user are accepted. Values of different users, or more than `MAX_OPENED` values, are a conflict.
 */
export async function findOnlySession<T>(
  values: readonly string[],
  { open, owner }: SessionReader<T>,
): Promise<T | undefined | typeof CONFLICT> {
  let found: T | undefined
  for (let i = 0; i < values.length && i < MAX_OPENED; i++) {
    const opening = open(values[i] ?? "")
    const session = isPromiseLike(opening) ? await opening : opening
    if (session === undefined) continue
    if (found !== undefined && !isSameOwner(owner(found), owner(session))) return CONFLICT
    found ??= session
  }
  return found !== undefined && values.length > MAX_OPENED ? CONFLICT : found
}

/** Two unknown owners are treated as different users. */
const isSameOwner = (one: string | undefined, other: string | undefined): boolean => one !== undefined && one === other

/**
 * The owner in the claims of a session: the id, or the email address, because some applications have users without an
 * id.
 */
export const readOwner = ({ sub, email }: Pick<JWT, "sub" | "email">): string | undefined => sub ?? email ?? undefined
