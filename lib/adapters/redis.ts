/**
 * Stores users and sessions in Redis, with the application's client.
 *
 * @module
 */

import { createScriptRunner, hasHashTag, isCluster, type RedisClient } from "../store/redis/client.js"
import { type RedisServerSettings, readServerSettings } from "../store/redis/settings.js"
import { RedisStore } from "../store/redis.js"
import type { BuiltInAdapter, ClearTextTokenAccess } from "./adapter.js"
import { createMethods, createTokenMethods } from "./redis/methods.js"
import { SCRIPT } from "./redis/script.js"
import { type RunWithPrefix, runOperations, Transactions } from "./redis/transaction.js"

export type { IoRedisClient, NodeRedisClient, RedisClient, ScriptCall } from "../store/redis/client.js"
export type { RedisServerSettings } from "../store/redis/settings.js"

/** Options of the Redis adapter. */
export interface RedisAdapterOptions {
  /**
   * The prefix of every key. In a cluster it must contain a hash tag, for example `{auth}:`, so that all keys are on
   * one node. @default "auth:"
   */
  prefix?: string
}

/** An adapter for a Redis server. */
export interface OwnRedisAdapter extends BuiltInAdapter, ClearTextTokenAccess {
  /**
   * Reads the server settings that affect persistence. Returns undefined for a cluster, and for a client that can
   * only run scripts.
   */
  serverSettings(): Promise<RedisServerSettings | undefined>
}

/**
 * Removes the entries of expired sessions and links from the sets that index them. Returns the number of removed
 * entries. Works in steps of about 500 keys, so that Redis can execute other commands in between.
 */
async function pruneIndices(run: RunWithPrefix): Promise<number> {
  let removed = 0
  let cursor = "0"
  do {
    // The operation returns two strings: the next cursor, and the number of removed entries.
    const [next, count] = JSON.parse(await runOperations(run, [["pruneIndices", cursor]], { mode: "keep" })) as [
      string,
      string,
    ]
    removed += Number(count)
    cursor = next
  } while (cursor !== "0")
  return removed
}

/**
 * Stores users, accounts, sessions, links and passkeys in Redis.
 *
 * The client is from `ioredis` or `redis`; the adapter detects the package by the client's methods. The application
 * closes the client.
 *
 * @throws TypeError when the client is from neither package, or is a cluster client and the prefix has no hash tag
 *
 * @example
 * import { Redis } from "ioredis"
 * import { RedisAdapter } from "latchkey/adapters/redis"
 *
 * app.use(authMiddleware({ adapter: RedisAdapter(new Redis(process.env.REDIS_URL)), providers: [GitHub] }))
 */
export function RedisAdapter(client: RedisClient, { prefix = "auth:" }: RedisAdapterOptions = {}): OwnRedisAdapter {
  if (isCluster(client) && !hasHashTag(prefix))
    throw new TypeError(
      'In a cluster all keys must be on one node. Write a prefix with a hash tag: RedisAdapter(client, { prefix: "{auth}:" })',
    )
  const runScript = createScriptRunner(client, SCRIPT, "RedisAdapter")
  // `String` is needed because a client can be configured to return buffers.
  const run: RunWithPrefix = async (...args) => String(await runScript([prefix], args))
  const transactions = new Transactions(run)
  return {
    ...createMethods((operation) => transactions.perform(operation)),
    ...createTokenMethods((operation) => transactions.perform(operation)),
    transaction: (work) => transactions.run(work),
    store: RedisStore(client, { prefix: `${prefix}store:` }),
    migrate: async () => undefined,
    deleteExpired: () => pruneIndices(run),
    close: async () => undefined,
    serverSettings: () => readServerSettings(client),
  }
}
