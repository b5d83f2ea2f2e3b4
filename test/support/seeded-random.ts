/** Pseudo-random choices that are reproducible with the seed. */
export interface SeededRandom {
  /** An integer from 0 to below the limit. */
  below(limit: number): number
  /** An element of a non-empty list. */
  pick<T>(choices: readonly T[]): T
  bytes(length: number): Buffer
}

/** Marsaglia's 32-bit xorshift. */
export function seededRandom(seed: number): SeededRandom {
  // Spreads consecutive seeds and avoids zero, which xorshift never leaves.
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
    // The index is below the length.
    pick: <T>(choices: readonly T[]) => choices[below(choices.length)] as T,
    bytes: (length) => Buffer.from(Array.from({ length }, () => below(256))),
  }
}
