import type { AuthCall } from "../http/call.js"
import { html, type Reply, redirect } from "../http/reply.js"
import { signOutProps } from "../pages/build-props.js"
import type { Runtime } from "../runtime.js"
import { pageUrl } from "../security/redirects.js"
import type { Action } from "./action.js"
import { continueElsewhere } from "./continue-elsewhere.js"
import { renewCsrf } from "./renew-csrf.js"

async function showPage(call: AuthCall, runtime: Runtime): Promise<Reply> {
  const { signOut } = runtime.config.pages
  if (signOut) return redirect(pageUrl(signOut, call.origin))
  return html(runtime.pages.render("signout", signOutProps(call, runtime)))
}

const end = async (call: AuthCall, runtime: Runtime): Promise<Reply> =>
  continueElsewhere(renewCsrf(redirect(call.callbackUrl, await runtime.sessions.close(call)), runtime), call, runtime)

/** A return URL that was kept is often a guarded page, which would lead to the sign-in page at once. */
const LANDING = { hasCallbackUrl: true, ignoresKeptUrl: true }

/** GET asks, POST ends the session and leads to the front page unless the form names another. */
export const signout: Action = () => ({
  GET: { gate: { needsCsrf: false, givesCsrf: true, ...LANDING }, handle: showPage },
  POST: { gate: { needsCsrf: true, givesCsrf: false, ...LANDING }, handle: end },
})
