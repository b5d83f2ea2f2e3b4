import { findPendingSignIn } from "../accounts/pending-sign-in.js"
import type { AuthCall } from "../http/call.js"
import { type Reply, redirect } from "../http/reply.js"
import { pageUrl } from "../security/redirects.js"
import type { ActionRuntime } from "./action.js"
import { continuePendingSignIn, signInPage } from "./continue-pending-sign-in.js"
import { runRoute } from "./dispatch.js"

/** What the application's page has completed. */
export interface CompletedRequirement {
  readonly name: string
  readonly data: unknown
}

/**
 * Continues a pending sign-in. The reply leads to the next requirement, or to the return URL with a session.
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
  const handle = (guarded: AuthCall) => advance(completed, guarded, runtime)
  return runRoute(() => ({ guards: undefined, handle }), call, runtime)
}

/** Continues the sign-in after its open requirement; leads to the sign-in page if there is none. */
async function advance({ name, data }: CompletedRequirement, call: AuthCall, runtime: ActionRuntime): Promise<Reply> {
  const found = await findPendingSignIn(call, runtime)
  if (!found) return signInPage(call, runtime)
  const { pending } = found
  const open = runtime.requirements.find((one) => one.name === pending.requirement)
  // The form is of another step, for example in an older tab.
  if (open && open.name !== name) return redirect(pageUrl(open.page(call), call.origin))
  const continued = { ...pending, completed: { ...pending.completed, [name]: data } }
  return (await continuePendingSignIn(found, continued, call, runtime)) ?? signInPage(call, runtime)
}
