/**
 * Prepares the errors of databases for the log.
 *
 * Drivers attach their operation to errors: the statement with its values (mysql2), the command (ioredis), the rejected
 * row (pg), the parameters (Drizzle). Messages can repeat the values too, which include tokens. So only the name, the
 * codes and the stack of an error are logged, and its message only as a debug step, without the arguments of the call.
 *
 * @module
 */
import { asError, isError } from "../errors/errors.js"
import { printable } from "../logging/redact.js"
import { copyError } from "./copy-error.js"

/** The members that identify the failure and its location. All others can contain values. */
const FACTS = [
  ...["code", "errno", "errcode", "errstr", "sqlState", "sqlstate", "severity", "fatal", "codeName", "status"],
  ...["statusCode", "retryable", "schema", "table", "column", "dataType", "constraint", "routine", "clientVersion"],
  ...["syscall", "hostname", "address", "port", "path"],
] as const

/** Codes and names are short. */
const MAX_FACT_LENGTH = 64
const MAX_DEPTH = 6
const MAX_CAUSES = 5
/** A longer word of a message may be a value. */
const MAX_WORD_LENGTH = 48

/** All strings within a value. */
function collectStrings(value: unknown, depth = 0): string[] {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return []
  return Object.values(value).flatMap((item) => collectStrings(item, depth + 1))
}

type Mask = (text: string) => string

/** Masks the words of the values. Databases shorten the values that they quote, so a part of a value is masked too. */
const createWordMask =
  (values: readonly string[]): Mask =>
  (text) =>
    printable(text).replace(/\w{4,}/g, (word) =>
      word.length > MAX_WORD_LENGTH || values.some((value) => value.includes(word)) ? "[masked]" : word,
    )

/** The fact, masked; undefined if it is no primitive value, or too long to be a code. */
function readFact(fact: unknown, mask: Mask): string | number | boolean | undefined {
  if (typeof fact === "number" || typeof fact === "boolean") return fact
  return typeof fact === "string" && fact.length <= MAX_FACT_LENGTH ? mask(fact) : undefined
}

const readFacts = (error: object, mask: Mask): Record<string, unknown> =>
  Object.fromEntries(
    FACTS.map((name) => [name, readFact(Reflect.get(error, name), mask)]).filter(([, fact]) => fact !== undefined),
  )

/** Takes the place of the message. */
const describeFacts = (facts: object): string =>
  [...Object.entries(facts).map(([name, fact]) => `${name} ${fact}`), "debug: true logs the message"].join(", ")

/** Also copies nested errors: of several connection attempts, or of a library that wraps the driver. */
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

/** A failure for the log: a copy of the error without its message, and the message for the debug output. */
export interface SanitizedFailure {
  readonly err: Error
  readonly message: string
}

/** Sanitizes an error of a call with these arguments. */
export function sanitizeFailure(thrown: unknown, args: readonly unknown[]): SanitizedFailure {
  try {
    const mask = createWordMask(collectStrings(args))
    return { err: copyWithoutMessage(thrown, mask, 0), message: mask(String(asError(thrown).message)) }
  } catch {
    // For an object whose getters throw.
    const message = "a value was thrown that cannot be inspected"
    return { err: new Error(message), message }
  }
}
