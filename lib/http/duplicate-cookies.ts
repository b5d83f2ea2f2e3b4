/**
 * Reads cookies whose name is repeated. A sibling host can set a cookie of this site for a longer path, and browsers
 * send it before the real one (RFC 6265 §5.4, "cookie tossing"), so that the first value is the attacker's.
 *
 * @module
 */
import { type Cookies, chunkNames, parseCookies, readChunked } from "./cookies.js"

/** How many values are tried. Each costs a decryption or a query, and an attacker can plant any number of cookies. */
export const MAX_OPENED = 4

/** The values of the cookie and of its chunks in the order of the header, at most `MAX_OPENED + 1` of each name. */
function valuesByName(header: string, name: string): Map<string, string[]> {
  const values = new Map<string, string[]>()
  for (const pair of header.split(";")) {
    // Skip other cookies, of which there may be any number.
    if (!pair.includes(name)) continue
    for (const [found, value = ""] of Object.entries(parseCookies(pair))) {
      const known = values.get(found) ?? []
      if (known.length <= MAX_OPENED) values.set(found, [...known, value])
    }
  }
  return values
}

/**
 * One set of cookies with the second value of each name, one with the third, and so on. A name with fewer values is in
 * each further set with its last value.
 */
function duplicateCookies(header: string, name: string): Cookies[] {
  const values = [...valuesByName(header, name)]
  const count = Math.max(...values.map(([, { length }]) => length))
  return Array.from({ length: count - 1 }, (_, i) =>
    Object.fromEntries(values.map(([other, list]) => [other, list[Math.min(i + 1, list.length - 1)]])),
  )
}

/** True if the name, or a chunk of it, may be repeated in the header. Usually this costs only a text search. */
function hasDuplicates(header: string, cookies: Cookies, name: string): boolean {
  let at = header.indexOf(name, header.indexOf(name) + 1)
  if (at < 0) return false
  for (let rest = chunkNames(cookies, name).length - 1; rest > 0 && at >= 0; rest--) at = header.indexOf(name, at + 1)
  return at >= 0
}

/**
 * The possible values of a chunked cookie, without duplicates: those of `readChunked`, then those of repeated names in
 * the order of the header. At most `MAX_OPENED + 1`; the last one only shows that there are too many.
 */
export function readValues(cookies: Cookies, name: string, header: string | null | undefined): readonly string[] {
  const known = readChunked(cookies, name)
  if (!header || !hasDuplicates(header, cookies, name)) return known
  const duplicates = duplicateCookies(header.slice(header.indexOf(name)), name).flatMap((set) => readChunked(set, name))
  return [...new Set([...known, ...duplicates])].slice(0, MAX_OPENED + 1)
}
