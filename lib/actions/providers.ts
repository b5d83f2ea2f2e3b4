import { json } from "../http/reply.js"
import { publicProviders } from "../providers/public.js"
import type { Action } from "./action.js"

/** GET gives the providers by id, for a sign-in page of the application's own. */
export const providers: Action = () => ({
  GET: {
    gate: { needsCsrf: false, givesCsrf: false, hasCallbackUrl: false },
    handle: async (call, runtime) =>
      json(Object.fromEntries(publicProviders(runtime, call.base).map((provider) => [provider.id, provider]))),
  },
})
