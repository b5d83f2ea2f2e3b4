/**
 * Implements the operations of a store on one table of an SQL database.
 *
 * @module
 */
import { randomBytes } from "node:crypto"
import {
  DEFAULT_LIMIT,
  requireAddress,
  requireRecord,
  requireWindow,
  type Store,
  type StoreCounter,
  type StoreRecord,
} from "../store.js"
import { type Connection, executeSql } from "./connection.js"
import { quoteName } from "./ddl.js"

/** Runs work on a connection. */
export type WithConnection = <T>(work: (connection: Connection) => Promise<T>) => Promise<T>

/** A row of the table. Depending on the driver, 64-bit integers are numbers, strings or bigints. */
interface Row {
  readonly record_key: string
  /** "" if the record has no owner. */
  readonly owner: string
  readonly value: string
  readonly version: string
  readonly expires: number | string | bigint | null
}

const COLUMNS = "record_key, owner, value, version, expires"
const IS_LIVE = "(expires IS NULL OR expires > ?)"

const toRecord = ({ record_key, owner, value, version, expires }: Row): StoreRecord => ({
  key: record_key,
  value,
  version,
  ...(owner && { owner }),
  expires: expires === null ? null : new Date(Number(expires)),
})

const newVersion = (): string => randomBytes(12).toString("base64url")

/**
 * Replaces each question mark of a statement with a placeholder of the dialect. Callers must not use question marks for
 * anything else.
 */
function numberPlaceholders(statement: string, dialect: Connection["dialect"]): string {
  if (dialect !== "postgres") return statement
  let position = 0
  return statement.replaceAll("?", () => `$${++position}`)
}

/** The statement that increments a counter. */
interface IncrementStatement {
  readonly text: string
  readonly parameters: unknown[]
  /** The count after the first increment of a window. */
  readonly firstCount: string
}

type Counter = Pick<Row, "value" | "expires">

const STANDARD_UPSERT = {
  /**
   * An alias of the table. The assignments refer to the existing row by this alias, so they don't need the table's name,
   * which may include a schema.
   */
  alias: " AS old",
  oldRow: "old.",
  conflict: "ON CONFLICT (kind, record_key) DO UPDATE SET",
  inserted: (column: string) => `excluded.${column}`,
  integer: "BIGINT",
  text: "TEXT",
  /**
   * Wraps the new count, so that it can be read after the statement. Only MySQL needs this, because its upsert can't
   * return the row. There, LAST_INSERT_ID makes the count the insert id.
   */
  returned: (value: string) => value,
}

/** The parts of an upsert statement in each dialect. */
const UPSERT = {
  sqlite: { ...STANDARD_UPSERT, max: "max" },
  postgres: { ...STANDARD_UPSERT, max: "greatest" },
  mysql: {
    alias: "",
    oldRow: "",
    conflict: "ON DUPLICATE KEY UPDATE",
    inserted: (column: string) => `VALUES(${column})`,
    integer: "SIGNED",
    text: "CHAR",
    max: "greatest",
    returned: (value: string) => `LAST_INSERT_ID(${value})`,
  },
}

/**
 * True for a deadlock (1213) or a lock timeout (1205) of MySQL, which occur when concurrent transactions insert the
 * same key. The statement can be repeated.
 */
const isDeadlock = (error: unknown): boolean => [1213, 1205].includes(Reflect.get(Object(error), "errno"))
const MAX_ATTEMPTS = 20

/**
 * Repeats `work` after a deadlock, but not within a transaction of the caller, because the deadlock has rolled back the
 * whole transaction.
 */
async function retryDeadlocks<T>({ db }: Connection, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!isDeadlock(error) || db.isTransaction || attempt === MAX_ATTEMPTS) throw error
    }
  }
}

interface SqlRecordsOptions {
  readonly table: string
  readonly dialect: Connection["dialect"]
  readonly withConnection: WithConnection
  /** Called after each `set` and `increment`. */
  readonly onWrite: () => void
}

/** The operations of a store on one table. */
export class SqlRecords implements Omit<Store, "durable"> {
  readonly #table: string
  readonly #dialect: Connection["dialect"]
  readonly #withConnection: WithConnection
  readonly #onWrite: () => void

