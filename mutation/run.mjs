/**
 * Changes the code in small ways, one at a time, and checks that a test fails each time. It is not part of continuous
 * integration, because it takes long and evaluates the tests rather than a commit.
 *
 *   npm run mutation                       the critical modules, one after another
 *   npm run mutation -- csrf decide        only these modules
 *   npm run mutation -- csrf --changed     changes since the last such run; fast, but may miss a test
 *   npm run mutation -- --sample 400       this many random changes in the whole library (sample.mjs)
 *
 * @module
 */
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { CRITICAL, MODULES } from "./modules.mjs"
import { scoreOf } from "./score.mjs"

const folder = fileURLToPath(new URL("./", import.meta.url))

const { values: options, positionals: asked } = parseArgs({
  allowPositionals: true,
  options: {
    changed: { type: "boolean", default: false },
    sample: { type: "string" },
    seed: { type: "string", default: "1" },
    of: { type: "string", default: "lib" },
    workers: { type: "string", default: String(availableParallelism()) },
    "same-coverage": { type: "boolean", default: false },
  },
})
const unknown = asked.filter((name) => !Object.hasOwn(MODULES, name))
if (unknown.length > 0) throw new Error(`no module ${unknown.join(", ")}; there are ${Object.keys(MODULES).join(", ")}`)

if (!existsSync(`${folder}node_modules`))
  execFileSync("npm", ["install", "--prefix", folder, "--no-audit", "--no-fund"], { stdio: ["ignore", 2, 2] })
// Import after the installation.
if (options.sample) {
  const { sample } = await import("./sample.mjs")
  await sample({
    count: Number(options.sample),
    seed: Number(options.seed),
    of: options.of,
    workers: Number(options.workers),
    isCoverageKept: options["same-coverage"],
  })
} else {
  const { mutate } = await import("./stryker.mjs")
  const rows = []
  for (const name of asked.length > 0 ? asked : Object.keys(CRITICAL))
    rows.push({ module: name, ...scoreOf(await mutate({ name, ...MODULES[name], isIncremental: options.changed })) })
  console.table(rows)
}
