import { json } from "../http/reply.js"
import type { Action } from "./action.js"

/** GET returns the CSRF token that this browser must send as `csrfToken` in a POST. */
export const csrf: Action = () => ({
  GET: {
    guards: { needsCsrf: false, issuesCsrfToken: true, hasCallbackUrl: true },
    async handle(call, runtime) {
      if (!runtime.config.skipsCsrfCheck) return json({ csrfToken: call.csrfToken })
      return { status: 404, cookies: [{ drop: "csrfToken" }] }
    },
  },
})
