import { types } from "node:util"

/** Alternating field names and values, as in a Redis hash. */
export type FlatRecord = readonly string[]

/** Marks a date, because JSON would store it as a string. No JSON text begins with this mark. */
const DATE_MARK = "@"

const encodeValue = (value: unknown): string | undefined =>
  types.isDate(value) ? DATE_MARK + value.toISOString() : JSON.stringify(value)

const decodeValue = (text: string): unknown =>
  text.startsWith(DATE_MARK) ? new Date(text.slice(DATE_MARK.length)) : JSON.parse(text)

/** Undefined members are omitted. */
export const encodeRecord = (record: object): FlatRecord =>
  Object.entries(record).flatMap(([name, value]: [string, unknown]) => {
    const text = encodeValue(value)
    return text === undefined ? [] : [name, text]
  })

export function decodeRecord(flat: FlatRecord): Record<string, unknown> {
  const names = flat.filter((_, index) => index % 2 === 0)
  return Object.fromEntries(names.map((name, index) => [name, decodeValue(flat[index * 2 + 1] ?? "null")]))
}
