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

/** A language in views. */
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

/** The catalogues of a view folder: tag → path. */
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
    const other = entries.find(([, text]) => typeof text !== "string")
    return other
      ? { texts: [], fault: `has a value that is not a string at ${JSON.stringify(other[0])}` }
      : { texts: entries }
  } catch (error) {
    return { texts: [], fault: `is not valid JSON: ${asError(error).message}` }
  }
}

export interface LanguagesConfig {
  /** The options for one language or several languages. */
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

const listTags = (folders: readonly ReadonlyMap<string, string>[]): string[] =>
  [...new Set(folders.flatMap((folder) => [...folder.keys()]))].sort()

/** Returns a language by its tag, created on first use. */
function createLanguageCache(folders: readonly ReadonlyMap<string, string>[]): (tag: string) => Language {
  const known = new Map<string, Language>()
  return function getLanguage(tag) {
    const found = known.get(tag)
    if (found) return found
    // Merged in this order, later texts win: English, the shortened tags, the tag. The application's texts follow the built-in ones.
    const chain = [DEFAULT_TAG, ...listFallbacks(tag).toReversed()]
    const paths = chain.flatMap((link) => folders.toReversed().flatMap((folder) => folder.get(link) ?? []))
    const language = createLanguage(tag, new Map(paths.flatMap((path) => readCatalogue(path).texts)))
    known.set(tag, language)
    return language
  }
}

function load({ theme = {}, views }: LanguagesConfig) {
  const folders = listFolders(views).map(listCatalogues)
  const getLanguage = createLanguageCache(folders)
  // The configuration check reports invalid tags.
  const configured = Array.isArray(theme.locales) ? theme.locales.flatMap((tag) => canonicalTag(tag) ?? []) : []
  const offered = configured.length > 0 ? configured : listTags(folders)
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
  let find: ReturnType<typeof load> | undefined
  return {
    for(acceptLanguage) {
      find ??= load(config)
      return find(acceptLanguage)
    },
  }
}

/** The problem with a tag in `theme.locale` or `theme.locales`, and its fix, or undefined. */
export function localeProblem(tag: unknown, views: string | undefined): { seen: string; fix: string } | undefined {
  const tags = listTags(listFolders(views).map(listCatalogues))
  const known = typeof tag === "string" ? canonicalTag(tag) : undefined
  if (known !== undefined && listFallbacks(known).some((shorter) => tags.includes(shorter))) return undefined
  const reason = known === undefined ? "which is not a language tag" : "which has no catalogue"
  const fix = `Write one of ${tags.join(", ")}, or add locales/<tag>.json to your views`
  return { seen: `is ${JSON.stringify(tag)}, ${reason}`, fix }
}

/** The problems of the catalogues in the application's views, each with its file. */
export function catalogueProblems(views: string | undefined): string[] {
  const paths = views ? [...listCatalogues(resolve(views)).values()] : []
  return paths.flatMap((path) => {
    const { fault } = readCatalogue(path)
    return fault === undefined ? [] : [`has a catalogue ${path} that ${fault}`]
  })
}
