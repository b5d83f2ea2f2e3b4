import { isWithin, withTimeout } from "../base/timeout.js"

export interface CachePolicy {
  /** How long a value is fresh. */
  readonly ttlMs: number
  /** How long a failure is cached, so that a server that is down is not called by every sign-in. */
  readonly failureTtlMs: number
  readonly now: () => number
}

export interface RefreshingCache<T> {
  /**
   * Returns the cached value, or loads it. Concurrent calls share one load, unless it hangs. If a reload fails or is
   * slow, the stale value is returned.
   */
  get(): Promise<T>
  /** Loads the value again, even if the cached one is fresh. */
  refresh(): Promise<T>
}

/** How long a caller waits for a fresh value before it gets the stale one. */
const STALE_WAIT_MS = 1_000
/** After this time a load is considered hung, and the next caller starts another one. */
const OVERDUE_MS = 2_000

/** Creates a cache for one value. */
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
    const started = { startedAt: now(), promise: load().then(storeValue, storeFailure).finally(clearPending) }
    function clearPending() {
      if (pending === started) pending = undefined
    }
    return started
  }

  const loadOnce = (): Promise<T> => {
    if (!pending || !isWithin(OVERDUE_MS, pending.startedAt, now())) pending = startLoad()
    return pending.promise
  }

  return {
    async get() {
      if (cached && isWithin(ttlMs, cached.storedAt, now())) return cached.value
      const stale = cached
      if (failure && isWithin(failureTtlMs, failure.storedAt, now())) {
        if (stale) return stale.value
        throw failure.error
      }
      return stale ? withTimeout(loadOnce(), STALE_WAIT_MS, "slow").catch(() => stale.value) : loadOnce()
    },
    refresh: loadOnce,
  }
}
