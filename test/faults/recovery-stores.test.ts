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
import { ioRedis, keysOf, nodeRedis, redisUrl } from "../support/stores/redis.js"
import { mysql, mysqlUrl, postgres, postgresUrl, type SqlStore } from "../support/stores/sql.js"
import { type Store, uniqueName } from "../support/stores/store.js"
import { describeStore } from "../support/stores.js"
import { type Cable, layCable, type Outage } from "./support/cable.js"
import { liveThrough, PATIENCE_MS, RECOVERY_MS, SIGNED_IN, type Survived, signInAt, usual } from "./support/outage.js"

guardProcess()

const LASTS_MS = Number(process.env["OUTAGE_MS"] ?? 3_000)
/** The package `redis` has no setting by which it gives up a connection that it writes to and hears nothing from. */
const outagesOf = ({ store }: Distant): Outage[] => (store === nodeRedis ? ["refused"] : ["refused", "silent"])

interface Opened {
  readonly adapter: Adapter
  close(): Promise<void>
}

/** A store behind a cable. */
interface Distant {
  readonly store: Store
  readonly url: string
  open(cable: Cable): Promise<Opened>
}

const sql = (store: SqlStore, url: string): Distant => ({
  store,
  url,
  async open(cable) {
    const database = await store.createDatabase()
    const address = cable.address(database.address)
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

/** Deletes what stands under a prefix, by a way that nobody cuts. */
async function clear(prefix: string): Promise<void> {
  const redis = new Redis(redisUrl)
  const left = await keysOf(redis, prefix)
  if (left.length > 0) await redis.del(left)
  await redis.quit()
}

const redis = (store: Store, connect: (url: string) => Promise<{ client: RedisClient; end(): void }>): Distant => ({
  store,
  url: redisUrl,
  async open(cable) {
    const prefix = `${uniqueName()}:`
    const { client, end } = await connect(cable.address(redisUrl))
    const close = async () => {
      end()
      await clear(prefix)
    }
    return { adapter: RedisAdapter(client, { prefix }), close }
  },
})

/** `ioredis` with the setting of docs/deployment.md, without which it waits for ever for a server that is gone. */
const DISTANT: readonly Distant[] = [
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

interface Story extends Survived {
  /** Was whoever was signed in before signed in afterwards? */
  readonly isStillSignedIn: boolean
}

async function happen(outage: Outage, start: Start, { url, open }: Distant): Promise<Story> {
  const cable = await layCable(url)
  const { adapter, close } = await open(cable)
  const { logger } = recordingLogger()
  const session = { strategy: "database" } as const
  const app = await start({ providers: [op.oidc()], adapter, secret: TEST_SECRET, logger, session })
  const before = app.browser()
  expect(await signInAt(op, before)).toBe(SIGNED_IN)
  const survived = await liveThrough({
    lastsMs: LASTS_MS,
    begin: () => cable.cut(outage),
    end: () => cable.mend(),
    attempt: () => signInAt(op, app.browser()),
  })
  const isStillSignedIn = (await sessionOf(before)) !== null
  await close()
  await cable.close()
  return { ...survived, isStillSignedIn }
}

describeServer(`A store that was out of reach for ${LASTS_MS / 1000} s`, "Express 5", (start) => {
  const stories = new Map<string, Promise<Story>>()
  // All at once: what takes time here is waiting.
  beforeAll(() => {
    for (const distant of DISTANT.filter(({ url }) => reachable(url)))
      for (const outage of outagesOf(distant)) {
        const story = happen(outage, start, distant)
        // Told by its own test.
        story.catch(() => {})
        stories.set(distant.store.name + outage, story)
      }
  })

  for (const distant of DISTANT)
    describeStore(distant.store.name, distant.store, ({ name }) => {
      it.each(outagesOf(distant))(
        "FLT-14: signs in again within 5 s, and signed nobody out: connections %s",
        async (outage) => {
          const again = () => happen(outage, start, distant)
          const story = await usual(await (stories.get(name + outage) ?? again()), again)
          expect(story.recoveredMs).toBeLessThan(RECOVERY_MS)
          expect(["302 Configuration", SIGNED_IN]).toEqual(expect.arrayContaining(story.told))
          expect(story.slowestMs).toBeLessThan(PATIENCE_MS)
          expect(story.isStillSignedIn).toBe(true)
        },
        120_000,
      )
    })
})
