/**
 * Confirms the current session after its user has re-authenticated. No user is created, no account is linked, and the
 * user of the session does not change.
 *
 * @module
 */
import type { User } from "../base/types.js"
import { coded } from "../errors/error-codes.js"
import { AccountNotLinked } from "../errors/errors.js"
import type { AuthCall } from "../http/call.js"
import { type Reply, redirect } from "../http/reply.js"
import { pageUrl } from "../security/redirects.js"
import type { SessionRead } from "../sessions/session.js"
import { accountAdapter, accountStorage } from "./account-adapter.js"
import type { AccountRuntime } from "./account-runtime.js"
import { findUserByAccount, type ResolveOptions } from "./apply.js"
import { findByEmail } from "./find-by-email.js"
import type { Identity } from "./identity.js"
import { createSessionAuthentication } from "./session-authentication.js"

/** Returns the session that a re-authentication confirms; undefined for a sign-in, or if the session has ended. */
export async function readReauthenticated(call: AuthCall, runtime: AccountRuntime): Promise<SessionRead | undefined> {
  if (!call.isReauthentication) return undefined
  const read = await runtime.sessions.read(call, { mode: "peek" })
  return read.session ? read : undefined
}

/** Finds the user whom an identity authenticates; null if the identity belongs to no user. */
async function findProvenUser(identity: Identity, runtime: AccountRuntime): Promise<User | null> {
  const { user, account } = identity
  // A new passkey proves nothing about existing users.
  if (identity.passkey) return null
  const storage = accountStorage(account, runtime)
  if (!runtime.adapter || storage === "external") return user
  if (storage === "linked") return findUserByAccount(identity, runtime)
  return user.email ? findByEmail(user.email, accountAdapter(runtime.adapter)) : null
}

interface ConfirmedSession {
  readonly reply: Reply
  /** The user id in the session; undefined if the confirmation was stopped. */
  readonly userId?: string | undefined
  readonly removed: readonly []
}

interface Confirmation extends Pick<ResolveOptions, "intercept"> {
  readonly session: Pick<SessionRead, "owner">
  readonly call: AuthCall
}

/**
 * Redirects to the sign-in page, because the session's user can't be compared with the re-authenticated user. A new
 * sign-in also counts as a recent authentication.
 */
function redirectToSignIn({ base, origin, callbackUrl, trace }: AuthCall): Reply {
  trace?.write(
    "session",
    "the session or the re-authentication has no permanent user id, so the user must sign in again",
  )
  return redirect(pageUrl(`${base}/signin`, origin, { callbackUrl, error: "SessionRequired" }))
}

/**
 * Confirms the browser's session, unless `intercept` replies, for example because a requirement is open.
 *
 * @throws AccountNotLinked if the identity does not belong to the session's user
 */
export async function confirmSession(
  identity: Identity,
  { session, call, intercept }: Confirmation,
  runtime: AccountRuntime,
): Promise<ConfirmedSession> {
  const { account, requestedScope: scope, dpopKey, logoutHint } = identity
  if (session.owner === undefined || identity.hasRandomId) return { reply: redirectToSignIn(call), removed: [] }
  const user = await findProvenUser(identity, runtime)
  const authentication = user && createSessionAuthentication(identity, user, runtime)
  if (!authentication || authentication.owner !== session.owner)
    throw coded(
      "reauthenticated-other-user",
      new AccountNotLinked("the account used to re-authenticate does not belong to the session's user", {
        provider: account.provider,
      }),
    )
  const reply = await intercept({ user, isNewUser: false, isConnection: false })
  if (reply) return { reply, removed: [] }
  // After a timeout the cookie of the session could no longer be sent.
  call.signal.throwIfAborted()
  await runtime.tokens?.put(authentication.owner, account, { scope, subject: authentication.providerSub, dpopKey })
  const cookies = await runtime.sessions.recordReauthentication(call, authentication, logoutHint)
  call.trace?.write("session", "the session's user has re-authenticated; the session continues")
  const userId = await runtime.sessions.currentUserId(call)
  return { reply: redirect(call.callbackUrl, cookies), userId: userId && String(userId), removed: [] }
}
