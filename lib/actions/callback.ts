import { completeSignIn } from "../accounts/sign-in.js"
import type { Reply } from "../http/reply.js"
import type { Action, Route } from "./action.js"
import { requireProvider } from "./require-provider.js"

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
      return completeSignIn(await method.finish(admitted, provider, runtime), admitted, runtime)
    },
  })
  return Object.fromEntries(finishBy(provider).map((verb) => [verb, routeFor(verb)]))
}
