/**
 * Builds and packs the last commit twice, in two folders and two circumstances, and compares the packages byte by byte:
 * whoever doubts what was published can make it again.
 *
 *   npm run check:reproducible
 *   npm run check:reproducible -- --out release     keeps the package in release/
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

const ROOT = fileURLToPath(new URL("..", import.meta.url))

/** What must make no difference: where, when and by whom it is built. */
const CIRCUMSTANCES = [
  { folder: "one", umask: 0o022, env: { TZ: "UTC", LC_ALL: "C", LANG: "C" } },
  { folder: "another/deeper/down", umask: 0o077, env: { TZ: "Pacific/Kiritimati", LC_ALL: "C.UTF-8", LANG: "tr_TR" } },
]

const { values: options } = parseArgs({ options: { out: { type: "string" } } })

const run = (command, parameters, more) =>
  execFileSync(command, parameters, { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"], ...more })

/** The commit's own files, and what is installed: hard links, since through a symbolic one paths would lead elsewhere. */
function checkOut(folder) {
  mkdirSync(folder, { recursive: true })
  const archive = execFileSync("git", ["archive", "HEAD"], { cwd: ROOT, maxBuffer: 1e9 })
  run("tar", ["-x", "-C", folder], { input: archive, stdio: ["pipe", "ignore", "inherit"] })
  try {
    run("cp", ["-al", "node_modules", folder], { stdio: "ignore" })
  } catch {
    // Another file system, or a `cp` without links.
    run("cp", ["-R", "node_modules", folder])
  }
}

/** The package's file. What is built begins with an empty dist/: git has none. */
function pack(within, { folder, umask, env }) {
  const place = join(within, folder)
  const before = process.umask(umask)
  try {
    checkOut(place)
    const target = join(place, "packed")
    mkdirSync(target)
    run("npm", ["pack", "--silent", "--pack-destination", target], { cwd: place, env: { ...process.env, ...env } })
    return readdirSync(target).map((file) => join(target, file))[0]
  } finally {
    process.umask(before)
  }
}

const digestOf = (file) => createHash("sha512").update(readFileSync(file)).digest("hex")

/** The files in a package, each with its digest and mode. */
function contentsOf(packed) {
  const folder = `${packed}.d`
  mkdirSync(folder)
  run("tar", ["-xzpf", packed, "-C", folder])
  const listing = execFileSync("tar", ["-tvzf", packed], { encoding: "utf8" }).trim().split("\n")
  const modes = new Map(listing.map((line) => [line.split(/\s+/).at(-1), line.split(/\s/)[0]]))
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map((entry) => join(entry.parentPath ?? entry.path, entry.name))
  return new Map(
    paths.map((path) => [relative(folder, path), `${digestOf(path)} ${modes.get(relative(folder, path))}`]),
  )
}

/** Names of the files that only one has, or that differ. */
function differences([one, other]) {
  const names = new Set([...one.keys(), ...other.keys()])
  return [...names].filter((name) => one.get(name) !== other.get(name)).sort()
}

/** True when both are the same. */
function compare(packages) {
  const [one, other] = packages.map(digestOf)
  if (one === other) return true
  const names = differences(packages.map(contentsOf))
  console.error(`two builds of one commit differ${names.length > 0 ? `:\n  ${names.join("\n  ")}` : " in their order"}`)
  return false
}

function keep(file, folder) {
  mkdirSync(folder, { recursive: true })
  copyFileSync(file, join(folder, basename(file)))
}

const within = mkdtempSync(join(tmpdir(), "latchkey-reproducible-"))
try {
  const packages = CIRCUMSTANCES.map((circumstance) => pack(within, circumstance))
  if (compare(packages)) {
    console.log(`${basename(packages[0])}: the same twice, sha512 ${digestOf(packages[0])}`)
    if (options.out) keep(packages[0], resolve(options.out))
  } else process.exitCode = 1
} finally {
  rmSync(within, { recursive: true, force: true })
}
