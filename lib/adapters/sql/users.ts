import { randomUUID } from "node:crypto"
import type { ExpressionBuilder } from "kysely"
import type { AdapterAccount, AdapterUser, OwnAdapter } from "../adapter.js"
import { type OwnColumns, ownValues } from "./own-columns.js"
import { type Build, GIVEN, readFirst } from "./read.js"
import { fromUser, toUser } from "./rows.js"
import type { Store } from "./store.js"
import type { Tables, UserRow } from "./tables.js"

type UserMethods = Pick<
  OwnAdapter,
  "createUser" | "getUser" | "getUserByEmail" | "getUserByAccount" | "updateUser" | "lockUser" | "deleteUser"
>

const selectById = ({ db, names }: Store) => db.selectFrom(names.users).selectAll().where("id", "=", GIVEN)

/** A transaction on SQLite holds the lock for writing from its beginning. */
const selectLocked = (store: Store) => (store.dialect === "sqlite" ? selectById(store) : selectById(store).forUpdate())

const selectByEmail = ({ db, names }: Store) => db.selectFrom(names.users).selectAll().where("email", "=", GIVEN)

const selectByAccount = ({ db, names }: Store) =>
  db
    .selectFrom(`${names.accounts} as a`)
    .innerJoin(`${names.users} as u`, "u.id", "a.user_id")
    .selectAll("u")
    .where("a.provider", "=", GIVEN)
    .where("a.provider_account_id", "=", GIVEN)

/** The time of the proof if the address stays the same, else null. */
const ifSameEmail = (email: string | null | undefined, sql: ExpressionBuilder<Tables, "users">) =>
  sql
    .case()
    .when("email", "=", email ?? null)
    .then(sql.ref("email_verified"))
    .else(null)
    .end()

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
    return this.#find(selectById, id)
  }

  getUserByEmail(email: string): Promise<AdapterUser | null> {
    return this.#find(selectByEmail, email)
  }

  getUserByAccount(account: Pick<AdapterAccount, "provider" | "providerAccountId">): Promise<AdapterUser | null> {
    return this.#find(selectByAccount, account.provider, account.providerAccountId)
  }

  async updateUser(user: Partial<AdapterUser> & Pick<AdapterUser, "id">): Promise<AdapterUser> {
    const { db, names } = this.#store
    const change = await this.#valuesOf(user)
    const update = db.updateTable(names.users).where("id", "=", String(user.id))
    const isUnproved = change.email !== undefined && change.email_verified === undefined
    // MySQL assigns in this order: the address is compared before it changes.
    const columns = isUnproved ? update.set((sql) => ({ email_verified: ifSameEmail(change.email, sql) })) : update
    if (Object.keys(change).length > 0) await columns.set(change).execute()
    return this.#require(user.id)
  }

  lockUser(id: string): Promise<AdapterUser | null> {
    return this.#find(selectLocked, id)
  }

  async deleteUser(id: string): Promise<void> {
    const { db, names } = this.#store
    await db.deleteFrom(names.users).where("id", "=", String(id)).execute()
  }

  /** Our columns come last: no field of a profile takes their place. */
  async #valuesOf(user: Partial<AdapterUser>) {
    return { ...(await ownValues(user, this.#ownColumns, this.#store)), ...fromUser(user) }
  }

  async #find(select: Build<UserRow>, ...given: readonly string[]): Promise<AdapterUser | null> {
    const row = await readFirst(select, given.map(String), this.#store)
    return row ? toUser(row) : null
  }

  async #require(id: string): Promise<AdapterUser> {
    const user = await this.getUser(id)
    if (!user) throw new Error(`there is no user with the id ${JSON.stringify(id)}`)
    return user
  }
}
