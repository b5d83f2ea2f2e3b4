import { randomBytes } from "node:crypto"
import { type AuthError, asAuthError, toCause } from "../errors/errors.js"
import type { MessageCode } from "../errors/message-code.js"
import { type DebugTopic, debugOutput } from "./debug-output.js"
import { createLogLimit, type LogLimit } from "./log-limit.js"
import { isError, printable, redact } from "./redact.js"

/** An application's own logger. Levels without a method go to the console. */
export interface LoggerInstance {
  /** Logs a failure that the operator has to fix. */
  // biome-ignore lint/suspicious/noExplicitAny: accepts any common logger, as Auth.js does
  error(error: Error, ...rest: any[]): void
  /** Logs a warning. `code` is a stable code such as "untrusted-proxy"; the details follow. */
  // biome-ignore lint/suspicious/noExplicitAny: see above
  warn(code: string, ...rest: any[]): void
  /** Logs a step, with secrets masked. */
  // biome-ignore lint/suspicious/noExplicitAny: see above
  debug(message: string, ...rest: any[]): void
}

/** The logger of this package. */
export interface Logger {
  /** Logs a failure. */
  error(error: Error): void
  /** Logs a warning. */
  warn(code: MessageCode, details?: string | Error): void
  /** Logs a step to the application's own `debug`, else with `debug: true` to the console; and for DEBUG to stderr. */
  debug(topic: DebugTopic, message: string, metadata?: unknown): void
  /** True if debug output is written. If it is false, callers need not prepare a message. */
  readonly isDebugging: boolean
  /**
   * Logs a failure once, at the level of its type. A failure of level "error" gets a reference, which is logged as
   * `cause.reference` and returned. Clients and providers can cause any number of failures, so only the first ones of
   * each code are logged in a minute; the next record has the number of the omitted ones as `cause.omitted`.
   */
  failure(error: AuthError): string | undefined
}

const frames = (error: Error) =>
  (error.stack ?? "")
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .join("\n")

/** The underlying error of an error, and the details beside it in `cause`. */
function readCause(error: Error): { cause?: Error; facts?: Record<string, unknown> } {
  const { cause } = error
  if (isError(cause)) return { cause }
  if (typeof cause !== "object" || cause === null) return {}
  const { err, ...facts }: Record<string, unknown> = { ...cause }
  return { ...(isError(err) && { cause: err }), facts }
}

/** A failure as it is logged, with secrets masked. */
export interface FailureRecord {
  /** Undefined for an error that is not an `AuthError`. */
  readonly code: MessageCode | undefined
  /** Type and message. */
  readonly headline: string
  /** Name and message of the underlying error. */
  readonly cause: string | undefined
  /** Details, in the order in which they were added. */
  readonly facts: Readonly<Record<string, unknown>>
}

const formatHeadline = (name: string, { message }: Error) => `${name}: ${printable(message)}`

/** Converts an error to its log record. */
export function createFailureRecord(error: Error): FailureRecord {
  const { cause, facts = {} } = readCause(error)
  const known = asAuthError(error)
  return {
    code: known?.messageCode,
    headline: formatHeadline(known?.type ?? error.name, error),
    cause: cause && formatHeadline(cause.name, cause),
    facts: Object(redact(facts)),
  }
}

/** The facts on one line; undefined without any. */
const factsLine = ({ facts }: FailureRecord): string | undefined =>
  Object.keys(facts).length > 0 ? JSON.stringify(facts) : undefined

function describe(error: Error): string {
  const record = createFailureRecord(error)
  const { code, headline, cause } = record
  const facts = factsLine(record)
  return [
    `[latchkey][error]${code ? `[${code}]` : ""} ${headline}`,
    cause && `[latchkey][cause] ${cause}`,
    facts && `[latchkey][details] ${facts}`,
    code && `[latchkey][help] npx latchkey explain ${code}`,
    frames(readCause(error).cause ?? error),
  ]
    .filter(Boolean)
    .join("\n")
}

/** An error on one line, without a stack: the operator has nothing to fix. */
function describeBriefly(error: Error): string {
  const record = createFailureRecord(error)
  return [record.headline, record.cause && `(${record.cause})`, factsLine(record)].filter(Boolean).join(" ")
}

const consoleLogger = {
  error: (error: Error) => console.error(describe(error)),
  warn: (code: string, details?: string | Error) =>
    console.warn(
      `[latchkey][warn][${code}]`,
      ...(details === undefined ? [] : [isError(details) ? describeBriefly(details) : printable(details)]),
    ),
  debug: (message: string, metadata?: unknown) =>
    console.log(`[latchkey][debug] ${message}`, ...(metadata === undefined ? [] : [JSON.stringify(metadata)])),
}

