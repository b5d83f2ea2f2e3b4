import { randomUUID } from "node:crypto"
import type { AdapterUser } from "../adapters/adapter.js"
import { MissingAdapterMethods } from "../errors.js"
import type { CookieChange } from "../http/cookies.js"
import type { Identity } from "../methods/method.js"
import type { Runtime } from "../runtime.js"
import { requireUserId } from "../security/user-id.js"
import type { SessionCookies } from "../sessions/session.js"
import type { Account, User } from "../types.js"
import { findOwner, resolveUser } from "./apply.js"
import { findByEmail } from "./find-by-email.js"
import { provenEmailOf } from "./proof.js"
import { type AccountStore, accountStore } from "./store.js"

/** A user that the application itself vouches for. */
export type TrustedUser = Partial<User> & { readonly emailVerified?: Date | null }

export interface Opening {
  readonly runtime: Runtime
  /** Whose cookies the session's come beside; a session that they hold ends. */
  readonly browser: SessionCookies
  /** How the user signed in elsewhere, as the `jwt` callback gets it. @default as with credentials */
  readonly account?: Partial<Account> | undefined
}

export interface OpenedSession {
  /** As the store has it. */
  readonly user: User
  readonly isNewUser: boolean
  readonly cookies: readonly CookieChange[]
}

type Found = Pick<OpenedSession, "user" | "isNewUser">

/**
 * Opens a session for a user that the application vouches for. Callbacks and events named `signIn` are left out, because
 * no user signs in.
 */
export async function openSessionFor({ user, isNewUser }: Found, opening: Opening): Promise<OpenedSession> {
  const own = { provider: "credentials", type: "credentials", providerAccountId: String(user.id) } as const
  const account = { ...own, ...opening.account }
  const provenEmail = opening.runtime.adapter && provenEmailOf(user)
  return {
    user,
    isNewUser,
    cookies: await opening.runtime.sessions.open({ user, account, isNewUser, provenEmail }, opening.browser),
  }
}

const NEEDED = ["getUser", "getUserByEmail", "createUser", "updateUser"] as const

function requireStore({ adapter = {} }: Runtime): AccountStore {
  const missing = NEEDED.filter((method) => !adapter[method])
  if (missing.length === 0) return accountStore(adapter)
  throw new MissingAdapterMethods(`the adapter lacks ${missing.join(", ")}, which a session of a stored user needs`)
}

/** The stored user with this id, else with this address, whether it is proved or not: for tests. */
export async function requireTestUser(given: TrustedUser, runtime: Runtime): Promise<Found> {
  const store = runtime.adapter && requireStore(runtime)
  const byAddress = store && given.email ? await findByEmail(given.email, store) : null
  const byId = store && given.id !== undefined ? await store.getUser(given.id) : null
  const known = byId ?? byAddress
  return known ? { user: known, isNewUser: false } : requireTrustedUser({ user: given }, runtime)
}

interface Trusted {
  readonly user: TrustedUser
  readonly account?: Account | undefined
  /** Aborted when the answer was given up. */
  readonly signal?: AbortSignal | undefined
}

/**
 * The user that the application names: the owner of the account, else the stored user with this id, else the user of this
 * address as after an email link, else a new user. An account is linked to that user. Without an adapter the user is as
 * given.
 * The address counts as proved by the application, unless `emailVerified` is null.
 *
 * @throws MissingAdapterMethods, and AdapterError when the store fails
 */
export async function requireTrustedUser({ user: given, account, signal }: Trusted, runtime: Runtime): Promise<Found> {
  const hasId = given.id !== undefined && given.id !== null
  const id = hasId ? requireUserId(given.id, "the application", given) : randomUUID()
  if (!runtime.adapter) return { user: { ...given, id }, isNewUser: false }
  const store = requireStore(runtime)
  // Of several requests with one old session the second finds what the first has stored.
  const resolve = async () => {
    // As given: some stores have numbers for ids.
    const byId = hasId ? await store.getUser(given.id as string) : null
    // Others are not stored as accounts, or, as passkeys, consist of more than one row.
    const isKept = account?.type === "oauth" || account?.type === "oidc"
    if (byId && !isKept) return { user: byId, isNewUser: false }
    const user = await withUsableAddress({ ...given, id }, store)
    return resolveTrusted({ user, account: isKept ? account : undefined, signal }, byId, runtime)
  }
  return runtime.inTurn(`trusted ${id}`, resolve, signal)
}

/**
 * The user with the address in lower case, as every method stores it. An address that the application has not proved
 * attracts no user, so it is left out where another user has it.
 */
async function withUsableAddress(user: TrustedUser & { id: string }, store: AccountStore) {
  const { email: given, ...withoutAddress } = user
  const email = given?.toLowerCase()
  const isUsable = email && (user.emailVerified !== null || !(await findByEmail(email, store)))
  return isUsable ? { ...withoutAddress, email } : withoutAddress
}

async function resolveTrusted(
  { user, account, signal }: Trusted & { readonly user: { id: string } },
  byId: AdapterUser | null,
  runtime: Runtime,
): Promise<Found> {
  const isProved = Boolean(user.email) && user.emailVerified !== null
  const identity: Identity = {
    user,
    account: account ?? { provider: "trusted", type: "email", providerAccountId: user.id },
    ...(account ? { isEmailVerified: isProved, allowsEmailLinking: true } : { provesEmail: isProved }),
  }
  const currentId = async () => ((await findOwner(identity, runtime)) ? undefined : byId?.id)
  const resolution = await resolveUser(identity, {
    runtime,
    currentId,
    confirmedId: currentId,
    provenEmail: async () => undefined,
    mayEnter: async () => undefined,
    signal,
  })
  // Nothing here sends the browser elsewhere.
  const signedIn = "signedIn" in resolution ? resolution.signedIn : { user }
  return { user: signedIn.user, isNewUser: "isNewUser" in signedIn && signedIn.isNewUser === true }
}
