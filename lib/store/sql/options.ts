/**
 * Validates the options that select a database.
 *
 * @module
 */
import type { Dialect } from "./ddl.js"

/** A Kysely instance of the application. The type is structural, so that Kysely's types are not required. */
export interface KyselyLike {
  /** As in Kysely. */
  withoutPlugins(): unknown
  /** As in Kysely. */
  transaction(): unknown
  /** As in Kysely. */
  connection(): unknown
}

/** A pg pool, which the application creates and closes. */
export interface PostgresPoolLike {
  /** As in pg. */
  connect(): Promise<unknown>
  /** As in pg. */
  end(): Promise<unknown>
}

/** A mysql2 pool with callbacks or promises, which the application creates and closes. */
export interface MysqlPoolLike {
  /** As in mysql2. */
  // biome-ignore lint/suspicious/noExplicitAny: the two kinds of pool share the name of this function only
  getConnection(...parameters: any[]): any
}

/** The options of pg's `Pool` or mysql2's `createPool`. */
export type PoolOptions = Readonly<Record<string, unknown>>

/** Options for every database. */
export interface CommonSqlOptions {
  /** Returns the time in milliseconds since 1970, for tests. @default Date.now */
  now?: (() => number) | undefined
}

/**
 * Selects the database, by exactly one option. The types allow `undefined`, so that an environment variable can be
 * passed, but the value `undefined` is rejected.
 */
export type DatabaseOptions = CommonSqlOptions &
  (
    | {
        /** The path or URL of the file, which is created if it is missing, or ":memory:". */
        sqlite: string | undefined
      }
    | {
        /** A URL, options of pg's `Pool`, or a pool. */
        postgres: string | PostgresPoolLike | PoolOptions | undefined
      }
    | {
        /** A URL, options of mysql2's `createPool`, or a pool. Also for MariaDB. */
        mysql: string | MysqlPoolLike | PoolOptions | undefined
      }
    | {
        /** The application's own Kysely instance. */
        db: KyselyLike | undefined
        /** The SQL dialect of `db`. */
        dialect: Dialect
      }
  )

/** The database that valid options select. */
export type SqlTarget =
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "postgres" | "mysql"; readonly source: string | PostgresPoolLike | MysqlPoolLike | PoolOptions }
  | { readonly kind: "own"; readonly db: KyselyLike; readonly dialect: Dialect }

const EXAMPLES = {
  sqlite: '({ sqlite: "auth.db" })',
  postgres: '({ postgres: "postgres://user:password@localhost:5432/app" })',
  mysql: '({ mysql: "mysql://user:password@localhost:3306/app" })',
  db: '({ db: kysely, dialect: "postgres" })',
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

const urlScheme = (address: string): string | undefined => /^[a-z][a-z\d+.-]+:/i.exec(address)?.[0].toLowerCase()

/** Returns the kind of database of a URL; undefined if its scheme is unknown, and for a path. */
export function databaseKind(address: string): Exclude<Kind, "db"> | undefined {
  const scheme = urlScheme(address)
  return scheme === undefined || !Object.hasOwn(SCHEMES, scheme) ? undefined : SCHEMES[scheme]
}

/**
 * Creates the error for an invalid option. The message begins with the option and `problem`, and ends with an example.
 */
type OptionError = (kind: Kind, problem: string) => TypeError

/**
 * Validates the options of the function `name`, and returns the database that they select.
 *
 * @throws TypeError with the option and its fix
 */
export function resolveSqlTarget(options: DatabaseOptions, name = "SqlAdapter"): SqlTarget {
  const optionError: OptionError = (kind, problem) =>
    new TypeError(`${name}: ${kind} ${problem} Write ${name}${EXAMPLES[kind]}`)
  // JavaScript callers can pass anything.
  const optionValues: Readonly<Record<string, unknown>> = { ...options }
  const presentKinds = KINDS.filter((kind) => kind in optionValues)
  const definedKinds = presentKinds.filter((kind) => optionValues[kind] !== undefined)
  if (definedKinds.length > 1)
    throw new TypeError(`${name}: ${definedKinds.join(" and ")} are set. Set only one of them`)
  const kind = definedKinds[0] ?? presentKinds[0]
  if (!kind) throw new TypeError(`${name}: the database is missing. Write for example ${name}${EXAMPLES.sqlite}`)
  const value = optionValues[kind]
  if (value === undefined || value === null || value === "")
    throw optionError(kind, `is ${value === "" ? "empty" : value}: is the environment variable set?`)
  return kind === "db"
    ? resolveOwn(value, optionValues["dialect"], optionError)
    : resolveDriverTarget(kind, value, optionError)
}

function resolveOwn(db: unknown, dialect: unknown, optionError: OptionError): SqlTarget {
  if (!isKysely(db)) throw optionError("db", "is not a Kysely instance.")
  if (!isDialect(dialect))
    throw optionError("db", `needs the dialect "sqlite", "postgres" or "mysql"; it is ${JSON.stringify(dialect)}.`)
  return { kind: "own", db, dialect }
}

const isKysely = (value: unknown): value is KyselyLike =>
  ["withoutPlugins", "transaction", "connection"].every((name) => hasMethod(value, name))

const isDialect = (value: unknown): value is Dialect => DIALECTS.includes(value)

/** True if the value has a method of this name. */
export const hasMethod = (value: unknown, name: string): value is object =>
  typeof value === "object" && value !== null && typeof Reflect.get(value, name) === "function"

function resolveDriverTarget(kind: Exclude<Kind, "db">, value: unknown, optionError: OptionError): SqlTarget {
  if (typeof value === "string") return resolveUrl(kind, value, optionError)
  if (kind === "sqlite") throw optionError(kind, `is a value of type ${typeof value}, not a file name.`)
  if (typeof value !== "object" || value === null) throw optionError(kind, `is a value of type ${typeof value}.`)
  // The driver validates the members of an object.
  return { kind, source: value as PoolOptions }
}

/**
 * Checks that the scheme of the URL `address` matches the option, and returns the target. For SQLite, `address` may
 * also be a path. The error does not contain the URL, because URLs contain passwords.
 */
function resolveUrl(kind: Exclude<Kind, "db">, address: string, optionError: OptionError): SqlTarget {
  const actual = databaseKind(address)
  if (actual && actual !== kind) throw optionError(kind, `has a URL for ${actual}.`)
  if (kind === "sqlite") return { kind, file: actual ? readFilePath(address, optionError) : address }
  if (!actual) throw optionError(kind, "has a URL with an invalid scheme.")
  return { kind, source: address }
}

/**
 * Returns the path in a URL: "auth.db" for "file:auth.db", and "/var/auth.db" for "file:/var/auth.db" or
 * "file:///var/auth.db".
 */
function readFilePath(address: string, optionError: OptionError): string {
  const [path = ""] = address.replace(/^[a-z]+:(?:\/\/)?/i, "").split("?", 1)
  if (path === "") throw optionError("sqlite", "has a URL without a file.")
  return /%(?![\da-f]{2})/i.test(path) ? path : decodeURI(path)
}

/** True for a SQLite database in memory. */
export const isInMemory = (target: SqlTarget): boolean => target.kind === "sqlite" && target.file === ":memory:"
