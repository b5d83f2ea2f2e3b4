import type { AdapterAccount } from "../adapters/adapter.js"
import { waitAtMostUntil } from "../base/awaitable.js"
import type { CookieChange, SessionAuthentication, User } from "../base/types.js"
import { AccessDenied } from "../errors/errors.js"
import type { AuthCall } from "../http/call.js"
import { cookieName } from "../http/cookies.js"
import { type Reply, redirect } from "../http/reply.js"
import { pageUrl } from "../security/redirects.js"
import type { SessionCookies, SignedIn } from "../sessions/session.js"
import { accountStorage } from "./account-adapter.js"
import type { AccountRuntime } from "./account-runtime.js"
import {
  findStoredUser,
  findUserByAccount,
  type ResolveOptions,
  refusal,
  resolveUser,
  type SignInCandidate,
  withUserId,
} from "./apply.js"
import { confirmSession, readReauthenticated } from "./confirm-session.js"
import { endOtherSessions } from "./end-other-sessions.js"
import type { Identity } from "./identity.js"
import { initialPendingValues, readStart, type StoredSignIn } from "./pending-sign-in.js"
import { stopForRequirement } from "./requirements.js"
import { runSignInCallback } from "./run-sign-in-callback.js"
import { describeNewSession, describeSignIn } from "./trace.js"
import { resolveTrustedUser } from "./trusted-user.js"

export interface CompletedSignIn {
  readonly reply: Reply
  /** The user id in the session; undefined if the sign-in was stopped, or if the `jwt` callback ended the session. */
  readonly userId?: string | undefined
  /** Accounts that were unlinked, because this sign-in verified the email address for the first time. */
  readonly removed: readonly AdapterAccount[]
}

interface SignInContext {
  readonly runtime: AccountRuntime
  /** Called before the current user connects another account. Returns a reply if the account must not be connected. */
  readonly stopConnection: () => Promise<Reply | undefined>
}

/**
 * Completes a sign-in, for all methods: decides which user signs in, runs the `signIn` callback, stops if a requirement
 * is open, stores the user, creates the session and emits the `signIn` event. If the current user re-authenticates,
 * confirms the existing session instead.
 */
export async function completeSignIn(
  identity: Identity,
  call: AuthCall,
  { runtime, stopConnection }: SignInContext,
): Promise<CompletedSignIn> {
  const runCallback = createCallbackRunner(identity, call, runtime)
  const pendingValues = initialPendingValues(runtime)
  const intercept = async (candidate: SignInCandidate) => {
    const stopped = candidate.isConnection ? await stopConnection() : undefined
    if (stopped) return stopped
    const redirectTo = await runCallback(candidate.user)
    if (redirectTo !== undefined) return redirect(redirectTo)
    await requireActive(candidate.user, runtime)
    return stopForRequirement(withSessionAmr(identity, authentication), { ...pendingValues, candidate, call }, runtime)
  }
  const session = await readReauthenticated(call, runtime)
  const authentication = session && (await runtime.sessions.authentication(call))
  if (session) return confirmSession(identity, { session, call, intercept }, runtime)
  return createSession(
    identity,
    { call, intercept, startedAt: identity.checkedAt ?? readStart(pendingValues) },
    runtime,
  )
}

/**
 * Adds the `amr` of the session to the identity of a user who re-authenticates, so that one factor suffices to confirm
 * a session that was opened with two factors (NIST SP 800-63B-4 §2.2.3).
 */
function withSessionAmr(identity: Identity, authentication: SessionAuthentication | undefined): Identity {
  if (!authentication) return identity
  const amr = [...new Set([...(identity.authentication?.amr ?? []), ...authentication.amr])]
  return { ...identity, authentication: { ...identity.authentication, amr } }
}

/** @throws AccessDenied if the application does not accept the user */
async function requireActive(user: User, { callbacks: { isActive } }: AccountRuntime): Promise<void> {
  if (isActive && !(await isActive(user))) throw new AccessDenied("isActive did not return true")
}

/**
 * Continues a pending sign-in after the user has met a requirement. The `signIn` callback has already allowed the user
 * and is not called again.
 *
 * @throws AccountNotLinked or OAuthAccountNotLinked if the sign-in now belongs to a different user; AccessDenied if the
 * application no longer accepts the user
 */
