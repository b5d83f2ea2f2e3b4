/**
 * SQLite, with the built-in driver of Node.js if available, otherwise with better-sqlite3.
 *
 * @module
 */
import { closeSync, existsSync, openSync } from "node:fs"
import { createRequire } from "node:module"
import { resolve } from "node:path"
import type { SqliteDatabase, SqliteStatement } from "kysely"
import { loadPeer } from "./load.js"
import { isWriteSuppressed } from "./start-writes.js"

/** The members that both drivers have. */
interface NativeDatabase {
  exec(sql: string): unknown
  prepare(sql: string): NativeStatement
  close(): unknown
}

interface NativeStatement {
  get(...parameters: unknown[]): unknown
  all(...parameters: unknown[]): unknown[]
  run(...parameters: unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint }
  iterate(...parameters: unknown[]): IterableIterator<unknown>
  /** Only in better-sqlite3. */
  safeIntegers?(isOn: boolean): unknown
  /** Only in the driver of Node.js. */
  setReadBigInts?(isOn: boolean): unknown
}

/**
 * Makes the statement return integers as `bigint`, because the application's own columns may exceed the safe integer
 * range.
 */
function withBigInts(statement: NativeStatement): NativeStatement {
  statement.safeIntegers?.(true)
  statement.setReadBigInts?.(true)
  return statement
}

/** Opens a database file. */
type Open = (file: string) => NativeDatabase

/** How long SQLite waits for a lock and blocks the process. After that, `retryWhileBusy` waits without blocking. */
const BUSY_TIMEOUT_MS = 50

/** Returns the driver of Node.js; undefined if it is missing or behind a flag. */
function loadNodeDriver(): Open | undefined {
  try {
    const { DatabaseSync } = withoutExperimentalWarning(() => createRequire(import.meta.url)("node:sqlite"))
    return (file) => new DatabaseSync(file)
  } catch {
    return undefined
  }
}

/**
 * Runs `loadDriver` without the warning of Node.js 22 that its driver is experimental, because operators can't act on
 * the warning.
 */
function withoutExperimentalWarning<T>(loadDriver: () => T): T {
  const { emitWarning } = process
  const isExperimentalWarning = (warning: unknown) => String(warning).startsWith("SQLite is an experimental feature")
  const emitFiltered = (...parameters: unknown[]) =>
    isExperimentalWarning(parameters[0]) ? undefined : Reflect.apply(emitWarning, process, parameters)
  process.emitWarning = emitFiltered
  try {
    return loadDriver()
  } finally {
    process.emitWarning = emitWarning
  }
}

function loadBetterSqlite(): Open {
  // `loadPeer` returns `unknown`; the package "better-sqlite3" exports this class.
  const Database = loadPeer("better-sqlite3") as new (file: string) => NativeDatabase
  return (file) => new Database(file)
}

/** True if the statement returns rows. Only this package's own statements are passed, so a simple pattern is enough. */
const isReader = (sql: string): boolean => /^\s*(?:select|with|pragma)\b|\breturning\b/i.test(sql)

class Statement implements SqliteStatement {
  readonly reader: boolean
  readonly #native: NativeStatement

  constructor(native: NativeStatement, reader: boolean) {
    this.#native = native
    this.reader = reader
  }

  all(parameters: readonly unknown[]): unknown[] {
    return this.#native.all(...parameters)
  }

  run(parameters: readonly unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint } {
    return this.#native.run(...parameters)
  }

  iterate(parameters: readonly unknown[]): IterableIterator<unknown> {
    return this.#native.iterate(...parameters)
  }
}

/**
 * A prepared query that is reused, because preparing it takes longer than running it.
 *
 * If another process has changed the tables, a prepared query of Node.js 22 fails, or returns rows without the new
 * columns. So a result is used only if the schema version is still the version for which the query was prepared.
 * Otherwise the query is prepared and run again.
 */
