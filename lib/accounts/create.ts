import { setTimeout } from "node:timers/promises"
import { types } from "node:util"
import type { Adapter, AdapterAccount, AdapterUser } from "../adapters/adapter.js"
import { withTimeout } from "../base/timeout.js"
import type { TokenSet } from "../base/types.js"
import { AdapterError, asError, TIMED_OUT } from "../errors/errors.js"
import { type AccountAdapter, accountAdapter, accountStorage } from "./account-adapter.js"
import type { AccountRuntime } from "./account-runtime.js"
import type { AccountDecision } from "./decide.js"
import type { Identity } from "./identity.js"
import { readProviderVerifiedEmail } from "./verified-email.js"

export interface WriteContext {
  readonly adapter: AccountAdapter
  readonly runtime: AccountRuntime
}

/**
 * Returns the names of the tokens that are kept in the store instead of the adapter. The id_token stays in the adapter
 * if `keepsVerifiedEmail` is false, because the adapter then has no other record of the address that the provider has
 * verified.
 */
const storeTokenNames = ({ adapter }: AccountRuntime): readonly string[] =>
  adapter?.keepsVerifiedEmail ? ["access_token", "refresh_token", "id_token"] : ["access_token", "refresh_token"]

function tokensForAdapter({ account, tokensToStore }: Identity, runtime: AccountRuntime): TokenSet {
  const tokens = tokensToStore?.() ?? {}
  if (!runtime.tokens?.usesStore(account)) return tokens
  const namesInStore = storeTokenNames(runtime)
  return Object.fromEntries(Object.entries(tokens).filter(([name]) => !namesInStore.includes(name)))
}

/**
 * Returns an object with null for each token that the store keeps, so that `updateAccount` deletes tokens that an
 * earlier version or configuration stored in the adapter.
 */
const removedTokens = ({ account }: Identity, runtime: AccountRuntime): object =>
  runtime.tokens?.usesStore(account) ? Object.fromEntries(storeTokenNames(runtime).map((name) => [name, null])) : {}

/** Converts an identity to the account record that the adapter stores. */
function toStoredAccount(identity: Identity, user: AdapterUser, runtime: AccountRuntime): AdapterAccount {
  const { provider, providerAccountId, type } = identity.account
  return {
    ...tokensForAdapter(identity, runtime),
    ...(runtime.adapter?.keepsVerifiedEmail && { verifiedEmail: readProviderVerifiedEmail(identity) }),
    provider,
    providerAccountId,
    // Only accounts of these types are stored: credentials and email sign-ins have no account record.
    type: type as "oauth" | "oidc" | "webauthn",
    userId: user.id,
  }
}

/** Updates the stored tokens and the verified email address of an account that was linked before this sign-in. */
export async function refreshAccount(identity: Identity, user: AdapterUser, context: WriteContext): Promise<void> {
  if (!identity.tokensToStore) return
  const { adapter, runtime } = context
  const account = toStoredAccount(identity, user, runtime)
  await adapter.updateAccount?.({ ...account, ...removedTokens(identity, runtime) })
}

/** Stores the account and, for a passkey, its authenticator record: both or neither. */
async function storeAccount(
  { passkey, ...identity }: Identity,
  user: AdapterUser,
  { adapter, runtime }: WriteContext,
): Promise<void> {
  const account = toStoredAccount(identity, user, runtime)
  await adapter.linkAccount(account)
  if (!passkey) return
  const { name, ...authenticator } = passkey
  try {
    await adapter.createAuthenticator?.({ ...authenticator, userId: user.id })
  } catch (error) {
    await adapter.unlinkAccount?.(account)
    throw error
  }
  if (name) await namePasskey(authenticator.credentialID, name, { adapter, runtime })
}

/** Stores the default name of a new passkey. A failure is only logged, because a passkey works without a name. */
async function namePasskey(credentialID: string, name: string, { adapter, runtime }: WriteContext): Promise<void> {
  try {
    await adapter.renameAuthenticator?.(credentialID, name)
  } catch (error) {
    runtime.logger.error(asError(error))
  }
}

/** Removes a linked account and, for a passkey, its authenticator record. */
export async function unlink({ account, passkey }: Identity, adapter: AccountAdapter): Promise<void> {
  if (passkey) await adapter.deleteAuthenticator?.(passkey.credentialID)
  await adapter.unlinkAccount?.(account)
}

/**
 * The time limit for linking an account. It is shorter than the time limit of a call (9.5 s), so that the call can
 * still undo its writes.
 */
const LINK_TIMEOUT_MS = 5_000

