import { readFileSync } from "node:fs"
import { nearestName } from "../config/nearest-name.js"
import { UsageError } from "./command.js"

/** A row of `dist/catalogue.json`, which the build makes of the providers' files. */
export interface CatalogueRow {
  readonly file: string
  readonly id: string
  readonly name: string
  readonly type: string
  readonly scope: string
  readonly sentence: string
  /** Variables, with words about them. */
  readonly environment: string
  /** Below the base path; absent where nothing has to be registered. */
  readonly redirectPath?: string
  readonly console: string
  readonly notes: readonly string[]
  readonly example: string
  readonly isDeprecated: boolean
  /** The factory's name, which the import binds. */
  readonly factory: string
  /** What stands for it in `providers`: the factory alone, where the environment has all that it needs. */
  readonly setup: string
}

/** Every provider of the package, by name. */
export function readCatalogue(): readonly CatalogueRow[] {
  // Written by our own build.
  return JSON.parse(readFileSync(new URL("./catalogue.json", import.meta.url), "utf8")) as CatalogueRow[]
}

export const withoutMarks = (text: string): string => text.replaceAll("`", "")

/** The variables that a provider reads. */
export const variableNames = ({ environment }: CatalogueRow): string[] =>
  [...environment.matchAll(/`(AUTH_\w+)`/g)].map(({ 1: name = "" }) => name)

/** What somebody who mistyped may have meant: "entra" is part of a name, "githubb" is near one. */
function similarTo(typed: string, catalogue: readonly CatalogueRow[]): string {
  const files = catalogue.map(({ file }) => file)
  const parts = typed.length > 2 ? files.filter((file) => file.includes(typed.toLowerCase())) : []
  const meant = parts.length > 0 ? parts.join(", ") : nearestName(typed, files)
  return meant ? `; did you mean ${meant}?` : ": npx latchkey providers lists them"
}

/**
 * The provider of that name.
 *
 * @throws UsageError saying what may have been meant
 */
export function requireRow(typed: string, catalogue: readonly CatalogueRow[]): CatalogueRow {
  const row = catalogue.find(({ file, id }) => file === typed || id === typed)
  if (row) return row
  throw new UsageError(`there is no provider ${JSON.stringify(typed)}${similarTo(typed, catalogue)}`)
}
