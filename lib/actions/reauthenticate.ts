import type { AuthCall } from "../http/call.js"
import { html, type Reply, redirect, withCookies } from "../http/reply.js"
import { reauthenticateProps } from "../pages/build-props.js"
import { pageUrl } from "../security/redirects.js"
import { parseRequiredAuthentication, toQuery } from "../sessions/required-authentication.js"
import type { Action, ActionRuntime } from "./action.js"
import { findReauthenticationChoices, RECENT_AUTHENTICATION } from "./reauthentication.js"
import { readReference } from "./reference.js"

async function showPage(call: AuthCall, runtime: ActionRuntime): Promise<Reply> {
  // HEAD must not renew the session.
  if (call.method === "HEAD") return { status: 200, cookies: [] }
  const { session, cookies, owner } = await runtime.sessions.read(call, { mode: "read" })
  const { callbackUrl } = call
  // A session without an owner can't record a re-authentication. The user signs in instead, which is always recent.
  if (!session || owner === undefined) {
    const params = { callbackUrl, error: call.query["error"] ?? "SessionRequired" }
    return redirect(pageUrl(`${call.base}/signin`, call.origin, params), cookies)
  }
  const parsed = parseRequiredAuthentication(call.query)
  const required = Object.keys(parsed).length > 0 ? parsed : RECENT_AUTHENTICATION
  const authentication = await runtime.sessions.authentication(call)
  const choices = await findReauthenticationChoices({ required, authentication }, call, runtime)
  const { cookies: noticeCookies, ...notice } = readReference(call, runtime)
  const { email, name } = session.user ?? {}
  const requiredQuery = new URLSearchParams(toQuery(required)).toString()
  const facts = { ...choices, account: email || name || "", requiredQuery }
  const props = reauthenticateProps({ ...call, ...notice }, facts, runtime)
  return withCookies([...cookies, ...noticeCookies], html(runtime.pages.render("reauthenticate", props)))
}

/** GET shows the page on which the current user re-authenticates. */
export const reauthenticate: Action = () => ({
  GET: {
    guards: { needsCsrf: false, issuesCsrfToken: true, hasCallbackUrl: true, ignoresStoredUrl: true },
    handle: showPage,
  },
})
