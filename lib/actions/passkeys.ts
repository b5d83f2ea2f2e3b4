import type { AdapterUser } from "../adapters/adapter.js"
import { BadRequest, UnknownAction } from "../errors.js"
import type { AuthCall } from "../http/call.js"
import { html, type Reply, redirect, withCookies } from "../http/reply.js"
import { shownText } from "../methods/webauthn/answer.js"
import { listPasskeys, removePasskey, renamePasskey } from "../methods/webauthn/manage.js"
import { readSignedIn } from "../methods/webauthn/person.js"
import { passkeysPageProps } from "../pages/build-props.js"
import type { Runtime } from "../runtime.js"
import { pageUrl } from "../security/redirects.js"
import type { Action, Handler } from "./action.js"

const pageOf = (call: AuthCall): string => `${call.base}/passkeys`

/** Strangers sign in first, and come back. */
const forSignedIn =
  (handle: (user: AdapterUser, call: AuthCall, runtime: Runtime) => Promise<Reply>): Handler =>
  async (call, runtime) => {
    // A HEAD must not renew anything.
    if (call.method === "HEAD") return { status: 200, cookies: [] }
    const { user, cookies } = await readSignedIn(call, runtime)
    if (user) return withCookies(cookies, await handle(user, call, runtime))
    const callbackUrl = pageOf(call)
    return redirect(pageUrl(`${call.base}/signin`, call.origin, { callbackUrl, error: "SessionRequired" }), cookies)
  }

async function show(user: AdapterUser, call: AuthCall, runtime: Runtime): Promise<Reply> {
  const provider = runtime.passkeyProvider ?? ""
  const place = {
    action: pageOf(call),
    addAction: `${call.base}/callback/${provider}`,
    optionsUrl: `${call.base}/webauthn-options/${provider}`,
    callbackUrl: pageOf(call),
    csrfToken: call.csrfToken,
  }
  const passkeys = await listPasskeys(user, runtime)
  return html(runtime.pages.render("passkeys", passkeysPageProps(call, { passkeys, place }, runtime)))
}

async function change(user: AdapterUser, call: AuthCall, runtime: Runtime): Promise<Reply> {
  const { do: what, credentialID, name } = call.body
  if (what === "rename") await renamePasskey(user, { credentialID, name }, runtime)
  // One that must stay stays: the page says why.
  else if (what === "remove") await removePasskey(user, credentialID, runtime)
  else throw new BadRequest('a passkey can be changed by do "rename" or "remove"', { do: shownText(what) })
  return redirect(pageOf(call))
}

/** A signed-in person's passkeys: GET shows them, POST names or removes one. */
export const passkeys: Action = (_, runtime) => {
  if (runtime.passkeyProvider === undefined) throw new UnknownAction("there is no such action", { action: "passkeys" })
  const gate = { needsCsrf: false, givesCsrf: true, hasCallbackUrl: false }
  return {
    GET: { gate, handle: forSignedIn(show) },
    POST: { gate: { ...gate, needsCsrf: true, givesCsrf: false }, handle: forSignedIn(change) },
  }
}
