import type { BuiltInAdapter } from "../adapter.js"
import { PARAM, readAll, readFirst } from "./read.js"
import { fromAuthenticator, textOrNull, toAuthenticator } from "./rows.js"
import type { AuthenticatorRow, SqlConnection } from "./tables.js"

type AuthenticatorMethods = Pick<
  BuiltInAdapter,
  | "getAuthenticator"
  | "createAuthenticator"
  | "listAuthenticatorsByUserId"
  | "updateAuthenticatorCounter"
  | "renameAuthenticator"
  | "deleteAuthenticator"
>

const selectPasskey = ({ db, names }: SqlConnection) =>
  db.selectFrom(names.authenticators).selectAll().where("credential_id", "=", PARAM)

const selectPasskeys = ({ db, names }: SqlConnection) =>
  db.selectFrom(names.authenticators).selectAll().where("user_id", "=", PARAM).orderBy("credential_id")

/** Returns the passkey methods of the adapter, which run on this connection. */
export function authenticatorMethods(connection: SqlConnection): AuthenticatorMethods {
  const { db, names, now } = connection
  const find = (credentialID: string) => readFirst(selectPasskey, [String(credentialID)], connection)

  async function requireRow(credentialID: string): Promise<AuthenticatorRow> {
    const row = await find(credentialID)
    if (!row) throw new Error("there is no passkey with this id")
    return row
  }

  return {
    async getAuthenticator(credentialID) {
      const row = await find(credentialID)
      return row ? toAuthenticator(row) : null
    },
    async createAuthenticator(authenticator) {
      const row = fromAuthenticator(authenticator, new Date(now()))
      await db.insertInto(names.authenticators).values(row).execute()
      return toAuthenticator(row)
    },
    async listAuthenticatorsByUserId(userId) {
      const rows = await readAll(selectPasskeys, [String(userId)], connection)
      // A new array: under Jest, the driver's array may be of another realm, so that `toEqual` would fail.
      return Array.from(rows, toAuthenticator)
    },
    async updateAuthenticatorCounter(credentialID, newCounter) {
      const counter = Number(newCounter)
      const { numUpdatedRows } = await db
        .updateTable(names.authenticators)
        .set({ counter })
        .where("credential_id", "=", String(credentialID))
        .where("counter", "<", counter)
        .executeTakeFirst()
      const row = await requireRow(credentialID)
      // WebAuthn §7.2, step 22: an authenticator without a counter always sends 0. Any other counter must increase;
      // otherwise the passkey may have been copied.
      const hasNoCounter = counter === 0 && Number(row.counter) === 0
      if (numUpdatedRows === 0n && !hasNoCounter) throw new Error("the counter of this passkey did not increase")
      return toAuthenticator({ ...row, counter })
    },
    async renameAuthenticator(credentialID, name) {
      const update = db.updateTable(names.authenticators).set({ name: textOrNull(name) })
      const { numUpdatedRows } = await update.where("credential_id", "=", String(credentialID)).executeTakeFirst()
      // Without the flag FOUND_ROWS, MySQL also reports 0 updated rows if the passkey already has this name.
      if (numUpdatedRows === 0n) await requireRow(credentialID)
    },
    async deleteAuthenticator(credentialID) {
      await db.deleteFrom(names.authenticators).where("credential_id", "=", String(credentialID)).execute()
    },
  }
}
