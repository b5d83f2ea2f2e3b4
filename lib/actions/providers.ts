import { json } from "../http/reply.js"
import type { Runtime } from "../runtime/runtime.js"
import type { PublicProvider } from "../types.js"
import type { Action } from "./action.js"

/** The public description of the providers, with URLs below `base`. */
export function publicProviders(runtime: Runtime, base: string): PublicProvider[] {
  return [...runtime.providers.values()].map(({ provider: { id, name, type } }) => ({
    id,
    name,
    type,
    signinUrl: `${base}/signin/${id}`,
    callbackUrl: `${base}/callback/${id}`,
  }))
}

/** GET returns the providers by id, for an application's own sign-in page. */
export const providers: Action = () => ({
  GET: {
    guards: { needsCsrf: false, issuesCsrfToken: false, hasCallbackUrl: false },
    handle: async (call, runtime) =>
      json(Object.fromEntries(publicProviders(runtime, call.base).map((provider) => [provider.id, provider]))),
  },
})
