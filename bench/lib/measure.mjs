/**
 * Loads entrants in turn, in short slices, so that a drift of the machine meets all of them alike.
 *
 * @module
 */
import { load, rotate } from "./load.mjs"
import { median, quantile } from "./numbers.mjs"

const microsOf = ({ user, system }) => user + system

async function runSlice({ server, next }, options) {
  const before = await server.ask("usage")
  const client = process.cpuUsage()
  const { requests, seconds, p50, p99 } = await load(server.port, { next, ...options })
  const clientMicros = microsOf(process.cpuUsage(client))
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
  }
}

/**
 * Gives a summary of each entrant's slices, after it was warmed up.
 *
 * An entrant has a `server` and `cookies`; the first of them is what the others are compared with.
 */
export async function measure(entrants, { path, status, warmUp, rounds, seconds }) {
  const turns = entrants.map((entrant) => ({ ...entrant, next: rotate(path, entrant.cookies), slices: [] }))
  for (const turn of turns) await runSlice(turn, { seconds: warmUp, status })
  for (let round = 0; round < rounds; round++)
    for (const turn of turns) turn.slices.push(await runSlice(turn, { seconds, status }))
  return turns.map((turn) => summaryOf(turn, turns[0].slices))
}

/** What else the machine does makes a request dearer and never cheaper: the quieter slices are nearer to the truth. */
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
    /** Each slice beside the one of the base in the same round. */
    ofBaseRate: median(slices.map(({ rate }, round) => rate / base[round].rate)),
    cpu,
    overBase: cpu - quietCpu(base),
    ofBaseCpu: cpu / quietCpu(base),
    p50: median(each("p50")),
    p99: median(each("p99")),
    rss: median(each("rss")),
    busy: median(each("busy")),
    clientBusy: median(each("clientBusy")),
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
  "server / load busy": `${Math.round(summary.busy * 100)} / ${Math.round(summary.clientBusy * 100)} %`,
})

/**
 * An entrant's requests per second beside the first one's: as they were counted, and as its CPU time says. Where others
 * use the machine too, only the second is worth a check.
 */
export const throughputRatios = (summary, { least, check }) => [
  { name: "requests per second, of bare", value: summary.ofBaseRate, least },
  { name: "the same, from CPU per request", value: 1 / summary.ofBaseCpu, least, check },
]
