/**
 * Generates inputs by mutation of the corpus. The same seed generates the same inputs.
 *
 * @module
 */
import { WORDS } from "./corpus.mjs"

/** Marsaglia's 32-bit xorshift, which is random enough here. */
function choicesFrom(seed) {
  let state = Math.imul(seed + 1, 0x9e3779b1) | 1
  return (limit) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % limit
  }
}

const MAX_BYTES = 4_096

/** Replaces a part of the bytes. */
const spliced = (bytes, at, removed, piece) =>
  Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at + removed)])

const CHANGES = [
  // Flip a bit.
  (bytes, below) => {
    const changed = Buffer.from(bytes)
    if (changed.length > 0) changed[below(changed.length)] ^= 1 << below(8)
    return changed
  },
  // Insert a word, or replace a part by it.
  (bytes, below) => spliced(bytes, below(bytes.length + 1), below(2) * below(9), WORDS[below(WORDS.length)]),
  // Delete a part.
  (bytes, below) => spliced(bytes, below(bytes.length + 1), below(32), Buffer.alloc(0)),
  // Repeat a part.
  (bytes, below) => {
    const from = below(bytes.length + 1)
    return spliced(bytes, below(bytes.length + 1), 0, bytes.subarray(from, from + below(64)))
  },
  // Insert random bytes.
  (bytes, below) => {
    const piece = Buffer.from(Array.from({ length: below(16) }, () => below(256)))
    return spliced(bytes, below(bytes.length + 1), below(piece.length + 1), piece)
  },
  // Combine the first half of one input with the second half of another.
  (bytes, below, other) =>
    Buffer.concat([bytes.subarray(0, below(bytes.length + 1)), other.subarray(below(other.length + 1))]),
]

/** Creates a generator of inputs from these. */
export function mutations(inputs, seed) {
  const below = choicesFrom(seed)
  const any = () => inputs[below(inputs.length)] ?? Buffer.alloc(0)
  return () => {
    let bytes = any()
    for (let count = 1 + below(6); count > 0; count--) bytes = CHANGES[below(CHANGES.length)](bytes, below, any())
    return bytes.subarray(0, MAX_BYTES)
  }
}
