/**
 * The conditions that must hold after every input.
 *
 * @module
 */
import { setImmediate as turn } from "node:timers/promises"

export const ORIGIN = "https://app.test"

/** An input that needs more CPU time would allow a denial of service. */
const MAX_CPU_MS = 100
/** The limit of the elapsed time. No target waits for a network. */
const MAX_MS = 1_000
/** Compilation, garbage collection or a busy machine may slow one attempt. A slow input is slow in every attempt. */
const ATTEMPTS = 5

const members = () => Reflect.ownKeys(Object.prototype).map(String).sort().join()
const MEMBERS = members()

const unhandled = []
process.on("unhandledRejection", (error) => unhandled.push(error))

/** Thrown if an input violates a condition. */
export class Finding extends Error {
  name = "Finding"
}

/** Measures the CPU time and the elapsed time. */
async function timed(work) {
  const [cpu, started] = [process.cpuUsage(), performance.now()]
  await work()
  const { user, system } = process.cpuUsage(cpu)
  return { cpuMs: (user + system) / 1_000, ms: performance.now() - started }
}

/** Repeats slow work, and throws if it stays slow. */
async function requireQuick(work, maxCpuMs = MAX_CPU_MS) {
  for (let attempt = 1; ; attempt++) {
    const took = await timed(work)
    if (took.cpuMs <= maxCpuMs && took.ms <= MAX_MS) return
    const { cpuMs, ms } = took
    if (attempt === ATTEMPTS) throw new Finding(`it took ${Math.round(cpuMs)} ms of CPU time, and ${Math.round(ms)} ms`)
  }
}

/** A request takes a few milliseconds; each byte of a long one takes much less than this. */
const MAX_CPU_US_PER_BYTE = 1

/** Throws if the work takes too long for the length of its input. */
export const requireLinear = (work, bytes) => requireQuick(work, 10 + (bytes * MAX_CPU_US_PER_BYTE) / 1_000)

/**
 * Runs the work of an input. Throws if it takes too long, leaves an unhandled rejection, or changes `Object.prototype`.
 * The work must be repeatable.
 */
export async function survive(work) {
  await requireQuick(work)
  // Node.js reports an unhandled rejection at the end of the current turn.
  await turn()
  const [left] = unhandled.splice(0)
  if (left !== undefined) throw new Finding("a rejected promise was not handled", { cause: left })
  if (members() !== MEMBERS) throw new Finding(`Object.prototype was changed to ${members()}`)
}

/** The error page has the status of the error. */
const FAILURES = /^\/auth\/+error\/*$/

/** Checks a response: no server error, and no redirect to another site than the provider's. */
export function requireSoundAnswer(response, { path, mayLeadTo }) {
  if (response.status >= 500 && !FAILURES.test(path))
    throw new Finding(`it was answered with status ${response.status}`)
  const location = response.headers.get("location")
  if (location === null) return
  const { origin } = new URL(location, "https://elsewhere.test")
  if (![ORIGIN, ...mayLeadTo].includes(origin)) throw new Finding(`it redirects to ${JSON.stringify(location)}`)
}