  constructor({ table, dialect, withConnection, onWrite }: SqlRecordsOptions) {
    this.#table = quoteName(table, dialect)
    this.#dialect = dialect
    this.#withConnection = withConnection
    this.#onWrite = onWrite
  }

  async get(kind: string, key: string): Promise<StoreRecord | null> {
    requireAddress(kind, "key", key)
    const [row] = await this.#read(`kind = ? AND record_key = ? AND ${IS_LIVE}`, ({ now }) => [kind, key, now()])
    return row ? toRecord(row) : null
  }

  async set(kind: string, key: string, record: Parameters<Store["set"]>[2]): Promise<string | null> {
    requireAddress(kind, "key", key)
    requireRecord(record)
    const { value, owner = "", ifVersion } = record
    const version = newVersion()
    const row = { kind, record_key: key, owner, value, version, expires: record.expires?.getTime() ?? null }
    return (await this.#put(row, ifVersion)) ? version : null
  }

  async #put(row: Row & { readonly kind: string }, ifVersion: string | null | undefined): Promise<boolean> {
    const { kind, record_key, owner, value, version, expires } = row
    const insert = `INSERT INTO ${this.#table} (kind, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)`
    const insertParameters = [kind, record_key, owner, value, version, expires]
    const update = (condition: string) =>
      `UPDATE ${this.#table} SET owner = ?, value = ?, version = ?, expires = ? WHERE kind = ? AND record_key = ? AND ${condition}`
    const updateParameters = [owner, value, version, expires, kind, record_key]
    return this.#write(async (connection) => {
      const now = connection.now()
      if (ifVersion === undefined) return this.#execute(connection, this.#upsert(insert), insertParameters)
      if (ifVersion !== null)
        return this.#execute(connection, update(`version = ? AND ${IS_LIVE}`), [...updateParameters, ifVersion, now])
      const create = () => this.#execute(connection, this.#insertIfAbsent(insert), insertParameters)
      if (await create()) return true
      // The row exists. If it has expired, it is replaced. Of several concurrent updates, only the first one still
      // finds the expired row.
      if (await this.#execute(connection, update("expires <= ?"), [...updateParameters, now])) return true
      // The record is not expired, or another process has deleted the expired row after the first INSERT.
      return create()
    })
  }

  #upsert(insert: string): string {
    const { conflict, inserted } = UPSERT[this.#dialect]
    const assignments = ["owner", "value", "version", "expires"].map((column) => `${column} = ${inserted(column)}`)
    return `${insert} ${conflict} ${assignments.join(", ")}`
  }

  #insertIfAbsent(insert: string): string {
    return this.#dialect === "mysql" ? insert.replace("INSERT", "INSERT IGNORE") : `${insert} ON CONFLICT DO NOTHING`
  }

  async delete(kind: string, key: string, ifVersion?: string): Promise<boolean> {
    requireAddress(kind, "key", key)
    const [condition, versionParameters] = ifVersion === undefined ? ["", []] : [" AND version = ?", [ifVersion]]
    const statement = `DELETE FROM ${this.#table} WHERE kind = ? AND record_key = ? AND ${IS_LIVE}${condition}`
    return this.#withConnection((connection) =>
      this.#execute(connection, statement, [kind, key, connection.now(), ...versionParameters]),
    )
  }

  async list(kind: string, owner: string, page: Parameters<Store["list"]>[2] = { limit: DEFAULT_LIMIT }) {
    requireAddress(kind, "owner", owner)
    const { limit, after = "" } = page
    const rows = await this.#read(
      `kind = ? AND owner = ? AND record_key > ? AND ${IS_LIVE} ORDER BY record_key LIMIT ${Math.trunc(limit)}`,
      ({ now }) => [kind, owner, after, now()],
    )
    return rows.map(toRecord)
  }

  async increment(kind: string, key: string, window: { seconds: number; by?: number }): Promise<StoreCounter> {
    requireAddress(kind, "key", key)
    requireWindow(window)
    const row = await this.#write((connection) => {
      const statement = this.#createIncrement(connection.now(), kind, key, window)
      return this.#dialect === "mysql"
        ? this.#incrementMysql(connection, statement, [kind, key])
        : this.#incrementReturning(connection, statement)
    })
    return { count: Number(row.value), resetsAt: new Date(Number(row.expires)) }
  }

  async #incrementReturning(connection: Connection, { text, parameters }: IncrementStatement): Promise<Counter> {
    const { rows } = await executeSql<Row>(connection, `${text} RETURNING ${COLUMNS}`, parameters)
    return this.#requireRow(rows)
  }

  /**
   * Increments a counter in MySQL, which can't return the row of an upsert. For an updated row, the insert id is the
   * argument of LAST_INSERT_ID, which is the new count. For a new row, the count is `firstCount`.
   */
  async #incrementMysql(
    connection: Connection,
    { text, parameters, firstCount }: IncrementStatement,
    address: string[],
  ) {
    const query = `SELECT ${COLUMNS} FROM ${this.#table} WHERE kind = ? AND record_key = ?`
    for (let attempt = 1; ; attempt++) {
      const increment = () => executeSql(connection, text, parameters)
      const { insertId = 0n, numAffectedRows } = await retryDeadlocks(connection, increment)
      const { rows } = await executeSql<Row>(connection, query, address)
      // If another process has deleted the counter between the two statements, the increment is repeated.
      if (rows.length === 0 && attempt < MAX_ATTEMPTS) continue
      const value = numAffectedRows === 1n ? firstCount : String(insertId)
      return { value, expires: this.#requireRow(rows).expires }
    }
  }

  #createIncrement(
    now: number,
    kind: string,
    key: string,
    window: { seconds: number; by?: number },
  ): IncrementStatement {
    const { alias, oldRow, conflict, max, integer, text, returned } = UPSERT[this.#dialect]
    const { seconds, by = 1 } = window
    const lengthMs = Math.round(seconds * 1000)
    const newEnd = now + lengthMs
    // The stored window is current if its end is in the future, but at most one window length after `newEnd`. This
    // tolerance is needed because the clocks of processes differ a little. If the end is even later, the clock was set
    // back, or the window was shortened.
    const isCurrent = `${oldRow}expires > ${now} AND ${oldRow}expires <= ${newEnd + lengthMs}`
    const sum = `${max}(0, CAST(${oldRow}value AS ${integer}) + ${by})`
    // `expires` comes last, because MySQL assigns the columns in order, and the conditions must read the old `expires`.
    const assignments = [
      `value = ${returned(`CASE WHEN ${isCurrent} THEN CAST(${sum} AS ${text}) ELSE ? END`)}`,
      "version = ?",
      `expires = CASE WHEN ${isCurrent} THEN ${oldRow}expires ELSE ${newEnd} END`,
    ]
    const firstCount = String(Math.max(0, by))
    const version = newVersion()
    const insert = `INSERT INTO ${this.#table}${alias} (kind, ${COLUMNS}) VALUES (?, ?, '', ?, ?, ${newEnd})`
    return {
      text: numberPlaceholders(`${insert} ${conflict} ${assignments.join(", ")}`, this.#dialect),
      parameters: [kind, key, firstCount, version, firstCount, version],
      firstCount,
    }
  }

  #requireRow(rows: readonly Row[]): Row {
    const [row] = rows
    if (!row) throw new Error(`the counter in ${this.#table} was deleted while it was read`)
    return row
  }

  #read(condition: string, parameters: (connection: Connection) => unknown[]): Promise<Row[]> {
    return this.#withConnection(async (connection) => {
      const query = `SELECT ${COLUMNS} FROM ${this.#table} WHERE ${condition}`
      const { rows } = await executeSql<Row>(
        connection,
        numberPlaceholders(query, this.#dialect),
        parameters(connection),
      )
      return rows
    })
  }

  async #write<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const result = await this.#withConnection(work)
    this.#onWrite()
    return result
  }

  /** Executes a statement. Returns true if it changed a row. */
  async #execute(connection: Connection, statement: string, parameters: unknown[]): Promise<boolean> {
    const work = () => executeSql(connection, numberPlaceholders(statement, this.#dialect), parameters)
    const { numAffectedRows = 0n } = await retryDeadlocks(connection, work)
    return numAffectedRows > 0n
  }
}
