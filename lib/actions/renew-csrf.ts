import { type Reply, withCookies } from "../http/reply.js"
import type { Runtime } from "../runtime.js"
import { createCsrfToken } from "../security/csrf.js"

/** Does the answer begin a session? */
const isSignIn = ({ cookies }: Reply): boolean =>
  cookies.some((change) => "put" in change && change.put === "sessionToken")

/**
 * The answer with a new CSRF token for the browser. Another user may have planted the token from before, or have seen
 * it on this machine.
 */
export function renewCsrf(reply: Reply, { config, keys }: Runtime): Reply {
  if (config.skipsCsrfCheck) return reply
  return withCookies([{ put: "csrfToken", value: createCsrfToken(keys.secrets).cookie }], reply)
}

/** The answer with a new CSRF token where it begins a session: a refused sign-in changes nothing. */
export const renewCsrfOnSignIn = (reply: Reply, runtime: Runtime): Reply =>
  isSignIn(reply) ? renewCsrf(reply, runtime) : reply
