/**
 * How a value that is too long for one cookie is split. Pure.
 *
 * @module
 */

/** What browsers accept of one cookie with its attributes (RFC 6265 §6.1). */
const MAX_COOKIE_SIZE = 4096
/** As Auth.js splits its cookies, where the attributes leave room for it. */
const MAX_CHUNK_SIZE = MAX_COOKIE_SIZE - 160
/** The number of a part, and the separator before the value. */
const PART_SIZE = 3
/** Each cookie needs a name and attributes. */
const MAX_CHUNKS = 10

/** What is written into a cookie as it stands. */
const PLAIN = /^[\w.~!*'()-]*$/
/** Half of a character of two code units, at the beginning or the end of a text. */
const HALF = /^[\udc00-\udfff]|[\ud800-\udbff]$/

/** How many characters a value takes as it is written: one of another alphabet has up to twelve. */
const writtenLength = (value: string): number => (PLAIN.test(value) ? value.length : encodeURIComponent(value).length)

/** How many characters a cookie takes in a request, with the separator before the next one. */
export const sentLength = (name: string, value: string): number => `${name}=; `.length + writtenLength(value)

/**
 * The parts of a value, each of which a browser keeps; undefined where there would be too many.
 *
 * @param overhead characters of the cookie's name and attributes
 */
export function partsOf(value: string, overhead: number): readonly string[] | undefined {
  const chunkSize = Math.min(MAX_CHUNK_SIZE, MAX_COOKIE_SIZE - overhead - PART_SIZE)
  if (chunkSize < 1) return undefined
  const fits = (part: string): boolean => !HALF.test(part) && writtenLength(part) <= chunkSize
  const isPlain = PLAIN.test(value)
  for (let count = Math.ceil(value.length / chunkSize); count <= MAX_CHUNKS; count++) {
    // All but the last have one length, by which they are recognised.
    const size = isPlain ? chunkSize : Math.ceil(value.length / count)
    const parts = Array.from({ length: count }, (_, i) => value.slice(i * size, (i + 1) * size))
    if (isPlain || parts.every(fits)) return parts
  }
  return undefined
}
