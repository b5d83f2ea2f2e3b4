import { readFileSync } from "node:fs"
import { join } from "node:path"
import { runInThisContext } from "node:vm"
import { transformSync } from "esbuild"
import { Cluster, Redis } from "ioredis"
import { Kysely, type LogEvent, MysqlDialect, PostgresDialect, SqliteDialect } from "kysely"
import { createPool } from "mysql2"
import pg from "pg"
import { createClient, createCluster } from "redis"
import { MemoryStore } from "../../lib/store/memory.js"
import { RedisStore } from "../../lib/store/redis.js"
import { sqliteDatabase } from "../../lib/store/sql/sqlite.js"
import { SqlStore } from "../../lib/store/sql.js"
import type { OwnStore, Store } from "../../lib/store/store.js"
import { storeCases, testStore } from "../../lib/store/testing.js"
import { ioRedis, redisUrl } from "../support/stores/redis.js"
import { hasRedisServer, startNode, startRedisCluster } from "../support/stores/redis-cluster.js"
import { type Database, mysql, postgres, type SqlStore as SqlTestStore, sqlite } from "../support/stores/sql.js"
import { uniqueName } from "../support/stores/store.js"
import { describeStore } from "../support/stores.js"

describe("MemoryStore", () => {
  const store = MemoryStore()
  testStore(it, { create: () => ({ store }) })

  it("deletes expired records and keeps the others", async () => {
    let now = 0
    const timed = MemoryStore({ now: () => now })
    for (let index = 0; index < 10; index++)
      await timed.set("test", String(index), { value: "", owner: "o", expires: new Date(1_000 * (index + 1)) })
    now = 5_500
    expect(await timed.deleteExpired()).toBe(5)
    expect((await timed.list("test", "o")).map(({ key }) => key)).toEqual(["5", "6", "7", "8", "9"])
  })

  it("does not grow while records expire", async () => {
    let now = 0
    const timed = MemoryStore({ now: () => now })
    for (let index = 0; index < 20_000; index++) {
      now += 10
      await timed.set("test", String(index), { value: "", expires: new Date(now + 1_000) })
    }
    now += 1_000
    expect(await timed.deleteExpired()).toBeLessThan(2_000)
  })
})

function createKyselyDialect(dialect: SqlTestStore["dialect"], address: string) {
  if (dialect === "sqlite") return new SqliteDialect({ database: sqliteDatabase(address) })
  if (dialect === "mysql") return new MysqlDialect({ pool: createPool(address) })
  return new PostgresDialect({ pool: new pg.Pool({ connectionString: address }) })
}

for (const each of [sqlite, postgres, mysql])
  describeStore(`SqlStore, ${each.name}`, each, ({ createDatabase, dialect }) => {
    let database: Database
    let store: ReturnType<typeof SqlStore>
    beforeAll(async () => {
      database = await createDatabase()
      store = SqlStore(database.place)
      await store.migrate()
    })
    afterAll(async () => {
      await store.close()
      await database.drop()
    })

    testStore(it, { create: () => ({ store }) })

    it("can be migrated again, by several calls at once", async () => {
      await Promise.all([store, store, store].map((each) => each.migrate()))
    })

    it("deletes expired records and keeps the others", async () => {
      const now = Date.now()
      for (const [key, expires] of [
        ["a", now - 1],
        ["b", now + 60_000],
        ["c", null],
      ] as const)
        await store.set("sweep", key, { value: "", expires: expires === null ? null : new Date(expires) })
      await store.deleteExpired()
      const rows = await database.raw.query(
        "SELECT record_key FROM store_records WHERE kind = 'sweep' ORDER BY record_key",
      )
      expect(rows.map(({ record_key }) => record_key)).toEqual(["b", "c"])
    })

    it("counts in one window when the clocks of two processes differ", async () => {
      const key = uniqueName()
      const late = SqlStore({ ...database.place, now: () => Date.now() - 5_000 })
      expect((await store.increment("test", key, { seconds: 60 })).count).toBe(1)
      expect((await late.increment("test", key, { seconds: 60 })).count).toBe(2)
      expect((await store.increment("test", key, { seconds: 60 })).count).toBe(3)
      await late.close()
    })

    it("starts a new window when the clock was set back by hours", async () => {
      const key = uniqueName()
      const earlier = SqlStore({ ...database.place, now: () => Date.now() - 7_200_000 })
      await store.increment("test", key, { seconds: 60 })
      expect((await earlier.increment("test", key, { seconds: 60 })).count).toBe(1)
      await earlier.close()
    })

    it("creates a record if its expired predecessor is deleted during the call", async () => {
      const key = uniqueName()
      const insert = "INSERT INTO store_records (kind, record_key, owner, value, version, expires)"
      await database.raw.query(`${insert} VALUES ('test', ?, '', 'expired', 'v', 1)`, [key])
      const statements: string[] = []
      /** Called after each statement, before its result is returned. Deletes the row, as another process would. */
      const log = async ({ query }: LogEvent) => {
        statements.push(query.sql)
        if (statements.length === 1) await database.raw.query("DELETE FROM store_records WHERE record_key = ?", [key])
      }
      const db = new Kysely({ dialect: createKyselyDialect(dialect, database.address), log })
      const interposed = SqlStore({ db, dialect })
      const write = { value: "new", expires: null, ifVersion: null }
      expect(await interposed.set("test", key, write)).not.toBeNull()
      expect(statements[0]).toMatch(/^INSERT/)
      expect((await store.get("test", key))?.value).toBe("new")
      expect(await interposed.set("test", key, { ...write, value: "another" })).toBeNull()
      await interposed.close()
      await db.destroy()
    })

    it("names the migration command if its table is missing", async () => {
      const other = SqlStore({ ...database.place, table: "not_there" })
      await expect(other.get("test", "key")).rejects.toThrow("npx latchkey migrate")
      await other.close()
    })

    it("uses the configured table, with a schema where the database has schemas", async () => {
      const schema = { sqlite: "main", postgres: "public", mysql: undefined }[dialect]
      const name = uniqueName()
      const other = SqlStore({ ...database.place, table: schema ? `${schema}.${name}` : name })
      await other.migrate()
      await other.set("test", "key", { value: "other", owner: "o", expires: null })
      expect(await other.increment("test", "counter", { seconds: 60 })).toMatchObject({ count: 1 })
      expect((await other.list("test", "o"))[0]?.value).toBe("other")
      expect(await store.get("test", "key")).toBeNull()
      await database.raw.query(`DROP TABLE ${schema ? `${schema}.${name}` : name}`)
      await other.close()
    })

    it.each(["", "a b", "x; DROP TABLE y", 5])("rejects the table name %p", (table) => {
      // JavaScript callers can pass anything.
      expect(() => SqlStore({ ...database.place, table: table as string })).toThrow(/^SqlStore: table is /)
    })
  })

