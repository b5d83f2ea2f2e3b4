/**
 * The child process in which a module of the application is loaded. Everything that the module starts ends with it.
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
import { type DoctorOptions, type GroupedFinding, masked, moduleFinding } from "./doctor/check.js"
import { createMask } from "./doctor/mask.js"
import { runChecks } from "./doctor/run-checks.js"
import { type SealedTokens, sealTokens } from "./seal-tokens.js"
import { oneLine } from "./text.js"

/** What this process does with the configuration that a module exports. */
export type ConfigTask =
  | { readonly name: "check"; readonly options: DoctorOptions }
  | { readonly name: "migrate"; readonly isPrinted: boolean; readonly sealsTokens: boolean }

/** The request of a command to this process. */
export interface ConfigRequest {
  /** The absolute path of the module. */
  readonly module: string
  readonly task: ConfigTask
}

/** The answer: the result of the task, or the finding about a module that exports no configuration. */
export type ConfigAnswer = { readonly result: ConfigResult } | { readonly finding: GroupedFinding }

export interface ConfigResult {
  /** The findings of the task "check". */
  readonly findings?: readonly GroupedFinding[]
  /** The options whose tables the task "migrate" has created. */
  readonly migrated?: readonly string[]
  /** The SQL of the task "migrate", if it is only printed. */
  readonly sql?: string
  /** The numbers of accounts whose tokens the task "migrate" has moved. */
  readonly tokens?: SealedTokens
}

/** Long enough for a module that first connects to its database. */
const LOAD_TIMEOUT_MS = 10_000

const EXPORTS = ["default", "authConfig", "config"]

const EXPORT_LINES =
  "export const authConfig = { providers: […] }\nor in CommonJS: module.exports = { authConfig: { providers: […] } }"

const isConfig = (value: unknown): value is AuthConfig =>
  typeof value === "object" && value !== null && "providers" in value

/** Finds the configuration that a module exports. The exports of a CommonJS module are in its default export. */
function findExported(module: object): AuthConfig | undefined {
  const objects = [module, Object(Reflect.get(module, "default"))]
  return objects.flatMap((exports) => EXPORTS.map((name): unknown => Reflect.get(exports, name))).find(isConfig)
}

function describeFailure(file: string, thrown: unknown): GroupedFinding {
  const { message: seen } = asError(thrown)
  const isUnsupported = thrown instanceof SyntaxError || /^ERR_/.test(Object(thrown).code)
  if (!/\.[mc]?ts$/.test(file) || !isUnsupported)
    return moduleFinding(file, { seen, fix: `in a file that starts nothing: ${EXPORT_LINES}` })
  return moduleFinding(file, {
    cause: `Node.js ${process.versions.node} can't load this TypeScript module`,
    seen,
    fix: `npm install --save-dev tsx\nNODE_OPTIONS=--import=tsx npx latchkey doctor ${file}\nor the compiled module: npx latchkey doctor dist/auth.js`,
  })
}

async function loadConfig(path: string): Promise<{ config: AuthConfig } | { finding: GroupedFinding }> {
  const file = relative("", path)
  const imported: Promise<object> = import(pathToFileURL(path).href)
  const timeout = `not loaded within ${LOAD_TIMEOUT_MS / 1000} s: its top-level await does not end`
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

/** Suppresses the writes that a module requests, such as `await adapter.migrate()`, and returns their names. */
function suppressWrites(): ReadonlySet<string> {
  const writes = new Set<string>()
  subscribe("latchkey.write", (message) => {
    writes.add(String(Reflect.get(Object(message), "write")))
    Reflect.set(Object(message), "isSuppressed", true)
  })
  return writes
}

/** Calls `migrate`, or `migrationSql`, of the adapter and the store that have it, and moves provider tokens. */
async function migrate(
  config: AuthConfig,
  { isPrinted, sealsTokens }: Extract<ConfigTask, { readonly name: "migrate" }>,
): Promise<ConfigResult> {
  const { adapter, store } = config
  const name = isPrinted ? "migrationSql" : "migrate"
  const parts = Object.entries({ adapter, store }).filter(
    ([, part]) => typeof Reflect.get(Object(part), name) === "function",
  )
  const results: unknown[] = []
  for (const [, part] of parts) results.push(await Reflect.get(Object(part), name).call(part))
  const tokens = sealsTokens ? await sealTokens(requireRuntime(config)) : undefined
  return {
    migrated: parts.map(([option]) => option),
    ...(isPrinted && { sql: results.join("\n") }),
    ...(tokens && { tokens }),
  }
}

async function answer({ module, task }: ConfigRequest): Promise<ConfigAnswer> {
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
  void answer(request).then((given) =>
    process.send?.({ answer: "finding" in given ? { finding: masked(given.finding, mask) } : given }),
  )
})
