import { DROP_KEY, findParked, restoreParked, takeParked } from "../accounts/pending-sign-in.js"
import { continueSignIn } from "../accounts/sign-in.js"
import { asAuthError } from "../errors/errors.js"
import type { AuthCall } from "../http/call.js"
import { type Reply, redirect, withCookies } from "../http/reply.js"
import { pageUrl } from "../security/redirects.js"
import { showRemoved } from "./accounts-removed.js"
import type { ActionRuntime } from "./action.js"
import { runRoute } from "./dispatch.js"
import { renewCsrfOnSignIn } from "./renew-csrf.js"

/** What the application's page has completed. */
export interface CompletedRequirement {
  readonly name: string
  readonly data: unknown
}

/**
 * Continues a parked sign-in. The reply leads to the next requirement, or to the return URL with a session.
 *
 * @throws TypeError if the configuration has no such requirement
 */
export async function completeRequirement(
  completed: CompletedRequirement,
  call: AuthCall,
  runtime: ActionRuntime,
): Promise<Reply> {
  const { name } = completed
  if (!runtime.config.requirements.some((one) => one.name === name))
    throw new TypeError(
      `completeRequirement: the option requirements has no entry with the name ${JSON.stringify(name)}`,
    )
  const handle = (guarded: AuthCall) => complete(completed, guarded, runtime)
  return runRoute(() => ({ guards: undefined, handle }), call, runtime)
}

async function complete({ name, data }: CompletedRequirement, call: AuthCall, runtime: ActionRuntime): Promise<Reply> {
  const { pages, requirements } = runtime.config
  const signInPage = redirect(pageUrl(pages.signIn ?? `${call.base}/signin`, call.origin), [DROP_KEY])
  const found = await findParked(call, runtime)
  if (!found) return signInPage
  const { parked } = found
  const open = requirements.find((one) => one.name === parked.requirement)
  // The form is of another step, for example in an older tab.
  if (open && open.name !== name) return redirect(pageUrl(open.page, call.origin))
  if (!(await takeParked(found, runtime))) return signInPage
  try {
    const { callbackUrl, remember, isReauthentication = false } = parked
    const continued = { ...parked, completed: { ...parked.completed, [name]: data } }
    const signedIn = await continueSignIn(continued, { ...call, callbackUrl, remember, isReauthentication }, runtime)
    return withCookies([DROP_KEY], renewCsrfOnSignIn(showRemoved(signedIn, call, runtime), runtime))
  } catch (error) {
    if (asAuthError(error)?.status === 503) await restoreParked(found, runtime)
    throw error
  }
}
