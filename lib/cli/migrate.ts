import { parseArgs } from "node:util"
import { kindOfAddress } from "../adapters/sql/options.js"
import { SqlAdapter, type SqlAdapterOptions, type TableNames } from "../adapters/sql.js"
import { shownAddress, withoutPassword } from "./address.js"
import { type Command, type Terminal, UsageError } from "./command.js"
import { oneLine } from "./one-line.js"

const HELP = `Creates or updates the tables of SqlAdapter. It can be run again, and by several at once.

Usage: npx latchkey migrate [--sqlite FILE | --postgres URL | --mysql URL] [--tables JSON] [--print]

  --sqlite FILE     the file of a SQLite database
  --postgres URL    postgres://user:password@host:5432/database
  --mysql URL       mysql://user:password@host:3306/database, for MariaDB too
  --tables JSON     names of tables other than the default ones: '{"users":"members"}'
  --print           shows the SQL for an empty database, and connects to nothing
  --help            shows this

Without a database, the variable DATABASE_URL says which: postgres:, postgresql:, mysql:, mariadb:, file: or sqlite:
`

const KINDS = ["sqlite", "postgres", "mysql"] as const

type Kind = (typeof KINDS)[number]

interface Target {
  readonly kind: Kind
  readonly address: string
}

const OPTIONS = {
  sqlite: { type: "string" },
  postgres: { type: "string" },
  mysql: { type: "string" },
  tables: { type: "string" },
  print: { type: "boolean" },
} as const

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values
  } catch (error) {
    throw new UsageError(oneLine(error))
  }
}

type Values = ReturnType<typeof parse>

function targetOf(values: Values, { env }: Terminal): Target {
  const given = KINDS.flatMap((kind) => (values[kind] === undefined ? [] : [{ kind, address: values[kind] }]))
  if (given.length > 1) throw new UsageError(`${given.map(({ kind }) => `--${kind}`).join(" and ")}: give one of them`)
  const [first] = given
  if (!first) return targetInEnv(env["DATABASE_URL"])
  if (first.address === "") throw new UsageError(`--${first.kind} is empty`)
  return first
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

/** What the adapter says of its options is said of the command line. */
function adapterFor(target: Target, tables: Partial<TableNames>): SqlAdapter {
  try {
    return SqlAdapter(optionsFor(target, tables))
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(oneLine(error))
    throw error
  }
}

async function run(args: readonly string[], terminal: Terminal): Promise<void> {
  const values = parse(args)
  const target = targetOf(values, terminal)
  try {
    const adapter = adapterFor(target, tablesIn(values.tables))
    if (values.print) terminal.print(adapter.migrationSql())
    else await migrate(adapter, target, terminal)
  } catch (error) {
    const told = withoutPassword(oneLine(error), target.address)
    throw error instanceof UsageError ? new UsageError(told) : new Error(told)
  }
}

async function migrate(adapter: SqlAdapter, { address }: Target, terminal: Terminal): Promise<void> {
  try {
    await adapter.migrate()
    terminal.print(`latchkey: the tables in ${shownAddress(address)} are up to date\n`)
  } finally {
    await adapter.close()
  }
}

/** `npx latchkey migrate` */
export const migrateCommand: Command = { summary: "creates or updates the tables of SqlAdapter", help: HELP, run }
