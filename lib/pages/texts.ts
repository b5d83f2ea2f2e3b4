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

/** Reads the catalogue of a file. If it is not an object of strings, it is treated as empty, and the fault is returned. */
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
  /** `locale` is the only language; `locales` are the languages among which each request's is chosen. */
  readonly theme?: Readonly<Pick<Theme, "locale" | "locales">> | undefined
  /**
   * A folder whose `locales/<tag>.json` files override the built-in ones key by key; relative to the working directory.
   */
  readonly views?: string | undefined
}

/** The languages of one configuration. */
export interface Languages {
  /** The language for an `Accept-Language` header. */
  for(acceptLanguage: string | null | undefined): Language
}

/** For each view folder, the application's first, the paths of its catalogues by tag. */
type CataloguePaths = readonly ReadonlyMap<string, string>[]

const listTags = (catalogues: CataloguePaths): string[] =>
  [...new Set(catalogues.flatMap((paths) => [...paths.keys()]))].sort()

/** Returns a function that finds a language by its tag, and creates it on first use. */
function createLanguageCache(catalogues: CataloguePaths): (tag: string) => Language {
  const known = new Map<string, Language>()
  return function getLanguage(tag) {
    const found = known.get(tag)
    if (found) return found
    // The catalogues are merged in this order: English, the shortened tags, the tag; for each tag first the built-in
    // catalogue, then the application's. A later text replaces an earlier one.
    const chain = [DEFAULT_TAG, ...listFallbacks(tag).toReversed()]
    const files = chain.flatMap((step) => catalogues.toReversed().flatMap((paths) => paths.get(step) ?? []))
    const language = createLanguage(tag, new Map(files.flatMap((path) => readCatalogue(path).texts)))
    known.set(tag, language)
    return language
  }
}

/** Returns a function that finds the language for an `Accept-Language` header. */
function createFinder({ theme = {}, views }: LanguagesConfig) {
  const catalogues = listFolders(views).map(listCatalogues)
  const getLanguage = createLanguageCache(catalogues)
  // Invalid tags are ignored here, because the check of the configuration reports them.
  const configured = Array.isArray(theme.locales) ? theme.locales.flatMap((tag) => canonicalTag(tag) ?? []) : []
  const offered = configured.length > 0 ? configured : listTags(catalogues)
  const fallback = offered.includes(DEFAULT_TAG) ? DEFAULT_TAG : (offered[0] ?? DEFAULT_TAG)
  const fixed = canonicalTag(theme.locale ?? "")
  const negotiate = fixed === undefined ? createNegotiation(offered) : () => fixed
  return (acceptLanguage: string | null | undefined) => getLanguage(negotiate(acceptLanguage) ?? fallback)
}

/**
 * The languages with the application's catalogues. Files are read on first use and cached.
 *
 * @example
 * createLanguages({ views: "./auth-views" }).for("de-AT, en;q=0.5").t("signin.button") // "Anmelden"
 */
export function createLanguages(config: LanguagesConfig): Languages {
  let find: ReturnType<typeof createFinder> | undefined
  return {
    for(acceptLanguage) {
      find ??= createFinder(config)
      return find(acceptLanguage)
    },
  }
}

/** Returns the problem with a tag in `theme.locale` or `theme.locales`, and its fix; undefined for a usable tag. */
export function localeProblem(tag: unknown, views: string | undefined): { seen: string; fix: string } | undefined {
  const tags = listTags(listFolders(views).map(listCatalogues))
  const known = typeof tag === "string" ? canonicalTag(tag) : undefined
  if (known !== undefined && listFallbacks(known).some((shorter) => tags.includes(shorter))) return undefined
  const reason = known === undefined ? "which is not a language tag" : "which has no catalogue"
  const fix = `Write one of ${tags.join(", ")}, or add locales/<tag>.json to your views`
  return { seen: `is ${JSON.stringify(tag)}, ${reason}`, fix }
}

/** Returns the problems of the catalogues in the application's views, as predicates of the option `views`. */
export function catalogueProblems(views: string | undefined): string[] {
  const paths = views ? [...listCatalogues(resolve(views)).values()] : []
  return paths.flatMap((path) => {
    const { fault } = readCatalogue(path)
    return fault === undefined ? [] : [`has the catalogue ${path}, which ${fault}`]
  })
}
