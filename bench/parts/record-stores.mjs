/**
 * Stores that are filled with records in bulk. Each returns the store, and a function that deletes everything.
 *
 * @module
 */
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Redis } from "ioredis"
import mysql from "mysql2/promise"
import pg from "pg"
import { RedisStore } from "../../dist/stores/redis.js"
import { SqlStore } from "../../dist/stores/sql.js"
import { createPostgresDatabase } from "./postgres-database.mjs"

const { TEST_MYSQL_URL: mysqlUrl = "mysql://root@127.0.0.1:3306/test" } = process.env

const COLUMNS = ["kind", "record_key", "owner", "value", "version", "expires"]
const rowOf = (record) => COLUMNS.map((column) => record[column])

async function sqlite(batches) {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-bench-"))
  const file = join(folder, "store.db")
  const store = SqlStore({ sqlite: file })
  await store.migrate()
  const Database = process.getBuiltinModule("node:sqlite")?.DatabaseSync ?? (await import("better-sqlite3")).default
  const db = new Database(file)
  const statement = db.prepare(`INSERT INTO store_records (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)`)
  for (const records of batches) {
    db.exec("BEGIN")
    for (const record of records) statement.run(...rowOf(record))
    db.exec("COMMIT")
  }
  db.exec("ANALYZE")
  db.close()
  return { store, drop: () => store.close().then(() => rmSync(folder, { recursive: true })) }
}

async function postgres(batches) {
  const { adapter, url, drop } = await createPostgresDatabase()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const types = COLUMNS.map((column, index) => `$${index + 1}::${column === "expires" ? "bigint" : "text"}[]`)
  const insert = `INSERT INTO store_records (${COLUMNS}) SELECT * FROM unnest(${types})`
  for (const records of batches)
    await client.query(
      insert,
      COLUMNS.map((column) => records.map((record) => record[column])),
    )
  await client.query("VACUUM ANALYZE store_records")
  await client.end()
  return { store: adapter.store, drop: () => adapter.close().then(drop) }
}

async function mariadb(batches) {
  const name = `latchkey_bench_${randomBytes(4).toString("hex")}`
  const admin = await mysql.createConnection(mysqlUrl)
  await admin.query(`CREATE DATABASE ${name}`)
  await admin.query(`USE ${name}`)
  const url = Object.assign(new URL(mysqlUrl), { pathname: `/${name}` })
  const store = SqlStore({ mysql: url.href })
  await store.migrate()
  for (const records of batches)
    await admin.query(`INSERT INTO store_records (${COLUMNS}) VALUES ?`, [records.map(rowOf)])
  await admin.query("ANALYZE TABLE store_records")
  return {
    store,
    async drop() {
      await store.close()
      await admin.query(`DROP DATABASE ${name}`)
      await admin.end()
    },
  }
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address()
  server.close()
  await once(server, "close")
  return port
}

/** A server of its own, because other clients of a shared one may scan all keys. */
async function redis(batches) {
  const port = await freePort()
  const server = spawn("redis-server", ["--port", `${port}`, "--bind", "127.0.0.1", "--save", ""], { stdio: "ignore" })
  await once(server, "spawn")
  const client = new Redis(port, { maxRetriesPerRequest: 100 })
  client.on("error", () => {})
  const prefix = "bench:"
  for (const records of batches) {
    const pipeline = client.pipeline()
    for (const { kind, record_key, owner, value, version, expires } of records) {
      const [key, index] = [`${prefix}record:${kind}:${record_key}`, `${prefix}owner:${kind}:${owner}`]
      pipeline.set(key, [version, expires, owner, value].join("\n")).pexpireat(key, expires)
      pipeline.zadd(index, Date.now(), record_key).pexpireat(index, expires)
    }
    await pipeline.exec()
  }
  return {
    store: RedisStore(client, { prefix }),
    async drop() {
      client.disconnect()
      server.kill()
      await once(server, "exit")
    },
  }
}

export const RECORD_STORES = { SQLite: sqlite, PostgreSQL: postgres, MariaDB: mariadb, Redis: redis }
