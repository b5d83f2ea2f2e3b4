import { type Reply, withCookies } from "../http/reply.js"
import { createCsrfToken } from "../security/csrf.js"
import type { ActionRuntime } from "./action.js"

/** True if the reply sets a session cookie. */
const setsSessionCookie = ({ cookies }: Reply): boolean =>
  cookies.some((change) => "put" in change && change.put === "sessionToken")

/**
 * Replaces the browser's CSRF token, because another user of the browser may have read or planted the previous token.
 */
export function renewCsrf(reply: Reply, { config, keys }: ActionRuntime): Reply {
  if (config.skipsCsrfCheck) return reply
  return withCookies([{ put: "csrfToken", value: createCsrfToken(keys.secrets).cookie }], reply)
}

/** Replaces the CSRF token if the reply starts a session. A rejected sign-in keeps the token. */
export const renewCsrfOnSignIn = (reply: Reply, runtime: ActionRuntime): Reply =>
  setsSessionCookie(reply) ? renewCsrf(reply, runtime) : reply
