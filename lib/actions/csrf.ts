import { json } from "../http/reply.js"
import type { Action } from "./action.js"

/** GET gives the token that this browser's POSTs must carry as `csrfToken`. */
export const csrf: Action = () => ({
  GET: {
    gate: { needsCsrf: false, givesCsrf: true, hasCallbackUrl: true },
    async handle(call, runtime) {
      if (!runtime.config.skipsCsrfCheck) return json({ csrfToken: call.csrfToken })
      return { status: 404, cookies: [{ drop: "csrfToken" }] }
    },
  },
})
