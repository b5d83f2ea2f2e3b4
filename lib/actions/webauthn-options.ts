import { InvalidProvider } from "../errors.js"
import type { Reply } from "../http/reply.js"
import type { Action } from "./action.js"
import { requireProvider } from "./require-provider.js"

/** What the browser needs to begin with a passkey, as JSON. */
export const webauthnOptions: Action = (call, runtime) => {
  const { method, provider } = requireProvider(call, runtime)
  const { options } = method
  if (!options) throw new InvalidProvider("the provider has no passkeys", { provider: provider.id })
  return {
    GET: {
      gate: { needsCsrf: false, givesCsrf: true, hasCallbackUrl: true },
      async handle(admitted): Promise<Reply> {
        // A HEAD is a look from outside: nothing begins with it.
        if (admitted.method === "HEAD") return { status: 200, cookies: [] }
        return options(admitted, provider, runtime)
      },
    },
  }
}
