/**
 * Lists, renames and removes the passkeys of the current user.
 *
 * @module
 */

import { accountAdapter } from "../../accounts/account-adapter.js"
import { withLockedUser } from "../../accounts/apply.js"
import { endOtherSessions } from "../../accounts/end-other-sessions.js"
import type { AdapterAuthenticator, AdapterUser } from "../../adapters/adapter.js"
import type { Account } from "../../base/types.js"
import { BadRequest } from "../../errors/errors.js"
import type { PasskeyFacts } from "../../pages/passkeys-props.js"
import { MAX_PASSKEY_NAME_LENGTH } from "../../pages/passkeys-props.js"
import type { MethodRuntime } from "../method.js"
import { readLastUse } from "./last-use.js"
import { listUserPasskeys, passkeyAdapter } from "./passkey-adapter.js"

/** The ids of all passkey providers. */
const passkeyProviderIds = ({ providers }: MethodRuntime): string[] =>
  [...providers.values()].filter(({ provider }) => provider.type === "webauthn").map(({ provider }) => provider.id)

/** Finds the provider of a passkey's account; undefined if the account was removed. */
async function findProvider(
  { providerAccountId }: AdapterAuthenticator,
  runtime: MethodRuntime,
): Promise<string | undefined> {
  for (const id of passkeyProviderIds(runtime))
    if (await passkeyAdapter(runtime).getAccount(providerAccountId, id)) return id
  return undefined
}

/** True if the user has an email address, and a provider sends sign-in links. */
const canReceiveLinks = ({ email }: AdapterUser, { providers }: MethodRuntime): boolean =>
  Boolean(email) && [...providers.values()].some(({ provider }) => provider.type === "email")

/** True if the user can sign in without a passkey: by an email link to a verified address, or by a linked account. */
async function hasOtherMethod(user: AdapterUser, runtime: MethodRuntime): Promise<boolean> {
  if (user.emailVerified && canReceiveLinks(user, runtime)) return true
  const accounts = (await passkeyAdapter(runtime).listAccountsByUserId?.(user.id)) ?? []
  return accounts.some(({ type, provider }) => type !== "webauthn" && runtime.providers.has(provider))
}

/** A passkey whose account still exists. */
interface OwnedPasskey {
  readonly passkey: AdapterAuthenticator
  /** The id of the account's provider. */
  readonly provider: string
}

async function listOwnedPasskeys(user: Pick<AdapterUser, "id">, runtime: MethodRuntime): Promise<OwnedPasskey[]> {
  const passkeys = await listUserPasskeys(user, runtime)
  const entries = await Promise.all(
    passkeys.map(async (passkey) => ({ passkey, provider: await findProvider(passkey, runtime) })),
  )
  return entries.filter((entry): entry is OwnedPasskey => entry.provider !== undefined)
}

/** True if the account belongs to a passkey. */
export const isPasskeyAccount = ({ type }: Pick<Account, "type">): boolean => type === "webauthn"

/** True if the user can sign in with a passkey of this provider. */
export const hasPasskey = async (user: AdapterUser, providerId: string, runtime: MethodRuntime): Promise<boolean> =>
  (await listOwnedPasskeys(user, runtime)).some(({ provider }) => provider === providerId)

/** True if the user with this id can sign in with a passkey. */
export const hasAnyPasskey = async (userId: string, runtime: MethodRuntime): Promise<boolean> =>
  (await listOwnedPasskeys({ id: userId }, runtime)).length > 0

/** Lists the passkeys of a user, with the operations that are allowed for each. */
async function listPasskeyFacts(user: AdapterUser, runtime: MethodRuntime): Promise<PasskeyFacts[]> {
  const owned = await listOwnedPasskeys(user, runtime)
  const isLastMethod = owned.length === 1 && !(await hasOtherMethod(user, runtime))
  const { renameAuthenticator, deleteAuthenticator, unlinkAccount } = passkeyAdapter(runtime)
  const canRemoveAny = deleteAuthenticator !== undefined && unlinkAccount !== undefined
  return owned.map(({ passkey }) => ({
    credentialID: passkey.credentialID,
    name: passkey.name,
    createdAt: passkey.createdAt,
    isSynced: passkey.credentialBackedUp,
    canRename: renameAuthenticator !== undefined,
    canRemove: canRemoveAny && !isLastMethod,
    isLastMethod,
  }))
}

