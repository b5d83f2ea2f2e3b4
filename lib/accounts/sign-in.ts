import type { AdapterAccount } from "../adapters/adapter.js"
import { waitUntil } from "../awaitable.js"
import type { AuthCall } from "../http/call.js"
import { type CookieChange, nameOf } from "../http/cookies.js"
import { type Reply, redirect } from "../http/reply.js"
import type { Identity } from "../methods/method.js"
import type { Runtime } from "../runtime.js"
import { pageUrl } from "../security/redirects.js"
import type { SignedIn } from "../sessions/session.js"
import type { User } from "../types.js"
import { findOwner, ownedBy, refusal, resolveUser, storedUser } from "./apply.js"
import { askApplication } from "./ask.js"
import { openedText, settledText } from "./tell.js"

export interface CompletedSignIn {
  readonly reply: Reply
  /** Accounts that the user has lost, because they did not prove the address that this sign-in has proved. */
  readonly removed: readonly AdapterAccount[]
}

/** The common end of every method: decide whose identity it is, ask the application, store, open the session, report. */
export async function completeSignIn(identity: Identity, call: AuthCall, runtime: Runtime): Promise<CompletedSignIn> {
  const { sessions } = runtime
  const resolution = await resolveUser(identity, {
    runtime,
    currentId: () => sessions.currentUserId(call),
    confirmedId: () => sessions.currentUserId(call, { asks: true }),
    provenEmail: () => sessions.provenEmail(call),
    mayEnter: askOncePerUser(identity, call, runtime),
    signal: call.signal,
    story: call.story,
  })
  if ("redirectTo" in resolution) return { reply: redirect(resolution.redirectTo), removed: [] }
  const { signedIn, removed } = resolution
  call.story?.tell("account", settledText(signedIn, runtime))
  // A session that is opened after the answer would have no cookie in any browser.
  call.signal.throwIfAborted()
  const cookies = await sessions.open(signedIn, call)
  await requireStillOwner(identity, signedIn, { cookies, call, runtime })
  call.story?.tell("session", openedText(runtime))
  // A session that came too late is no sign-in, and no event.
  call.signal.throwIfAborted()
  // The earlier session has ended: the answer must carry the new cookie, however slow the event is.
  await waitUntil(call.lastMoment, runtime.emit("signIn", messageOf(signedIn)))
  return { reply: redirect(landingUrl(signedIn, call, runtime), cookies), removed }
}

/** The application is asked about the user who signs in, and again if that turns out to be another one. */
function askOncePerUser({ account, profile, credentials }: Identity, call: AuthCall, runtime: Runtime) {
  const allowed = new Set<unknown>()
  return async (user: User): Promise<string | undefined> => {
    if (allowed.has(user.id)) return undefined
    const question = {
      user,
      account: ownedBy(user, account),
      ...(profile && { profile }),
      ...(credentials && { credentials }),
    }
    const redirectTo = await askApplication(question, call, runtime)
    if (redirectTo === undefined) allowed.add(user.id)
    return redirectTo
  }
}

interface OpenedSession {
  readonly cookies: readonly CookieChange[]
  readonly call: AuthCall
  readonly runtime: Runtime
}

/**
 * The owner of an unproved address may have proved it while this sign-in was under way, and the account be unlinked, or
 * the password that was checked be removed: then the session that was opened since must end.
 */
async function requireStillOwner(identity: Identity, signedIn: SignedIn, { cookies, call, runtime }: OpenedSession) {
  if (!runtime.adapter || identity.account.type === "email" || (await isStillOwner(identity, signedIn, runtime))) return
  const { cookieSet } = call
  const written = cookies.flatMap((change) =>
    "put" in change ? [[nameOf(cookieSet, change.put, change.part), change.value] as const] : [],
  )
  await runtime.sessions.close({ cookies: Object.fromEntries(written), cookieSet })
  throw refusal(identity, "the owner of the user's email address proved it while this sign-in was under way")
}

async function isStillOwner(identity: Identity, { user }: SignedIn, runtime: Runtime): Promise<boolean> {
  const { account, checkedAt } = identity
  if (account.type === "credentials") {
    const provedAt = (await storedUser(user, runtime))?.emailVerified
    return !provedAt || checkedAt === undefined || provedAt.getTime() < checkedAt
  }
  if ("emailVerified" in user && user.emailVerified) return true
  const owner = await findOwner(identity, runtime)
  return owner !== null && String(owner.id) === String(user.id)
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
