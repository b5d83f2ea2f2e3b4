/**
 * Splits values that are too long for one cookie into chunks. Performs no I/O.
 *
 * @module
 */

/** The maximum size of a cookie that browsers accept, including name and attributes, in bytes (RFC 6265 §6.1). */
const MAX_COOKIE_SIZE = 4096
/** The maximum size of a chunk in bytes, as in Auth.js. Long attributes reduce it. */
const MAX_CHUNK_SIZE = MAX_COOKIE_SIZE - 160
/** The length of a chunk's suffix, `.0` to `.9`, and of the "=" before the value. */
const CHUNK_SUFFIX_SIZE = 3
/** The maximum number of chunks of a value. Each chunk adds a name and attributes to the headers. */
const MAX_CHUNKS = 10

/** Matches values that need no percent-encoding. */
const PLAIN = /^[\w.~!*'()-]*$/
/** Matches text that begins with a low surrogate or ends with a high one: half of a surrogate pair. */
const SPLIT_SURROGATE = /^[\udc00-\udfff]|[\ud800-\udbff]$/

/** Returns the length of a value after percent-encoding, which turns one character into up to twelve. */
const encodedLength = (value: string): number => (PLAIN.test(value) ? value.length : encodeURIComponent(value).length)

/** Returns how many characters a cookie adds to a `Cookie` header, including the separator "; ". */
export const sentLength = (name: string, value: string): number => `${name}=; `.length + encodedLength(value)

/**
 * Splits a value into chunks that browsers accept. Returns undefined if `MAX_CHUNKS` chunks are not enough.
 *
 * @param overhead the length of the cookie's name and attributes
 */
export function splitValue(value: string, overhead: number): readonly string[] | undefined {
  const chunkSize = Math.min(MAX_CHUNK_SIZE, MAX_COOKIE_SIZE - overhead - CHUNK_SUFFIX_SIZE)
  if (chunkSize < 1) return undefined
  const fits = (chunk: string): boolean => !SPLIT_SURROGATE.test(chunk) && encodedLength(chunk) <= chunkSize
  const isPlain = PLAIN.test(value)
  for (let count = Math.ceil(value.length / chunkSize); count <= MAX_CHUNKS; count++) {
    // `readChunked` requires that all chunks except the last have the same length.
    const size = isPlain ? chunkSize : Math.ceil(value.length / count)
    const chunks = Array.from({ length: count }, (_, i) => value.slice(i * size, (i + 1) * size))
    if (isPlain || chunks.every(fits)) return chunks
  }
  return undefined
}
