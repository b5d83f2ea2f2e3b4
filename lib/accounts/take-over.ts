import type { AdapterAccount, AdapterUser } from "../adapters/adapter.js"
import type { Runtime } from "../runtime.js"
import type { SessionCookies } from "../sessions/session.js"
import type { AccountStore } from "./store.js"

interface Context {
  readonly store: AccountStore
  /** The one in which the address is proved. */
  readonly browser: SessionCookies
  readonly runtime: Runtime
}

/** Notes that a user has proved the address. */
export async function takeOver(user: AdapterUser, { store, browser, runtime }: Context): Promise<AdapterUser> {
  if (!user.emailVerified) await dropStrangers(user, { store, browser, runtime })
  const emailVerified = new Date(runtime.now())
  // Some stores give nothing back.
  const stored: AdapterUser | undefined = await store.updateUser({ id: user.id, emailVerified })
  const updated = { ...user, ...stored, emailVerified }
  await runtime.emit("updateUser", { user: updated })
  return updated
}

/**
 * Somebody may have registered the address at a careless provider, or with a passkey, signed in with it here, and waited
 * for its owner: once an account's own provider says that it had not proved the address, or there is a passkey of
 * somebody else than who opens the link, every account that does not prove it loses the user, and so does whoever is
 * signed in ("pre-hijacking", Sudhodanan and Paverd 2022).
 */
async function dropStrangers(user: AdapterUser, { store, browser, runtime }: Context): Promise<void> {
  const accounts = (await store.listAccountsByUserId?.(user.id)) ?? []
  const isDoubtful =
    accounts.some((account) => claimsOf(account)?.isVerified === false) ||
    (accounts.some(isKey) && String(await runtime.sessions.currentUserId(browser)) !== String(user.id))
  if (!isDoubtful) return
  // Whoever came first may have linked others besides: what does not prove this very address goes too.
  const strangers = accounts.filter((account) => !proves(account, user.email))
  for (const { provider, providerAccountId } of strangers) await store.unlinkAccount?.({ provider, providerAccountId })
  await dropKeys(strangers, user, store)
  await store.deleteSessionsByUserId?.(user.id)
  const providers = [...new Set(strangers.map(({ provider }) => provider))].join(", ")
  runtime.logger.warn(
    "accounts-unlinked",
    `user ${user.id} proved an address that was never proved before: accounts that do not prove it (${providers}) were unlinked, and the user's sessions ended`,
  )
}

const isKey = ({ type }: AdapterAccount): boolean => type === "webauthn"

/** A key without its account signs nobody in, but would stand in the way of its device's next one. */
async function dropKeys(gone: readonly AdapterAccount[], user: AdapterUser, store: AccountStore): Promise<void> {
  const ids = new Set(gone.filter(isKey).map(({ providerAccountId }) => providerAccountId))
  if (ids.size === 0) return
  for (const { credentialID, providerAccountId } of (await store.listAuthenticatorsByUserId?.(user.id)) ?? [])
    if (ids.has(providerAccountId)) await store.deleteAuthenticator?.(credentialID)
}

interface AddressClaims {
  readonly email: unknown
  /** Undefined where the provider says nothing. */
  readonly isVerified: boolean | undefined
}

/** What the account's own id_token says of the address; it was verified when it was stored. */
function claimsOf({ id_token }: AdapterAccount): AddressClaims | undefined {
  const payload = typeof id_token === "string" ? id_token.split(".")[1] : undefined
  if (!payload) return undefined
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"))
    const flag = String(Reflect.get(Object(claims), "email_verified"))
    const isVerified = flag === "true" || (flag === "false" ? false : undefined)
    return { email: Reflect.get(Object(claims), "email"), isVerified }
  } catch {
    return undefined
  }
}

function proves(account: AdapterAccount, email: string): boolean {
  const claims = claimsOf(account)
  return claims?.isVerified === true && String(claims.email).toLowerCase() === email.toLowerCase()
}
