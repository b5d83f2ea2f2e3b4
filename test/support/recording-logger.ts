import { inspect, types } from "node:util"
import type { LoggerInstance } from "../../lib/logger.js"

export interface LogRecord {
  level: "error" | "warn"
  /** Of an error its type, else what the warning or message is called; the finer code of an error is its own. */
  code?: string
  error?: Error
  /** All that the logger was called with. */
  args: readonly unknown[]
}

export interface RecordingLogger {
  logger: LoggerInstance
  /** What an operator is told. */
  records: LogRecord[]
  /** What only those are told who look for a mistake: the arguments of each call. */
  debugged: (readonly unknown[])[]
  /** Everything that reached the logger, causes, stacks and metadata included: the place to look for leaked secrets. */
  text(): string
  /** Forgets everything so far. */
  forget(): void
}

/** A logger for `config.logger` that keeps what it gets. */
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
