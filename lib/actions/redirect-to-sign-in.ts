import type { CookieChange } from "../base/types.js"
import type { AuthCall } from "../http/call.js"
import { type Reply, redirect } from "../http/reply.js"
import { pageUrl } from "../security/redirects.js"

/** Redirects a visitor without a session to the sign-in page. After the sign-in, the requested page is opened. */
export function redirectToSignIn(call: AuthCall, cookies: readonly CookieChange[]): Reply {
  const callbackUrl = `${call.base}/${call.action}`
  return redirect(pageUrl(`${call.base}/signin`, call.origin, { callbackUrl, error: "SessionRequired" }), cookies)
}
