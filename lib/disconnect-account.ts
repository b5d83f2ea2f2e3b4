import { accountAdapter } from "./accounts/account-adapter.js"
import { withLockedUser } from "./accounts/apply.js"
import { endOtherSessions } from "./accounts/end-other-sessions.js"
import type { Adapter, AdapterAccount, AdapterUser } from "./adapters/adapter.js"
import type { AuthConfig } from "./config/auth-config.js"
import { BadRequest, MissingAdapterMethods } from "./errors/errors.js"
import { type Runtime, requireRuntime } from "./runtime/runtime.js"

/** The account to disconnect. */
export interface DisconnectedAccount {
  /** The provider's id, for example "github". */
  readonly provider: string
  /** The user's id at the provider. */
  readonly providerAccountId: string
}

const METHODS = ["getUser", "listAccountsByUserId", "unlinkAccount"] as const

function requireMethods(adapter: Adapter | undefined): asserts adapter is Adapter & Required<Pick<Adapter, "getUser">> {
  const missing = METHODS.filter((name) => !adapter?.[name])
  if (missing.length > 0)
    throw new MissingAdapterMethods(`the adapter lacks ${missing.join(", ")}, which disconnectAccount needs`)
}

/**
 * True if the user can sign in without one of the accounts: with another one, by an email link, or perhaps with a
 * password, of which only the application knows.
 */
function canSignInWith(others: readonly AdapterAccount[], { email, emailVerified }: AdapterUser, runtime: Runtime) {
  if (others.some(({ provider }) => runtime.providers.has(provider))) return true
  const kinds = [...runtime.providers.values()].map(({ method }) => method.needs.account)
  return kinds.includes("external") || (Boolean(email && emailVerified) && kinds.includes("address"))
}

const isSameAccount = (one: DisconnectedAccount, other: DisconnectedAccount): boolean =>
  one.provider === other.provider && one.providerAccountId === other.providerAccountId

/**
 * True if the user has the account.
 *
 * @throws BadRequest if the user could no longer sign in without it
 */
async function mayDisconnect(
  account: DisconnectedAccount,
  { adapter, user, runtime }: { adapter: Pick<Adapter, "listAccountsByUserId">; user: AdapterUser; runtime: Runtime },
): Promise<boolean> {
  const accounts = (await adapter.listAccountsByUserId?.(user.id)) ?? []
  const others = accounts.filter((one) => !isSameAccount(one, account))
  if (others.length === accounts.length) return false
  if (canSignInWith(others, user, runtime)) return true
  throw new BadRequest("the user has no other account to sign in with")
}

/**
 * Disconnects an account from a user, who can then no longer sign in with it. The account's tokens are deleted, and
 * revoked at the provider if it has an endpoint for that (RFC 7009). With a store, the user's sessions end, unless
 * `session.keepOnFactorChange` is set. Resolves to false if the user has no such account. Its tokens are then
 * deleted and the sessions end as well, so that a call can be repeated after a failure.
 *
 * @param config the same object as for the middleware
 * @param userId the user's id in the adapter
 * @param options `except`: the id of a session that continues, such as `req.auth.sessionId`
 * @throws BadRequest if the user could no longer sign in; AdapterError (status 503) if the adapter or the store fails;
 * MissingAdapterMethods; ConfigurationError
 * @example
 * // sameOrigin: "Forms of your own" in docs/express.md
 * app.post("/disconnect", sameOrigin, requireAuth, (req, res, next) => {
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
  // If the store fails, nothing has changed yet.
  if (await mayDisconnect(account, { adapter, user, runtime })) await endSessions()
  const isUnlinked = await withLockedUser(user, { runtime, adapter: accountAdapter(adapter) }, async (locked) => {
    if (!(await mayDisconnect(account, { adapter: locked.adapter, user, runtime }))) return false
    await locked.adapter.unlinkAccount?.(account)
    return true
  })
  // Also if the user has no such account: the store may have failed in an earlier call, after the account was unlinked.
  await tokens?.remove(String(user.id), account)
  await endSessions()
  return isUnlinked
}
