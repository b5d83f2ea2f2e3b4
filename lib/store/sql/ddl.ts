/**
 * Validates and quotes the names of tables, and returns the statements that create tables, in each SQL dialect.
 *
 * @module
 */

/** The supported SQL dialects. */
export type Dialect = "sqlite" | "postgres" | "mysql"

interface ColumnTypes {
  /**
   * The type of an indexed text column of at most `length` characters. In MySQL all columns of an index together may
   * have 3072 bytes (InnoDB), at four bytes per character.
   */
  readonly key: (length: number) => string
  readonly text: string
  readonly integer: string
  /** The text after the closing bracket of CREATE TABLE. */
  readonly tableOptions: string
}

/**
 * By default MySQL ignores accents and case, and in some versions trailing blanks, when it compares text. A similar id
 * could then find the account of another user, so the tables have a binary collation. MariaDB executes only the first
 * of the two conditional comments, MySQL only the second.
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

/** Quotes the name of a table, and its schema if there is one. */
export function quoteName(name: string, dialect: Dialect): string {
  const quote = dialect === "mysql" ? "`" : '"'
  return name
    .split(".")
    .map((part) => `${quote}${part}${quote}`)
    .join(".")
}

/**
 * The name of a table, optionally with a schema. It contains no quotation marks, so `quoteName` does not have to escape
 * it.
 */
const NAME = /^(?:[A-Za-z_]\w{0,49}\.)?[A-Za-z_]\w{0,49}$/

/** @throws TypeError if the name of a table is invalid. The message begins with `option`, the name of the option. */
export function requireTableName(name: unknown, option: string): void {
  if (!(typeof name === "string" && NAME.test(name)))
    throw new TypeError(
      `${option} is ${JSON.stringify(name)}; write up to 50 letters, digits and _, not beginning with a digit, optionally with a schema: "auth.name"`,
    )
}

/** Splits a name into schema and table. */
export function splitName(name: string): { readonly schema?: string; readonly table: string } {
  const [first = "", second] = name.split(".")
  return second === undefined ? { table: first } : { schema: first, table: second }
}

/** Returns the statement that creates a table. `definitions` are the columns, keys and indexes. */
export const createTableSql = (
  dialect: Dialect,
  name: string,
  definitions: readonly string[],
  { command = "CREATE TABLE", options = COLUMN_TYPES[dialect].tableOptions } = {},
): string => `${command} ${quoteName(name, dialect)} (\n  ${definitions.join(",\n  ")}\n)${options}`

/** Returns the statement that creates an index. */
export function createIndexSql(dialect: Dialect, name: string, columns: string, command = "CREATE INDEX"): string {
  const { schema, table } = splitName(name)
  const index = indexName(name, columns)
  // In SQLite the schema precedes the name of the index, in the other dialects the name of the table.
  const [indexPath, tablePath] =
    dialect === "sqlite" && schema !== undefined ? [`${schema}.${index}`, table] : [index, name]
  return `${command} ${quoteName(indexPath, dialect)} ON ${quoteName(tablePath, dialect)} (${columns})`
}

const indexName = (name: string, columns: string): string => `${splitName(name).table}_${columns.replaceAll(", ", "_")}`

/** Returns the statements that create the table of a store if it does not exist. */
export function createStoreTableSql(dialect: Dialect, name: string): string[] {
  const { key, text, integer } = COLUMN_TYPES[dialect]
  // PostgreSQL orders text by the rules of a language, unless the collation is "C", which compares bytes.
  const bytewiseKey = (length: number) => `${key(length)}${dialect === "postgres" ? ' COLLATE "C"' : ""}`
  const columns = [
    `kind ${key(32)} NOT NULL`,
    `record_key ${bytewiseKey(200)} NOT NULL`,
    `owner ${bytewiseKey(200)} NOT NULL DEFAULT ''`,
    `value ${text} NOT NULL`,
    `version ${key(32)} NOT NULL`,
    `expires ${integer}`,
  ]
  // SQLite and MySQL store rows in the order of the primary key. The records of an owner are therefore adjacent, and
  // `list` reads them in one search.
  const clustered = [...columns, "PRIMARY KEY (kind, owner, record_key)", "UNIQUE (kind, record_key)"]
  const command = "CREATE TABLE IF NOT EXISTS"
  const addIndex = (columns: string) => createIndexSql(dialect, name, columns, "CREATE INDEX IF NOT EXISTS")
  switch (dialect) {
    case "mysql":
      // MySQL has no CREATE INDEX IF NOT EXISTS, so the index is a part of CREATE TABLE.
      return [
        createTableSql(dialect, name, [...clustered, `INDEX ${indexName(name, "expires")} (expires)`], { command }),
      ]
    case "sqlite":
      return [createTableSql(dialect, name, clustered, { command, options: " WITHOUT ROWID" }), addIndex("expires")]
    case "postgres":
      // The table has only one unique index, because ON CONFLICT handles only conflicts of the index that it names.
      return [
        createTableSql(dialect, name, [...columns, "PRIMARY KEY (kind, record_key)"], { command }),
        ...["kind, owner, record_key", "expires"].map(addIndex),
      ]
  }
}
