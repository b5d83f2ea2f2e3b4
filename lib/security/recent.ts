/** Keeps what was used lately, within a bound: as much as that was used since, and at most twice as much. */
export interface Recent<T> {
  get(key: string): T | undefined
  /** `weight` is its part of the bound. */
  set(key: string, value: T, weight?: number): void
}

interface Entry<T> {
  readonly value: T
  readonly weight: number
}

/** The text by itself: a part of a text keeps the whole alive, of a cookie all the header. */
export const copyOf = (text: string): string => Buffer.from(text).toString()

/** In two generations: what is found costs one look, and nothing is moved about at each. */
export function createRecent<T>(bound: number): Recent<T> {
  let young = new Map<string, Entry<T>>()
  let old = new Map<string, Entry<T>>()
  let weight = 0
  const keep = (key: string, entry: Entry<T>): void => {
    if (weight >= bound) {
      old = young
      young = new Map()
      weight = 0
    }
    young.set(key, entry)
    weight += entry.weight
  }
  return {
    get(key) {
      const found = young.get(key)
      if (found) return found.value
      const earlier = old.get(key)
      if (earlier) keep(copyOf(key), earlier)
      return earlier?.value
    },
    set: (key, value, weight = 1) => keep(copyOf(key), { value, weight }),
  }
}
