import { LRUCache } from "lru-cache"

/**
 * Creates a cache that evicts the least recently used entry when it is full. It uses `maxSize`, because `max` would
 * allocate the memory of all entries at once.
 */
export const createLruCache = <T extends object | true>(maxEntries: number): LRUCache<string, T> =>
  new LRUCache<string, T>({ maxSize: maxEntries, sizeCalculation: () => 1 })
