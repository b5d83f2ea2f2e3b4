/**
 * Writes `docs/errors`, one page per code. With `--check` it writes nothing, and fails if the pages differ from the
 * table.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { build } from "esbuild"
import { pagesOf } from "./errors-docs.mjs"

const DOCS = fileURLToPath(new URL("../docs/", import.meta.url))
const FOLDER = join(DOCS, "errors")

/** Loads the tables from the sources, because the build splits them into internal chunks. */
async function readTables() {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-codes-"))
  try {
    const outfile = join(folder, "tables.mjs")
    const contents = `export { SUBJECTS } from "./lib/errors/codes/index.ts"\nexport { MESSAGE_CODES } from "./lib/errors/error-codes.ts"`
    const stdin = { contents, resolveDir: join(DOCS, "..") }
    await build({ stdin, outfile, bundle: true, format: "esm", platform: "node" })
    return await import(pathToFileURL(outfile).href)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const { SUBJECTS, MESSAGE_CODES } = await readTables()
const readPage = (page) => readFileSync(join(DOCS, page), "utf8")
const pages = pagesOf({ subjects: SUBJECTS, codesOfTypes: MESSAGE_CODES, readPage })
const present = readdirSync(FOLDER)

function write() {
  for (const [file, text] of pages) writeFileSync(join(FOLDER, file), text)
  for (const file of present) if (!pages.has(file)) rmSync(join(FOLDER, file))
}

function check() {
  const isRight = (file) => present.includes(file) && readFileSync(join(FOLDER, file), "utf8") === pages.get(file)
  const wrong = [...new Set([...present, ...pages.keys()])].filter((file) => !isRight(file))
  if (wrong.length > 0) throw new Error(`docs/errors differs from lib/errors/codes: run npm run docs:errors (${wrong})`)
}

if (process.argv.includes("--check")) check()
else write()
