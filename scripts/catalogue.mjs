/**
 * Creates the catalogue of providers from the docstrings and the factories in `lib/providers`. After a build it writes
 * `dist/catalogue.json`, which `npx latchkey providers` reads. With `--docs` it writes the lists in `docs/providers.md`
 * and `docs/differences.md`. With `--check` it writes nothing, and fails if those lists are outdated.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { build } from "esbuild"
import { catalogueList, differencesList } from "./catalogue-docs.mjs"

const ROOT = fileURLToPath(new URL("..", import.meta.url))
const FOLDER = join(ROOT, "lib/providers")
const [BEGIN, END] = ["<!-- providers: begin; written by scripts/catalogue.mjs -->", "<!-- providers: end -->"]

/** The name of the factory and its docstring: of a function, or of a constant that is exported below. */
function findFactory(source) {
  const [, factory] = /^export default (?:function )?(\w+)/m.exec(source) ?? []
  const declared = new RegExp(`/\\*\\*((?:(?!\\*/)[\\s\\S])*?)\\*/\\n(?:export default function|const) ${factory}\\b`)
  return { factory, docstring: declared.exec(source)?.[1] }
}

/** The lines of a docstring without their asterisks. */
const linesOf = (text) => text.split("\n").map((line) => line.replace(/^\s*\* ?/, "").trimEnd())

/** The text up to the next empty line, as one line. */
const paragraph = (text) => (text.split(/\n\n/)[0] ?? "").replace(/\n\s*/g, " ").trim()

/** The first paragraph, without the keywords and bullets that follow it. */
const sentenceOf = (text) => paragraph(text.split(/\n(?=(?:Environment|Console): |- )/)[0] ?? "")

/** The text after one of the fixed keywords, up to the next keyword or bullet. */
const fieldOf = (text, name) =>
  paragraph(
    new RegExp(`^${name}: ([\\s\\S]*?)(?=\\n[A-Z][\\w ]+: |\\n- |\\n\\n|(?![\\s\\S]))`, "m").exec(text)?.[1] ?? "",
  )

/** The bullets, each as one line. */
const notesOf = (text) =>
  [...text.matchAll(/^- ([\s\S]*?)(?=\n- |\n\n(?! )|(?![\s\S]))/gm)].map(({ 1: note = "" }) =>
    note.replace(/\n\s*/g, " ").trim(),
  )

/**
 * The parts of a factory's docstring, in the form that CONTRIBUTING.md describes. What follows from the id is absent:
 * most variables, and the usual example.
 */
export function parseDocstring(source) {
  const { factory, docstring } = findFactory(source)
  if (!docstring) return undefined
  const [prose = "", ...tags] = linesOf(docstring).join("\n").trim().split(/^@/m)
  const tagged = (name) => tags.filter((tag) => tag.startsWith(name)).map((tag) => tag.slice(name.length).trim())
  return {
    factory,
    sentence: sentenceOf(prose),
    environment: fieldOf(prose, "Environment").replace(/\.$/, ""),
    console: fieldOf(prose, "Console").replace(/\.$/, ""),
    notes: notesOf(prose),
    example: tagged("example")[0] ?? "",
    isDeprecated: tagged("deprecated").length > 0,
  }
}

const isOAuth = ({ type }) => type === "oauth" || type === "oidc"

/** Whether the factory, without an issuer, knows no address of the provider: a tenant, or a server of one's own. */
function needsIssuer(factory) {
  const { type, issuer, wellKnown, authorization } = factory({ clientId: "id", clientSecret: "secret" })
  return isOAuth({ type }) && !issuer && !wellKnown && !(authorization?.url ?? typeof authorization === "string")
}

/** The variables with their description. "Environment: also …" adds to the id and the secret of an OAuth provider. */
function environmentText(prefix, { written, hasIssuer }) {
  const usual = `\`${prefix}_ID\`, \`${prefix}_SECRET\``
  if (written.startsWith("also ")) return `${usual}, and ${written.slice("also ".length)}`
  return written || (hasIssuer ? `${usual}, \`${prefix}_ISSUER\`` : usual)
}

/** The ends of the variables for options of email providers. */
const MAIL_ENDS = { apiKey: "KEY", server: "SERVER", from: "FROM" }

/** The variables of the required options of an email provider. */
const mailVariables = (prefix, { requires = [] }) =>
  Object.keys(MAIL_ENDS)
    .filter((name) => requires.includes(name))
    .map((name) => `\`${prefix}_${MAIL_ENDS[name]}\``)
    .join(", ")

/** The parts that follow from the provider's id, unless the docstring has its own. */
function derivedParts(factory, { id, type, file, parts, provider }) {
  if (type === "email") return { environment: parts.environment || mailVariables(prefixOf(id), provider) }
  if (!isOAuth({ type })) return {}
  const prefix = prefixOf(id)
  const hasIssuer = needsIssuer(factory)
  const call = hasIssuer ? `${parts.factory}({ issuer: process.env.${prefix}_ISSUER })` : parts.factory
  const [from, use] = [`"latchkey/providers/${file}"`, `app.use(authMiddleware({ providers: [${call}] }))`]
  return {
    environment: environmentText(prefix, { written: parts.environment, hasIssuer }),
    redirectPath: `/callback/${id}`,
    example: parts.example || `import ${parts.factory} from ${from}\n${use}`,
  }
}

