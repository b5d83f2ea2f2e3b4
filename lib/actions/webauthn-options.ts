import { InvalidProvider } from "../errors/errors.js"
import type { Reply } from "../http/reply.js"
import type { Action } from "./action.js"
import { requireProvider } from "./require-provider.js"

/** GET returns the options for `navigator.credentials` as JSON. */
export const webauthnOptions: Action = (call, runtime) => {
  const { method, provider } = requireProvider(call, runtime)
  const { options } = method
  if (!options) throw new InvalidProvider("the provider does not support passkeys", { provider: provider.id })
  return {
    GET: {
      guards: { needsCsrf: false, issuesCsrfToken: true, hasCallbackUrl: true },
      async handle(admitted): Promise<Reply> {
        // HEAD must not start a ceremony.
        if (admitted.method === "HEAD") return { status: 200, cookies: [] }
        return options(admitted, provider, runtime)
      },
    },
  }
}
