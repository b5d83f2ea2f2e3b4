/** Keeps what was used last, up to a bound. */
export interface Lru<T> {
  get(key: string): T | undefined
  set(key: string, value: T): void
}

export function createLru<T>(size: number): Lru<T> {
  const entries = new Map<string, T>()
  return {
    get(key) {
      const value = entries.get(key)
      if (value === undefined) return undefined
      // A Map keeps the order of insertion: what was used moves to the end.
      entries.delete(key)
      entries.set(key, value)
      return value
    },
    set(key, value) {
      entries.set(key, value)
      const oldest = entries.size > size ? entries.keys().next().value : undefined
      if (oldest !== undefined) entries.delete(oldest)
    },
  }
}
