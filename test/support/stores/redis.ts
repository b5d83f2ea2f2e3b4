import { Redis } from "ioredis"
import { createClient } from "redis"
import { RedisAdapter, type RedisClient } from "../../../lib/adapters/redis.js"
import { type Store, uniqueName } from "./store.js"

export const redisUrl = process.env["TEST_REDIS_URL"] ?? "redis://127.0.0.1:6379"

/** Reads a key of any type. */
async function read(redis: Redis, key: string): Promise<unknown> {
  switch (await redis.type(key)) {
    case "hash":
      return await redis.hgetall(key)
    case "zset":
      return (await redis.zrange(key, "0", "-1")).sort()
    case "set":
      return (await redis.smembers(key)).sort()
    default:
      return await redis.get(key)
  }
}

/** The keys with a prefix. */
export async function listKeys(redis: Redis, prefix: string): Promise<string[]> {
  const keys: string[] = []
  for await (const found of redis.scanStream({ match: `${prefix}*`, count: 1000 })) keys.push(...(found as string[]))
  return [...new Set(keys)].sort()
}

/** Keys and values as text. */
export async function dumpRedis(redis: Redis, prefix: string): Promise<string> {
  const keys = await listKeys(redis, prefix)
  return JSON.stringify(await Promise.all(keys.map(async (key) => [key, await read(redis, key)])))
}

interface Connection {
  readonly client: RedisClient
  disconnect(): Promise<unknown>
}

const redisStore = (name: string, connect: () => Promise<Connection>): Store => ({
  name,
  url: redisUrl,
  async create() {
    const prefix = `${uniqueName()}:`
    const redis = new Redis(redisUrl)
    const { client, disconnect } = await connect()
    const keys = async (kind: string) => (await listKeys(redis, `${prefix}${kind}:`)).length
    return {
      adapter: RedisAdapter(client, { prefix }),
      dump: () => dumpRedis(redis, prefix),
      counts: async () => ({
        users: await keys("user"),
        accounts: await keys("account"),
        sessions: await keys("session"),
        links: await keys("token"),
      }),
      async close() {
        const left = await listKeys(redis, prefix)
        if (left.length > 0) await redis.del(left)
        await disconnect()
        await redis.quit()
      },
    }
  },
})

/** Redis with the package `ioredis`. */
export const ioRedis = redisStore("Redis with ioredis", async () => {
  const client = new Redis(redisUrl)
  return { client, disconnect: () => client.quit() }
})

/** Redis with the package `redis`. */
export const nodeRedis = redisStore("Redis with node-redis", async () => {
  const client = createClient({ url: redisUrl })
  await client.connect()
  return { client, disconnect: () => client.close() }
})
