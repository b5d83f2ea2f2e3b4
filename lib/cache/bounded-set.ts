/** A set of limited size, from which the oldest entries are removed. */
export interface BoundedSet {
  /** Adds an entry. Returns false if the set has it already. */
  addIfAbsent(id: string): boolean
}

export function createBoundedSet(size: number): BoundedSet {
  const entries = new Set<string>()
  return {
    addIfAbsent(id) {
      if (entries.has(id)) return false
      entries.add(id)
      const oldest = entries.size > size ? entries.values().next().value : undefined
      if (oldest !== undefined) entries.delete(oldest)
      return true
    },
  }
}
