/** Keeps what was used lately: at least the last `size` that were, and never more than twice as many. */
export interface Recent<T> {
  get(key: string): T | undefined
  set(key: string, value: T): void
}

/** In two generations: what is found costs one look, and nothing is moved about at each. */
export function createRecent<T>(size: number): Recent<T> {
  let young = new Map<string, T>()
  let old = new Map<string, T>()
  const set = (key: string, value: T): void => {
    if (young.size >= size) {
      old = young
      young = new Map()
    }
    young.set(key, value)
  }
  return {
    get(key) {
      const value = young.get(key)
      if (value !== undefined) return value
      const earlier = old.get(key)
      if (earlier !== undefined) set(key, earlier)
      return earlier
    },
    set,
  }
}
