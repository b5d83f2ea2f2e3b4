/**
 * Cookies of one name. A sibling host can set one of ours for a longer path, and browsers send it before the real one
 * (RFC 6265 §5.4, "cookie tossing"): the first value is the attacker's then.
 *
 * @module
 */
import { type Cookies, chunkNames, parseCookies, readChunked } from "./cookies.js"

/** How many values are opened: each costs a decryption or a query, and browsers send as many as they are given. */
export const MAX_OPENED = 4

/** The values of the cookie and of its chunks, in the order of the header; the first of each and one more. */
function valuesByName(header: string, name: string): Map<string, string[]> {
  const values = new Map<string, string[]>()
  for (const pair of header.split(";")) {
    // Of others there are as many as a stranger likes.
    if (!pair.includes(name)) continue
    for (const [found, value = ""] of Object.entries(parseCookies(pair))) {
      const known = values.get(found) ?? []
      if (known.length <= MAX_OPENED) values.set(found, [...known, value])
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

/** Is a cookie of the name, or one of its chunks, in the header more than once? Usually this is a search for text. */
function hasDuplicates(header: string, cookies: Cookies, name: string): boolean {
  let at = header.indexOf(name, header.indexOf(name) + 1)
  if (at < 0) return false
  for (let rest = chunkNames(cookies, name).length - 1; rest > 0 && at >= 0; rest--) at = header.indexOf(name, at + 1)
  return at >= 0
}

/**
 * The different values that a cookie in chunks may have: those of `readChunked`, then those of duplicates in the order
 * of the header. One more than `MAX_OPENED` shows that there are more.
 */
export function readValues(cookies: Cookies, name: string, header: string | null | undefined): readonly string[] {
  const known = readChunked(cookies, name)
  if (!header || !hasDuplicates(header, cookies, name)) return known
  const further = furtherCookies(header.slice(header.indexOf(name)), name).flatMap((some) => readChunked(some, name))
  return [...new Set([...known, ...further])].slice(0, MAX_OPENED + 1)
}
