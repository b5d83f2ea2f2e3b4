/**
 * Users and sessions in Redis, over a client that the application already has.
 *
 * @module
 */
import type { OwnAdapter } from "./adapter.js"
import { type RedisClient, type RunScript, scriptRunner } from "./redis/client.js"
import { methodsOver } from "./redis/methods.js"
import { type RedisServerSettings, readServerSettings } from "./redis/server-settings.js"
import { runOperations, Transactions } from "./redis/transaction.js"

export type { IoRedisClient, NodeRedisClient, RedisClient, ScriptCall } from "./redis/client.js"
export type { RedisServerSettings } from "./redis/server-settings.js"

/** What a Redis adapter may be told. */
export interface RedisAdapterOptions {
  /**
   * What every key begins with; `auth:` by itself. In a cluster it must hold a hash tag, `{auth}:` for instance, so
   * that all keys are on one node.
   */
  prefix?: string
}

/** An adapter of a Redis server. */
export interface OwnRedisAdapter extends OwnAdapter {
  /** Reads on which settings of the server it depends whether users are kept; undefined for a cluster. */
  serverSettings(): Promise<RedisServerSettings | undefined>
}

/** Goes through all indices, some hundred keys at a time, so that Redis does other work in between. */
async function sweep(run: RunScript): Promise<number> {
  let swept = 0
  let cursor = "0"
  do {
    // The operation gives two texts: where to go on, and how many names it has removed.
    const [next, gone] = JSON.parse(await runOperations(run, [["sweep", cursor]], { mode: "keep" })) as [string, string]
    swept += Number(gone)
    cursor = next
  } while (cursor !== "0")
  return swept
}

/**
 * Keeps users, accounts, sessions, links and passkeys in Redis.
 *
 * The client is one of `ioredis` or of `redis`; it is told by its methods which, and it stays the application's.
 *
 * @throws TypeError when the client is neither's, or a cluster's and the prefix has no hash tag
 *
 * @example
 * import { Redis } from "ioredis"
 * import { RedisAdapter } from "latchkey/adapters/redis"
 *
 * app.use(authMiddleware({ adapter: RedisAdapter(new Redis(process.env.REDIS_URL)), providers: [GitHub] }))
 */
export function RedisAdapter(client: RedisClient, { prefix = "auth:" }: RedisAdapterOptions = {}): OwnRedisAdapter {
  const run = scriptRunner(client, prefix)
  const transactions = new Transactions(run)
  return {
    ...methodsOver((operation) => transactions.perform(operation)),
    transaction: (work) => transactions.run(work),
    migrate: async () => undefined,
    sweep: () => sweep(run),
    close: async () => undefined,
    serverSettings: () => readServerSettings(client),
  }
}
