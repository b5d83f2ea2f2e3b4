/**
 * Migrates the tables, one process at a time.
 *
 * @module
 */

import { setTimeout } from "node:timers/promises"
import { createDeadline } from "../../base/timeout.js"
import { executeSql } from "../../store/sql/connection.js"
import { quoteName } from "../../store/sql/ddl.js"
import { isMissingTable, retryWhileBusy } from "../../store/sql/driver-errors.js"
import {
  rejectExistingColumns,
  rejectExistingTables,
  requireBackslashEscapes,
  requireSupportedServer,
} from "./migrate-checks.js"
import {
  addCompatibleFromSql,
  createVersionTableSql,
  insertVersionSql,
  schemaVersions,
  type Version,
  versionTable,
} from "./schema.js"
import type { SqlConnection } from "./tables.js"
import { readColumns } from "./user-columns.js"

const LOCK_TIMEOUT_MS = 60_000
const LOCK_PAUSE_MS = 100
/** The key of the advisory lock: an arbitrary number, which must be the same in every version of this package. */
const POSTGRES_LOCK = "7306926840418207"
const MYSQL_LOCK = "latchkey_migrations"

/** The rows of the version table, by schema version. On MySQL, a version is incomplete after an interruption. */
type RecordedVersions = ReadonlyMap<number, { readonly isComplete: boolean; readonly compatibleFrom: number }>

interface VersionRow {
  readonly version: number
  readonly is_complete: number
  /** Absent or null if the version was recorded without this value. Then `version` is used instead. */
  readonly compatible_from?: number | null
}

type Work = (connection: SqlConnection) => Promise<void>

/** Applies the missing versions. If none is missing, nothing is written, so no privilege to create tables is needed. */
export async function migrateTables(connection: SqlConnection): Promise<void> {
  // Checked even if no version is missing, because the server's sql_mode can change after the migration.
  await requireBackslashEscapes(connection)
  if (listPendingVersions(connection, await readVersionsIfMigrated(connection)).length === 0) return
  await requireSupportedServer(connection)
  await RUN_LOCKED[connection.dialect](connection, applyPending)
}

/** Returns the schema versions that `migrateTables` would apply. */
export const pendingVersions = async (connection: SqlConnection): Promise<readonly number[]> =>
  listPendingVersions(connection, await readVersionsIfMigrated(connection)).map(({ version }) => version)

/** Reads the recorded versions. Returns an empty map if the database was never migrated and has no version table. */
const readVersionsIfMigrated = (connection: SqlConnection): Promise<RecordedVersions> =>
  readRecordedVersions(connection).catch((error: unknown) => {
    if (!isMissingTable(error)) throw error
    return new Map()
  })

async function readRecordedVersions(connection: SqlConnection): Promise<RecordedVersions> {
  const { names, dialect } = connection
  // Selects all columns, because a version table of an earlier release lacks compatible_from.
  const query = `SELECT * FROM ${quoteName(versionTable(names), dialect)} WHERE store = '${names.users}'`
  const { rows } = await retryWhileBusy(() => executeSql<VersionRow>(connection, query))
  return new Map(
    rows.map((row) => [
      Number(row.version),
      { isComplete: Number(row.is_complete) === 1, compatibleFrom: Number(row.compatible_from ?? row.version) },
    ]),
  )
}

function listPendingVersions({ dialect, names }: SqlConnection, recorded: RecordedVersions): Version[] {
  const known = schemaVersions(dialect, names)
  requireCompatible(recorded, Math.max(...known.map(({ version }) => version)))
  return known.filter(({ version }) => recorded.get(version)?.isComplete !== true)
}

/**
 * @throws Error if the database has a newer schema version that this release can't use. `compatibleFrom` is the lowest
 * schema version that a release must support to use the tables.
 */
function requireCompatible(recorded: RecordedVersions, latest: number): void {
  const unknown = [...recorded].filter(([version]) => version > latest)
  const needed = Math.max(0, ...unknown.map(([, { compatibleFrom }]) => compatibleFrom))
  if (needed <= latest) return
  const newest = Math.max(...recorded.keys())
  throw new Error(
    `the tables were migrated by a newer release of latchkey: their schema version is ${newest}. They need a release ` +
      `with schema version ${needed} or later, but this release has ${latest}. Update latchkey`,
  )
}

