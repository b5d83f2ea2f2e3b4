/**
 * The passkeys of somebody who is signed in: to be listed, named and removed.
 *
 * @module
 */
import { withLockedUser } from "../../accounts/apply.js"
import { accountStore } from "../../accounts/store.js"
import type { AdapterAuthenticator, AdapterUser } from "../../adapters/adapter.js"
import { BadRequest } from "../../errors.js"
import type { PasskeyFacts } from "../../pages/passkeys-props.js"
import { MAX_PASSKEY_NAME_LENGTH } from "../../pages/passkeys-props.js"
import type { Runtime } from "../../runtime.js"
import { passkeyStore, passkeysOf } from "./store.js"

/** Ids of the providers whose passkeys these are. */
const providerIds = ({ providers }: Runtime): string[] =>
  [...providers.values()].filter(({ provider }) => provider.type === "webauthn").map(({ provider }) => provider.id)

/** The provider whose account this passkey is; a passkey without an account is none any more. */
async function providerOf({ providerAccountId }: AdapterAuthenticator, runtime: Runtime): Promise<string | undefined> {
  for (const id of providerIds(runtime)) if (await passkeyStore(runtime).getAccount(providerAccountId, id)) return id
  return undefined
}

const getsLinks = ({ email }: AdapterUser, { providers }: Runtime): boolean =>
  Boolean(email) && [...providers.values()].some(({ provider }) => provider.type === "email")

/** Is there a way to sign in that is no passkey: a link to an address that the user has proved, or a linked account? */
async function hasOtherWay(user: AdapterUser, runtime: Runtime): Promise<boolean> {
  if (user.emailVerified && getsLinks(user, runtime)) return true
  const accounts = (await passkeyStore(runtime).listAccountsByUserId?.(user.id)) ?? []
  return accounts.some(({ type, provider }) => type !== "webauthn" && runtime.providers.has(provider))
}

interface Owned {
  readonly passkey: AdapterAuthenticator
  readonly provider: string
}

async function ownedBy(user: AdapterUser, runtime: Runtime): Promise<Owned[]> {
  const passkeys = await passkeysOf(user, runtime)
  const found = await Promise.all(
    passkeys.map(async (passkey) => ({ passkey, provider: await providerOf(passkey, runtime) })),
  )
  return found.filter((one): one is Owned => one.provider !== undefined)
}

/** The passkeys of a user, and what may be done with each. */
export async function listPasskeys(user: AdapterUser, runtime: Runtime): Promise<PasskeyFacts[]> {
  const owned = await ownedBy(user, runtime)
  const isLast = owned.length === 1
  const isLastMethod = isLast && !(await hasOtherWay(user, runtime))
  const { renameAuthenticator, deleteAuthenticator, unlinkAccount } = passkeyStore(runtime)
  const isRemovable = deleteAuthenticator !== undefined && unlinkAccount !== undefined
  return owned.map(({ passkey }) => ({
    credentialID: passkey.credentialID,
    name: passkey.name,
    createdAt: passkey.createdAt,
    isSynced: passkey.credentialBackedUp,
    canRename: renameAuthenticator !== undefined,
    canRemove: isRemovable && !isLastMethod,
    isLastMethod,
  }))
}

/**
 * A passkey of the user's own.
 *
 * @throws BadRequest when it is none: somebody else's looks the same as one that there is not
 */
async function requireOwn(user: AdapterUser, credentialID: unknown, runtime: Runtime): Promise<Owned> {
  const own = (await ownedBy(user, runtime)).find(({ passkey }) => passkey.credentialID === credentialID)
  if (own) return own
  throw new BadRequest("a passkey was named that is not this user's")
}

/** A name on one line, read in the direction of its page; what joins an emoji's parts stays. */
function cleanName(name: unknown = ""): string {
  if (typeof name !== "string") throw new BadRequest("a passkey's name is text")
  const text = name.replace(/[\s\p{Cc}\p{Zl}\p{Zp}\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu, " ")
  return [...text.trim()].slice(0, MAX_PASSKEY_NAME_LENGTH).join("")
}

/** Calls a passkey something else; an empty name takes the name away. */
export async function renamePasskey(
  user: AdapterUser,
  { credentialID, name }: { readonly credentialID: unknown; readonly name: unknown },
  runtime: Runtime,
): Promise<void> {
  const { passkey } = await requireOwn(user, credentialID, runtime)
  await passkeyStore(runtime).renameAuthenticator?.(passkey.credentialID, cleanName(name) || null)
}

/** Removes a passkey and its account. One that must stay stays. */
export async function removePasskey(user: AdapterUser, credentialID: unknown, runtime: Runtime): Promise<void> {
  const { passkey, provider } = await requireOwn(user, credentialID, runtime)
  // Two removals at once would each keep the other's passkey for the last one.
  await withLockedUser(user, { runtime, store: accountStore(passkeyStore(runtime)) }, async (locked, now) => {
    const shown = await listPasskeys(now, locked.runtime)
    if (shown.find((one) => one.credentialID === passkey.credentialID)?.canRemove !== true) return
    // In this order: a passkey without an account signs in no user.
    await locked.store.unlinkAccount?.({ provider, providerAccountId: passkey.providerAccountId })
    await locked.store.deleteAuthenticator?.(passkey.credentialID)
  })
}
