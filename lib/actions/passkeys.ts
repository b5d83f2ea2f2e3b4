import type { AdapterUser } from "../adapters/adapter.js"
import { BadRequest, UnknownAction } from "../errors/errors.js"
import type { AuthCall } from "../http/call.js"
import { html, type Reply, redirect, withCookies } from "../http/reply.js"
import { describePasskeys, removePasskey, renamePasskey } from "../methods/webauthn/manage.js"
import { shortenForLog } from "../methods/webauthn/response.js"
import { readCurrentUser } from "../methods/webauthn/subject.js"
import { passkeysPageProps } from "../pages/build-props.js"
import type { Action, ActionRuntime, Handler } from "./action.js"
import { requireRecentAuthentication } from "./reauthentication.js"
import { redirectToSignIn } from "./redirect-to-sign-in.js"

const passkeysUrl = (call: AuthCall): string => `${call.base}/passkeys`

/** The current user, and the id of the session. */
interface SignedInUser {
  readonly user: AdapterUser
  readonly sessionId: string | undefined
}

/** Wraps a handler so that visitors without a session sign in first and then return to the page. */
const requireSession =
  (handle: (current: SignedInUser, call: AuthCall, runtime: ActionRuntime) => Promise<Reply>): Handler =>
  async (call, runtime) => {
    // HEAD must not renew the session.
    if (call.method === "HEAD") return { status: 200, cookies: [] }
    const { user, sessionId, cookies } = await readCurrentUser(call, runtime)
    if (user) return withCookies(cookies, await handle({ user, sessionId }, call, runtime))
    return redirectToSignIn(call, cookies)
  }

async function show({ user }: SignedInUser, call: AuthCall, runtime: ActionRuntime): Promise<Reply> {
  const provider = runtime.passkeyProviderId ?? ""
  const forms = {
    action: passkeysUrl(call),
    addAction: `${call.base}/callback/${provider}`,
    optionsUrl: `${call.base}/webauthn-options/${provider}`,
    callbackUrl: passkeysUrl(call),
    csrfToken: call.csrfToken,
    sessionsUrl: runtime.sessions.registry && `${call.base}/sessions`,
  }
  const passkeys = await describePasskeys(user, runtime)
  return html(
    runtime.pages.render("passkeys", passkeysPageProps(call, { passkeys, forms, now: runtime.now() }, runtime)),
  )
}

async function change({ user, sessionId }: SignedInUser, call: AuthCall, runtime: ActionRuntime): Promise<Reply> {
  const { do: operation, credentialID, name } = call.body
  const refused = operation === "remove" ? await requireRecentAuthentication(call, runtime) : undefined
  if (refused) return refused
  if (operation === "rename") await renamePasskey(user, { credentialID, name }, runtime)
  // If the passkey must not be removed, nothing happens: the page explains the reason.
  else if (operation === "remove") await removePasskey(user, { credentialID, sessionId }, runtime)
  else throw new BadRequest('the form field "do" must be "rename" or "remove"', { do: shortenForLog(operation) })
  return redirect(passkeysUrl(call))
}

/** The current user's passkeys. GET lists them. POST renames or removes a passkey. */
export const passkeys: Action = (_, runtime) => {
  if (runtime.passkeyProviderId === undefined)
    throw new UnknownAction("there is no such action", { action: "passkeys" })
  const guards = { needsCsrf: false, issuesCsrfToken: true, hasCallbackUrl: false }
  return {
    GET: { guards, handle: requireSession(show) },
    POST: { guards: { ...guards, needsCsrf: true, issuesCsrfToken: false }, handle: requireSession(change) },
  }
}
