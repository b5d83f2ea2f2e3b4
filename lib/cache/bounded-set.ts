import { createLruCache } from "./lru-cache.js"

/** A set of limited size. If it is full, adding an entry removes the oldest entry. */
export interface BoundedSet {
  /** Adds `id` and returns true. Returns false if the set already contains `id`. */
  addIfAbsent(id: string): boolean
}

export function createBoundedSet(maxEntries: number): BoundedSet {
  const entries = createLruCache<true>(maxEntries)
  return {
    addIfAbsent(id) {
      if (entries.has(id)) return false
      entries.set(id, true)
      return true
    },
  }
}
