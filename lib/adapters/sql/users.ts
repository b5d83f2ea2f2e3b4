import type { OwnAdapter } from "../adapter.js"
import { type OwnColumns, ownValues } from "./own-columns.js"
import { fromUser, toUser } from "./rows.js"
import type { Store } from "./store.js"

type UserMethods = Pick<
  OwnAdapter,
  "createUser" | "getUser" | "getUserByEmail" | "getUserByAccount" | "updateUser" | "deleteUser"
>

/** Users, with the columns that the application has added to them. */
export function userMethods(store: Store, ownColumns: OwnColumns): UserMethods {
  const { db, names } = store
  const byId = (id: string) => db.selectFrom(names.users).selectAll().where("id", "=", String(id)).executeTakeFirst()

  const requireUser = async (id: string) => {
    const row = await byId(id)
    if (!row) throw new Error(`there is no user with the id ${JSON.stringify(id)}`)
    return toUser(row)
  }

  return {
    async createUser(user) {
      const values = { ...(await ownValues(user, ownColumns, store)), ...fromUser(user), id: String(user.id) }
      await db.insertInto(names.users).values(values).execute()
      return requireUser(user.id)
    },

    async getUser(id) {
      const row = await byId(id)
      return row ? toUser(row) : null
    },

    async getUserByEmail(email) {
      const query = db.selectFrom(names.users).selectAll().where("email", "=", String(email))
      const row = await query.executeTakeFirst()
      return row ? toUser(row) : null
    },

    async getUserByAccount({ provider, providerAccountId }) {
      const row = await db
        .selectFrom(`${names.accounts} as a`)
        .innerJoin(`${names.users} as u`, "u.id", "a.user_id")
        .selectAll("u")
        .where("a.provider", "=", String(provider))
        .where("a.provider_account_id", "=", String(providerAccountId))
        .executeTakeFirst()
      return row ? toUser(row) : null
    },

    async updateUser(user) {
      const change = { ...(await ownValues(user, ownColumns, store)), ...fromUser(user) }
      if (Object.keys(change).length > 0)
        await db.updateTable(names.users).set(change).where("id", "=", String(user.id)).execute()
      return requireUser(user.id)
    },

    async deleteUser(id) {
      await db.deleteFrom(names.users).where("id", "=", String(id)).execute()
    },
  }
}
