import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import prepare from "./prepare.mjs"

const newest = (folder) =>
  Math.max(...readdirSync(folder, { recursive: true }).map((file) => statSync(join(folder, file)).mtimeMs))

/**
 * Builds the package if it is missing or older than its sources, for the tests of the built package.
 */
export default async function buildOnce() {
  await prepare()
  // The file that the build writes last.
  const last = "dist/catalogue.json"
  if (existsSync(last) && statSync(last).mtimeMs > newest("lib")) return
  for (const script of ["node_modules/tsdown/dist/run.mjs", "scripts/catalogue.mjs"])
    execFileSync(process.execPath, [script], { stdio: ["ignore", "ignore", "inherit"] })
}
