/** The paths of a profile's members: "data.attributes.email". */

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

/** All paths, at every depth. */
export function partsOf(value: unknown): string[] {
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, member]) => [name, ...partsOf(member).map((path) => `${name}.${path}`)])
}

export const valueAt = (value: unknown, path: string): unknown =>
  path.split(".").reduce((found, name) => (isObject(found) ? found[name] : undefined), value)

/** A copy without these members, or with the value `instead` for each of them. */
export function without(value: unknown, paths: readonly string[], ...instead: unknown[]): unknown {
  const copy = structuredClone(value)
  for (const path of paths) {
    const [name = "", ...above] = path.split(".").reverse()
    const parent = above.length > 0 ? valueAt(copy, above.reverse().join(".")) : copy
    if (!isObject(parent)) continue
    if (instead.length > 0 && instead[0] !== undefined) parent[name] = instead[0]
    else delete parent[name]
  }
  return copy
}

const PLACEHOLDER = /(?<![a-z])(?:undefined|null|NaN)(?![a-z])|\[object \w+\]/i

/** True if no value is undefined, and no text contains a placeholder such as "undefined" or "null". */
export const isClean = (user: object): boolean =>
  Object.values(user).every((value) => value !== undefined && !(typeof value === "string" && PLACEHOLDER.test(value)))
