import { AccessDenied, asAuthError, asError } from "../errors.js"
import type { AuthCall } from "../http/call.js"
import { type Reply, redirect } from "../http/reply.js"
import type { Identity } from "../methods/method.js"
import type { Runtime } from "../runtime.js"
import { pageUrl, requireTarget } from "../security/redirects.js"
import type { SignedIn } from "../sessions/session.js"
import { applyAccount, ownerOf } from "./apply.js"

/** The one tail of every method: an identity was proved, so ask, decide, open the session, tell, and send on. */
export async function completeSignIn(identity: Identity, call: AuthCall, runtime: Runtime): Promise<Reply> {
  const elsewhere = await askApplication(identity, call, runtime)
  if (elsewhere !== undefined) return redirect(elsewhere)
  const signedIn = await applyAccount(identity, call, runtime)
  const cookies = await runtime.sessions.open(signedIn, call)
  await runtime.emit("signIn", messageOf(signedIn))
  return redirect(landingUrl(signedIn, call, runtime), cookies)
}

/**
 * Asks the `signIn` callback; gives an address when it sends the person elsewhere.
 *
 * @throws AccessDenied when it refuses
 */
async function askApplication(identity: Identity, call: AuthCall, runtime: Runtime): Promise<string | undefined> {
  const { account, profile, credentials } = identity
  const user = (await ownerOf(identity, runtime)) ?? identity.user
  let answer: boolean | string
  try {
    answer = await runtime.callbacks.signIn({
      user,
      account,
      ...(profile && { profile }),
      ...(credentials && { credentials }),
    })
  } catch (error) {
    const facts = { err: asError(error), provider: account.provider }
    // The person is refused, and the application has something to mend.
    throw (
      asAuthError(error) ??
      Object.assign(new AccessDenied("callbacks.signIn threw an error", facts), { level: "error" })
    )
  }
  if (!answer) throw new AccessDenied("callbacks.signIn refused", { provider: account.provider })
  if (typeof answer !== "string") return undefined
  return requireTarget(await runtime.callbacks.redirect({ url: answer, baseUrl: call.origin }), call.origin)
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
