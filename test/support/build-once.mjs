import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { writeIcons } from "../../scripts/icons.mjs"
import { writePasskeys } from "../../scripts/passkeys.mjs"

const newest = (folder) =>
  Math.max(...readdirSync(folder, { recursive: true }).map((file) => statSync(join(folder, file)).mtimeMs))

/**
 * Some tests run the built package as its users do: it is built when it is missing or older than its sources. The
 * icons and the browsers' script are for the others too.
 */
export default async function buildOnce() {
  writeIcons()
  await writePasskeys()
  // Written last.
  const last = "dist/catalogue.json"
  if (existsSync(last) && statSync(last).mtimeMs > newest("lib")) return
  for (const script of ["node_modules/tsdown/dist/run.mjs", "scripts/catalogue.mjs"])
    execFileSync(process.execPath, [script], { stdio: ["ignore", "ignore", "inherit"] })
}