/** Ignores exceptions and rejections: a logger must neither break a sign-in nor end the process. */
function safely(write: () => unknown): void {
  try {
    Promise.resolve(write()).catch(() => {})
  } catch {
    // There is no other place to report it.
  }
}

/** Crockford's base32, which has no letters that look like digits. */
const REFERENCE_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

/** Encodes bytes as text that is easy to read aloud, one character for each byte. */
export const toReadableText = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => REFERENCE_ALPHABET.charAt(byte % 32)).join("")

/** A reference that a user can read out to support: "K7QF-3M2X". */
function createReference(): string {
  const text = toReadableText(randomBytes(8))
  return `${text.slice(0, 4)}-${text.slice(4)}`
}

/** Adds details to an error. Returns false if the application has frozen the error. */
function addFacts(error: AuthError, added: Readonly<Record<string, unknown>>): boolean {
  const facts = isError(error.cause) ? { err: error.cause } : error.cause
  return Reflect.set(error, "cause", toCause({ ...facts, ...added }))
}

/** Adds a reference to the details of an error, and returns it. */
function addReference(error: AuthError): string | undefined {
  const reference = createReference()
  return addFacts(error, { reference }) ? reference : undefined
}

/** True for failures that clients can cause at any rate, by a request or by a provider's response (502). */
const isLimited = ({ level, status }: AuthError): boolean => level === "warn" || status === 502

/**
 * Creates a log limit for each code. The returned function counts an error, and returns how many records with its code
 * were omitted before; undefined if this one has to be omitted.
 */
function createLimits(now: () => number): (error: AuthError) => number | undefined {
  const limits = new Map<MessageCode, LogLimit>()
  return (error) => {
    if (!isLimited(error)) return 0
    const { messageCode } = error
    const limit = limits.get(messageCode) ?? createLogLimit(now)
    limits.set(messageCode, limit)
    return limit.take()
  }
}

/** Masks secrets and control characters in the details of an error, which may come from clients and providers. */
function withSafeFacts(error: AuthError): AuthError {
  if (Object.isFrozen(error.cause)) return error
  for (const [name, fact] of Object.entries(error.cause ?? {}))
    if (typeof fact === "string" && error.cause) error.cause[name] = printable(fact)
  return error
}

interface LoggerOptions {
  readonly logger?: Partial<LoggerInstance> | undefined
  readonly debug?: boolean | undefined
  readonly clock?: (() => number) | undefined
}

/** The function for debug output; undefined if it is off. */
function createDebug({ logger: own, debug: isOn }: LoggerOptions): Logger["debug"] | undefined {
  const output = debugOutput(process.env)
  if (!own?.debug && !isOn && !output) return undefined
  return (topic, message, metadata) =>
    safely(() => {
      const text = printable(message)
      const safe = metadata === undefined ? undefined : redact(metadata)
      output?.(topic, safe === undefined ? text : `${text} ${JSON.stringify(safe)}`)
      if (own?.debug) return own.debug(text, safe)
      if (isOn) consoleLogger.debug(text, safe)
    })
}

/**
 * Creates the logger of a configuration. Debug output is off unless `debug` is set, the application's logger has a
 * `debug` method, or the variable DEBUG names a topic.
 */
export function createLogger(config: LoggerOptions): Logger {
  const own = config.logger
  const warn: Logger["warn"] = (code, details) =>
    safely(() =>
      own?.warn ? own.warn(code, ...(details === undefined ? [] : [details])) : consoleLogger.warn(code, details),
    )
  const error: Logger["error"] = (e) => safely(() => (own?.error ? own.error(e) : consoleLogger.error(e)))
  const debug = createDebug(config)
  const takeOmitted = createLimits(config.clock ?? Date.now)
  return {
    error,
    warn,
    debug: debug ?? (() => {}),
    isDebugging: debug !== undefined,
    failure(failed) {
      const omitted = takeOmitted(failed)
      if (omitted === undefined) return undefined
      // The application may throw the same error again: replace the number of an earlier record.
      if (omitted > 0 || Reflect.has(Object(failed.cause), "omitted")) addFacts(failed, { omitted })
      if (failed.level === "warn") return void warn(failed.messageCode, withSafeFacts(failed))
      const reference = addReference(failed)
      error(withSafeFacts(failed))
      return reference
    },
  }
}
