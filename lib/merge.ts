/**
 * An object written as a literal: not an array, a URL, a key or another instance of a class. One from another realm
 * counts too: under Jest, `fetch` parses JSON in its own.
 */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** The members that are there: `undefined` says nothing. */
export function defined<T extends object>(object: T | undefined): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(object ?? {}).filter(([, value]) => value !== undefined)
  // Filtering members keeps their types.
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> }
}

/**
 * One object over another, as a new object: plain objects merge, everything else replaces, `undefined` says nothing.
 * `__proto__` is never a member.
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
