/**
 * Step-up authentication in a route: `requireAuth({ freshWithin, factors, acr, amr })`.
 *
 * @module
 */
import { reauthenticationUrl } from "../actions/reauthentication.js"
import { coded } from "../errors/error-codes.js"
import { AuthError } from "../errors/errors.js"
import { MAX_CALLBACK_URL_LENGTH } from "../security/redirects.js"
import { describeShortfalls, formatChallenge } from "../sessions/challenge.js"
import { findShortfalls, type RequiredAuthentication } from "../sessions/required-authentication.js"
import type { RequestContext } from "./request-context.js"
import { toLocalPath } from "./sign-in-address.js"

/** An authentication that does not suffice. */
export interface MissingAuthentication {
  readonly reason: string
  /** The value of the header `WWW-Authenticate`. */
  readonly challenge: string
  /** Returns the URL of the page on which the user confirms who they are, with `target` as return URL. */
  readonly createUrl: (target: string) => string
}

const createStoreError = () =>
  coded(
    "store-missing",
    new AuthError(
      "requireAuth with freshWithin, factors, acr or amr needs a store, because database sessions keep there how users signed in. Write { store: RedisStore(redis) }, or another store of docs/stores.md, and remove session.revocable: false",
    ),
  )

/**
 * Decides whether the authentication of the current session suffices. Undefined if it does.
 *
 * @throws AuthError if the sessions do not keep how users signed in
 */
export async function findMissingAuthentication(
  required: RequiredAuthentication,
  context: RequestContext,
): Promise<MissingAuthentication | undefined> {
  const { sessions, now } = context.runtime
  if (!sessions.keepsOrigin) throw createStoreError()
  const origin = await context.readOrigin()
  // A request can have several session cookies: the authentication must be that of the session that was read.
  const own = origin?.owner === context.names.owner ? origin : undefined
  const shortfalls = findShortfalls(own, required, now())
  if (shortfalls.length === 0) return undefined
  return {
    reason: `${describeShortfalls(shortfalls)}.`,
    challenge: formatChallenge(required, shortfalls),
    createUrl: (target) => {
      const path = toLocalPath(target)
      const { origin } = context.pageContext
      const callbackUrl = path.length <= MAX_CALLBACK_URL_LENGTH ? path : "/"
      return reauthenticationUrl({ base: context.base, origin }, required, { callbackUrl })
    },
  }
}
