import { randomUUID } from "node:crypto"
import type { AdapterUser } from "../adapters/adapter.js"
import { omitUndefined } from "../base/merge.js"
import type { Account, CookieChange, User } from "../base/types.js"
import { AccessDenied, MissingAdapterMethods } from "../errors/errors.js"
import { redirect } from "../http/reply.js"
import { requireUserId } from "../security/user-id.js"
import type { SessionCookies, SignedIn } from "../sessions/session.js"
import { type AccountAdapter, accountAdapter, accountStorage } from "./account-adapter.js"
import type { AccountRuntime } from "./account-runtime.js"
import { findUserByAccount, type Resolution, type ResolveOptions, resolveUser, type SignInCandidate } from "./apply.js"
import { findByEmail } from "./find-by-email.js"
import type { Authentication, Identity } from "./identity.js"
import { initialPendingValues } from "./pending-sign-in.js"
import { storeForRequirement } from "./requirements.js"
import { createSessionAuthentication } from "./session-authentication.js"
import { readVerifiedEmail } from "./verified-email.js"

/** A user whose identity the application guarantees, without a sign-in. */
export type TrustedUser = Partial<User> & { readonly emailVerified?: Date | null }

export interface SessionCreation {
  readonly runtime: AccountRuntime
  /** The browser's cookies. If they contain a session, it ends. */
  readonly browser: SessionCookies
  /** The account that the `jwt` callback receives. @default a credentials account */
  readonly account?: Partial<Account> | undefined
  /** With `session.remember: "ask"`: true if the browser keeps the cookie when it is closed. */
  readonly remember: boolean
  /** How the user was authenticated. @default unknown */
  readonly authentication?: Authentication | undefined
}

export interface CreatedSession {
  /** The user as the adapter stores it; without an adapter, the trusted user. */
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
  { account: partialAccount, ...rest }: Pick<SessionCreation, "account" | "authentication">,
  runtime: AccountRuntime,
): SignedIn {
  const account = completeAccount(user, partialAccount)
  const verifiedEmail = runtime.adapter && readVerifiedEmail(user)
  const authentication = createSessionAuthentication({ account, ...omitUndefined(rest) }, user, runtime)
  return { user, account, isNewUser, verifiedEmail, authentication }
}

/** Creates a session for a trusted user. The `signIn` callback and event do not run, because no user signs in. */
export async function createSessionFor(
  found: FoundUser,
  { runtime, browser, remember, account, authentication }: SessionCreation,
): Promise<CreatedSession> {
  const signedIn = toSignedIn(found, { account, authentication }, runtime)
  const { cookies, id } = await runtime.sessions.create({ ...signedIn, remember }, browser)
  return { ...found, cookies, sessionId: id }
}

const REQUIRED_METHODS = ["getUser", "getUserByEmail", "createUser", "updateUser"] as const

function requireAccountAdapter({ adapter = {} }: AccountRuntime): AccountAdapter {
  const missing = REQUIRED_METHODS.filter((method) => !adapter[method])
  if (missing.length === 0) return accountAdapter(adapter)
  throw new MissingAdapterMethods(
    `the adapter lacks ${missing.join(", ")}, required to create a session for a stored user`,
  )
}

/** For tests: finds the stored user with this id, else with this address (verified or not), else creates a user. */
export async function findOrCreateTestUser(testUser: TrustedUser, runtime: AccountRuntime): Promise<FoundUser> {
  const adapter = runtime.adapter && requireAccountAdapter(runtime)
  const userByAddress = adapter && testUser.email ? await findByEmail(testUser.email, adapter) : null
  const userById = adapter && testUser.id !== undefined ? await adapter.getUser(testUser.id) : null
  const existing = userById ?? userByAddress
  if (existing) return { user: existing, isNewUser: false }
  const resolution = await resolveTrustedUser({ user: testUser }, { runtime, intercept: async () => undefined })
  // `intercept` above never returns a reply, so the fallback only satisfies the compiler.
  const { user, isNewUser = false } = "signedIn" in resolution ? resolution.signedIn : { user: testUser }
  return { user, isNewUser }
}

interface TrustedSignIn {
  readonly user: TrustedUser
  readonly account?: Account | undefined
  /** How the user has authenticated while the sign-in was pending, for example with the second factor. */
  readonly authentication?: Authentication | undefined
}

interface TrustedCall extends Pick<SessionCreation, "runtime" | "browser" | "remember"> {
  readonly callbackUrl: string
  /** Aborted when the request has timed out. */
  readonly signal: AbortSignal
}

/**
 * Signs in a trusted user: creates the session, or stores the sign-in as pending if the user must first meet a
 * requirement, such as the second factor. Returns the cookies of the session or of the pending sign-in.
 *
 * @throws AccessDenied if `isActive` refuses the user, before anything is written
 */
