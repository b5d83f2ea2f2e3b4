import type { AdapterAccount, OwnAdapter } from "../adapter.js"
import { deleteReturning } from "./delete-returning.js"
import { PARAM, readAll, readFirst } from "./read.js"
import { fromAccount, fromAccountChange, toAccount } from "./rows.js"
import type { SqlConnection } from "./tables.js"

type AccountMethods = Pick<
  OwnAdapter,
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

/** The accounts that users sign in with. */
export class Accounts implements AccountMethods {
  readonly #connection: SqlConnection

  constructor(connection: SqlConnection) {
    this.#connection = connection
  }

  async linkAccount(account: AdapterAccount): Promise<AdapterAccount> {
    const { db, names } = this.#connection
    const row = fromAccount(account)
    await db.insertInto(names.accounts).values(row).execute()
    return toAccount(row)
  }

  async updateAccount(account: AdapterAccount): Promise<AdapterAccount | null> {
    const { db, names } = this.#connection
    const [provider, id, userId] = [account.provider, account.providerAccountId, account.userId].map(String)
    const stored = await readFirst(selectAccount, [String(provider), String(id)], this.#connection)
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
  }

  async unlinkAccount(
    account: Pick<AdapterAccount, "provider" | "providerAccountId">,
  ): Promise<AdapterAccount | undefined> {
    const { db, names } = this.#connection
    const [provider, id] = [String(account.provider), String(account.providerAccountId)]
    const remove = db.deleteFrom(names.accounts).where("provider", "=", provider).where("provider_account_id", "=", id)
    const row = await deleteReturning(
      { read: () => readFirst(selectAccount, [provider, id], this.#connection), remove },
      this.#connection,
    )
    return row && toAccount(row)
  }

  async getAccount(providerAccountId: string, provider: string): Promise<AdapterAccount | null> {
    const row = await readFirst(selectAccount, [String(provider), String(providerAccountId)], this.#connection)
    return row ? toAccount(row) : null
  }

  async listAccountsByUserId(userId: string): Promise<AdapterAccount[]> {
    const rows = await readAll(selectAccounts, [String(userId)], this.#connection)
    // A new array: under Jest the driver's array may come from another realm, and `toEqual` would fail.
    return Array.from(rows, toAccount)
  }
}
