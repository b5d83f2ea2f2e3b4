/**
 * `@auth/unstorage-adapter` with three drivers of unstorage.
 *
 * @module
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createStorage, type Driver, type Storage } from "unstorage"
import fsDriver from "unstorage/drivers/fs-lite"
import memoryDriver from "unstorage/drivers/memory"
import redisDriver from "unstorage/drivers/redis"
import { uniqueName } from "../../../support/stores/store.js"
import { load } from "./load.js"
import type { OpenAdapter, Published, Row } from "./published.js"

const redisUrl = process.env["TEST_REDIS_URL"] ?? "redis://127.0.0.1:6379"

/** The records whose key matches; the store's other keys are lists and references. */
async function records(storage: Storage, key: RegExp): Promise<Row[]> {
  const keys = (await storage.getKeys()).filter((one) => key.test(one))
  return Promise.all(keys.map(async (one) => (await storage.getItem<Row>(one)) ?? {}))
}

function openStorage(driver: Driver, remove: () => void = () => {}): OpenAdapter {
  const storage = createStorage({ driver })
  return {
    adapter: load("unstorage-adapter").UnstorageAdapter(storage),
    kept: async () => ({
      users: await records(storage, /^user:[^:]+$/),
      accounts: await records(storage, /^user:account:(?!by-user-id:)/),
      sessions: await records(storage, /^user:session:(?!by-user-id:)/),
      links: await records(storage, /^user:token:/),
    }),
    async close() {
      await storage.clear()
      await storage.dispose()
      remove()
    },
  }
}

const unstorage: Omit<Published, "name" | "open"> = {
  isAtomic: false,
  isUnique: false,
  without: [
    "unverified-changes",
    "partial-updates",
    "known-users",
    "address-changes",
    "unique-email",
    "unique-account",
    "unique-passkey",
    "two-part-keys",
    "plain-text",
    "atomic-tokens",
    "counters",
    "hashed-sessions",
  ],
  // It deletes the user, but then fails if the user has no account or no session.
  skip: ["deleteUser"],
}

export const unstorageMemory: Published = {
  ...unstorage,
  name: "@auth/unstorage-adapter in memory",
  open: async () => openStorage(memoryDriver()),
}

export const unstorageFiles: Published = {
  ...unstorage,
  name: "@auth/unstorage-adapter in files",
  // File names cannot contain every character.
  without: [...unstorage.without, "exact-text"],
  async open() {
    const base = mkdtempSync(join(tmpdir(), "latchkey-unstorage-"))
    return openStorage(fsDriver({ base }), () => rmSync(base, { recursive: true, force: true }))
  },
}

export const unstorageRedis: Published = {
  ...unstorage,
  name: "@auth/unstorage-adapter in Redis",
  url: redisUrl,
  open: async () => openStorage(redisDriver({ url: redisUrl, base: uniqueName() })),
}
