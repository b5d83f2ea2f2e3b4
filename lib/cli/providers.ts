import { type CatalogueRow, readCatalogue, requireRow, variableNames, withoutMarks } from "./catalogue.js"
import { defineCommand, type Result, type Terminal } from "./command.js"
import { withEnvFile } from "./environment.js"
import { columns } from "./help.js"
import { siteOf } from "./site.js"

const DEFAULT_BASE_PATH = "/auth"

/** The variables with whether each is set; never a value, for most are secrets. */
const variablesOf = (row: CatalogueRow, { env }: Terminal) =>
  variableNames(row).map((name) => ({ name, isSet: Boolean(env[name]) }))

/** One provider, for programs. */
function toJson(row: CatalogueRow, terminal: Terminal) {
  const { file, id, name, redirectPath, scope, notes, example } = row
  return {
    id,
    name,
    module: `latchkey/providers/${file}`,
    about: withoutMarks(row.sentence),
    example,
    redirectUri: redirectPath ? siteOf(terminal, DEFAULT_BASE_PATH) + redirectPath : null,
    environment: variablesOf(row, terminal),
    console: withoutMarks(row.console) || null,
    scope,
    notes: notes.map(withoutMarks),
  }
}

function describeRow(row: CatalogueRow, terminal: Terminal): Result {
  const json = toJson(row, terminal)
  const { name, about, example, redirectUri, environment, console, scope, notes } = json
  const parts: string[][] = [[name, about], example.split("\n").map((line) => `  ${line}`)]
  if (redirectUri) parts.push(["Redirect URI", `  ${redirectUri}${hintAbout(terminal)}`])
  if (environment.length > 0)
    parts.push(["Environment", columns(environment.map(({ name, isSet }) => [name, isSet ? "set" : "not set"]))])
  if (console) parts.push(["Console", `  ${console}`])
  if (scope) parts.push(["Scopes", `  ${scope}`])
  if (notes.length > 0) parts.push(notes.map((note) => `- ${note}`))
  return { json, text: parts.map((lines) => lines.join("\n")).join("\n\n") }
}

const hintAbout = ({ env }: Terminal): string => (env["AUTH_URL"] ? "" : "  (set AUTH_URL to see that of your site)")

function listOf(catalogue: readonly CatalogueRow[]): Result {
  const shown = catalogue.filter(({ isDeprecated }) => !isDeprecated)
  const text = [
    `${shown.length} providers:`,
    columns(shown.map(({ file, name }) => [file, name])),
    "npx latchkey providers ID says more of each.",
  ]
  const providers = shown.map(({ file, id, name, type }) => ({ id, name, type, module: `latchkey/providers/${file}` }))
  return { json: { providers }, text: text.join("\n\n") }
}

/** `npx latchkey providers` */
export const providersCommand = defineCommand({
  summary: "shows what a provider needs: import, variables, redirect URI, console",
  about: "Shows what a provider needs: its import, its variables, the redirect URI to register, and where.",
  more: "Without an id it lists them all. The redirect URI is of the site whose address is in AUTH_URL. Variables are read from .env too.",
  operands: { shown: "[ID]", most: 1 },
  options: {},
  async run({ operands: [typed], terminal }) {
    const catalogue = readCatalogue()
    if (typed === undefined) return listOf(catalogue)
    return describeRow(requireRow(typed, catalogue), { ...terminal, env: withEnvFile(terminal.env) })
  },
})
