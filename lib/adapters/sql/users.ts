import { randomUUID } from "node:crypto"
import type { ExpressionBuilder } from "kysely"
import type { AdapterAccount, AdapterUser, OwnAdapter } from "../adapter.js"
import { type OwnColumns, ownValues } from "./own-columns.js"
import { type Build, PARAM, readFirst } from "./read.js"
import { fromUser, toUser } from "./rows.js"
import type { SqlConnection, Tables, UserRow } from "./tables.js"

type UserMethods = Pick<
  OwnAdapter,
  "createUser" | "getUser" | "getUserByEmail" | "getUserByAccount" | "updateUser" | "lockUser" | "deleteUser"
>

const selectById = ({ db, names }: SqlConnection) => db.selectFrom(names.users).selectAll().where("id", "=", PARAM)

/** A transaction on SQLite holds the write lock from its start. */
const selectLocked = (connection: SqlConnection) =>
  connection.dialect === "sqlite" ? selectById(connection) : selectById(connection).forUpdate()

const selectByEmail = ({ db, names }: SqlConnection) =>
  db.selectFrom(names.users).selectAll().where("email", "=", PARAM)

const selectByAccount = ({ db, names }: SqlConnection) =>
  db
    .selectFrom(`${names.accounts} as a`)
    .innerJoin(`${names.users} as u`, "u.id", "a.user_id")
    .selectAll("u")
    .where("a.provider", "=", PARAM)
    .where("a.provider_account_id", "=", PARAM)

/** The time of verification if the address stays the same, otherwise null. */
const ifSameEmail = (email: string | null | undefined, sql: ExpressionBuilder<Tables, "users">) =>
  sql
    .case()
    .when("email", "=", email ?? null)
    .then(sql.ref("email_verified"))
    .else(null)
    .end()

/** Users, including the columns added by the application. */
export class Users implements UserMethods {
  readonly #connection: SqlConnection
  readonly #ownColumns: OwnColumns

  constructor(connection: SqlConnection, ownColumns: OwnColumns) {
    this.#connection = connection
    this.#ownColumns = ownColumns
  }

  async createUser(user: AdapterUser): Promise<AdapterUser> {
    const { db, names } = this.#connection
    // An application that creates users itself can omit the id.
    const id = user.id ? String(user.id) : randomUUID()
    const values = { ...(await this.#toValues(user)), id }
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
    const { db, names } = this.#connection
    const change = await this.#toValues(user)
    const update = db.updateTable(names.users).where("id", "=", String(user.id))
    const resetsVerification = change.email !== undefined && change.email_verified === undefined
    // MySQL evaluates assignments in order, so the address is compared before it changes.
    const columns = resetsVerification
      ? update.set((sql) => ({ email_verified: ifSameEmail(change.email, sql) }))
      : update
    if (Object.keys(change).length > 0) await columns.set(change).execute()
    return this.#require(user.id)
  }

  lockUser(id: string): Promise<AdapterUser | null> {
    return this.#find(selectLocked, id)
  }

  async deleteUser(id: string): Promise<void> {
    const { db, names } = this.#connection
    await db.deleteFrom(names.users).where("id", "=", String(id)).execute()
  }

  /** The adapter's columns come last, so that no profile field overrides them. */
  async #toValues(user: Partial<AdapterUser>) {
    return { ...(await ownValues(user, this.#ownColumns, this.#connection)), ...fromUser(user) }
  }

  async #find(select: Build<UserRow>, ...given: readonly string[]): Promise<AdapterUser | null> {
    const row = await readFirst(select, given.map(String), this.#connection)
    return row ? toUser(row) : null
  }

  async #require(id: string): Promise<AdapterUser> {
    const user = await this.getUser(id)
    if (!user) throw new Error(`there is no user with the id ${JSON.stringify(id)}`)
    return user
  }
}
