import { randomUUID } from "node:crypto"
import type { ExpressionBuilder } from "kysely"
import type { AdapterUser, OwnAdapter } from "../adapter.js"
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
export function userMethods(connection: SqlConnection, ownColumns: OwnColumns): UserMethods {
  const { db, names } = connection

  /** The adapter's columns come last, so that no profile field overrides them. */
  const toValues = async (user: Partial<AdapterUser>) => ({
    ...(await ownValues(user, ownColumns, connection)),
    ...fromUser(user),
  })

  async function find(select: Build<UserRow>, ...given: readonly string[]): Promise<AdapterUser | null> {
    const row = await readFirst(select, given.map(String), connection)
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
      // MySQL evaluates assignments in order, so the address is compared before it changes.
      const columns = resetsVerification
        ? update.set((sql) => ({ email_verified: ifSameEmail(change.email, sql) }))
        : update
      if (Object.keys(change).length > 0) await columns.set(change).execute()
      return requireUser(user.id)
    },
    lockUser: (id) => find(selectLocked, id),
    async deleteUser(id) {
      await db.deleteFrom(names.users).where("id", "=", String(id)).execute()
    },
  }
}
