import { json } from "../http/reply.js"
import { publicProviders } from "../provider-kit/public.js"
import type { Action } from "./action.js"

/** GET returns the providers by id, for an application's own sign-in page. */
export const providers: Action = () => ({
  GET: {
    guards: { needsCsrf: false, issuesCsrfToken: false, hasCallbackUrl: false },
    handle: async (call, runtime) =>
      json(Object.fromEntries(publicProviders(runtime, call.base).map((provider) => [provider.id, provider]))),
  },
})
