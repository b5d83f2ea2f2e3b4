import { randomBytes } from "node:crypto"
import { type AuthError, asAuthError, isError } from "./errors.js"

/** A logger of the application's own; the levels it lacks go to the console. */
export interface LoggerInstance {
  // biome-ignore lint/suspicious/noExplicitAny: so that any logger of the field fits, as in the contract
  error(error: Error, ...rest: any[]): void
  // biome-ignore lint/suspicious/noExplicitAny: see above
  warn(code: any, ...rest: any[]): void
  // biome-ignore lint/suspicious/noExplicitAny: see above
  debug(message: string, ...rest: any[]): void
}

/** Where the library writes. */
export interface Logger {
  error(error: Error): void
  warn(code: string, details?: string | Error): void
  debug(message: string, metadata?: unknown): void
  /**
   * Writes a failure once, at the level that its type has. What the operator has to mend gets a reference, which stands
   * in the log as `cause.reference`; what clients cause gets none.
   */
  failure(error: AuthError): string | undefined
}

const SECRET_KEY =
  /secret|password|passwd|token|cookie|authorization|assertion|verifier|credential|nonce|state|^code$|^key$|apikey/i
/** A token begins nowhere within a word: otherwise each "eyJ" of a long line would be tried to its end. */
const SECRET_TEXT =
  /(?<![\w-])eyJ[\w-]+\.[\w.-]+|\b((?:access_|refresh_|id_)?token|code|state|code_verifier|client_secret|password)=[^&\s"]+/g
/** Longer texts are cut, before anything is looked for in them: a provider may answer with a megabyte. */
const MAX_TEXT_LENGTH = 4_000

/** Text with tokens and codes masked, and control characters written out, so that a log line stays one line. */
export function printable(text: string): string {
  return (text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text)
    .replace(SECRET_TEXT, (_, key?: string) => (key ? `${key}=[masked]` : "[masked]"))
    .replace(/[\p{Cc}\u2028\u2029]/gu, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`)
}

/** A copy without secrets: what is under a telling name is masked, what is too deep or too long is cut. */
export function redact(value: unknown, depth = 4): unknown {
  if (typeof value === "string") return printable(value.length > 500 ? `${value.slice(0, 500)}…` : value)
  if (isError(value)) return `${value.name}: ${printable(value.message)}`
  if (typeof value !== "object" || value === null) return typeof value === "function" ? "[function]" : value
  if (value instanceof Date) return value
  if (depth === 0) return "[…]"
  if (Array.isArray(value)) return value.slice(0, 20).map((item) => redact(item, depth - 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      SECRET_KEY.test(key) && item ? "[masked]" : redact(item, depth - 1),
    ]),
  )
}

const frames = (error: Error) =>
  (error.stack ?? "")
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .join("\n")

/** The error behind an error, and the facts beside it. */
function causeOf(error: Error): { behind?: Error; facts?: string } {
  const { cause } = error
  if (isError(cause)) return { behind: cause }
  if (typeof cause !== "object" || cause === null) return {}
  const { err, ...facts }: Record<string, unknown> = { ...cause }
  return {
    ...(isError(err) && { behind: err }),
    ...(Object.keys(facts).length > 0 && { facts: JSON.stringify(redact(facts)) }),
  }
}

const headline = (error: Error) => `${error.name}: ${printable(error.message)}`

function describe(error: Error): string {
  const { behind, facts } = causeOf(error)
  return [
    `[latchkey][error] ${asAuthError(error)?.type ?? error.name}: ${printable(error.message)}`,
    behind && `[latchkey][cause] ${headline(behind)}`,
    facts && `[latchkey][details] ${facts}`,
    frames(behind ?? error),
  ]
    .filter(Boolean)
    .join("\n")
}

/** On one line and without a stack: nobody has to mend anything. */
function describeBriefly(error: Error): string {
  const { behind, facts } = causeOf(error)
  return [printable(error.message), behind && `(${headline(behind)})`, facts].filter(Boolean).join(" ")
}

const consoleLogger = {
  error: (error: Error) => console.error(describe(error)),
  warn: (code: string, details?: string | Error) =>
    console.warn(
      `[latchkey][warn][${code}]`,
      ...(details === undefined ? [] : [isError(details) ? describeBriefly(details) : printable(details)]),
    ),
  debug: (message: string, metadata?: unknown) =>
    console.log(
      `[latchkey][debug] ${printable(message)}`,
      ...(metadata === undefined ? [] : [JSON.stringify(metadata)]),
    ),
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

/** Short enough to be read out on the telephone: "K7QF-3M2X". */
function createReference(): string {
  const text = [...randomBytes(8)].map((byte) => REFERENCE_ALPHABET.charAt(byte % 32)).join("")
  return `${text.slice(0, 4)}-${text.slice(4)}`
}

/** Puts a reference among the facts of an error; undefined where the application has frozen its error. */
function markWithReference(error: AuthError): string | undefined {
  const reference = createReference()
  const facts = isError(error.cause) ? { err: error.cause } : error.cause
  return Reflect.set(error, "cause", { ...facts, reference }) ? reference : undefined
}

/** The facts of an error as any logger may have them: texts of clients and providers lose what is secret or dangerous. */
function withSafeFacts(error: AuthError): AuthError {
  if (Object.isFrozen(error.cause)) return error
  for (const [name, fact] of Object.entries(error.cause ?? {}))
    if (typeof fact === "string" && error.cause) error.cause[name] = printable(fact)
  return error
}

/** The logger of one configuration. Debug output is silent unless `debug` is set or the logger has its own. */
export function createLogger(config: {
  readonly logger?: Partial<LoggerInstance> | undefined
  readonly debug?: boolean | undefined
}): Logger {
  const own = config.logger
  const warn: Logger["warn"] = (code, details) =>
    safely(() =>
      own?.warn ? own.warn(code, ...(details === undefined ? [] : [details])) : consoleLogger.warn(code, details),
    )
  const error: Logger["error"] = (e) => safely(() => (own?.error ? own.error(e) : consoleLogger.error(e)))
  const debug: Logger["debug"] = (message, metadata) =>
    safely(() => {
      const safe = metadata === undefined ? undefined : redact(metadata)
      if (own?.debug) own.debug(message, safe)
      else if (config.debug) consoleLogger.debug(message, safe)
    })
  return {
    error,
    warn,
    debug,
    failure(failed) {
      if (failed.level === "warn") return void warn(failed.type, withSafeFacts(failed))
      const reference = markWithReference(failed)
      error(withSafeFacts(failed))
      return reference
    },
  }
}
