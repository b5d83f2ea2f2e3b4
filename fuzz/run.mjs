/**
 * Fuzzes a target of the built package, guided by coverage (Jazzer.js, libFuzzer). On systems older than glibc 2.38,
 * where that does not run, it uses inputs that are generated from the corpus.
 *
 *   npm run fuzz                         every target, ten seconds each
 *   npm run fuzz -- id-token 600         one target, ten minutes
 *   npm run fuzz -- id-token keep        adds found inputs that reach new code to the corpus
 *
 * Found inputs are in fuzz/found. Inputs that cause a failure are in fuzz/harm, for `node fuzz/replay.mjs`.
 *
 * @module
 */
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { CORPUS, FUZZ, TARGETS } from "./lib/corpus.mjs"

const ROOT = join(FUZZ, "..")
const MAX_BYTES = 4_096
/** The time limit for one input, for targets that hang. */
const HANG_SECONDS = 30

/** The instrumented code: this package, and the libraries that parse input for it. */
const CODE = [
  join(ROOT, "dist/"),
  ...["cookie", "jose", "oauth4webapi", "@simplewebauthn", "@levischuck/tiny-cbor"].map((name) =>
    join(realpathSync(join(ROOT, "node_modules")), name, "/"),
  ),
]

function requireInstalled() {
  const npm = (...parameters) => execFileSync("npm", parameters, { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] })
  if (!existsSync(join(ROOT, "dist/index.js"))) npm("run", "build")
  if (!existsSync(join(FUZZ, "node_modules"))) npm("install", "--prefix", FUZZ, "--no-audit", "--no-fund")
}

const JAZZER = join(FUZZ, "node_modules/@jazzer.js/core")

/** Whether Jazzer.js runs: its binary needs a recent C library. */
function isGuided() {
  const { status } = spawnSync(process.execPath, ["-e", `require(${JSON.stringify(JAZZER)})`], { cwd: FUZZ })
  if (status !== 0) console.log("Jazzer.js does not run here: inputs are generated from the corpus without coverage")
  return status === 0
}

function jazzer(target, folders, flags) {
  for (const folder of folders) mkdirSync(folder, { recursive: true })
  const parameters = [
    join(JAZZER, "dist/cli.js"),
    join(FUZZ, "targets", `${target}.mjs`),
    ...folders,
    ...CODE.flatMap((part) => ["-i", part]),
    ...["-e", "nothing-at-all", `--timeout=${HANG_SECONDS * 1_000}`, "--", `-max_len=${MAX_BYTES}`],
    ...flags,
  ]
  return spawnSync(process.execPath, parameters, { cwd: FUZZ, stdio: "inherit" }).status === 0
}

const found = (target) => join(FUZZ, "found", target)
const own = (target) => join(CORPUS, target)

function fuzz(target, seconds) {
  mkdirSync(join(FUZZ, "harm"), { recursive: true })
  const flags = [`-max_total_time=${seconds}`, `-dict=${join(FUZZ, "dictionary.txt")}`]
  const harm = `-artifact_prefix=${join(FUZZ, "harm", `${target}-`)}`
  return jazzer(target, [found(target), own(target)], [...flags, harm, "-print_final_stats=1"])
}

function fuzzUnguided(target, seconds) {
  const until = Date.now() + seconds * 1_000
  for (let seed = 1; Date.now() < until; seed++) {
    const parameters = [join(FUZZ, "replay.mjs"), target, "1000", String(Date.now() + seed)]
    if (spawnSync(process.execPath, parameters, { stdio: "inherit" }).status !== 0) return false
  }
  return true
}

const [chosen, what = "10"] = process.argv.slice(2)
if (chosen && !TARGETS.includes(chosen)) throw new Error(`no target ${chosen}; there are ${TARGETS.join(", ")}`)
requireInstalled()
const targets = chosen ? [chosen] : TARGETS
const run = isGuided() ? fuzz : fuzzUnguided
const isSound = targets.map((target) =>
  what === "keep" ? jazzer(target, [own(target), found(target)], ["-merge=1"]) : run(target, Number(what)),
)
process.exitCode = isSound.every(Boolean) ? 0 : 1
