/**
 * Runs the tests of each case in `test/cases.json`, and writes their results to the table in `docs/security-tests.md`. With
 * `--check` it runs nothing. It fails if the table has other cases than `test/cases.json`, or a case that did not pass.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const ROOT = fileURLToPath(new URL("..", import.meta.url))
const PAGE = join(ROOT, "docs/security-tests.md")
const [BEGIN, END] = ["<!-- cases: begin; written by scripts/cases.mjs -->", "<!-- cases: end -->"]
const CASES = JSON.parse(readFileSync(join(ROOT, "test/cases.json"), "utf8"))
const NAMES_CASE = /\b(?:ADV|OID|SES|RED|EML|CRD|ACC|WAN|FLT|SEC)-\d\d\b/

const testFiles = () =>
  readdirSync(join(ROOT, "test"), { recursive: true })
    .filter((file) => file.endsWith(".test.ts") && NAMES_CASE.test(readFileSync(join(ROOT, "test", file), "utf8")))
    .map((file) => `test/${file}`)

/** Runs the tests that name a case, and returns their results. */
function runTests() {
  const folder = mkdtempSync(join(tmpdir(), "cases-"))
  const report = join(folder, "report.json")
  try {
    spawnSync("npx", ["jest", "--testNamePattern", NAMES_CASE.source, ...testFiles()], {
      cwd: ROOT,
      env: { ...process.env, TEST_STAGES: "all", CASES_REPORT: report },
      stdio: "inherit",
    })
    return JSON.parse(readFileSync(report, "utf8"))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function resultOf({ notOffered }, tests) {
  const failed = tests.filter(({ passed }) => !passed).length
  if (failed > 0) return `**${failed} of ${tests.length} failed**`
  if (notOffered) return notOffered
  return tests.length === 0 ? "**not tested**" : String(tests.length)
}

function rowOf(wanted, all) {
  const tests = all.filter(({ ids }) => ids.includes(wanted.id))
  return `| ${wanted.id} | ${wanted.title} | ${resultOf(wanted, tests)} |`
}

const table = (tests) =>
  [
    "| Case | Attack, fault or rule | Tests passed |",
    "|---|---|---|",
    ...CASES.map((wanted) => rowOf(wanted, tests)),
  ].join("\n")

function replaceTable(page, text) {
  const [start, end] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (start < 0 || end < 0) throw new Error(`${PAGE} needs the lines ${BEGIN} and ${END}`)
  return `${page.slice(0, start + BEGIN.length)}\n\n${text}\n\n${page.slice(end)}`
}

/** The ids and titles in the table. */
const tableCases = (page) =>
  [...page.matchAll(/^\| ([A-Z]{3}-\d\d) \| ([^|]+) \|/gm)].map(({ 1: id, 2: title }) => `${id} ${title}`)

const readPage = () => readFileSync(PAGE, "utf8")

if (!process.argv.includes("--check")) {
  const rows = table(runTests())
  writeFileSync(PAGE, replaceTable(readPage(), rows))
}

const page = readPage()
const wanted = CASES.map(({ id, title }) => `${id} ${title}`)
const isInStep = JSON.stringify(tableCases(page)) === JSON.stringify(wanted)
if (!isInStep || /\*\*(?:not tested|\d+ of \d+ failed)\*\*/.test(page)) {
  console.error("docs/security-tests.md does not show the cases of test/cases.json as passed: npm run docs:cases")
  process.exitCode = 1
}
