import { withTimeout } from "../../timeout.js"

/** How long a value is good, and how long a failure is held so that an outage is not hammered. */
export interface CachePolicy {
  readonly ttlMs: number
  readonly failureMs: number
  readonly now: () => number
}

export interface Cached<T> {
  /** The value: from memory, or loaded. Calls that come at once share one load; a reload that fails or is slow gives the old value. */
  get(): Promise<T>
  /** Loads anew, whatever is in memory. */
  refresh(): Promise<T>
}

/** How long somebody waits for a fresh value where there is an old one. */
const STALE_WAIT_MS = 1_000

/** Keeps one loaded value. */
export function cached<T>(load: () => Promise<T>, { ttlMs, failureMs, now }: CachePolicy): Cached<T> {
  let value: { readonly is: T; readonly until: number } | undefined
  let failure: { readonly is: unknown; readonly until: number } | undefined
  let loading: Promise<T> | undefined

  const start = (): Promise<T> => {
    loading ??= load()
      .then(
        (is) => {
          value = { is, until: now() + ttlMs }
          failure = undefined
          return is
        },
        (is: unknown) => {
          failure = { is, until: now() + failureMs }
          throw is
        },
      )
      .finally(() => {
        loading = undefined
      })
    return loading
  }

  return {
    async get() {
      if (value && value.until > now()) return value.is
      const stale = value
      if (failure && failure.until > now()) {
        if (stale) return stale.is
        throw failure.is
      }
      return stale ? withTimeout(start(), STALE_WAIT_MS, "slow").catch(() => stale.is) : start()
    },
    refresh: start,
  }
}
