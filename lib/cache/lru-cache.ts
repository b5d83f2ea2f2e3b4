import { LRUCache } from "lru-cache"

/** Creates a cache of the most recently used entries. The option `max` would allocate the memory of all at once. */
export const createLruCache = <T extends object | true>(maxEntries: number): LRUCache<string, T> =>
  new LRUCache<string, T>({ maxSize: maxEntries, sizeCalculation: () => 1 })
