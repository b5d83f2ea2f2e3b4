/**
 * better-sqlite3, or the driver of Node.js with the same interface if better-sqlite3 is built for another version.
 *
 * @module
 */
import type BetterSqlite3 from "better-sqlite3"

/** The used part of `node:sqlite`. The installed types are those of Node.js 20, which does not have this module. */
interface NativeStatement {
  all(...parameters: unknown[]): unknown[]
  get(...parameters: unknown[]): unknown
  run(...parameters: unknown[]): unknown
  iterate(...parameters: unknown[]): IterableIterator<unknown>
  columns(): unknown[]
  setReturnArrays(enabled: boolean): void
}
interface NativeDatabase {
  exec(sql: string): void
  prepare(sql: string): NativeStatement
  close(): void
}

class Statement {
  readonly reader: boolean
  readonly #native: NativeStatement

  constructor(native: NativeStatement) {
    this.#native = native
    this.reader = native.columns().length > 0
  }
  /** Returns rows as lists from now on. */
  raw(): this {
    this.#native.setReturnArrays(true)
    return this
  }
  // Parameters are passed one by one or as a list.
  all = (...parameters: unknown[]) => this.#native.all(...parameters.flat())
  get = (...parameters: unknown[]) => this.#native.get(...parameters.flat())
  run = (...parameters: unknown[]) => this.#native.run(...parameters.flat())
  iterate = (...parameters: unknown[]) => this.#native.iterate(...parameters.flat())
}

class NodeDatabase {
  readonly #native: NativeDatabase

  constructor(file: string) {
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite") as unknown as {
      DatabaseSync: new (file: string) => NativeDatabase
    }
    this.#native = new DatabaseSync(file)
  }
  exec(sql: string): this {
    this.#native.exec(sql)
    return this
  }
  prepare = (sql: string) => new Statement(this.#native.prepare(sql))
  close = () => this.#native.close()
}

export type Sqlite = BetterSqlite3.Database

function openPackaged(): Sqlite {
  return new (require("better-sqlite3") as new (file: string) => Sqlite)(":memory:")
}

// The class has those members of the package's class that the adapters use.
const openNative = () => new NodeDatabase(":memory:") as unknown as Sqlite

function findError(open: () => Sqlite): string | undefined {
  try {
    open().prepare("SELECT 1").raw().get()
    return undefined
  } catch (error) {
    return String(error).split("\n", 1)[0]
  }
}

const packagedError = findError(openPackaged)
const nativeError = packagedError && findError(openNative)

/** The reason why SQLite is unavailable, or undefined. */
export const sqliteMissing = nativeError && `better-sqlite3: ${packagedError}; node:sqlite: ${nativeError}`

if (packagedError && !nativeError)
  console.warn(`the tests use SQLite of Node.js ${process.version}, not better-sqlite3: ${packagedError}`)

/** An empty database in memory. */
export function openSqlite(): Sqlite {
  const db = packagedError ? openNative() : openPackaged()
  db.exec("PRAGMA foreign_keys = ON")
  return db
}
