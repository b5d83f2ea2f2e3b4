import { inspect, types } from "node:util"
import type { LoggerInstance } from "../../lib/logger.js"

export interface LogRecord {
  level: "error" | "warn" | "debug"
  /** Of an error its type, else what the warning or message is called. */
  code?: string
  error?: Error
  /** All that the logger was called with. */
  args: readonly unknown[]
}

export interface RecordingLogger {
  logger: LoggerInstance
  records: LogRecord[]
  /** Everything that reached the logger, causes, stacks and metadata included: the place to look for leaked secrets. */
  text(): string
}

/** A logger for `config.logger` that keeps what it gets. */
export function recordingLogger(): RecordingLogger {
  const records: LogRecord[] = []
  const record = (level: LogRecord["level"], args: readonly unknown[]) => {
    const [first] = args
    const error = args.find(isError)
    const code = isError(first) ? (Reflect.get(first, "type") ?? first.name) : first
    records.push({ level, code: String(code), ...(error && { error }), args })
  }
  const logger: LoggerInstance = {
    error: (...args) => record("error", args),
    warn: (...args) => record("warn", args),
    debug: (...args) => record("debug", args),
  }
  return { logger, records, text: () => records.map(({ args }) => allText(args)).join("\n") }
}

/** Every text that can be reached from a value by whatever path, one per line, unescaped. */
export function allText(value: unknown): string {
  const found: string[] = []
  collect(value, found, new Set())
  // What an object shows of its private parts, a Response's headers for instance.
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

/** Also of an error from Node itself, whose class isn't the one that tests see. */
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
