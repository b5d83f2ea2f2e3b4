/**
 * Sites of several processes that share a store.
 *
 * @module
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { begin, openCallback } from "../../flows/support/site.js"
import { Browser } from "../../support/browser.js"
import type { FaultyProvider } from "../../support/faulty-provider.js"
import { overNetwork } from "../../support/network.js"
import { hasRedisServer, startNode, startRedisCluster } from "../../support/stores/redis-cluster.js"
import { mysql, postgres, type SqlStore, sqlite } from "../../support/stores/sql.js"
import { describeStore } from "../../support/stores.js"
import { Deployed } from "./deployed.js"
import { startTcpProxy } from "./tcp-proxy.js"

const ORIGIN = "http://app.test"
export const STRATEGIES = ["jwt", "database"] as const
export type Strategy = (typeof STRATEGIES)[number]

/** The server of a store. */
interface StoreServer {
  /** Closes all connections; Redis is killed, and started again with the data on its disk. */
  restart(): Promise<void>
  /** Until `thaw`, the server accepts connections but sends no response. */
  freeze(): void | Promise<void>
  thaw(): void | Promise<void>
}

/** The storage for users, accounts, sessions and records. */
export interface SharedStorage {
  /** The storage as `revocation-site.js` reads it. */
  readonly json: string
  /** Undefined for SQLite, which has no server. */
  readonly server?: StoreServer
  drop(): Promise<void>
}

/** A store that several processes can share. */
export interface SharedStore {
  readonly name: string
  readonly hasServer: boolean
  /** Calls `describe`, or skips the tests if the store's server cannot be reached. */
  readonly describe: (tests: () => void) => void
  create(): Promise<SharedStorage>
}

/** How long connections are refused during a restart. */
const RESTART_MS = 500

async function createSqlStorage(store: SqlStore): Promise<SharedStorage> {
  const { database, close } = await store.create()
  if (store.url === undefined) return { json: JSON.stringify(database.place), drop: close }
  const proxy = await startTcpProxy(store.url)
  return {
    json: JSON.stringify({ [store.dialect]: proxy.address(database.address) }),
    server: {
      async restart() {
        await proxy.interrupt("refused")
        await pause(RESTART_MS)
        await proxy.restore()
      },
      freeze: () => proxy.interrupt("silent"),
      thaw: () => proxy.restore(),
    },
    async drop() {
      await proxy.close()
      await close()
    },
  }
}

const DURABLE = ["--appendonly", "yes", "--appendfsync", "always"]

async function createRedisStorage(): Promise<SharedStorage> {
  const server = await startNode(DURABLE)
  server.redis.disconnect()
  const json = JSON.stringify({ redis: `redis://127.0.0.1:${server.port}`, prefix: "site:" })
  return { json, server, drop: () => server.stop() }
}

async function createClusterStorage(): Promise<SharedStorage> {
  const server = await startRedisCluster(DURABLE)
  return { json: JSON.stringify({ cluster: server.port, prefix: "{site}:" }), server, drop: () => server.stop() }
}

const sqlStore = (store: SqlStore): SharedStore => ({
  name: store.name,
  hasServer: store.url !== undefined,
  describe: (tests) => describeStore(store.name, store, tests),
  create: () => createSqlStorage(store),
})

const redisStore = (name: string, create: SharedStore["create"]): SharedStore => ({
  ...{ name, hasServer: true, create },
  describe: (tests) => (hasRedisServer || process.env["CI"] ? describe : describe.skip)(name, tests),
})

export const SHARED_STORES: readonly SharedStore[] = [
  ...[sqlite, postgres, mysql].map(sqlStore),
  redisStore("Redis", createRedisStorage),
  redisStore("Redis Cluster", createClusterStorage),
]

/** A site with several processes. */
export interface SharedSite {
  readonly processes: readonly Deployed[]
  /** Signs in at the first process. The provider names its own session `sid`. */
  signIn(strategy: Strategy, sub: string, sid?: string): Promise<Browser>
  /** Makes `isActive` return false for a user, in all processes. */
  ban(sub: string): void
  stop(): Promise<void>
}

const emailOf = (sub: string): string => `${sub}@example.com`

/** Creates a browser that sends its requests to one process, with the cookies of another browser. */
export function browserAt(site: Deployed | undefined, cookies?: Browser): Browser {
  const browser = new Browser({ origin: ORIGIN, send: (request) => overNetwork(request, site?.address) })
  for (const { name, value, path } of cookies?.jar.all() ?? []) browser.setCookie(name, value, { path })
  return browser
}

/** Whether a browser is signed in, or the status of an error. */
export type State = boolean | number

/** Requests the session of a browser from a process. */
export async function stateAt(site: Deployed | undefined, strategy: Strategy, copy: Browser): Promise<State> {
  const page = await browserAt(site, copy).get(`/${strategy}/me`)
  const text = await page.text()
  if (page.status === 200) return text !== "null"
  if (page.headers.has("set-cookie")) throw new Error(`status ${page.status} changes cookies`)
  return page.status
}

export async function startSharedSite(op: FaultyProvider, json: string, count: number): Promise<SharedSite> {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-bans-"))
  const bans = join(folder, "bans")
  const banned: string[] = []
  writeFileSync(bans, "")
  const start = () => new Deployed(op, { json }, { file: "revocation-site.js", env: { BANS: bans } }).start()
  const processes = await Promise.all(Array.from({ length: count }, start))
  const [first] = processes
  if (!first) throw new Error("a site has at least one process")
  return {
    processes,
    async signIn(strategy, sub, sid) {
      op.set({ claims: (claims) => ({ ...claims, sid, sub }), user: { sub, name: sub, email: emailOf(sub) } })
      const browser = browserAt(first)
      const { location } = await begin(browser, { base: `/${strategy}/auth` })
      const page = await openCallback(browser, op, await op.authorize(location))
      op.reset()
      if (page.status !== 302 || page.location.includes("error")) throw new Error(`${page.status} ${page.location}`)
      return browser
    },
    ban(sub) {
      banned.push(emailOf(sub))
      writeFileSync(bans, banned.join("\n"))
    },
    async stop() {
      await Promise.all(processes.map((site) => site.end("SIGKILL")))
      rmSync(folder, { recursive: true })
    },
  }
}
