/**
 * The records of a store, in one table of an SQL database.
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
import { type Connection, run } from "./connection.js"
import { quoted } from "./ddl.js"

/** Runs work on a connection. */
export type WithConnection = <T>(work: (connection: Connection) => Promise<T>) => Promise<T>

/** 64-bit integers are numbers, strings or bigints, depending on the driver. */
interface Row {
  readonly record_key: string
  /** Empty without an owner. */
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

/** The statement with the placeholders of the dialect. The statements below have no other question marks. */
function placeholders(statement: string, dialect: Connection["dialect"]): string {
  if (dialect !== "postgres") return statement
  let position = 0
  return statement.replaceAll("?", () => `$${++position}`)
}

/** The statement that increments a counter. */
interface Statement {
  readonly text: string
  readonly parameters: unknown[]
  /** The count of a new window. */
  readonly first: string
}

type Counter = Pick<Row, "value" | "expires">

const STANDARD_UPSERT = {
  /** The existing row, under a name without a schema. */
  alias: " AS old",
  old: "old.",
  conflict: "ON CONFLICT (kind, record_key) DO UPDATE SET",
  inserted: (column: string) => `excluded.${column}`,
  integer: "BIGINT",
  text: "TEXT",
  /** Returns a value together with the result of the statement. */
  result: (value: string) => value,
}

/** How each dialect writes an upsert. */
const UPSERT = {
  sqlite: { ...STANDARD_UPSERT, max: "max" },
  postgres: { ...STANDARD_UPSERT, max: "greatest" },
  mysql: {
    alias: "",
    old: "",
    conflict: "ON DUPLICATE KEY UPDATE",
    inserted: (column: string) => `VALUES(${column})`,
    integer: "SIGNED",
    text: "CHAR",
    max: "greatest",
    result: (value: string) => `LAST_INSERT_ID(${value})`,
  },
}

/** MySQL reports a deadlock when concurrent transactions insert the same key, and one of them can be repeated. */
const isDeadlock = (error: unknown): boolean => [1213, 1205].includes(Reflect.get(Object(error), "errno"))
const MAX_ATTEMPTS = 20

/** Repeats work after a deadlock. Within a transaction of the caller it cannot, because all of it was rolled back. */
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
  /** Called after a record was written. */
  readonly onWrite: () => void
}

/** The operations of a store on one table. */
export class SqlRecords implements Omit<Store, "durable"> {
  readonly #table: string
  readonly #dialect: Connection["dialect"]
  readonly #with: WithConnection
  readonly #onWrite: () => void

