/**
 * Builds and packs the last commit twice, in two folders and two environments, and compares the packages byte by byte,
 * so that anyone can verify the published package.
 *
 *   npm run check:reproducible
 *   npm run check:reproducible -- --out release     keeps the package in release/
 *
 * With GITHUB_REPOSITORY=owner/name, as in a release, package.json names that repository.
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

const ROOT = fileURLToPath(new URL("..", import.meta.url))

/** The environments of the two builds, which must not affect the result. */
const CIRCUMSTANCES = [
  { folder: "one", umask: 0o022, env: { TZ: "UTC", LC_ALL: "C", LANG: "C" } },
  { folder: "another/deeper/down", umask: 0o077, env: { TZ: "Pacific/Kiritimati", LC_ALL: "C.UTF-8", LANG: "tr_TR" } },
]

const { values: options } = parseArgs({ options: { out: { type: "string" } } })

const run = (command, parameters, more) =>
  execFileSync(command, parameters, { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"], ...more })

/** Copies the commit's files, and hard-links node_modules: a symbolic link would change resolved paths. */
function checkOut(folder) {
  mkdirSync(folder, { recursive: true })
  const archive = execFileSync("git", ["archive", "HEAD"], { cwd: ROOT, maxBuffer: 1e9 })
  run("tar", ["-x", "-C", folder], { input: archive, stdio: ["pipe", "ignore", "inherit"] })
  try {
    run("cp", ["-al", "node_modules", folder], { stdio: "ignore" })
  } catch {
    // The target is on another file system, or `cp` can't create hard links.
    run("cp", ["-R", "node_modules", folder])
  }
}

/** npm accepts the provenance of a release only if package.json names the repository, which the workflow knows. */
function nameRepository(folder) {
  const { GITHUB_REPOSITORY, GITHUB_SERVER_URL = "https://github.com" } = process.env
  if (!GITHUB_REPOSITORY) return
  const url = `git+${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}.git`
  run("npm", ["pkg", "set", "repository.type=git", `repository.url=${url}`], { cwd: folder })
}

/** Builds and packs. The build starts without dist/, because git does not contain it. */
function pack(within, { folder, umask, env }) {
  const place = join(within, folder)
  const before = process.umask(umask)
  try {
    checkOut(place)
    nameRepository(place)
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

/** The names of files that differ or that only one package has. */
function differences([one, other]) {
  const names = new Set([...one.keys(), ...other.keys()])
  return [...names].filter((name) => one.get(name) !== other.get(name)).sort()
}

/** Whether both packages are the same. */
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
    console.log(`${basename(packages[0])}: both builds are the same, sha512 ${digestOf(packages[0])}`)
    if (options.out) keep(packages[0], resolve(options.out))
  } else process.exitCode = 1
} finally {
  rmSync(within, { recursive: true, force: true })
}
