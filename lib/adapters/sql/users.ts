import { randomUUID } from "node:crypto"
import type { ExpressionBuilder } from "kysely"
import type { AdapterUser, BuiltInAdapter } from "../adapter.js"
import { type BuildQuery, PARAM, readFirst } from "./read.js"
import { fromUser, toUser } from "./rows.js"
import type { SqlConnection, Tables, UserRow } from "./tables.js"
import { applicationColumnValues, type ReadUserColumns } from "./user-columns.js"

type UserMethods = Pick<
  BuiltInAdapter,
  "createUser" | "getUser" | "getUserByEmail" | "getUserByAccount" | "updateUser" | "lockUser" | "deleteUser"
>

const selectById = ({ db, names }: SqlConnection) => db.selectFrom(names.users).selectAll().where("id", "=", PARAM)

/** Selects a user and locks the row. SQLite needs no row lock, because only one transaction at a time can write. */
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

/** The new value of `email_verified`, as SQL: unchanged if the address stays the same, otherwise null. */
const ifSameEmail = (email: string | null | undefined, sql: ExpressionBuilder<Tables, "users">) =>
  sql
    .case()
    .when("email", "=", email ?? null)
    .then(sql.ref("email_verified"))
    .else(null)
    .end()

/** Returns the user methods of the adapter, which run on this connection. They also use the application's columns. */
export function userMethods(connection: SqlConnection, readUserColumns: ReadUserColumns): UserMethods {
  const { db, names } = connection

  /** Converts a user to column values. The adapter's columns come last, so that no profile field can override them. */
  const toValues = async (user: Partial<AdapterUser>) => ({
    ...(await applicationColumnValues(user, readUserColumns, connection)),
    ...fromUser(user),
  })

  async function find(select: BuildQuery<UserRow>, ...values: readonly string[]): Promise<AdapterUser | null> {
    const row = await readFirst(select, values.map(String), connection)
    return row ? toUser(row) : null
  }

  async function requireUser(id: string): Promise<AdapterUser> {
    const user = await find(selectById, id)
    if (!user) throw new Error(`there is no user with the id ${JSON.stringify(id)}`)
    return user
  }

  return {
    async createUser(user) {
      // An application that creates users itself can omit the id.
      const id = user.id ? String(user.id) : randomUUID()
      const values = { ...(await toValues(user)), id }
      await db.insertInto(names.users).values(values).execute()
      return requireUser(id)
    },
    getUser: (id) => find(selectById, id),
    getUserByEmail: (email) => find(selectByEmail, email),
    getUserByAccount: ({ provider, providerAccountId }) => find(selectByAccount, provider, providerAccountId),
    async updateUser(user) {
      const change = await toValues(user)
      const update = db.updateTable(names.users).where("id", "=", String(user.id))
      const resetsVerification = change.email !== undefined && change.email_verified === undefined
      // `email_verified` is assigned first. MySQL assigns in order, so the comparison still reads the old address.
      const query = resetsVerification
        ? update.set((sql) => ({ email_verified: ifSameEmail(change.email, sql) }))
        : update
      if (Object.keys(change).length > 0) await query.set(change).execute()
      return requireUser(user.id)
    },
    lockUser: (id) => find(selectLocked, id),
    async deleteUser(id) {
      await db.deleteFrom(names.users).where("id", "=", String(id)).execute()
    },
  }
}
