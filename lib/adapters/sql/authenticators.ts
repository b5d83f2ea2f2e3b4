import type { AdapterAuthenticator, OwnAdapter } from "../adapter.js"
import { PARAM, readAll, readFirst } from "./read.js"
import { fromAuthenticator, text, toAuthenticator } from "./rows.js"
import type { AuthenticatorRow, SqlConnection } from "./tables.js"

type AuthenticatorMethods = Pick<
  OwnAdapter,
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

/** Passkeys. */
export class Authenticators implements AuthenticatorMethods {
  readonly #connection: SqlConnection

  constructor(connection: SqlConnection) {
    this.#connection = connection
  }

  async getAuthenticator(credentialID: string): Promise<AdapterAuthenticator | null> {
    const row = await this.#row(credentialID)
    return row ? toAuthenticator(row) : null
  }

  async createAuthenticator(authenticator: AdapterAuthenticator): Promise<AdapterAuthenticator> {
    const { db, names, now } = this.#connection
    const row = fromAuthenticator(authenticator, new Date(now()))
    await db.insertInto(names.authenticators).values(row).execute()
    return toAuthenticator(row)
  }

  async listAuthenticatorsByUserId(userId: string): Promise<AdapterAuthenticator[]> {
    const rows = await readAll(selectPasskeys, [String(userId)], this.#connection)
    // A new array, because under Jest a driver's array can belong to another realm and equal no other.
    return Array.from(rows, toAuthenticator)
  }

  async updateAuthenticatorCounter(credentialID: string, newCounter: number): Promise<AdapterAuthenticator> {
    const { db, names } = this.#connection
    const counter = Number(newCounter)
    const { numUpdatedRows } = await db
      .updateTable(names.authenticators)
      .set({ counter })
      .where("credential_id", "=", String(credentialID))
      .where("counter", "<", counter)
      .executeTakeFirst()
    const row = await this.#require(credentialID)
    // WebAuthn §7.2, step 22: an authenticator that does not count always sends 0. Any other counter must increase;
    // otherwise the passkey was copied.
    const isUncounted = counter === 0 && Number(row.counter) === 0
    if (numUpdatedRows === 0n && !isUncounted) throw new Error("the counter of this passkey did not increase")
    return toAuthenticator({ ...row, counter })
  }

  async renameAuthenticator(credentialID: string, name: string | null): Promise<void> {
    const { db, names } = this.#connection
    const update = db.updateTable(names.authenticators).set({ name: text(name) })
    const { numUpdatedRows } = await update.where("credential_id", "=", String(credentialID)).executeTakeFirst()
    // Without FOUND_ROWS, MySQL does not count a row that already had this name.
    if (numUpdatedRows === 0n) await this.#require(credentialID)
  }

  async deleteAuthenticator(credentialID: string): Promise<void> {
    const { db, names } = this.#connection
    await db.deleteFrom(names.authenticators).where("credential_id", "=", String(credentialID)).execute()
  }

  async #require(credentialID: string): Promise<AuthenticatorRow> {
    const row = await this.#row(credentialID)
    if (!row) throw new Error("there is no passkey with this id")
    return row
  }

  #row(credentialID: string) {
    return readFirst(selectPasskey, [String(credentialID)], this.#connection)
  }
}
