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

/** How to respond to a user whose authentication is too old or too weak for the route. */
export interface MissingAuthentication {
  readonly reason: string
  /** The value of the header `WWW-Authenticate` (RFC 9470). */
  readonly challenge: string
  /** Returns the URL of the page on which the user re-authenticates, with `target` as return URL. */
  readonly createUrl: (target: string) => string
}

const createStoreError = () =>
  coded(
    "store-missing",
    new AuthError(
      "requireAuth with freshWithin, factors, acr or amr needs a store: for database sessions, only the store contains how and when the user was authenticated. Write { store: RedisStore(redis) }, or another store of docs/stores.md, and remove session.revocable: false",
    ),
  )

/**
 * Checks how and when the user of the current session was authenticated. Returns undefined if the authentication meets
 * the requirements.
 *
 * @throws AuthError with database sessions and no store, because it is then unknown how the user was authenticated
 */
export async function findMissingAuthentication(
  required: RequiredAuthentication,
  context: RequestContext,
): Promise<MissingAuthentication | undefined> {
  const { sessions, now } = context.runtime
  if (!sessions.recordsAuthentication) throw createStoreError()
  const authentication = await context.readAuthentication()
  // A request can contain several session cookies. Ignore the authentication of another user than `req.auth`.
  const sessionAuthentication = authentication?.owner === context.identifiers.owner ? authentication : undefined
  const shortfalls = findShortfalls(sessionAuthentication, required, now())
  if (shortfalls.length === 0) return undefined
  return {
    reason: `${describeShortfalls(shortfalls)}.`,
    challenge: formatChallenge(required, shortfalls),
    createUrl: (target) => {
      const path = toLocalPath(target)
      const { origin } = context.publicAddress
      const callbackUrl = path.length <= MAX_CALLBACK_URL_LENGTH ? path : "/"
      return reauthenticationUrl({ base: context.base, origin }, required, { callbackUrl })
    },
  }
}
