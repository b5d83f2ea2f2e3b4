import { styleText } from "node:util"
import { defineCommand, EXIT, type Options, type Result, UsageError, type ValuesOf } from "./command.js"
import { findModule, MODULE_EXTENSIONS, MODULE_PATHS, runTask } from "./config-module.js"
import { type GroupedFinding, type Level, moduleFinding } from "./doctor/check.js"
import { withEnvFile } from "./files.js"

const OPTIONS = {
  url: { type: "string", value: "URL", help: "also check the running site: proxies, cookies, caches, HTTPS" },
  offline: { type: "boolean", help: "do not call providers, email servers or the site" },
  "write-test": {
    type: "boolean",
    help: "write one row to the database and delete it; without this option nothing is written",
  },
  "env-file": { type: "string", value: "FILE", help: "file from which missing variables are read; default: .env" },
} as const satisfies Options

function checkUrl(url: string | undefined): void {
  if (url !== undefined && !(URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)))
    throw new UsageError(
      `--url is ${JSON.stringify(url)}, which is not the address of a site: --url https://example.com`,
    )
}

const noModule = (): GroupedFinding =>
  moduleFinding(
    "module",
    {
      seen: `none of the files ${MODULE_PATHS.join(", ")} with the extension ${MODULE_EXTENSIONS.join(", ")}`,
      fix: "export const authConfig = { providers: […] } in auth.js, and app.use(authMiddleware(authConfig)) in the application\nor name the module: npx latchkey doctor MODULE",
    },
    "config-not-found",
  )

const COLOURS = { ok: "green", warning: "yellow", error: "red", skipped: "dim" } as const
const isProblem = ({ level }: GroupedFinding): boolean => level === "warning" || level === "error"

/** Adds the path of the documentation page to a problem. The path is the same in the package and in the repository. */
const withPage = (finding: GroupedFinding) =>
  isProblem(finding) ? { ...finding, page: `docs/errors/${finding.code}.md` } : finding

/** The width of the column with the level. */
const LEVEL_WIDTH = "skipped".length

/**
 * Formats a detail of a finding. The label is before the first line, and further lines are aligned with the first line.
 */
const formatDetail = (label: string, text = ""): string[] =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line, i) => `${" ".repeat(LEVEL_WIDTH + 4)}${styleText("dim", (i === 0 ? label : "").padEnd(7))}${line}`)

function formatFinding(finding: GroupedFinding): string[] {
  const { level, subject, cause, seen, fix, code } = finding
  const head = `  ${styleText(COLOURS[level], level.padEnd(LEVEL_WIDTH))}  ${subject}: ${cause}`
  if (!isProblem(finding)) return [head]
  const more = `npx latchkey explain ${code}`
  return [head, ...formatDetail("seen", seen), ...formatDetail("fix", fix), ...formatDetail("more", more)]
}

const pluralize = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

function toReport(findings: readonly GroupedFinding[], file: string | undefined): Result {
  const count = (level: Level): number => findings.filter((finding) => finding.level === level).length
  const groups = [...new Set(findings.map(({ group }) => group))].map((group) => {
    const lines = findings.filter((finding) => finding.group === group).flatMap(formatFinding)
    return [styleText("bold", group), ...lines].join("\n")
  })
  const [errors, warnings] = [count("error"), count("warning")]
  const summary = `${pluralize(errors, "error")}, ${pluralize(warnings, "warning")}, ${count("ok")} ok, ${count("skipped")} skipped`
  const colour = errors > 0 ? "red" : warnings > 0 ? "yellow" : "green"
  const parts = [...(file ? [`latchkey doctor checked ${file}`] : []), ...groups, styleText(colour, summary)]
  return {
    json: findings.map(withPage),
    text: parts.join("\n\n"),
    exitCode: errors > 0 ? EXIT.failed : EXIT.done,
  }
}

async function run(values: ValuesOf<typeof OPTIONS>, module: string | undefined, env: NodeJS.ProcessEnv) {
  const { url, offline, "write-test": mayWrite, "env-file": envFile } = values
  checkUrl(url)
  const [file, allVariables] = [findModule(module), withEnvFile(env, envFile)]
  if (file === undefined) return toReport([noModule()], undefined)
  const answer = await runTask(file, { name: "check", options: { isOffline: offline, mayWrite, url } }, allVariables)
  return toReport("finding" in answer ? [answer.finding] : (answer.result.findings ?? []), file)
}

/** `npx latchkey doctor` */
export const doctorCommand = defineCommand({
  summary: "checks your configuration against the running system",
  about: "Checks a configuration against the running system: providers, database, email, proxies, cookies.",
  more: `MODULE exports the configuration as authConfig, config or default. Without MODULE, the command loads the first of these files that exists: ${MODULE_PATHS.join(", ")}, with the extension ${MODULE_EXTENSIONS.join(", ")}.\nThe module is loaded in a separate process, which ends with the report. Your application is not started.\nThe exit code is 1 if there is an error.`,
  operands: { usage: "[MODULE]", max: 1 },
  options: OPTIONS,
  run: ({ values, operands: [module], terminal }) => run(values, module, { ...terminal.env }),
})
