import { kindOfAddress, placeOf } from "../adapters/sql/options.js"
import { migrationScript } from "../adapters/sql/schema.js"
import { tableNames } from "../adapters/sql/tables.js"
import { SqlAdapter, type SqlAdapterOptions, type TableNames } from "../adapters/sql.js"
import { shownAddress, withoutPassword } from "./address.js"
import { defineCommand, type Options, type Result, type Terminal, UsageError, type ValuesOf } from "./command.js"
import { withEnvFile } from "./environment.js"
import { oneLine } from "./one-line.js"

const KINDS = ["sqlite", "postgres", "mysql"] as const

type Kind = (typeof KINDS)[number]

interface Target {
  readonly kind: Kind
  readonly address: string
}

const OPTIONS = {
  sqlite: { type: "string", value: "FILE", help: "the file of a SQLite database" },
  postgres: { type: "string", value: "URL", help: "postgres://user:password@host:5432/database" },
  mysql: { type: "string", value: "URL", help: "mysql://user:password@host:3306/database, for MariaDB too" },
  tables: {
    type: "string",
    value: "JSON",
    help: `names of tables other than the default ones: '{"users":"members"}'`,
  },
  print: { type: "boolean", help: "shows the SQL for an empty database, and connects to nothing" },
} as const satisfies Options

type Values = ValuesOf<typeof OPTIONS>

function targetOf(values: Values, { env }: Terminal): Target {
  const given = KINDS.flatMap((kind) => (values[kind] === undefined ? [] : [{ kind, address: values[kind] }]))
  if (given.length > 1) throw new UsageError(`${given.map(({ kind }) => `--${kind}`).join(" and ")}: give one of them`)
  const [first] = given
  return first ?? targetInEnv(env["DATABASE_URL"])
}

function targetInEnv(address: string | undefined): Target {
  if (!address) throw new UsageError("which database? Give --sqlite, --postgres or --mysql, or set DATABASE_URL")
  const kind = kindOfAddress(address)
  if (!kind)
    throw new UsageError("DATABASE_URL begins with none of postgres:, postgresql:, mysql:, mariadb:, file: and sqlite:")
  return { kind, address }
}

function tablesIn(json: string | undefined): Partial<TableNames> {
  if (json === undefined) return {}
  try {
    const tables: unknown = JSON.parse(json)
    // Which names it has is checked by the adapter.
    if (typeof tables === "object" && tables !== null && !Array.isArray(tables)) return tables
  } catch {
    // said below
  }
  throw new UsageError(`--tables is no JSON object: write --tables '{"users":"members"}'`)
}

const optionsFor = ({ kind, address }: Target, tables: Partial<TableNames>): SqlAdapterOptions => {
  switch (kind) {
    case "sqlite":
      return { sqlite: address, tables }
    case "postgres":
      return { postgres: address, tables }
    case "mysql":
      return { mysql: address, tables }
  }
}

/** A problem with the adapter's options is a problem with the command line. */
function asUsage<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(oneLine(error))
    throw error
  }
}

/** The script of an empty database. No driver is loaded for it. */
function sqlOf({ kind }: Target, options: SqlAdapterOptions): Result {
  const sql = asUsage(() => {
    placeOf(options)
    return migrationScript(kind, tableNames(options.tables))
  })
  return { json: { sql }, text: sql }
}

async function migrate(adapter: SqlAdapter, { address }: Target): Promise<Result> {
  try {
    await adapter.migrate()
    const database = shownAddress(address)
    return { json: { database }, text: `latchkey: the tables in ${database} are up to date` }
  } finally {
    await adapter.close()
  }
}

/** `npx latchkey migrate` */
export const migrateCommand = defineCommand({
  summary: "creates or updates the tables of SqlAdapter",
  about: "Creates or updates the tables of SqlAdapter. It can be run again, and by several at once.",
  more: "Without a database, the variable DATABASE_URL, also from .env, says which: postgres:, postgresql:, mysql:, mariadb:, file: or sqlite:",
  options: OPTIONS,
  async run({ values, terminal }) {
    const target = targetOf(values, { ...terminal, env: withEnvFile(terminal.env) })
    try {
      const options = optionsFor(target, tablesIn(values.tables))
      return values.print
        ? sqlOf(target, options)
        : await migrate(
            asUsage(() => SqlAdapter(options)),
            target,
          )
    } catch (error) {
      const told = withoutPassword(oneLine(error), target.address)
      throw error instanceof UsageError ? new UsageError(told) : new Error(told)
    }
  },
})