export async function continueSignIn(
  pending: StoredSignIn,
  call: AuthCall,
  runtime: AccountRuntime,
): Promise<CompletedSignIn> {
  const { identity, userId, completed, trusted } = pending
  const intercept = async (candidate: SignInCandidate) => {
    if (userId !== (candidate.isNewUser ? undefined : String(candidate.user.id)))
      throw refusal(identity, runtime, "the pending sign-in now belongs to a different user than when it was stored")
    // The application may have banned the user while the sign-in was pending.
    await requireActive(candidate.user, runtime)
    return stopForRequirement(identity, { ...pending, candidate, call }, runtime)
  }
  const session = await readReauthenticated(call, runtime)
  if (session) return confirmSession(identity, { session, call, intercept }, runtime)
  return createSession(identity, { call, intercept, data: completed, trusted, startedAt: readStart(pending) }, runtime)
}

interface SessionContext extends Pick<ResolveOptions, "intercept" | "data"> {
  readonly call: AuthCall
  readonly trusted?: StoredSignIn["trusted"]
  /** When the user's authentication began, in milliseconds since 1970. */
  readonly startedAt: number
}

async function createSession(
  identity: Identity,
  { call, intercept, data, trusted, startedAt }: SessionContext,
  runtime: AccountRuntime,
): Promise<CompletedSignIn> {
  const { sessions } = runtime
  let sessionStartedAt = startedAt
  const endOthersBeforeConnection = async (candidate: SignInCandidate) => {
    const reply = await intercept(candidate)
    if (reply || !candidate.isConnection) return reply
    // This call comes before the account is linked: if it fails, the user can simply connect the account again.
    await endOtherSessions(String(candidate.user.id), await sessions.currentSessionId(call), runtime)
    sessionStartedAt = runtime.now()
    return undefined
  }
  const commonOptions = { runtime, data, signal: call.signal, trace: call.trace }
  const options = { ...commonOptions, intercept: endOthersBeforeConnection }
  const resolution = trusted
    ? await resolveTrustedUser({ ...trusted, user: identity.user, authentication: identity.authentication }, options)
    : await resolveUser(identity, {
        ...options,
        currentId: () => sessions.currentUserId(call),
        confirmedId: () => sessions.currentUserId(call, { runsJwtCallback: true }),
        verifiedEmail: () => sessions.verifiedEmail(call),
      })
  if ("reply" in resolution) return { reply: resolution.reply, removed: [] }
  const { signedIn, removed } = resolution
  call.trace?.write("account", describeSignIn(signedIn, runtime))
  // After a timeout the cookie of the session could no longer be sent.
  call.signal.throwIfAborted()
  const { remember } = call
  const { logoutHint } = identity
  await storeTokens(identity, { ...resolution, runtime })
  await storeFactor(identity, signedIn, runtime)
  const { cookies, userId, id } = await sessions.create(
    { startedAt: sessionStartedAt, remember, logoutHint, ...signedIn },
    call,
  )
  if (!trusted) await requireStillOwner(identity, signedIn, toSessionCookies(cookies, call), runtime)
  const { owner } = signedIn.authentication
  if (signedIn.isConnection || identity.newFactor) await endOtherSessions(owner, id, runtime)
  call.trace?.write("session", describeNewSession(cookies, runtime))
  // After a timeout no event is emitted.
  call.signal.throwIfAborted()
  if (identity.newFactor)
    await waitAtMostUntil(call.softDeadline, runtime.emit("secondFactor", { owner, change: "enrolled" }))
  // The previous session has ended, so the new cookie must be sent even if an event handler is slow.
  await waitAtMostUntil(
    call.softDeadline,
    runtime.emit("signIn", { ...createSignInMessage(signedIn, runtime), ...(data && { data }) }),
  )
  const reply = redirect(returnUrlFor(signedIn, call, runtime), [...cookies, ...rememberProvider(signedIn, runtime)])
  return { reply, userId, removed }
}

/** Puts the tokens of the account into the store, and deletes the tokens of accounts that were unlinked. */
async function storeTokens(
  { account, authentication, requestedScope: scope, dpopKey }: Identity,
  { signedIn, removed, runtime }: Pick<CompletedSignIn, "removed"> & { signedIn: SignedIn; runtime: AccountRuntime },
): Promise<void> {
  const { owner } = signedIn.authentication
  for (const unlinked of removed) await runtime.tokens?.remove(owner, unlinked)
  await runtime.tokens?.put(owner, account, { scope, subject: authentication?.providerSub, dpopKey })
}

