/**
 * Recognises a callback that the browser repeats after a successful sign-in: by the back button, a reload, or a second
 * click on an email link. An encrypted cookie stores the browser's latest sign-ins for 15 minutes.
 *
 * @module
 */

import type { CookieChange } from "../base/types.js"
import type { AuthCall } from "../http/call.js"
import { FLOW_MAX_AGE_SECONDS } from "../http/cookies.js"
import { type Reply, redirect, withCookies } from "../http/reply.js"
import { openOrEmpty, seal } from "../security/jwe.js"
import { hashFlowKey } from "../security/sealed-flows.js"
import { fitsBudget } from "../sessions/cookie-budget.js"
import type { ActionRuntime } from "./action.js"

const PURPOSE = "latchkey.finished"
/** The name of the cookie is the name of the state cookie with this suffix. */
const COOKIE_SUFFIX = "finished"
/** The maximum number of sign-ins in the cookie. Several tabs can sign in at the same time. */
const MAX_FINISHED = 3

interface FinishedSignIn {
  /** The hash of the OAuth state, or of the email link's token. */
  readonly id: string
  /** The user's id. */
  readonly user: string
  readonly callbackUrl: string
}

function readFinished(call: AuthCall, { keys, now }: ActionRuntime): readonly FinishedSignIn[] {
  const value = call.cookies[`${call.cookieSet.state.name}.${COOKIE_SUFFIX}`]
  const { finished } = openOrEmpty(value, keys.for(PURPOSE), now())
  // The type is certain, because only this module encrypts for this purpose.
  return Array.isArray(finished) ? (finished as FinishedSignIn[]) : []
}

function createCookie(finished: readonly FinishedSignIn[], { keys, now }: ActionRuntime): CookieChange {
  const value = seal({ finished }, keys.for(PURPOSE), FLOW_MAX_AGE_SECONDS, now())
  return { put: "state", part: COOKIE_SUFFIX, value, expires: new Date(now() + FLOW_MAX_AGE_SECONDS * 1000) }
}

/** The browser's latest sign-ins, and the flow of the current callback. */
export interface FinishedFlows {
  /** The hash that identifies the flow of the current callback. */
  readonly id: string
  readonly finished: readonly FinishedSignIn[]
}

/** Reads the browser's latest sign-ins from the cookie, and hashes the key of the current callback's flow. */
export const findFinished = (key: string, call: AuthCall, runtime: ActionRuntime): FinishedFlows => ({
  id: hashFlowKey(key),
  finished: readFinished(call, runtime),
})

/**
 * Returns the redirect for a callback that has already succeeded in this browser. Undefined for other callbacks, and if
 * the user is no longer signed in.
 */
export async function replyToRepeated(
  { id, finished }: FinishedFlows,
  call: AuthCall,
  runtime: ActionRuntime,
): Promise<Reply | undefined> {
  const found = finished.find((signIn) => signIn.id === id)
  if (!found || found.user !== (await runtime.sessions.currentUserId(call))) return undefined
  call.trace?.write("request", "this callback already succeeded in this browser, and its user is still signed in")
  return redirect(found.callbackUrl)
}

/**
 * Adds this sign-in to the cookie, and removes the sign-ins of other users from the cookie. Does not change the cookie
 * if all cookies together would exceed `maxCookieSize`.
 */
export function rememberFinished(
  reply: Reply,
  { id, finished, userId: user }: FinishedFlows & { readonly userId: string },
  call: AuthCall,
  runtime: ActionRuntime,
): Reply {
  const latest = { id, user, callbackUrl: call.callbackUrl }
  const earlier = finished.filter((signIn) => signIn.user === user && signIn.id !== id)
  const change = createCookie([latest, ...earlier].slice(0, MAX_FINISHED), runtime)
  const fits = fitsBudget([...reply.cookies, change], call, runtime.config.session.maxCookieSize)
  return fits ? withCookies([change], reply) : reply
}
