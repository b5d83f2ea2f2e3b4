import { randomText } from "../../security/tokens.js"

/** The maximum number of entries, which is more than a developer creates in a day. */
const MAX_ENTRIES = 5_000

/**
 * Stores codes, tokens and sessions under random keys for a limited time. The oldest entries are removed when there are
 * too many.
 */
export class ExpiringStore<T> {
  readonly #entries = new Map<string, { readonly value: T; readonly endsAt: number }>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  /** Stores a value and returns its key. */
  put(value: T, lifetimeSeconds: number): string {
    const [oldest] = this.#entries.keys()
    if (this.#entries.size >= MAX_ENTRIES && oldest !== undefined) this.#entries.delete(oldest)
    const key = randomText()
    this.#entries.set(key, { value, endsAt: this.#now() + lifetimeSeconds * 1000 })
    return key
  }

  /** Returns the value; undefined if the key is unknown or the value has expired. */
  find(key: string | undefined): T | undefined {
    const entry = key === undefined ? undefined : this.#entries.get(key)
    return entry && this.#now() < entry.endsAt ? entry.value : undefined
  }

  drop(key: string | undefined): void {
    if (key !== undefined) this.#entries.delete(key)
  }
}
