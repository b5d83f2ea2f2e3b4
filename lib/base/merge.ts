/**
 * True for a plain object: not an array, a URL, a key or another instance of a class. Objects of another realm are
 * accepted: under Jest, `fetch` parses JSON in its own realm.
 */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** A copy of an object without the members that are undefined. */
export function defined<T extends object>(object: T | undefined): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(object ?? {}).filter(([, value]) => value !== undefined)
  // Filtering members keeps their types.
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> }
}

/**
 * Merges `over` into a copy of `base`. Plain objects are merged recursively, other values replace, and `undefined` and
 * `__proto__` are ignored.
 */
export function merge(base: Record<string, unknown>, over: Record<string, unknown>): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...base }
  for (const [key, value] of Object.entries(over)) {
    if (value === undefined || key === "__proto__") continue
    const under = merged[key]
    merged[key] = isPlainObject(value) ? merge(isPlainObject(under) ? under : {}, value) : value
  }
  return merged
}
