import { migrationScript } from "../adapters/sql/schema.js"
import { resolveTableNames } from "../adapters/sql/tables.js"
import { SqlAdapter, type SqlAdapterOptions, type TableNames } from "../adapters/sql.js"
import { databaseKind, resolveSqlTarget } from "../store/sql/options.js"
import { defineCommand, type Options, type Result, UsageError, type ValuesOf } from "./command.js"
import { findModule, runTask } from "./config-module.js"
import { withEnvFile } from "./files.js"
import type { SealedTokens } from "./seal-tokens.js"
import { oneLine, redactAddress, withoutPassword } from "./text.js"

const KINDS = ["sqlite", "postgres", "mysql"] as const

interface Database {
  readonly kind: (typeof KINDS)[number]
  readonly address: string
}

const OPTIONS = {
  sqlite: { type: "string", value: "FILE", help: "the file of a SQLite database" },
  postgres: { type: "string", value: "URL", help: "postgres://user:password@host:5432/database" },
  mysql: { type: "string", value: "URL", help: "mysql://user:password@host:3306/database, also for MariaDB" },
  tables: {
    type: "string",
    value: "JSON",
    help: `table names that differ from the defaults: '{"users":"members"}'`,
  },
  print: { type: "boolean", help: "print the SQL for an empty database, without connecting" },
  "seal-tokens": {
    type: "boolean",
    help: "move the provider tokens of all accounts from the adapter to the store, which encrypts them",
  },
} as const satisfies Options

type Values = ValuesOf<typeof OPTIONS>

/** Returns the database of the options `--sqlite`, `--postgres` and `--mysql`; undefined if none is given. */
function databaseFromOptions(values: Values): Database | undefined {
  const given = KINDS.flatMap((kind) => (values[kind] === undefined ? [] : [{ kind, address: values[kind] }]))
  if (given.length > 1)
    throw new UsageError(`${given.map(({ kind }) => `--${kind}`).join(" and ")}: use only one of them`)
  return given[0]
}

function databaseFromEnv(address: string | undefined): Database {
  if (!address)
    throw new UsageError(
      "no database is given. Use --sqlite, --postgres or --mysql, set DATABASE_URL, or name the module of the configuration",
    )
  const kind = databaseKind(address)
  if (!kind)
    throw new UsageError("DATABASE_URL must begin with postgres:, postgresql:, mysql:, mariadb:, file: or sqlite:")
  return { kind, address }
}

function parseTables(json: string | undefined): Partial<TableNames> {
  if (json === undefined) return {}
  try {
    const tables: unknown = JSON.parse(json)
    // The names are not checked here, because the adapter checks them.
    if (typeof tables === "object" && tables !== null && !Array.isArray(tables)) return tables
  } catch {
    // The error below reports invalid JSON.
  }
  throw new UsageError(`--tables is not a JSON object: write --tables '{"users":"members"}'`)
}

/**
 * Returns the adapter of the database. With `--print`, returns the SQL instead, and loads no driver.
 *
 * @throws UsageError if the options are invalid
 */
function prepareMigration({ kind, address }: Database, { tables: json, print }: Values): SqlAdapter | string {
  const tables = parseTables(json)
  const urls = { postgres: { postgres: address }, mysql: { mysql: address }, sqlite: { sqlite: address } }
  const options: SqlAdapterOptions = { ...urls[kind], tables }
  try {
    if (!print) return SqlAdapter(options)
    resolveSqlTarget(options)
    return migrationScript(kind, resolveTableNames(tables))
  } catch (error) {
    throw error instanceof TypeError ? new UsageError(oneLine(error)) : error
  }
}

async function migrateDatabase(database: Database, values: Values): Promise<Result> {
  const prepared = prepareMigration(database, values)
  if (typeof prepared === "string") return { json: { sql: prepared }, text: prepared }
  try {
    await prepared.migrate()
    const redacted = redactAddress(database.address)
    return { json: { database: redacted }, text: `latchkey: the tables in ${redacted} are up to date` }
  } finally {
    await prepared.close()
  }
}

const formatAccountCount = (count: number): string => `${count} ${count === 1 ? "account" : "accounts"}`

