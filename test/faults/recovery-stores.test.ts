import { Redis } from "ioredis"
import { createClient } from "redis"
import type { Adapter } from "../../lib/adapters/adapter.js"
import { RedisAdapter, type RedisClient } from "../../lib/adapters/redis.js"
import { SqlAdapter } from "../../lib/adapters/sql.js"
import { guardProcess } from "../flows/support/guard.js"
import { sessionOf } from "../flows/support/site.js"
import { describeServer, recordingLogger, type Start, TEST_SECRET } from "../support/apps.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { reachable } from "../support/stores/reachable.js"
import { ioRedis, listKeys, nodeRedis, redisUrl } from "../support/stores/redis.js"
import { mysql, mysqlUrl, postgres, postgresUrl, type SqlStore } from "../support/stores/sql.js"
import { type Store, uniqueName } from "../support/stores/store.js"
import { describeStore } from "../support/stores.js"
import {
  RECOVERY_MS,
  type Recovery,
  SIGNED_IN,
  secondSlowest,
  signInAt,
  signInThroughout,
  TIMEOUT_MS,
} from "./support/outage.js"
import { type Outage, startTcpProxy, type TcpProxy } from "./support/tcp-proxy.js"

guardProcess()

const LASTS_MS = Number(process.env["OUTAGE_MS"] ?? 3_000)
/** The package `redis` has no timeout for a connection that stops receiving. */
const outagesOf = ({ store }: RemoteStore): Outage[] => (store === nodeRedis ? ["refused"] : ["refused", "silent"])

interface Opened {
  readonly adapter: Adapter
  close(): Promise<void>
}

/** A store that is reached through a proxy. */
interface RemoteStore {
  readonly store: Store
  readonly url: string
  open(proxy: TcpProxy): Promise<Opened>
}

const sql = (store: SqlStore, url: string): RemoteStore => ({
  store,
  url,
  async open(proxy) {
    const database = await store.createDatabase()
    const address = proxy.address(database.address)
    const adapter = SqlAdapter(store.dialect === "mysql" ? { mysql: address } : { postgres: address })
    await adapter.migrate()
    return {
      adapter,
      async close() {
        await adapter.close()
        await database.drop()
      },
    }
  },
})

/** Deletes all keys with a prefix over a direct connection. */
async function clear(prefix: string): Promise<void> {
  const redis = new Redis(redisUrl)
  const left = await listKeys(redis, prefix)
  if (left.length > 0) await redis.del(left)
  await redis.quit()
}

const redis = (store: Store, connect: (url: string) => Promise<{ client: RedisClient; end(): void }>): RemoteStore => ({
  store,
  url: redisUrl,
  async open(proxy) {
    const prefix = `${uniqueName()}:`
    const { client, end } = await connect(proxy.address(redisUrl))
    const close = async () => {
      end()
      await clear(prefix)
    }
    return { adapter: RedisAdapter(client, { prefix }), close }
  },
})

/** `ioredis` is configured as in docs/deployment.md; by default, it waits indefinitely for an unreachable server. */
const REMOTE_STORES: readonly RemoteStore[] = [
  sql(postgres, postgresUrl),
  sql(mysql, mysqlUrl),
  redis(ioRedis, async (url) => {
    const client = new Redis(url, { socketTimeout: 3_000 })
    client.on("error", () => {})
    return { client, end: () => client.disconnect() }
  }),
  redis(nodeRedis, async (url) => {
    const client = createClient({ url })
    client.on("error", () => {})
    await client.connect()
    return { client, end: () => client.destroy() }
  }),
]

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
afterAll(() => op.close())

interface StoreRecovery extends Recovery {
  /** Whether a session from before the outage is still valid after it. */
  readonly isStillSignedIn: boolean
}

async function surviveOutage(outage: Outage, start: Start, { url, open }: RemoteStore): Promise<StoreRecovery> {
  const proxy = await startTcpProxy(url)
  const { adapter, close } = await open(proxy)
  const { logger } = recordingLogger()
  const session = { strategy: "database" } as const
  const app = await start({ providers: [op.oidc()], adapter, secret: TEST_SECRET, logger, session })
  const before = app.browser()
  expect(await signInAt(op, before)).toBe(SIGNED_IN)
  const recovery = await signInThroughout({
    lastsMs: LASTS_MS,
    begin: () => proxy.interrupt(outage),
    end: () => proxy.restore(),
    attempt: () => signInAt(op, app.browser()),
  })
  const isStillSignedIn = (await sessionOf(before)) !== null
  await close()
  await proxy.close()
  return { ...recovery, isStillSignedIn }
}

describeServer(`Recovery from an unreachable store (${LASTS_MS / 1000} s)`, "Express 5", (start) => {
  const runs = new Map<string, Promise<StoreRecovery>>()
  // All outages run concurrently, because most of their time is waiting.
  beforeAll(() => {
    for (const remote of REMOTE_STORES.filter(({ url }) => reachable(url)))
      for (const outage of outagesOf(remote)) {
        const run = surviveOutage(outage, start, remote)
        // The error is reported by the outage's own test.
        run.catch(() => {})
        runs.set(remote.store.name + outage, run)
      }
  })

  for (const remote of REMOTE_STORES)
    describeStore(remote.store.name, remote.store, ({ name }) => {
      it.each(outagesOf(remote))(
        "FLT-14: sign-in works within 5 s after the outage, and existing sessions remain valid: connections %s",
        async (outage) => {
          const again = () => surviveOutage(outage, start, remote)
          const run = await secondSlowest(await (runs.get(name + outage) ?? again()), again)
          expect(run.recoveredMs).toBeLessThan(RECOVERY_MS)
          expect(["302 Configuration", SIGNED_IN]).toEqual(expect.arrayContaining(run.results))
          expect(run.slowestMs).toBeLessThan(TIMEOUT_MS)
          expect(run.isStillSignedIn).toBe(true)
        },
        120_000,
      )
    })
})
