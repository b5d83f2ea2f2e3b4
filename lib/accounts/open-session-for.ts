import { randomUUID } from "node:crypto"
import type { Adapter, AdapterUser } from "../adapters/adapter.js"
import { MissingAdapterMethods } from "../errors.js"
import type { CookieChange } from "../http/cookies.js"
import type { Runtime } from "../runtime.js"
import type { SessionCookies } from "../sessions/session.js"
import type { Account, User } from "../types.js"
import { findByEmail } from "./find-by-email.js"
import { type AccountStore, accountStore } from "./store.js"

/** Somebody whom the application itself vouches for. */
export type VouchedUser = Partial<User> & { readonly emailVerified?: Date | null }

export interface Opening {
  readonly runtime: Pick<Runtime, "adapter" | "emit" | "inTurn" | "sessions">
  /** Whose cookies the session's come beside; a session that they hold ends. */
  readonly browser: SessionCookies
  /** How the person has signed in elsewhere, as the `jwt` callback gets it. @default as with credentials */
  readonly account?: Partial<Account> | undefined
}

export interface OpenedSession {
  /** As the store has it. */
  readonly user: User
  readonly isNewUser: boolean
  readonly cookies: readonly CookieChange[]
}

/**
 * Opens a session for somebody whom the application vouches for: who has a session of another kind, or is made up by a
 * test.
 *
 * With an adapter it is the store's user of this id, else of this e-mail address, else one who is created and told of.
 * Nothing is linked. What a sign-in asks and tells, `signIn` of callbacks and of events, is left out: nobody signs in,
 * and an application that refuses or counts people there would refuse or count them twice.
 *
 * @throws MissingAdapterMethods when the adapter can't find and create users, AdapterError when the store fails
 */
export async function openSessionFor(given: VouchedUser, opening: Opening): Promise<OpenedSession> {
  const { runtime, browser } = opening
  const { user, isNewUser } = await requireUser(given, runtime)
  const own = { provider: "credentials", type: "credentials", providerAccountId: String(user.id) } as const
  const account = { ...own, ...opening.account }
  return { user, isNewUser, cookies: await runtime.sessions.open({ user, account, isNewUser }, browser) }
}

type Found = Pick<OpenedSession, "user" | "isNewUser">

/** The store's user for somebody whom the application vouches for, created where there is none; as given without a store. */
export async function requireUser(given: VouchedUser, runtime: Opening["runtime"]): Promise<Found> {
  const { adapter, emit, inTurn } = runtime
  if (!adapter) return { user: { ...given, id: String(given.id ?? randomUUID()) }, isNewUser: false }
  const store = requireStore(adapter)
  const settle = () => findOrCreate(given, { store, emit })
  // Of several requests with one old session, or a sign-in beside it, the second finds what the first has made.
  return inTurn(given.email ? `email ${given.email}` : `user ${given.id ?? randomUUID()}`, settle)
}

const NEEDED = ["getUser", "getUserByEmail", "createUser"] as const

function requireStore(adapter: Adapter): AccountStore {
  const missing = NEEDED.filter((method) => !adapter[method])
  if (missing.length === 0) return accountStore(adapter)
  throw new MissingAdapterMethods(`the adapter lacks ${missing.join(", ")}: a session needs a user of the store`)
}

interface Context {
  readonly store: AccountStore
  readonly emit: Runtime["emit"]
}

async function findOrCreate(given: VouchedUser, { store, emit }: Context): Promise<Found> {
  const known = await find(given, store)
  if (known) return { user: known, isNewUser: false }
  try {
    const user = await store.createUser(proposed(given))
    await emit("createUser", { user })
    return { user, isNewUser: true }
  } catch (error) {
    const quicker = await find(given, store)
    // A store that refused for another reason than somebody who came first in another process.
    if (!quicker) throw error
    return { user: quicker, isNewUser: false }
  }
}

async function find({ id, email }: VouchedUser, store: AccountStore): Promise<AdapterUser | null> {
  const known = id === undefined ? null : await store.getUser(id)
  return known ?? (email ? findByEmail(email, store) : null)
}

/** As after a sign-in at a provider, an address is text or not there: the contract's type knows no user without one. */
function proposed({ email, ...rest }: VouchedUser): AdapterUser {
  const { id = randomUUID(), emailVerified = null } = rest
  return { ...rest, id, emailVerified, ...(email && { email }) } as AdapterUser
}
