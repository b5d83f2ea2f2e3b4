/**
 * A flood of forged session cookies, each used once. Measures the cost of refusing one, the memory that remains, and the
 * effect on signed-in users, with a silent logger and with the console.
 *
 * @module
 */
import { load, rotate } from "../lib/load.mjs"
import { median } from "../lib/numbers.mjs"
import { startServer } from "../lib/server.mjs"
import { sealedCookies } from "../lib/sessions.mjs"
import { forgedRequests } from "../parts/forged-cookies.mjs"
import { loadCount } from "../parts/load-count.mjs"

export const name = "flood"
export const title = "A flood of invalid session cookies"

const LOGGERS = { silent: "a logger that writes nowhere", console: "the console, into /dev/null" }
const SLICE_SECONDS = 0.3
/** The share of the flood after which the process is warm. */
const WARM = 0.1
/** A refusal may cost a tenth of a request; the rest is a margin for other work on the machine. */
const MOST_BESIDE = 1.25

const anonymous = () => ({ next: rotate("/me", [""]), status: 401 })
const strangers = async () => {
  const forged = Object.entries(await forgedRequests())
  return forged.map(([title, next]) => ({ title, next, status: 401 }))
}

/** Alternates between the kinds. */
function mixed(kinds) {
  let index = 0
  return { next: () => kinds[index++ % kinds.length].next(), status: 401 }
}

async function microsOf(server, { seconds, ...requests }) {
  const before = await server.ask("usage")
  const { requests: count } = await load(server.port, { ...requests, seconds })
  const after = await server.ask("usage")
  return (after.cpu.user + after.cpu.system - before.cpu.user - before.cpu.system) / count
}

/**
 * The cost of each kind beyond the same request without a cookie. It uses the quietest slice of each, because other work
 * on the machine costs more than a refusal.
 */
async function measureRefusals(server, { slices }) {
  const turns = [{ title: "", ...anonymous() }, ...(await strangers())].map((kind) => ({ ...kind, micros: [] }))
  for (let round = 0; round < slices; round++)
    for (const { next, status, micros } of turns)
      micros.push(await microsOf(server, { next, status, seconds: SLICE_SECONDS }))
  const [base, ...kinds] = turns.map(({ title, micros }) => ({ title, least: Math.min(...micros) }))
  return kinds.map(({ title, least }) => ({ title, micros: least - base.least }))
}

async function measureNeighbours(server, { rounds, seconds }) {
  const signedIn = rotate("/me", await sealedCookies(1_000))
  const flood = mixed(await strangers())
  const beside = { anonymous: [], flood: [] }
  for (let round = 0; round <= rounds; round++)
    for (const [kind, others] of [
      ["anonymous", anonymous()],
      ["flood", flood],
    ]) {
      const [own] = await Promise.all([
        load(server.port, { next: signedIn, seconds }),
        load(server.port, { ...others, seconds }),
      ])
      if (round > 0) beside[kind].push(own)
    }
  const each = (kind, name) => median(beside[kind].map((slice) => slice[name]))
  return Object.keys(beside).map((kind) => ({ kind, p50: each(kind, "p50"), p99: each(kind, "p99") }))
}

async function measureMemory(server, count) {
  const flood = mixed(await strangers())
  const before = await loadCount(server.port, count * WARM, flood)
  const warm = await server.ask("memory")
  const after = await loadCount(server.port, count - before, flood)
  const end = await server.ask("memory")
  return { count: before + after, warm, end }
}

async function withServer(logger, use) {
  const server = await startServer("memory-latchkey", { env: { BENCH_LOGGER: logger }, execArgv: ["--expose-gc"] })
  try {
    return await use(server)
  } finally {
    await server.stop()
  }
}

const rowOf = (what, result) => ({ what, result })

export async function run({ isQuick }) {
  const pace = isQuick ? { rounds: 2, seconds: 0.4, slices: 4 } : { rounds: 7, seconds: 1, slices: 24 }
  const silent = await withServer("silent", async (server) => ({
    refusals: await measureRefusals(server, pace),
    neighbours: await measureNeighbours(server, pace),
    memory: await measureMemory(server, isQuick ? 20_000 : 1_000_000),
  }))
  const written = await withServer("console", (server) => measureRefusals(server, pace))
  const { count, warm, end } = silent.memory
  const [beside, flooded] = silent.neighbours
  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`
  return {
    rows: [
      ...silent.refusals.map(({ title, micros }) =>
        rowOf(`refusing ${title}, ${LOGGERS.silent}`, `${micros.toFixed(0)} µs`),
      ),
      ...written.map(({ title, micros }) => rowOf(`refusing ${title}, ${LOGGERS.console}`, `${micros.toFixed(0)} µs`)),
      ...[beside, flooded].map(({ kind, p50, p99 }) =>
        rowOf(`signed in, beside ${kind} requests, p50 / p99`, `${p50.toFixed(1)} / ${p99.toFixed(1)} ms`),
      ),
      rowOf(`heap and external, warm / after ${count} requests`, `${megabytes(warm.held)} / ${megabytes(end.held)}`),
      rowOf("RSS, warm / at the end", `${megabytes(warm.rss)} / ${megabytes(end.rss)}`),
    ],
    ratios: [
      {
        name: "µs of the most expensive refusal",
        value: Math.max(...silent.refusals.map(({ micros }) => micros)),
        most: 30,
      },
      { name: "the same with the console", value: Math.max(...written.map(({ micros }) => micros)), most: 30 },
      { name: "memory held after the flood, of that when warm", value: end.held / warm.held, most: 1.05 },
      {
        name: "p50 of signed-in users, relative to that beside anonymous requests",
        value: flooded.p50 / beside.p50,
        most: MOST_BESIDE,
      },
    ],
  }
}
