import { existsSync } from "node:fs"
import { relative, resolve } from "node:path"
import { defineCommand, EXIT, type Options, type Result, UsageError, type ValuesOf } from "./command.js"
import { askChild } from "./doctor/ask-child.js"
import type { Diagnosis } from "./doctor/child.js"
import type { GroupedFinding } from "./doctor/examination.js"
import { candidatesIn, isTypeScript } from "./doctor/find-module.js"
import { countOf, toReport, withPage } from "./doctor/report.js"
import { withEnvFile } from "./environment.js"

const OPTIONS = {
  url: { type: "string", value: "URL", help: "looks at the running site too: proxies, cookies, caches, HTTPS" },
  offline: { type: "boolean", help: "asks no provider, no mail server and no site" },
  "write-test": { type: "boolean", help: "writes one row into the store, and deletes it; nothing is written without" },
  "env-file": { type: "string", value: "FILE", help: "variables that are not set already; .env when not given" },
} as const satisfies Options

type Values = ValuesOf<typeof OPTIONS>

function checkUrl(url: string | undefined): void {
  if (url !== undefined && !(URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)))
    throw new UsageError(`--url is ${JSON.stringify(url)}, which is no address of a site: --url https://example.com`)
}

function modulesFor(given: string | undefined): string[] {
  if (given === undefined) return candidatesIn(resolve())
  if (!existsSync(given)) throw new UsageError(`there is no file ${JSON.stringify(given)}`)
  return [resolve(given)]
}

const shown = (path: string): string => relative("", path) || path

/** Why nothing was found to look at. */
function absence({ failures }: Diagnosis, modules: readonly string[]): GroupedFinding {
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
      cause: "this Node.js does not load TypeScript by itself",
      seen: `${shown(failed.module)}: ${failed.reason}`,
      write: "npm install --save-dev tsx\nor, after your build: npx latchkey doctor dist/auth.js",
    }
  if (failed)
    return {
      ...finding,
      code: "module-failed",
      cause: "the application could not be loaded",
      seen: failures.map(({ module, reason }) => `${shown(module)}: ${reason}`).join("\n"),
      write: "npx latchkey doctor FILE, with the file that calls authMiddleware or exports its configuration",
    }
  return {
    ...finding,
    code: "config-not-found",
    cause: "no configuration was found",
    seen:
      modules.length > 0 ? `looked into ${modules.map(shown).join(", ")}` : "no auth.js, server.js, app.js or index.js",
    write: "npx latchkey doctor FILE, with the file that calls authMiddleware or exports its configuration",
  }
}

/** Several configurations of one application are told apart by their number. */
const numbered = (findings: Diagnosis["findings"]): GroupedFinding[] =>
  findings.flatMap((of, index) =>
    findings.length === 1 ? of : of.map((finding) => ({ ...finding, group: `${index + 1}. ${finding.group}` })),
  )

async function run(values: Values, given: string | undefined, env: NodeJS.ProcessEnv): Promise<Result> {
  const { url, offline, "write-test": writes, "env-file": file } = values
  checkUrl(url)
  const modules = modulesFor(given)
  const options = { isOffline: offline, ...(url !== undefined && { url }), ...(writes && { mayWrite: true }) }
  const diagnosis = await askChild({ folder: resolve(), modules, options }, withEnvFile(env, file))
  const findings = diagnosis.module ? numbered(diagnosis.findings) : [absence(diagnosis, modules)]
  return {
    json: findings.map(withPage),
    text: toReport(findings, diagnosis.module && shown(diagnosis.module)),
    exitCode: countOf(findings, "error") > 0 ? EXIT.failed : EXIT.done,
  }
}

/** `npx latchkey doctor` */
export const doctorCommand = defineCommand({
  summary: "checks the application's configuration against reality",
  about:
    "Loads the application's configuration and checks it against reality: providers, store, mail, proxies, cookies.",
  more: "FILE exports the configuration, or calls authMiddleware. Without it: auth.js, auth.config.js, then the application itself.\nNothing is served and nothing stays: the file is loaded in a process that ends with the report.\nExit code 1 when there is an error.",
  operands: { shown: "[FILE]", most: 1 },
  options: OPTIONS,
  run: ({ values, operands: [file], terminal }) => run(values, file, { ...terminal.env }),
})
