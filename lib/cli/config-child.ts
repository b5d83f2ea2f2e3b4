/**
 * The child process that loads the application's configuration. Everything that the loaded module starts, such as a
 * server, ends with this process.
 *
 * @module
 */

import { subscribe } from "node:diagnostics_channel"
import { relative } from "node:path"
import { pathToFileURL } from "node:url"
import { withTimeout } from "../base/timeout.js"
import type { AuthConfig } from "../config/auth-config.js"
import { asError } from "../errors/errors.js"
import { requireRuntime } from "../runtime/runtime.js"
import { type DoctorOptions, type GroupedFinding, maskFinding, moduleFinding } from "./doctor/check.js"
import { createMask } from "./doctor/mask.js"
import { runChecks } from "./doctor/run-checks.js"
import { type SealedTokens, sealTokens } from "./seal-tokens.js"
import { oneLine } from "./text.js"

/** The task of this process, for the configuration that the module exports. */
export type ConfigTask =
  | { readonly name: "check"; readonly options: DoctorOptions }
  | { readonly name: "migrate"; readonly isPrinted: boolean; readonly sealsTokens: boolean }

/** The message from a command to this process. */
export interface ConfigRequest {
  /** The absolute path of the module. */
  readonly module: string
  readonly task: ConfigTask
}

/** The answer of this process: the result of the task, or a finding that explains why the task failed. */
export type ConfigAnswer = { readonly result: ConfigResult } | { readonly finding: GroupedFinding }

export interface ConfigResult {
  /** The findings of the task "check". */
  readonly findings?: readonly GroupedFinding[]
  /** The options, "adapter" or "store", whose tables the task "migrate" has created or printed. */
  readonly migrated?: readonly string[]
  /** The SQL of the task "migrate" if `isPrinted` is true. */
  readonly sql?: string
  /** How many accounts the task "migrate" has processed, if `sealsTokens` is true. */
  readonly tokens?: SealedTokens
}

/** Time limit for loading the module, which may connect to its database first. */
const LOAD_TIMEOUT_MS = 10_000

/** The names of the export that contains the configuration. */
const EXPORT_NAMES = ["default", "authConfig", "config"]

const EXPORT_LINES =
  "export const authConfig = { providers: […] }\nor in CommonJS: module.exports = { authConfig: { providers: […] } }"

const isConfig = (value: unknown): value is AuthConfig =>
  typeof value === "object" && value !== null && "providers" in value

/**
 * Returns the configuration that a module exports; undefined if there is none. The members of the default export are
 * searched too, because Node.js puts the exports of a CommonJS module there.
 */
function findExported(module: object): AuthConfig | undefined {
  const objects = [module, Object(Reflect.get(module, "default"))]
  return objects.flatMap((exports) => EXPORT_NAMES.map((name): unknown => Reflect.get(exports, name))).find(isConfig)
}

function describeFailure(file: string, thrown: unknown): GroupedFinding {
  const { message: seen } = asError(thrown)
  const isUnsupported = thrown instanceof SyntaxError || /^ERR_/.test(Object(thrown).code)
  if (!/\.[mc]?ts$/.test(file) || !isUnsupported)
    return moduleFinding(file, { seen, fix: `export only the configuration from this module: ${EXPORT_LINES}` })
  return moduleFinding(file, {
    cause: `Node.js ${process.versions.node} can't load this TypeScript module`,
    seen,
    fix: "npm install --save-dev tsx\nand run the command with NODE_OPTIONS=--import=tsx\nor with the compiled module, such as dist/auth.js",
  })
}

async function loadConfig(path: string): Promise<{ config: AuthConfig } | { finding: GroupedFinding }> {
  const file = relative("", path)
  const imported: Promise<object> = import(pathToFileURL(path).href)
  const timeout = `not loaded within ${LOAD_TIMEOUT_MS / 1000} s: a top-level await in the module does not settle`
  try {
    const module = await withTimeout(imported, LOAD_TIMEOUT_MS, timeout)
    const config = findExported(module)
    if (config) return { config }
    const seen = `exports: ${Object.keys(module).join(", ") || "none"}`
    return { finding: moduleFinding(file, { seen, fix: EXPORT_LINES }, "config-not-found") }
  } catch (error) {
    return { finding: describeFailure(file, error) }
  }
}

/**
 * Suppresses writes of this package that a module starts, such as `await adapter.migrate()`. Writes of other packages
 * are not suppressed. Returns a set, to which the name of each suppressed write is added.
 */
function suppressWrites(): ReadonlySet<string> {
  const writes = new Set<string>()
  subscribe("latchkey.write", (message) => {
    writes.add(String(Reflect.get(Object(message), "write")))
    Reflect.set(Object(message), "isSuppressed", true)
  })
  return writes
}

/**
 * Calls the method `migrate` of the adapter and of the store, or `migrationSql` if `isPrinted` is true. An adapter or
 * store without the method is skipped. Then moves provider tokens if `sealsTokens` is true.
 */
async function migrate(
  config: AuthConfig,
  { isPrinted, sealsTokens }: Extract<ConfigTask, { readonly name: "migrate" }>,
): Promise<ConfigResult> {
  const { adapter, store } = config
  const method = isPrinted ? "migrationSql" : "migrate"
  const targets = Object.entries({ adapter, store }).filter(
    ([, target]) => typeof Reflect.get(Object(target), method) === "function",
  )
  const results: unknown[] = []
  for (const [, target] of targets) results.push(await Reflect.get(Object(target), method).call(target))
  const tokens = sealsTokens ? await sealTokens(requireRuntime(config)) : undefined
  return {
    migrated: targets.map(([option]) => option),
    ...(isPrinted && { sql: results.join("\n") }),
    ...(tokens && { tokens }),
  }
}

async function handleRequest({ module, task }: ConfigRequest): Promise<ConfigAnswer> {
  const suppressedWrites: ReadonlySet<string> = task.name === "check" ? suppressWrites() : new Set()
  const loaded = await loadConfig(module)
  if ("finding" in loaded) return loaded
  try {
    if (task.name === "migrate") return { result: await migrate(loaded.config, task) }
    return { result: { findings: await runChecks(loaded.config, { options: task.options, suppressedWrites }) } }
  } catch (error) {
    const [file, seen] = [relative("", module), oneLine(error)]
    if (task.name === "migrate") {
      const cause = task.sealsTokens && { cause: "The tokens were not moved" }
      return { finding: moduleFinding(file, { seen, ...cause }, "adapter-failed") }
    }
    const cause = "The configuration can't be read"
    return { finding: moduleFinding(file, { cause, seen, fix: "remove the option that throws when it is read" }) }
  }
}

process.once("message", (request: ConfigRequest) => {
  // Keep the process alive until the parent kills it.
  process.channel?.ref()
  const mask = createMask(Object.entries(process.env))
  void handleRequest(request).then((answer) =>
    process.send?.({ answer: "finding" in answer ? { finding: maskFinding(answer.finding, mask) } : answer }),
  )
})
