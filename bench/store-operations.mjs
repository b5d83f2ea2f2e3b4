/**
 * Measures what one operation of a store costs: the time of sequential calls, and of 50 concurrent ones.
 *
 *   node bench/store-operations.mjs
 */
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Redis } from "ioredis"
import { MemoryStore } from "../dist/stores/memory.js"
import { RedisStore } from "../dist/stores/redis.js"
import { SqlStore } from "../dist/stores/sql.js"

const {
  TEST_POSTGRES_URL: postgres = "postgres://postgres@127.0.0.1:5432/test",
  TEST_MYSQL_URL: mysql = "mysql://root@127.0.0.1:3306/test",
  TEST_REDIS_URL: redisUrl = "redis://127.0.0.1:6379",
} = process.env

const CALLS = 2_000
const CONCURRENT = 50
const RECORDS = 10_000

async function sqlStore(options, after = () => {}) {
  const store = SqlStore(options)
  await store.migrate()
  return {
    store,
    async close() {
      for (let index = 0; index < RECORDS; index++) await store.delete("bench", `key-${index}`)
      for (let index = 0; index < 100; index++) await store.delete("bench", `counter-${index}`)
      await store.close()
      after()
    },
  }
}

const STORES = {
  memory: async () => ({ store: MemoryStore(), close: () => {} }),
  SQLite: async () => {
    const folder = mkdtempSync(join(tmpdir(), "latchkey-bench-"))
    return sqlStore({ sqlite: join(folder, "store.db") }, () => rmSync(folder, { recursive: true }))
  },
  PostgreSQL: () => sqlStore({ postgres }),
  MariaDB: () => sqlStore({ mysql }),
  Redis: async () => {
    const redis = new Redis(redisUrl)
    const prefix = `bench-${randomBytes(4).toString("hex")}:`
    const store = RedisStore(redis, { prefix })
    return {
      store,
      async close() {
        for await (const keys of redis.scanStream({ match: `${prefix}*`, count: 1000 }))
          if (keys.length > 0) await redis.del(keys)
        await redis.quit()
      },
    }
  },
}

const keyOf = (index) => `key-${index % RECORDS}`
const expires = new Date(Date.now() + 3_600_000)
const OPERATIONS = {
  get: (store, index) => store.get("bench", keyOf(index * 7)),
  set: (store, index) => store.set("bench", keyOf(index * 7), { value: "x".repeat(200), expires }),
  increment: (store, index) => store.increment("bench", `counter-${index % 100}`, { seconds: 900 }),
}

/** The mean time of a call in microseconds. */
async function meanMicroseconds(operation, store, concurrency) {
  const startedAt = performance.now()
  for (let index = 0; index < CALLS; index += concurrency)
    await Promise.all(Array.from({ length: concurrency }, (_, offset) => operation(store, index + offset)))
  return ((performance.now() - startedAt) * 1000) / CALLS
}

console.log("| | get | set | increment |\n|---|--:|--:|--:|")
for (const [name, open] of Object.entries(STORES)) {
  const { store, close } = await open()
  for (let index = 0; index < RECORDS; index++)
    await store.set("bench", keyOf(index), { value: "x".repeat(200), owner: `owner-${index % 1000}`, expires })
  const cells = []
  for (const operation of Object.values(OPERATIONS)) {
    await meanMicroseconds(operation, store, 1)
    const alone = await meanMicroseconds(operation, store, 1)
    const together = await meanMicroseconds(operation, store, CONCURRENT)
    cells.push(`${alone.toFixed(0)} µs, ${together.toFixed(0)} µs`)
  }
  console.log(`| ${name} | ${cells.join(" | ")} |`)
  await close()
}