function createLinkTimeout(): AdapterError {
  const message = `the account was not linked within ${LINK_TIMEOUT_MS / 1000} s: adapter.linkAccount, or adapter.createAuthenticator, did not settle`
  return new AdapterError(message, { method: "linkAccount" }, TIMED_OUT)
}

/**
 * Links an account to an existing user. An account that is stored after the time limit is removed again, because the
 * checks that follow linking do not run for it.
 *
 * @throws AdapterError if the adapter fails or exceeds the time limit
 */
export async function linkAccount(identity: Identity, user: AdapterUser, context: WriteContext): Promise<void> {
  const linking = storeAccount(identity, user, context)
  try {
    await withTimeout(linking, LINK_TIMEOUT_MS, createLinkTimeout)
  } catch (error) {
    // Needed only without transactions. With transactions the adapter rolls the account back.
    if (!context.adapter.transaction) linking.then(() => unlink(identity, context.adapter)).catch(() => {})
    throw error
  }
}

type UserCreation = Extract<AccountDecision, { do: "create" }>

/** Creates a user and links the account: both or neither. */
export async function createAndLink(
  identity: Identity,
  creation: UserCreation,
  context: WriteContext,
): Promise<AdapterUser> {
  const { adapter, runtime } = context
  const write = (target: Adapter) => writeAll(identity, creation, { adapter: accountAdapter(target), runtime })
  return adapter.transaction ? adapter.transaction(write) : write(adapter)
}

/** @throws TypeError if `createUser` returned no id. An `AdapterError` would cause another attempt. */
function requireCreatedUser(created: AdapterUser | undefined): AdapterUser {
  if (created?.id !== undefined && created.id !== null) return created
  throw new TypeError("adapter.createUser must return the stored user with its id")
}

function toNewUser({ user }: Identity, { isVerified, holder }: UserCreation, { now }: AccountRuntime): AdapterUser {
  const { email, ...withoutAddress } = user
  // The application may state when the address of a trusted user was verified.
  const verifiedAt: unknown = Reflect.get(user, "emailVerified")
  const emailVerified = isVerified ? (types.isDate(verifiedAt) ? verifiedAt : new Date(now())) : null
  // Most adapters require unique addresses, so an address that another user keeps is left out.
  const isFree = !holder || holder.losesAddress
  return { ...withoutAddress, ...(isFree && { email }), emailVerified } as AdapterUser
}

async function writeAll(identity: Identity, creation: UserCreation, context: WriteContext): Promise<AdapterUser> {
  const { adapter, runtime } = context
  const { holder } = creation
  const setHolderAddress = holder?.losesAddress
    ? // `AdapterUser.email` has no null, as in Auth.js, but adapters store null for a user without an address.
      (email: string | null) => adapter.updateUser({ id: holder.user.id, email: email as string, emailVerified: null })
    : undefined
  await setHolderAddress?.(null)
  let user: AdapterUser | undefined
  let linking: Promise<void> | undefined
  try {
    user = requireCreatedUser(await adapter.createUser(toNewUser(identity, creation, runtime)))
    linking =
      accountStorage(identity.account, runtime) === "linked" ? storeAccount(identity, user, context) : Promise.resolve()
    await withTimeout(linking, LINK_TIMEOUT_MS, createLinkTimeout)
    return user
  } catch (error) {
    // Needed only without transactions. With transactions the adapter rolls all writes back.
    if (!runtime.adapter?.transaction) {
      if (user) await undoCreation(user, linking, adapter)
      await setHolderAddress?.(holder?.user.email ?? null)
    }
    throw error
  }
}

/**
 * Deletes a user whose account was not linked. If the account is stored after the time limit, deletes the user once
 * more, which also deletes the account.
 */
async function undoCreation(
  user: AdapterUser,
  linking: Promise<void> | undefined,
  adapter: AccountAdapter,
): Promise<void> {
  await deleteWithRetries(user, adapter)
  linking?.then(
    () => deleteWithRetries(user, adapter),
    () => {},
  )
}

/** The pause before each attempt to delete a user. */
const UNDO_PAUSES_MS = [0, 200, 1_000]
const UNDO_TIMEOUT_MS = 2_000

/**
 * Deletes the user, because a user without an account could never sign in, but would occupy the email address. If all
 * attempts fail, the user stays.
 */
async function deleteWithRetries(user: AdapterUser, { deleteUser }: AccountAdapter): Promise<void> {
  for (const pause of UNDO_PAUSES_MS) {
    if (pause > 0) await setTimeout(pause)
    try {
      await withTimeout(Promise.resolve(deleteUser?.(user.id)), UNDO_TIMEOUT_MS, "")
      return
    } catch {
      // The caller throws the error that made the deletion necessary.
    }
  }
}
