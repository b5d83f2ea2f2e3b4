/**
 * Writes `docs/api`, the reference of what applications import, from the sources and their docstrings. With `--check`
 * it writes nothing and fails where the pages are not those of the sources. Either way it fails where something that
 * can be imported has no docstring. The providers have a page of their own, `docs/providers.md`.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Application, Converter, ReflectionKind } from "typedoc"

const ROOT = fileURLToPath(new URL("..", import.meta.url))
const PAGES = join(ROOT, "docs/api")

/** What an application imports, and the module behind it. */
const MODULES = {
  latchkey: "index",
  "latchkey/types": "types",
  "latchkey/errors": "errors",
  "latchkey/jwt": "jwt",
  "latchkey/testing": "testing",
  "latchkey/adapters": "adapters/adapter",
  "latchkey/adapters/memory": "adapters/memory",
  "latchkey/adapters/redis": "adapters/redis",
  "latchkey/adapters/sql": "adapters/sql",
  "latchkey/adapters/testing": "adapters/testing",
}
/** Those of the package's exports that stand for several modules, or for none. */
const NOT_HERE = ["latchkey/adapters/*", "latchkey/providers/*", "latchkey/package.json"]

/** Their members say what they are: claims of OpenID Connect, days and hours. */
const PLAIN = ["Profile", "DevPerson", "Span"]

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
  // The compiler is a step of its own.
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

/** Each module by the name that it is imported by, and without what stands in the base of forty errors already. */
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

/** What can be imported, and the members that it has itself, as far as no docstring tells of them. */
function undocumentedIn(project) {
  // A symbol in place of a name is how parts of the library know each other.
  const isAsked = ({ kind, parent, name }) =>
    (kind & TOP) !== 0 || ((kind & MEMBER) !== 0 && parent.kindOf(Kind.Class | Kind.Interface) && !name.startsWith("["))
  return Object.values(project.reflections)
    .filter((reflection) => isAsked(reflection) && !PLAIN.includes(reflection.parent?.name))
    .filter(({ comment, signatures = [] }) => !comment && !signatures.some((signature) => signature.comment))
    .map((reflection) => reflection.getFullName())
}

/** Writes the pages into a folder; says false where something is undocumented. */
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
    if (isStale) console.error("docs/api is not what the sources say: npm run docs:api")
    return isDocumented && !isStale
  } finally {
    rmSync(folder, { recursive: true })
  }
}

requireEveryExport()
if (!(await (process.argv.includes("--check") ? check() : write(PAGES)))) process.exitCode = 1
