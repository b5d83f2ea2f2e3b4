/**
 * Measures whether sessions cost more if there are many records: to list those of a user, to end one, and to read one
 * that the process has not cached. It measures with 1,000 and with 1,000,000 records in turn, so that other work on the
 * machine affects both.
 *
 *   node bench/session-records.mjs                  all stores, several minutes
 *   node bench/session-records.mjs SQLite Redis     only these stores
 *   node bench/session-records.mjs --cold           users who were not active recently
 *   node bench/session-records.mjs --check          fails if an operation costs more than 1.3 times as much
 */
import { createHash } from "node:crypto"
import { parseArgs } from "node:util"
import { endSession, getSession, listSessions } from "../dist/index.js"
import { encode } from "../dist/jwt.js"
import Credentials from "../dist/providers/credentials.js"
import { quantile } from "./lib/numbers.mjs"
import { RECORD_STORES } from "./parts/record-stores.mjs"
import { COOKIE, SECRET } from "./variants/constants.mjs"

const SIZES = [1_000, 1_000_000]
const SESSIONS_OF_A_USER = 10
const BATCH = 10_000
const ROUNDS = 60
const CALLS = 20
const LIMIT = 1.3

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { check: { type: "boolean" }, cold: { type: "boolean" } },
})

const now = Date.now()
const EXPIRES = now + 30 * 24 * 60 * 60 * 1000
const hash = (text) => createHash("sha256").update(text).digest("base64url")
const idOf = (index) => hash(`session ${index}`).slice(0, 22)
const ownerOf = (index) => `github:${Math.floor(index / SESSIONS_OF_A_USER)}`

/** The record of a session, as the library writes it. */
function recordOf(index) {
  const [id, owner] = [idOf(index), ownerOf(index)]
  const origin = { id, owner, provider: "github", method: "oauth", amr: [] }
  const data = { createdAt: now, lastSeenAt: now, expires: EXPIRES, browser: "Firefox", platform: "Windows", origin }
  const value = JSON.stringify(data)
  return { kind: "session", record_key: id, owner: hash(owner), value, version: id, expires: EXPIRES }
}

/** Records in the order of their keys, in which databases insert them fastest. */
function* batches(size) {
  const indexes = Array.from({ length: size }, (_, index) => ({ id: idOf(index), index }))
  indexes.sort((one, other) => (one.id < other.id ? -1 : 1))
  for (let from = 0; from < size; from += BATCH)
    yield indexes.slice(from, from + BATCH).map(({ index }) => recordOf(index))
}

const createConfig = (store) => ({
  store,
  secret: SECRET,
  trustHost: true,
  providers: [Credentials({ credentials: {}, authorize: () => null })],
})

async function requestFor(index) {
  const session_authentication = `${idOf(index)} ${ownerOf(index)} github oauth`
  const token = await encode({ token: { sub: ownerOf(index), session_authentication }, secret: SECRET, salt: COOKIE })
  return new Request("http://app.test/", { headers: { cookie: `${COOKIE}=${token}` } })
}

function require(isTrue, what) {
  if (!isTrue) throw new Error(what)
}

const OPERATIONS = {
  read: async (config, { request }) => require(await getSession(request, config), "no user is signed in"),
  list: async (config, { index }) => {
    const { length } = await listSessions(config, ownerOf(index))
    require(length === SESSIONS_OF_A_USER, `${length} sessions`)
  },
  end: async (config, { index }) => require(await endSession(config, idOf(index)), "no such session"),
}

/** The mean duration of a call in microseconds, for each operation. Each call is for another session. */
async function round({ store, size }, number) {
  const start = (number * 7_919 * CALLS) % size
  const sessions = await Promise.all(
    Array.from({ length: CALLS }, async (_, i) => {
      const index = (start + i * 41) % size
      return { index, request: await requestFor(index) }
    }),
  )
  // The sessions of active users are in the cache of a database, whose size would be measured otherwise.
  if (!options.cold) {
    const config = createConfig(store)
    for (const session of sessions) await OPERATIONS.read(config, session)
    for (const session of sessions) await OPERATIONS.list(config, session)
  }
  const times = {}
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    // Another object has no cached records.
    const config = createConfig(store)
    await OPERATIONS.read(config, { request: await requestFor((start + 7) % size) })
    const startedAt = performance.now()
    for (const session of sessions) await operation(config, session)
    times[name] = ((performance.now() - startedAt) / CALLS) * 1000
  }
  for (const { index } of sessions) {
    const { kind, record_key, owner, value, expires } = recordOf(index)
    await store.set(kind, record_key, { value, owner, expires: new Date(expires) })
  }
  return times
}

async function compare(name) {
  const stores = []
  for (const size of SIZES) stores.push({ size, rounds: [], ...(await RECORD_STORES[name](batches(size))) })
  for (let number = 0; number < 3; number++) for (const store of stores) await round(store, number)
  for (let number = 0; number < ROUNDS; number++)
    for (const store of stores) store.rounds.push(await round(store, number + 3))
  for (const { drop } of stores) await drop()
  // Other work on the machine only makes calls slower, so the faster rounds are more accurate.
  const quiet = (rounds, operation) =>
    quantile(
      rounds.map((times) => times[operation]),
      0.25,
    )
  const micros = (operation) => stores.map(({ rounds }) => quiet(rounds, operation))
  return Object.keys(OPERATIONS).map((operation) => {
    const [few, many] = micros(operation)
    return { operation, few, many, ratio: many / few }
  })
}

const cellOf = ({ few, many, ratio }) => `${few.toFixed(0)} µs, ${many.toFixed(0)} µs: ${ratio.toFixed(2)}`

console.log("| | read | list | end |\n|---|--:|--:|--:|")
const ratios = []
for (const name of positionals.length > 0 ? positionals : Object.keys(RECORD_STORES)) {
  const found = await compare(name)
  ratios.push(...found.map(({ ratio }) => ratio))
  console.log(`| ${name} | ${found.map(cellOf).join(" | ")} |`)
}
if (options.check && ratios.some((ratio) => ratio > LIMIT)) {
  console.error(`an operation may cost at most ${LIMIT} times as much`)
  process.exitCode = 1
}
