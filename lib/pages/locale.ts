/**
 * Selects one of the available languages for an `Accept-Language` header.
 *
 * @module
 */

/** Limits for the header; browsers send less. */
const MAX_HEADER_LENGTH = 1_000
const MAX_RANGES = 20
/** RFC 5646 §4.4.1: long enough for every practical tag. */
const MAX_TAG_LENGTH = 35

/** A language range and its weight (RFC 9110 §12.4.2, §12.5.4); 0 excludes it. "*" is ignored. */
const RANGE = /^([a-z]{2,8}(?:-[a-z0-9]{1,8})*)(?:[ \t]*;[ \t]*q=([01](?:\.\d{0,3})?))?$/i

/**
 * Parses an `Accept-Language` header; the most preferred range comes first. Malformed ranges are ignored.
 *
 * @example
 * parseAcceptLanguage("fr;q=0.5, de-AT") // ["de-AT", "fr"]
 */
export function parseAcceptLanguage(header: string | null | undefined): string[] {
  const ranges = (header ?? "")
    .slice(0, MAX_HEADER_LENGTH)
    .split(",", MAX_RANGES)
    .flatMap((text) => {
      const [, range = "", weight = "1"] = RANGE.exec(text.trim()) ?? []
      const isValid = range !== "" && range.length <= MAX_TAG_LENGTH && Number(weight) > 0 && Number(weight) <= 1
      return isValid ? [{ range, weight: Number(weight) }] : []
    })
  return ranges.sort((a, b) => b.weight - a.weight).map(({ range }) => range)
}

function parseTag(tag: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(tag)
  } catch {
    return undefined
  }
}

/**
 * Returns the canonical BCP 47 tag without extensions; undefined if it is invalid.
 *
 * @example
 * canonicalTag("pt-br") // "pt-BR"
 */
export const canonicalTag = (tag: string): string | undefined => parseTag(tag)?.baseName

/** Returns the tag's language and likely script: "zh-Hant" for "zh-TW". */
function languageAndScript(tag: string): string {
  const { language = "", script = "" } = parseTag(tag)?.maximize() ?? {}
  return `${language}-${script}`
}

/**
 * Returns the tag and its shortened forms, longest first (RFC 4647 §3.4). Forms in another script are omitted: a reader of
 * "zh-TW" may not read "zh", which is "zh-Hans".
 *
 * @example
 * listFallbacks("de-AT") // ["de-AT", "de"]
 */
export function listFallbacks(tag: string): string[] {
  const subtags = tag.split("-")
  const script = languageAndScript(tag)
  return subtags
    .map((_, index) => subtags.slice(0, subtags.length - index))
    .filter((shorter) => (shorter.at(-1) ?? "").length > 1)
    .map((shorter) => shorter.join("-"))
    .filter((shorter) => languageAndScript(shorter) === script)
}

/** Right-to-left scripts. */
const RTL_SCRIPTS = new Set(["Adlm", "Arab", "Aran", "Hebr", "Mand", "Mend", "Nkoo", "Rohg", "Samr", "Syrc", "Thaa"])

/** Formats an amount with its unit in a language: "30 days", "1 Tag". */
export const formatUnits = (amount: number, unit: "day" | "hour" | "minute" | "second", lang: string): string =>
  new Intl.NumberFormat(lang, { style: "unit", unit, unitDisplay: "long" }).format(amount)

/** The writing direction of a language. */
export const textDirection = (tag: string): "ltr" | "rtl" =>
  RTL_SCRIPTS.has(languageAndScript(tag).split("-")[1] ?? "") ? "rtl" : "ltr"

/** The size of the cache of ranges. Matching a range is more expensive than rendering the rest of a page. */
const MAX_CACHED_RANGES = 500

/** Shortens a range: "zh-hans-cn" → "zh-hans", "zh". */
const shortenRange = (range: string): string[] =>
  range
    .split("-")
    .map((_, index, subtags) => subtags.slice(0, index).join("-"))
    .reverse()

/** Creates a function that finds the available language for a range. */
function createLookup(offered: readonly string[]): (range: string) => string | undefined {
  const byName = new Map(offered.map((tag) => [tag.toLowerCase(), tag]))
  const scripts = new Map(offered.map((tag) => [tag, languageAndScript(tag)]))
  const byScript = new Map(offered.toReversed().map((tag) => [scripts.get(tag), tag]))
  const languages = new Set(offered.map((tag) => tag.split("-")[0]))
  function search(range: string): string | undefined {
    if (!languages.has(range.split("-", 1)[0]) || canonicalTag(range) === undefined) return undefined
    const script = languageAndScript(range)
    const shorter = shortenRange(range).map((name) => byName.get(name))
    return shorter.find((tag) => tag !== undefined && scripts.get(tag) === script) ?? byScript.get(script)
  }
  const cache = new Map<string, string | undefined>()
  return function lookup(given) {
    const range = given.toLowerCase()
    if (byName.has(range)) return byName.get(range)
    if (cache.has(range)) return cache.get(range)
    if (cache.size >= MAX_CACHED_RANGES) cache.clear()
    const tag = search(range)
    cache.set(range, tag)
    return tag
  }
}

/**
 * Creates a function that selects an available language for an `Accept-Language` header. A range matches if it is
 * available, can be shortened to an available one (RFC 4647 §3.4), or has the same language and script. The first
 * matching range is used; the result is undefined if no range matches.
 *
 * @example
 * createNegotiation(["en", "pt-BR"])("pt-PT, en;q=0.5") // "pt-BR"
 */
export function createNegotiation(offered: readonly string[]) {
  const lookup = createLookup(offered)
  return function negotiate(acceptLanguage: string | null | undefined): string | undefined {
    for (const range of parseAcceptLanguage(acceptLanguage)) {
      const tag = lookup(range)
      if (tag !== undefined) return tag
    }
    return undefined
  }
}