/** Lists the passkeys of a user with the time of their last use, for a page. */
export const describePasskeys = async (user: AdapterUser, runtime: MethodRuntime): Promise<PasskeyFacts[]> =>
  Promise.all(
    (await listPasskeyFacts(user, runtime)).map(async (passkey) => ({
      ...passkey,
      lastUsedAt: await readLastUse(passkey.credentialID, runtime),
    })),
  )

/**
 * Finds a passkey of the user.
 *
 * @throws BadRequest if the user has no such passkey. The error does not reveal whether another user has it
 */
async function requireOwnPasskey(
  user: AdapterUser,
  credentialID: unknown,
  runtime: MethodRuntime,
): Promise<OwnedPasskey> {
  const owned = (await listOwnedPasskeys(user, runtime)).find(({ passkey }) => passkey.credentialID === credentialID)
  if (owned) return owned
  throw new BadRequest("the user has no passkey with this credentialID")
}

/**
 * Replaces line breaks, control characters and text-direction marks in a name by spaces, and shortens the name. Joiners
 * within emoji are kept.
 */
function cleanName(name: unknown = ""): string {
  if (typeof name !== "string") throw new BadRequest("a passkey's name must be a string")
  const text = name.replace(/[\s\p{Cc}\p{Zl}\p{Zp}\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu, " ")
  return [...text.trim()].slice(0, MAX_PASSKEY_NAME_LENGTH).join("")
}

/** Renames a passkey. An empty name removes the name. */
export async function renamePasskey(
  user: AdapterUser,
  { credentialID, name }: { readonly credentialID: unknown; readonly name: unknown },
  runtime: MethodRuntime,
): Promise<void> {
  const { passkey } = await requireOwnPasskey(user, credentialID, runtime)
  await passkeyAdapter(runtime).renameAuthenticator?.(passkey.credentialID, cleanName(name) || null)
}

/**
 * Removes a passkey and its account, and ends all sessions of the user except `sessionId`. Does nothing if the passkey
 * may not be removed, for example because it is the user's last sign-in method.
 */
export async function removePasskey(
  user: AdapterUser,
  { credentialID, sessionId }: { readonly credentialID: unknown; readonly sessionId: string | undefined },
  runtime: MethodRuntime,
): Promise<void> {
  const { passkey, provider } = await requireOwnPasskey(user, credentialID, runtime)
  const isRemovable = async (owner: AdapterUser, transactionRuntime: MethodRuntime) =>
    (await listPasskeyFacts(owner, transactionRuntime)).some(
      (item) => item.credentialID === passkey.credentialID && item.canRemove,
    )
  if (!(await isRemovable(user, runtime))) return
  // The sessions end first: if the store fails here, the passkey still exists, and the user can try again.
  await endOtherSessions(String(user.id), sessionId, runtime)
  // Without the lock, two concurrent removals could remove the last two passkeys.
  const isRemoved = await withLockedUser(
    user,
    { runtime, adapter: accountAdapter(passkeyAdapter(runtime)) },
    async (locked, lockedUser) => {
      if (!(await isRemovable(lockedUser, locked.runtime))) return false
      // The account is unlinked first, because a passkey without an account can't sign in.
      await locked.adapter.unlinkAccount?.({ provider, providerAccountId: passkey.providerAccountId })
      await locked.adapter.deleteAuthenticator?.(passkey.credentialID)
      return true
    },
  )
  // Ends sessions once more, because the passkey may have been used for a sign-in in the meantime.
  if (isRemoved) await endOtherSessions(String(user.id), sessionId, runtime)
}

/** Removes all passkeys of a user and their accounts, for a user who has lost the devices. */
export async function removeAllPasskeys(userId: string, runtime: MethodRuntime): Promise<void> {
  const { unlinkAccount, deleteAuthenticator } = passkeyAdapter(runtime)
  for (const { passkey, provider } of await listOwnedPasskeys({ id: userId }, runtime)) {
    // The account is unlinked first, because a passkey without an account can't sign in.
    await unlinkAccount?.({ provider, providerAccountId: passkey.providerAccountId })
    await deleteAuthenticator?.(passkey.credentialID)
  }
}