describeStore("RedisStore", ioRedis, () => {
  const clients = {
    ioredis: async () => {
      const client = new Redis(redisUrl)
      return { client, disconnect: () => client.quit() }
    },
    redis: async () => {
      const client = await createClient({ url: redisUrl }).connect()
      return { client, disconnect: () => client.close() }
    },
  }
  describe.each(Object.entries(clients))("with the package %s", (_, connect) => {
    let store: OwnStore
    let disconnect: () => Promise<unknown>
    beforeAll(async () => {
      const connected = await connect()
      disconnect = connected.disconnect
      store = RedisStore(connected.client, { prefix: `${uniqueName()}:` })
    })
    afterAll(() => disconnect())

    testStore(it, { create: () => ({ store }) })
  })

  it("lists records in batches of 100 that are read concurrently", async () => {
    const client = new Redis(redisUrl)
    const store = RedisStore(client, { prefix: `${uniqueName()}:` })
    const keys = Array.from({ length: 250 }, (_, index) => `key-${String(index).padStart(3, "0")}`)
    const write = { value: "", owner: "o", expires: new Date(Date.now() + 60_000) }
    await Promise.all([...keys].reverse().map((key) => store.set("test", key, write)))
    let concurrent = 0
    const sizes: number[] = []
    const send = client.sendCommand.bind(client)
    client.sendCommand = (command, ...rest) => {
      sizes.push(++concurrent)
      const answer = send(command, ...rest)
      void command.promise.finally(() => concurrent--)
      return answer
    }
    const listed = await store.list("test", "o", { limit: 1_000 })
    expect([listed.map(({ key }) => key), Math.max(...sizes)]).toEqual([keys, 100])
    sizes.length = 0
    expect((await store.list("test", "o", { limit: 5, after: "key-009" })).map(({ key }) => key)).toEqual(
      keys.slice(10, 15),
    )
    // One command reads the index, and five read the records.
    expect(sizes).toHaveLength(6)
    await client.quit()
  })

  it("removes deleted and expired records from the index of an owner who is never listed", async () => {
    const client = new Redis(redisUrl)
    const prefix = `${uniqueName()}:`
    const store = RedisStore(client, { prefix })
    const index = `${prefix}owner:test:o`
    /** Makes index entries old. New ones are kept, because another process may be about to write their records. */
    const makeOld = async () => {
      const keys = await client.zrange(index, "0", "-1")
      await client.zadd(index, "XX", ...keys.flatMap((key, position) => [String(position), key]))
    }
    const live = Array.from({ length: 20 }, (_, i) => `live-${String(i).padStart(2, "0")}`)
    for (const key of live) await store.set("test", key, { value: "", owner: "o", expires: null })
    for (let i = 0; i < 200; i++) {
      const isDeleted = i % 2 === 0
      const expires = isDeleted ? null : new Date(Date.now() + 1)
      await store.set("test", `ended-${i}`, { value: "", owner: "o", expires })
      if (isDeleted) await store.delete("test", `ended-${i}`)
      await makeOld()
    }
    expect(await client.zcard(index)).toBeLessThan(60)
    expect((await store.list("test", "o")).map(({ key }) => key).filter((key) => !key.startsWith("ended"))).toEqual(
      live,
    )
    await client.del(index, ...live.map((key) => `${prefix}record:test:${key}`))
    await client.quit()
  })

  it("rejects a value that is not a client", () => {
    expect(() => RedisStore({} as Redis)).toThrow(/^RedisStore needs a client/)
  })
})

