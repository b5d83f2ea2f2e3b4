/**
 * Writes `views/passkeys.js`, the script of pages with passkeys, from `lib/browser` and the library that it uses.
 *
 * @example
 * node scripts/passkeys.mjs
 */
import { existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

const ROOT = fileURLToPath(new URL("..", import.meta.url))
const TARGET = join(ROOT, "views/passkeys.js")
const LIBRARY = join(ROOT, "node_modules/@simplewebauthn/browser")

/** The library's licence must be included in every copy, so also in the script that browsers get. */
function banner() {
  const { name, version } = JSON.parse(readFileSync(join(LIBRARY, "package.json"), "utf8"))
  const license = readFileSync(join(LIBRARY, "LICENSE.md"), "utf8").trim()
  return `/*! latchkey. With ${name} ${version}:\n${license} */`
}

/** A third of the library is English error messages for developers. Our script uses only the name of an error. */
const plainErrors = {
  name: "plain errors",
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]identify\w+Error\.js$/ }, ({ path }) => ({
      contents: `export const ${basename(path, ".js")} = ({ error }) => error`,
    }))
  },
}

async function bundle() {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, "lib/browser/passkeys.ts")],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2020",
    charset: "utf8",
    banner: { js: banner() },
    plugins: [plainErrors],
  })
  return outputFiles.map(({ text }) => text).join("")
}

/** Writes the script if it changed. */
export async function writePasskeys() {
  const text = await bundle()
  // Skip an unchanged file: a concurrent test must not read it while it is written.
  if (!existsSync(TARGET) || readFileSync(TARGET, "utf8") !== text) writeFileSync(TARGET, text)
}

const [, started] = process.argv
if (started && realpathSync(started) === fileURLToPath(import.meta.url)) await writePasskeys()
