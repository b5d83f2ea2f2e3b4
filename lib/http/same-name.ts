/**
 * Cookies of one name. Whoever has a neighbouring host can set one of ours for a longer path, and browsers send it before
 * the real one (RFC 6265 §5.4, "cookie tossing"): the first value then is a stranger's.
 *
 * @module
 */
import { type Cookies, parseCookies, readChunked } from "./cookies.js"

/** How many of one name are looked at: each costs a decryption or a query, and browsers send as many as they are given. */
const MOST = 4

/** The values of the cookie and of its chunks, in the order of the header; the first of each that are looked at. */
function valuesByName(header: string, name: string): Map<string, string[]> {
  const values = new Map<string, string[]>()
  for (const pair of header.split(";")) {
    // Of others there are as many as a stranger likes.
    if (!pair.includes(name)) continue
    for (const [found, value = ""] of Object.entries(parseCookies(pair))) {
      const known = values.get(found) ?? []
      if (known.length < MOST) values.set(found, [...known, value])
    }
  }
  return values
}

/** The cookies of which the second of each name count, the third, and so on; where there are fewer, the last. */
function furtherCookies(header: string, name: string): Cookies[] {
  const values = [...valuesByName(header, name)]
  const count = Math.max(...values.map(([, { length }]) => length))
  return Array.from({ length: count - 1 }, (_, i) =>
    Object.fromEntries(values.map(([other, list]) => [other, list[Math.min(i + 1, list.length - 1)]])),
  )
}

/** What a cookie in chunks may hold beside `readChunked`, where the header has several of its name. */
export function readFurther(header: string | null | undefined, name: string): string[] {
  const first = header?.indexOf(name) ?? -1
  // Usually there is one, and nothing more is to be done.
  if (!header || first < 0 || header.indexOf(name, first + 1) < 0) return []
  const from = header.slice(first)
  const known = readChunked(parseCookies(from), name)
  const found = furtherCookies(from, name).flatMap((cookies) => readChunked(cookies, name))
  return [...new Set(found)].filter((value) => !known.includes(value)).slice(0, MOST)
}
