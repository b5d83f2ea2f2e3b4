/**
 * Runs the modules of the OpenID Foundation's conformance suite for relying parties, as `test/conformance` has them, and
 * writes `docs/conformance.md` from what became of them; arguments go to Jest. With `--check` it runs nothing. Either
 * way it fails when the page is not that of a run in which every module passed.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

const ROOT = fileURLToPath(new URL("..", import.meta.url))
const PAGE = join(ROOT, "docs/conformance.md")
const TABLES = ["modules", "not-offered", "support/parties", "support/module"]

/** What the tests are made of. */
async function readTables() {
  const { outputFiles } = await build({
    stdin: {
      contents: TABLES.map((file) => `export * from "./${file}.js"`).join("\n"),
      resolveDir: "test/conformance",
    },
    ...{ absWorkingDir: ROOT, bundle: true, format: "esm", platform: "node", write: false },
  })
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`)
}

/** Runs the modules; gives Jest's list of what became of each. */
function runTests(args) {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-conformance-"))
  const report = join(folder, "report.json")
  const { TEST_STAGES: _, ...env } = process.env
  try {
    const jest = ["jest", "test/conformance/conformance.test.ts", "--json", `--outputFile=${report}`, ...args]
    spawnSync("npx", jest, { cwd: ROOT, env, stdio: ["ignore", "ignore", "inherit"] })
    return JSON.parse(readFileSync(report, "utf8")).testResults.flatMap(({ assertionResults }) => assertionResults)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const { PLANS, NOT_OFFERED, PARTIES, titleOf } = await readTables()

/** How often a module passed. */
const countIn = (tests) => (plan, module) =>
  tests.filter(
    ({ ancestorTitles, title, status }) =>
      ancestorTitles[1] === plan.name && title === titleOf(module) && status === "passed",
  ).length

function resultOf({ shows }, passed) {
  if (passed < PARTIES.length) return `**failed**, ${passed} of ${PARTIES.length}`
  return shows ? `passed; the suite shows it as ${shows}` : "passed"
}

const planSection = (plan, countPassed) =>
  [
    `## ${plan.title}`,
    "",
    `\`${plan.name}\``,
    "",
    "| Module | What a relying party meets | It must | latchkey | Result |",
    "|---|---|---|---|---|",
    ...plan.modules.map((module) => {
      const { name, given, must, does } = module
      const cells = [
        `\`${name}\``,
        given,
        must,
        does === "refuse" ? "refuses" : "signs in",
        resultOf(module, countPassed(plan, module)),
      ]
      return `| ${cells.join(" | ")} |`
    }),
    "",
  ].join("\n")

const notOfferedRow = ({ plan, why, modules }) =>
  `| \`${plan}\` | ${modules.map((name) => `\`${name}\``).join("<br>")} | ${why} |`

function renderPage(countPassed) {
  const modules = PLANS.flatMap((plan) => plan.modules.map((module) => countPassed(plan, module)))
  const passed = modules.reduce((sum, count) => sum + count, 0)
  return `# Conformance

What the OpenID Foundation's [conformance suite](https://openid.net/certification/) asks of relying parties, asked at every change. The modules and what has to come of them are the suite's; the provider that does what each of them says is [ours](../test/conformance/modules.ts). It is no certification: that is given by the Foundation, for a run of its own suite.

It is the built package that is asked: imported and required, in Express 5 and in Express 4, each in a process of its own. Each module meets a new application, which knows the issuer, the client's id and its secret, and discovers the rest. \`idToken: false\` makes it ask userinfo, by which the suite sees that an id_token was taken.

Looked at is what the person sees, whether there is a session, what the log says, which requests the provider gets in which order, and each of them: the parameters, PKCE with S256, \`client_secret_basic\` with an id and a secret that have to be encoded, the access token in a header.

${modules.length} modules in ${PARTIES.length} applications: ${passed} of ${modules.length * PARTIES.length} passed. \`npm run docs:conformance\` runs them and writes this page.

${PLANS.map((plan) => planSection(plan, countPassed)).join("\n")}
## Not offered

| Plan | Module | Why |
|---|---|---|
${NOT_OFFERED.map(notOfferedRow).join("\n")}
`
}

const args = process.argv.slice(2)
if (!args.includes("--check")) writeFileSync(PAGE, renderPage(countIn(runTests(args))))
if (readFileSync(PAGE, "utf8") !== renderPage(() => PARTIES.length)) {
  console.error("docs/conformance.md does not show every module as passed: npm run docs:conformance")
  process.exitCode = 1
}
