/**
 * Splits values that are too long for one cookie into chunks. Pure.
 *
 * @module
 */

/** The maximum size of a cookie with its attributes in browsers (RFC 6265 §6.1). */
const MAX_COOKIE_SIZE = 4096
/** The chunk size of Auth.js, which is used unless long attributes leave less room. */
const MAX_CHUNK_SIZE = MAX_COOKIE_SIZE - 160
/** The length of a chunk's number with its dot, and of the "=" before the value. */
const CHUNK_SUFFIX_SIZE = 3
/** Limits the number of chunks, because each one adds a name and attributes. */
const MAX_CHUNKS = 10

/** The values that are written without percent-encoding. */
const PLAIN = /^[\w.~!*'()-]*$/
/** A surrogate without its pair at the beginning or the end of a text. */
const SPLIT_SURROGATE = /^[\udc00-\udfff]|[\ud800-\udbff]$/

/** The length of a value after percent-encoding, in which one character may take up to twelve. */
const encodedLength = (value: string): number => (PLAIN.test(value) ? value.length : encodeURIComponent(value).length)

/** How many characters a cookie adds to a `Cookie` header, with the separator before the next one. */
export const sentLength = (name: string, value: string): number => `${name}=; `.length + encodedLength(value)

/**
 * Splits a value into chunks that browsers accept; returns undefined if there would be too many.
 *
 * @param overhead the length of the cookie's name and attributes
 */
export function splitValue(value: string, overhead: number): readonly string[] | undefined {
  const chunkSize = Math.min(MAX_CHUNK_SIZE, MAX_COOKIE_SIZE - overhead - CHUNK_SUFFIX_SIZE)
  if (chunkSize < 1) return undefined
  const fits = (chunk: string): boolean => !SPLIT_SURROGATE.test(chunk) && encodedLength(chunk) <= chunkSize
  const isPlain = PLAIN.test(value)
  for (let count = Math.ceil(value.length / chunkSize); count <= MAX_CHUNKS; count++) {
    // All chunks except the last have the same length, which `readChunked` checks.
    const size = isPlain ? chunkSize : Math.ceil(value.length / count)
    const chunks = Array.from({ length: count }, (_, i) => value.slice(i * size, (i + 1) * size))
    if (isPlain || chunks.every(fits)) return chunks
  }
  return undefined
}
