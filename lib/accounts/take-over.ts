import type { AdapterAccount, AdapterUser } from "../adapters/adapter.js"
import { defined, isPlainObject } from "../merge.js"
import type { Runtime } from "../runtime.js"
import { spelling } from "./find-by-email.js"
import type { AccountStore } from "./store.js"

interface Context {
  readonly store: AccountStore
  /** Who is signed in in the browser in which the address is proved. */
  readonly currentId: () => Promise<string | undefined>
  readonly runtime: Runtime
}

/** Notes that a user has proved the address. */
export async function takeOver(user: AdapterUser, context: Context): Promise<AdapterUser> {
  const { store, runtime } = context
  if (!user.emailVerified) await dropStrangers(user, context)
  const emailVerified = new Date(runtime.now())
  // Some stores give nothing back.
  const given: AdapterUser | undefined = await store.updateUser({ id: user.id, emailVerified })
  const stored = given ?? user
  // A copy of an instance of a class may lack what its accessors give, the id among them.
  const updated = [user, stored].every(isPlainObject) ? { ...user, ...defined(stored), emailVerified } : stored
  await runtime.emit("updateUser", { user: updated })
  return updated
}

/**
 * Somebody may have registered the address at a careless provider, or with a passkey, signed in with it here, and waited
 * for its owner ("pre-hijacking", Sudhodanan and Paverd 2022). Where that is not ruled out, every account that does not
 * prove the address loses the user, and so does whoever is signed in.
 */
async function dropStrangers(user: AdapterUser, context: Context): Promise<void> {
  const { store, runtime } = context
  const accounts = await store.listAccountsByUserId?.(user.id)
  if (!accounts || !(await isDoubtful(accounts, user, context))) return
  // Whoever came first may have linked others besides: what does not prove this very address goes too.
  const strangers = accounts.filter((account) => !proves(account, user, runtime))
  for (const { provider, providerAccountId } of strangers) await store.unlinkAccount?.({ provider, providerAccountId })
  await dropKeys(strangers, user, store)
  await store.deleteSessionsByUserId?.(user.id)
  if (strangers.length === 0) return
  const providers = [...new Set(strangers.map(({ provider }) => provider))].join(", ")
  runtime.logger.warn(
    "accounts-unlinked",
    `user ${user.id} proved an address that was never proved before: accounts that do not prove it (${providers}) were unlinked, and the user's sessions ended`,
  )
}

/** May another than the owner have come first? An account's own provider may say that it had not proved the address. */
async function isDoubtful(
  accounts: readonly AdapterAccount[],
  user: AdapterUser,
  { currentId }: Pick<Context, "currentId">,
): Promise<boolean> {
  if (accounts.some(deniesAddress)) return true
  // A passkey proves no address, and without an account nothing tells whose the sessions are: but for the browser's own.
  const isUntold = accounts.length === 0 || accounts.some(isKey)
  return isUntold && String(await currentId()) !== String(user.id)
}

const isKey = ({ type }: AdapterAccount): boolean => type === "webauthn"

/** A key without its account signs nobody in, but would stand in the way of its device's next one. */
async function dropKeys(gone: readonly AdapterAccount[], user: AdapterUser, store: AccountStore): Promise<void> {
  const ids = new Set(gone.filter(isKey).map(({ providerAccountId }) => providerAccountId))
  if (ids.size === 0) return
  for (const { credentialID, providerAccountId } of (await store.listAuthenticatorsByUserId?.(user.id)) ?? [])
    if (ids.has(providerAccountId)) await store.deleteAuthenticator?.(credentialID)
}

/** The account's own id_token. With plain OAuth its signature was not checked: it came from the provider, over TLS. */
function claimsOf({ id_token }: AdapterAccount): Record<string, unknown> | undefined {
  const payload = typeof id_token === "string" ? id_token.split(".")[1] : undefined
  if (!payload) return undefined
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"))
    return isPlainObject(claims) ? claims : undefined
  } catch {
    return undefined
  }
}

/** Does the account's provider say that it has not proved the address? As text too: nobody says that by mistake. */
const deniesAddress = (account: AdapterAccount): boolean => String(claimsOf(account)?.["email_verified"]) === "false"

/** Does the account's provider say, in its own way, that it has proved this very address? */
function proves(account: AdapterAccount, { email }: AdapterUser, { providers }: Runtime): boolean {
  const claims = claimsOf(account)
  if (typeof claims?.["email"] !== "string" || spelling(claims["email"]) !== spelling(email)) return false
  const { isEmailVerified } = providers.get(account.provider)?.provider ?? {}
  if (!isEmailVerified) return claims["email_verified"] === true
  try {
    return isEmailVerified(claims)
  } catch {
    // A function of the application's that was written for what userinfo answers.
    return false
  }
}