  constructor({ table, dialect, withConnection, onWrite }: SqlRecordsOptions) {
    this.#table = quoted(table, dialect)
    this.#dialect = dialect
    this.#with = withConnection
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
    const values = [kind, record_key, owner, value, version, expires]
    const update = (condition: string) =>
      `UPDATE ${this.#table} SET owner = ?, value = ?, version = ?, expires = ? WHERE kind = ? AND record_key = ? AND ${condition}`
    const updated = [owner, value, version, expires, kind, record_key]
    return this.#write(async (connection) => {
      const now = connection.now()
      if (ifVersion === undefined) return this.#changes(connection, this.#upsert(insert), values)
      if (ifVersion !== null)
        return this.#changes(connection, update(`version = ? AND ${IS_LIVE}`), [...updated, ifVersion, now])
      if (await this.#changes(connection, this.#insertIfAbsent(insert), values)) return true
      // The row exists. If it has expired, exactly one of several concurrent updates still finds it expired.
      return this.#changes(connection, update("expires <= ?"), [...updated, now])
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
    const [condition, more] = ifVersion === undefined ? ["", []] : [" AND version = ?", [ifVersion]]
    const statement = `DELETE FROM ${this.#table} WHERE kind = ? AND record_key = ? AND ${IS_LIVE}${condition}`
    return this.#with((connection) => this.#changes(connection, statement, [kind, key, connection.now(), ...more]))
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
      const statement = this.#increment(connection.now(), kind, key, window)
      return this.#dialect === "mysql"
        ? this.#incrementMysql(connection, statement, [kind, key])
        : this.#incrementReturning(connection, statement)
    })
    return { count: Number(row.value), resetsAt: new Date(Number(row.expires)) }
  }

  async #incrementReturning(connection: Connection, { text, parameters }: Statement): Promise<Counter> {
    const { rows } = await run<Row>(connection, `${text} RETURNING ${COLUMNS}`, parameters)
    return this.#requireRow(rows)
  }

  /** MySQL cannot return the row of an upsert, but returns the argument of LAST_INSERT_ID. It is 0 for a new row. */
  async #incrementMysql(connection: Connection, { text, parameters, first }: Statement, address: string[]) {
    const query = `SELECT ${COLUMNS} FROM ${this.#table} WHERE kind = ? AND record_key = ?`
    for (let attempt = 1; ; attempt++) {
      const increment = () => run(connection, text, parameters)
      const { insertId = 0n, numAffectedRows } = await retryDeadlocks(connection, increment)
      const { rows } = await run<Row>(connection, query, address)
      // Another process may have deleted the counter between the two statements: then it begins again.
      if (rows.length === 0 && attempt < MAX_ATTEMPTS) continue
      const value = numAffectedRows === 1n ? first : String(insertId)
      return { value, expires: this.#requireRow(rows).expires }
    }
  }

  #increment(now: number, kind: string, key: string, window: { seconds: number; by?: number }): Statement {
    const { alias, old, conflict, max, integer, text, result } = UPSERT[this.#dialect]
    const { seconds, by = 1 } = window
    const lengthMs = Math.round(seconds * 1000)
    const newEnd = now + lengthMs
    // The clocks of processes differ a little. A window that ends much later was started before the clock was set back.
    const isCurrent = `${old}expires > ${now} AND ${old}expires <= ${newEnd + lengthMs}`
    const sum = `${max}(0, CAST(${old}value AS ${integer}) + ${by})`
    // The expiry comes last, because MySQL assigns in order and the conditions read the old one.
    const assignments = [
      `value = ${result(`CASE WHEN ${isCurrent} THEN CAST(${sum} AS ${text}) ELSE ? END`)}`,
      "version = ?",
      `expires = CASE WHEN ${isCurrent} THEN ${old}expires ELSE ${newEnd} END`,
    ]
    const first = String(Math.max(0, by))
    const version = newVersion()
    const insert = `INSERT INTO ${this.#table}${alias} (kind, ${COLUMNS}) VALUES (?, ?, '', ?, ?, ${newEnd})`
    return {
      text: placeholders(`${insert} ${conflict} ${assignments.join(", ")}`, this.#dialect),
      parameters: [kind, key, first, version, first, version],
      first,
    }
  }

  #requireRow(rows: readonly Row[]): Row {
    const [row] = rows
    if (!row) throw new Error(`the counter in ${this.#table} was deleted while it was read`)
    return row
  }

  #read(condition: string, parameters: (connection: Connection) => unknown[]): Promise<Row[]> {
    return this.#with(async (connection) => {
      const query = `SELECT ${COLUMNS} FROM ${this.#table} WHERE ${condition}`
      const { rows } = await run<Row>(connection, placeholders(query, this.#dialect), parameters(connection))
      return rows
    })
  }

  async #write<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const result = await this.#with(work)
    this.#onWrite()
    return result
  }

  /** Whether the statement changed a row. */
  async #changes(connection: Connection, statement: string, parameters: unknown[]): Promise<boolean> {
    const work = () => run(connection, placeholders(statement, this.#dialect), parameters)
    const { numAffectedRows = 0n } = await retryDeadlocks(connection, work)
    return numAffectedRows > 0n
  }
}
