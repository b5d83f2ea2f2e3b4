import type { AdapterAccount, AdapterUser } from "../adapters/adapter.js"
import { AdapterError } from "../errors.js"
import { defined, isPlainObject } from "../merge.js"
import type { Runtime } from "../runtime.js"
import { provingAccounts } from "./proof.js"
import type { AccountStore } from "./store.js"

export interface ConfirmedOwner {
  readonly user: AdapterUser
  /** Accounts that were unlinked, passkeys among them. */
  readonly removed: readonly AdapterAccount[]
}

interface Context {
  readonly store: AccountStore
  readonly runtime: Runtime
}

/**
 * Records that the address of a user is proved. At the first proof another person may have registered the address before
 * ("pre-hijacking", Sudhodanan and Paverd 2022): then what is attached to the user is removed, see `removeUnproven`.
 */
export async function confirmEmailOwner(
  user: AdapterUser,
  { evicts, ...context }: Context & { readonly evicts: boolean },
): Promise<ConfirmedOwner> {
  const { store, runtime } = context
  const removed = evicts ? await removeUnproven(user, context) : []
  const emailVerified = new Date(runtime.now())
  // The first proof with the address, which may have been changed meanwhile where nothing is locked.
  const proof = { id: user.id, ...(evicts && { email: user.email }), emailVerified }
  // Some stores return nothing.
  const stored: AdapterUser = (await store.updateUser(proof)) ?? user
  // Without a transaction another process may have linked an account until now; later it sees the proof and undoes that.
  if (evicts && !runtime.adapter?.transaction) removed.push(...(await removeUnproven(user, context)))
  // A copy of an instance of a class may lack what its accessors return, the id among them.
  const confirmed = [user, stored].every(isPlainObject) ? { ...user, ...defined(stored), emailVerified } : stored
  return { user: confirmed, removed }
}

/** Without transactions accounts may be linked meanwhile, by requests that were under way. */
const MAX_ROUNDS = 20

/** Ends the sessions of a user, and removes every account and passkey that does not prove the user's address itself. */
export async function removeUnproven(user: AdapterUser, { store, runtime }: Context): Promise<AdapterAccount[]> {
  const { listAccountsByUserId, unlinkAccount, deleteSessionsByUserId } = store
  // First: without a session nothing more can be connected.
  await deleteSessionsByUserId?.(user.id)
  await removePasskeys(user, store)
  if (!listAccountsByUserId || !unlinkAccount) {
    runtime.logger.warn("accounts-unchecked", uncheckedText(user))
    return []
  }
  const removed: AdapterAccount[] = []
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const accounts = await listAccountsByUserId(user.id)
    const proving = new Set(provingAccounts(user, accounts, runtime))
    const unproven = accounts.filter((account) => !proving.has(account))
    await removePasskeys(user, store)
    if (unproven.length === 0) {
      // A sign-in by one of the accounts may have been under way.
      if (removed.length > 0) await deleteSessionsByUserId?.(user.id)
      return removed
    }
    for (const { provider, providerAccountId } of unproven) await unlinkAccount({ provider, providerAccountId })
    removed.push(...unproven)
  }
  throw new AdapterError("accounts were linked as fast as they were removed", { method: "unlinkAccount" })
}

/** A passkey without its account signs in no user, but its device could not register another one. */
async function removePasskeys(user: AdapterUser, store: AccountStore): Promise<void> {
  for (const { credentialID } of (await store.listAuthenticatorsByUserId?.(user.id)) ?? [])
    await store.deleteAuthenticator?.(credentialID)
}

const uncheckedText = ({ id }: AdapterUser): string =>
  `user ${id} proved an address that was never proved before, and the adapter lacks listAccountsByUserId or unlinkAccount: accounts that other people connected before stay linked. Add both methods, see docs/accounts.md`

/** Reports a confirmation to the application and in the log, once it is stored. */
export async function reportConfirmation({ user, removed }: ConfirmedOwner, runtime: Runtime) {
  await runtime.emit("updateUser", { user })
  if (removed.length === 0) return
  const providers = [...new Set(removed.map(({ provider }) => provider))].join(", ")
  runtime.logger.warn(
    "accounts-unlinked",
    `user ${user.id} proved an address that was never proved before: accounts that do not prove it (${providers}) were unlinked, and the user's sessions ended`,
  )
}
