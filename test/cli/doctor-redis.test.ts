import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { createClient } from "redis"
import { RedisAdapter } from "../../lib/adapters/redis.js"
import { type Node, startNode } from "../support/stores/redis-cluster.js"
import { Project } from "./support/project.js"

let server: Node
let project: Project
beforeAll(async () => {
  server = await startNode(["--maxmemory-policy", "allkeys-lru"])
  project = new Project(["ioredis"])
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

async function redisFindings() {
  const env = { AUTH_SECRET: "lfVCcC0mzr0lYbGXmYQ1t5vCIE0mBfKQ9rPyZQsVb8Qe" }
  const { out } = await project.latchkey(["doctor", "--json", "auth.mjs"], { env })
  const findings: { code: string; level: string; seen?: string }[] = JSON.parse(out)
  return findings.filter(({ code }) => code.startsWith("redis-"))
}

describe("doctor with a Redis adapter for users", () => {
  it("warns about a policy that evicts users and about missing persistence", async () => {
    expect(await redisFindings()).toMatchObject([
      { code: "redis-evicts-users", level: "warning", seen: "maxmemory-policy allkeys-lru" },
      { code: "redis-not-persistent", level: "warning", seen: 'appendonly no, and save ""' },
    ])
  })

  it("reports ok for a server that keeps users", async () => {
    await server.redis.config("SET", "maxmemory-policy", "noeviction", "save", "3600 1")
    expect((await redisFindings()).map(({ level }) => level)).toEqual(["ok", "ok"])
  })

  it("does not report settings that the server hides", async () => {
    await server.redis.config("SET", "save", "")
    await server.redis.acl("SETUSER", "limited", "on", "nopass", "~*", "+@all", "-config")
    const client = await createClient({ url: `redis://limited:any@127.0.0.1:${server.port}` }).connect()
    const settings = await RedisAdapter(client).serverSettings()
    await client.close()
    expect(settings).toEqual({ evictionPolicy: "noeviction", isPersistent: undefined })
  })
})
