/**
 * Reads a cookie whose name occurs several times in the `Cookie` header ("cookie tossing"). A sibling host can set a
 * cookie with the same name and a longer path. Browsers send the cookie with the longer path first (RFC 6265 §5.4), so
 * the first value is the attacker's.
 *
 * @module
 */
import { type Cookies, chunkNames, parseCookies, readChunked } from "./cookies.js"

/**
 * The maximum number of values of one cookie that are decrypted or looked up. An attacker can plant any number of
 * cookies, and each value costs a decryption or a query.
 */
export const MAX_TRIED_VALUES = 4

/**
 * Returns the values of the cookie and of its chunks by name, in header order, at most `MAX_TRIED_VALUES + 1` per name.
 * May also return other cookies whose name or value contains `name`.
 */
function valuesByName(header: string, name: string): Map<string, string[]> {
  const values = new Map<string, string[]>()
  for (const pair of header.split(";")) {
    // The header may contain any number of other cookies, so only the relevant pairs are parsed.
    if (!pair.includes(name)) continue
    for (const [pairName, value = ""] of Object.entries(parseCookies(pair))) {
      const previous = values.get(pairName) ?? []
      if (previous.length <= MAX_TRIED_VALUES) values.set(pairName, [...previous, value])
    }
  }
  return values
}

/**
 * Returns cookie sets for the repeated values: the first set has the second value of each name, the next set has the
 * third value, and so on. A name with fewer values has its last value in the remaining sets.
 */
function duplicateCookies(header: string, name: string): Cookies[] {
  const values = [...valuesByName(header, name)]
  const count = Math.max(...values.map(([, { length }]) => length))
  return Array.from({ length: count - 1 }, (_, i) =>
    Object.fromEntries(values.map(([key, list]) => [key, list[Math.min(i + 1, list.length - 1)]])),
  )
}

/**
 * True if the cookie or one of its chunks may be repeated: the header contains `name` more often than `cookies`
 * contains the cookie and its chunks. Usually this costs only a text search.
 */
function hasDuplicates(header: string, cookies: Cookies, name: string): boolean {
  let index = header.indexOf(name, header.indexOf(name) + 1)
  if (index < 0) return false
  for (let expected = chunkNames(cookies, name).length - 1; expected > 0 && index >= 0; expected--)
    index = header.indexOf(name, index + 1)
  return index >= 0
}

/**
 * Returns the candidate values of a chunked cookie, without duplicates: the values that `readChunked` returns, then the
 * values of repeated names in header order. Returns at most `MAX_TRIED_VALUES + 1` values. If it returns that many, the
 * caller must not decrypt or look up the last value, which only shows that there are too many.
 */
export function readValues(cookies: Cookies, name: string, header: string | null | undefined): readonly string[] {
  const firstValues = readChunked(cookies, name)
  if (!header || !hasDuplicates(header, cookies, name)) return firstValues
  const duplicates = duplicateCookies(header.slice(header.indexOf(name)), name).flatMap((set) => readChunked(set, name))
  return [...new Set([...firstValues, ...duplicates])].slice(0, MAX_TRIED_VALUES + 1)
}
