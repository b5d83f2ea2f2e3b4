/**
 * Writes the attacks and faults of `test/cases.json` to the table in `docs/security-tests.md`. With `--check` it writes
 * nothing, and fails if the table is outdated.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const ROOT = fileURLToPath(new URL("..", import.meta.url))
const PAGE = join(ROOT, "docs/security-tests.md")
const [BEGIN, END] = ["<!-- cases: begin; written by scripts/cases.mjs -->", "<!-- cases: end -->"]
const CASES = JSON.parse(readFileSync(join(ROOT, "test/cases.json"), "utf8"))

const row = ({ id, title, notOffered }) => `| ${id} | ${title}${notOffered ? ` (${notOffered})` : ""} |`

const table = ["| Case | Attack or fault |", "|---|---|", ...CASES.map(row)].join("\n")

const page = readFileSync(PAGE, "utf8")
const [start, end] = [page.indexOf(BEGIN), page.indexOf(END)]
if (start < 0 || end < start) throw new Error(`${PAGE} needs the lines ${BEGIN} and ${END}`)
const updated = `${page.slice(0, start + BEGIN.length)}\n\n${table}\n\n${page.slice(end)}`

if (!process.argv.includes("--check")) writeFileSync(PAGE, updated)
else if (updated !== page) {
  console.error("docs/security-tests.md is outdated: run npm run docs:cases")
  process.exitCode = 1
}
