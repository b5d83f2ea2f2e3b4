import { randomUUID } from "node:crypto"
import type { AdapterUser } from "../adapters/adapter.js"
import type { Account, CookieChange, User } from "../base/types.js"
import { AccessDenied, MissingAdapterMethods } from "../errors/errors.js"
import { redirect } from "../http/reply.js"
import { requireUserId } from "../security/user-id.js"
import type { SessionCookies, SignedIn } from "../sessions/session.js"
import { type AccountAdapter, accountAdapter, accountKind } from "./account-adapter.js"
import type { AccountRuntime } from "./account-runtime.js"
import { type Candidate, findOwner, type Resolution, type ResolveOptions, resolveUser } from "./apply.js"
import { findByEmail } from "./find-by-email.js"
import type { Authentication, Identity } from "./identity.js"
import { createOrigin } from "./origin.js"
import { startPendingSignIn } from "./pending-sign-in.js"
import { storeForRequirement } from "./requirements.js"
import { readVerifiedEmail } from "./verified-email.js"

/** A user whose identity the application guarantees, without a sign-in. */
export type TrustedUser = Partial<User> & { readonly emailVerified?: Date | null }

export interface SessionCreation {
  readonly runtime: AccountRuntime
  /** The cookies of the browser. A session in them is ended. */
  readonly browser: SessionCookies
  /** The account that the `jwt` callback receives. @default a credentials account */
  readonly account?: Partial<Account> | undefined
  /** With `session.remember: "ask"`: whether browsers keep the cookie when they are closed. */
  readonly remember: boolean
  /** How the user was authenticated. @default it is unknown */
  readonly authentication?: Authentication | undefined
}

export interface CreatedSession {
  /** The user as stored by the adapter. */
  readonly user: User
  readonly isNewUser: boolean
  readonly cookies: readonly CookieChange[]
  /** Undefined if the `jwt` callback has ended the session. */
  readonly sessionId: string | undefined
}

type FoundUser = Pick<CreatedSession, "user" | "isNewUser">

function completeAccount(user: TrustedUser, account: Partial<Account> | undefined): Account {
  return { provider: "credentials", type: "credentials", providerAccountId: String(user.id), ...account }
}

function toSignedIn(
  { user, isNewUser }: FoundUser,
  { account: given, authentication }: Pick<SessionCreation, "account" | "authentication">,
  runtime: AccountRuntime,
): SignedIn {
  const account = completeAccount(user, given)
  const verifiedEmail = runtime.adapter && readVerifiedEmail(user)
  const origin = createOrigin({ account, ...(authentication && { authentication }) }, user, runtime)
  return { user, account, isNewUser, verifiedEmail, origin }
}

/** Creates a session for a trusted user. The `signIn` callback and event do not run, because no user signs in. */
export async function createSessionFor(
  found: FoundUser,
  { runtime, browser, remember, ...authenticated }: SessionCreation,
): Promise<CreatedSession> {
  const signedIn = toSignedIn(found, authenticated, runtime)
  const { cookies, id } = await runtime.sessions.create({ ...signedIn, remember }, browser)
  return { ...found, cookies, sessionId: id }
}

const REQUIRED_METHODS = ["getUser", "getUserByEmail", "createUser", "updateUser"] as const

function requireAccountAdapter({ adapter = {} }: AccountRuntime): AccountAdapter {
  const missing = REQUIRED_METHODS.filter((method) => !adapter[method])
  if (missing.length === 0) return accountAdapter(adapter)
  throw new MissingAdapterMethods(`the adapter lacks ${missing.join(", ")}, which a session of a stored user needs`)
}

/** For tests: finds the stored user with this id, else with this address (verified or not), else creates one. */
export async function findOrCreateTestUser(given: TrustedUser, runtime: AccountRuntime): Promise<FoundUser> {
  const adapter = runtime.adapter && requireAccountAdapter(runtime)
  const byAddress = adapter && given.email ? await findByEmail(given.email, adapter) : null
  const byId = adapter && given.id !== undefined ? await adapter.getUser(given.id) : null
  const existing = byId ?? byAddress
  if (existing) return { user: existing, isNewUser: false }
  const resolution = await resolveTrustedUser({ user: given }, { runtime, intercept: async () => undefined })
  // `intercept` above never replies, so the fallback is for the type only.
  const { user, isNewUser = false } = "signedIn" in resolution ? resolution.signedIn : { user: given }
  return { user, isNewUser }
}

interface TrustedSignIn {
  readonly user: TrustedUser
  readonly account?: Account | undefined
  /** What the user has proved since, such as the second factor. */
  readonly authentication?: Authentication | undefined
}

interface TrustedCall extends Pick<SessionCreation, "runtime" | "browser" | "remember"> {
  readonly callbackUrl: string
  /** Aborted when the request has timed out. */
  readonly signal: AbortSignal
}

/**
 * Signs in a trusted user: creates the session or, while a requirement is open, stores the sign-in as pending. Returns
 * the cookies of either.
 *
 * @throws AccessDenied if `isActive` refuses the user, before anything is written
 */
