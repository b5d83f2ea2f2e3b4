/**
 * The environment variable DEBUG, read by the package `debug` as everywhere in Express: `DEBUG=latchkey:*`.
 *
 * @module
 */
import { createRequire } from "node:module"

/** What a line is about, and its name in DEBUG: `latchkey:oauth`. */
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

/** Where lines go that DEBUG asks for; undefined where it asks for none of ours. */
export function debugOutput({ DEBUG }: NodeJS.ProcessEnv): ((topic: DebugTopic, line: string) => void) | undefined {
  // Loading the package takes longer than starting all of ours: it is for those who ask.
  if (!DEBUG) return undefined
  const createDebug: typeof import("debug") = createRequire(import.meta.url)("debug")
  const outputs = new Map(TOPICS.map((topic) => [topic, createDebug(`latchkey:${topic}`)]))
  if (![...outputs.values()].some(({ enabled }) => enabled)) return undefined
  // As a parameter: what people and providers send is no format.
  return (topic, line) => outputs.get(topic)?.("%s", line)
}
