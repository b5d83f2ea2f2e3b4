import { types } from "node:util"

/**
 * A deep copy without undefined members.
 *
 * Under Jest, `structuredClone` creates dates of another realm, for which `instanceof Date` is false.
 */
export function copyRecord<T>(value: T): T
export function copyRecord(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value
  if (types.isDate(value)) return new Date(value.getTime())
  if (Array.isArray(value)) return value.map((item: unknown) => copyRecord(item))
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(members.map(([name, member]) => [name, copyRecord(member)]))
}
