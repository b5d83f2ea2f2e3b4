import { migrationScript } from "../adapters/sql/schema.js"
import { tableNames } from "../adapters/sql/tables.js"
import { SqlAdapter, type SqlAdapterOptions, type TableNames } from "../adapters/sql.js"
import { databaseKind, resolveConnection } from "../store/sql/options.js"
import { redactAddress, withoutPassword } from "./address.js"
import { defineCommand, type Options, type Result, type Terminal, UsageError, type ValuesOf } from "./command.js"
import { withEnvFile } from "./environment.js"
import { oneLine } from "./one-line.js"

const KINDS = ["sqlite", "postgres", "mysql"] as const

type Kind = (typeof KINDS)[number]

interface Database {
  readonly kind: Kind
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
} as const satisfies Options

type Values = ValuesOf<typeof OPTIONS>

function resolveDatabase(values: Values, { env }: Terminal): Database {
  const given = KINDS.flatMap((kind) => (values[kind] === undefined ? [] : [{ kind, address: values[kind] }]))
  if (given.length > 1)
    throw new UsageError(`${given.map(({ kind }) => `--${kind}`).join(" and ")}: use only one of them`)
  const [first] = given
  return first ?? readEnvDatabase(env["DATABASE_URL"])
}

function readEnvDatabase(address: string | undefined): Database {
  if (!address) throw new UsageError("no database is given. Use --sqlite, --postgres or --mysql, or set DATABASE_URL")
  const kind = databaseKind(address)
  if (!kind)
    throw new UsageError("DATABASE_URL must begin with postgres:, postgresql:, mysql:, mariadb:, file: or sqlite:")
  return { kind, address }
}

function parseTables(json: string | undefined): Partial<TableNames> {
  if (json === undefined) return {}
  try {
    const tables: unknown = JSON.parse(json)
    // The adapter checks the names.
    if (typeof tables === "object" && tables !== null && !Array.isArray(tables)) return tables
  } catch {
    // Reported below.
  }
  throw new UsageError(`--tables is not a JSON object: write --tables '{"users":"members"}'`)
}

const adapterOptions = ({ kind, address }: Database, tables: Partial<TableNames>): SqlAdapterOptions => {
  switch (kind) {
    case "sqlite":
      return { sqlite: address, tables }
    case "postgres":
      return { postgres: address, tables }
    case "mysql":
      return { mysql: address, tables }
  }
}

/** Reports a problem with the adapter's options as a usage error. */
function withUsageErrors<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(oneLine(error))
    throw error
  }
}

/** Returns the SQL for an empty database, without loading a driver. */
function printSql({ kind }: Database, options: SqlAdapterOptions): Result {
  const sql = withUsageErrors(() => {
    resolveConnection(options)
    return migrationScript(kind, tableNames(options.tables))
  })
  return { json: { sql }, text: sql }
}

async function migrate(adapter: SqlAdapter, { address }: Database): Promise<Result> {
  try {
    await adapter.migrate()
    const shown = redactAddress(address)
    return { json: { database: shown }, text: `latchkey: the tables in ${shown} are up to date` }
  } finally {
    await adapter.close()
  }
}

/** `npx latchkey migrate` */
export const migrateCommand = defineCommand({
  summary: "creates or updates the tables of SqlAdapter",
  about: "Creates or updates the tables of SqlAdapter. It can be run repeatedly, and by several processes at once.",
  more: "Without an option for the database it uses the variable DATABASE_URL, also from .env: postgres:, postgresql:, mysql:, mariadb:, file: or sqlite:",
  options: OPTIONS,
  async run({ values, terminal }) {
    const database = resolveDatabase(values, { ...terminal, env: withEnvFile(terminal.env) })
    try {
      const options = adapterOptions(database, parseTables(values.tables))
      return values.print
        ? printSql(database, options)
        : await migrate(
            withUsageErrors(() => SqlAdapter(options)),
            database,
          )
    } catch (error) {
      const message = withoutPassword(oneLine(error), database.address)
      throw error instanceof UsageError ? new UsageError(message) : new Error(message)
    }
  },
})
