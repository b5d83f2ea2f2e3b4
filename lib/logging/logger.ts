import { randomBytes } from "node:crypto"
import { type AuthError, asAuthError, toCause } from "../errors/errors.js"
import type { MessageCode } from "../errors/message-code.js"
import { type DebugTopic, debugOutput } from "./debug-output.js"
import { createLogLimit, type LogLimit } from "./log-limit.js"
import { isError, printable, redact } from "./redact.js"

/** The application's own logger. If it has no method for a level, records of that level go to the console. */
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
  /**
   * Logs a step to the application's `debug` method, or without that method to the console if `debug: true` is set.
   * Also writes the step to standard error if the variable DEBUG enables the topic.
   */
  debug(topic: DebugTopic, message: string, metadata?: unknown): void
  /** True if `debug` writes to any output. If false, callers need not prepare a message. */
  readonly isDebugging: boolean
  /**
   * Logs a failure at its level. A failure of level "error" gets a reference, which is logged as `cause.reference` and
   * returned. Failures that clients can cause at any rate (level "warn" or status 502) are limited: of each code, only
   * the first ten are logged per minute. The next record contains the number of omitted failures as `cause.omitted`.
   */
  failure(error: AuthError): string | undefined
}

const formatFrames = (error: Error) =>
  (error.stack ?? "")
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .join("\n")

/** Returns the underlying error of an error, and the other details in its `cause`. */
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
  /** Type and message of the error. */
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

/** Formats the details on one line. Returns undefined if there are no details. */
const factsLine = ({ facts }: FailureRecord): string | undefined =>
  Object.keys(facts).length > 0 ? JSON.stringify(facts) : undefined

/** Formats an error for the operator, with its code, cause, details and stack. */
function describe(error: Error): string {
  const record = createFailureRecord(error)
  const { code, headline, cause } = record
  const facts = factsLine(record)
  return [
    `[latchkey][error]${code ? `[${code}]` : ""} ${headline}`,
    cause && `[latchkey][cause] ${cause}`,
    facts && `[latchkey][details] ${facts}`,
    code && `[latchkey][help] npx latchkey explain ${code}`,
    formatFrames(readCause(error).cause ?? error),
  ]
    .filter(Boolean)
    .join("\n")
}

/** Formats the error of a warning on one line, without a stack, because the operator has nothing to fix. */
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

/**
 * Calls a logger and ignores its exceptions and rejections: a logger must neither break a sign-in nor end the process.
 */
function safely(write: () => unknown): void {
  try {
    Promise.resolve(write()).catch(() => {})
  } catch {
    // The logger itself failed, so the exception can't be logged.
  }
}

/** The alphabet of Crockford's Base32, which omits letters that look like digits. */
const REFERENCE_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

/** Converts bytes to text that is easy to read aloud. Each character contains 5 bits of a byte; 3 bits are dropped. */
export const toReadableText = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => REFERENCE_ALPHABET.charAt(byte % 32)).join("")

/** Creates a reference that a user can read out to support: "K7QF-3M2X". */
function createReference(): string {
  const text = toReadableText(randomBytes(8))
  return `${text.slice(0, 4)}-${text.slice(4)}`
}

/** Adds details to an error. Returns false if the application has frozen the error. */
function addFacts(error: AuthError, added: Readonly<Record<string, unknown>>): boolean {
  const facts = isError(error.cause) ? { err: error.cause } : error.cause
  return Reflect.set(error, "cause", toCause({ ...facts, ...added }))
}

/** Adds a new reference to the details of an error. Returns the reference, or undefined if the error is frozen. */
function addReference(error: AuthError): string | undefined {
  const reference = createReference()
  return addFacts(error, { reference }) ? reference : undefined
}

/** True for failures that clients can cause at any rate: by an invalid request, or through a failing provider (502). */
const isLimited = ({ level, status }: AuthError): boolean => level === "warn" || status === 502

/**
 * Returns a function that applies a log limit to each code. The function returns how many errors with the same code
 * were omitted since the last logged one, or undefined if this error must be omitted too.
 */
function createFailureLimits(now: () => number): (error: AuthError) => number | undefined {
  const limits = new Map<MessageCode, LogLimit>()
  return (error) => {
    if (!isLimited(error)) return 0
    const { messageCode } = error
    const limit = limits.get(messageCode) ?? createLogLimit(now)
    limits.set(messageCode, limit)
    return limit.take()
  }
}

/**
 * Masks secrets and escapes control characters in the details of an error: clients and providers may have sent them.
 */
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

/** Returns the function that writes debug output, or undefined if debug output is off. */
function createDebug({ logger: applicationLogger, debug: isDebugSet }: LoggerOptions): Logger["debug"] | undefined {
  const writeToStderr = debugOutput(process.env)
  if (!applicationLogger?.debug && !isDebugSet && !writeToStderr) return undefined
  return (topic, message, metadata) =>
    safely(() => {
      const text = printable(message)
      const safeMetadata = metadata === undefined ? undefined : redact(metadata)
      writeToStderr?.(topic, safeMetadata === undefined ? text : `${text} ${JSON.stringify(safeMetadata)}`)
      if (applicationLogger?.debug) return applicationLogger.debug(text, safeMetadata)
      if (isDebugSet) consoleLogger.debug(text, safeMetadata)
    })
}

/**
 * Creates the logger of a configuration. Debug output is off unless `debug` is set, the application's logger has a
 * `debug` method, or the variable DEBUG enables a topic.
 */
export function createLogger(config: LoggerOptions): Logger {
  const applicationLogger = config.logger
  const warn: Logger["warn"] = (code, details) =>
    safely(() =>
      applicationLogger?.warn
        ? applicationLogger.warn(code, ...(details === undefined ? [] : [details]))
        : consoleLogger.warn(code, details),
    )
  const error: Logger["error"] = (e) =>
    safely(() => (applicationLogger?.error ? applicationLogger.error(e) : consoleLogger.error(e)))
  const debug = createDebug(config)
  const takeOmitted = createFailureLimits(config.clock ?? Date.now)
  return {
    error,
    warn,
    debug: debug ?? (() => {}),
    isDebugging: debug !== undefined,
    failure(authError) {
      const omitted = takeOmitted(authError)
      if (omitted === undefined) return undefined
      // An application may throw the same error object again. Then replace the number from the earlier record.
      if (omitted > 0 || Reflect.has(Object(authError.cause), "omitted")) addFacts(authError, { omitted })
      if (authError.level === "warn") return void warn(authError.messageCode, withSafeFacts(authError))
      const reference = addReference(authError)
      error(withSafeFacts(authError))
      return reference
    },
  }
}