/**
 * Applies the missing versions. The caller holds the lock. The recorded versions are read again, because another
 * process may have migrated while this process waited for the lock.
 */
async function applyPending(connection: SqlConnection): Promise<void> {
  await executeSql(connection, createVersionTableSql(connection.dialect, connection.names))
  const columns = await readColumns(connection, versionTable(connection.names))
  if (!columns.has("compatible_from"))
    await executeSql(connection, addCompatibleFromSql(connection.dialect, connection.names))
  const recorded = await readRecordedVersions(connection)
  if (recorded.size === 0) await rejectExistingTables(connection)
  for (const version of listPendingVersions(connection, recorded)) {
    // If an interrupted migration has started this version, existing columns may be its own, so they are not rejected.
    if (!recorded.has(version.version)) await rejectExistingColumns(connection, version)
    await applyVersion(version, recorded, connection)
  }
}

async function applyVersion(
  { version, compatibleFrom, statements }: Version,
  recorded: RecordedVersions,
  connection: SqlConnection,
): Promise<void> {
  const { dialect, names } = connection
  if (dialect !== "mysql") {
    for (const statement of statements) await executeSql(connection, statement)
    await executeSql(connection, insertVersionSql(dialect, names, { version, compatibleFrom, isComplete: true }))
    return
  }
  // MySQL commits each of these statements immediately. If a process stops halfway, the next migration runs all of them
  // again and ignores that some tables, keys or columns already exist.
  const wasStarted = recorded.has(version)
  if (!wasStarted)
    await executeSql(connection, insertVersionSql(dialect, names, { version, compatibleFrom, isComplete: false }))
  for (const statement of statements)
    await executeSql(connection, statement).catch((error: unknown) => {
      if (!(wasStarted && alreadyExists(error))) throw error
    })
  await executeSql(connection, completeVersionSql(version, connection))
}

const completeVersionSql = (version: number, { dialect, names }: SqlConnection): string =>
  `UPDATE ${quoteName(versionTable(names), dialect)} SET is_complete = 1 ` +
  `WHERE store = '${names.users}' AND version = ${version}`

/** The MySQL errors "table exists", "duplicate key name" and "duplicate column name". */
const alreadyExists = (error: unknown): boolean => [1050, 1061, 1060].includes(Object(error).errno)

/** For each dialect, runs work under a lock, so that only one process migrates at a time. */
const RUN_LOCKED: Readonly<Record<SqlConnection["dialect"], (connection: SqlConnection, work: Work) => Promise<void>>> =
  {
    // The transaction is the lock. If the work fails, the transaction rolls back everything.
    sqlite: (connection, work) =>
      retryWhileBusy(() => connection.db.transaction().execute((db) => work({ ...connection, db }))),

    // Polls for the lock, because a statement that waits for it could exceed the timeout of the connection pool. The
    // lock belongs to the transaction, because a pooler such as PgBouncer does not preserve locks of a database
    // session.
    postgres: (connection, work) =>
      retryUntilTrue(() =>
        connection.db.transaction().execute(async (db) => {
          const transaction = { ...connection, db }
          const isLocked = await isTrue(transaction, `SELECT pg_try_advisory_xact_lock(${POSTGRES_LOCK}) AS answer`)
          if (isLocked) await work(transaction)
          return isLocked
        }),
      ),

    mysql: (connection, work) =>
      connection.db.connection().execute(async (db) => {
        const reserved = { ...connection, db }
        await retryUntilTrue(() => isTrue(reserved, `SELECT GET_LOCK('${MYSQL_LOCK}', 0) AS answer`))
        try {
          await work(reserved)
        } finally {
          await executeSql(reserved, `DO RELEASE_LOCK('${MYSQL_LOCK}')`)
        }
      }),
  }

async function isTrue(connection: SqlConnection, query: string): Promise<boolean> {
  const { rows } = await executeSql<{ answer: unknown }>(connection, query)
  return Number(rows[0]?.answer) === 1
}

async function retryUntilTrue(attempt: () => Promise<boolean>): Promise<void> {
  const isExpired = createDeadline(LOCK_TIMEOUT_MS)
  while (!(await attempt())) {
    if (isExpired())
      throw new Error(`another process has been migrating for ${LOCK_TIMEOUT_MS / 1000} s: retry when it has finished`)
    await setTimeout(LOCK_PAUSE_MS)
  }
}
