/**
 * What a driver says of a failure, as loggers and error handlers may have it.
 *
 * Drivers hang on their errors what they were doing: the statement with its values (mysql2), the command (ioredis), the
 * row that was refused (pg), the parameters (Drizzle). Among the values are tokens of providers and of sessions, and
 * some stand in messages too.
 *
 * @module
 */
import { isError } from "../errors.js"
import { printable } from "../redact.js"
import { plainError } from "../security/plain-error.js"
import type { AdapterMethod } from "./adapter.js"

/** A call of an adapter's method, with what it was given. */
export interface Call {
  readonly name: AdapterMethod
  readonly args: readonly unknown[]
}

/** What says which failure it is: codes, and where it happened. Anything else may repeat values. */
const FACTS = [
  ...["code", "errno", "sqlState", "sqlstate", "severity", "fatal", "codeName", "status", "statusCode", "retryable"],
  ...["schema", "table", "column", "dataType", "constraint", "routine", "clientVersion"],
  ...["syscall", "hostname", "address", "port", "path"],
] as const

/** What people may see who read logs: without it nobody could tell whose row was refused. */
const HARMLESS = new Set([
  ...["id", "userId", "name", "email", "image", "identifier", "createdAt"],
  ...["provider", "providerAccountId", "provenEmail", "type", "scope", "token_type"],
  ...["credentialID", "credentialDeviceType", "transports"],
])

/** These are given a session's token as it is; the others an id, an address or a name. */
const TAKE_A_TOKEN: ReadonlySet<AdapterMethod> = new Set(["getSessionAndUser", "deleteSession"])

const MAX_DEPTH = 6

/** Every text within a value. */
function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return []
  return Object.values(value).flatMap((item) => textsIn(item, depth + 1))
}

/** What of a record may be secret: whatever is not known to be harmless, members of the application's own too. */
const secretsIn = (record: object): string[] =>
  Object.entries(record).flatMap(([name, value]) => (HARMLESS.has(name) ? [] : textsIn(value)))

const secretsOf = ({ name, args }: Call): string[] =>
  args.flatMap((given) => {
    if (typeof given === "object" && given !== null) return secretsIn(given)
    return TAKE_A_TOKEN.has(name) ? [String(given)] : []
  })

/** Databases quote values cut off, with marks of their own between: a part of this length is masked. */
const PIECE_LENGTH = 8
const MASK = "[masked]"

/** The pieces of a text that stand in a secret as well. */
function sharedPieces(text: string, secrets: readonly string[]): Set<string> {
  const pieces = new Set(Array.from({ length: text.length }, (_, at) => text.slice(at, at + PIECE_LENGTH)))
  const shared = new Set<string>()
  for (const secret of secrets)
    for (let at = 0; at + PIECE_LENGTH <= secret.length; at++) {
      const piece = secret.slice(at, at + PIECE_LENGTH)
      if (pieces.has(piece)) shared.add(piece)
    }
  return shared
}

/** A text without any part of a secret. */
function withoutPieces(text: string, secrets: readonly string[]): string {
  const shared = sharedPieces(text, secrets)
  if (shared.size === 0) return text
  let [result, secretUntil] = ["", 0]
  for (let at = 0; at < text.length; at++) {
    if (shared.has(text.slice(at, at + PIECE_LENGTH))) {
      if (at >= secretUntil) result += MASK
      secretUntil = at + PIECE_LENGTH
    }
    if (at >= secretUntil) result += text.charAt(at)
  }
  return result
}

/** Shorter ones are part of many words. */
const MIN_SECRET_LENGTH = 6

/** The same, and without secrets that have one piece alone. */
function masked(text: string, secrets: readonly string[]): string {
  const short = secrets.filter(({ length }) => length >= MIN_SECRET_LENGTH && length < PIECE_LENGTH)
  return short.reduce((rest, secret) => rest.replaceAll(secret, MASK), withoutPieces(text, secrets))
}

/** Of a long text the beginning and the end, where Prisma has the reason. */
const MAX_HALF_LENGTH = 1_000

const shortened = (text: string): string =>
  text.length > 2 * MAX_HALF_LENGTH ? `${text.slice(0, MAX_HALF_LENGTH)} … ${text.slice(-MAX_HALF_LENGTH)}` : text

type Loggable = (text: string) => string

function factsOf(error: object, loggable: Loggable): Record<string, unknown> {
  const facts = FACTS.map((name) => [name, Reflect.get(error, name)] as const)
  const known = facts.filter(([, fact]) => ["string", "number", "boolean"].includes(typeof fact))
  return Object.fromEntries(known.map(([name, fact]) => [name, typeof fact === "string" ? loggable(fact) : fact]))
}

const MAX_CAUSES = 5

/** The same of the errors behind it: where there were several attempts to connect, or a library passes a driver's on. */
function withCauses(error: object, depth: number, loggable: Loggable): Record<string, unknown> {
  const [cause, errors]: unknown[] = [Reflect.get(error, "cause"), Reflect.get(error, "errors")]
  if (depth >= MAX_CAUSES) return {}
  const plain = (behind: unknown) => plainCopy(behind, depth + 1, loggable)
  return {
    ...(isError(cause) && { cause: plain(cause) }),
    ...(Array.isArray(errors) && { errors: errors.filter(isError).slice(0, MAX_CAUSES).map(plain) }),
  }
}

function plainCopy(value: unknown, depth: number, loggable: Loggable): Error {
  const error = Object(value)
  return Object.assign(plainError(value, loggable), factsOf(error, loggable), withCauses(error, depth, loggable))
}

/** What was thrown, without what was handed to the methods that were called. */
export function plainFailure(thrown: unknown, calls: readonly Call[]): Error {
  try {
    const secrets = calls.flatMap(secretsOf)
    return plainCopy(thrown, 0, (text) => printable(masked(shortened(text), secrets)))
  } catch {
    // Of an object that does not want to be looked at.
    return new Error("the store has thrown something that can't be looked at")
  }
}
