import { type CompletedSignIn, completeSignIn } from "../accounts/sign-in.js"
import type { AuthCall } from "../http/call.js"
import { html, type Reply, withCookies } from "../http/reply.js"
import { accountsRemovedProps } from "../pages/build-props.js"
import type { Action, ActionRuntime, Route } from "./action.js"
import { renewCsrfOnSignIn } from "./renew-csrf.js"
import { findFinished, rememberFinished, replyToRepeated } from "./repeated-callback.js"
import { requireProvider } from "./require-provider.js"

/**
 * Shows a page with the accounts that were unlinked because the email address was verified for the first time, and with a
 * link to the return URL.
 */
function showRemoved({ reply, removed }: CompletedSignIn, call: AuthCall, runtime: ActionRuntime): Reply {
  if (removed.length === 0 || call.wantsJson) return reply
  const props = accountsRemovedProps(call, { removed, continueUrl: reply.location ?? "/" }, runtime)
  return withCookies(reply.cookies, html(runtime.pages.render("accounts-removed", props)))
}

/**
 * Finishes a sign-in: the provider's method authenticates the user, and `completeSignIn` resolves the account and
 * creates the session.
 */
export const callback: Action = (call, runtime) => {
  const { method, provider } = requireProvider(call, runtime)
  const {
    requiresCsrf = false,
    allowsCrossSitePost = false,
    showsConfirmation = false,
    timeoutMs,
    callbackMethods,
  } = method.needs
  const routeFor = (verb: "GET" | "POST"): Route => ({
    guards: {
      needsCsrf: verb === "POST" && requiresCsrf,
      refusesCrossSite: verb === "POST" && !allowsCrossSitePost,
      issuesCsrfToken: verb === "GET" && showsConfirmation,
      hasCallbackUrl: true,
    },
    ...(timeoutMs && { timeoutMs: timeoutMs(provider) }),
    resume: (received) => method.resume?.(received, provider, runtime),
    async handle(admitted, _, { key, pending }): Promise<Reply> {
      // A link preview may send HEAD: it must not consume a link or a code.
      if (admitted.method === "HEAD") return { status: 200, cookies: [] }
      const finished = key ? findFinished(key, admitted, runtime) : undefined
      const repeated = verb === "GET" && finished ? await replyToRepeated(finished, admitted, runtime) : undefined
      if (repeated) return repeated
      const state = { provider, pending }
      const reply = method.intercept?.(admitted, state, runtime)
      if (reply) return reply
      const identity = await method.finish(admitted, state, runtime)
      const signedIn = await completeSignIn(identity, admitted, runtime)
      const answer = renewCsrfOnSignIn(showRemoved(signedIn, admitted, runtime), runtime)
      const { userId } = signedIn
      return finished && userId !== undefined
        ? rememberFinished(answer, { ...finished, userId }, admitted, runtime)
        : answer
    },
  })
  return Object.fromEntries(callbackMethods(provider).map((verb) => [verb, routeFor(verb)]))
}
