import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { createClient } from "redis"
import { RedisAdapter } from "../../lib/adapters/redis.js"
import { type Node, startNode, startRedisCluster } from "../support/stores/redis-cluster.js"
import { Project } from "./support/project.js"

let server: Node
let project: Project
beforeAll(async () => {
  server = await startNode(["--maxmemory-policy", "allkeys-lru"])
  project = new Project(["ioredis", "kysely", "better-sqlite3"])
  writeFileSync(
    join(project.folder, "auth.mjs"),
    `import { Redis } from "ioredis"
import { RedisAdapter } from "latchkey/adapters/redis"
export default { adapter: RedisAdapter(new Redis(${server.port})), providers: [] }`,
  )
})
afterAll(async () => {
  server?.redis.disconnect()
  await server?.stop()
  project?.remove()
})

const ADAPTER = "auth.mjs"

interface Finding {
  readonly code: string
  readonly level: string
  readonly subject: string
  readonly cause: string
  readonly seen?: string
  readonly fix?: string
}

async function findingsIn(file: string, env: Record<string, string> = {}): Promise<Finding[]> {
  const AUTH_SECRET = "lfVCcC0mzr0lYbGXmYQ1t5vCIE0mBfKQ9rPyZQsVb8Qe"
  const { out } = await project.latchkey(["doctor", "--json", file], { env: { AUTH_SECRET, ...env } })
  const findings: Finding[] = JSON.parse(out)
  return findings.filter(({ code }) => /^redis-|^store-not-durable/.test(code))
}

const levels = async (file: string) => (await findingsIn(file)).map(({ level }) => level)

/** Writes a configuration with a store. */
function writeStore(text: string): string {
  const file = `store-${crypto.randomUUID()}.mjs`
  const imports = [
    'import { Redis, Cluster } from "ioredis"',
    'import { MemoryAdapter } from "latchkey/adapters/memory"',
    'import { MemoryStore } from "latchkey/stores/memory"',
    'import { RedisStore } from "latchkey/stores/redis"',
    'import { SqlStore } from "latchkey/stores/sql"',
  ]
  writeFileSync(join(project.folder, file), `${imports.join("\n")}\nexport default { providers: [], ${text} }`)
  return file
}

describe("doctor with a Redis adapter for users", () => {
  it("warns about a policy that evicts users and about missing persistence", async () => {
    expect(await findingsIn(ADAPTER)).toMatchObject([
      { code: "redis-evicts-data", level: "warning", subject: "adapter", seen: "maxmemory-policy allkeys-lru" },
      { code: "redis-not-persistent", level: "warning", subject: "adapter", seen: 'appendonly no, and save ""' },
    ])
  })

  it("warns about snapshots alone, which bring ended sessions back", async () => {
    await server.redis.config("SET", "maxmemory-policy", "volatile-ttl", "save", "3600 1")
    expect(await findingsIn(ADAPTER)).toMatchObject([
      { level: "warning", seen: "maxmemory-policy volatile-ttl", fix: "maxmemory-policy noeviction" },
      { level: "warning", seen: "appendonly no, and save is set", fix: "appendonly yes" },
    ])
  })

  it("reports ok for a server that keeps users", async () => {
    await server.redis.config("SET", "maxmemory-policy", "noeviction", "appendonly", "yes")
    expect(await levels(ADAPTER)).toEqual(["ok", "ok"])
  })

  it("states what to check if the server hides its settings", async () => {
    await server.redis.config("SET", "appendonly", "no", "save", "")
    await server.redis.acl("SETUSER", "limited", "on", "nopass", "~*", "+@all", "-config")
    const client = await createClient({ url: `redis://limited:any@127.0.0.1:${server.port}` }).connect()
    const settings = await RedisAdapter(client).serverSettings()
    await client.close()
    expect(settings).toEqual({ evictionPolicy: "noeviction", appendsChanges: false, isPersistent: undefined })
    const file = writeStore(`store: RedisStore(new Redis("redis://limited:any@127.0.0.1:${server.port}"))`)
    expect(await findingsIn(file)).toMatchObject([
      { code: "redis-evicts-data", level: "ok", subject: "store" },
      { level: "skipped", cause: "the server does not allow CONFIG GET save: check that it has appendonly yes" },
    ])
  })
})

describe("doctor with a store for the records of sessions", () => {
  it("warns about a Redis server that loses them", async () => {
    await server.redis.config("SET", "maxmemory-policy", "volatile-lru", "appendonly", "no", "save", "")
    expect(await findingsIn(writeStore(`store: RedisStore(new Redis(${server.port}))`))).toMatchObject([
      { code: "redis-evicts-data", level: "warning", subject: "store", seen: "maxmemory-policy volatile-lru" },
      { code: "redis-not-persistent", level: "warning", subject: "store", seen: 'appendonly no, and save ""' },
    ])
  })

  it("has no findings without records of sessions", async () => {
    const file = writeStore(`store: RedisStore(new Redis(${server.port})), session: { revocable: false }`)
    expect(await findingsIn(file)).toEqual([])
  })

  it("states what to check on the nodes of a cluster", async () => {
    const cluster = await startRedisCluster()
    try {
      expect(await findingsIn(writeStore(`store: RedisStore(new Cluster([${cluster.port}]))`))).toMatchObject([
        {
          level: "skipped",
          cause: expect.stringContaining("each node has maxmemory-policy noeviction and appendonly"),
        },
      ])
    } finally {
      await cluster.stop()
    }
  })

  it.each([
    ["MemoryStore", "store: MemoryStore()", "records in the memory of the process"],
    ["the store of MemoryAdapter", "adapter: MemoryAdapter()", "records in the memory of the process"],
    ["a database in memory", 'store: SqlStore({ sqlite: ":memory:" })', "durable: false"],
  ])("warns about %s in production only", async (_, text, seen) => {
    const file = writeStore(text)
    const [finding, ...others] = await findingsIn(file, { NODE_ENV: "production", AUTH_URL: "https://app.example" })
    const expected = { code: "store-not-durable", level: "warning", subject: "store", seen }
    expect([finding, others]).toMatchObject([{ ...expected, fix: expect.stringContaining("store: SqlStore(") }, []])
    expect(await levels(file)).toEqual(["ok"])
  })

  it("reports ok for a database on disk", async () => {
    expect(await levels(writeStore('store: SqlStore({ sqlite: "records.db" })'))).toEqual(["ok"])
  })
})
