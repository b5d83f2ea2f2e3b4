import { DEFAULT_BASE_PATH } from "../config/defaults.js"
import {
  type CatalogueRow,
  readBaseUrl,
  readCatalogue,
  requireRow,
  variableNames,
  withoutBackticks,
} from "./catalogue.js"
import { defineCommand, type Result, type Terminal } from "./command.js"
import { withEnvFile } from "./files.js"
import { columns } from "./text.js"

/** Lists the variables, and whether each variable is set. The values are omitted, because most of them are secrets. */
const listVariables = (row: CatalogueRow, { env }: Terminal) =>
  variableNames(row).map((name) => ({ name, isSet: Boolean(env[name]) }))

function toJson(row: CatalogueRow, terminal: Terminal) {
  const { file, id, name, redirectPath, scope, notes, example } = row
  return {
    id,
    name,
    module: `latchkey/providers/${file}`,
    about: withoutBackticks(row.sentence),
    example,
    redirectUri: redirectPath ? readBaseUrl(terminal, DEFAULT_BASE_PATH) + redirectPath : null,
    environment: listVariables(row, terminal),
    console: withoutBackticks(row.console) || null,
    scope,
    notes: notes.map(withoutBackticks),
  }
}

function describeRow(row: CatalogueRow, terminal: Terminal): Result {
  const json = toJson(row, terminal)
  const { name, about, example, redirectUri, environment, console, scope, notes } = json
  const parts: string[][] = [[name, about], example.split("\n").map((line) => `  ${line}`)]
  if (redirectUri) parts.push(["Redirect URI", `  ${redirectUri}${redirectUriHint(terminal)}`])
  if (environment.length > 0)
    parts.push(["Environment", columns(environment.map(({ name, isSet }) => [name, isSet ? "set" : "not set"]))])
  if (console) parts.push(["Console", `  ${console}`])
  if (scope) parts.push(["Scopes", `  ${scope}`])
  if (notes.length > 0) parts.push(notes.map((note) => `- ${note}`))
  return { json, text: parts.map((lines) => lines.join("\n")).join("\n\n") }
}

const redirectUriHint = ({ env }: Terminal): string =>
  env["AUTH_URL"] ? "" : "  (set AUTH_URL to see the redirect URI of your site)"

function listProviders(catalogue: readonly CatalogueRow[]): Result {
  const listed = catalogue.filter(({ isDeprecated }) => !isDeprecated)
  const text = [
    `${listed.length} providers:`,
    columns(listed.map(({ file, name }) => [file, name])),
    "npx latchkey providers ID shows the details of one provider.",
  ]
  const providers = listed.map(({ file, id, name, type }) => ({ id, name, type, module: `latchkey/providers/${file}` }))
  return { json: { providers }, text: text.join("\n\n") }
}

/** `npx latchkey providers` */
export const providersCommand = defineCommand({
  summary: "shows what a provider needs: import, variables, redirect URI, console",
  about: "Shows what a provider needs: its import, its variables, the redirect URI to register, and the console.",
  more: "Without ID, the command lists all providers. The redirect URI uses the address in AUTH_URL. Variables are also read from .env.",
  operands: { usage: "[ID]", max: 1 },
  options: {},
  async run({ operands: [id], terminal }) {
    const catalogue = readCatalogue()
    if (id === undefined) return listProviders(catalogue)
    return describeRow(requireRow(id, catalogue), { ...terminal, env: withEnvFile(terminal.env) })
  },
})
