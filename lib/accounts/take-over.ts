import type { AdapterAccount, AdapterUser } from "../adapters/adapter.js"
import type { Runtime } from "../runtime.js"
import type { AccountStore } from "./store.js"

interface Context {
  readonly store: AccountStore
  readonly runtime: Runtime
}

/** Notes that a user has proved the address. */
export async function takeOver(user: AdapterUser, { store, runtime }: Context): Promise<AdapterUser> {
  if (!user.emailVerified) await dropStrangers(user, { store, runtime })
  const emailVerified = new Date(runtime.now())
  // Some stores give nothing back.
  const stored: AdapterUser | undefined = await store.updateUser({ id: user.id, emailVerified })
  const updated = { ...user, ...stored, emailVerified }
  await runtime.emit("updateUser", { user: updated })
  return updated
}

/**
 * Somebody may have registered the address at a careless provider, signed in with it here, and waited for its owner:
 * accounts whose own provider says that it had not proved the address lose the user, and so does whoever is signed in
 * ("pre-hijacking", Sudhodanan and Paverd 2022).
 */
async function dropStrangers(user: AdapterUser, { store, runtime }: Context): Promise<void> {
  const accounts = (await store.listAccountsByUserId?.(user.id)) ?? []
  const strangers = accounts.filter(isUnproved)
  if (strangers.length === 0) return
  for (const { provider, providerAccountId } of strangers) await store.unlinkAccount?.({ provider, providerAccountId })
  await store.deleteSessionsByUserId?.(user.id)
  const providers = [...new Set(strangers.map(({ provider }) => provider))].join(", ")
  runtime.logger.warn(
    "accounts-unlinked",
    `user ${user.id} proved an address that accounts had which their provider (${providers}) never proved: they were unlinked, and the user's sessions ended`,
  )
}

/** Does the account's own id_token say that the address is not proved? It was verified when it was stored. */
function isUnproved({ id_token }: AdapterAccount): boolean {
  const payload = typeof id_token === "string" ? id_token.split(".")[1] : undefined
  if (!payload) return false
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"))
    const flag: unknown = Reflect.get(Object(claims), "email_verified")
    return flag === false || flag === "false"
  } catch {
    return false
  }
}
