/** Missing values, converted to text. As ids they would be the same for every user. */
const MISSING_VALUES = new Set(["", "undefined", "null", "NaN", "Infinity", "-Infinity"])
/** Matches the default text of objects, including promises. As an id it would be the same for every user. */
const OBJECT_TEXT = /^\[object \w+\]$/
/**
 * Matches a lone surrogate, which has no UTF-8 encoding: PostgreSQL and MySQL store the same text for every lone
 * surrogate.
 */
const LONE_SURROGATE = /\p{Cs}/u
/** The types of ids. Objects are included because some have a unique text, such as an ObjectId of MongoDB. */
const ID_TYPES = new Set(["string", "number", "bigint", "object"])

/** How many levels of nested objects are searched for an id. */
const MAX_DEPTH = 4

/** True if the value, or a value nested in it, matches. */
function contains(value: unknown, matches: (value: unknown) => boolean, depth = MAX_DEPTH): boolean {
  if (matches(value)) return true
  return depth > 0 && typeof value === "object" && value !== null
    ? Object.values(value).some((inner) => contains(inner, matches, depth - 1))
    : false
}

/**
 * Matches each number of at least 16 digits in an id. Shorter numbers are safe integers. An id may also contain other
 * text, such as the name of a tenant.
 */
const LONG_NUMBER = /\d{16,}/g

/**
 * True if the id, or a number in it, was an unsafe integer in `source`. JSON numbers are parsed as doubles (RFC 8259
 * §6), so above 2⁵³ several ids become the same number.
 */
function isUnsafeInteger(id: string, source: object): boolean {
  return [id, ...(id.match(LONG_NUMBER) ?? [])].some((part) => {
    if (!(Math.abs(Number(part)) > Number.MAX_SAFE_INTEGER)) return false
    const isNumber = (value: unknown) => typeof value === "number" && String(value) === part
    // Many providers also return the id as text. If this text equals the number, no precision was lost.
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
 * Converts an id to text. The id comes from the application, for example from a function of the configuration.
 *
 * @param name the source of the id, for the message
 * @param source the data from which the id was taken
 * @throws Error if the id is missing, or if several users could have the same id
 */
export function requireUserId(value: unknown, name: string, source: object): string {
  const id = toText(value)
  if (MISSING_VALUES.has(id) || OBJECT_TEXT.test(id)) throw new Error(`${name} returned no id`)
  if (LONE_SURROGATE.test(id))
    throw new Error(`${name} returned an id with a lone surrogate, which databases store as another character`)
  if (isUnsafeInteger(id, source))
    throw new Error(
      `${name} returned an id that contains a number above 2^53. The number may have lost precision, so several users may have this id. Read the id from a string, not from a number`,
    )
  return id
}
