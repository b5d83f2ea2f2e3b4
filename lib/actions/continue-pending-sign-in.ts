import {
  DROP_KEY,
  type FoundSignIn,
  restorePendingSignIn,
  type StoredSignIn,
  takePendingSignIn,
} from "../accounts/pending-sign-in.js"
import { continueSignIn } from "../accounts/sign-in.js"
import { asAuthError } from "../errors/errors.js"
import type { AuthCall } from "../http/call.js"
import { type Reply, redirect, withCookies } from "../http/reply.js"
import { pageUrl } from "../security/redirects.js"
import { showRemoved } from "./accounts-removed.js"
import type { ActionRuntime } from "./action.js"
import { renewCsrfOnSignIn } from "./renew-csrf.js"

/** Redirects to the sign-in page, where the user starts again, and clears the cookie of the pending sign-in. */
export const restartSignIn = ({ base, origin }: AuthCall, { config: { pages } }: ActionRuntime): Reply =>
  redirect(pageUrl(pages.signIn ?? `${base}/signin`, origin), [DROP_KEY])

/** Continues a pending sign-in. Returns undefined if a concurrent call has already continued it. */
export async function continuePendingSignIn(
  found: FoundSignIn,
  continued: StoredSignIn,
  call: AuthCall,
  runtime: ActionRuntime,
): Promise<Reply | undefined> {
  if (!(await takePendingSignIn(found, runtime))) return undefined
  try {
    const { callbackUrl, remember, isReauthentication = false } = continued
    const signedIn = await continueSignIn(continued, { ...call, callbackUrl, remember, isReauthentication }, runtime)
    return withCookies([DROP_KEY], renewCsrfOnSignIn(showRemoved(signedIn, call, runtime), runtime))
  } catch (error) {
    if (asAuthError(error)?.status === 503) await restorePendingSignIn(found, runtime)
    throw error
  }
}
