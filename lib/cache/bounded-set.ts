import { LRUCache } from "lru-cache"

/** A set of limited size, from which the oldest entries are removed. */
export interface BoundedSet {
  /** Adds an entry. Returns false if the set has it already. */
  addIfAbsent(id: string): boolean
}

export function createBoundedSet(size: number): BoundedSet {
  // `max` would allocate the memory of all entries at once.
  const entries = new LRUCache<string, true>({ maxSize: size, sizeCalculation: () => 1 })
  return {
    addIfAbsent(id) {
      if (entries.has(id)) return false
      entries.set(id, true)
      return true
    },
  }
}
