import { createLruCache } from "./lru-cache.js"

/** A set of limited size, from which the oldest entries are removed. */
export interface BoundedSet {
  /** Adds an entry. Returns false if the set has it already. */
  addIfAbsent(id: string): boolean
}

export function createBoundedSet(size: number): BoundedSet {
  const entries = createLruCache<true>(size)
  return {
    addIfAbsent(id) {
      if (entries.has(id)) return false
      entries.set(id, true)
      return true
    },
  }
}
