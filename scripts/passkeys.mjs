/**
 * Writes `views/passkeys.js`: the script that pages with passkeys load, from `lib/browser` and the library it uses.
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

/** The library's licence wants to go with every copy of it, and a browser gets one. */
function banner() {
  const { name, version } = JSON.parse(readFileSync(join(LIBRARY, "package.json"), "utf8"))
  const license = readFileSync(join(LIBRARY, "LICENSE.md"), "utf8").trim()
  return `/*! latchkey. With ${name} ${version}:\n${license} */`
}

/** A third of the library explains errors to developers, in English; ours asks an error for its name alone. */
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

/** Writes the script anew if it changed. */
export async function writePasskeys() {
  const text = await bundle()
  // Untouched where it is right: tests that run side by side must not meet a file that is being written.
  if (!existsSync(TARGET) || readFileSync(TARGET, "utf8") !== text) writeFileSync(TARGET, text)
}

const [, started] = process.argv
if (started && realpathSync(started) === fileURLToPath(import.meta.url)) await writePasskeys()
