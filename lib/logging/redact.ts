/**
 * Masks secrets in the texts and values that are logged.
 *
 * @module
 */
import { types } from "node:util"

/**
 * True for an error of this realm, and for a native error of another realm. Under Jest, errors of Node.js come from
 * another realm.
 */
export const isError = (value: unknown): value is Error => value instanceof Error || types.isNativeError(value)

const SECRET_KEY =
  /secret|password|passwd|token|cookie|authorization|assertion|verifier|credential|nonce|state|^code$|^key$|apikey/i
/**
 * Matches JSON Web Tokens, and pairs such as `code=…` whose name is the name of a secret. A token must begin at a word
 * boundary: otherwise a long line with many "eyJ" would take quadratic time.
 */
const SECRET_TEXT =
  /(?<![\w-])eyJ[\w-]+\.[\w.-]+|\b((?:access_|refresh_|id_)?token|code|state|code_verifier|client_secret|password)=[^&\s"]+/g
/** Limits the characters of a text that are searched and logged: a provider may respond with a megabyte. */
const MAX_TEXT_LENGTH = 4_000

/** Cuts a long text, masks tokens and codes, and escapes control characters so that a log record stays on one line. */
export function printable(text: string): string {
  return (text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text)
    .replace(SECRET_TEXT, (_, key?: string) => (key ? `${key}=[masked]` : "[masked]"))
    .replace(/[\p{Cc}\u2028\u2029]/gu, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`)
}

/** Returns a copy of a value for logs. Members with names of secrets are masked, and deep or long values are cut. */
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

/** The maximum depth of nested causes. */
const MAX_CAUSES = 4

/**
 * Converts an error to data for a log: its name, code, message and causes, and its stack if `withStack` is true. Other
 * properties are left out. An application or a driver may have added them, and they may contain a password or the
 * values of an SQL statement.
 */
function errorRecord(error: Error, withStack: boolean, depth = MAX_CAUSES): Record<string, unknown> {
  const code: unknown = Reflect.get(error, "code")
  const { name, message, cause } = error
  return {
    name,
    ...(["string", "number"].includes(typeof code) && { code: redact(code) }),
    message: printable(message),
    ...(withStack && error.stack !== undefined && { stack: printableStack(error.stack) }),
    ...(cause !== undefined && { cause: causeRecord(cause, withStack, depth) }),
  }
}

/**
 * Converts the cause of an error to data for a log. The cause is an error, or details that contain an error as `err`.
 */
export function causeRecord(cause: unknown, withStack: boolean, depth = MAX_CAUSES): unknown {
  if (depth === 0) return "[…]"
  if (isError(cause)) return errorRecord(cause, withStack, depth - 1)
  if (typeof cause !== "object" || cause === null) return redact(cause)
  const { err, ...facts }: Record<string, unknown> = { ...cause }
  const record = isError(err) ? errorRecord(err, withStack, depth - 1) : redact(err)
  return { ...Object(redact(facts)), ...(err !== undefined && { err: record }) }
}

const printableStack = (stack: string): string => stack.split("\n").map(printable).join("\n")
