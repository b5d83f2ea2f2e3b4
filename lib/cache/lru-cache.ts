/** A bounded cache with two generations: holds between `bound` and 2 × `bound` of the most recently used entries. */
export interface LruCache<T> {
  get(key: string): T | undefined
  /** Stores a value. `weight` is its share of the bound, by default 1. */
  set(key: string, value: T, weight?: number): void
}

interface CacheEntry<T> {
  readonly value: T
  readonly weight: number
}

/** Copies a text. A substring would keep the whole text in memory, for example the `Cookie` header. */
export const copyText = (text: string): string => Buffer.from(text).toString()

/** Creates a cache with two generations, so that a hit in the younger one moves no entry. */
export function createLruCache<T>(bound: number): LruCache<T> {
  let young = new Map<string, CacheEntry<T>>()
  let old = new Map<string, CacheEntry<T>>()
  let weight = 0
  const store = (key: string, entry: CacheEntry<T>): void => {
    if (weight >= bound) {
      old = young
      young = new Map()
      weight = 0
    }
    young.set(key, entry)
    weight += entry.weight
  }
  return {
    get(key) {
      const found = young.get(key)
      if (found) return found.value
      const earlier = old.get(key)
      if (earlier) store(copyText(key), earlier)
      return earlier?.value
    },
    set: (key, value, weight = 1) => store(copyText(key), { value, weight }),
  }
}