/** A placeholder for values that an application has to provide. */
const OPTIONS = {
  clientId: "id",
  clientSecret: "secret",
  issuer: "https://issuer.example.com",
  server: "smtp://mail.example.com",
}

/** The default scope of the core if a provider sets none. */
const scopeOf = ({ type, authorization }) => {
  const named =
    typeof authorization === "string" ? new URL(authorization).searchParams.get("scope") : authorization?.params?.scope
  return named ?? (type === "oidc" ? "openid profile email" : "")
}

const prefixOf = (id) => `AUTH_${id.toUpperCase().replaceAll("-", "_")}`

/** The environment variables that the core reads for a provider id. */
const environmentOf = (id, named) => {
  const prefix = prefixOf(id)
  const values = { ID: "id", SECRET: "secret", KEY: "key", FROM: "from@example.com", SERVER: OPTIONS.server }
  const all = { ...values, ...(named.includes("_ISSUER`") && { ISSUER: OPTIONS.issuer }) }
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [`${prefix}_${name}`, value]))
}

/** Whether the factory needs no options, because environment variables configure everything. */
async function isReadyBare(factory, id, named) {
  const { authMiddleware } = await import(pathToFileURL(join(ROOT, "dist/index.js")).href)
  const { MemoryAdapter } = await import(pathToFileURL(join(ROOT, "dist/adapters/memory.js")).href)
  const environment = environmentOf(id, named)
  const before = { ...process.env }
  const silent = { error() {}, warn() {}, debug() {} }
  try {
    Object.assign(process.env, environment, { AUTH_SECRET: "of thirty-two characters or more ..." })
    authMiddleware({
      providers: [factory],
      adapter: MemoryAdapter(),
      experimental: { enableWebAuthn: true },
      logger: silent,
    })
    return true
  } catch {
    return false
  } finally {
    for (const name of [...Object.keys(environment), "AUTH_SECRET"]) {
      if (before[name] === undefined) delete process.env[name]
      else process.env[name] = before[name]
    }
  }
}

/** The entry of the provider in `providers`. */
async function setupOf(factory, id, { factory: name, environment, example }) {
  if (await isReadyBare(factory, id, environment)) return name
  const [, written = name] = /providers: \[(.+)\][,\s}]/.exec(example) ?? []
  return written
}

async function readProvider(file) {
  const found = parseDocstring(readFileSync(join(FOLDER, `${file}.ts`), "utf8"))
  if (!found) return undefined
  const { default: factory } = await import(pathToFileURL(join(ROOT, `dist/providers/${file}.js`)).href)
  const provider = factory(OPTIONS)
  const { id, type } = provider
  const parts = { ...found, ...derivedParts(factory, { id, type, file, parts: found, provider }) }
  // A provider for any server is named after the server.
  const name = provider.name === new URL(OPTIONS.issuer).host ? parts.factory : provider.name
  return { file, id, name, type, scope: scopeOf(provider), ...parts, setup: await setupOf(factory, id, parts) }
}

export async function readCatalogue() {
  const files = readdirSync(FOLDER).flatMap((file) => (file.endsWith(".ts") ? [file.slice(0, -3)] : []))
  const found = (await Promise.all(files.map(readProvider))).filter((provider) => provider !== undefined)
  return found.sort((one, other) => one.name.localeCompare(other.name, "en") || one.file.localeCompare(other.file))
}

/** The differences from the same provider of Auth.js, as the test cases list them. */
async function readDifferences(catalogue) {
  // For random values a test case has a Jest matcher.
  globalThis.expect ??= { stringMatching: String }
  const folder = mkdtempSync(join(tmpdir(), "latchkey-cases-"))
  try {
    const cases = join(ROOT, "test/contracts/catalogue")
    const entryPoints = readdirSync(cases).map((file) => join(cases, file))
    await build({
      entryPoints,
      outdir: folder,
      bundle: true,
      format: "esm",
      platform: "node",
      outExtension: { ".js": ".mjs" },
    })
    const found = catalogue.map(async ({ file, name }) => {
      if (!existsSync(join(folder, `${file}.mjs`))) return []
      const { default: found } = await import(pathToFileURL(join(folder, `${file}.mjs`)).href)
      return Object.entries(found.differs ?? {}).map(([fact, why]) => ({ name, fact, why }))
    })
    return (await Promise.all(found)).flat()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Replaces the list between the markers of a page. */
function withList(file, list) {
  const page = readFileSync(file, "utf8")
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (begin < 0 || end < begin) throw new Error(`${file} has no place for the list: ${BEGIN} … ${END}`)
  return { file, page, written: `${page.slice(0, begin + BEGIN.length)}\n\n${list}\n${page.slice(end)}` }
}

async function main() {
  const catalogue = await readCatalogue()
  const [wanted] = process.argv.slice(2)
  if (wanted === undefined) return writeFileSync(join(ROOT, "dist/catalogue.json"), JSON.stringify(catalogue))
  const pages = [
    withList(join(ROOT, "docs/providers.md"), catalogueList(catalogue)),
    withList(join(ROOT, "docs/differences.md"), differencesList(await readDifferences(catalogue))),
  ]
  for (const { file, page, written } of pages) {
    if (wanted === "--docs") writeFileSync(file, written)
    else if (written !== page) throw new Error(`${file} differs from the providers' files: run npm run docs`)
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()
