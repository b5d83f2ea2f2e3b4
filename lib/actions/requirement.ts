import { findPendingSignIn } from "../accounts/pending-sign-in.js"
import type { AuthCall } from "../http/call.js"
import { type Reply, redirect } from "../http/reply.js"
import { pageUrl } from "../security/redirects.js"
import type { ActionRuntime } from "./action.js"
import { continuePendingSignIn, restartSignIn } from "./continue-pending-sign-in.js"
import { runRoute } from "./dispatch.js"

/** A requirement that the application's page has completed. */
export interface CompletedRequirement {
  readonly name: string
  /** The application's data about the requirement, which the events `createUser` and `signIn` receive. */
  readonly data: unknown
}

/**
 * Continues the browser's pending sign-in. If another requirement is open, the reply redirects to its page. Otherwise
 * the reply creates a session and redirects to the return URL. Without a pending sign-in it redirects to the sign-in
 * page.
 *
 * @throws TypeError if the configuration has no such requirement
 */
export async function completeRequirement(
  completed: CompletedRequirement,
  call: AuthCall,
  runtime: ActionRuntime,
): Promise<Reply> {
  const { name } = completed
  if (!runtime.config.requirements.some((requirement) => requirement.name === name))
    throw new TypeError(
      `completeRequirement: the option \`requirements\` has no entry with the name ${JSON.stringify(name)}`,
    )
  const handle = (guarded: AuthCall) => advance(completed, guarded, runtime)
  return runRoute(() => ({ guards: undefined, handle }), call, runtime)
}

async function advance({ name, data }: CompletedRequirement, call: AuthCall, runtime: ActionRuntime): Promise<Reply> {
  const found = await findPendingSignIn(call, runtime)
  if (!found) return restartSignIn(call, runtime)
  const { pending } = found
  const openRule = runtime.requirements.find((rule) => rule.name === pending.requirement)
  // The user has completed the page of a requirement that is not the open one, for example in an old tab.
  if (openRule && openRule.name !== name) return redirect(pageUrl(openRule.page(call), call.origin))
  const continued = { ...pending, completed: { ...pending.completed, [name]: data } }
  return (await continuePendingSignIn(found, continued, call, runtime)) ?? restartSignIn(call, runtime)
}
