import { randomUUID } from "node:crypto"
import type { AdapterUser } from "../adapters/adapter.js"
import type { Account, CookieChange, User } from "../base/types.js"
import { MissingAdapterMethods } from "../errors/errors.js"
import { requireUserId } from "../security/user-id.js"
import type { SessionCookies } from "../sessions/session.js"
import { type AccountAdapter, accountAdapter, accountKind } from "./account-adapter.js"
import type { AccountRuntime } from "./account-runtime.js"
import { findOwner, resolveUser } from "./apply.js"
import { findByEmail } from "./find-by-email.js"
import type { Identity } from "./identity.js"
import { createOrigin } from "./origin.js"
import { findOpenRequirement } from "./requirements.js"
import { readVerifiedEmail } from "./verified-email.js"

/** A user whose identity the application guarantees, without a sign-in. */
export type TrustedUser = Partial<User> & { readonly emailVerified?: Date | null }

export interface SessionCreation {
  readonly runtime: AccountRuntime
  /** The cookies of the browser. A session in them is ended. */
  readonly browser: SessionCookies
  /** The account that the `jwt` callback receives. @default a credentials account */
  readonly account?: Partial<Account> | undefined
}

export interface CreatedSession {
  /** The user as stored by the adapter. */
  readonly user: User
  readonly isNewUser: boolean
  readonly cookies: readonly CookieChange[]
}

type FoundUser = Pick<CreatedSession, "user" | "isNewUser">

function completeAccount(user: TrustedUser, account: Partial<Account> | undefined): Account {
  return { provider: "credentials", type: "credentials", providerAccountId: String(user.id), ...account }
}

/** True if the user has to meet a requirement, which is possible only in a sign-in. */
export async function hasOpenRequirement(
  { user, account }: Pick<TrustedSignIn, "user" | "account">,
  runtime: AccountRuntime,
): Promise<boolean> {
  const candidate = { user, isNewUser: false, isConnection: false }
  const identity = { account: completeAccount(user, account) }
  return (await findOpenRequirement(identity, { candidate, completed: {} }, runtime)) !== undefined
}

/** Creates a session for a trusted user. The `signIn` callback and event do not run, because no user signs in. */
export async function createSessionFor(
  { user, isNewUser }: FoundUser,
  creation: SessionCreation,
): Promise<CreatedSession> {
  const account = completeAccount(user, creation.account)
  const verifiedEmail = creation.runtime.adapter && readVerifiedEmail(user)
  const origin = createOrigin({ account }, user, creation.runtime)
  const signedIn = { user, account, isNewUser, verifiedEmail, origin }
  const { cookies } = await creation.runtime.sessions.create(signedIn, creation.browser)
  return { user, isNewUser, cookies }
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
  const user = byId ?? byAddress
  return user ? { user, isNewUser: false } : findOrCreateTrustedUser({ user: given }, runtime)
}

interface TrustedSignIn {
  readonly user: TrustedUser
  readonly account?: Account | undefined
  /** Aborted when the request has timed out. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Finds or creates the stored user for a trusted user: the owner of the account, else the user with this id, else the
 * user with this address, as after an email link, else a new user. The account is linked to that user. Without an
 * adapter the trusted user is returned. The address is treated as verified unless `emailVerified` is null.
 *
 * @throws MissingAdapterMethods, and AdapterError if the adapter fails
 */
export async function findOrCreateTrustedUser(
  { user: given, account, signal }: TrustedSignIn,
  runtime: AccountRuntime,
): Promise<FoundUser> {
  const hasId = given.id !== undefined && given.id !== null
  const id = hasId ? requireUserId(given.id, "the application", given) : randomUUID()
  if (!runtime.adapter) return { user: { ...given, id }, isNewUser: false }
  const adapter = requireAccountAdapter(runtime)
  const findOrCreate = async () => {
    // The id is passed unchanged, because some adapters use numbers.
    const byId = hasId ? await adapter.getUser(given.id as string) : null
    // Other accounts are not linked, or have more than one row (passkeys).
    const canLink =
      account && accountKind(account, runtime) === "linked" && !runtime.methods[account.type]?.needs.hasPasskeys
    if (byId && !canLink) return { user: byId, isNewUser: false }
    const user = await withUsableAddress({ ...given, id }, adapter)
    return resolveTrusted({ user, account: canLink ? account : undefined, signal }, byId, runtime)
  }
  // Concurrent requests with one old session create one user only.
  return runtime.withLock(`trusted ${id}`, findOrCreate, signal)
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

async function resolveTrusted(
  { user, account, signal }: TrustedSignIn & { readonly user: { id: string } },
  byId: AdapterUser | null,
  runtime: AccountRuntime,
): Promise<FoundUser> {
  const isEmailVerified = Boolean(user.email) && user.emailVerified !== null
  const identity: Identity = {
    user,
    account: account ?? { provider: "trusted", type: "email", providerAccountId: user.id },
    ...(account
      ? { isEmailVerified, allowsEmailLinking: true, tokensToStore: () => ({}) }
      : { isEmailLink: isEmailVerified }),
  }
  const currentId = async () => ((await findOwner(identity, runtime)) ? undefined : byId?.id)
  const resolution = await resolveUser(identity, {
    runtime,
    currentId,
    confirmedId: currentId,
    verifiedEmail: async () => undefined,
    intercept: async () => undefined,
    signal,
  })
  // `intercept` above never replies, so the fallback is for the type only.
  const signedIn = "signedIn" in resolution ? resolution.signedIn : { user }
  return { user: signedIn.user, isNewUser: "isNewUser" in signedIn && signedIn.isNewUser === true }
}
