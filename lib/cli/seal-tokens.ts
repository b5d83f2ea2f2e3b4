/**
 * Moves provider tokens from the accounts of the adapter to the store, which encrypts them.
 *
 * The tokens of an account are first written to the store and then removed from the adapter. So the command can be
 * interrupted at any time and run again, and several processes can run it at once.
 *
 * @module
 */
import { readIdTokenVerifiedEmail } from "../accounts/verified-email.js"
import type { AdapterAccount, ClearTextTokenAccess } from "../adapters/adapter.js"
import type { Runtime } from "../runtime/runtime.js"
import { sanitizeFailure } from "../security/sanitize-error.js"
import type { ProviderTokens } from "../tokens/provider-tokens.js"

/** The number of accounts for each outcome. */
export interface SealedTokens {
  /** Accounts whose tokens were moved to the store. */
  readonly moved: number
  /**
   * Accounts whose tokens were only removed from the adapter. The store already has tokens of a later sign-in or of an
   * earlier run, or the account was deleted in the meantime.
   */
  readonly removed: number
  /**
   * Accounts whose tokens stay in the adapter. Their provider has `keepTokens: false` or is not in the configuration,
   * or their tokens have changed in the meantime.
   */
  readonly skipped: number
}

type Outcome = keyof SealedTokens

const hasTokens = ({ access_token, refresh_token, id_token }: AdapterAccount): boolean =>
  Boolean(access_token || refresh_token || id_token)

const hasClearTextTokenAccess = (adapter: object): adapter is ClearTextTokenAccess =>
  ["listAccountsWithTokens", "removeAccountTokens"].every((name) => typeof Reflect.get(adapter, name) === "function")

/**
 * Returns an SQL statement for an adapter of another package. The statement removes the tokens of all providers whose
 * tokens the store keeps. The table and column names are those of Auth.js.
 */
function removalStatement({ providers }: Runtime, tokens: ProviderTokens): string {
  const storedProviders = [...providers.keys()].filter((provider) =>
    tokens.usesStore({ provider, providerAccountId: "" }),
  )
  const ids = storedProviders.map((id) => `'${id.replaceAll("'", "''")}'`).join(", ")
  return `UPDATE "Account" SET access_token = NULL, refresh_token = NULL, id_token = NULL WHERE provider IN (${ids})`
}

/** Returns the error text for an adapter that can't list its accounts: the reason, and what to do instead. */
function describeAlternative(adapter: object, runtime: Runtime, tokens: ProviderTokens): string {
  const removesTokens = typeof Reflect.get(adapter, "updateAccount") === "function"
  const next = removesTokens
    ? "The next sign-in of each user puts new tokens into the store, and removes the old ones from the adapter. To remove all of them now"
    : "The next sign-in of each user puts new tokens into the store. To remove the old ones from the adapter"
  return `the adapter can't list its accounts: it is neither SqlAdapter nor RedisAdapter. ${next}, run this statement with the name of your table: ${removalStatement(runtime, tokens)}`
}

/**
 * Returns `adapter`, from which the tokens are moved, and `tokens`, the storage to which they are moved.
 *
 * @throws Error with the fix, if the tokens can't be moved
 */
function requireStorages(runtime: Runtime): { adapter: ClearTextTokenAccess; tokens: ProviderTokens } {
  const { store, tokens } = runtime
  // Not `runtime.adapter`, which has only the methods of `Adapter` and therefore can't list accounts.
  const { adapter } = runtime.config
  if (!adapter) throw new Error("there is no adapter, so no tokens are stored in clear text")
  if (!store || !tokens)
    throw new Error(
      "there is no store for the tokens. Write { store: RedisStore(redis) }, or another store of docs/stores.md",
    )
  if (!store.durable)
    throw new Error(
      "the store does not keep its records (durable: false), so the tokens would be lost. Use SqlStore or RedisStore",
    )
  if (!hasClearTextTokenAccess(adapter)) throw new Error(describeAlternative(adapter, runtime, tokens))
  return { adapter, tokens }
}

/**
 * Copies the verified email address from the id_token to the member `verifiedEmail` of the account, because the
 * id_token is removed afterwards. Does nothing if the account already has this member.
 */
async function keepVerifiedEmail(account: AdapterAccount, runtime: Runtime): Promise<void> {
  if (typeof account.verifiedEmail === "string" || !account.id_token) return
  const { provider, providerAccountId, userId, type } = account
  const verifiedEmail = readIdTokenVerifiedEmail(account, runtime)
  // Not `runtime.adapter`, whose errors do not contain the reason.
  await runtime.config.adapter?.updateAccount?.({ provider, providerAccountId, userId, type, verifiedEmail })
}

/** Moves the tokens of one account. */
async function sealAccount(
  account: AdapterAccount,
  { adapter, tokens }: { adapter: ClearTextTokenAccess; tokens: ProviderTokens },
  runtime: Runtime,
): Promise<Outcome> {
  if (!tokens.usesStore(account)) return "skipped"
  await keepVerifiedEmail(account, runtime)
  const owner = String(account.userId)
  const isMoved = await tokens.importFromAdapter(owner, account)
  const remaining = await adapter.removeAccountTokens(account)
  if (!remaining) {
    // The user or the account was deleted in the meantime, so delete its tokens from the store too.
    if (isMoved) await tokens.remove(owner, account)
    return "removed"
  }
  // In the meantime, a process without the store has signed the user in again, so the adapter has newer tokens.
  if (hasTokens(remaining)) return "skipped"
  return isMoved ? "moved" : "removed"
}

/** Returns a copy of an adapter's error without the tokens of the account, which the error may contain. */
const withoutTokens = (error: unknown, account: AdapterAccount): Error => {
  const { err, message } = sanitizeFailure(error, [account])
  return Object.assign(err, { message })
}

/**
 * Moves the tokens of all accounts.
 *
 * @throws Error with the fix, if the configuration has no store or its adapter can't list accounts
 */
export async function sealTokens(runtime: Runtime): Promise<SealedTokens> {
  const storages = requireStorages(runtime)
  const counts = { moved: 0, removed: 0, skipped: 0 }
  for await (const page of storages.adapter.listAccountsWithTokens())
    for (const account of page) {
      const outcome = await sealAccount(account, storages, runtime).catch((error: unknown) => {
        throw withoutTokens(error, account)
      })
      counts[outcome]++
    }
  return counts
}
