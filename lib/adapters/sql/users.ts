import { randomUUID } from "node:crypto"
import type { AdapterAccount, AdapterUser, OwnAdapter } from "../adapter.js"
import { type OwnColumns, ownValues } from "./own-columns.js"
import { fromUser, toUser } from "./rows.js"
import type { Store } from "./store.js"

type UserMethods = Pick<
  OwnAdapter,
  "createUser" | "getUser" | "getUserByEmail" | "getUserByAccount" | "updateUser" | "deleteUser"
>

/** Users, with the columns that the application has added to them. */
export class Users implements UserMethods {
  readonly #store: Store
  readonly #ownColumns: OwnColumns

  constructor(store: Store, ownColumns: OwnColumns) {
    this.#store = store
    this.#ownColumns = ownColumns
  }

  async createUser(user: AdapterUser): Promise<AdapterUser> {
    const { db, names } = this.#store
    // An application that creates users itself may leave the id to the store.
    const id = user.id ? String(user.id) : randomUUID()
    const values = { ...(await this.#valuesOf(user)), id }
    await db.insertInto(names.users).values(values).execute()
    return this.#require(id)
  }

  getUser(id: string): Promise<AdapterUser | null> {
    return this.#findBy("id", id)
  }

  getUserByEmail(email: string): Promise<AdapterUser | null> {
    return this.#findBy("email", email)
  }

  async getUserByAccount(account: Pick<AdapterAccount, "provider" | "providerAccountId">): Promise<AdapterUser | null> {
    const { db, names } = this.#store
    const row = await db
      .selectFrom(`${names.accounts} as a`)
      .innerJoin(`${names.users} as u`, "u.id", "a.user_id")
      .selectAll("u")
      .where("a.provider", "=", String(account.provider))
      .where("a.provider_account_id", "=", String(account.providerAccountId))
      .executeTakeFirst()
    return row ? toUser(row) : null
  }

  async updateUser(user: Partial<AdapterUser> & Pick<AdapterUser, "id">): Promise<AdapterUser> {
    const { db, names } = this.#store
    const change = await this.#valuesOf(user)
    if (Object.keys(change).length > 0)
      await db.updateTable(names.users).set(change).where("id", "=", String(user.id)).execute()
    return this.#require(user.id)
  }

  async deleteUser(id: string): Promise<void> {
    const { db, names } = this.#store
    await db.deleteFrom(names.users).where("id", "=", String(id)).execute()
  }

  /** Our columns come last: no field of a profile takes their place. */
  async #valuesOf(user: Partial<AdapterUser>) {
    return { ...(await ownValues(user, this.#ownColumns, this.#store)), ...fromUser(user) }
  }

  async #findBy(column: "id" | "email", value: string): Promise<AdapterUser | null> {
    const { db, names } = this.#store
    const query = db.selectFrom(names.users).selectAll().where(column, "=", String(value))
    const row = await query.executeTakeFirst()
    return row ? toUser(row) : null
  }

  async #require(id: string): Promise<AdapterUser> {
    const user = await this.getUser(id)
    if (!user) throw new Error(`there is no user with the id ${JSON.stringify(id)}`)
    return user
  }
}
