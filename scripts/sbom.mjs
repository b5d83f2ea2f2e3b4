/**
 * Writes the software bill of materials as CycloneDX: the run-time dependencies, and the code that the build copies into
 * the package. The output is the same for the same commit. It is part of a release, and not of the repository.
 *
 *   npm run sbom                      to standard output
 *   npm run sbom -- sbom.cdx.json     to a file
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const ROOT = fileURLToPath(new URL("..", import.meta.url))

/** Development dependencies that the build copies, completely or in part, into `views` and `dist`. */
const COPIED_IN = [
  "@clack/core",
  "@clack/prompts",
  "@simplewebauthn/browser",
  "fast-string-truncated-width",
  "fast-string-width",
  "fast-wrap-ansi",
  "simple-icons",
  "sisteransi",
]

/** All installed packages. `--omit dev` would also omit dependencies that development dependencies share. */
const everything = () =>
  JSON.parse(
    execFileSync("npm", ["sbom", "--package-lock-only", "--sbom-format", "cyclonedx"], {
      cwd: ROOT,
      encoding: "utf8",
      maxBuffer: 1e9,
      stdio: ["ignore", "pipe", "ignore"],
    }),
  )

/** The time of the commit, or SOURCE_DATE_EPOCH (https://reproducible-builds.org). */
function timestamp() {
  const { SOURCE_DATE_EPOCH } = process.env
  const seconds =
    SOURCE_DATE_EPOCH ?? execFileSync("git", ["log", "-1", "--format=%ct"], { cwd: ROOT, encoding: "utf8" })
  return new Date(Number(seconds) * 1000).toISOString()
}

/** An UUID (RFC 9562 §5.8) of a text. */
function uuidOf(text) {
  const hex = createHash("sha256").update(text).digest("hex")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** The package of this name at the top of node_modules, with the lock file's version. */
function refsOf(names, { packages }) {
  return names.map((name) => {
    const found = packages[`node_modules/${name}`]
    if (!found) throw new Error(`${name} is not installed`)
    return `${name}@${found.version}`
  })
}

/** These packages and all their transitive dependencies. */
function closure(refs, dependencies) {
  const needs = new Map(dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]))
  const found = new Set()
  const visit = (ref) => {
    if (found.has(ref)) return
    found.add(ref)
    for (const next of needs.get(ref) ?? []) visit(next)
  }
  refs.forEach(visit)
  return found
}

const readJson = (file) => JSON.parse(readFileSync(join(ROOT, file), "utf8"))

function describe() {
  const { metadata, components, dependencies, ...rest } = everything()
  const [manifest, lock] = [readJson("package.json"), readJson("package-lock.json")]
  const own = refsOf(Object.keys(manifest.dependencies), lock)
  const copied = refsOf(COPIED_IN, lock)
  // A copied package has no dependencies here: the bundle lists them.
  const wanted = new Set([...closure(own, dependencies), ...copied])
  const root = metadata.component["bom-ref"]
  return {
    ...rest,
    // npm uses the folder's name as the package's name.
    metadata: { ...metadata, timestamp: timestamp(), component: { ...metadata.component, name: manifest.name } },
    components: components.filter((one) => wanted.has(one["bom-ref"])).map((one) => ({ ...one, properties: [] })),
    dependencies: [
      { ref: root, dependsOn: [...own, ...copied] },
      ...dependencies.filter(({ ref }) => ref !== root && wanted.has(ref)),
    ],
  }
}

function write() {
  const described = describe()
  const serialNumber = `urn:uuid:${uuidOf(JSON.stringify({ ...described, serialNumber: "" }))}`
  return `${JSON.stringify({ ...described, serialNumber }, null, 2)}\n`
}

const [file] = process.argv.slice(2)
if (file) writeFileSync(file, write())
else process.stdout.write(write())
