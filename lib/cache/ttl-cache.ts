import { copyText } from "../base/text.js"
import { createLruCache } from "./lru-cache.js"

/** A bounded cache whose entries expire after a fixed time. */
export interface TtlCache<T> {
  get(key: string): T | undefined
  set(key: string, value: T): void
}

/** The result of renewing a session token. */
export interface Renewal {
  /** The new token. */
  readonly value: string
  /** When the session ends. */
  readonly end: Date
}

const MAX_ENTRIES = 1_000
/** The longest TTL. It is longer than any request that still carries a replaced token. */
const MAX_TTL_SECONDS = 60

/** The time by the wall clock, and by a monotonic clock that is unaffected when the system time is set back. */
interface Timestamp {
  readonly wallMs: number
  readonly monotonicMs: number
}

/**
 * Creates a cache whose entries expire after `ttlSeconds`, or after a minute if that is less. For example, it caches
 * renewed tokens by the old token: concurrent requests that still carry the old token reuse the result instead of
 * renewing again.
 */
export function createTtlCache<T>(ttlSeconds: number, now: () => number): TtlCache<T> {
  const entries = createLruCache<{ readonly value: T; readonly storedAt: Timestamp }>(MAX_ENTRIES)
  const ttlMs = Math.min(MAX_TTL_SECONDS, ttlSeconds) * 1000
  const timestamp = (): Timestamp => ({ wallMs: now(), monotonicMs: performance.now() })
  const isExpired = (storedAt: Timestamp): boolean => {
    const current = timestamp()
    return Math.max(current.wallMs - storedAt.wallMs, current.monotonicMs - storedAt.monotonicMs) >= ttlMs
  }
  return {
    get(key) {
      const found = entries.get(key)
      return found && !isExpired(found.storedAt) ? found.value : undefined
    },
    set: (key, value) => void entries.set(copyText(key), { value, storedAt: timestamp() }),
  }
}
