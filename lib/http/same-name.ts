/**
 * Cookies of one name. Whoever has a neighbouring host can set one of ours for a longer path, and browsers send it before
 * the real one (RFC 6265 §5.4, "cookie tossing"): the first value then is a stranger's.
 *
 * @module
 */
import { type Cookies, parseCookies, readChunked } from "./cookies.js"

/** How many of one name are looked at: each costs a decryption or a query, and browsers send as many as they are given. */
const MOST = 4

/** The values of each name, in the order of the header. */
function valuesByName(header: string): Map<string, string[]> {
  const values = new Map<string, string[]>()
  for (const pair of header.split(";"))
    for (const [name, value = ""] of Object.entries(parseCookies(pair)))
      values.set(name, [...(values.get(name) ?? []), value])
  return values
}

/** The cookies of which the second of each name count, the third, and so on; where there are fewer, the last. */
function furtherCookies(header: string): Cookies[] {
  const values = [...valuesByName(header)]
  const count = Math.min(MOST, Math.max(...values.map(([, { length }]) => length)))
  return Array.from({ length: count - 1 }, (_, i) =>
    Object.fromEntries(values.map(([name, list]) => [name, list[Math.min(i + 1, list.length - 1)]])),
  )
}

/** What a cookie in chunks may hold beside `readChunked`, where the header has several of its name. */
export function readFurther(header: string | null | undefined, name: string): string[] {
  const first = header?.indexOf(name) ?? -1
  // Usually there is one, and nothing more is to be done.
  if (!header || first < 0 || header.indexOf(name, first + 1) < 0) return []
  const from = header.slice(first)
  const known = readChunked(parseCookies(from), name)
  const found = furtherCookies(from).flatMap((cookies) => readChunked(cookies, name))
  return [...new Set(found)].filter((value) => !known.includes(value)).slice(0, MOST)
}
