/**
 * Reads and removes the provider tokens in the accounts table.
 *
 * @module
 */
import { type AdapterAccount, TOKEN_MEMBERS } from "../adapter.js"
import { toAccount } from "./rows.js"
import type { SqlConnection } from "./tables.js"

const PAGE_SIZE = 500
const NO_TOKENS = { access_token: null, refresh_token: null, id_token: null }

type AccountKey = Pick<AdapterAccount, "provider" | "providerAccountId">

/**
 * Reads the next page of accounts with tokens. The page is ordered by primary key, and begins after the key `after`.
 */
async function readPage({ db, names }: SqlConnection, after: AccountKey | undefined): Promise<AdapterAccount[]> {
  const query = db
    .selectFrom(names.accounts)
    .selectAll()
    .where((is) => is.or(TOKEN_MEMBERS.map((name) => is(name, "is not", null))))
    .orderBy("provider")
    .orderBy("provider_account_id")
    .limit(PAGE_SIZE)
  const { provider = "", providerAccountId = "" } = after ?? {}
  const rows = await query
    .where((is) =>
      is.or([
        is("provider", ">", provider),
        is.and([is("provider", "=", provider), is("provider_account_id", ">", providerAccountId)]),
      ]),
    )
    .execute()
  return Array.from(rows, toAccount)
}

/** Runs the work on the connection of the current transaction or, outside of a transaction, of the database. */
type WithConnection = <T>(work: (connection: SqlConnection) => Promise<T>) => Promise<T>

/** Yields all accounts with tokens, page by page. */
export async function* listAccountsWithTokens(withConnection: WithConnection): AsyncGenerator<AdapterAccount[]> {
  let after: AccountKey | undefined
  do {
    const page = await withConnection((connection) => readPage(connection, after))
    if (page.length > 0) yield page
    after = page.at(-1)
  } while (after)
}

/**
 * Removes the tokens of an account, unless one of them has changed since `account` was read. Returns the stored
 * account, or null if the user has no such account.
 */
export async function removeAccountTokens(
  account: AdapterAccount,
  { db, names }: SqlConnection,
): Promise<AdapterAccount | null> {
  const [provider, id, userId] = [account.provider, account.providerAccountId, account.userId].map(String)
  const removeIfUnchanged = TOKEN_MEMBERS.reduce((update, name) => {
    const value = account[name]
    return typeof value === "string" ? update.where(name, "=", value) : update.where(name, "is", null)
  }, db.updateTable(names.accounts).set(NO_TOKENS))
  await removeIfUnchanged
    .where("provider", "=", String(provider))
    .where("provider_account_id", "=", String(id))
    .where("user_id", "=", String(userId))
    .execute()
  const row = await db
    .selectFrom(names.accounts)
    .selectAll()
    .where("provider", "=", String(provider))
    .where("provider_account_id", "=", String(id))
    .where("user_id", "=", String(userId))
    .executeTakeFirst()
  return row ? toAccount(row) : null
}
