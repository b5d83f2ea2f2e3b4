import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { nearestName } from "../config/nearest-name.js"
import { type Command, type Terminal, UsageError } from "./command.js"
import { oneLine } from "./one-line.js"

/** A row of `dist/catalogue.json`, which the build makes of the providers' files. */
interface CatalogueRow {
  readonly file: string
  readonly id: string
  readonly name: string
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
}

const HELP = `Shows what a provider needs: its import, its variables, the redirect URI to register, and where.

Usage: npx latchkey providers [ID]

Without an id it lists them all. The redirect URI is of the site whose address is in AUTH_URL.

  --help            shows this
`

const DEFAULT_SITE = "http://localhost:3000"
const DEFAULT_BASE_PATH = "/auth"

function readCatalogue(): CatalogueRow[] {
  // Written by our own build.
  return JSON.parse(readFileSync(new URL("./catalogue.json", import.meta.url), "utf8")) as CatalogueRow[]
}

function parse(args: readonly string[]): string | undefined {
  try {
    const { positionals } = parseArgs({ args: [...args], allowPositionals: true, options: {} })
    if (positionals.length > 1) throw new Error(`${positionals.length} ids: give one of them`)
    return positionals[0]
  } catch (error) {
    throw new UsageError(oneLine(error))
  }
}

/** Where the sign-in is, from AUTH_URL. */
function siteOf({ env }: Terminal): string {
  const address = env["AUTH_URL"]
  if (!address) return DEFAULT_SITE + DEFAULT_BASE_PATH
  if (!/^https?:/i.test(address) || !URL.canParse(address))
    throw new UsageError(
      `AUTH_URL is ${JSON.stringify(address)}, which is no address of a site: write "https://example.com"`,
    )
  const { origin, pathname } = new URL(address)
  return origin + (pathname.replace(/\/+$/, "") || DEFAULT_BASE_PATH)
}

const withoutMarks = (text: string): string => text.replaceAll("`", "")

/** The variables with whether each is set; never a value, for most are secrets. */
function variableLines({ environment }: CatalogueRow, { env }: Terminal): string[] {
  const names = [...environment.matchAll(/`(AUTH_\w+)`/g)].map(([, name = ""]) => name)
  const width = Math.max(...names.map(({ length }) => length))
  return names.map((name) => `  ${name.padEnd(width)}  ${env[name] ? "set" : "not set"}`)
}

function describe(row: CatalogueRow, terminal: Terminal): string {
  const { name, sentence, environment, redirectPath, scope, notes, example } = row
  const parts: string[][] = [[name, withoutMarks(sentence)], example.split("\n").map((line) => `  ${line}`)]
  if (redirectPath) parts.push(["Redirect URI", `  ${siteOf(terminal)}${redirectPath}${hintAbout(terminal)}`])
  if (environment) parts.push(["Environment", ...variableLines(row, terminal)])
  if (row.console) parts.push(["Console", `  ${withoutMarks(row.console)}`])
  if (scope) parts.push(["Scopes", `  ${scope}`])
  if (notes.length > 0) parts.push(notes.map((note) => `- ${withoutMarks(note)}`))
  return `${parts.map((lines) => lines.join("\n")).join("\n\n")}\n`
}

const hintAbout = ({ env }: Terminal): string => (env["AUTH_URL"] ? "" : "  (set AUTH_URL to see that of your site)")

function listOf(catalogue: readonly CatalogueRow[]): string {
  const shown = catalogue.filter(({ isDeprecated }) => !isDeprecated)
  const width = Math.max(...shown.map(({ file }) => file.length))
  const lines = shown.map(({ file, name }) => `  ${file.padEnd(width)}  ${name}\n`)
  return `${shown.length} providers:\n\n${lines.join("")}\nnpx latchkey providers ID says more of each.\n`
}

/** What somebody who mistyped may have meant: "entra" is part of a name, "githubb" is near one. */
function similarTo(typed: string, catalogue: readonly CatalogueRow[]): string {
  const files = catalogue.map(({ file }) => file)
  const parts = typed.length > 2 ? files.filter((file) => file.includes(typed.toLowerCase())) : []
  const meant = parts.length > 0 ? parts.join(", ") : nearestName(typed, files)
  return meant ? `; did you mean ${meant}?` : ": npx latchkey providers lists them"
}

/** `npx latchkey providers`. */
export const providersCommand: Command = {
  summary: "shows what a provider needs: import, variables, redirect URI, console",
  help: HELP,
  async run(args, terminal) {
    const typed = parse(args)
    const catalogue = readCatalogue()
    if (typed === undefined) return terminal.print(listOf(catalogue))
    const row = catalogue.find(({ file, id }) => file === typed || id === typed)
    if (!row) throw new UsageError(`there is no provider ${JSON.stringify(typed)}${similarTo(typed, catalogue)}`)
    terminal.print(describe(row, terminal))
  },
}
