/**
 * Runs the modules of the OpenID Foundation's conformance suite for relying parties in `test/conformance`, and writes
 * their results to `docs/conformance.md`; arguments are passed to Jest. With `--check` it runs nothing. It fails if the
 * page is not that of a run in which every module passed.
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

/** Loads the tables of the tests. */
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

/** Runs the modules, and returns Jest's results. */
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

/** Counts the applications in which a module passed. */
const countIn = (tests) => (plan, module) =>
  tests.filter(
    ({ ancestorTitles, title, status }) =>
      ancestorTitles[1] === plan.name && title === titleOf(module) && status === "passed",
  ).length

const RESULTS = { "sign in": "signs in", "sign out": "signs out", refresh: "refreshes", refuse: "refuses" }

/** What latchkey does, and how that differs from an ordinary pass. */
function resultOf({ must, does, shows }, passed) {
  const result = RESULTS[does]
  const remarks = [
    must === "either" && "signing in is allowed too",
    shows && `the suite reports a refusal as ${shows}`,
    passed < PARTIES.length && `**failed**, ${passed} of ${PARTIES.length}`,
  ]
  return [result, ...remarks.filter(Boolean)].join("; ")
}

const moduleTable = (plan, countPassed) =>
  [
    "| Module | Condition | latchkey |",
    "|---|---|---|",
    ...plan.modules.map(
      (module) => `| \`${module.name}\` | ${module.given} | ${resultOf(module, countPassed(plan, module))} |`,
    ),
  ].join("\n")

function planSection(plan, countPassed) {
  const hasFailed = plan.modules.some((module) => countPassed(plan, module) < PARTIES.length)
  const result =
    plan.sameModulesAs && !hasFailed
      ? `The ${plan.modules.length} modules of "${plan.sameModulesAs}" have the same results.`
      : moduleTable(plan, countPassed)
  return `## ${plan.title}\n\n\`${plan.name}\`\n\n${result}\n`
}

const notOfferedRow = ({ plan, why, modules }) =>
  `| \`${plan}\` | ${modules.map((name) => `\`${name}\``).join("<br>")} | ${why} |`

function renderPage(countPassed) {
  const modules = PLANS.flatMap((plan) => plan.modules.map((module) => countPassed(plan, module)))
  const passed = modules.reduce((sum, count) => sum + count, 0)
  return `# Conformance

The OpenID Foundation's [conformance suite](https://openid.net/certification/) for relying parties consists of modules. In each module, a provider responds in a different way, and the relying party must sign in or refuse. \`test/conformance\` in the repository reproduces these modules with its own provider at every change, and this page lists the results. They are not a certification, which requires a run of the Foundation's own suite.

Each module runs in four applications: the built package with \`import\` and with \`require\`, each in Express 5 and Express 4. For each module a new application starts, configured with the issuer, the client id and the client secret. Each test checks the page, the session, the log, and the requests to the provider.

- **Sign-in:** the application sets \`idToken: false\`, and so requests userinfo after it has accepted an id_token. This request proves the acceptance.
- **Logout:** two browsers sign in, and one of them signs out. Meanwhile the provider posts a logout token.
- **Refresh tokens:** the application calls the userinfo endpoint with \`req.authorizedFetch()\` after the access token has expired.
- **FAPI 2.0:** the modules run with the suite's variants \`plain_fapi\`, \`private_key_jwt\`, \`dpop\` and \`oidc\`. The application sets \`dpop: true\`, and the provider verifies each client assertion and DPoP proof.

${modules.length} modules in ${PARTIES.length} applications: ${passed} of ${modules.length * PARTIES.length} passed. \`npm run docs:conformance\` runs the modules and writes this page.

${PLANS.map((plan) => planSection(plan, countPassed)).join("\n")}
## Not offered

| Plan | Module | Reason |
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
