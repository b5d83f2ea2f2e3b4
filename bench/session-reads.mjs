/**
 * Measures what the registry adds to a session read. It reads 10,000 sessions in rotation through `getSession`, without
 * the registry and with records in several stores in turn, so that other work on the machine affects all of them.
 *
 *   node bench/session-reads.mjs            the CPU time of a read, in microseconds
 *   node bench/session-reads.mjs --check    fails if a cached record adds more than 5 µs
 */
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Redis } from "ioredis"
import { getSession } from "../dist/index.js"
import { encode } from "../dist/jwt.js"
import Credentials from "../dist/providers/credentials.js"
import { MemoryStore } from "../dist/stores/memory.js"
import { RedisStore } from "../dist/stores/redis.js"
import { SqlStore } from "../dist/stores/sql.js"
import { median, quantile } from "./lib/numbers.mjs"
import { COOKIE, personOf, SECRET } from "./variants/constants.mjs"

const { TEST_REDIS_URL: redisUrl = "redis://127.0.0.1:6379" } = process.env
const SESSIONS = 10_000
const ROUNDS = 25
const LIMIT = 5
const isCheck = process.argv.includes("--check")

const STORES = {
  "no registry": () => ({ session: { revocable: false } }),
  memory: () => ({}),
  SQLite: async () => {
    const folder = mkdtempSync(join(tmpdir(), "latchkey-bench-"))
    const store = SqlStore({ sqlite: join(folder, "store.db") })
    await store.migrate()
    return { store, close: () => store.close().then(() => rmSync(folder, { recursive: true })) }
  },
  Redis: () => {
    const prefix = `latchkey-bench-${randomBytes(4).toString("hex")}:`
    const redis = new Redis(redisUrl)
    const close = async () => {
      for await (const keys of redis.scanStream({ match: `${prefix}*`, count: 1_000 }))
        if (keys.length > 0) await redis.del(keys)
      await redis.quit()
    }
    return { store: RedisStore(redis, { prefix }), close }
  },
}

/** The claims of a session that a sign-in without a store has created. Its first read with a store registers it. */
async function createRequest(index) {
  const { id: sub, ...claims } = personOf(index)
  const session_authentication = `~${randomBytes(16).toString("base64url")} github:${sub} github oauth`
  const token = await encode({
    token: { ...claims, picture: null, sub, session_authentication },
    secret: SECRET,
    salt: COOKIE,
  })
  return new Request("http://app.test/", { headers: { cookie: `${COOKIE}=${token}` } })
}

async function open([name, create], requests) {
  const { store = MemoryStore(), close = () => {}, session = {} } = await create()
  const providers = [Credentials({ credentials: {}, authorize: () => null })]
  return { name, close, requests, config: { store, session, secret: SECRET, trustHost: true, providers }, times: [] }
}

/** The CPU time of a read in microseconds. */
async function readAll({ requests, config }) {
  const before = process.cpuUsage()
  for (const request of requests) if (!(await getSession(request, config))) throw new Error("no user is signed in")
  const { user, system } = process.cpuUsage(before)
  return (user + system) / requests.length
}

const requests = await Promise.all(Array.from({ length: SESSIONS }, (_, index) => createRequest(index)))
const entrants = []
for (const entry of Object.entries(STORES)) entrants.push(await open(entry, requests))

// Register the sessions, and then fill the caches.
for (const entrant of entrants) await readAll(entrant)
for (const entrant of entrants) await readAll(entrant)
for (let round = 0; round < ROUNDS; round++) for (const entrant of entrants) entrant.times.push(await readAll(entrant))
for (const { close } of entrants) await close()

const [base] = entrants
const added = entrants.slice(1).map(({ name, times }) => {
  const differences = times.map((time, round) => time - base.times[round])
  return { name, micros: median(differences), all: differences }
})
console.log(`no registry: ${median(base.times).toFixed(1)} µs per read`)
for (const { name, micros, all } of added)
  console.log(
    `${name}: ${micros.toFixed(1)} µs more (quartiles ${quantile(all, 0.25).toFixed(1)} and ${quantile(all, 0.75).toFixed(1)})`,
  )
if (isCheck && added.some(({ micros }) => micros > LIMIT)) {
  console.error(`the registry may add at most ${LIMIT} µs`)
  process.exitCode = 1
}