if (!hasRedisServer && !process.env["CI"]) console.warn("SKIPPED: RedisStore on a cluster: there is no redis-server")
const describeServers = hasRedisServer || process.env["CI"] ? describe : describe.skip

describeServers("RedisStore on a Redis Cluster", () => {
  let server: Awaited<ReturnType<typeof startRedisCluster>>
  let io: Cluster
  let node: ReturnType<typeof clusterAt>
  const clusterAt = (port: number) => createCluster({ rootNodes: [{ url: `redis://127.0.0.1:${port}` }] })
  beforeAll(async () => {
    server = await startRedisCluster()
    io = new Cluster([{ host: "127.0.0.1", port: server.port }])
    node = clusterAt(server.port)
    await node.connect()
  })
  afterAll(async () => {
    await io?.quit()
    await node?.close()
    await server?.stop()
  })

  describe("with ioredis", () => testStore(it, { create: () => ({ store: RedisStore(io) }) }))
  describe("with node-redis", () => testStore(it, { create: () => ({ store: RedisStore(node, { prefix: "node:" }) }) }))
})

describeServers("RedisStore on a server that evicts keys", () => {
  it("is not durable, and warns once", async () => {
    const server = await startNode(["--maxmemory-policy", "allkeys-lru"])
    const emitWarning = jest.spyOn(process, "emitWarning").mockImplementation(() => undefined)
    try {
      const store = RedisStore(server.redis)
      expect(store.durable).toBe(true)
      await Promise.all([store.get("test", "a"), store.get("test", "b")])
      for (let tries = 0; tries < 100 && emitWarning.mock.calls.length === 0; tries++)
        await new Promise((go) => setTimeout(go, 20))
      expect(store.durable).toBe(false)
      expect(emitWarning.mock.calls.map(([message]) => message)).toEqual([
        expect.stringContaining("maxmemory-policy is allkeys-lru"),
      ])
    } finally {
      emitWarning.mockRestore()
      server.redis.disconnect()
      await server.stop()
    }
  })
})

describe("the store of examples/own-storage", () => {
  const code = readFileSync(join(__dirname, "../../examples/own-storage/store.js"), "utf8")
  const { code: script } = transformSync(code, { format: "cjs" })
  const example: { exports: { TinyStore?: () => Store } } = { exports: {} }
  runInThisContext(`(module, require) => {${script}}`)(example, require)
  const create = () => ({ store: example.exports.TinyStore?.() ?? MemoryStore() })

  it("is found", () => {
    expect(typeof example.exports.TinyStore).toBe("function")
  })

  const REJECTED = "invalid kinds, keys, owners and values are rejected"
  for (const { name, run } of storeCases({ create }).filter(({ name }) => name !== REJECTED)) it(name, run)
})

describe("the store tests", () => {
  const broken: Record<string, (good: OwnStore) => Partial<OwnStore>> = {
    "ignores ifVersion": (good) => ({ set: (kind, key, { ifVersion: _, ...record }) => good.set(kind, key, record) }),
    "compares before it writes": (good) => ({
      async set(kind, key, { ifVersion, ...record }) {
        const found = (await good.get(kind, key))?.version ?? null
        await new Promise(setImmediate)
        return ifVersion !== undefined && found !== ifVersion ? null : good.set(kind, key, record)
      },
    }),
    "forgets the owner": (good) => ({ set: (kind, key, { owner: _, ...record }) => good.set(kind, key, record) }),
    "never lets a record expire": (good) => ({
      set: (kind, key, record) => good.set(kind, key, { ...record, expires: null }),
    }),
    "moves the window": (good) => ({
      async increment(kind, key, window) {
        const { count } = await good.increment(kind, key, window)
        return { count, resetsAt: new Date(Date.now() + 7_200_000) }
      },
    }),
    "ignores pages": (good) => ({ list: (kind, owner) => good.list(kind, owner) }),
    "folds the case of keys": (good) => ({
      get: (kind, key) => good.get(kind, key.toLowerCase()),
      set: (kind, key, record) => good.set(kind, key.toLowerCase(), record),
    }),
    "deletes any version": (good) => ({ delete: (kind, key) => good.delete(kind, key) }),
  }

  it.each(Object.entries(broken))("fail for a store that %s", async (_, change) => {
    const good = MemoryStore()
    const results = await Promise.allSettled(
      storeCases({ create: () => ({ store: { ...good, ...change(good) } }) }).map(({ run }) => run()),
    )
    expect(results.filter(({ status }) => status === "rejected").length).toBeGreaterThan(0)
  })
})