export async function completeTrustedSignIn(
  { user, account }: TrustedSignIn,
  { runtime, browser, callbackUrl, remember, signal }: TrustedCall,
): Promise<{ readonly isPending: boolean; readonly cookies: readonly CookieChange[] }> {
  const intercept = async (candidate: SignInCandidate) => {
    const { isActive } = runtime.callbacks
    if (isActive && !(await isActive(candidate.user))) throw new AccessDenied("isActive did not return true")
    // Without an adapter, the candidate's id may be new and random. It must stay the same until the requirement is met.
    const userToStore = runtime.adapter ? user : candidate.user
    const identity = { user: userToStore, account: completeAccount(candidate.user, account) }
    const attempt = {
      ...initialPendingValues(runtime),
      candidate,
      callbackUrl,
      remember,
      trusted: { account },
      browser,
    }
    const stored = await storeForRequirement(identity, attempt, runtime)
    // Only the cookie of this reply is used, see below. The request is not redirected.
    return stored && redirect(callbackUrl, [stored.cookie])
  }
  const resolution = await resolveTrustedUser({ user, account }, { runtime, intercept, signal })
  if ("reply" in resolution) return { isPending: true, cookies: resolution.reply.cookies }
  const { cookies } = await runtime.sessions.create({ ...resolution.signedIn, remember }, browser)
  return { isPending: false, cookies }
}

type TrustedOptions = Omit<ResolveOptions, "currentId" | "confirmedId" | "verifiedEmail">

/**
 * Returns the stored user for a trusted user. Looks for the user to whom the account is linked, then for the user with
 * the id, then for the user with the email address, and otherwise creates a user. Links the account to the user. A
 * match by email address has the same effects as an email link. The address is treated as verified unless
 * `emailVerified` is null. Without an adapter the trusted user itself is returned.
 *
 * @throws MissingAdapterMethods if the adapter lacks a required method, AdapterError if the adapter fails
 */
export async function resolveTrustedUser(
  { user: trustedUser, account, authentication }: TrustedSignIn,
  options: TrustedOptions,
): Promise<Resolution> {
  const { runtime, intercept } = options
  const asSignedIn = (found: FoundUser) => toSignedIn(found, { account, authentication }, runtime)
  const useExisting = async (user: User): Promise<Resolution> => {
    const reply = await intercept({ user, isNewUser: false, isConnection: false })
    return reply ? { reply } : { signedIn: asSignedIn({ user, isNewUser: false }), removed: [] }
  }
  const hasId = trustedUser.id !== undefined && trustedUser.id !== null
  const id = hasId ? requireUserId(trustedUser.id, "the application", trustedUser) : randomUUID()
  if (!runtime.adapter) return useExisting({ ...trustedUser, id })
  const adapter = requireAccountAdapter(runtime)
  const findOrCreate = async () => {
    // The id is passed unchanged, because some adapters use numbers.
    const userById = hasId ? await adapter.getUser(trustedUser.id as string) : null
    // A passkey is not linked, because it also needs an authenticator record.
    const canLink =
      account && accountStorage(account, runtime) === "linked" && !runtime.methods[account.type]?.needs.hasPasskeys
    if (userById && !canLink) return useExisting(userById)
    const user = await withUsableAddress({ ...trustedUser, id }, adapter)
    const resolution = await resolveByAccount({ user, account: canLink ? account : undefined }, userById, options)
    if ("reply" in resolution) return resolution
    const { signedIn, removed } = resolution
    const found = { user: signedIn.user, isNewUser: signedIn.isNewUser === true }
    return { signedIn: asSignedIn(found), removed }
  }
  // Several requests may migrate the same session of another library at once. They must create only one user.
  return runtime.withLock(`trusted ${id}`, findOrCreate, options.signal)
}

/**
 * Converts the address to lower case, as all sign-in methods do. Omits an unverified address that an existing user has,
 * because an unverified address must not select that user.
 */
async function withUsableAddress(user: TrustedUser & { id: string }, adapter: AccountAdapter) {
  const { email: address, ...withoutAddress } = user
  const email = address?.toLowerCase()
  const isUsable = email && (user.emailVerified !== null || !(await findByEmail(email, adapter)))
  return isUsable ? { ...withoutAddress, email } : withoutAddress
}

/**
 * Resolves the user by the account or, without an account, by the email address. `userById` is treated as the current
 * user, to whom the account is linked unless another user owns the account.
 */
async function resolveByAccount(
  { user, account }: TrustedSignIn & { readonly user: { id: string } },
  userById: AdapterUser | null,
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
  const currentId = async () => ((await findUserByAccount(identity, runtime)) ? undefined : userById?.id)
  return resolveUser(identity, {
    ...options,
    currentId,
    confirmedId: currentId,
    verifiedEmail: async () => undefined,
    // With `currentId`, linking the account looks like a connection, but for callers this is a sign-in.
    intercept: (candidate) => intercept({ ...candidate, isConnection: false }),
  })
}