export async function completeTrustedSignIn(
  { user, account }: TrustedSignIn,
  { runtime, browser, callbackUrl, remember, signal }: TrustedCall,
): Promise<{ readonly isPending: boolean; readonly cookies: readonly CookieChange[] }> {
  const intercept = async (candidate: Candidate) => {
    const { isActive } = runtime.callbacks
    if (isActive && !(await isActive(candidate.user))) throw new AccessDenied("isActive did not return true")
    // Without an adapter the candidate has the id, which must not change until the requirement is met.
    const given = runtime.adapter ? user : candidate.user
    const identity = { user: given, account: completeAccount(candidate.user, account) }
    const attempt = { ...startPendingSignIn(runtime), candidate, callbackUrl, remember, trusted: { account }, browser }
    const stored = await storeForRequirement(identity, attempt, runtime)
    // Only the cookie is used: the request itself continues.
    return stored && redirect(callbackUrl, [stored.cookie])
  }
  const resolution = await resolveTrustedUser({ user, account }, { runtime, intercept, signal })
  if ("reply" in resolution) return { isPending: true, cookies: resolution.reply.cookies }
  const { cookies } = await runtime.sessions.create({ ...resolution.signedIn, remember }, browser)
  return { isPending: false, cookies }
}

type TrustedOptions = Omit<ResolveOptions, "currentId" | "confirmedId" | "verifiedEmail">

/**
 * Finds or creates the stored user for a trusted user: the owner of the account, else the user with this id, else the
 * user with this address, as after an email link, else a new user. The account is linked to that user. Without an
 * adapter the trusted user is returned. The address is treated as verified unless `emailVerified` is null.
 *
 * @throws MissingAdapterMethods, and AdapterError if the adapter fails
 */
export async function resolveTrustedUser(
  { user: given, account, authentication }: TrustedSignIn,
  options: TrustedOptions,
): Promise<Resolution> {
  const { runtime, intercept } = options
  const describe = (found: FoundUser) => toSignedIn(found, { account, authentication }, runtime)
  const useExisting = async (user: User): Promise<Resolution> => {
    const reply = await intercept({ user, isNewUser: false, isConnection: false })
    return reply ? { reply } : { signedIn: describe({ user, isNewUser: false }), removed: [] }
  }
  const hasId = given.id !== undefined && given.id !== null
  const id = hasId ? requireUserId(given.id, "the application", given) : randomUUID()
  if (!runtime.adapter) return useExisting({ ...given, id })
  const adapter = requireAccountAdapter(runtime)
  const findOrCreate = async () => {
    // The id is passed unchanged, because some adapters use numbers.
    const byId = hasId ? await adapter.getUser(given.id as string) : null
    // Other accounts are not linked, or have more than one row (passkeys).
    const canLink =
      account && accountKind(account, runtime) === "linked" && !runtime.methods[account.type]?.needs.hasPasskeys
    if (byId && !canLink) return useExisting(byId)
    const user = await withUsableAddress({ ...given, id }, adapter)
    const resolution = await resolveByAccount({ user, account: canLink ? account : undefined }, byId, options)
    if ("reply" in resolution) return resolution
    const { signedIn, removed } = resolution
    const found = { user: signedIn.user, isNewUser: signedIn.isNewUser === true }
    return { signedIn: describe(found), removed }
  }
  // Concurrent requests with one old session create one user only.
  return runtime.withLock(`trusted ${id}`, findOrCreate, options.signal)
}

/**
 * Converts the address to lower case, as all methods do. An unverified address must not select an existing user, so it is
 * left out if another user has it.
 */
async function withUsableAddress(user: TrustedUser & { id: string }, adapter: AccountAdapter) {
  const { email: given, ...withoutAddress } = user
  const email = given?.toLowerCase()
  const isUsable = email && (user.emailVerified !== null || !(await findByEmail(email, adapter)))
  return isUsable ? { ...withoutAddress, email } : withoutAddress
}

/** Resolves the user by the account or, without one, by the email address. */
async function resolveByAccount(
  { user, account }: TrustedSignIn & { readonly user: { id: string } },
  byId: AdapterUser | null,
  options: TrustedOptions,
): Promise<Resolution> {
  const { runtime, intercept } = options
  const isEmailVerified = Boolean(user.email) && user.emailVerified !== null
  const identity: Identity = {
    user,
    account: account ?? { provider: "trusted", type: "email", providerAccountId: user.id },
    ...(account
      ? { isEmailVerified, allowsEmailLinking: true, tokensToStore: () => ({}) }
      : { isEmailLink: isEmailVerified }),
  }
  const currentId = async () => ((await findOwner(identity, runtime)) ? undefined : byId?.id)
  return resolveUser(identity, {
    ...options,
    currentId,
    confirmedId: currentId,
    verifiedEmail: async () => undefined,
    // The user of the old session signs in, and connects no account.
    intercept: (candidate) => intercept({ ...candidate, isConnection: false }),
  })
}
