import { isWithinLast, withTimeout } from "../base/timeout.js"

export interface CachePolicy {
  /** How long a loaded value is fresh: `get` returns it without loading again. */
  readonly ttlMs: number
  /** After a failed load, how long `get` does not load again, so that not every sign-in calls a server that is down. */
  readonly failureTtlMs: number
  readonly now: () => number
}

export interface RefreshingCache<T> {
  /**
   * Returns the cached value if it is fresh, otherwise loads a new one. Concurrent calls share one load, but if it
   * takes longer than 2 seconds, the next call starts another. If a reload fails or takes longer than a second, returns
   * the stale value.
   *
   * @throws the error of the load if there is no stale value
   */
  get(): Promise<T>
  /** Loads the value, even if the cached value is fresh. Rejects if the load fails. */
  refresh(): Promise<T>
}

/** How long `get` waits for a reload before it returns the stale value. */
const STALE_WAIT_MS = 1_000
/** After this time a load is considered hung, and the next call starts another load. */
const OVERDUE_MS = 2_000

/** Creates a cache of the one value that `load` returns. */
export function createRefreshingCache<T>(
  load: () => Promise<T>,
  { ttlMs, failureTtlMs, now }: CachePolicy,
): RefreshingCache<T> {
  let cached: { readonly value: T; readonly storedAt: number } | undefined
  let failure: { readonly error: unknown; readonly storedAt: number } | undefined
  let pending: { readonly promise: Promise<T>; readonly startedAt: number } | undefined

  const storeValue = (value: T): T => {
    cached = { value, storedAt: now() }
    failure = undefined
    return value
  }

  const storeFailure = (error: unknown): never => {
    failure = { error, storedAt: now() }
    throw error
  }

  const startLoad = () => {
    const newLoad = { startedAt: now(), promise: load().then(storeValue, storeFailure).finally(clearPending) }
    function clearPending() {
      if (pending === newLoad) pending = undefined
    }
    return newLoad
  }

  const loadOnce = (): Promise<T> => {
    if (!pending || !isWithinLast(OVERDUE_MS, pending.startedAt, now())) pending = startLoad()
    return pending.promise
  }

  return {
    async get() {
      if (cached && isWithinLast(ttlMs, cached.storedAt, now())) return cached.value
      const stale = cached
      if (failure && isWithinLast(failureTtlMs, failure.storedAt, now())) {
        if (stale) return stale.value
        throw failure.error
      }
      return stale ? withTimeout(loadOnce(), STALE_WAIT_MS, "slow").catch(() => stale.value) : loadOnce()
    },
    refresh: loadOnce,
  }
}
