/**
 * SQLite, with the driver of Node.js where there is one, else with better-sqlite3.
 *
 * @module
 */
import { closeSync, existsSync, openSync } from "node:fs"
import { createRequire } from "node:module"
import { resolve } from "node:path"
import type { SqliteDatabase, SqliteStatement } from "kysely"
import { loadPeer } from "./load.js"
import { isWithheld } from "./start-writes.js"

/** What both drivers have; they differ in how parameters are passed. */
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
  /** Of better-sqlite3. */
  safeIntegers?(isOn: boolean): unknown
  /** Of Node.js. */
  setReadBigInts?(isOn: boolean): unknown
}

/** Has whole numbers read as `bigint`: the application's own columns may have ones that no number can hold. */
function withBigInts(statement: NativeStatement): NativeStatement {
  statement.safeIntegers?.(true)
  statement.setReadBigInts?.(true)
  return statement
}

type Open = (file: string) => NativeDatabase

/** SQLite waits without letting anything else run; after this long the adapter waits itself, and lets it. */
const BUSY_TIMEOUT_MS = 50

/** The driver of Node.js; undefined where it has none, or has it behind a flag. */
function nativeDriver(): Open | undefined {
  try {
    const { DatabaseSync } = withoutNotice(() => createRequire(import.meta.url)("node:sqlite"))
    return (file) => new DatabaseSync(file)
  } catch {
    return undefined
  }
}

/** Node.js 22 calls its driver experimental, once, when it is loaded: nothing that an operator could act on. */
function withoutNotice<T>(load: () => T): T {
  const { emitWarning } = process
  const isNotice = (warning: unknown) => String(warning).startsWith("SQLite is an experimental feature")
  const selective = (...parameters: unknown[]) =>
    isNotice(parameters[0]) ? undefined : Reflect.apply(emitWarning, process, parameters)
  process.emitWarning = selective
  try {
    return load()
  } finally {
    process.emitWarning = emitWarning
  }
}

function packagedDriver(): Open {
  // As the package exports it.
  const Database = loadPeer("better-sqlite3") as new (file: string) => NativeDatabase
  return (file) => new Database(file)
}

/** Does the statement give rows? Only statements of ours come here. */
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
 * A query that stays prepared: to prepare it takes longer than to run it. Another process may change the tables, and
 * then Node.js 22 gives rows that lack a column, or fails. So what was read counts when the tables are as they were.
 */
class KeptQuery implements SqliteStatement {
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
    this.#prepareAnew()
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

  /** The version first: tables that change in between are then noticed by the next read. */
  #prepareAnew(): void {
    const version = this.#readVersion()
    this.#native = this.#prepare()
    this.#version = version
  }
}

/** More than there are queries of ours. */
const KEPT_QUERIES = 50

class Database implements SqliteDatabase {
  readonly #native: NativeDatabase
  readonly #schemaVersion: NativeStatement
  readonly #kept = new Map<string, KeptQuery>()

  constructor(native: NativeDatabase) {
    this.#native = native
    this.#schemaVersion = native.prepare("PRAGMA schema_version")
  }

  prepare(sql: string): SqliteStatement {
    if (/^select\b/i.test(sql)) return this.#kept.get(sql) ?? this.#keep(sql)
    // One that reads first and writes then would fail when another process has written in between, and can't wait.
    const statement = sql === "begin" ? "begin immediate" : sql
    return new Statement(this.#native.prepare(statement), isReader(statement))
  }

  #keep(sql: string): KeptQuery {
    const readVersion = () => Reflect.get(Object(this.#schemaVersion.get()), "schema_version")
    const query = new KeptQuery(() => withBigInts(this.#native.prepare(sql)), readVersion)
    if (this.#kept.size < KEPT_QUERIES) this.#kept.set(sql, query)
    return query
  }

  close(): void {
    this.#native.close()
  }
}

function prepared(native: NativeDatabase): SqliteDatabase {
  try {
    // The first, because the others may have to wait.
    native.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    native.exec("PRAGMA journal_mode = WAL")
    native.exec("PRAGMA foreign_keys = ON")
    return new Database(native)
  } catch (error) {
    native.close()
    throw error
  }
}

/** Loads a driver; the file is opened by the first statement. */
export function sqliteDatabase(file: string): () => Promise<SqliteDatabase> {
  const open = nativeDriver() ?? packagedDriver()
  // The working directory may be another one later.
  const path = file === ":memory:" ? file : resolve(file)
  return async () => {
    if (path === ":memory:" || existsSync(path)) return prepared(open(path))
    if (isWithheld(`the database ${file}`)) return prepared(open(":memory:"))
    createPrivately(path)
    return prepared(open(path))
  }
}

/** Makes the file readable by its owner alone. The files beside it, which SQLite makes, have the same mode. */
function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600))
  } catch {
    // Another process has made it meanwhile, or the driver fails too and says why.
  }
}
