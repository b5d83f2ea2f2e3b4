import { randomBytes } from "node:crypto"
import type { MessageCode } from "./codes/index.js"
import { type DebugTopic, debugOutput } from "./debug-output.js"
import { type AuthError, asAuthError, toCause } from "./errors.js"
import { createLogLimit, type LogLimit } from "./log-limit.js"
import { isError, printable, redact } from "./redact.js"

/** A logger of the application's own; the levels it lacks go to the console. */
export interface LoggerInstance {
  /** A failure that the operator has to mend. */
  // biome-ignore lint/suspicious/noExplicitAny: so that any logger of the field fits, as in the contract
  error(error: Error, ...rest: any[]): void
  /** What is worth a look; `code` is stable text such as "untrusted-proxy". */
  // biome-ignore lint/suspicious/noExplicitAny: see above
  warn(code: string, ...rest: any[]): void
  /** A step, with `debug: true`; secrets are masked. */
  // biome-ignore lint/suspicious/noExplicitAny: see above
  debug(message: string, ...rest: any[]): void
}

/** Where the library writes. */
export interface Logger {
  /** Writes a failure. */
  error(error: Error): void
  /** Writes what is worth a look. */
  warn(code: MessageCode, details?: string | Error): void
  /** Goes to the application's own `debug`, or with `debug: true` to the console; and to where DEBUG names the topic. */
  debug(topic: DebugTopic, message: string, metadata?: unknown): void
  /** Does anybody listen to `debug`? Where nobody does, what it would be told need not be worked out. */
  readonly isDebugging: boolean
  /**
   * Writes a failure once, at the level that its type has. A failure of level "error" gets a reference, which the log
   * has as `cause.reference`. Clients and providers can cause failures at any rate, so only the first ones of each code
   * and minute are written; the next one has the number of the others as `cause.omitted`.
   */
  failure(error: AuthError): string | undefined
}

const frames = (error: Error) =>
  (error.stack ?? "")
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .join("\n")

/** The error behind an error, and the facts beside it. */
function causeOf(error: Error): { behind?: Error; facts?: Record<string, unknown> } {
  const { cause } = error
  if (isError(cause)) return { behind: cause }
  if (typeof cause !== "object" || cause === null) return {}
  const { err, ...facts }: Record<string, unknown> = { ...cause }
  return { ...(isError(err) && { behind: err }), facts }
}

/** What is written of a failure, secrets masked. */
export interface FailureRecord {
  /** Undefined for an error that is none of ours. */
  readonly code: MessageCode | undefined
  /** Type and message. */
  readonly headline: string
  /** Name and message of the error behind it. */
  readonly behind: string | undefined
  /** In the order in which they were found out. */
  readonly facts: Readonly<Record<string, unknown>>
}

const headlineOf = (name: string, { message }: Error) => `${name}: ${printable(message)}`

/** What the log says of an error. */
export function recordOf(error: Error): FailureRecord {
  const { behind, facts = {} } = causeOf(error)
  const known = asAuthError(error)
  return {
    code: known?.messageCode,
    headline: headlineOf(known?.type ?? error.name, error),
    behind: behind && headlineOf(behind.name, behind),
    facts: Object(redact(facts)),
  }
}

/** The facts on one line; undefined without any. */
const factsLine = ({ facts }: FailureRecord): string | undefined =>
  Object.keys(facts).length > 0 ? JSON.stringify(facts) : undefined

function describe(error: Error): string {
  const record = recordOf(error)
  const { code, headline, behind } = record
  const facts = factsLine(record)
  return [
    `[latchkey][error]${code ? `[${code}]` : ""} ${headline}`,
    behind && `[latchkey][cause] ${behind}`,
    facts && `[latchkey][details] ${facts}`,
    code && `[latchkey][help] npx latchkey explain ${code}`,
    frames(causeOf(error).behind ?? error),
  ]
    .filter(Boolean)
    .join("\n")
}

/** On one line and without a stack: nobody has to mend anything. */
function describeBriefly(error: Error): string {
  const record = recordOf(error)
  return [record.headline, record.behind && `(${record.behind})`, factsLine(record)].filter(Boolean).join(" ")
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

/** Quiet when it fails, now or later: a logger must never break a sign-in, nor end the process. */
function safely(write: () => unknown): void {
  try {
    Promise.resolve(write()).catch(() => {})
  } catch {
    // nothing is left to tell it to
  }
}

/** Crockford's base32: no letter that reads like a digit, none that makes words. */
const REFERENCE_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

/** Bytes as text that people can read out, a character for each. */
export const spellOut = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => REFERENCE_ALPHABET.charAt(byte % 32)).join("")

/** Short enough to be read out on the telephone: "K7QF-3M2X". */
function createReference(): string {
  const text = spellOut(randomBytes(8))
  return `${text.slice(0, 4)}-${text.slice(4)}`
}

/** Adds facts to an error; false if the application has frozen its error. */
function addFacts(error: AuthError, added: Readonly<Record<string, unknown>>): boolean {
  const facts = isError(error.cause) ? { err: error.cause } : error.cause
  return Reflect.set(error, "cause", toCause({ ...facts, ...added }))
}

/** Adds a reference to the facts of an error. */
function markWithReference(error: AuthError): string | undefined {
  const reference = createReference()
  return addFacts(error, { reference }) ? reference : undefined
}

/** True for failures that clients cause, alone or by a provider's answer (502): their number has no bound. */
const isBounded = ({ level, status }: AuthError): boolean => level === "warn" || status === 502

/** One limit for each code. There are as many as codes. */
function createLimits(now: () => number): (error: AuthError) => number | undefined {
  const limits = new Map<MessageCode, LogLimit>()
  return (error) => {
    if (!isBounded(error)) return 0
    const { messageCode } = error
    const limit = limits.get(messageCode) ?? createLogLimit(now)
    limits.set(messageCode, limit)
    return limit.take()
  }
}

/** The facts of an error as any logger may have them: texts of clients and providers lose what is secret or dangerous. */
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

/** Undefined where nobody listens. */
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
 * The logger of one configuration. Debug output is silent unless `debug` is set, the logger has its own, or the
 * variable DEBUG names it.
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
      // The application may throw the same error again, with the number of an earlier record.
      if (omitted > 0 || Reflect.has(Object(failed.cause), "omitted")) addFacts(failed, { omitted })
      if (failed.level === "warn") return void warn(failed.messageCode, withSafeFacts(failed))
      const reference = markWithReference(failed)
      error(withSafeFacts(failed))
      return reference
    },
  }
}
