import { accountAdapter } from "./accounts/account-adapter.js"
import { withLockedUser } from "./accounts/apply.js"
import { endOtherSessions } from "./accounts/end-other-sessions.js"
import type { Adapter, AdapterAccount, AdapterUser } from "./adapters/adapter.js"
import type { AuthConfig } from "./config/auth-config.js"
import { BadRequest, MissingAdapterMethods } from "./errors/errors.js"
import { type Runtime, requireRuntime } from "./runtime/runtime.js"

/** Identifies the account that `disconnectAccount` disconnects. */
export interface DisconnectedAccount {
  /** The provider's id, for example "github". */
  readonly provider: string
  /** The user's id at the provider. */
  readonly providerAccountId: string
}

const REQUIRED_METHODS = ["getUser", "listAccountsByUserId", "unlinkAccount"] as const

function requireMethods(adapter: Adapter | undefined): asserts adapter is Adapter & Required<Pick<Adapter, "getUser">> {
  const missing = REQUIRED_METHODS.filter((name) => !adapter?.[name])
  if (missing.length > 0)
    throw new MissingAdapterMethods(`the adapter lacks ${missing.join(", ")}, which disconnectAccount needs`)
}

/**
 * True if the user can sign in with the remaining accounts or by an email link. Also true if there is a credentials
 * provider: the user may have a password, which only the application can check.
 */
function canSignInWith(accounts: readonly AdapterAccount[], { email, emailVerified }: AdapterUser, runtime: Runtime) {
  if (accounts.some(({ provider }) => runtime.providers.has(provider))) return true
  const accountKinds = [...runtime.providers.values()].map(({ method }) => method.needs.account)
  return accountKinds.includes("external") || (Boolean(email && emailVerified) && accountKinds.includes("address"))
}

const isSameAccount = (a: DisconnectedAccount, b: DisconnectedAccount): boolean =>
  a.provider === b.provider && a.providerAccountId === b.providerAccountId

/**
 * True if the account belongs to the user and can be disconnected; false if the user has no such account.
 *
 * @throws BadRequest if the user could not sign in without the account
 */
async function mayDisconnect(
  account: DisconnectedAccount,
  { adapter, user, runtime }: { adapter: Pick<Adapter, "listAccountsByUserId">; user: AdapterUser; runtime: Runtime },
): Promise<boolean> {
  const accounts = (await adapter.listAccountsByUserId?.(user.id)) ?? []
  const remaining = accounts.filter((candidate) => !isSameAccount(candidate, account))
  if (remaining.length === accounts.length) return false
  if (canSignInWith(remaining, user, runtime)) return true
  throw new BadRequest("the user has no other account to sign in with")
}

/**
 * Disconnects an account from a user, who can then no longer sign in with it. Deletes the account's tokens, and revokes
 * them at the provider if the provider has a revocation endpoint (RFC 7009). With a store, the user's sessions end,
 * unless `session.keepOnFactorChange` is set or `session.revocable` is false. With `secondFactor`, the user's trusted
 * browsers are no longer trusted.
 *
 * Resolves to true if the account was disconnected, and to false if the user has no such account. In both cases the
 * tokens are deleted and the sessions end, so the call can be repeated after a failure.
 *
 * @param config the same object as for the middleware
 * @param userId the user's id in the adapter
 * @param options `except`: the id of a session that does not end, such as `req.auth.sessionId`
 * @throws BadRequest if the user could not sign in without the account; AdapterError (status 503) if the adapter or the
 * store fails; MissingAdapterMethods if the adapter lacks `getUser`, `listAccountsByUserId` or `unlinkAccount`;
 * TypeError if the adapter has no user with this id; ConfigurationError
 * @example
 * // sameOrigin: "Forms of your own" in docs/express.md
 * app.post("/disconnect", sameOrigin, requireAuth({ freshWithin: "10m" }), (req, res, next) => {
 *   const { owner, sessionId } = req.auth
 *   const account = { provider: req.body.provider, providerAccountId: req.body.id }
 *   disconnectAccount(config, owner, account, { except: sessionId }).then(() => res.redirect("/account"), next)
 * })
 */
export async function disconnectAccount(
  config: AuthConfig,
  userId: string | undefined,
  { provider, providerAccountId }: DisconnectedAccount,
  { except }: { readonly except?: string | undefined } = {},
): Promise<boolean> {
  const runtime = requireRuntime(config)
  const { adapter, tokens } = runtime
  requireMethods(adapter)
  const user = userId === undefined || userId === "" ? null : await adapter.getUser(userId)
  if (!user) throw new TypeError(`the adapter has no user ${JSON.stringify(userId)}. Pass req.auth.owner`)
  const account = { provider, providerAccountId }
  const endSessions = () => endOtherSessions(String(user.id), except, runtime)
  // Ends the sessions first: if the store fails, the account is still connected.
  if (await mayDisconnect(account, { adapter, user, runtime })) await endSessions()
  const isUnlinked = await withLockedUser(user, { runtime, adapter: accountAdapter(adapter) }, async (locked) => {
    if (!(await mayDisconnect(account, { adapter: locked.adapter, user, runtime }))) return false
    await locked.adapter.unlinkAccount?.(account)
    return true
  })
  // Runs even if the user has no such account: an earlier call may have unlinked it before the store failed.
  await tokens?.remove(String(user.id), account)
  await endSessions()
  return isUnlinked
}
