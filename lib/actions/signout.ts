import type { AuthCall } from "../http/call.js"
import { html, type Reply, redirect, withCookies } from "../http/reply.js"
import { signOutProps } from "../pages/build-props.js"
import { pageUrl } from "../security/redirects.js"
import type { Action, ActionRuntime } from "./action.js"
import { startProviderLogout } from "./post-logout.js"
import { redirectByPage } from "./redirect-by-page.js"
import { renewCsrf } from "./renew-csrf.js"

async function showPage(call: AuthCall, runtime: ActionRuntime): Promise<Reply> {
  const { signOut } = runtime.config.pages
  if (signOut) return redirect(pageUrl(signOut, call.origin))
  return html(runtime.pages.render("signout", signOutProps(call, runtime)))
}

async function signOut(call: AuthCall, runtime: ActionRuntime): Promise<Reply> {
  const { cookies, session } = await runtime.sessions.destroy(call)
  const target = (await startProviderLogout(session, call, runtime)) ?? redirect(call.callbackUrl)
  return redirectByPage(renewCsrf(withCookies(cookies, target), runtime), call, runtime)
}

/** Ignores the return URL in the cookie: it is often a protected page, which would redirect to the sign-in page. */
const RETURN_URL = { hasCallbackUrl: true, ignoresStoredUrl: true }

/**
 * GET shows a confirmation page. POST ends the session and redirects to the form's return URL, else the front page. If
 * the session's provider has the option `logout`, the browser is first redirected to the provider.
 */
export const signout: Action = () => ({
  GET: { guards: { needsCsrf: false, issuesCsrfToken: true, ...RETURN_URL }, handle: showPage },
  POST: { guards: { needsCsrf: true, issuesCsrfToken: false, ...RETURN_URL }, handle: signOut },
})
