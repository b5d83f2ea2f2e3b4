import { setTimeout } from "node:timers/promises"
import { types } from "node:util"
import type { Adapter, AdapterAccount, AdapterUser } from "../adapters/adapter.js"
import { coded } from "../error-codes.js"
import { AdapterError, asError } from "../errors.js"
import type { Identity } from "../methods/method.js"
import type { Runtime } from "../runtime.js"
import { withTimeout } from "../timeout.js"
import type { AccountDecision } from "./decide.js"
import { provenEmail } from "./proof.js"
import { type AccountStore, accountStore } from "./store.js"

export interface WriteContext {
  readonly store: AccountStore
  readonly runtime: Runtime
}

/** An account of a user as it is stored. */
function toStoredAccount(identity: Identity, user: AdapterUser, { adapter }: Runtime): AdapterAccount {
  const { provider, providerAccountId, type } = identity.account
  return {
    ...identity.keptTokens?.(),
    ...(adapter?.keepsProvenEmail && { provenEmail: provenEmail(identity) }),
    provider,
    providerAccountId,
    // Credentials and addresses are not stored as accounts: these are the types that are left.
    type: type as "oauth" | "oidc" | "webauthn",
    userId: user.id,
  }
}

/** Stores the tokens of a new sign-in with an account of the user, and the address that the provider verifies now. */
export async function refreshAccount(identity: Identity, user: AdapterUser, context: WriteContext): Promise<void> {
  const { type } = identity.account
  if (type !== "oauth" && type !== "oidc") return
  await context.store.updateAccount?.(toStoredAccount(identity, user, context.runtime))
}

/** Stores the account and, with a passkey, its key; one without the other is of no use. */
async function storeAccount(
  { passkey, ...identity }: Identity,
  user: AdapterUser,
  { store, runtime }: WriteContext,
): Promise<void> {
  const account = toStoredAccount(identity, user, runtime)
  await store.linkAccount(account)
  if (!passkey) return
  const { name, ...key } = passkey
  try {
    await store.createAuthenticator?.({ ...key, userId: user.id })
  } catch (error) {
    await store.unlinkAccount?.(account)
    throw error
  }
  if (name) await giveName(key.credentialID, name, { store, runtime })
}

/** A passkey without its default name still signs in, so a failure is only logged. */
async function giveName(credentialID: string, name: string, { store, runtime }: WriteContext): Promise<void> {
  try {
    await store.renameAuthenticator?.(credentialID, name)
  } catch (error) {
    runtime.logger.error(asError(error))
  }
}

/** Removes a linked account and, with a passkey, its key. */
export async function unlink({ account, passkey }: Identity, store: AccountStore): Promise<void> {
  if (passkey) await store.deleteAuthenticator?.(passkey.credentialID)
  await store.unlinkAccount?.(account)
}

/** Leaves time to undo what was stored before the answer is given up. */
const LINK_TIMEOUT_MS = 5_000

function linkTooLate(): AdapterError {
  const message = `the account was not linked within ${LINK_TIMEOUT_MS / 1000} s: adapter.linkAccount, or adapter.createAuthenticator, did not settle`
  const error = new AdapterError(message, { method: "linkAccount" })
  return coded("answer-too-late", Object.assign(error, { status: 503 }))
}

/**
 * Links an account to a user who exists. An account that is stored too late is removed: what is checked after the link,
 * such as a proof of the address meanwhile, was not checked for it.
 *
 * @throws AdapterError when the store fails, or does not settle
 */
export async function linkAccount(identity: Identity, user: AdapterUser, context: WriteContext): Promise<void> {
  const linking = storeAccount(identity, user, context)
  try {
    await withTimeout(linking, LINK_TIMEOUT_MS, linkTooLate)
  } catch (error) {
    // In a transaction nothing is left to undo.
    if (!context.store.transaction) linking.then(() => unlink(identity, context.store)).catch(() => {})
    throw error
  }
}

/** An address belongs to its user; every other identity is an account beside. */
const isLinked = ({ account }: Identity): boolean => account.type !== "email"

type Creation = Extract<AccountDecision, { do: "create" }>

/** Creates a user and links the account, both or neither. */
export async function createAndLink(
  identity: Identity,
  creation: Creation,
  context: WriteContext,
): Promise<AdapterUser> {
  const { store, runtime } = context
  const write = (adapter: Adapter) => writeAll(identity, creation, { store: accountStore(adapter), runtime })
  return store.transaction ? store.transaction(write) : write(store)
}

/** Not an `AdapterError`: that means a store in trouble, or another process that was quicker, and is tried again. */
function requireUser(created: AdapterUser | undefined): AdapterUser {
  if (created?.id !== undefined && created.id !== null) return created
  throw new TypeError("adapter.createUser returned no user with an id: return what was stored")
}

function proposedUser({ user }: Identity, { proved, holder }: Creation, { now }: Runtime): AdapterUser {
  const { email, ...withoutAddress } = user
  // An application that vouches for a user may know when the address was proved.
  const provedAt: unknown = Reflect.get(user, "emailVerified")
  const emailVerified = proved ? (types.isDate(provedAt) ? provedAt : new Date(now())) : null
  // Addresses are unique in most stores: an unproved one stays with the user who has it.
  const isFree = !holder || holder.losesAddress
  return { ...withoutAddress, ...(isFree && { email }), emailVerified } as AdapterUser
}

async function writeAll(identity: Identity, creation: Creation, context: WriteContext): Promise<AdapterUser> {
  const { store, runtime } = context
  const { holder } = creation
  const moveAddress = holder?.losesAddress
    ? // A user without an address has null, though the type of Auth.js does not say so.
      (email: string | null) => store.updateUser({ id: holder.user.id, email: email as string, emailVerified: null })
    : undefined
  await moveAddress?.(null)
  let user: AdapterUser | undefined
  let linking: Promise<void> | undefined
  try {
    user = requireUser(await store.createUser(proposedUser(identity, creation, runtime)))
    linking = isLinked(identity) ? storeAccount(identity, user, context) : Promise.resolve()
    await withTimeout(linking, LINK_TIMEOUT_MS, linkTooLate)
    return user
  } catch (error) {
    // In a transaction nothing is left to undo.
    if (!runtime.adapter?.transaction) {
      if (user) await undo(user, linking, store)
      await moveAddress?.(holder?.user.email ?? null)
    }
    throw error
  }
}

/** Deletes the user whose account was not linked, and an account that is linked too late. */
async function undo(user: AdapterUser, linking: Promise<void> | undefined, store: AccountStore): Promise<void> {
  await remove(user, store)
  linking?.then(
    () => remove(user, store),
    () => {},
  )
}

const UNDO_PAUSES_MS = [0, 200, 1_000]
const UNDO_TIMEOUT_MS = 2_000

/** A user without an account could never sign in, and would block the next attempt. */
async function remove(user: AdapterUser, { deleteUser }: AccountStore): Promise<void> {
  for (const pause of UNDO_PAUSES_MS) {
    if (pause > 0) await setTimeout(pause)
    try {
      await withTimeout(Promise.resolve(deleteUser?.(user.id)), UNDO_TIMEOUT_MS, "")
      return
    } catch {
      // The failure that led here is the one to report.
    }
  }
}
