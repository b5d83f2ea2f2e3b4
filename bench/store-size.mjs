/**
 * Measures whether reading a session is slower if there are many. It reads through `getSession`, from SQLite and from
 * PostgreSQL, with 10 and with 1,000,000 sessions in turn, so that other work on the machine affects both.
 *
 *   node bench/store-size.mjs            a million sessions
 *   node bench/store-size.mjs --check    fails if a read costs more than 1.3 times as much
 */
import { createHash, randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import { SqlAdapter } from "../dist/adapters/sql.js"
import { getSession } from "../dist/index.js"
import { createPostgresDatabase } from "./parts/postgres-database.mjs"

const SIZES = [10, 1_000_000]
const SESSIONS_OF_A_USER = 10
const ROUNDS = 20
const READS = 1_000
const LIMIT = 1.3
const isCheck = process.argv.includes("--check")

const BATCH = 10_000
const tokenOf = (index) => createHash("sha256").update(`session ${index}`).digest("base64url")
const hashOf = (token) => createHash("sha256").update(token).digest("hex")
const EXPIRES = Date.now() + 30 * 24 * 60 * 60 * 1000

/** The rows of the tables, in batches: [id, name, email] and [token_hash, user_id, expires]. */
function* batches(size, make) {
  for (let from = 0; from < size; from += BATCH)
    yield Array.from({ length: Math.min(BATCH, size - from) }, (_, i) => make(from + i))
}
const userRow = (index) => [`user-${index}`, `Person ${index}`, `person-${index}@example.com`]
const sessionRow = (index) => [hashOf(tokenOf(index)), `user-${Math.floor(index / SESSIONS_OF_A_USER)}`, EXPIRES]

async function sqlite(size) {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-bench-"))
  const file = join(folder, "auth.db")
  const adapter = SqlAdapter({ sqlite: file })
  await adapter.migrate()
  const Database = process.getBuiltinModule("node:sqlite")?.DatabaseSync ?? (await import("better-sqlite3")).default
  const db = new Database(file)
  const insert = (sql, rows) => {
    const statement = db.prepare(sql)
    db.exec("BEGIN")
    for (const row of rows) statement.run(...row)
    db.exec("COMMIT")
  }
  for (const rows of batches(size / SESSIONS_OF_A_USER, userRow))
    insert("INSERT INTO users (id, name, email) VALUES (?, ?, ?)", rows)
  for (const rows of batches(size, sessionRow))
    insert("INSERT INTO sessions (token_hash, user_id, expires) VALUES (?, ?, ?)", rows)
  db.exec("ANALYZE")
  db.close()
  return { adapter, drop: () => rmSync(folder, { recursive: true }) }
}

async function postgres(size) {
  const { adapter, url, drop } = await createPostgresDatabase()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const columns = (rows) => rows[0].map((_, column) => rows.map((row) => row[column]))
  for (const rows of batches(size / SESSIONS_OF_A_USER, userRow))
    await client.query(
      "INSERT INTO users (id, name, email) SELECT * FROM unnest($1::text[], $2::text[], $3::text[])",
      columns(rows),
    )
  for (const rows of batches(size, sessionRow))
    await client.query(
      "INSERT INTO sessions (token_hash, user_id, expires) SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[])",
      columns(rows),
    )
  await client.query("VACUUM ANALYZE")
  await client.end()
  return { adapter, drop }
}

/** An application with the database, and its sessions in random order. */
async function open(create, size) {
  const store = await create(size)
  const config = {
    adapter: store.adapter,
    secret: randomBytes(33).toString("base64"),
    providers: [{ id: "none", name: "None", type: "credentials", credentials: {}, authorize: () => null }],
  }
  const requests = Array.from({ length: READS }, (_, i) => {
    const token = tokenOf(Number((BigInt(i) * 7_919n * 104_729n) % BigInt(size)))
    return new Request("http://app.test/", { headers: { cookie: `authjs.session-token=${token}` } })
  })
  return { size, config, requests, times: [], ...store }
}

/** The duration of a read in microseconds, measured sequentially. */
async function round({ config, requests }) {
  const startedAt = performance.now()
  for (const request of requests)
    if (!(await getSession(request, config))?.user) throw new Error("no user is signed in")
  return ((performance.now() - startedAt) / requests.length) * 1000
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]

async function compare(name, create) {
  const stores = []
  for (const size of SIZES) stores.push(await open(create, size))
  for (const store of stores) await round(store)
  for (let i = 0; i < ROUNDS; i++) for (const store of stores) store.times.push(await round(store))
  const [few, many] = stores.map(({ times }) => median(times))
  for (const { adapter, drop } of stores) {
    await adapter.close()
    await drop()
  }
  const ratio = many / few
  console.log(
    `${name}: ${few.toFixed(0)} µs with ${SIZES[0]} sessions, ${many.toFixed(0)} µs with ${SIZES[1]}: ${ratio.toFixed(2)} times as much`,
  )
  return ratio
}

const ratios = [await compare("SQLite", sqlite)]
try {
  ratios.push(await compare("PostgreSQL", postgres))
} catch (error) {
  if (error.code !== "ECONNREFUSED" || process.env.CI) throw error
  console.warn("PostgreSQL can't be reached on this machine or at TEST_POSTGRES_URL, so it was not measured")
}
if (isCheck && ratios.some((ratio) => ratio > LIMIT)) {
  console.error(`a read may cost at most ${LIMIT} times as much`)
  process.exitCode = 1
}
