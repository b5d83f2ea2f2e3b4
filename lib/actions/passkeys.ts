import type { AdapterUser } from "../adapters/adapter.js"
import { BadRequest, UnknownAction } from "../errors/errors.js"
import type { AuthCall } from "../http/call.js"
import { html, type Reply, redirect, withCookies } from "../http/reply.js"
import { listPasskeys, removePasskey, renamePasskey } from "../methods/webauthn/manage.js"
import { displayText } from "../methods/webauthn/response.js"
import { readSignedIn } from "../methods/webauthn/subject.js"
import { passkeysPageProps } from "../pages/build-props.js"
import { pageUrl } from "../security/redirects.js"
import type { Action, ActionRuntime, Handler } from "./action.js"

const passkeysUrl = (call: AuthCall): string => `${call.base}/passkeys`

/** Wraps a handler so that visitors without a session sign in first and then return to the page. */
const forSignedIn =
  (handle: (user: AdapterUser, call: AuthCall, runtime: ActionRuntime) => Promise<Reply>): Handler =>
  async (call, runtime) => {
    // HEAD must not renew the session.
    if (call.method === "HEAD") return { status: 200, cookies: [] }
    const { user, cookies } = await readSignedIn(call, runtime)
    if (user) return withCookies(cookies, await handle(user, call, runtime))
    const callbackUrl = passkeysUrl(call)
    return redirect(pageUrl(`${call.base}/signin`, call.origin, { callbackUrl, error: "SessionRequired" }), cookies)
  }

async function show(user: AdapterUser, call: AuthCall, runtime: ActionRuntime): Promise<Reply> {
  const provider = runtime.passkeyProvider ?? ""
  const urls = {
    action: passkeysUrl(call),
    addAction: `${call.base}/callback/${provider}`,
    optionsUrl: `${call.base}/webauthn-options/${provider}`,
    callbackUrl: passkeysUrl(call),
    csrfToken: call.csrfToken,
  }
  const passkeys = await listPasskeys(user, runtime)
  return html(runtime.pages.render("passkeys", passkeysPageProps(call, { passkeys, forms: urls }, runtime)))
}

async function change(user: AdapterUser, call: AuthCall, runtime: ActionRuntime): Promise<Reply> {
  const { do: operation, credentialID, name } = call.body
  if (operation === "rename") await renamePasskey(user, { credentialID, name }, runtime)
  // A passkey that cannot be removed is kept without an error; the page explains why.
  else if (operation === "remove") await removePasskey(user, credentialID, runtime)
  else throw new BadRequest('the field do must be "rename" or "remove"', { do: displayText(operation) })
  return redirect(passkeysUrl(call))
}

/** The current user's passkeys: GET lists them, POST renames or removes one. */
export const passkeys: Action = (_, runtime) => {
  if (runtime.passkeyProvider === undefined) throw new UnknownAction("there is no such action", { action: "passkeys" })
  const guards = { needsCsrf: false, issuesCsrfToken: true, hasCallbackUrl: false }
  return {
    GET: { guards, handle: forSignedIn(show) },
    POST: { guards: { ...guards, needsCsrf: true, issuesCsrfToken: false }, handle: forSignedIn(change) },
  }
}
