/**
 * Users, accounts, sessions and sign-in links in PostgreSQL, or all of them in Redis with STORE=redis; the counts of
 * attempts in Redis either way.
 */
import { Redis } from "ioredis"
import { RedisAdapter } from "latchkey/adapters/redis"
import { SqlAdapter } from "latchkey/adapters/sql"

const { DATABASE_URL = "postgres://postgres@127.0.0.1:5432/postgres", REDIS_URL = "redis://127.0.0.1:6379" } =
  process.env
const prefix = process.env.REDIS_PREFIX || "latchkey-cluster:"

export async function openStores() {
  const redis = new Redis(REDIS_URL)
  redis.on("error", (error) => console.error(`Redis: ${error.message}`))
  const adapter =
    process.env.STORE === "redis" ? RedisAdapter(redis, { prefix }) : SqlAdapter({ postgres: DATABASE_URL })
  return {
    adapter,
    limiter: limiterOn(redis),
    async close() {
      await adapter.close()
      redis.disconnect()
    },
  }
}

const REWARD = 'return redis.call("EXISTS", KEYS[1]) == 1 and redis.call("DECR", KEYS[1])'

/**
 * Counts where all processes see it: latchkey asks for one limiter for each kind of count. The package
 * rate-limiter-flexible has such limiters ready: `new RateLimiterRedis({ storeClient, keyPrefix: name, points, duration })`.
 */
const limiterOn =
  (redis) =>
  ({ name, points, windowSeconds }) => ({
    async consume(key) {
      const id = `${prefix}limit:${name}:${key}`
      const [[, used], , [, msBeforeNext]] = await redis
        .multi()
        .incr(id)
        .expire(id, windowSeconds, "NX")
        .pttl(id)
        .exec()
      if (used > points) throw { msBeforeNext }
    },
    // Only while it counts: else a key without an end would be made.
    reward: (key) => redis.eval(REWARD, 1, `${prefix}limit:${name}:${key}`),
  })
