import { readFileSync } from "node:fs"
import { trimTrailingSlashes } from "../base/text.js"
import type { ProviderType } from "../base/types.js"
import { type Terminal, UsageError } from "./command.js"
import { didYouMean } from "./text.js"

/** A row of `dist/catalogue.json`, which the build generates from the provider modules. */
export interface CatalogueRow {
  /** The name of the provider's module: `microsoft-entra-id`. */
  readonly file: string
  readonly id: string
  readonly name: string
  readonly type: ProviderType
  readonly scope: string
  /** A description of the provider, as Markdown. */
  readonly sentence: string
  /** The names and the description of the environment variables, as Markdown. */
  readonly environment: string
  /** The path of the redirect URI below the base path; absent if no redirect URI has to be registered. */
  readonly redirectPath?: string
  /** Where to register the application at the provider, as Markdown; empty if unknown. */
  readonly console: string
  readonly notes: readonly string[]
  readonly example: string
  readonly isDeprecated: boolean
  /** The name of the factory, which the module exports as default. */
  readonly factory: string
  /** The source text for the option `providers`. It is the name of the factory if environment variables suffice. */
  readonly setup: string
}

/** Returns all providers of this package, sorted by name. */
export function readCatalogue(): readonly CatalogueRow[] {
  // The content is not validated, because the build of this package writes the file.
  return JSON.parse(readFileSync(new URL("./catalogue.json", import.meta.url), "utf8")) as CatalogueRow[]
}

/** Removes the backticks of Markdown. */
export const withoutBackticks = (text: string): string => text.replaceAll("`", "")

/** Returns the names of the environment variables that a provider reads. */
export const variableNames = ({ environment }: CatalogueRow): string[] =>
  [...environment.matchAll(/`(AUTH_\w+)`/g)].map(({ 1: name = "" }) => name)

/**
 * Returns the provider with this file name or id.
 *
 * @throws UsageError if no provider matches. The message suggests the file names that contain the input ("entra"). If
 * there are none, it suggests the most similar file name ("githubb").
 */
export function requireRow(input: string, catalogue: readonly CatalogueRow[]): CatalogueRow {
  const row = catalogue.find(({ file, id }) => file === input || id === input)
  if (row) return row
  const files = catalogue.map(({ file }) => file)
  const partial = input.length > 2 ? files.filter((file) => file.includes(input.toLowerCase())) : []
  const hint = didYouMean(input, files, ": npx latchkey providers lists them")
  const suggestion = partial.length > 0 ? `; did you mean ${partial.join(", ")}?` : hint
  throw new UsageError(`there is no provider ${JSON.stringify(input)}${suggestion}`)
}

/**
 * Returns the origin and base path of the sign-in, such as "https://example.com/auth". Without AUTH_URL, the origin is
 * http://localhost:3000. `basePath` is used unless AUTH_URL has a path.
 *
 * @throws UsageError if AUTH_URL is not an http or https URL
 */
export function readBaseUrl({ env }: Terminal, basePath: string): string {
  const address = env["AUTH_URL"]
  if (!address) return `http://localhost:3000${basePath}`
  if (!/^https?:/i.test(address) || !URL.canParse(address))
    throw new UsageError(
      `AUTH_URL is ${JSON.stringify(address)}, which is not the address of a site: write "https://example.com"`,
    )
  const { origin, pathname } = new URL(address)
  return origin + (trimTrailingSlashes(pathname) || basePath)
}
