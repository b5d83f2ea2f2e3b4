/**
 * Compiled only: the stores, and their use in a configuration.
 *
 * @module
 */
import { authMiddleware } from "latchkey"
import { MemoryStore } from "latchkey/stores/memory"
import { type RedisClient, RedisStore } from "latchkey/stores/redis"
import { SqlStore } from "latchkey/stores/sql"
import { testStore } from "latchkey/stores/testing"
import type { Store, StoreRecord } from "latchkey/types"

declare const redis: RedisClient
declare const it: (name: string, run: () => Promise<void>) => void

const stores: Store[] = [
  MemoryStore(),
  RedisStore(redis, { prefix: "{auth}:" }),
  SqlStore({ sqlite: "auth.db" }),
  SqlStore({ postgres: process.env["DATABASE_URL"], table: "auth.records" }),
]
for (const store of stores) {
  authMiddleware({ providers: [], store })
  testStore(it, { create: () => ({ store }) })
}

/** A record, and the version that replaced it. */
export async function replace(store: Store, key: string): Promise<[StoreRecord | null, string | null]> {
  const record = await store.get("example", key)
  return [record, await store.set("example", key, { value: "", expires: null, ifVersion: record?.version ?? null })]
}

// @ts-expect-error a database is required
SqlStore({ table: "records" })
// @ts-expect-error `expires` is required
MemoryStore().set("example", "key", { value: "" })
