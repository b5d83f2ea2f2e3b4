import { type CompletedSignIn, completeSignIn } from "../accounts/sign-in.js"
import type { AuthCall } from "../http/call.js"
import { html, type Reply, withCookies } from "../http/reply.js"
import { accountsRemovedProps } from "../pages/build-props.js"
import type { Runtime } from "../runtime.js"
import type { Action, Route } from "./action.js"
import { renewCsrfOnSignIn } from "./renew-csrf.js"
import { requireProvider } from "./require-provider.js"

/** A user who has lost accounts with the first proof of the address sees which, on the way to where the sign-in leads. */
function showRemoved({ reply, removed }: CompletedSignIn, call: AuthCall, runtime: Runtime): Reply {
  if (removed.length === 0 || call.wantsJson) return reply
  const props = accountsRemovedProps(call, { removed, continueUrl: reply.location ?? "/" }, runtime)
  return withCookies(reply.cookies, html(runtime.pages.render("accounts-removed", props)))
}

/** Where a sign-in is finished: the provider's method proves who it is, and the common tail does the rest. */
export const callback: Action = (call, runtime) => {
  const { method, provider } = requireProvider(call, runtime)
  const { csrfOnPost = false, crossSitePost = false, asksFirst = false, patienceMs, finishBy } = method.needs
  const routeFor = (verb: "GET" | "POST"): Route => ({
    gate: {
      needsCsrf: verb === "POST" && csrfOnPost,
      refusesCrossSite: verb === "POST" && !crossSitePost,
      givesCsrf: verb === "GET" && asksFirst,
      hasCallbackUrl: true,
    },
    ...(patienceMs && { patienceMs: patienceMs(provider) }),
    resume: () => method.resume?.(call, provider, runtime) ?? { cookies: [] },
    async handle(admitted): Promise<Reply> {
      // A HEAD is a look from outside: it must not spend anything.
      if (admitted.method === "HEAD") return { status: 200, cookies: [] }
      const reply = method.intercept?.(admitted, provider, runtime)
      if (reply) return reply
      const identity = await method.finish(admitted, provider, runtime)
      const signedIn = await completeSignIn(identity, admitted, runtime)
      return renewCsrfOnSignIn(showRemoved(signedIn, admitted, runtime), runtime)
    },
  })
  return Object.fromEntries(finishBy(provider).map((verb) => [verb, routeFor(verb)]))
}
