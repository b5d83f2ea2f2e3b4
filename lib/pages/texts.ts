/**
 * The texts of the pages and the emails: a catalogue per language, `views/locales/<tag>.json`.
 *
 * @module
 */

import { readdirSync } from "node:fs"
import { join, resolve } from "node:path"
import type { Theme } from "../base/types.js"
import { asError } from "../errors/errors.js"
import { canonicalTag, createNegotiation, listFallbacks, textDirection } from "./locale.js"
import { isFolder, listFolders, readText } from "./templates.js"

/** The fallback language. */
const DEFAULT_TAG = "en"

/** The values of a text's placeholders. A date is formatted for the language. */
export type TextValues = Readonly<Record<string, string | number | Date>>

/** A piece of a text: a placeholder's value, or the words between two placeholders. */
export interface TextPart {
  /** The placeholder's name; undefined for words. */
  readonly placeholder: string | undefined
  readonly text: string
}

/** A language as the views receive it: its tag, its direction and its texts. */
export interface Language {
  /** BCP 47 tag. */
  readonly lang: string
  /** The writing direction. */
  readonly dir: "ltr" | "rtl"
  /**
   * Returns the text of a key with its values. An unknown key is returned unchanged.
   *
   * @example
   * t("signin.with", { provider: "GitHub" }) // "Sign in with GitHub"
   */
  readonly t: (key: string, values?: TextValues) => string
  /**
   * Returns the text of a key as pieces, for a view that adds markup.
   *
   * @example
   * parts("home.host", { host: "app.test" }) // [{ text: "Go to " }, { placeholder: "host", text: "app.test" }]
   */
  readonly parts: (key: string, values?: TextValues) => readonly TextPart[]
}

type Catalogue = ReadonlyMap<string, string>

const PLACEHOLDER = /\{(\w+)\}/

function createLanguage(lang: string, catalogue: Catalogue): Language {
  let dates: Intl.DateTimeFormat | undefined
  function formatValue(value: string | number | Date): string {
    if (!(value instanceof Date)) return String(value)
    dates ??= new Intl.DateTimeFormat(lang, { dateStyle: "long" })
    return Number.isNaN(value.getTime()) ? "" : dates.format(value)
  }
  function toParts(key: string, values: TextValues = {}): TextPart[] {
    // After a split at a pattern with one group, every second piece is the group: the placeholder's name.
    const pieces = (catalogue.get(key) ?? key).split(PLACEHOLDER)
    const parts = pieces.map((piece, index) => {
      if (index % 2 === 0) return { placeholder: undefined, text: piece }
      const value = Object.hasOwn(values, piece) ? values[piece] : undefined
      return { placeholder: piece, text: value === undefined ? `{${piece}}` : formatValue(value) }
    })
    return parts.filter(({ placeholder, text }) => placeholder !== undefined || text !== "")
  }
  const t = (key: string, values?: TextValues): string =>
    toParts(key, values)
      .map(({ text }) => text)
      .join("")
  return Object.freeze({ lang, dir: textDirection(lang), t, parts: toParts })
}

/** Maps the tags of a view folder's catalogues to their paths. */
function listCatalogues(folder: string): Map<string, string> {
  const locales = join(folder, "locales")
  const files = isFolder(locales) ? readdirSync(locales).filter((file) => file.endsWith(".json")) : []
  const entries = files.map((file) => [canonicalTag(file.slice(0, -".json".length)), join(locales, file)] as const)
  return new Map(entries.flatMap(([tag, path]) => (tag === undefined ? [] : [[tag, path]])))
}

/** Reads a catalogue file. If its content is not an object of strings, returns no texts and the `fault`. */
function readCatalogue(path: string): {
  readonly texts: readonly (readonly [string, string])[]
  readonly fault?: string
} {
  try {
    const catalogue: unknown = JSON.parse(readText(path))
    if (typeof catalogue !== "object" || catalogue === null || Array.isArray(catalogue))
      return { texts: [], fault: "is not a JSON object" }
    const entries = Object.entries(catalogue)
    const invalid = entries.find(([, text]) => typeof text !== "string")
    return invalid
      ? { texts: [], fault: `has the key ${JSON.stringify(invalid[0])}, whose value is not a string` }
      : { texts: entries }
  } catch (error) {
    return { texts: [], fault: `can't be read as JSON: ${asError(error).message}` }
  }
}

