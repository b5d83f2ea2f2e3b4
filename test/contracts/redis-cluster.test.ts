import { Cluster } from "ioredis"
import { createCluster } from "redis"
import { RedisAdapter } from "../../lib/adapters/redis.js"
import { testAdapter } from "../../lib/adapters/testing.js"
import { hasRedisServer, startRedisCluster } from "../support/stores/redis-cluster.js"

if (!hasRedisServer && !process.env["CI"]) console.warn("SKIPPED: RedisAdapter on a cluster: there is no redis-server")
const describeCluster = hasRedisServer || process.env["CI"] ? describe : describe.skip

describeCluster("RedisAdapter on a Redis Cluster", () => {
  let server: Awaited<ReturnType<typeof startRedisCluster>>
  let io: Cluster
  let node: ReturnType<typeof clusterOf>
  const clusterOf = (port: number) => createCluster({ rootNodes: [{ url: `redis://127.0.0.1:${port}` }] })

  beforeAll(async () => {
    server = await startRedisCluster()
    io = new Cluster([{ host: "127.0.0.1", port: server.port }])
    node = clusterOf(server.port)
    await node.connect()
  })
  afterAll(async () => {
    await io?.quit()
    await node?.close()
    await server?.stop()
  })

  describe("with ioredis", () => {
    testAdapter(it, {
      complete: true,
      passkeys: true,
      create: () => ({ adapter: RedisAdapter(io, { prefix: "{io}:" }) }),
    })
  })

  describe("with node-redis", () => {
    testAdapter(it, {
      complete: true,
      passkeys: true,
      create: () => ({ adapter: RedisAdapter(node, { prefix: "{node}:" }) }),
    })
  })

  it("deletes expired sessions in deleteExpired", async () => {
    const adapter = RedisAdapter(io, { prefix: "{sweep}:" })
    const user = await adapter.createUser({ id: "1", email: "ada@example.test", emailVerified: null })
    for (const [sessionToken, life] of [
      ["kept", 60_000],
      ["ended", 30],
    ] as const)
      await adapter.createSession({ sessionToken, userId: user.id, expires: new Date(Date.now() + life) })
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect(await adapter.deleteExpired()).toBe(1)
  })

  it("rejects a prefix without a hash tag and shows a valid one", () => {
    for (const client of [io, node])
      for (const prefix of [undefined, "auth:", "{}auth:", "}auth{:"])
        expect(() => RedisAdapter(client, prefix === undefined ? {} : { prefix })).toThrow(
          new TypeError(
            'In a cluster all keys must be on one node. Write a prefix with a hash tag: RedisAdapter(client, { prefix: "{auth}:" })',
          ),
        )
  })
})
