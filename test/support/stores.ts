import { memory } from "./stores/memory.js"
import { reachable } from "./stores/reachable.js"
import { mysql, postgres, sqlite } from "./stores/sql.js"
import type { Store } from "./stores/store.js"

export type { Counts, OpenStore, Store } from "./stores/store.js"

/** Every store that there is. */
export const STORES: readonly Store[] = [sqlite, postgres, mysql, memory]

/**
 * Describes something once for each store. What can't be reached here is skipped, aloud; under CI it fails.
 *
 * @example
 * describeStores("sign-in", (store) => {
 *   it("keeps the user", async () => {
 *     const { adapter, close } = await store.create()
 *     …
 *     await close()
 *   })
 * })
 */
export function describeStores(name: string, cases: (store: Store) => void, stores: readonly Store[] = STORES): void {
  for (const store of stores) describeStore(`${name} (${store.name})`, store, cases)
}

/** The same for one store. */
export function describeStore<S extends Store>(name: string, store: S, cases: (store: S) => void): void {
  if (!store.url || reachable(store.url)) {
    describe(name, () => cases(store))
    return
  }
  const message = `${store.name} can't be reached at ${store.url}`
  if (process.env["CI"]) {
    it(name, () => {
      throw new Error(message)
    })
    return
  }
  console.warn(`SKIPPED: ${name}: ${message}`)
  describe.skip(name, () => cases(store))
}
