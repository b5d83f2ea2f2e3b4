import { type CompletedSignIn, completeSignIn } from "../accounts/sign-in.js"
import { memoize } from "../base/memoize.js"
import type { AuthCall } from "../http/call.js"
import { html, type Reply, withCookies } from "../http/reply.js"
import { accountsRemovedProps } from "../pages/build-props.js"
import type { Runtime } from "../runtime/runtime.js"
import type { Action, Route } from "./action.js"
import { renewCsrfOnSignIn } from "./renew-csrf.js"
import { rememberFinished, replyToRepeated } from "./repeated-callback.js"
import { requireProvider } from "./require-provider.js"

/**
 * Shows a page with the accounts that were unlinked because the email address was verified for the first time, and with a
 * link to the return URL.
 */
function showRemoved({ reply, removed }: CompletedSignIn, call: AuthCall, runtime: Runtime): Reply {
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
  const attempt = memoize(() => method.resume?.(call, provider, runtime) ?? { cookies: [] })
  const routeFor = (verb: "GET" | "POST"): Route => ({
    guards: {
      needsCsrf: verb === "POST" && requiresCsrf,
      refusesCrossSite: verb === "POST" && !allowsCrossSitePost,
      issuesCsrfToken: verb === "GET" && showsConfirmation,
      hasCallbackUrl: true,
    },
    ...(timeoutMs && { timeoutMs: timeoutMs(provider) }),
    resume: attempt,
    async handle(admitted): Promise<Reply> {
      // A link preview may send HEAD: it must not consume a link or a code.
      if (admitted.method === "HEAD") return { status: 200, cookies: [] }
      const { key } = attempt()
      const repeated = verb === "GET" && key ? await replyToRepeated(key, admitted, runtime) : undefined
      if (repeated) return repeated
      const reply = method.intercept?.(admitted, provider, runtime)
      if (reply) return reply
      const identity = await method.finish(admitted, provider, runtime)
      const signedIn = await completeSignIn(identity, admitted, runtime)
      const finished = renewCsrfOnSignIn(showRemoved(signedIn, admitted, runtime), runtime)
      const { userId: user } = signedIn
      return key && user !== undefined ? rememberFinished(finished, { key, user }, admitted, runtime) : finished
    },
  })
  return Object.fromEntries(callbackMethods(provider).map((verb) => [verb, routeFor(verb)]))
}
