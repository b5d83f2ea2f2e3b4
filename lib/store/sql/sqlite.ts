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
import { isSuppressed } from "./start-writes.js"

/** The common members of both drivers. They differ in how parameters are passed. */
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

/** Reads integers as `bigint`, because the application's own columns may exceed the safe integer range. */
function withBigInts(statement: NativeStatement): NativeStatement {
  statement.safeIntegers?.(true)
  statement.setReadBigInts?.(true)
  return statement
}

type Open = (file: string) => NativeDatabase

/** SQLite's busy timeout blocks the process. After this time the adapter waits asynchronously. */
const BUSY_TIMEOUT_MS = 50

/** The driver of Node.js; undefined if it is missing or behind a flag. */
function nativeDriver(): Open | undefined {
  try {
    const { DatabaseSync } = withoutExperimentalWarning(() => createRequire(import.meta.url)("node:sqlite"))
    return (file) => new DatabaseSync(file)
  } catch {
    return undefined
  }
}

/** Suppresses the warning of Node.js 22 that its driver is experimental, because operators cannot act on it. */
function withoutExperimentalWarning<T>(load: () => T): T {
  const { emitWarning } = process
  const isExperimentalWarning = (warning: unknown) => String(warning).startsWith("SQLite is an experimental feature")
  const filtered = (...parameters: unknown[]) =>
    isExperimentalWarning(parameters[0]) ? undefined : Reflect.apply(emitWarning, process, parameters)
  process.emitWarning = filtered
  try {
    return load()
  } finally {
    process.emitWarning = emitWarning
  }
}

function packagedDriver(): Open {
  // `loadPeer` returns `unknown`; the package "better-sqlite3" exports this class.
  const Database = loadPeer("better-sqlite3") as new (file: string) => NativeDatabase
  return (file) => new Database(file)
}

/** Whether the statement returns rows. Only the adapter's own statements are passed here. */
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
 * A prepared statement that is reused, because preparing it takes longer than running it. If another process has changed
 * the tables, the driver of Node.js 22 fails or returns rows without the new columns. A result is therefore used only
 * if the schema version is unchanged.
 */
class PreparedQuery implements SqliteStatement {
  readonly reader = true
  readonly #prepare: () => NativeStatement
  readonly #readVersion: () => unknown
  #native: NativeStatement
  #version: unknown

  constructor(prepare: () => NativeStatement, readVersion: () => unknown) {
    this.#prepare = prepare
    this.#readVersion = readVersion
    this.#version = readVersion()
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
    return this.#readVersion() === this.#version
  }

  /** The version is read first, so that a change in between is detected by the next read. */
  #prepareAgain(): void {
    const version = this.#readVersion()
    this.#native = this.#prepare()
    this.#version = version
  }
}

/** More than the number of different queries in this package. */
const MAX_PREPARED_QUERIES = 50

class Database implements SqliteDatabase {
  readonly #native: NativeDatabase
  readonly #schemaVersion: NativeStatement
  readonly #preparedQueries = new Map<string, PreparedQuery>()

  constructor(native: NativeDatabase) {
    this.#native = native
    this.#schemaVersion = native.prepare("PRAGMA schema_version")
  }

  prepare(sql: string): SqliteStatement {
    if (/^select\b/i.test(sql)) return this.#preparedQueries.get(sql) ?? this.#storePrepared(sql)
    // A deferred transaction that reads and then writes would fail without waiting if another process has written in
    // between.
    const statement = sql === "begin" ? "begin immediate" : sql
    return new Statement(this.#native.prepare(statement), isReader(statement))
  }

  #storePrepared(sql: string): PreparedQuery {
    const readVersion = () => Reflect.get(Object(this.#schemaVersion.get()), "schema_version")
    const query = new PreparedQuery(() => withBigInts(this.#native.prepare(sql)), readVersion)
    if (this.#preparedQueries.size < MAX_PREPARED_QUERIES) this.#preparedQueries.set(sql, query)
    return query
  }

  close(): void {
    this.#native.close()
  }
}

function configure(native: NativeDatabase): SqliteDatabase {
  try {
    // Set before the other statements, which may have to wait for a lock.
    native.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    native.exec("PRAGMA journal_mode = WAL")
    native.exec("PRAGMA foreign_keys = ON")
    return new Database(native)
  } catch (error) {
    native.close()
    throw error
  }
}

/** Loads a driver. The first statement opens the file. */
export function sqliteDatabase(file: string): () => Promise<SqliteDatabase> {
  const open = nativeDriver() ?? packagedDriver()
  // An absolute path, because the working directory can change later.
  const path = file === ":memory:" ? file : resolve(file)
  return async () => {
    if (path === ":memory:" || existsSync(path)) return configure(open(path))
    if (isSuppressed(`the database ${file}`)) return configure(open(":memory:"))
    createPrivately(path)
    return configure(open(path))
  }
}

/** Makes the file readable only by its owner. SQLite creates its auxiliary files with the same mode. */
function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600))
  } catch {
    // Another process created it meanwhile, or the driver will fail with the reason.
  }
}
