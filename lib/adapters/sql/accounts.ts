import type { OwnAdapter } from "../adapter.js"
import { fromAccount, toAccount } from "./rows.js"
import type { Store } from "./store.js"
import { takeRow } from "./take.js"

type AccountMethods = Pick<OwnAdapter, "linkAccount" | "unlinkAccount" | "getAccount" | "listAccountsByUserId">

/** The accounts that users sign in with. */
export function accountMethods(store: Store): AccountMethods {
  const { db, names } = store
  const select = (provider: string, id: string) =>
    db
      .selectFrom(names.accounts)
      .selectAll()
      .where("provider", "=", String(provider))
      .where("provider_account_id", "=", String(id))

  return {
    async linkAccount(account) {
      const row = fromAccount(account)
      await db.insertInto(names.accounts).values(row).execute()
      return toAccount(row)
    },

    async unlinkAccount({ provider, providerAccountId }) {
      const remove = db
        .deleteFrom(names.accounts)
        .where("provider", "=", String(provider))
        .where("provider_account_id", "=", String(providerAccountId))
      const row = await takeRow({ select: select(provider, providerAccountId), remove }, store)
      return row && toAccount(row)
    },

    async getAccount(providerAccountId, provider) {
      const row = await select(provider, providerAccountId).executeTakeFirst()
      return row ? toAccount(row) : null
    },

    async listAccountsByUserId(userId) {
      const query = db.selectFrom(names.accounts).selectAll().where("user_id", "=", String(userId))
      const rows = await query.orderBy("provider").orderBy("provider_account_id").execute()
      // A list of our own: a driver's may come from another realm, under Jest, and equal no other.
      return Array.from(rows, toAccount)
    },
  }
}
