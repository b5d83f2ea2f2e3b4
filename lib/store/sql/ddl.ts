/**
 * Names, column types and statements that define tables, in each SQL dialect.
 *
 * @module
 */

/** The supported SQL dialects. */
export type Dialect = "sqlite" | "postgres" | "mysql"

interface ColumnTypes {
  /** The type of indexed text. MySQL limits its length. */
  readonly key: (length: number) => string
  readonly text: string
  readonly integer: string
  /** The text after the closing bracket of CREATE TABLE. */
  readonly tableOptions: string
}

/**
 * By default MySQL ignores accents, case and trailing blanks, so a similar id could find another account. Therefore the
 * columns have an exact collation. MariaDB and MySQL each execute their own conditional comment. Keys stay below
 * InnoDB's limit of 3072 bytes, at four bytes per character.
 */
const MYSQL_TABLE_OPTIONS =
  " ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4" +
  " /*M!100202 COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */"

export const COLUMN_TYPES: Readonly<Record<Dialect, ColumnTypes>> = {
  sqlite: { key: () => "TEXT", text: "TEXT", integer: "INTEGER", tableOptions: "" },
  postgres: { key: () => "TEXT", text: "TEXT", integer: "BIGINT", tableOptions: "" },
  mysql: {
    key: (length) => `VARCHAR(${length})`,
    text: "MEDIUMTEXT",
    integer: "BIGINT",
    tableOptions: MYSQL_TABLE_OPTIONS,
  },
}

/** Quotes a name, and its schema if it has one. */
export function quoted(name: string, dialect: Dialect): string {
  const mark = dialect === "mysql" ? "`" : '"'
  return name
    .split(".")
    .map((part) => `${mark}${part}${mark}`)
    .join(".")
}

/**
 * A name with an optional schema. Names are quoted, but only names that need no quotes are accepted, so that they work
 * in every tool.
 */
const NAME = /^(?:[A-Za-z_]\w{0,49}\.)?[A-Za-z_]\w{0,49}$/

/** @throws TypeError when the name of a table is invalid; `option` is the name of its option, for the message */
export function requireTableName(name: unknown, option: string): void {
  if (!(typeof name === "string" && NAME.test(name)))
    throw new TypeError(
      `${option} is ${JSON.stringify(name)}; write up to 50 letters, digits and _, optionally with a schema: "auth.name"`,
    )
}

/** Splits a name into schema and table. */
export function splitName(name: string): { readonly schema?: string; readonly table: string } {
  const [first = "", second] = name.split(".")
  return second === undefined ? { table: first } : { schema: first, table: second }
}

/** The statement that creates a table. */
export const createTable = (
  dialect: Dialect,
  name: string,
  rows: readonly string[],
  { command = "CREATE TABLE", options = COLUMN_TYPES[dialect].tableOptions } = {},
): string => `${command} ${quoted(name, dialect)} (\n  ${rows.join(",\n  ")}\n)${options}`

/** The statement that creates an index. */
export function createIndex(dialect: Dialect, name: string, columns: string, command = "CREATE INDEX"): string {
  const { schema, table } = splitName(name)
  const index = indexName(name, columns)
  // Only SQLite requires the schema at the index name instead of the table name.
  const [indexPath, tablePath] =
    dialect === "sqlite" && schema !== undefined ? [`${schema}.${index}`, table] : [index, name]
  return `${command} ${quoted(indexPath, dialect)} ON ${quoted(tablePath, dialect)} (${columns})`
}

const indexName = (name: string, columns: string): string => `${splitName(name).table}_${columns.replaceAll(", ", "_")}`

/** The statements that create the table of a store, unless it exists. */
export function createStoreTable(dialect: Dialect, name: string): string[] {
  const { key, text, integer } = COLUMN_TYPES[dialect]
  // PostgreSQL orders text by the rules of a language, unless the collation is "C".
  const bytewise = (length: number) => `${key(length)}${dialect === "postgres" ? ' COLLATE "C"' : ""}`
  const rows = [
    `kind ${key(32)} NOT NULL`,
    `record_key ${bytewise(200)} NOT NULL`,
    `owner ${bytewise(200)} NOT NULL DEFAULT ''`,
    `value ${text} NOT NULL`,
    `version ${key(32)} NOT NULL`,
    `expires ${integer}`,
  ]
  // SQLite and MySQL keep rows in the order of the primary key, so the records of an owner are together, and listing them
  // is one search.
  const ordered = [...rows, "PRIMARY KEY (kind, owner, record_key)", "UNIQUE (kind, record_key)"]
  const command = "CREATE TABLE IF NOT EXISTS"
  const addIndex = (columns: string) => createIndex(dialect, name, columns, "CREATE INDEX IF NOT EXISTS")
  switch (dialect) {
    case "mysql":
      // MySQL has no CREATE INDEX IF NOT EXISTS.
      return [createTable(dialect, name, [...ordered, `INDEX ${indexName(name, "expires")} (expires)`], { command })]
    case "sqlite":
      return [createTable(dialect, name, ordered, { command, options: " WITHOUT ROWID" }), addIndex("expires")]
    case "postgres":
      // Only one unique index, because ON CONFLICT handles only the conflicts of the one that it names.
      return [
        createTable(dialect, name, [...rows, "PRIMARY KEY (kind, record_key)"], { command }),
        ...["kind, owner, record_key", "expires"].map(addIndex),
      ]
  }
}
