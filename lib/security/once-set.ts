/** Remembers what was used, up to a bound; the oldest are forgotten first. */
export interface OnceSet {
  /** True the first time, false ever after. */
  claim(id: string): boolean
}

export function createOnceSet(size: number): OnceSet {
  const used = new Set<string>()
  return {
    claim(id) {
      if (used.has(id)) return false
      used.add(id)
      const oldest = used.size > size ? used.values().next().value : undefined
      if (oldest !== undefined) used.delete(oldest)
      return true
    },
  }
}
