import { isWithin, withTimeout } from "../../timeout.js"

/** How long a value is good, and how long a failure is held so that an outage is not hammered. */
export interface CachePolicy {
  readonly ttlMs: number
  readonly failureMs: number
  readonly now: () => number
}

export interface Cached<T> {
  /** The value: from memory, or loaded. Calls that come at once share one load, unless it hangs; a reload that fails or is slow gives the old value. */
  get(): Promise<T>
  /** Loads anew, whatever is in memory. */
  refresh(): Promise<T>
}

/** How long somebody waits for a fresh value where there is an old one. */
const STALE_WAIT_MS = 1_000
/** Whoever comes so long after a load began gets one of their own: what hung before may answer by now. */
const OVERDUE_MS = 2_000

/** Keeps one loaded value. */
export function cached<T>(load: () => Promise<T>, { ttlMs, failureMs, now }: CachePolicy): Cached<T> {
  let value: { readonly is: T; readonly since: number } | undefined
  let failure: { readonly is: unknown; readonly since: number } | undefined
  let loading: { readonly is: Promise<T>; readonly since: number } | undefined

  const keep = (is: T): T => {
    value = { is, since: now() }
    failure = undefined
    return is
  }

  const hold = (is: unknown): never => {
    failure = { is, since: now() }
    throw is
  }

  const begin = () => {
    const mine = { since: now(), is: load().then(keep, hold).finally(end) }
    function end() {
      if (loading === mine) loading = undefined
    }
    return mine
  }

  const start = (): Promise<T> => {
    if (!loading || !isWithin(OVERDUE_MS, loading.since, now())) loading = begin()
    return loading.is
  }

  return {
    async get() {
      if (value && isWithin(ttlMs, value.since, now())) return value.is
      const stale = value
      if (failure && isWithin(failureMs, failure.since, now())) {
        if (stale) return stale.is
        throw failure.is
      }
      return stale ? withTimeout(start(), STALE_WAIT_MS, "slow").catch(() => stale.is) : start()
    },
    refresh: start,
  }
}
