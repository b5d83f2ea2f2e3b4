import { existsSync } from "node:fs"
import { relative, resolve } from "node:path"
import { defineCommand, EXIT, type Options, type Result, UsageError, type ValuesOf } from "./command.js"
import { askChild } from "./doctor/ask-child.js"
import type { Diagnosis } from "./doctor/child.js"
import { isTypeScript, listCandidates } from "./doctor/find-module.js"
import { countLevel, toReport, withPage } from "./doctor/report.js"
import type { GroupedFinding } from "./doctor/run-checks.js"
import { withEnvFile } from "./environment.js"

const OPTIONS = {
  url: { type: "string", value: "URL", help: "also check the running site: proxies, cookies, caches, HTTPS" },
  offline: { type: "boolean", help: "do not call providers, email servers or the site" },
  "write-test": {
    type: "boolean",
    help: "write one row to the database and delete it; without this option nothing is written",
  },
  "env-file": { type: "string", value: "FILE", help: "file with variables that are not set yet; default: .env" },
} as const satisfies Options

type Values = ValuesOf<typeof OPTIONS>

function checkUrl(url: string | undefined): void {
  if (url !== undefined && !(URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)))
    throw new UsageError(
      `--url is ${JSON.stringify(url)}, which is not the address of a site: --url https://example.com`,
    )
}

function modulesFor(given: string | undefined): string[] {
  if (given === undefined) return listCandidates(resolve())
  if (!existsSync(given)) throw new UsageError(`there is no file ${JSON.stringify(given)}`)
  return [resolve(given)]
}

const relativePath = (path: string): string => relative("", path) || path

/** The finding for a missing configuration. */
function missingConfiguration({ failures }: Diagnosis, modules: readonly string[]): GroupedFinding {
  const finding = { group: "Configuration", level: "error", subject: "application" } as const
  const [failed] = failures
  if (
    failed &&
    isTypeScript(failed.module) &&
    /Unknown file extension|Cannot find module|Unexpected/.test(failed.reason)
  )
    return {
      ...finding,
      code: "module-failed",
      cause: "this version of Node.js can't load TypeScript",
      seen: `${relativePath(failed.module)}: ${failed.reason}`,
      fix: "npm install --save-dev tsx\nor, after your build: npx latchkey doctor dist/auth.js",
    }
  if (failed)
    return {
      ...finding,
      code: "module-failed",
      cause: "the application could not be loaded",
      seen: failures.map(({ module, reason }) => `${relativePath(module)}: ${reason}`).join("\n"),
      fix: "npx latchkey doctor FILE, with the file that calls authMiddleware or exports its configuration",
    }
  return {
    ...finding,
    code: "config-not-found",
    cause: "no configuration was found",
    seen:
      modules.length > 0
        ? `checked ${modules.map(relativePath).join(", ")}`
        : "no auth.js, server.js, app.js or index.js",
    fix: "npx latchkey doctor FILE, with the file that calls authMiddleware or exports its configuration",
  }
}

/** Numbers the findings if the application has several configurations. */
const withNumbers = (findings: Diagnosis["findings"]): GroupedFinding[] =>
  findings.flatMap((list, index) =>
    findings.length === 1 ? list : list.map((finding) => ({ ...finding, group: `${index + 1}. ${finding.group}` })),
  )

async function run(values: Values, given: string | undefined, env: NodeJS.ProcessEnv): Promise<Result> {
  const { url, offline, "write-test": writes, "env-file": file } = values
  checkUrl(url)
  const modules = modulesFor(given)
  const options = { isOffline: offline, ...(url !== undefined && { url }), ...(writes && { mayWrite: true }) }
  const diagnosis = await askChild({ folder: resolve(), modules, options }, withEnvFile(env, file))
  const findings = diagnosis.module ? withNumbers(diagnosis.findings) : [missingConfiguration(diagnosis, modules)]
  return {
    json: findings.map(withPage),
    text: toReport(findings, diagnosis.module && relativePath(diagnosis.module)),
    exitCode: countLevel(findings, "error") > 0 ? EXIT.failed : EXIT.done,
  }
}

/** `npx latchkey doctor` */
export const doctorCommand = defineCommand({
  summary: "checks your configuration against the running system",
  about:
    "Loads the application's configuration and checks it against the running system: providers, database, email, proxies, cookies.",
  more: "FILE exports the configuration or calls authMiddleware. Default: auth.js, auth.config.js, then the application itself.\nThe file is loaded in a separate process, which serves no requests and ends with the report.\nThe exit code is 1 if there is an error.",
  operands: { usage: "[FILE]", max: 1 },
  options: OPTIONS,
  run: ({ values, operands: [file], terminal }) => run(values, file, { ...terminal.env }),
})
