/** Bits of a note of what came: a power of two, 64 kB of them. */
const BITS = 2 ** 19
/** A note that is fuller takes too much for known. */
const MOST_NOTED = BITS / 32
const NOTED_CHARACTERS = 8

/** FNV-1a over the first characters, which differ at random in a tag. */
function bitOf(tag: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < NOTED_CHARACTERS; at++) hash = Math.imul(hash ^ tag.charCodeAt(at), 0x01000193)
  return (hash ^ (hash >>> 16)) & (BITS - 1)
}

/**
 * Tells what comes again from what comes for the first time, in 64 kB: what comes once is not worth keeping. At worst
 * one in thirty of what is new is taken for known, and now and then all is new again.
 */
export function createAgain(): (tag: string) => boolean {
  const bytes = new Uint8Array(BITS / 8)
  let noted = 0
  return (tag) => {
    const bit = bitOf(tag)
    const [at, mask] = [bit >>> 3, 1 << (bit & 7)]
    const byte = bytes[at] ?? 0
    if ((byte & mask) !== 0) return true
    if (noted >= MOST_NOTED) {
      bytes.fill(0)
      noted = 0
    }
    bytes[at] = (bytes[at] ?? 0) | mask
    noted++
    return false
  }
}