const describeTokens = ({ moved, removed, skipped }: SealedTokens): string =>
  [
    `latchkey: moved the tokens of ${formatAccountCount(moved)} from the adapter to the store`,
    ...(removed > 0
      ? [
          `removed the tokens of ${formatAccountCount(removed)} from the adapter: the store already has their tokens, or the account was just deleted`,
        ]
      : []),
    ...(skipped > 0
      ? [
          `left the tokens of ${formatAccountCount(skipped)} in the adapter: keepTokens is false, the provider is not configured, or the user has just signed in again`,
        ]
      : []),
  ].join("; ")

/** Migrates the adapter and the store of a configuration. Returns undefined if the module exports no configuration. */
async function migrateModule(file: string, values: Values, env: NodeJS.ProcessEnv): Promise<Result | undefined> {
  const { print, "seal-tokens": sealsTokens } = values
  const answer = await runTask(file, { name: "migrate", isPrinted: print, sealsTokens }, env)
  if ("finding" in answer) {
    const { code, cause, seen, fix } = answer.finding
    if (code === "config-not-found") return undefined
    const alternative = sealsTokens ? "" : "; or name the database: --sqlite, --postgres or --mysql"
    const hint = fix === undefined ? "" : `. Fix: ${fix}${alternative}`
    throw new Error(`${file}: ${cause}: ${seen}${hint}`)
  }
  const { migrated = [], sql, tokens } = answer.result
  if (tokens) return { json: { module: file, migrated, tokens }, text: describeTokens(tokens) }
  if (migrated.length === 0) throw new Error(`${file} has no adapter and no store with tables of this package`)
  if (sql !== undefined) return { json: { sql }, text: sql }
  const names = migrated.join(" and ")
  return { json: { module: file, migrated }, text: `latchkey: the tables of the ${names} in ${file} are up to date` }
}

/**
 * Checks that `--seal-tokens` is used with a module, whose secret and providers are needed to move the tokens.
 *
 * @throws UsageError without a module, or with `--print`
 */
function checkSealArguments(file: string | undefined, { print }: Values): void {
  if (print) throw new UsageError("--seal-tokens and --print: use only one of them")
  if (file === undefined)
    throw new UsageError(
      "--seal-tokens needs the module of the configuration: npx latchkey migrate --seal-tokens auth.js",
    )
}

/** `npx latchkey migrate` */
export const migrateCommand = defineCommand({
  summary: "creates or updates the tables of SqlAdapter and SqlStore",
  about:
    "Creates or updates the tables of SqlAdapter and SqlStore. The command can run repeatedly, and in several processes at once.",
  more: "MODULE exports the configuration with the adapter and the store. Without MODULE, the command searches for it like npx latchkey doctor. With --sqlite, --postgres or --mysql, it creates the tables of SqlAdapter in that database. Without these options, and if it finds no module, it uses the variable DATABASE_URL, also from .env: postgres:, postgresql:, mysql:, mariadb:, file: or sqlite:",
  operands: { usage: "[MODULE]", max: 1 },
  options: OPTIONS,
  async run({ values, operands: [operand], terminal }) {
    const env = withEnvFile(terminal.env)
    const database = databaseFromOptions(values)
    const isExplicit = database !== undefined || values.tables !== undefined
    if (operand !== undefined && isExplicit)
      throw new UsageError(
        "a module can't be combined with --sqlite, --postgres, --mysql or --tables: use only one of them",
      )
    const file = isExplicit ? undefined : findModule(operand)
    if (values["seal-tokens"]) checkSealArguments(file, values)
    const result = file && (await migrateModule(file, values, env))
    if (result) return result
    if (file !== undefined && (operand !== undefined || values["seal-tokens"]))
      throw new UsageError(`${file} exports no configuration with providers`)
    const target = database ?? databaseFromEnv(env["DATABASE_URL"])
    try {
      return await migrateDatabase(target, values)
    } catch (error) {
      const message = withoutPassword(oneLine(error), target.address)
      throw error instanceof UsageError ? new UsageError(message) : new Error(message)
    }
  },
})
