/**
 * Prepares everything that a measurement needs.
 *
 * @module
 */
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

const bench = fileURLToPath(new URL("../", import.meta.url))
const root = fileURLToPath(new URL("../../", import.meta.url))

const npm = (...parameters) => execFileSync("npm", parameters, { cwd: root, stdio: ["ignore", "ignore", "inherit"] })

/** Builds the package and installs the compared packages, if they are missing. */
export function requireInstalled({ withPeers }) {
  if (!existsSync(`${root}dist/index.js`)) {
    console.log("Building dist/, which is missing")
    npm("run", "build")
  }
  if (withPeers && !existsSync(`${bench}node_modules`)) {
    console.log("Installing the peers into bench/node_modules")
    npm("install", "--prefix", bench, "--no-audit", "--no-fund")
  }
}
