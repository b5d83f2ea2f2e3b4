import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Redis } from "ioredis"

/** True if redis-server is installed. */
export const hasRedisServer = spawnSync("redis-server", ["--version"], { stdio: "ignore" }).status === 0

/** A free port. The port of the cluster bus is ten thousand higher. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  const port = typeof address === "object" && address ? address.port : 0
  return port > 1024 && port < 55_000 ? port : freePort()
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    if (await isSo()) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error("the cluster did not come up")
}

export interface Node {
  readonly port: number
  readonly redis: Redis
  /** Stops the process without ending it, so that it accepts connections and does not respond. */
  freeze(): void
  thaw(): void
  /** Kills the process, and starts it again with the data on its disk. */
  restart(): Promise<void>
  stop(): Promise<void>
}

const CLUSTER = ["--cluster-enabled", "yes", "--cluster-announce-ip", "127.0.0.1"]

/** Starts a server that stores nothing on disk by default. */
export async function startNode(settings: readonly string[] = CLUSTER): Promise<Node> {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-redis-"))
  const port = await freePort()
  const args = ["--port", `${port}`, "--bind", "127.0.0.1", "--dir", folder, "--save", "", ...settings]
  const start = () => spawn("redis-server", args, { stdio: "ignore" })
  let server = start()
  const redis = new Redis(port, { maxRetriesPerRequest: 50 })
  redis.on("error", () => undefined)
  return {
    ...{ port, redis },
    freeze: () => void server.kill("SIGSTOP"),
    thaw: () => void server.kill("SIGCONT"),
    async restart() {
      await end(server)
      server = start()
    },
    async stop() {
      await end(server)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function end(server: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => server.once("exit", resolve))
  server.kill("SIGKILL")
  await ended
}

/** True if all nodes know an owner of every slot. */
const isUp = async (nodes: readonly Node[]): Promise<boolean> => {
  const infos = await Promise.all(nodes.map(async ({ redis }) => String(await redis.cluster("INFO"))))
  return infos.every((info) => info.includes("cluster_state:ok") && info.includes("cluster_slots_ok:16384"))
}

/** A cluster of two nodes, each with half of the slots, and more settings for both. */
export async function startRedisCluster(settings: readonly string[] = []): Promise<Omit<Node, "redis">> {
  const [first, second] = [await startNode([...CLUSTER, ...settings]), await startNode([...CLUSTER, ...settings])]
  const nodes = [first, second]
  await first.redis.cluster("ADDSLOTSRANGE", 0, 8191)
  await second.redis.cluster("ADDSLOTSRANGE", 8192, 16_383)
  await first.redis.cluster("MEET", "127.0.0.1", second.port)
  await until(() => isUp(nodes))
  for (const { redis } of nodes) redis.disconnect()
  const onEach = async (run: (node: Node) => Promise<void>) => void (await Promise.all(nodes.map(run)))
  return {
    port: first.port,
    freeze() {
      for (const node of nodes) node.freeze()
    },
    thaw() {
      for (const node of nodes) node.thaw()
    },
    restart: () => onEach((node) => node.restart()),
    stop: () => onEach((node) => node.stop()),
  }
}
