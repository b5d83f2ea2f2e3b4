import type { AuthCall } from "../http/call.js"
import { html, type Reply, redirect } from "../http/reply.js"
import { signOutProps } from "../pages/build-props.js"
import { pageUrl } from "../security/redirects.js"
import type { Action, ActionRuntime } from "./action.js"
import { redirectByPage } from "./redirect-by-page.js"
import { renewCsrf } from "./renew-csrf.js"

async function showPage(call: AuthCall, runtime: ActionRuntime): Promise<Reply> {
  const { signOut } = runtime.config.pages
  if (signOut) return redirect(pageUrl(signOut, call.origin))
  return html(runtime.pages.render("signout", signOutProps(call, runtime)))
}

const signOut = async (call: AuthCall, runtime: ActionRuntime): Promise<Reply> =>
  redirectByPage(renewCsrf(redirect(call.callbackUrl, await runtime.sessions.destroy(call)), runtime), call, runtime)

/** The stored return URL is ignored: it is often a protected page, which would redirect to the sign-in page. */
const RETURN_URL = { hasCallbackUrl: true, ignoresStoredUrl: true }

/** GET shows a confirmation page. POST ends the session and redirects to the form's return URL, else the front page. */
export const signout: Action = () => ({
  GET: { guards: { needsCsrf: false, issuesCsrfToken: true, ...RETURN_URL }, handle: showPage },
  POST: { guards: { needsCsrf: true, issuesCsrfToken: false, ...RETURN_URL }, handle: signOut },
})
