/**
 * Brings the tables forward, one process at a time.
 *
 * @module
 */
import { setTimeout } from "node:timers/promises"
import { createDeadline } from "../../timeout.js"
import { isMissingTable, whenFree } from "./faults.js"
import { requireEscapes, requireFreeColumns, requireFreeNames, requireServer } from "./migrate-checks.js"
import { createVersionTable, insertVersion, quoted, type Version, versions, versionTable } from "./schema.js"
import { run, type Store } from "./store.js"

const LOCK_PATIENCE_MS = 60_000
const LOCK_PAUSE_MS = 100
/** Any will do, as long as every version of this package has the same. */
const POSTGRES_LOCK = "7306926840418207"
const MYSQL_LOCK = "latchkey_migrations"

/** Each version that a store has, and whether it is complete. */
type Applied = ReadonlyMap<number, boolean>

type Work = (store: Store) => Promise<void>

/** Makes what is missing. Does nothing when all is there, and needs no right to make tables then. */
export async function migrateStore(store: Store): Promise<void> {
  // Each time: the server's mode may be changed when all has been made.
  await requireEscapes(store)
  if (pendingOf(store, await appliedTo(store)).length === 0) return
  await requireServer(store)
  await LOCKED[store.dialect](store, applyPending)
}

/** The versions of the tables that `migrateStore` would make. */
export const pendingVersions = async (store: Store): Promise<readonly number[]> =>
  pendingOf(store, await appliedTo(store)).map(({ version }) => version)

/** A store that was never migrated has no table to ask. */
const appliedTo = (store: Store): Promise<Applied> =>
  readApplied(store).catch((error: unknown) => {
    if (!isMissingTable(error)) throw error
    return new Map()
  })

async function readApplied(store: Store): Promise<Applied> {
  const { names, dialect } = store
  const query = `SELECT version, is_complete FROM ${quoted(versionTable(names), dialect)} WHERE store = '${names.users}'`
  const { rows } = await whenFree(() => run<{ version: number; is_complete: number }>(store, query))
  return new Map(rows.map((row) => [Number(row.version), Number(row.is_complete) === 1]))
}

function pendingOf({ dialect, names }: Store, applied: Applied): Version[] {
  const known = versions(dialect, names)
  const [newest, latest] = [Math.max(0, ...applied.keys()), Math.max(...known.map(({ version }) => version))]
  if (newest > latest)
    throw new Error(
      `the tables are of a newer latchkey: they have version ${newest} and this package knows ${latest}. Update latchkey`,
    )
  return known.filter(({ version }) => applied.get(version) !== true)
}

/** Run by one process at a time: what another one did meanwhile is seen. */
async function applyPending(store: Store): Promise<void> {
  await run(store, createVersionTable(store.dialect, store.names))
  const applied = await readApplied(store)
  if (applied.size === 0) await requireFreeNames(store)
  for (const version of pendingOf(store, applied)) {
    // One that was begun has columns of its own there.
    if (!applied.has(version.version)) await requireFreeColumns(store, version)
    await applyVersion(version, applied, store)
  }
}

async function applyVersion({ version, statements }: Version, applied: Applied, store: Store): Promise<void> {
  const { dialect, names } = store
  if (dialect !== "mysql") {
    for (const statement of statements) await run(store, statement)
    await run(store, insertVersion(dialect, names, { version, isComplete: true }))
    return
  }
  // Each statement is there for good once it is made: a process that dies between two of them is followed by another.
  const wasBegun = applied.has(version)
  if (!wasBegun) await run(store, insertVersion(dialect, names, { version, isComplete: false }))
  for (const statement of statements)
    await run(store, statement).catch((error: unknown) => {
      if (!(wasBegun && isThere(error))) throw error
    })
  await run(store, completeVersion(version, store))
}

const completeVersion = (version: number, { dialect, names }: Store): string =>
  `UPDATE ${quoted(versionTable(names), dialect)} SET is_complete = 1 ` +
  `WHERE store = '${names.users}' AND version = ${version}`

/** "Table exists", "duplicate key name", "duplicate column name". */
const isThere = (error: unknown): boolean => [1050, 1061, 1060].includes(Object(error).errno)

const LOCKED: Readonly<Record<Store["dialect"], (store: Store, work: Work) => Promise<void>>> = {
  // The transaction is the lock, and undoes all of it when it fails.
  sqlite: (store, work) => whenFree(() => store.db.transaction().execute((db) => work({ ...store, db }))),

  // Asked for again and again: one long statement would run into the pool's limit, and poolers between don't keep
  // the locks of a connection.
  postgres: (store, work) =>
    untilLocked(() =>
      store.db.transaction().execute(async (db) => {
        const within = { ...store, db }
        const isLocked = await isTrue(within, `SELECT pg_try_advisory_xact_lock(${POSTGRES_LOCK}) AS answer`)
        if (isLocked) await work(within)
        return isLocked
      }),
    ),

  mysql: (store, work) =>
    store.db.connection().execute(async (db) => {
      const within = { ...store, db }
      await untilLocked(() => isTrue(within, `SELECT GET_LOCK('${MYSQL_LOCK}', 0) AS answer`))
      try {
        await work(within)
      } finally {
        await run(within, `DO RELEASE_LOCK('${MYSQL_LOCK}')`)
      }
    }),
}

async function isTrue(store: Store, query: string): Promise<boolean> {
  const { rows } = await run<{ answer: unknown }>(store, query)
  return Number(rows[0]?.answer) === 1
}

async function untilLocked(attempt: () => Promise<boolean>): Promise<void> {
  const isOver = createDeadline(LOCK_PATIENCE_MS)
  while (!(await attempt())) {
    if (isOver())
      throw new Error(`another process has been migrating for ${LOCK_PATIENCE_MS / 1000} s: try again when it is done`)
    await setTimeout(LOCK_PAUSE_MS)
  }
}
