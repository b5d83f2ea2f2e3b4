import { waitUntil } from "../awaitable.js"
import type { AuthCall } from "../http/call.js"
import { type Reply, redirect } from "../http/reply.js"
import type { Identity } from "../methods/method.js"
import type { Runtime } from "../runtime.js"
import { pageUrl } from "../security/redirects.js"
import type { SignedIn } from "../sessions/session.js"
import { applyAccount, ownerOf } from "./apply.js"
import { askApplication } from "./ask.js"
import { openedText, settledText } from "./tell.js"

/** The one tail of every method: an identity was proved, so ask, decide, open the session, tell, and send on. */
export async function completeSignIn(identity: Identity, call: AuthCall, runtime: Runtime): Promise<Reply> {
  const elsewhere = await askApplication(await questionOf(identity, runtime), call, runtime)
  if (elsewhere !== undefined) return redirect(elsewhere)
  const signedIn = await applyAccount(identity, call, runtime)
  call.story?.tell("account", settledText(signedIn, runtime))
  // Nobody would get the cookie of a session that is opened after the answer.
  call.signal.throwIfAborted()
  const cookies = await runtime.sessions.open(signedIn, call)
  call.story?.tell("session", openedText(runtime))
  // Nor did anybody sign in whose session came too late.
  call.signal.throwIfAborted()
  // The session of before is gone: without its cookie the new one would be nobody's.
  await waitUntil(call.lastMoment, runtime.emit("signIn", messageOf(signedIn)))
  return redirect(landingUrl(signedIn, call, runtime), cookies)
}

async function questionOf(identity: Identity, runtime: Runtime) {
  const { account, profile, credentials } = identity
  const user = (await ownerOf(identity, runtime)) ?? identity.user
  return { user, account, ...(profile && { profile }), ...(credentials && { credentials }) }
}

function messageOf({ user, account, profile, isNewUser }: SignedIn) {
  if (account.type === "credentials") return { user, account }
  return { user, account, ...(profile && { profile }), ...(isNewUser !== undefined && { isNewUser }) }
}

function landingUrl({ isNewUser, account }: SignedIn, call: AuthCall, runtime: Runtime): string {
  const { newUser } = runtime.config.pages
  if (!newUser || !isNewUser || account.type === "credentials") return call.callbackUrl
  return pageUrl(newUser, call.origin, { callbackUrl: call.callbackUrl })
}
