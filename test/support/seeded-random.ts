/** Choices that look random and come again with the same seed. */
export interface SeededRandom {
  /** A whole number from 0, below this one. */
  below(limit: number): number
  /** One of a list that is not empty. */
  pick<T>(choices: readonly T[]): T
  bytes(length: number): Buffer
}

/** Marsaglia's xorshift, of 32 bits: small, and good enough to choose with. */
export function seededRandom(seed: number): SeededRandom {
  // Neighbouring seeds are spread, and zero would stay zero for ever.
  let state = Math.imul(seed + 1, 0x9e3779b1) | 1
  const next = () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 0
  }
  const below = (limit: number) => next() % limit
  return {
    below,
    // Below the length there is one.
    pick: <T>(choices: readonly T[]) => choices[below(choices.length)] as T,
    bytes: (length) => Buffer.from(Array.from({ length }, () => below(256))),
  }
}