export interface LanguagesConfig {
  /** With `locale`, all pages use this language. With `locales`, the language of a request is one of these. */
  readonly theme?: Readonly<Pick<Theme, "locale" | "locales">> | undefined
  /**
   * A folder whose files `locales/<tag>.json` override the built-in texts key by key. A relative path starts at the
   * working directory.
   */
  readonly views?: string | undefined
}

/** The languages of one configuration. */
export interface Languages {
  /** Returns the language for an `Accept-Language` header. */
  for(acceptLanguage: string | null | undefined): Language
}

/** One map for each view folder, the application's folder first. Maps the tags of its catalogues to their paths. */
type CataloguePaths = readonly ReadonlyMap<string, string>[]

const listTags = (catalogues: CataloguePaths): string[] =>
  [...new Set(catalogues.flatMap((paths) => [...paths.keys()]))].sort()

/** Returns a function that finds a language by its tag, and creates it on first use. */
function createLanguageCache(catalogues: CataloguePaths): (tag: string) => Language {
  const cache = new Map<string, Language>()
  return function getLanguage(tag) {
    const cached = cache.get(tag)
    if (cached) return cached
    // The catalogues are merged in this order: English, the shortened tags, the tag. For each tag, the built-in
    // catalogue comes before the application's. A later text replaces an earlier text with the same key.
    const mergedTags = [DEFAULT_TAG, ...listFallbacks(tag).toReversed()]
    const files = mergedTags.flatMap((merged) => catalogues.toReversed().flatMap((paths) => paths.get(merged) ?? []))
    const language = createLanguage(tag, new Map(files.flatMap((path) => readCatalogue(path).texts)))
    cache.set(tag, language)
    return language
  }
}

/** Returns a function that finds the language for an `Accept-Language` header. */
function createLanguageFinder({ theme = {}, views }: LanguagesConfig) {
  const catalogues = listFolders(views).map(listCatalogues)
  const getLanguage = createLanguageCache(catalogues)
  // Invalid tags are ignored here, because the check of the configuration reports them.
  const configuredTags = Array.isArray(theme.locales) ? theme.locales.flatMap((tag) => canonicalTag(tag) ?? []) : []
  const offeredTags = configuredTags.length > 0 ? configuredTags : listTags(catalogues)
  const fallbackTag = offeredTags.includes(DEFAULT_TAG) ? DEFAULT_TAG : (offeredTags[0] ?? DEFAULT_TAG)
  const onlyTag = canonicalTag(theme.locale ?? "")
  const negotiate = onlyTag === undefined ? createNegotiation(offeredTags) : () => onlyTag
  return (acceptLanguage: string | null | undefined) => getLanguage(negotiate(acceptLanguage) ?? fallbackTag)
}

/**
 * Creates the languages from the built-in catalogues and the application's catalogues. Files are read at their first
 * use, and then cached.
 *
 * @example
 * createLanguages({ views: "./auth-views" }).for("de-AT, en;q=0.5").t("signin.button") // "Anmelden"
 */
export function createLanguages(config: LanguagesConfig): Languages {
  let find: ReturnType<typeof createLanguageFinder> | undefined
  return {
    for(acceptLanguage) {
      find ??= createLanguageFinder(config)
      return find(acceptLanguage)
    },
  }
}

/** Returns the problem with a tag in `theme.locale` or `theme.locales`, and its fix; undefined for a usable tag. */
export function localeProblem(tag: unknown, views: string | undefined): { seen: string; fix: string } | undefined {
  const tags = listTags(listFolders(views).map(listCatalogues))
  const canonical = typeof tag === "string" ? canonicalTag(tag) : undefined
  if (canonical !== undefined && listFallbacks(canonical).some((shorter) => tags.includes(shorter))) return undefined
  const reason = canonical === undefined ? "which is not a language tag" : "which has no catalogue"
  const fix = `Write one of ${tags.join(", ")}, or add locales/<tag>.json to your views`
  return { seen: `is ${JSON.stringify(tag)}, ${reason}`, fix }
}

/** Returns the problems of the application's catalogues, for error messages about the option `views`. */
export function catalogueProblems(views: string | undefined): string[] {
  const paths = views ? [...listCatalogues(resolve(views)).values()] : []
  return paths.flatMap((path) => {
    const { fault } = readCatalogue(path)
    return fault === undefined ? [] : [`has the catalogue ${path}, which ${fault}`]
  })
}
