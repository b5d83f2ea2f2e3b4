import { types } from "node:util"

/** Field names and values one after the other, as Redis keeps a hash. */
export type FlatRecord = readonly string[]

/** JSON writes a date like any text; the mark makes it come back as a date. No JSON begins with it. */
const DATE_MARK = "@"

const encodeValue = (value: unknown): string | undefined =>
  types.isDate(value) ? DATE_MARK + value.toISOString() : JSON.stringify(value)

const decodeValue = (text: string): unknown =>
  text.startsWith(DATE_MARK) ? new Date(text.slice(DATE_MARK.length)) : JSON.parse(text)

/** Members that are undefined are left out. */
export const encodeRecord = (record: object): FlatRecord =>
  Object.entries(record).flatMap(([name, value]: [string, unknown]) => {
    const text = encodeValue(value)
    return text === undefined ? [] : [name, text]
  })

export function decodeRecord(flat: FlatRecord): Record<string, unknown> {
  const names = flat.filter((_, index) => index % 2 === 0)
  return Object.fromEntries(names.map((name, index) => [name, decodeValue(flat[index * 2 + 1] ?? "null")]))
}
