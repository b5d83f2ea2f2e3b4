/** Missing values as text, which would be the same id for every user. */
const MISSING_VALUES = new Set(["", "undefined", "null", "NaN", "Infinity", "-Infinity"])
/** The default text of objects, including promises, which would be the same id for every user. */
const OBJECT_TEXT = /^\[object \w+\]$/
/** A lone surrogate has no UTF-8 encoding: PostgreSQL and MySQL store the same text for all of them. */
const LONE_SURROGATE = /\p{Cs}/u
/** The types of ids. Objects are included because some have a unique text, such as an ObjectId of MongoDB. */
const ID_TYPES = new Set(["string", "number", "bigint", "object"])

/** How deep the profile of a provider is searched for an id. */
const MAX_DEPTH = 4

/** True if the value, or a value nested in it, matches. */
function contains(value: unknown, matches: (value: unknown) => boolean, depth = MAX_DEPTH): boolean {
  if (matches(value)) return true
  return depth > 0 && typeof value === "object" && value !== null
    ? Object.values(value).some((inner) => contains(inner, matches, depth - 1))
    : false
}

/** The shortest unsafe integers have 16 digits. An id may have other parts, for example the name of a tenant. */
const LONG_NUMBER = /\d{16,}/g

/**
 * True if the id, or a part of it, was an unsafe integer. JSON numbers are parsed as doubles (RFC 8259 §6), so above
 * 2⁵³ several ids become the same number.
 */
function isUnsafeInteger(id: string, source: object): boolean {
  return [id, ...(id.match(LONG_NUMBER) ?? [])].some((part) => {
    if (!(Math.abs(Number(part)) > Number.MAX_SAFE_INTEGER)) return false
    const isNumber = (value: unknown) => typeof value === "number" && String(value) === part
    // Many providers also return the id as text, which is exact.
    return contains(source, isNumber) && !contains(source, (value) => value === part || value === id)
  })
}

/** Converts an id to text; "" for values that are not ids. */
function toText(value: unknown): string {
  if (value === null || Array.isArray(value) || !ID_TYPES.has(typeof value)) return ""
  try {
    return String(value)
  } catch {
    return ""
  }
}

/**
 * Converts an id that a function of the application returned to text.
 *
 * @param name the function's name, for the message
 * @param source the data from which the id was taken
 * @throws Error if several users could have the id
 */
export function requireUserId(value: unknown, name: string, source: object): string {
  const id = toText(value)
  if (MISSING_VALUES.has(id) || OBJECT_TEXT.test(id)) throw new Error(`${name} returned no id`)
  if (LONE_SURROGATE.test(id))
    throw new Error(`${name} returned an id with a lone surrogate, which databases store as another character`)
  if (isUnsafeInteger(id, source))
    throw new Error(`${name} returned an id from a number above 2^53, which several users may have: read it as text`)
  return id
}
