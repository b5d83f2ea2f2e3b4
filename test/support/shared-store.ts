import { MemoryStore } from "../../lib/store/memory.js"
import type { Store } from "../../lib/store/store.js"

/** A store that the library treats as shared by several processes, and its counters by key. */
export interface SharedStore {
  readonly store: Store
  readonly counters: Map<string, number>
}

/** Creates a store in memory, some of whose operations can be replaced. */
export function sharedStore(replaced: Partial<Store> = {}): SharedStore {
  const counters = new Map<string, number>()
  const memory = MemoryStore()
  const store: Store = {
    ...memory,
    async increment(kind, key, window) {
      const counter = await memory.increment(kind, key, window)
      counters.set(key, counter.count)
      return counter
    },
    async delete(kind, key, ifVersion) {
      counters.delete(key)
      return memory.delete(kind, key, ifVersion)
    },
    ...replaced,
  }
  return { store, counters }
}
