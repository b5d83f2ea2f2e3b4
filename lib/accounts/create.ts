import { setTimeout } from "node:timers/promises"
import type { Adapter, AdapterUser } from "../adapters/adapter.js"
import type { Identity } from "../methods/method.js"
import type { Runtime } from "../runtime.js"
import { type AccountStore, accountStore } from "./store.js"

interface Context {
  readonly store: AccountStore
  readonly runtime: Runtime
}

/** Links an account to a user who is there. */
export async function link(identity: Identity, user: AdapterUser, { store, runtime }: Context): Promise<void> {
  // Only a passkey is more than one row: what is one is whole by itself.
  if (identity.passkey && store.transaction)
    await store.transaction((adapter) => writeLink(identity, user, accountStore(adapter)))
  else await writeLink(identity, user, store)
  await tellLinked(identity, user, runtime)
}

/** The account and, of a passkey, its key: one without the other is of no use. */
async function writeLink({ passkey, ...identity }: Identity, user: AdapterUser, store: AccountStore): Promise<void> {
  const account = storedAccount(identity, user)
  await store.linkAccount(account)
  if (!passkey) return
  try {
    await store.createAuthenticator?.({ ...passkey, userId: user.id })
  } catch (error) {
    await store.unlinkAccount?.(account)
    throw error
  }
}

const tellLinked = (identity: Identity, user: AdapterUser, { emit }: Runtime) =>
  emit("linkAccount", { user, account: identity.account, profile: identity.user })

function storedAccount(identity: Identity, user: AdapterUser) {
  const { provider, providerAccountId, type } = identity.account
  // Credentials and addresses are no accounts of a store: what is left are the types that it knows.
  const stored = type as "oauth" | "oidc" | "webauthn"
  return { ...identity.keptTokens?.(), provider, providerAccountId, type: stored, userId: user.id }
}

/** An address is its user's own; everything else is an account beside. */
const isLinked = ({ account }: Identity): boolean => account.type !== "email"

/** Creates a user and links the account, both or neither; the application hears of it when both are there. */
export async function createAndLink(identity: Identity, proved: boolean, context: Context): Promise<AdapterUser> {
  const { store, runtime } = context
  const proposed = { ...identity.user, emailVerified: proved ? new Date(runtime.now()) : null } as AdapterUser
  const write = (adapter: Adapter, undo: (user: AdapterUser) => Promise<void>) =>
    writeBoth(identity, proposed, { store: accountStore(adapter), undo })
  const created = store.transaction
    ? await store.transaction((adapter) => write(adapter, async () => {}))
    : await write(store, (user) => remove(user, store))
  await runtime.emit("createUser", { user: created })
  if (isLinked(identity)) await tellLinked(identity, created, runtime)
  return created
}

/** No `AdapterError`: that stands for a store in trouble, or another process that was quicker, and is tried again. */
function requireUser(created: AdapterUser | undefined): AdapterUser {
  if (created?.id !== undefined && created.id !== null) return created
  throw new TypeError("adapter.createUser gave no user with an id back: give what was stored")
}

async function writeBoth(
  identity: Identity,
  proposed: AdapterUser,
  { store, undo }: { store: AccountStore; undo: (user: AdapterUser) => Promise<void> },
): Promise<AdapterUser> {
  const user = requireUser(await store.createUser(proposed))
  if (!isLinked(identity)) return user
  try {
    await writeLink(identity, user, store)
  } catch (error) {
    await undo(user)
    throw error
  }
  return user
}

const UNDO_PAUSES_MS = [0, 200, 1_000]

/** A user without an account could never sign in, and would stand in the way of the next attempt. */
async function remove(user: AdapterUser, { deleteUser }: AccountStore): Promise<void> {
  for (const pause of UNDO_PAUSES_MS) {
    if (pause > 0) await setTimeout(pause)
    try {
      await deleteUser?.(user.id)
      return
    } catch {
      // the failure that led here is the one to tell of
    }
  }
}
