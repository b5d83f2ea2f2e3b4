import { readFileSync } from "node:fs"
import { trimTrailingSlashes } from "../base/text.js"
import type { ProviderType } from "../base/types.js"
import { type Terminal, UsageError } from "./command.js"
import { didYouMean } from "./text.js"

/** A row of `dist/catalogue.json`, which the build generates from the provider modules. */
export interface CatalogueRow {
  readonly file: string
  readonly id: string
  readonly name: string
  readonly type: ProviderType
  readonly scope: string
  readonly sentence: string
  /** The environment variables, with a description. */
  readonly environment: string
  /** The path of the redirect URI below the base path; absent if no redirect URI has to be registered. */
  readonly redirectPath?: string
  readonly console: string
  readonly notes: readonly string[]
  readonly example: string
  readonly isDeprecated: boolean
  /** The name of the factory in the import. */
  readonly factory: string
  /** The entry in `providers`: only the factory's name if environment variables configure everything. */
  readonly setup: string
}

/** Reads every provider of the package, sorted by name. */
export function readCatalogue(): readonly CatalogueRow[] {
  // The build writes this file.
  return JSON.parse(readFileSync(new URL("./catalogue.json", import.meta.url), "utf8")) as CatalogueRow[]
}

/** Removes the backticks of Markdown. */
export const withoutMarks = (text: string): string => text.replaceAll("`", "")

/** The variables that a provider reads. */
export const variableNames = ({ environment }: CatalogueRow): string[] =>
  [...environment.matchAll(/`(AUTH_\w+)`/g)].map(({ 1: name = "" }) => name)

/**
 * Returns the provider with this file name or id.
 *
 * @throws UsageError with suggestions if it does not exist: names that contain it ("entra"), or the closest ("githubb")
 */
export function requireRow(typed: string, catalogue: readonly CatalogueRow[]): CatalogueRow {
  const row = catalogue.find(({ file, id }) => file === typed || id === typed)
  if (row) return row
  const files = catalogue.map(({ file }) => file)
  const partial = typed.length > 2 ? files.filter((file) => file.includes(typed.toLowerCase())) : []
  const hint = didYouMean(typed, files, ": npx latchkey providers lists them")
  const suggestion = partial.length > 0 ? `; did you mean ${partial.join(", ")}?` : hint
  throw new UsageError(`there is no provider ${JSON.stringify(typed)}${suggestion}`)
}

/**
 * Returns the URL of the sign-in, from AUTH_URL.
 *
 * @throws UsageError if AUTH_URL is not the address of a site
 */
export function readSite({ env }: Terminal, basePath: string): string {
  const address = env["AUTH_URL"]
  if (!address) return `http://localhost:3000${basePath}`
  if (!/^https?:/i.test(address) || !URL.canParse(address))
    throw new UsageError(
      `AUTH_URL is ${JSON.stringify(address)}, which is not the address of a site: write "https://example.com"`,
    )
  const { origin, pathname } = new URL(address)
  return origin + (trimTrailingSlashes(pathname) || basePath)
}
