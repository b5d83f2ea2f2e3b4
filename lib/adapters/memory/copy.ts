import { types } from "node:util"

/**
 * A copy that shares nothing with its original; members that are undefined are left out.
 *
 * `structuredClone` would make dates of another realm under Jest, which `instanceof Date` does not know.
 */
export function copyOf<T>(value: T): T
export function copyOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value
  if (types.isDate(value)) return new Date(value.getTime())
  if (Array.isArray(value)) return value.map((item: unknown) => copyOf(item))
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(members.map(([name, member]) => [name, copyOf(member)]))
}
