/**
 * Databases with sessions: the adapter, and the query that it makes for a session, directly with the driver.
 *
 * @module
 */
import { createHash, randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Redis } from "ioredis"
import pg from "pg"
import { MemoryAdapter } from "../../dist/adapters/memory.js"
import { RedisAdapter } from "../../dist/adapters/redis.js"
import { SqlAdapter } from "../../dist/adapters/sql.js"
import { createPostgresDatabase } from "../parts/postgres-database.mjs"
import { personOf, SESSIONS, sessionTokenOf } from "./constants.mjs"

const { TEST_REDIS_URL: redisUrl = "redis://127.0.0.1:6379" } = process.env

const MONTH_MS = 30 * 24 * 60 * 60 * 1000
const hashOf = (token) => createHash("sha256").update(token).digest("hex")

/** One session for each of this many users. */
export async function fill(adapter) {
  for (let index = 0; index < SESSIONS; index++) {
    const { id } = await adapter.createUser({ ...personOf(index), emailVerified: null, image: null })
    const expires = new Date(Date.now() + MONTH_MS)
    await adapter.createSession({ sessionToken: sessionTokenOf(index), userId: id, expires })
  }
}

const sessionQuery = (parameter) =>
  `SELECT u.*, s.expires AS latchkey_session_expires FROM sessions AS s INNER JOIN users AS u ON u.id = s.user_id WHERE s.token_hash = ${parameter}`

async function memory() {
  const adapter = MemoryAdapter()
  await fill(adapter)
  const names = new Map(Array.from({ length: SESSIONS }, (_, i) => [hashOf(sessionTokenOf(i)), personOf(i)]))
  return { adapter, read: (token) => names.get(hashOf(token)), close: () => {} }
}

async function sqlite() {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-bench-"))
  const file = join(folder, "auth.db")
  const adapter = SqlAdapter({ sqlite: file })
  await adapter.migrate()
  await adapter.transaction(fill)
  const Database = process.getBuiltinModule("node:sqlite")?.DatabaseSync ?? (await import("better-sqlite3")).default
  const statement = new Database(file).prepare(sessionQuery("?"))
  return {
    adapter,
    read: (token) => statement.get(hashOf(token)),
    close: () => rmSync(folder, { recursive: true }),
  }
}

async function postgres() {
  const { adapter, url, drop } = await createPostgresDatabase()
  await adapter.transaction(fill)
  const pool = new pg.Pool({ connectionString: url })
  return {
    adapter,
    read: async (token) => (await pool.query(sessionQuery("$1"), [hashOf(token)])).rows[0],
    async close() {
      await adapter.close()
      await pool.end()
      await drop()
    },
  }
}

/** The adapter's script has no public name, so its command is recorded once and then replayed. */
async function heard(client, adapter) {
  let call
  const { evalsha } = client
  client.evalsha = (...parameters) => {
    call = parameters
    return Reflect.apply(evalsha, client, parameters)
  }
  const token = sessionTokenOf(0)
  await adapter.getSessionAndUser(token)
  client.evalsha = evalsha
  return (other) => call.map((text) => String(text).replace(hashOf(token), hashOf(other)))
}

async function redis() {
  const prefix = `latchkey-bench-${randomBytes(4).toString("hex")}:`
  const client = new Redis(redisUrl)
  const adapter = RedisAdapter(client, { prefix })
  await fill(adapter)
  const command = await heard(client, adapter)
  return {
    adapter,
    async read(token) {
      const answer = await client.evalsha(...command(token))
      return answer.includes("Person") ? { name: /Person \d+/.exec(answer)[0] } : undefined
    },
    async close() {
      for await (const keys of client.scanStream({ match: `${prefix}*`, count: 1_000 }))
        if (keys.length > 0) await client.del(keys)
      await client.quit()
    },
  }
}

const STORES = { memory, sqlite, postgres, redis }

export const openStore = (name) => STORES[name]()
