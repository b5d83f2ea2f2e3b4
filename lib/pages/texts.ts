/**
 * The texts of the pages and the mails: a catalogue for each language, `views/locales/<tag>.json`.
 *
 * @module
 */
import { readdirSync } from "node:fs"
import { join, resolve } from "node:path"
import { asError } from "../errors.js"
import type { Theme } from "../types.js"
import { canonicalTag, createNegotiation, directionOf, fallbacksOf } from "./locale.js"
import { foldersOf, isFolder, readText } from "./templates.js"

/** Said where no language fits, and where a language lacks a text. */
const DEFAULT_TAG = "en"

/** What stands at the places of a text; a date is written as the language writes dates. */
export type TextValues = Readonly<Record<string, string | number | Date>>

/** A piece of a text: what stands at a place, or what stands between two. */
export interface TextPart {
  /** The name of its place; undefined for the words around it. */
  readonly place: string | undefined
  readonly text: string
}

/** A language as views see it. */
export interface Language {
  /** BCP 47 tag. */
  readonly lang: string
  /** In which direction it is written. */
  readonly dir: "ltr" | "rtl"
  /**
   * The text of a key with its values in their places. A key that no catalogue has is given back as it is.
   *
   * @example
   * t("signin.with", { provider: "GitHub" }) // "Sign in with GitHub"
   */
  readonly t: (key: string, values?: TextValues) => string
  /**
   * The same in pieces, for a view that marks some of them up.
   *
   * @example
   * parts("home.host", { host: "app.test" }) // [{ text: "Go to " }, { place: "host", text: "app.test" }]
   */
  readonly parts: (key: string, values?: TextValues) => readonly TextPart[]
}

type Catalogue = ReadonlyMap<string, string>

const PLACE = /\{(\w+)\}/

function createLanguage(lang: string, catalogue: Catalogue): Language {
  let dates: Intl.DateTimeFormat | undefined
  function write(value: string | number | Date): string {
    if (!(value instanceof Date)) return String(value)
    dates ??= new Intl.DateTimeFormat(lang, { dateStyle: "long" })
    return Number.isNaN(value.getTime()) ? "" : dates.format(value)
  }
  function partsOf(key: string, values: TextValues = {}): TextPart[] {
    // Split at a pattern with one group, every second piece is what the group took: the name of a place.
    const pieces = (catalogue.get(key) ?? key).split(PLACE)
    const parts = pieces.map((piece, index) => {
      if (index % 2 === 0) return { place: undefined, text: piece }
      const value = Object.hasOwn(values, piece) ? values[piece] : undefined
      return { place: piece, text: value === undefined ? `{${piece}}` : write(value) }
    })
    return parts.filter(({ place, text }) => place !== undefined || text !== "")
  }
  const t = (key: string, values?: TextValues): string =>
    partsOf(key, values)
      .map(({ text }) => text)
      .join("")
  return Object.freeze({ lang, dir: directionOf(lang), t, parts: partsOf })
}

/** The catalogues of a folder of views: tag → path. */
function cataloguesIn(folder: string): Map<string, string> {
  const locales = join(folder, "locales")
  const files = isFolder(locales) ? readdirSync(locales).filter((file) => file.endsWith(".json")) : []
  const entries = files.map((file) => [canonicalTag(file.slice(0, -".json".length)), join(locales, file)] as const)
  return new Map(entries.flatMap(([tag, path]) => (tag === undefined ? [] : [[tag, path]])))
}

/** A catalogue as its file has it; a fault where it is no object of texts, and then it counts as empty. */
function readCatalogue(path: string): {
  readonly texts: readonly (readonly [string, string])[]
  readonly fault?: string
} {
  try {
    const catalogue: unknown = JSON.parse(readText(path))
    if (typeof catalogue !== "object" || catalogue === null || Array.isArray(catalogue))
      return { texts: [], fault: "is no JSON object" }
    const entries = Object.entries(catalogue)
    const other = entries.find(([, text]) => typeof text !== "string")
    return other ? { texts: [], fault: `has no text at ${JSON.stringify(other[0])}` } : { texts: entries }
  } catch (error) {
    return { texts: [], fault: `is no JSON: ${asError(error).message}` }
  }
}

export interface LanguagesConfig {
  /** Which language, or which of them. */
  readonly theme?: Readonly<Pick<Theme, "locale" | "locales">> | undefined
  /** A folder whose `locales/<tag>.json` are laid over the built-in ones key by key; relative to the working directory. */
  readonly views?: string | undefined
}

/** The languages of one configuration. */
export interface Languages {
  /** The language for somebody whose browser sends this `Accept-Language`. */
  for(acceptLanguage: string | null | undefined): Language
}

const tagsIn = (folders: readonly ReadonlyMap<string, string>[]): string[] =>
  [...new Set(folders.flatMap((folder) => [...folder.keys()]))].sort()

/** Gives each language by its tag, made when it is first asked for. */
function createShelf(folders: readonly ReadonlyMap<string, string>[]): (tag: string) => Language {
  const known = new Map<string, Language>()
  return function languageOf(tag) {
    const found = known.get(tag)
    if (found) return found
    // English, then what the tag may be shortened to, then the tag; of each the application's texts last.
    const chain = [DEFAULT_TAG, ...fallbacksOf(tag).toReversed()]
    const paths = chain.flatMap((link) => folders.toReversed().flatMap((folder) => folder.get(link) ?? []))
    const made = createLanguage(tag, new Map(paths.flatMap((path) => readCatalogue(path).texts)))
    known.set(tag, made)
    return made
  }
}

function load({ theme = {}, views }: LanguagesConfig) {
  const folders = foldersOf(views).map(cataloguesIn)
  const languageOf = createShelf(folders)
  // Values that are no tags are told of by the check of the configuration.
  const wanted = Array.isArray(theme.locales) ? theme.locales.flatMap((tag) => canonicalTag(tag) ?? []) : []
  const offered = wanted.length > 0 ? wanted : tagsIn(folders)
  const usual = offered.includes(DEFAULT_TAG) ? DEFAULT_TAG : (offered[0] ?? DEFAULT_TAG)
  const fixed = canonicalTag(theme.locale ?? "")
  const negotiate = fixed === undefined ? createNegotiation(offered) : () => fixed
  return (acceptLanguage: string | null | undefined) => languageOf(negotiate(acceptLanguage) ?? usual)
}

/**
 * The languages with the application's catalogues. Files are read when they are first needed, and kept.
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

/** What is wrong with a language's tag in `theme.locale` or `theme.locales`, or undefined. */
export function localeProblem(tag: unknown, views: string | undefined): string | undefined {
  const tags = tagsIn(foldersOf(views).map(cataloguesIn))
  const known = typeof tag === "string" ? canonicalTag(tag) : undefined
  if (known !== undefined && fallbacksOf(known).some((shorter) => tags.includes(shorter))) return undefined
  const reason = known === undefined ? "no tag of a language" : "a language without a catalogue"
  return `is ${JSON.stringify(tag)}, ${reason}. Write one of ${tags.join(", ")}, or add locales/<tag>.json to your views`
}

/** What is wrong with the catalogues in the application's views, each with its file. */
export function catalogueProblems(views: string | undefined): string[] {
  const paths = views ? [...cataloguesIn(resolve(views)).values()] : []
  return paths.flatMap((path) => {
    const { fault } = readCatalogue(path)
    return fault === undefined ? [] : [`has a catalogue ${path} that ${fault}`]
  })
}
