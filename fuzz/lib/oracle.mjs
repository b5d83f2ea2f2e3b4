/**
 * What must hold after every input, whatever it was.
 *
 * @module
 */
import { setImmediate as turn } from "node:timers/promises"

export const ORIGIN = "https://app.test"

/** More work for one input is a way to keep others waiting. */
const MAX_CPU_MS = 100
/** Nothing here waits for a network. */
const MAX_MS = 1_000
/** The compiler and the collector work beside, and a busy machine is slow now and then: what is slow is so each time. */
const ATTEMPTS = 5

const members = () => Reflect.ownKeys(Object.prototype).map(String).sort().join()
const MEMBERS = members()

const unhandled = []
process.on("unhandledRejection", (error) => unhandled.push(error))

/** An input that did what none may do. */
export class Finding extends Error {
  name = "Finding"
}

/** What it took, of the processor and of the clock. */
async function timed(work) {
  const [cpu, started] = [process.cpuUsage(), performance.now()]
  await work()
  const { user, system } = process.cpuUsage(cpu)
  return { cpuMs: (user + system) / 1_000, ms: performance.now() - started }
}

/** Again while it is slow. */
async function requireQuick(work, maxCpuMs = MAX_CPU_MS) {
  for (let attempt = 1; ; attempt++) {
    const took = await timed(work)
    if (took.cpuMs <= maxCpuMs && took.ms <= MAX_MS) return
    const { cpuMs, ms } = took
    if (attempt === ATTEMPTS) throw new Finding(`it took ${Math.round(cpuMs)} ms of work, and ${Math.round(ms)} ms`)
  }
}

/** A request takes a few milliseconds; each byte of a long one takes much less than this. */
const MAX_CPU_US_PER_BYTE = 1

/** Fails when the work takes too long for the length of its input. */
export const requireLinear = (work, bytes) => requireQuick(work, 10 + (bytes * MAX_CPU_US_PER_BYTE) / 1_000)

/**
 * Runs what an input does, and fails when it takes too long, when a rejection is left over, or when `Object.prototype`
 * was written to. What it does must be possible again.
 */
export async function survive(work) {
  await requireQuick(work)
  // A rejection counts as unhandled when the turn in which it happened is over.
  await turn()
  const [left] = unhandled.splice(0)
  if (left !== undefined) throw new Finding("nobody waited for a promise that was rejected", { cause: left })
  if (members() !== MEMBERS) throw new Finding(`Object.prototype has become ${members()}`)
}

/** The page that shows a failure has the failure's status. */
const FAILURES = /^\/auth\/+error\/*$/

/** An answer's own rules: no failure of ours, and nobody is sent to another site but the provider's. */
export function requireSoundAnswer(response, { path, mayLeadTo }) {
  if (response.status >= 500 && !FAILURES.test(path))
    throw new Finding(`it was answered with status ${response.status}`)
  const location = response.headers.get("location")
  if (location === null) return
  const { origin } = new URL(location, "https://elsewhere.test")
  if (![ORIGIN, ...mayLeadTo].includes(origin)) throw new Finding(`it leads to ${JSON.stringify(location)}`)
}
