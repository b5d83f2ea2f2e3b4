import type { BuiltInAdapter } from "../adapter.js"
import { deleteReturning } from "./delete-returning.js"
import { PARAM, readAll, readFirst } from "./read.js"
import { fromAccount, fromAccountChange, toAccount } from "./rows.js"
import type { SqlConnection } from "./tables.js"

type AccountMethods = Pick<
  BuiltInAdapter,
  "linkAccount" | "unlinkAccount" | "updateAccount" | "getAccount" | "listAccountsByUserId"
>

const selectAccount = ({ db, names }: SqlConnection) =>
  db.selectFrom(names.accounts).selectAll().where("provider", "=", PARAM).where("provider_account_id", "=", PARAM)

const selectAccounts = ({ db, names }: SqlConnection) =>
  db
    .selectFrom(names.accounts)
    .selectAll()
    .where("user_id", "=", PARAM)
    .orderBy("provider")
    .orderBy("provider_account_id")

/** Returns the account methods of the adapter, which run on this connection. */
export function accountMethods(connection: SqlConnection): AccountMethods {
  const { db, names } = connection
  return {
    async linkAccount(account) {
      const row = fromAccount(account)
      await db.insertInto(names.accounts).values(row).execute()
      return toAccount(row)
    },
    async updateAccount(account) {
      const [provider, id, userId] = [account.provider, account.providerAccountId, account.userId].map(String)
      const stored = await readFirst(selectAccount, [String(provider), String(id)], connection)
      if (!stored || stored.user_id !== userId) return null
      const change = fromAccountChange(account, stored)
      await db
        .updateTable(names.accounts)
        .set(change)
        .where("provider", "=", stored.provider)
        .where("provider_account_id", "=", stored.provider_account_id)
        .where("user_id", "=", stored.user_id)
        .execute()
      return toAccount({ ...stored, ...change })
    },
    async unlinkAccount(account) {
      const [provider, id] = [String(account.provider), String(account.providerAccountId)]
      const remove = db
        .deleteFrom(names.accounts)
        .where("provider", "=", provider)
        .where("provider_account_id", "=", id)
      const read = () => readFirst(selectAccount, [provider, id], connection)
      const row = await deleteReturning({ read, remove }, connection)
      return row && toAccount(row)
    },
    async getAccount(providerAccountId, provider) {
      const row = await readFirst(selectAccount, [String(provider), String(providerAccountId)], connection)
      return row ? toAccount(row) : null
    },
    async listAccountsByUserId(userId) {
      const rows = await readAll(selectAccounts, [String(userId)], connection)
      // A new array: under Jest, the driver's array may be of another realm, so that `toEqual` would fail.
      return Array.from(rows, toAccount)
    },
  }
}
