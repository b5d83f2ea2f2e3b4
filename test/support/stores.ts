import { memory } from "./stores/memory.js"
import { reachable } from "./stores/reachable.js"
import { ioRedis } from "./stores/redis.js"
import { mysql, postgres, sqlite } from "./stores/sql.js"
import type { Store } from "./stores/store.js"

export type { OpenStore, Store } from "./stores/store.js"

/** All stores. */
export const STORES: readonly Store[] = [sqlite, postgres, mysql, ioRedis, memory]

/**
 * Runs the tests for each store. A store that cannot be reached is skipped with a warning, or fails with `CI`.
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

/** Runs the tests for one store. */
export function describeStore<S extends Store>(name: string, store: S, cases: (store: S) => void): void {
  if (isThere(name, store.name, store.url)) describe(name, () => cases(store))
  else describe.skip(name, () => cases(store))
}

/** True if the server can be reached. Otherwise logs a warning, or throws with `CI`. */
function isThere(wanted: string, name: string, url: string | undefined): boolean {
  if (url === undefined || reachable(url)) return true
  const message = `${wanted}: ${name} can't be reached at ${url}`
  if (process.env["CI"]) throw new Error(message)
  console.warn(`SKIPPED: ${message}`)
  return false
}
