/** Slots of a note of what came: a power of two. */
const SLOTS = 65_536
/** A note that is fuller takes too much for known. */
const MOST_NOTED = SLOTS / 4
const NOTED_CHARACTERS = 8

/** FNV-1a over the first characters, which differ at random in a tag. */
function slotOf(tag: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < NOTED_CHARACTERS; at++) hash = Math.imul(hash ^ tag.charCodeAt(at), 0x01000193)
  return (hash ^ (hash >>> 16)) & (SLOTS - 1)
}

/**
 * Tells what comes again from what comes for the first time, in 64 kB: what comes once is not worth keeping. At worst a
 * quarter of what is new is taken for known, and now and then all is new again.
 */
export function createAgain(): (tag: string) => boolean {
  const slots = new Uint8Array(SLOTS)
  let noted = 0
  return (tag) => {
    const slot = slotOf(tag)
    if (slots[slot] === 1) return true
    if (noted >= MOST_NOTED) {
      slots.fill(0)
      noted = 0
    }
    slots[slot] = 1
    noted++
    return false
  }
}
