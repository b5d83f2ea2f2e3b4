import { randomBytes } from "node:crypto"
import pg from "pg"
import { SqlAdapter } from "../../dist/adapters/sql.js"

const { TEST_POSTGRES_URL: server = "postgres://postgres@127.0.0.1:5432/postgres" } = process.env

/** Creates a separate database with our tables on the PostgreSQL server of the tests; `drop` deletes it. */
export async function createPostgresDatabase() {
  const name = `latchkey_bench_${randomBytes(4).toString("hex")}`
  const admin = new pg.Client({ connectionString: server })
  await admin.connect()
  await admin.query(`CREATE DATABASE ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  const adapter = SqlAdapter({ postgres: url.href })
  await adapter.migrate()
  return {
    adapter,
    url: url.href,
    async drop() {
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`)
      await admin.end()
    },
  }
}
