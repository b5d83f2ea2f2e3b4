/** What a missing value is as text: the same for every user. */
const MISSING_VALUES = new Set(["", "undefined", "null", "NaN", "Infinity", "-Infinity"])
/** The text of objects that have none of their own, promises among them: the same for every user. */
const OBJECT_TEXT = /^\[object \w+\]$/
/** A surrogate alone has no form in UTF-8: PostgreSQL and MySQL store the same text for each of them. */
const LONE_SURROGATE = /\p{Cs}/u
/** An object may have a text of its own, as the ObjectId of MongoDB. */
const ID_TYPES = new Set(["string", "number", "bigint", "object"])

/** How deep the profile of a provider is searched for an id. */
const MAX_DEPTH = 4

/** Whether the answer has such a value anywhere. */
function holds(value: unknown, isIt: (value: unknown) => boolean, depth = MAX_DEPTH): boolean {
  if (isIt(value)) return true
  return depth > 0 && typeof value === "object" && value !== null
    ? Object.values(value).some((inner) => holds(inner, isIt, depth - 1))
    : false
}

/** The shortest unsafe integers have 16 digits. An id may have other parts beside, for instance the name of a tenant. */
const LONG_NUMBER = /\d{16,}/g

/**
 * Whether the id, or a part of it, was an unsafe integer. Numbers of JSON are read as doubles (RFC 8259 §6): beyond 2⁵³
 * several ids become the same number.
 */
function isUnsafeInteger(id: string, source: object): boolean {
  return [id, ...(id.match(LONG_NUMBER) ?? [])].some((part) => {
    if (!(Math.abs(Number(part)) > Number.MAX_SAFE_INTEGER)) return false
    const isNumber = (value: unknown) => typeof value === "number" && String(value) === part
    // Many write it as text beside, for this very reason.
    return holds(source, isNumber) && !holds(source, (value) => value === part || value === id)
  })
}

/** As text; "" where it has none. */
function toText(value: unknown): string {
  if (value === null || Array.isArray(value) || !ID_TYPES.has(typeof value)) return ""
  try {
    return String(value)
  } catch {
    return ""
  }
}

/**
 * The id that a function of the application returned, as text.
 *
 * @param name of the function, for the message
 * @param source what the id was taken from
 * @throws Error when it would be the id of several users
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
