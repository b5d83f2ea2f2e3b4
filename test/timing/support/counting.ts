/** Counts the calls of the methods of adapters and stores. */
export class CallCounter {
  #calls = 0

  /** Wraps an object, so that the calls of its methods are counted. */
  wrap<T extends object>(target: T): T {
    const count = (method: unknown) => {
      if (typeof method !== "function") return method
      return (...args: unknown[]) => {
        this.#calls++
        return Reflect.apply(method, target, args)
      }
    }
    const members = Object.entries(target).map(([name, member]) => [name, count(member)])
    // The members have the same names and types.
    return Object.fromEntries(members) as T
  }

  /** Returns the number of calls during each request, by kind. */
  async during<K extends string>(kinds: readonly K[], request: (kind: K) => Promise<unknown>) {
    const counts: Partial<Record<K, number>> = {}
    for (const kind of kinds) {
      const before = this.#calls
      await request(kind)
      counts[kind] = this.#calls - before
    }
    return counts
  }
}
