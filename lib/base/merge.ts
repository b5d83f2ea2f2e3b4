/**
 * True for an object literal and for a parsed JSON object. False for arrays and for instances of classes, such as `URL`
 * or `CryptoKey`. Objects of another realm are accepted, because under Jest `fetch` parses JSON in its own realm.
 */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** Returns a copy of the object without the members that are undefined. For undefined it returns an empty object. */
export function omitUndefined<T extends object>(object: T | undefined): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(object ?? {}).filter(([, value]) => value !== undefined)
  // The remaining members have the types of the original.
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> }
}

/**
 * Returns a copy of `base` with the members of `overrides`. Plain objects are merged recursively, and other values
 * replace those of `base`. A member that is undefined or named `__proto__` is ignored.
 */
export function merge(base: Record<string, unknown>, overrides: Record<string, unknown>): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...base }
  for (const [key, value] of Object.entries(overrides)) {
    if (value === undefined || key === "__proto__") continue
    const baseValue = merged[key]
    merged[key] = isPlainObject(value) ? merge(isPlainObject(baseValue) ? baseValue : {}, value) : value
  }
  return merged
}
