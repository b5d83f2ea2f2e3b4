import type { AdapterAccount, AdapterUser } from "../adapters/adapter.js"
import { isPlainObject, omitUndefined } from "../base/merge.js"
import { AdapterError } from "../errors/errors.js"
import type { AccountAdapter } from "./account-adapter.js"
import type { AccountRuntime } from "./account-runtime.js"
import { verifiedAccounts } from "./verified-email.js"

export interface ConfirmedOwner {
  readonly user: AdapterUser
  /** The accounts that were unlinked, including passkeys. */
  readonly removed: readonly AdapterAccount[]
}

interface ConfirmationContext {
  readonly adapter: AccountAdapter
  readonly runtime: AccountRuntime
}

/**
 * Stores that the email address of a user is verified. With `unlinksUnverified`, first unlinks the accounts that were
 * not verified for the address, because an attacker may have registered the address before its owner ("pre-hijacking",
 * Sudhodanan and Paverd 2022).
 */
export async function confirmEmailOwner(
  user: AdapterUser,
  { unlinksUnverified, ...context }: ConfirmationContext & { readonly unlinksUnverified: boolean },
): Promise<ConfirmedOwner> {
  const { adapter, runtime } = context
  const removed = unlinksUnverified ? await removeUnverified(user, context) : []
  const emailVerified = new Date(runtime.now())
  // The first verification also writes the address, which without a lock may have changed since it was read.
  const changes = { id: user.id, ...(unlinksUnverified && { email: user.email }), emailVerified }
  // Some adapters return no user.
  const stored: AdapterUser = (await adapter.updateUser(changes)) ?? user
  // Without transactions another process may have linked an account before `emailVerified` was stored.
  if (unlinksUnverified && !runtime.adapter?.transaction) removed.push(...(await removeUnverified(user, context)))
  // Only plain objects are merged: copying a class instance loses its accessors, which may include the id.
  const confirmed = [user, stored].every(isPlainObject) ? { ...user, ...omitUndefined(stored), emailVerified } : stored
  return { user: confirmed, removed }
}

/** Limits how often accounts are listed and removed. Without transactions, new accounts may be linked meanwhile. */
const MAX_ROUNDS = 20

/**
 * Ends a user's sessions, and removes all passkeys and the accounts that were not verified for the email address.
 * Returns the removed accounts. If the adapter can't list or unlink accounts, logs a warning and keeps the accounts.
 */
export async function removeUnverified(
  user: AdapterUser,
  { adapter, runtime }: ConfirmationContext,
): Promise<AdapterAccount[]> {
  const { listAccountsByUserId, unlinkAccount, deleteSessionsByUserId } = adapter
  // Sessions end first, because an account can be linked only with a session.
  await deleteSessionsByUserId?.(user.id)
  await removePasskeys(user, adapter)
  if (!listAccountsByUserId || !unlinkAccount) {
    runtime.logger.warn("accounts-unchecked", uncheckedText(user))
    return []
  }
  const removed: AdapterAccount[] = []
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const accounts = await listAccountsByUserId(user.id)
    const verified = new Set(verifiedAccounts(user, accounts, runtime))
    const unverified = accounts.filter((account) => !verified.has(account))
    await removePasskeys(user, adapter)
    if (unverified.length === 0) {
      // A concurrent sign-in with a removed account may have created a session.
      if (removed.length > 0) await deleteSessionsByUserId?.(user.id)
      return removed
    }
    for (const { provider, providerAccountId } of unverified) await unlinkAccount({ provider, providerAccountId })
    removed.push(...unverified)
  }
  throw new AdapterError("accounts could not be removed because new ones were linked at the same rate", {
    method: "unlinkAccount",
  })
}

/**
 * Removes the authenticator records of a user's passkeys. Without its account a passkey is useless, and as long as the
 * record exists, the device refuses to register another passkey for this user.
 */
async function removePasskeys(user: AdapterUser, adapter: AccountAdapter): Promise<void> {
  for (const { credentialID } of (await adapter.listAuthenticatorsByUserId?.(user.id)) ?? [])
    await adapter.deleteAuthenticator?.(credentialID)
}

const uncheckedText = ({ id }: AdapterUser): string =>
  `user ${id} verified an email address for the first time, but the adapter lacks listAccountsByUserId or unlinkAccount, so accounts that another user may have linked earlier stay linked. Add both methods, see docs/accounts.md`

/** Emits `updateUser` and logs the unlinked accounts. Called after `emailVerified` was stored. */
export async function reportConfirmation({ user, removed }: ConfirmedOwner, runtime: AccountRuntime) {
  await runtime.emit("updateUser", { user })
  if (removed.length === 0) return
  const providers = [...new Set(removed.map(({ provider }) => provider))].join(", ")
  runtime.logger.warn(
    "accounts-unlinked",
    `user ${user.id} verified an email address for the first time: accounts that were not verified for it (${providers}) were unlinked, and the user's sessions were ended`,
  )
}
