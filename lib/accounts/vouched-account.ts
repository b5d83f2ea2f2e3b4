import type { AdapterUser } from "../adapters/adapter.js"
import type { Runtime } from "../runtime.js"
import type { Account, User } from "../types.js"
import { ownerOf } from "./apply.js"
import { link } from "./create.js"
import { requireUser, type VouchedUser } from "./open-session-for.js"
import { accountStore } from "./store.js"

/** Somebody whom the application vouches for, with the account by which that person signed in elsewhere. */
export interface VouchedIdentity {
  readonly user: VouchedUser
  readonly account: Account
}

/**
 * The store's user for somebody with an account: whoever has that account, else the user whom the application names,
 * who has it from then on. Otherwise the next sign-in with it would meet an address that somebody has, and be refused.
 */
export async function requireOwner(identity: VouchedIdentity, runtime: Runtime): Promise<User> {
  const owner = await ownerOf(identity, runtime)
  if (owner) return owner
  const { user } = await requireUser(identity.user, runtime)
  // The rest is no account of a store, or a passkey, which is more than one.
  const isKept = identity.account.type === "oauth" || identity.account.type === "oidc"
  return runtime.adapter && isKept ? linkOnce(identity, user, runtime) : user
}

async function linkOnce(identity: VouchedIdentity, user: User, runtime: Runtime): Promise<User> {
  const { adapter = {} } = runtime
  try {
    // Where there is a store, the user is the store's own.
    await link(identity, user as AdapterUser, { store: accountStore(adapter), runtime })
    return user
  } catch (error) {
    // Another process may have been quicker.
    const quicker = await ownerOf(identity, runtime)
    if (!quicker) throw error
    return quicker
  }
}
