/**
 * From what somebody reads, as `Accept-Language` says it, to one of the languages that there are.
 *
 * @module
 */

/** Longer headers, and more languages, are nobody's own list. */
const MAX_HEADER_LENGTH = 1_000
const MAX_RANGES = 20
/** RFC 5646 §4.4.1: room for every tag that has a use. */
const MAX_TAG_LENGTH = 35

/** A language range and its weight (RFC 9110 §12.4.2, §12.5.4), which 0 forbids. "*" names no language, so it chooses none. */
const RANGE = /^([a-z]{2,8}(?:-[a-z0-9]{1,8})*)(?:[ \t]*;[ \t]*q=([01](?:\.\d{0,3})?))?$/i

/**
 * The language ranges of an `Accept-Language` header, the most wanted first. What is malformed is left out.
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
      const isWanted = range !== "" && range.length <= MAX_TAG_LENGTH && Number(weight) > 0 && Number(weight) <= 1
      return isWanted ? [{ range, weight: Number(weight) }] : []
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
 * A tag as BCP 47 writes it, without extensions; undefined when it is none.
 *
 * @example
 * canonicalTag("pt-br") // "pt-BR"
 */
export const canonicalTag = (tag: string): string | undefined => parseTag(tag)?.baseName

/** Language and script, as they are where nobody says more: "zh-Hant" for "zh-TW". */
function readingOf(tag: string): string {
  const { language = "", script = "" } = parseTag(tag)?.maximize() ?? {}
  return `${language}-${script}`
}

/**
 * The tag and what it may be shortened to, the longest first (RFC 4647 §3.4). What is written in another script is
 * left out: who reads "zh-TW" does not read "zh", which is "zh-Hans".
 *
 * @example
 * fallbacksOf("de-AT") // ["de-AT", "de"]
 */
export function fallbacksOf(tag: string): string[] {
  const subtags = tag.split("-")
  const reading = readingOf(tag)
  return subtags
    .map((_, index) => subtags.slice(0, subtags.length - index))
    .filter((shorter) => (shorter.at(-1) ?? "").length > 1)
    .map((shorter) => shorter.join("-"))
    .filter((shorter) => readingOf(shorter) === reading)
}

/** Scripts that are written from right to left. */
const RTL_SCRIPTS = new Set(["Adlm", "Arab", "Aran", "Hebr", "Mand", "Mend", "Nkoo", "Rohg", "Samr", "Syrc", "Thaa"])

/** The direction in which a language is written. */
export const directionOf = (tag: string): "ltr" | "rtl" =>
  RTL_SCRIPTS.has(readingOf(tag).split("-")[1] ?? "") ? "rtl" : "ltr"

/** More ranges than people come with; what is worked out for one costs more than the rest of a page. */
const KNOWN_RANGES = 500

/** "zh-hans-cn" → "zh-hans", "zh". */
const shorterThan = (range: string): string[] =>
  range
    .split("-")
    .map((_, index, subtags) => subtags.slice(0, index).join("-"))
    .reverse()

/** Makes the function that finds the offered language for one range. */
function createLookup(offered: readonly string[]): (range: string) => string | undefined {
  const byName = new Map(offered.map((tag) => [tag.toLowerCase(), tag]))
  const readings = new Map(offered.map((tag) => [tag, readingOf(tag)]))
  const byReading = new Map(offered.toReversed().map((tag) => [readings.get(tag), tag]))
  const languages = new Set(offered.map((tag) => tag.split("-")[0]))
  function search(range: string): string | undefined {
    if (!languages.has(range.split("-", 1)[0]) || canonicalTag(range) === undefined) return undefined
    const reading = readingOf(range)
    const shorter = shorterThan(range).map((name) => byName.get(name))
    return shorter.find((tag) => tag !== undefined && readings.get(tag) === reading) ?? byReading.get(reading)
  }
  const found = new Map<string, string | undefined>()
  return function lookup(given) {
    const range = given.toLowerCase()
    if (byName.has(range)) return byName.get(range)
    if (found.has(range)) return found.get(range)
    if (found.size >= KNOWN_RANGES) found.clear()
    const tag = search(range)
    found.set(range, tag)
    return tag
  }
}

/**
 * Makes the function that finds the language for an `Accept-Language` header among those that are offered: the first
 * range that is one of them, can be shortened to one (RFC 4647 §3.4), or is the same language in the same script;
 * undefined when there is none.
 *
 * @example
 * createNegotiation(["en", "pt-BR"])("pt-PT, en;q=0.5") // "pt-BR"
 */
export function createNegotiation(offered: readonly string[]) {
  const lookup = createLookup(offered)
  return function negotiate(acceptLanguage: string | null | undefined): string | undefined {
    for (const range of parseAcceptLanguage(acceptLanguage)) {
      const found = lookup(range)
      if (found !== undefined) return found
    }
    return undefined
  }
}
