import { completeSignIn } from "../accounts/sign-in.js"
import type { Reply } from "../http/reply.js"
import type { Action, Route } from "./action.js"
import { requireProvider } from "./require-provider.js"

/** Where a sign-in is finished: the provider's method proves who it is, and the common tail does the rest. */
export const callback: Action = (call, runtime) => {
  const { method, provider } = requireProvider(call, runtime)
  const handedOn = (): Reply | undefined => method.intercept?.(call, provider, runtime)
  const route: Route = {
    gate: { needsCsrf: method.needs.csrfOnFinish ?? false, givesCsrf: false, hasCallbackUrl: true },
    resume: () => method.resume?.(call, provider, runtime) ?? { cookies: [] },
    async handle(admitted): Promise<Reply> {
      // A HEAD is a look from outside: it must not spend anything.
      if (admitted.method === "HEAD") return { status: 200, cookies: [] }
      const reply = handedOn()
      if (reply) return reply
      return completeSignIn(await method.finish(admitted, provider, runtime), admitted, runtime)
    },
  }
  return Object.fromEntries(method.needs.finishBy(provider).map((verb) => [verb, route]))
}
