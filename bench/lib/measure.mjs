/**
 * Measures entrants in turn, in short slices, so that a drift of the machine affects all of them equally.
 *
 * @module
 */
import { cpus } from "node:os"
import { load, rotate } from "./load.mjs"
import { median, quantile } from "./numbers.mjs"

const microsOf = ({ user, system }) => user + system

/** The microseconds that all cores have worked, for all processes. */
const machineMicros = () =>
  cpus().reduce((sum, { times }) => sum + (times.user + times.nice + times.sys + times.irq) * 1000, 0)

/** Sends load; an error names the variant and includes its last output. */
async function loadTurn({ title, server, next }, options) {
  try {
    return await load(server.port, { next, ...options })
  } catch (error) {
    throw new Error(`${title}: ${error.message}\n${server.lastWords()}`, { cause: error })
  }
}

async function runSlice(turn, options) {
  const { server } = turn
  const before = await server.ask("usage")
  const [client, machine] = [process.cpuUsage(), machineMicros()]
  const { requests, seconds, p50, p99 } = await loadTurn(turn, options)
  const clientMicros = microsOf(process.cpuUsage(client))
  const allMicros = machineMicros() - machine
  const after = await server.ask("usage")
  const micros = microsOf(after.cpu) - microsOf(before.cpu)
  return {
    rate: requests / seconds,
    cpu: micros / requests,
    p50,
    p99,
    rss: after.rss,
    busy: micros / 1e6 / seconds,
    clientBusy: clientMicros / 1e6 / seconds,
    /** The share of the machine that other processes have used. */
    foreign: Math.max(0, allMicros - micros - clientMicros) / 1e6 / seconds / cpus().length,
  }
}

/** Warms up for a number of requests or seconds, because frequently run code is optimised. */
async function warm(turn, { requests, seconds, status }) {
  const end = performance.now() + seconds * 1000
  let left = requests
  while (left > 0 && performance.now() < end) left -= (await loadTurn(turn, { seconds: 0.2, status })).requests
}

/** A round in which other processes used a larger share of the machine is repeated, up to a limit. */
const QUIET = 0.1

async function runRounds(turns, { rounds, patience, ...options }) {
  const done = []
  const isEnough = () => done.filter(({ foreign }) => foreign <= QUIET).length >= rounds
  while (!isEnough() && done.length < rounds * patience) {
    const slices = []
    for (const turn of turns) slices.push(await runSlice(turn, options))
    done.push({ slices, foreign: Math.max(...slices.map(({ foreign }) => foreign)) })
  }
  return done.sort((one, other) => one.foreign - other.foreign).slice(0, rounds)
}

/**
 * Returns a summary of each entrant's slices after a warm-up. It uses the quietest rounds.
 *
 * An entrant has a `server`, and `cookies` for `path` or its own requests, `next`. The first entrant is the base of the comparison.
 */
export async function measure(entrants, { path, status, warmUp, ...pace }) {
  const turns = entrants.map((entrant) => ({ ...entrant, next: entrant.next ?? rotate(path, entrant.cookies) }))
  for (const turn of turns) await warm(turn, { ...warmUp, status })
  const rounds = await runRounds(turns, { ...pace, status })
  const slicesOf = (index) => rounds.map(({ slices }) => slices[index])
  return turns.map((turn, index) => summaryOf({ ...turn, slices: slicesOf(index) }, slicesOf(0)))
}

/** Other work on the machine only makes requests slower, so the quieter slices are more accurate. */
const quietCpu = (slices) =>
  quantile(
    slices.map(({ cpu }) => cpu),
    0.25,
  )

function summaryOf({ title, cookies, slices }, base) {
  const each = (name) => slices.map((slice) => slice[name])
  const cpu = quietCpu(slices)
  return {
    title,
    cookieBytes: cookies[0]?.length ?? 0,
    rate: median(each("rate")),
    bestRate: Math.max(...each("rate")),
    /** The ratio of each slice to that of the base in the same round. */
    ofBaseRate: median(slices.map(({ rate }, round) => rate / base[round].rate)),
    cpu,
    overBase: cpu - quietCpu(base),
    ofBaseCpu: cpu / quietCpu(base),
    p50: median(each("p50")),
    p99: median(each("p99")),
    rss: median(each("rss")),
    busy: median(each("busy")),
    clientBusy: median(each("clientBusy")),
    foreign: median(each("foreign")),
  }
}

/** A summary as a row of the report. */
export const rowOf = (summary, index) => ({
  variant: summary.title,
  "req/s": Math.round(summary.rate),
  "best slice": Math.round(summary.bestRate),
  "of the first": summary.ofBaseRate.toFixed(2),
  "CPU µs": Math.round(summary.cpu),
  "over the first µs": index === 0 ? "" : Math.round(summary.overBase),
  "p50 ms": summary.p50.toFixed(1),
  "p99 ms": summary.p99.toFixed(1),
  "RSS MB": Math.round(summary.rss / 1e6),
  "cookie B": summary.cookieBytes,
  "busy: server, load, others %": ["busy", "clientBusy", "foreign"]
    .map((who) => Math.round(summary[who] * 100))
    .join(" "),
})

/**
 * The extra cost of one entrant over the base, as a share of another's extra cost. Undefined if the base was disturbed,
 * so that another seems to cost less than nothing; then the measurement has to be repeated.
 */
export function ratioOfExtra(one, other) {
  const isDisturbed = other.overBase <= 0 || one.overBase < -0.1 * one.cpu
  return isDisturbed ? Number.NaN : one.overBase / other.overBase
}

/**
 * An entrant's requests per second relative to the base: as counted, and computed from CPU time. If other processes use
 * the machine, only the second value is reliable.
 */
export const throughputRatios = (summary, { least, check }) => [
  { name: "requests per second, relative to bare", value: summary.ofBaseRate, least },
  { name: "the same, from CPU per request", value: 1 / summary.ofBaseCpu, least, check },
]
