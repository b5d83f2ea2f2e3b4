import { isPromiseLike } from "../awaitable.js"
import { MAX_OPENED } from "../http/duplicate-cookies.js"
import type { JWT } from "../jwt.js"
import type { Awaitable } from "../types.js"

/** How the values of a session cookie are read. */
export interface SessionReader<T> {
  /** The session of a value; undefined for a value that is not valid. */
  readonly open: (value: string) => Awaitable<T | undefined>
  /** Whose session it is; undefined where the session does not contain that. */
  readonly owner: (session: T) => string | undefined
}

/** Several sessions of different users, so that the browser has none. */
export const CONFLICT = "conflict"

/**
 * The session among the values of the session cookie.
 *
 * A sibling host can plant a session of its own: nothing in a request shows which value this site has set. Values of one
 * user are the same to every reader. Values of different users, or more values than are opened, are a conflict.
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

/** Owners that are not known may be different users. */
const isSameOwner = (one: string | undefined, other: string | undefined): boolean => one !== undefined && one === other

/** The owner that the claims of a session contain: some applications have users without an id. */
export const readOwner = ({ sub, email }: Pick<JWT, "sub" | "email">): string | undefined => sub ?? email ?? undefined
