import { inspect, types } from "node:util"
import type { LoggerInstance } from "../../lib/logging/logger.js"

export interface LogRecord {
  level: "error" | "warn"
  /** The type of an error, or the code of a warning or message. */
  code?: string
  error?: Error
  /** The arguments of the call. */
  args: readonly unknown[]
}

export interface RecordingLogger {
  logger: LoggerInstance
  /** The warnings and errors. */
  records: LogRecord[]
  /** The arguments of each debug call. */
  debugged: (readonly unknown[])[]
  /** Everything that reached the logger, including causes, stacks and metadata, to search for leaked secrets. */
  text(): string
  /** Clears all records. */
  forget(): void
}

/** A logger for `config.logger` that records all calls. */
export function recordingLogger(): RecordingLogger {
  const records: LogRecord[] = []
  const debugged: RecordingLogger["debugged"] = []
  const record = (level: LogRecord["level"], args: readonly unknown[]) => {
    const error = args.find(isError)
    const code = error ? (Reflect.get(error, "type") ?? error.name) : args[0]
    records.push({ level, code: String(code), ...(error && { error }), args })
  }
  const logger: LoggerInstance = {
    error: (...args) => record("error", args),
    warn: (...args) => record("warn", args),
    debug: (...args) => void debugged.push(args),
  }
  const text = () => [...records.map(({ args }) => args), ...debugged].map(allText).join("\n")
  const forget = () => {
    records.length = 0
    debugged.length = 0
  }
  return { logger, records, debugged, text, forget }
}

/** All strings that can be reached from a value, one per line, unescaped. */
export function allText(value: unknown): string {
  const found: string[] = []
  collect(value, found, new Set())
  // `inspect` shows internal state, such as the headers of a Response.
  return [...found, inspect(value, { depth: 8, maxStringLength: null, maxArrayLength: null })].join("\n")
}

function collect(value: unknown, found: string[], seen: Set<unknown>): void {
  if (typeof value === "string") found.push(value)
  if (typeof value !== "object" || value === null || seen.has(value)) return
  seen.add(value)
  if (ArrayBuffer.isView(value)) return void found.push(textOf(value))
  if (value instanceof URL) return void found.push(value.href)
  if (types.isMap(value) || types.isSet(value) || value instanceof Headers || value instanceof URLSearchParams)
    for (const entry of value) collect(entry, found, seen)
  for (const key of Reflect.ownKeys(value)) {
    found.push(String(key))
    collect(readOwn(value, key), found, seen)
  }
}

/** Recognizes errors of Node itself, whose class differs from the one in tests. */
const isError = (value: unknown): value is Error => types.isNativeError(value)

const textOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView) =>
  Buffer.from(buffer, byteOffset, byteLength).toString("latin1")

function readOwn(object: object, key: PropertyKey): unknown {
  try {
    return Reflect.get(object, key)
  } catch {
    return undefined
  }
}
