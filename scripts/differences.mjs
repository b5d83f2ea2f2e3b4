/**
 * Writes the tables in `docs/differences.md` from `test/interop/differences.ts`. With `--check` it writes nothing and
 * fails if the page is outdated.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { build } from "esbuild"

const ROOT = fileURLToPath(new URL("..", import.meta.url))
const PAGE = join(ROOT, "docs/differences.md")
const [BEGIN, END] = ["<!-- differences: begin; written by scripts/differences.mjs -->", "<!-- differences: end -->"]
const HEADER = "| | Auth.js | latchkey |\n|---|---|---|"

async function loadDifferences() {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-differences-"))
  try {
    const outfile = join(folder, "differences.mjs")
    const entryPoints = [join(ROOT, "test/interop/differences.ts")]
    await build({ entryPoints, outfile, bundle: true, format: "esm", platform: "node" })
    return await import(pathToFileURL(outfile).href)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const row = ([id, { authjs, latchkey }]) => `| \`${id}\` | ${authjs} | ${latchkey} |`

function tables({ SECTIONS, DIFFERENCES }) {
  const table = (name) => {
    const rows = Object.entries(DIFFERENCES).filter(([, { section }]) => section === name)
    return `### ${name}\n\n${HEADER}\n${rows.map(row).join("\n")}`
  }
  return SECTIONS.map(table).join("\n\n")
}

function replaceTables(page, text) {
  const [start, end] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (start < 0 || end < start) throw new Error(`docs/differences.md needs the lines ${BEGIN} and ${END}`)
  return `${page.slice(0, start + BEGIN.length)}\n\n${text}\n\n${page.slice(end)}`
}

const page = readFileSync(PAGE, "utf8")
const updated = replaceTables(page, tables(await loadDifferences()))

if (!process.argv.includes("--check")) writeFileSync(PAGE, updated)
else if (updated !== page) {
  console.error("docs/differences.md is outdated: run npm run docs:differences")
  process.exitCode = 1
}
