/**
 * Simulates users at a steady rate: they sign in, visit pages, get renewed sessions, send junk cookies and sign out.
 * Sessions are in a cookie, in SQLite and in PostgreSQL. Fails if any response is wrong, or if the server's memory has
 * grown at the end.
 *
 *   npm run soak                           an hour
 *   npm run soak -- 0.8                    for CI: less than a minute, with a margin for the warm-up
 *   npm run soak -- 10 --rate 300          requests a second; 100 without it
 *
 * @module
 */
import { createHistogram } from "node:perf_hooks"
import { setTimeout as pause } from "node:timers/promises"
import { parseArgs } from "node:util"
import { createAgent } from "../bench/parts/browser.mjs"
import { REQUESTS_OF_A_VISIT, visitAs } from "./soak/person.mjs"
import { startServer } from "./soak/start.mjs"

const { values: options, positionals } = parseArgs({ allowPositionals: true, options: { rate: { type: "string" } } })
const MINUTES = Number(positionals[0] ?? 60)
const RATE = Number(options.rate ?? 100)
if (!(MINUTES > 0 && RATE > 0)) throw new Error("npm run soak -- [minutes] [--rate requests a second]")

const KINDS = ["jwt", "sqlite", "postgres"]
const MARK_SECONDS = Math.min(60, MINUTES * 5)
/** The share of the run for the warm-up: a process grows until all its code was used and compiled. */
const WARM_UP = MINUTES >= 30 ? 1 / 6 : 1 / 3
/** The allowed growth. Within a few minutes the normal variation of a heap exceeds any leak. */
const MOST_GROWTH = MINUTES >= 30 ? 1.05 : MINUTES >= 0.5 ? 1.25 : Number.POSITIVE_INFINITY
/** The maximal number of concurrent visits; further visits wait. */
const MOST_VISITS = 300
/** The number of errors to print; further errors are only counted. */
const PRINTED_ERRORS = 10

const total = { errors: 0, histogram: createHistogram() }
let part = { errors: 0, histogram: createHistogram() }

async function timed(request) {
  const startedAt = performance.now()
  const answer = await request()
  const micros = Math.max(1, Math.round((performance.now() - startedAt) * 1000))
  for (const { histogram } of [total, part]) histogram.record(micros)
  return answer
}

function fail(kind, error) {
  if (total.errors < PRINTED_ERRORS) console.error(`${kind}: ${error.message}`)
  for (const counted of [total, part]) counted.errors++
}

/** Starts visits at a steady rate until the end, to the sites in turn. */
async function comeAndGo(origins, until) {
  const agent = createAgent()
  const visits = new Set()
  const betweenMs = (REQUESTS_OF_A_VISIT / RATE) * 1000
  for (let number = 0, at = performance.now(); performance.now() < until; number++) {
    const { kind, origin } = origins[number % origins.length]
    const visit = visitAs(number, { origin, agent, timed }).catch((error) => fail(kind, error))
    visits.add(visit)
    visit.then(() => visits.delete(visit))
    if (visits.size >= MOST_VISITS) await Promise.race(visits)
    // Missed visits are not made up for.
    at = Math.max(at + betweenMs, performance.now() - betweenMs)
    await pause(Math.max(0, at - performance.now()))
  }
  await Promise.all(visits)
  agent.destroy()
}

const megabytes = (bytes) => (bytes / 1e6).toFixed(1)
const millis = ({ histogram }, share) => (histogram.percentile(share) / 1000).toFixed(1)
const cells = (values) => values.map((value) => String(value).padStart(9)).join(" ")

function rowOf(minute, counted, { rss, held }) {
  const { errors, histogram } = counted
  return cells([
    minute,
    histogram.count,
    errors,
    millis(counted, 50),
    millis(counted, 99),
    megabytes(rss),
    megabytes(held),
  ])
}

/** Measures the memory at intervals, and prints the results of each interval. */
async function watch(server, until) {
  const marks = []
  const startedAt = performance.now()
  while (performance.now() < until) {
    await pause(Math.min(MARK_SECONDS * 1000, Math.max(0, until - performance.now())))
    const memory = await server.memory()
    marks.push(memory)
    console.log(rowOf(((performance.now() - startedAt) / 60_000).toFixed(2), part, memory))
    part = { errors: 0, histogram: createHistogram() }
  }
  return marks
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]

/** The ratio of the memory at the end to the memory after the warm-up. */
function growthOf(marks) {
  const warm = marks.slice(Math.floor(marks.length * WARM_UP)).map(({ rss }) => rss)
  const size = Math.max(1, Math.floor(warm.length / 4))
  return median(warm.slice(-size)) / median(warm.slice(0, size))
}

async function soak(server) {
  console.log(`${RATE} requests a second for ${MINUTES} min: ${server.origins.map(({ kind }) => kind).join(", ")}`)
  const before = await server.memory()
  console.log(cells(["minute", "requests", "errors", "p50 ms", "p99 ms", "RSS MB", "held MB"]))
  console.log(rowOf("0.00", { errors: 0, histogram: createHistogram() }, before))
  const until = performance.now() + MINUTES * 60_000
  const [marks] = await Promise.all([watch(server, until), comeAndGo(server.origins, until)])
  const growth = growthOf(marks)
  console.log(rowOf("all", total, marks.at(-1)))
  console.log(`RSS after the warm-up and at the end: ${growth.toFixed(3)} times as much, at most ${MOST_GROWTH}`)
  return total.errors === 0 && total.histogram.count > 0 && growth <= MOST_GROWTH
}

const server = await startServer(KINDS, MINUTES >= 30 ? { env: { SOAK_FILL: "1" } } : {})
try {
  if (!(await soak(server))) process.exitCode = 1
} finally {
  await server.stop()
}
