/**
 * How a value that is too long for one cookie is taken apart. Pure.
 *
 * @module
 */

/** What browsers keep of one cookie, less what its name and attributes may take. */
const CHUNK_SIZE = 4096 - 160

/** Node answers 431 to more than 16 kB of headers in all: a session that comes near would lock its user out. */
const MAX_CHUNKS = 3

/** The characters that a value may have at most, as it is written. */
export const MOST_THAT_FITS = MAX_CHUNKS * CHUNK_SIZE

/** What is written into a cookie as it stands. */
const PLAIN = /^[\w.~!*'()-]*$/
/** Half of a character of two code units, at the beginning or the end of a text. */
const HALF = /^[\udc00-\udfff]|[\ud800-\udbff]$/

/** How many characters a value takes as it is written: one of another alphabet has up to twelve. */
export const writtenLength = (value: string): number =>
  PLAIN.test(value) ? value.length : encodeURIComponent(value).length

const fits = (part: string): boolean => !HALF.test(part) && writtenLength(part) <= CHUNK_SIZE

/** The parts of a value, each of which a browser keeps; undefined where there would be too many. */
export function partsOf(value: string): readonly string[] | undefined {
  const isPlain = PLAIN.test(value)
  for (let count = Math.ceil(value.length / CHUNK_SIZE); count <= MAX_CHUNKS; count++) {
    // Of one length, but for the last: that is how they are known.
    const size = isPlain ? CHUNK_SIZE : Math.ceil(value.length / count)
    const parts = Array.from({ length: count }, (_, i) => value.slice(i * size, (i + 1) * size))
    if (isPlain || parts.every(fits)) return parts
  }
  return undefined
}
