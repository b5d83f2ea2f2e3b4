import type { AdapterAccount } from "../adapters/adapter.js"
import { waitUntil } from "../base/awaitable.js"
import type { CookieChange, User } from "../base/types.js"
import type { AuthCall } from "../http/call.js"
import { cookieName } from "../http/cookies.js"
import { type Reply, redirect } from "../http/reply.js"
import { pageUrl } from "../security/redirects.js"
import type { SessionCookies, SignedIn } from "../sessions/session.js"
import { accountKind } from "./account-adapter.js"
import type { AccountRuntime } from "./account-runtime.js"
import {
  type Candidate,
  findOwner,
  findStoredUser,
  type ResolveOptions,
  refusal,
  resolveUser,
  withOwner,
} from "./apply.js"
import type { Identity } from "./identity.js"
import { type ParkedSignIn, startParking } from "./pending-sign-in.js"
import { stopForRequirement } from "./requirements.js"
import { runSignInCallback } from "./run-sign-in-callback.js"
import { describeNewSession, describeSignIn } from "./trace.js"

export interface CompletedSignIn {
  readonly reply: Reply
  /** The user id in the new session; undefined if the sign-in was stopped. */
  readonly userId?: string | undefined
  /** Accounts that were unlinked, because this sign-in verified the email address for the first time. */
  readonly removed: readonly AdapterAccount[]
}

/**
 * Completes a sign-in, for all methods: decides which user signs in, runs the `signIn` callback, stops if a requirement
 * is open, stores the user, creates the session and emits the event.
 */
export function completeSignIn(identity: Identity, call: AuthCall, runtime: AccountRuntime): Promise<CompletedSignIn> {
  const runCallback = runSignInCallbackOncePerUser(identity, call, runtime)
  const parking = startParking(runtime)
  const intercept = async (candidate: Candidate) => {
    const redirectTo = await runCallback(candidate.user)
    if (redirectTo !== undefined) return redirect(redirectTo)
    return stopForRequirement(identity, { candidate, parking, call }, runtime)
  }
  return createSession(identity, { call, intercept }, runtime)
}

/**
 * Continues a sign-in of which a requirement was met. The `signIn` callback has allowed the user, so it is not called
 * again.
 *
 * @throws AccountNotLinked, OAuthAccountNotLinked if the sign-in now belongs to another user
 */
export function continueSignIn(
  parked: ParkedSignIn,
  call: AuthCall,
  runtime: AccountRuntime,
): Promise<CompletedSignIn> {
  const { identity, userId, completed } = parked
  const intercept = async (candidate: Candidate) => {
    if (userId !== (candidate.isNewUser ? undefined : String(candidate.user.id)))
      throw refusal(identity, runtime, "the sign-in belongs to another user than when it was interrupted")
    return stopForRequirement(identity, { candidate, parking: parked, call }, runtime)
  }
  return createSession(identity, { call, intercept, data: completed }, runtime)
}

interface SessionContext extends Pick<ResolveOptions, "intercept" | "data"> {
  readonly call: AuthCall
}

async function createSession(
  identity: Identity,
  { call, intercept, data }: SessionContext,
  runtime: AccountRuntime,
): Promise<CompletedSignIn> {
  const { sessions } = runtime
  const resolution = await resolveUser(identity, {
    runtime,
    currentId: () => sessions.currentUserId(call),
    confirmedId: () => sessions.currentUserId(call, { runsJwtCallback: true }),
    verifiedEmail: () => sessions.verifiedEmail(call),
    intercept,
    data,
    signal: call.signal,
    trace: call.trace,
  })
  if ("reply" in resolution) return { reply: resolution.reply, removed: [] }
  const { signedIn, removed } = resolution
  call.trace?.write("account", describeSignIn(signedIn, runtime))
  // After a timeout the session's cookie could not be sent.
  call.signal.throwIfAborted()
  const { cookies, userId } = await sessions.create(signedIn, call)
  await requireStillOwner(identity, signedIn, toSessionCookies(cookies, call), runtime)
  call.trace?.write("session", describeNewSession(runtime))
  // After a timeout no event is emitted.
  call.signal.throwIfAborted()
  // The previous session has ended, so the new cookie must be sent even if an event handler is slow.
  await waitUntil(
    call.softDeadline,
    runtime.emit("signIn", { ...createSignInMessage(signedIn, runtime), ...(data && { data }) }),
  )
  return { reply: redirect(returnUrlFor(signedIn, call, runtime), cookies), userId, removed }
}

/** Runs the `signIn` callback once per user. It runs again if the sign-in resolves to a different user. */
function runSignInCallbackOncePerUser(
  { account, profile, credentials }: Identity,
  call: AuthCall,
  runtime: AccountRuntime,
) {
  const allowed = new Set<unknown>()
  return async (user: User): Promise<string | undefined> => {
    if (allowed.has(user.id)) return undefined
    const params = {
      user,
      account: withOwner(user, account, runtime),
      ...(profile && { profile }),
      ...(credentials && { credentials }),
    }
    const redirectTo = await runSignInCallback(params, call, runtime)
    if (redirectTo === undefined) allowed.add(user.id)
    return redirectTo
  }
}

/** The cookies of a browser that has the new session only. */
function toSessionCookies(changes: readonly CookieChange[], { cookieSet }: AuthCall): SessionCookies {
  const written = changes.flatMap((change) =>
    "put" in change ? [[cookieName(cookieSet, change.put, change.part), change.value] as const] : [],
  )
  return { cookies: Object.fromEntries(written), cookieSet }
}

/**
 * Ends the new session if the owner of the user's address verified it during this sign-in: the account may be unlinked,
 * or the password that was checked may be removed.
 */
async function requireStillOwner(
  identity: Identity,
  signedIn: SignedIn,
  newSession: SessionCookies,
  runtime: AccountRuntime,
) {
  const isVerifiedNow = accountKind(identity.account, runtime) === "address"
  if (!runtime.adapter || isVerifiedNow || (await isStillOwner(identity, signedIn, runtime))) return
  await runtime.sessions.destroy(newSession)
  throw refusal(identity, runtime, "the owner of the user's email address verified it during this sign-in")
}

async function isStillOwner(identity: Identity, { user }: SignedIn, runtime: AccountRuntime): Promise<boolean> {
  const { account, checkedAt } = identity
  if (accountKind(account, runtime) === "external") {
    const verifiedAt = (await findStoredUser(user, runtime))?.emailVerified
    return !verifiedAt || checkedAt === undefined || verifiedAt.getTime() < checkedAt
  }
  if ("emailVerified" in user && user.emailVerified) return true
  const owner = await findOwner(identity, runtime)
  return owner !== null && String(owner.id) === String(user.id)
}

function createSignInMessage({ user, account, profile, isNewUser }: SignedIn, runtime: AccountRuntime) {
  if (accountKind(account, runtime) === "external") return { user, account }
  return { user, account, ...(profile && { profile }), ...(isNewUser !== undefined && { isNewUser }) }
}

function returnUrlFor({ isNewUser }: SignedIn, call: AuthCall, runtime: AccountRuntime): string {
  const { newUser } = runtime.config.pages
  if (!newUser || !isNewUser) return call.callbackUrl
  return pageUrl(newUser, call.origin, { callbackUrl: call.callbackUrl })
}
