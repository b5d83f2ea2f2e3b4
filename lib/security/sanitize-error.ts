/**
 * Prepares the errors of databases for the log.
 *
 * Drivers attach their operation to errors: the statement with its values (mysql2), the command (ioredis), the rejected
 * row (pg), the parameters (Drizzle). Messages can repeat these values, which include tokens. So only the name, the
 * codes and the stack of an error are logged. Its message is only in the debug output, with the arguments of the call
 * masked.
 *
 * @module
 */
import { asError, isError } from "../errors/errors.js"
import { printable } from "../logging/redact.js"
import { copyError } from "./copy-error.js"

/** The members of an error that identify the failure and its location. All other members can contain values. */
const FACT_NAMES = [
  ...["code", "errno", "errcode", "errstr", "sqlState", "sqlstate", "severity", "fatal", "codeName", "status"],
  ...["statusCode", "retryable", "schema", "table", "column", "dataType", "constraint", "routine", "clientVersion"],
  ...["syscall", "hostname", "address", "port", "path"],
] as const

/** The maximum length of a text that is copied. Codes and names are not longer. */
const MAX_FACT_LENGTH = 64
/** How many levels of nested objects in arguments are searched for values. */
const MAX_DEPTH = 6
/** How many levels of causes are copied, and how many errors of each level. */
const MAX_CAUSES = 5
/** A longer word in a message is masked, because it may be a value. */
const MAX_WORD_LENGTH = 48

/** Returns all strings in a value, including those in nested objects. */
function collectStrings(value: unknown, depth = 0): string[] {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return []
  return Object.values(value).flatMap((item) => collectStrings(item, depth + 1))
}

type Mask = (text: string) => string

/**
 * Creates a function that masks the words of a text that occur in the values. Databases shorten the values that they
 * quote, so a word that is a part of a value is masked too.
 */
const createWordMask =
  (values: readonly string[]): Mask =>
  (text) =>
    printable(text).replace(/\w{4,}/g, (word) =>
      word.length > MAX_WORD_LENGTH || values.some((value) => value.includes(word)) ? "[masked]" : word,
    )

/** Returns the fact, masked; undefined if it is not a primitive value, or is too long to be a code. */
function readFact(fact: unknown, mask: Mask): string | number | boolean | undefined {
  if (typeof fact === "number" || typeof fact === "boolean") return fact
  return typeof fact === "string" && fact.length <= MAX_FACT_LENGTH ? mask(fact) : undefined
}

const readFacts = (error: object, mask: Mask): Record<string, unknown> =>
  Object.fromEntries(
    FACT_NAMES.map((name) => [name, readFact(Reflect.get(error, name), mask)]).filter(([, fact]) => fact !== undefined),
  )

/** Returns the text that replaces the message of the error. */
const describeFacts = (facts: object): string =>
  [...Object.entries(facts).map(([name, fact]) => `${name} ${fact}`), "debug: true logs the message"].join(", ")

/**
 * Copies nested errors: the errors of several connection attempts, and the driver's error that a library has wrapped.
 */
function copyCauses(error: object, mask: Mask, depth: number): Record<string, unknown> {
  const [cause, errors]: unknown[] = [Reflect.get(error, "cause"), Reflect.get(error, "errors")]
  if (depth >= MAX_CAUSES) return {}
  const copy = (nested: unknown) => copyWithoutMessage(nested, mask, depth + 1)
  return {
    ...(isError(cause) && { cause: copy(cause) }),
    ...(Array.isArray(errors) && { errors: errors.filter(isError).slice(0, MAX_CAUSES).map(copy) }),
  }
}

function copyWithoutMessage(value: unknown, mask: Mask, depth: number): Error {
  const error = Object(value)
  const facts = readFacts(error, mask)
  return Object.assign(copyError(value, mask, describeFacts(facts)), facts, copyCauses(error, mask, depth))
}

/** A failure for the log: a copy of the error without its message, and the masked message for the debug output. */
export interface SanitizedFailure {
  readonly err: Error
  readonly message: string
}

/** Sanitizes an error that a call with these arguments has thrown. */
export function sanitizeFailure(thrown: unknown, args: readonly unknown[]): SanitizedFailure {
  try {
    const mask = createWordMask(collectStrings(args))
    return { err: copyWithoutMessage(thrown, mask, 0), message: mask(String(asError(thrown).message)) }
  } catch {
    // A getter of the thrown object throws.
    const message = "a value was thrown that cannot be inspected"
    return { err: new Error(message), message }
  }
}