class PreparedQuery implements SqliteStatement {
  readonly reader = true
  readonly #prepare: () => NativeStatement
  readonly #readSchemaVersion: () => unknown
  #native: NativeStatement
  #preparedVersion: unknown

  constructor(prepare: () => NativeStatement, readSchemaVersion: () => unknown) {
    this.#prepare = prepare
    this.#readSchemaVersion = readSchemaVersion
    this.#preparedVersion = readSchemaVersion()
    this.#native = prepare()
  }

  all(parameters: readonly unknown[]): unknown[] {
    try {
      const rows = this.#native.all(...parameters)
      if (this.#isCurrent()) return rows
    } catch (error) {
      if (this.#isCurrent()) throw error
    }
    this.#prepareAgain()
    return this.all(parameters)
  }

  run(parameters: readonly unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint } {
    return this.#native.run(...parameters)
  }

  iterate(parameters: readonly unknown[]): IterableIterator<unknown> {
    return this.#prepare().iterate(...parameters)
  }

  #isCurrent(): boolean {
    return this.#readSchemaVersion() === this.#preparedVersion
  }

  /**
   * Reads the version before preparing. If the schema changes between the two steps, the next use of the query then
   * detects it.
   */
  #prepareAgain(): void {
    const version = this.#readSchemaVersion()
    this.#native = this.#prepare()
    this.#preparedVersion = version
  }
}

/** Limits the cache of prepared queries. This package has fewer different queries. */
const MAX_PREPARED_QUERIES = 50

class Database implements SqliteDatabase {
  readonly #native: NativeDatabase
  readonly #schemaVersionQuery: NativeStatement
  readonly #preparedQueries = new Map<string, PreparedQuery>()

  constructor(native: NativeDatabase) {
    this.#native = native
    this.#schemaVersionQuery = native.prepare("PRAGMA schema_version")
  }

  prepare(sql: string): SqliteStatement {
    if (/^select\b/i.test(sql)) return this.#preparedQueries.get(sql) ?? this.#storePrepared(sql)
    // BEGIN IMMEDIATE takes the write lock at once. A deferred transaction that reads and then writes would fail
    // without waiting if another process wrote in between.
    const statement = sql === "begin" ? "begin immediate" : sql
    return new Statement(this.#native.prepare(statement), isReader(statement))
  }

  #storePrepared(sql: string): PreparedQuery {
    const readSchemaVersion = () => Reflect.get(Object(this.#schemaVersionQuery.get()), "schema_version")
    const query = new PreparedQuery(() => withBigInts(this.#native.prepare(sql)), readSchemaVersion)
    if (this.#preparedQueries.size < MAX_PREPARED_QUERIES) this.#preparedQueries.set(sql, query)
    return query
  }

  close(): void {
    this.#native.close()
  }
}

function configure(native: NativeDatabase): SqliteDatabase {
  try {
    // Set first, because the statements below may have to wait for a lock.
    native.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    native.exec("PRAGMA journal_mode = WAL")
    native.exec("PRAGMA foreign_keys = ON")
    return new Database(native)
  } catch (error) {
    native.close()
    throw error
  }
}

/** Loads a driver. Returns a function that opens the file. Kysely calls the function before the first statement. */
export function sqliteDatabase(file: string): () => Promise<SqliteDatabase> {
  const open = loadNodeDriver() ?? loadBetterSqlite()
  // An absolute path, because the working directory can change later.
  const path = file === ":memory:" ? file : resolve(file)
  return async () => {
    if (path === ":memory:" || existsSync(path)) return configure(open(path))
    if (isWriteSuppressed(`the database ${file}`)) return configure(open(":memory:"))
    createPrivateFile(path)
    return configure(open(path))
  }
}

/** Creates the file, readable only by its owner. SQLite creates its auxiliary files with the same mode. */
function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600))
  } catch {
    // Another process may have created the file first. If the file can't be created, the driver fails with the reason
    // when it opens the file.
  }
}
