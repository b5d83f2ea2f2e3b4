/**
 * Users, accounts, sessions and sign-in links are in PostgreSQL, or in Redis with STORE=redis. So are the counts of
 * attempts, which all processes share.
 */
import { Redis } from "ioredis"
import { RedisAdapter } from "latchkey/adapters/redis"
import { SqlAdapter } from "latchkey/adapters/sql"

const { DATABASE_URL = "postgres://postgres@127.0.0.1:5432/postgres", REDIS_URL = "redis://127.0.0.1:6379" } =
  process.env
const prefix = process.env.REDIS_PREFIX || "latchkey-cluster:"

export function openAdapter() {
  if (process.env.STORE !== "redis") {
    const adapter = SqlAdapter({ postgres: DATABASE_URL })
    return { adapter, close: () => adapter.close() }
  }
  const redis = new Redis(REDIS_URL)
  redis.on("error", (error) => console.error(`Redis: ${error.message}`))
  return { adapter: RedisAdapter(redis, { prefix }), close: async () => redis.disconnect() }
}
