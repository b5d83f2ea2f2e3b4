/**
 * Removes secrets from driver errors, so that they can be logged.
 *
 * Drivers attach their operation to errors: the statement with its values (mysql2), the command (ioredis), the rejected
 * row (pg), the parameters (Drizzle). The values include provider tokens and session tokens, and some messages contain
 * them, too.
 *
 * @module
 */
import { isError } from "../errors/errors.js"
import { printable } from "../logging/redact.js"
import { copyError } from "../security/copy-error.js"
import type { AdapterMethod } from "./adapter.js"

/** A call of an adapter method, with its arguments. */
export interface Call {
  readonly name: AdapterMethod
  readonly args: readonly unknown[]
}

/** The members that identify the failure and its location. All others can contain values. */
const FACTS = [
  ...["code", "errno", "sqlState", "sqlstate", "severity", "fatal", "codeName", "status", "statusCode", "retryable"],
  ...["schema", "table", "column", "dataType", "constraint", "routine", "clientVersion"],
  ...["syscall", "hostname", "address", "port", "path"],
] as const

/** The record members that may be logged, because they identify the rejected row. */
const LOGGABLE_FIELDS = new Set([
  ...["id", "userId", "name", "email", "image", "identifier", "createdAt"],
  ...["provider", "providerAccountId", "verifiedEmail", "type", "scope", "token_type"],
  ...["credentialID", "credentialDeviceType", "transports"],
])

/** The methods whose argument is a session token. The others receive an id, an address or a name. */
const METHODS_WITH_TOKEN: ReadonlySet<AdapterMethod> = new Set(["getSessionAndUser", "deleteSession"])

const MAX_DEPTH = 6

/** All strings within a value. */
function collectStrings(value: unknown, depth = 0): string[] {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return []
  return Object.values(value).flatMap((item) => collectStrings(item, depth + 1))
}

/** The strings of a record that may be secret: all except the known harmless members. */
const collectSecrets = (record: object): string[] =>
  Object.entries(record).flatMap(([name, value]) => (LOGGABLE_FIELDS.has(name) ? [] : collectStrings(value)))

const listSecrets = ({ name, args }: Call): string[] =>
  args.flatMap((given) => {
    if (typeof given === "object" && given !== null) return collectSecrets(given)
    return METHODS_WITH_TOKEN.has(name) ? [String(given)] : []
  })

/** Databases truncate quoted values, so every part of a secret with at least this length is masked. */
const PIECE_LENGTH = 8
const MASK = "[masked]"

/** The parts of a text that also occur in a secret. */
function sharedSubstrings(text: string, secrets: readonly string[]): Set<string> {
  const pieces = new Set(Array.from({ length: text.length }, (_, at) => text.slice(at, at + PIECE_LENGTH)))
  const shared = new Set<string>()
  for (const secret of secrets)
    for (let at = 0; at + PIECE_LENGTH <= secret.length; at++) {
      const piece = secret.slice(at, at + PIECE_LENGTH)
      if (pieces.has(piece)) shared.add(piece)
    }
  return shared
}

/** Masks all parts of secrets in a text. */
function maskSubstrings(text: string, secrets: readonly string[]): string {
  const shared = sharedSubstrings(text, secrets)
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

/** Shorter secrets also occur in ordinary words, so they are not masked. */
const MIN_SECRET_LENGTH = 6

/** Masks parts of secrets, and whole secrets that are shorter than a part. */
function maskSecrets(text: string, secrets: readonly string[]): string {
  const short = secrets.filter(({ length }) => length >= MIN_SECRET_LENGTH && length < PIECE_LENGTH)
  return short.reduce((rest, secret) => rest.replaceAll(secret, MASK), maskSubstrings(text, secrets))
}

/** Keeps the beginning and the end of a long text; Prisma reports the reason at the end. */
const MAX_HALF_LENGTH = 1_000

const shortened = (text: string): string =>
  text.length > 2 * MAX_HALF_LENGTH ? `${text.slice(0, MAX_HALF_LENGTH)} … ${text.slice(-MAX_HALF_LENGTH)}` : text

type Mask = (text: string) => string

function loggableFacts(error: object, mask: Mask): Record<string, unknown> {
  const facts = FACTS.map((name) => [name, Reflect.get(error, name)] as const)
  const primitives = facts.filter(([, fact]) => ["string", "number", "boolean"].includes(typeof fact))
  return Object.fromEntries(primitives.map(([name, fact]) => [name, typeof fact === "string" ? mask(fact) : fact]))
}

const MAX_CAUSES = 5

/** Also sanitizes nested errors: of several connection attempts, or of a library that wraps the driver. */
function withCauses(error: object, depth: number, mask: Mask): Record<string, unknown> {
  const [cause, errors]: unknown[] = [Reflect.get(error, "cause"), Reflect.get(error, "errors")]
  if (depth >= MAX_CAUSES) return {}
  const sanitized = (nested: unknown) => sanitizedCopy(nested, depth + 1, mask)
  return {
    ...(isError(cause) && { cause: sanitized(cause) }),
    ...(Array.isArray(errors) && { errors: errors.filter(isError).slice(0, MAX_CAUSES).map(sanitized) }),
  }
}

function sanitizedCopy(value: unknown, depth: number, mask: Mask): Error {
  const error = Object(value)
  return Object.assign(copyError(value, mask), loggableFacts(error, mask), withCauses(error, depth, mask))
}

/** Returns a copy of the thrown error without the arguments of the adapter calls. */
export function sanitizeError(thrown: unknown, calls: readonly Call[]): Error {
  try {
    const secrets = calls.flatMap(listSecrets)
    return sanitizedCopy(thrown, 0, (text) => printable(maskSecrets(shortened(text), secrets)))
  } catch {
    // For an object whose getters throw.
    return new Error("the adapter threw a value that cannot be inspected")
  }
}