/**
 * Stores the second factor that was set up in this sign-in.
 *
 * @throws AccessDenied if another sign-in of the user has stored a second factor in the meantime
 */
async function storeFactor(
  { newFactor }: Identity,
  { authentication }: SignedIn,
  runtime: AccountRuntime,
): Promise<void> {
  if (!newFactor || !runtime.secondFactor) return
  if (!(await runtime.secondFactor.enrol(authentication.owner, newFactor)))
    throw new AccessDenied("the user has set up another second factor during this sign-in")
}

/**
 * Returns a function that runs the `signIn` callback for a user. The function returns a URL if the callback redirects.
 * The callback does not run again for a user whom it has allowed: `resolveUser` may decide more than once which user
 * signs in, and often finds the same user again.
 */
function createCallbackRunner({ account, profile, credentials }: Identity, call: AuthCall, runtime: AccountRuntime) {
  const allowed = new Set<unknown>()
  return async (user: User): Promise<string | undefined> => {
    if (allowed.has(user.id)) return undefined
    const params = {
      user,
      account: withUserId(user, account, runtime),
      ...(profile && { profile }),
      ...(credentials && { credentials }),
    }
    const redirectTo = await runSignInCallback(params, call, runtime)
    if (redirectTo === undefined) allowed.add(user.id)
    return redirectTo
  }
}

/** Returns the cookies that a browser without other cookies would send after these changes. */
function toSessionCookies(changes: readonly CookieChange[], { cookieSet }: AuthCall): SessionCookies {
  const entries = changes.flatMap((change) =>
    "put" in change ? [[cookieName(cookieSet, change.put, change.part), change.value] as const] : [],
  )
  return { cookies: Object.fromEntries(entries), cookieSet }
}

/**
 * Ends the new session and refuses the sign-in if the owner of the user's email address has verified the address in the
 * meantime. The owner's sign-in may have unlinked the account, or removed the password that this sign-in checked.
 */
async function requireStillOwner(
  identity: Identity,
  signedIn: SignedIn,
  newSession: SessionCookies,
  runtime: AccountRuntime,
) {
  const isEmailSignIn = accountStorage(identity.account, runtime) === "address"
  if (!runtime.adapter || isEmailSignIn || (await isStillOwner(identity, signedIn, runtime))) return
  await runtime.sessions.destroy(newSession)
  // The owner's sign-in may have deleted the account's tokens before this sign-in stored them.
  await runtime.tokens?.remove(signedIn.authentication.owner, identity.account)
  if (identity.newFactor) await runtime.secondFactor?.remove(signedIn.authentication.owner)
  throw refusal(identity, runtime, "the owner of the user's email address verified it during this sign-in")
}

/**
 * True if the account still belongs to the user. Reads the data again after the session was created, because it may
 * have changed since the decision.
 */
async function isStillOwner(identity: Identity, { user }: SignedIn, runtime: AccountRuntime): Promise<boolean> {
  const { account, checkedAt } = identity
  if (accountStorage(account, runtime) === "external") {
    const verifiedAt = (await findStoredUser(user, runtime))?.emailVerified
    return !verifiedAt || checkedAt === undefined || verifiedAt.getTime() < checkedAt
  }
  if ("emailVerified" in user && user.emailVerified) return true
  const owner = await findUserByAccount(identity, runtime)
  return owner !== null && String(owner.id) === String(user.id)
}

function createSignInMessage({ user, account, profile, isNewUser }: SignedIn, runtime: AccountRuntime) {
  if (accountStorage(account, runtime) === "external") return { user, account }
  return { user, account, ...(profile && { profile }), ...(isNewUser !== undefined && { isNewUser }) }
}

/**
 * Returns the cookie that stores the provider used last, if the built-in sign-in page offers several providers and
 * `theme.lastUsed` is not false. Connecting an account does not change the cookie. The cookie does not identify the
 * user.
 */
function rememberProvider({ account, isConnection }: SignedIn, { config }: AccountRuntime): CookieChange[] {
  const { pages, theme, providers } = config
  if (theme.lastUsed === false || pages.signIn || isConnection || providers.length < 2) return []
  return [{ put: "lastUsed", value: account.provider }]
}

function returnUrlFor({ isNewUser }: SignedIn, call: AuthCall, runtime: AccountRuntime): string {
  const { newUser } = runtime.config.pages
  if (!newUser || !isNewUser) return call.callbackUrl
  return pageUrl(newUser, call.origin, { callbackUrl: call.callbackUrl })
}
