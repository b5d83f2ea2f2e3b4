/**
 * What `SqlAdapter` takes, and what it says of what it can't take.
 *
 * @module
 */
import type { Dialect, TableNames } from "./tables.js"

/** An application's own Kysely, any one of the dialects; written by its shape, so that Kysely's types are not needed. */
export interface KyselyLike {
  /** As Kysely has it. */
  withoutPlugins(): unknown
  /** As Kysely has it. */
  transaction(): unknown
  /** As Kysely has it. */
  connection(): unknown
}

/** A pool of pg that the application has made and closes. */
export interface PostgresPoolLike {
  /** As pg has it. */
  connect(): Promise<unknown>
  /** As pg has it. */
  end(): Promise<unknown>
}

/** A pool of mysql2, with callbacks or with promises, that the application has made and closes. */
export interface MysqlPoolLike {
  /** As mysql2 has it. */
  // biome-ignore lint/suspicious/noExplicitAny: the two kinds of pool share the name of this function only
  getConnection(...parameters: any[]): any
}

/** Options of pg's `Pool` or of mysql2's `createPool`, by the names that they have there. */
export type PoolOptions = Readonly<Record<string, unknown>>

/** Options of every database. */
export interface CommonSqlOptions {
  /** Names of tables other than the default ones, with their schema where the database has schemas. */
  tables?: Partial<TableNames> | undefined
  /** The time in milliseconds since 1970, for tests; `Date.now` by itself. */
  now?: (() => number) | undefined
}

/** Where the tables are. `undefined` is in the types, because variables of the environment are; it is refused. */
export type SqlAdapterOptions = CommonSqlOptions &
  (
    | {
        /** A file; it is made when it is missing. */
        sqlite: string | undefined
      }
    | {
        /** An address, options of pg's `Pool`, or a pool. */
        postgres: string | PostgresPoolLike | PoolOptions | undefined
      }
    | {
        /** An address, options of mysql2's `createPool`, or a pool. MariaDB too. */
        mysql: string | MysqlPoolLike | PoolOptions | undefined
      }
    | {
        /** A Kysely of the application's own. */
        db: KyselyLike | undefined
        /** What it speaks. */
        dialect: Dialect
      }
  )

/** The one place that was given, checked. */
export type Place =
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "postgres" | "mysql"; readonly at: string | PostgresPoolLike | MysqlPoolLike | PoolOptions }
  | { readonly kind: "own"; readonly db: KyselyLike; readonly dialect: Dialect }

const EXAMPLES = {
  sqlite: 'SqlAdapter({ sqlite: "auth.db" })',
  postgres: 'SqlAdapter({ postgres: "postgres://user:password@localhost:5432/app" })',
  mysql: 'SqlAdapter({ mysql: "mysql://user:password@localhost:3306/app" })',
  db: 'SqlAdapter({ db: kysely, dialect: "postgres" })',
} as const

type Kind = keyof typeof EXAMPLES

const KINDS: readonly Kind[] = ["sqlite", "postgres", "mysql", "db"]
const DIALECTS: readonly unknown[] = ["sqlite", "postgres", "mysql"]

const SCHEMES: Readonly<Record<string, Exclude<Kind, "db">>> = {
  "postgres:": "postgres",
  "postgresql:": "postgres",
  "mysql:": "mysql",
  "mariadb:": "mysql",
  "file:": "sqlite",
  "sqlite:": "sqlite",
}

const schemeOf = (address: string): string | undefined => /^[a-z][a-z\d+.-]+:/i.exec(address)?.[0].toLowerCase()

/** Which database an address is of; undefined for a scheme that is none's. */
export function kindOfAddress(address: string): Exclude<Kind, "db"> | undefined {
  const scheme = schemeOf(address)
  return scheme === undefined || !Object.hasOwn(SCHEMES, scheme) ? undefined : SCHEMES[scheme]
}

const refusal = (kind: Kind, seen: string): TypeError =>
  new TypeError(`SqlAdapter: ${kind} ${seen} Write ${EXAMPLES[kind]}`)

/** Reads the options. @throws TypeError that names the option and the line to write */
export function placeOf(options: SqlAdapterOptions): Place {
  // Callers without types give anything.
  const given: Readonly<Record<string, unknown>> = { ...options }
  const named = KINDS.filter((kind) => kind in given)
  const set = named.filter((kind) => given[kind] !== undefined)
  if (set.length > 1) throw new TypeError(`SqlAdapter: ${set.join(" and ")} are given. Write one of them`)
  const kind = set[0] ?? named[0]
  if (!kind) throw new TypeError(`SqlAdapter: no database is given. Write ${EXAMPLES.sqlite} for instance`)
  const value = given[kind]
  if (value === undefined || value === null || value === "")
    throw refusal(kind, `is ${value === "" ? "empty" : value}: is the environment variable set?`)
  return kind === "db" ? ownPlace(value, given["dialect"]) : addressed(kind, value)
}

function ownPlace(db: unknown, dialect: unknown): Place {
  if (!isKysely(db)) throw refusal("db", "is no Kysely.")
  if (!isDialect(dialect))
    throw new TypeError(
      `SqlAdapter: dialect is ${JSON.stringify(dialect)}. Write ${EXAMPLES.db}, or "sqlite" or "mysql" there`,
    )
  return { kind: "own", db, dialect }
}

const isKysely = (value: unknown): value is KyselyLike =>
  ["withoutPlugins", "transaction", "connection"].every((name) => hasFunction(value, name))

const isDialect = (value: unknown): value is Dialect => DIALECTS.includes(value)

/** Does the value have a function of this name? */
export const hasFunction = (value: unknown, name: string): value is object =>
  typeof value === "object" && value !== null && typeof Reflect.get(value, name) === "function"

function addressed(kind: Exclude<Kind, "db">, value: unknown): Place {
  if (typeof value === "string") return atAddress(kind, value)
  if (kind === "sqlite") throw refusal(kind, `is a value of type ${typeof value}, not the name of a file.`)
  if (typeof value !== "object" || value === null) throw refusal(kind, `is a value of type ${typeof value}.`)
  // What an object has is for the driver to judge.
  return { kind, at: value as PoolOptions }
}

/** Addresses have passwords: what is wrong with one is said without showing it. */
function atAddress(kind: Exclude<Kind, "db">, address: string): Place {
  const meant = kindOfAddress(address)
  if (meant && meant !== kind) throw refusal(kind, `has an address of ${meant}.`)
  if (kind === "sqlite") return { kind, file: meant ? fileIn(address) : address }
  if (!meant) throw refusal(kind, "has an address that does not begin as one.")
  return { kind, at: address }
}

/** "file:auth.db", "file:/var/auth.db" and "file:///var/auth.db" are paths after their scheme. */
function fileIn(address: string): string {
  const [path = ""] = address.replace(/^[a-z]+:(?:\/\/)?/i, "").split("?", 1)
  if (path === "") throw refusal("sqlite", "has an address without a file.")
  return /%(?![\da-f]{2})/i.test(path) ? path : decodeURI(path)
}
