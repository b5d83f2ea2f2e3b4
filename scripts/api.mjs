/**
 * Writes `docs/api`, the reference of the public API, from the sources and their docstrings. With `--check` it writes
 * nothing, and fails if the pages are outdated. In both modes it fails if an export has no docstring. The providers are
 * documented in `docs/providers.md`.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Application, Converter, ReflectionKind } from "typedoc"

const ROOT = fileURLToPath(new URL("..", import.meta.url))
const PAGES = join(ROOT, "docs/api")

/** The import paths of the package, with their modules. A declaration is described in the first one that exports it. */
const MODULES = {
  "latchkey/jwt": "jwt",
  "latchkey/adapters": "adapters/adapter",
  "latchkey/adapters/memory": "adapters/memory",
  "latchkey/adapters/redis": "adapters/redis",
  "latchkey/adapters/sql": "adapters/sql",
  "latchkey/adapters/testing": "adapters/testing",
  "latchkey/stores/memory": "store/memory",
  "latchkey/stores/redis": "store/redis",
  "latchkey/stores/sql": "store/sql",
  "latchkey/stores/testing": "store/testing",
  "latchkey/types": "types",
  latchkey: "index",
  "latchkey/errors": "errors",
  "latchkey/testing": "testing",
}
/** Exports of the package that contain several modules, or none. */
const NOT_HERE = ["latchkey/adapters/*", "latchkey/stores/*", "latchkey/providers/*", "latchkey/package.json"]

/** Types whose members need no docstrings: claims of OpenID Connect, days and hours. */
const PLAIN = ["Profile", "DevUser", "Span"]

function requireEveryExport() {
  const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"))
  const missing = Object.keys(exports)
    .map((path) => path.replace(".", "latchkey"))
    .filter((name) => !(name in MODULES) && !NOT_HERE.includes(name))
  if (missing.length > 0) throw new Error(`scripts/api.mjs has no row for ${missing.join(", ")}`)
}

const OPTIONS = {
  plugin: ["typedoc-plugin-markdown"],
  tsconfig: join(ROOT, "scripts/api/tsconfig.json"),
  entryPoints: Object.values(MODULES).map((file) => join(ROOT, `lib/${file}.ts`)),
  basePath: join(ROOT, "lib"),
  readme: "none",
  name: "API reference",
  router: "module",
  // Type checking is a separate step.
  skipErrorChecking: true,
  disableSources: true,
  disableGit: true,
  excludeExternals: true,
  excludeInternal: true,
  hideGenerator: true,
  hideBreadcrumbs: true,
  hidePageHeader: true,
  pageTitleTemplates: { module: "{name}" },
  ...Object.fromEntries(
    ["parameters", "interfaceProperties", "classProperties", "typeDeclaration", "propertyMembers", "index"].map(
      (part) => [`${part}Format`, "table"],
    ),
  ),
  logLevel: "Warn",
}

/** Renames modules to their import paths, and removes inherited members of the error classes. */
function tidy({ project }) {
  const names = new Map(Object.entries(MODULES).map(([name, file]) => [file, name]))
  for (const module of project.children) module.name = names.get(module.name) ?? module.name
  for (const reflection of Object.values(project.reflections))
    if (reflection.inheritedFrom || reflection.overwrites || reflection.name === "[hasInstance]")
      project.removeReflection(reflection)
}

const Kind = ReflectionKind
const TOP = Kind.Class | Kind.Function | Kind.Interface | Kind.Module | Kind.TypeAlias | Kind.Variable
const MEMBER = Kind.Method | Kind.Property

/** Exports and their own members that have no docstring. */
function undocumentedIn(project) {
  // Members with a symbol as their name are internal.
  const isAsked = ({ kind, parent, name }) =>
    (kind & TOP) !== 0 || ((kind & MEMBER) !== 0 && parent.kindOf(Kind.Class | Kind.Interface) && !name.startsWith("["))
  return Object.values(project.reflections)
    .filter((reflection) => isAsked(reflection) && !PLAIN.includes(reflection.parent?.name))
    .filter(({ comment, signatures = [] }) => !comment && !signatures.some((signature) => signature.comment))
    .map((reflection) => reflection.getFullName())
}

/** Writes the pages into a folder. Returns false if an export is undocumented. */
async function write(folder) {
  const typedoc = await Application.bootstrapWithPlugins({ ...OPTIONS, out: folder })
  typedoc.converter.on(Converter.EVENT_RESOLVE_BEGIN, tidy)
  const project = await typedoc.convert()
  const undocumented = undocumentedIn(project)
  for (const name of undocumented) console.error(`${name} has no docstring`)
  await typedoc.generateOutputs(project)
  return undocumented.length === 0
}

const pagesIn = (folder) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".md"))
        .sort()
    : []

function differs(folder) {
  const [kept, made] = [pagesIn(PAGES), pagesIn(folder)]
  if (kept.join() !== made.join()) return true
  return made.some((file) => readFileSync(join(folder, file), "utf8") !== readFileSync(join(PAGES, file), "utf8"))
}

async function check() {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-api-"))
  try {
    const isDocumented = await write(folder)
    const isStale = differs(folder)
    if (isStale) console.error("docs/api is outdated: run npm run docs:api")
    return isDocumented && !isStale
  } finally {
    rmSync(folder, { recursive: true })
  }
}

requireEveryExport()
if (!(await (process.argv.includes("--check") ? check() : write(PAGES)))) process.exitCode = 1
