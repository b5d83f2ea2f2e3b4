/**
 * Writes debug output for the environment variable DEBUG, such as `DEBUG=latchkey:*`, with the package `debug`, which
 * Express uses too.
 *
 * @module
 */
import { createRequire } from "node:module"

/** The topics of debug output. DEBUG contains them with a prefix: `latchkey:oauth`. */
const TOPICS = [
  "account",
  "adapter",
  "config",
  "credentials",
  "email",
  "oauth",
  "request",
  "session",
  "webauthn",
] as const

export type DebugTopic = (typeof TOPICS)[number]

/**
 * Returns a function that writes a line to standard error if DEBUG enables its topic. Returns undefined if DEBUG
 * enables no topic.
 */
export function debugOutput({ DEBUG }: NodeJS.ProcessEnv): ((topic: DebugTopic, line: string) => void) | undefined {
  // Loading `debug` takes longer than loading this package, so `debug` is loaded only if it is needed.
  if (!DEBUG) return undefined
  const createDebug: typeof import("debug") = createRequire(import.meta.url)("debug")
  const outputs = new Map(TOPICS.map((topic) => [topic, createDebug(`latchkey:${topic}`)]))
  if (![...outputs.values()].some(({ enabled }) => enabled)) return undefined
  // The line contains data of clients and providers, so it must not be the format string.
  return (topic, line) => outputs.get(topic)?.("%s", line)
}
