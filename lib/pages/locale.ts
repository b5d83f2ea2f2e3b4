/**
 * Functions for languages: the choice by an `Accept-Language` header, units, and the writing direction.
 *
 * @module
 */

/** The number of characters of the header that are parsed. Browsers send fewer. */
const MAX_HEADER_LENGTH = 1_000
/** The number of language ranges that are parsed. Browsers send fewer. */
const MAX_RANGES = 20
/** The maximum length of a range, in characters. RFC 5646 §4.4.1 recommends buffers of this size. */
const MAX_RANGE_LENGTH = 35

/** Matches a language range and its weight (RFC 9110 §12.4.2, §12.5.4). The range "*" does not match. */
const RANGE = /^([a-z]{2,8}(?:-[a-z0-9]{1,8})*)(?:[ \t]*;[ \t]*q=([01](?:\.\d{0,3})?))?$/i

/**
 * Returns the language ranges of an `Accept-Language` header, the most preferred first. Ranges that are malformed or
 * have the weight 0 are left out.
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
      const isValid = range !== "" && range.length <= MAX_RANGE_LENGTH && Number(weight) > 0 && Number(weight) <= 1
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
 * Returns the canonical form of a BCP 47 tag, without extensions; undefined if the tag is invalid.
 *
 * @example
 * canonicalTag("pt-br") // "pt-BR"
 */
export const canonicalTag = (tag: string): string | undefined => parseTag(tag)?.baseName

/** Returns the language of a tag and its most likely script: "zh-Hant" for "zh-TW". */
function languageAndScript(tag: string): string {
  const { language = "", script = "" } = parseTag(tag)?.maximize() ?? {}
  return `${language}-${script}`
}

/**
 * Returns the tag and its shortened forms, longest first (RFC 4647 §3.4). A shortened form in another script is left
 * out: a user of "zh-TW" may not be able to read "zh", whose script is "Hans".
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

/** The right-to-left scripts (ISO 15924). */
const RTL_SCRIPTS = new Set(["Adlm", "Arab", "Aran", "Hebr", "Mand", "Mend", "Nkoo", "Rohg", "Samr", "Syrc", "Thaa"])

/** Formats an amount with its unit in a language: "30 days", "1 Tag". */
export const formatUnits = (amount: number, unit: "day" | "hour" | "minute" | "second", lang: string): string =>
  new Intl.NumberFormat(lang, { style: "unit", unit, unitDisplay: "long" }).format(amount)

/** Returns the writing direction of a language. */
export const textDirection = (tag: string): "ltr" | "rtl" =>
  RTL_SCRIPTS.has(languageAndScript(tag).split("-")[1] ?? "") ? "rtl" : "ltr"

/**
 * The maximum number of ranges whose result is cached. Without the cache, matching a range would take longer than
 * rendering the rest of a page.
 */
const MAX_CACHED_RANGES = 500

/**
 * Returns the shortened forms of a range, longest first. The last one is "".
 *
 * @example
 * shortenRange("zh-hans-cn") // ["zh-hans", "zh", ""]
 */
const shortenRange = (range: string): string[] =>
  range
    .split("-")
    .map((_, index, subtags) => subtags.slice(0, index).join("-"))
    .reverse()

/** Creates a function that returns the available language for a range; undefined if no available language matches. */
function createLookup(availableTags: readonly string[]): (range: string) => string | undefined {
  const byLowerCase = new Map(availableTags.map((tag) => [tag.toLowerCase(), tag]))
  const scripts = new Map(availableTags.map((tag) => [tag, languageAndScript(tag)]))
  const byScript = new Map(availableTags.toReversed().map((tag) => [scripts.get(tag), tag]))
  const languages = new Set(availableTags.map((tag) => tag.split("-")[0]))
  function search(range: string): string | undefined {
    if (!languages.has(range.split("-", 1)[0]) || canonicalTag(range) === undefined) return undefined
    const script = languageAndScript(range)
    const candidates = shortenRange(range).map((shortened) => byLowerCase.get(shortened))
    return candidates.find((tag) => tag !== undefined && scripts.get(tag) === script) ?? byScript.get(script)
  }
  const cache = new Map<string, string | undefined>()
  return function lookup(requestedRange) {
    const range = requestedRange.toLowerCase()
    if (byLowerCase.has(range)) return byLowerCase.get(range)
    if (cache.has(range)) return cache.get(range)
    if (cache.size >= MAX_CACHED_RANGES) cache.clear()
    const tag = search(range)
    cache.set(range, tag)
    return tag
  }
}

/**
 * Creates a function that selects one of the available tags for an `Accept-Language` header. The function tries the
 * ranges in the order of preference. A range matches the tag that is equal to the range, or to a shortened form of the
 * range in the same script (RFC 4647 §3.4). If there is none, the range matches the first tag with the same language
 * and script. The function returns undefined if no range matches.
 *
 * @example
 * createNegotiation(["en", "pt-BR"])("pt-PT, en;q=0.5") // "pt-BR"
 */
export function createNegotiation(availableTags: readonly string[]) {
  const lookup = createLookup(availableTags)
  return function negotiate(acceptLanguage: string | null | undefined): string | undefined {
    for (const range of parseAcceptLanguage(acceptLanguage)) {
      const tag = lookup(range)
      if (tag !== undefined) return tag
    }
    return undefined
  }
}
