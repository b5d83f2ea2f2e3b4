/**
 * Migrates the tables, one process at a time.
 *
 * @module
 */

import { setTimeout } from "node:timers/promises"
import { createDeadline } from "../../base/timeout.js"
import { run } from "../../store/sql/connection.js"
import { quoted } from "../../store/sql/ddl.js"
import { isMissingTable, retryWhileBusy } from "../../store/sql/driver-errors.js"
import { requireEscapes, requireFreeColumns, requireFreeNames, requireServer } from "./migrate-checks.js"
import { readColumns } from "./own-columns.js"
import { addCompatibleFrom, createVersionTable, insertVersion, type Version, versions, versionTable } from "./schema.js"
import type { SqlConnection } from "./tables.js"

const LOCK_TIMEOUT_MS = 60_000
const LOCK_PAUSE_MS = 100
/** An arbitrary number that must be the same in every version of this package. */
const POSTGRES_LOCK = "7306926840418207"
const MYSQL_LOCK = "latchkey_migrations"

/** The applied schema versions. */
type Applied = ReadonlyMap<number, { readonly isComplete: boolean; readonly compatibleFrom: number }>

interface AppliedRow {
  readonly version: number
  readonly is_complete: number
  /** Absent or null if the version was applied before this was recorded. */
  readonly compatible_from?: number | null
}

type Work = (connection: SqlConnection) => Promise<void>

/** Applies the missing versions. If none is missing, it does nothing and needs no privilege to create tables. */
export async function migrateTables(connection: SqlConnection): Promise<void> {
  // Checked every time, because the server's mode can change after the migration.
  await requireEscapes(connection)
  if (listPending(connection, await applied(connection)).length === 0) return
  await requireServer(connection)
  await LOCKED[connection.dialect](connection, applyPending)
}

/** The schema versions that `migrateTables` would apply. */
export const pendingVersions = async (connection: SqlConnection): Promise<readonly number[]> =>
  listPending(connection, await applied(connection)).map(({ version }) => version)

/** A database that was never migrated has no version table. */
const applied = (connection: SqlConnection): Promise<Applied> =>
  readApplied(connection).catch((error: unknown) => {
    if (!isMissingTable(error)) throw error
    return new Map()
  })

async function readApplied(connection: SqlConnection): Promise<Applied> {
  const { names, dialect } = connection
  // Selects all columns, because an older table lacks compatible_from.
  const query = `SELECT * FROM ${quoted(versionTable(names), dialect)} WHERE store = '${names.users}'`
  const { rows } = await retryWhileBusy(() => run<AppliedRow>(connection, query))
  return new Map(
    rows.map((row) => [
      Number(row.version),
      { isComplete: Number(row.is_complete) === 1, compatibleFrom: Number(row.compatible_from ?? row.version) },
    ]),
  )
}

function listPending({ dialect, names }: SqlConnection, applied: Applied): Version[] {
  const known = versions(dialect, names)
  requireCompatible(applied, Math.max(...known.map(({ version }) => version)))
  return known.filter(({ version }) => applied.get(version)?.isComplete !== true)
}

/** A release works with newer tables if every unknown version only adds to them. */
function requireCompatible(applied: Applied, latest: number): void {
  const unknown = [...applied].filter(([version]) => version > latest)
  const needed = Math.max(0, ...unknown.map(([, { compatibleFrom }]) => compatibleFrom))
  if (needed <= latest) return
  const newest = Math.max(...applied.keys())
  throw new Error(
    `the tables belong to a newer latchkey: they have version ${newest}, which requires a release that knows version ${needed}, ` +
      `but this package knows up to version ${latest}. Update latchkey`,
  )
}

/** Runs in one process at a time and sees what other processes applied before. */
async function applyPending(connection: SqlConnection): Promise<void> {
  await run(connection, createVersionTable(connection.dialect, connection.names))
  const columns = await readColumns(connection, versionTable(connection.names))
  if (!columns.has("compatible_from")) await run(connection, addCompatibleFrom(connection.dialect, connection.names))
  const applied = await readApplied(connection)
  if (applied.size === 0) await requireFreeNames(connection)
  for (const version of listPending(connection, applied)) {
    // A started version may already have added its columns.
    if (!applied.has(version.version)) await requireFreeColumns(connection, version)
    await applyVersion(version, applied, connection)
  }
}

async function applyVersion(
  { version, compatibleFrom, statements }: Version,
  applied: Applied,
  connection: SqlConnection,
): Promise<void> {
  const { dialect, names } = connection
  if (dialect !== "mysql") {
    for (const statement of statements) await run(connection, statement)
    await run(connection, insertVersion(dialect, names, { version, compatibleFrom, isComplete: true }))
    return
  }
  // Each statement is permanent. If the process dies between two statements, the next process continues.
  const wasStarted = applied.has(version)
  if (!wasStarted) await run(connection, insertVersion(dialect, names, { version, compatibleFrom, isComplete: false }))
  for (const statement of statements)
    await run(connection, statement).catch((error: unknown) => {
      if (!(wasStarted && alreadyExists(error))) throw error
    })
  await run(connection, completeVersion(version, connection))
}

const completeVersion = (version: number, { dialect, names }: SqlConnection): string =>
  `UPDATE ${quoted(versionTable(names), dialect)} SET is_complete = 1 ` +
  `WHERE store = '${names.users}' AND version = ${version}`

/** "Table exists", "duplicate key name", "duplicate column name". */
const alreadyExists = (error: unknown): boolean => [1050, 1061, 1060].includes(Object(error).errno)

const LOCKED: Readonly<Record<SqlConnection["dialect"], (connection: SqlConnection, work: Work) => Promise<void>>> = {
  // The transaction is the lock, and rolls back everything on failure.
  sqlite: (connection, work) =>
    retryWhileBusy(() => connection.db.transaction().execute((db) => work({ ...connection, db }))),

  // Polled, because one long statement would exceed the pool's timeout, and connection poolers do not preserve session
  // locks.
  postgres: (connection, work) =>
    untilLocked(() =>
      connection.db.transaction().execute(async (db) => {
        const within = { ...connection, db }
        const isLocked = await isTrue(within, `SELECT pg_try_advisory_xact_lock(${POSTGRES_LOCK}) AS answer`)
        if (isLocked) await work(within)
        return isLocked
      }),
    ),

  mysql: (connection, work) =>
    connection.db.connection().execute(async (db) => {
      const within = { ...connection, db }
      await untilLocked(() => isTrue(within, `SELECT GET_LOCK('${MYSQL_LOCK}', 0) AS answer`))
      try {
        await work(within)
      } finally {
        await run(within, `DO RELEASE_LOCK('${MYSQL_LOCK}')`)
      }
    }),
}

async function isTrue(connection: SqlConnection, query: string): Promise<boolean> {
  const { rows } = await run<{ answer: unknown }>(connection, query)
  return Number(rows[0]?.answer) === 1
}

async function untilLocked(attempt: () => Promise<boolean>): Promise<void> {
  const isExpired = createDeadline(LOCK_TIMEOUT_MS)
  while (!(await attempt())) {
    if (isExpired())
      throw new Error(`another process has been migrating for ${LOCK_TIMEOUT_MS / 1000} s: retry when it has finished`)
    await setTimeout(LOCK_PAUSE_MS)
  }
}
