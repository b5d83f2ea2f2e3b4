/**
 * Debug output for the environment variable DEBUG, with the package `debug` as in Express: `DEBUG=latchkey:*`.
 *
 * @module
 */
import { createRequire } from "node:module"

/** The topics, which are the names in DEBUG: `latchkey:oauth`. */
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

/** Returns a function that writes the lines of the topics in DEBUG; undefined if DEBUG has none of them. */
export function debugOutput({ DEBUG }: NodeJS.ProcessEnv): ((topic: DebugTopic, line: string) => void) | undefined {
  // Loading `debug` takes longer than loading this package, so it is loaded only if needed.
  if (!DEBUG) return undefined
  const createDebug: typeof import("debug") = createRequire(import.meta.url)("debug")
  const outputs = new Map(TOPICS.map((topic) => [topic, createDebug(`latchkey:${topic}`)]))
  if (![...outputs.values()].some(({ enabled }) => enabled)) return undefined
  // "%s", because the line contains data of clients and providers, which must not be read as a format.
  return (topic, line) => outputs.get(topic)?.("%s", line)
}
