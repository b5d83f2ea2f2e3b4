/**
 * The cost of importing the package after Express, in processes that do nothing else, and its size on disk.
 *
 * @module
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { pinnedServer } from "../lib/cores.mjs"
import { median } from "../lib/numbers.mjs"

export const name = "import"
export const title = "Importing the package beside Express, and its size"
export const isChecked = true

const root = fileURLToPath(new URL("../../", import.meta.url))
const variants = fileURLToPath(new URL("../variants/", import.meta.url))
const WAYS = [
  { title: "import", file: "index.js", how: "import" },
  { title: "require", file: "index.cjs", how: "require" },
]

/** Runs a new process, and parses its output as JSON. */
function ask(script, ...parameters) {
  const { execPath = process.execPath, execArgv } = pinnedServer
  return JSON.parse(execFileSync(execPath, [...execArgv, join(variants, script), ...parameters], { encoding: "utf8" }))
}

/** The folder of the dependency that contains a file; undefined for the package itself. */
const packageOf = (file) => file.match(/.*node_modules\/(@[^/]+\/[^/]+|[^/]+)/)?.[1]

function loadedBy({ file, how }) {
  const { modules, views } = ask("import-record.mjs", join(root, "dist", file), how)
  const { peerDependenciesMeta } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const packages = [...new Set(modules.map(packageOf))].filter((name) => name !== undefined)
  return {
    modules,
    views,
    packages,
    peers: packages.filter((name) => peerDependenciesMeta[name]?.optional),
    providers: modules.filter((module) => module.startsWith(join(root, "dist/providers/"))),
  }
}

function measureImports(count) {
  const ways = WAYS.map((way) => ({ ...way, times: [] }))
  // The first run fills the file cache of the system.
  for (let round = 0; round <= count; round++)
    for (const { file, how, times } of ways) {
      const time = ask("import-time.mjs", join(root, "dist", file), how)
      if (round > 0) times.push(time)
    }
  return ways.map((way) => ({
    ...way,
    express: median(way.times.map(({ express }) => express)),
    own: median(way.times.map(({ own }) => own)),
    loaded: loadedBy(way),
  }))
}

const rowOf = ({ title, express, own, loaded }) => ({
  way: title,
  "Express ms": express.toFixed(0),
  "and latchkey ms": own.toFixed(0),
  modules: loaded.modules.length,
  "of packages": loaded.packages.sort().join(", "),
})

/** Installs the package as users get it, with its dependencies and without optional peers. */
function measureInstalled() {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-bench-"))
  const npm = (cwd, ...parameters) => execFileSync("npm", parameters, { cwd, encoding: "utf8", stdio: "pipe" })
  try {
    const [{ filename }] = JSON.parse(npm(root, "pack", "--json", "--ignore-scripts", "--pack-destination", folder))
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "an-application", private: true }))
    npm(folder, "install", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", join(folder, filename))
    const installed = join(folder, "node_modules")
    return { packages: countPackages(installed), bytes: sizeOf(installed) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const countPackages = (folder) => {
  const { packages } = JSON.parse(readFileSync(join(folder, ".package-lock.json"), "utf8"))
  return Object.keys(packages).length
}

const sizeOf = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, path, name }) => sum + statSync(join(parentPath ?? path, name)).size, 0)

export async function run({ isQuick }) {
  const ways = measureImports(isQuick ? 5 : 11)
  const { packages, bytes } = measureInstalled()
  const all = (name) => new Set(ways.flatMap(({ loaded }) => loaded[name])).size
  return {
    rows: ways.map(rowOf),
    ratios: [
      ...ways.map(({ title, own }) => ({ name: `ms of ${title} beside Express`, value: own, most: 60 })),
      { name: "views read at import", value: all("views"), most: 0, check: 0 },
      { name: "optional peers loaded at import", value: all("peers"), most: 0, check: 0 },
      { name: "providers loaded at import", value: all("providers"), most: 0, check: 0 },
      { name: "packages installed, with itself", value: packages, most: 20, check: 20 },
      { name: "MB installed", value: bytes / 1e6, most: 8.5, check: 8.5 },
    ],
  }
}
