/**
 * Finds the configuration of an application: a module exports it, or the middleware receives it while the module is
 * loaded.
 *
 * @module
 */
import { subscribe } from "node:diagnostics_channel"
import { setTimeout } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import { createDeadline } from "../../base/timeout.js"
import { asError } from "../../errors/errors.js"
import type { AuthConfig } from "../../types.js"
import { installSandbox, type Sandbox } from "./sandbox.js"

export interface Loaded {
  /** The file that contains the configuration. */
  readonly module: string | undefined
  readonly configs: readonly AuthConfig[]
  readonly sandbox: Sandbox
  /** The names of the database writes that the application's start requested and that were suppressed. */
  readonly suppressedWrites: ReadonlySet<string>
  /** The files that could not be loaded, with the reasons. */
  readonly failures: readonly { readonly module: string; readonly reason: string }[]
}

/** Long enough for an application that first connects to its database. */
const CONFIG_TIMEOUT_MS = 10_000
/** A server usually starts to listen soon after the middleware is created. */
const SERVER_TIMEOUT_MS = 500
const POLL_INTERVAL_MS = 10

const EXPORTS = ["default", "authConfig", "config"]

function isConfig(value: unknown): value is AuthConfig {
  return typeof value === "object" && value !== null && Array.isArray(Reflect.get(value, "providers"))
}

/** Finds the configuration that a module exports. The exports of a CommonJS module are in its default export. */
function findExported(module: object): AuthConfig[] {
  const inner: unknown = Reflect.get(module, "default")
  const objects = [module, ...(typeof inner === "object" && inner !== null ? [inner] : [])]
  const found = objects.flatMap((object) => [object, ...EXPORTS.map((name): unknown => Reflect.get(object, name))])
  return found.filter(isConfig).slice(0, 1)
}

async function waitUntil(isDone: () => boolean, timeoutMs: number): Promise<void> {
  const isExpired = createDeadline(timeoutMs)
  // The timer does not keep the process alive; only the application's own work should.
  while (!isDone() && !isExpired()) await setTimeout(POLL_INTERVAL_MS, undefined, { ref: false })
}

/**
 * True if the application has pending work, which may still create the middleware. Pipes are ignored, because they
 * connect this process to the doctor.
 */
const isStarting = (): boolean => process.getActiveResourcesInfo().some((resource) => resource !== "PipeWrap")

interface Watch {
  readonly suppressedWrites: Set<string>
  readonly configs: AuthConfig[]
  /** The messages of uncaught errors. */
  readonly errors: string[]
  /** True if the application has called `process.exit`. */
  hasExited: boolean
  /** The number of servers that listened before the middleware was created, for example of a development provider. */
  earlierServers: number
}

/** Installs the sandbox, and watches the process for configurations and for uncaught errors. */
function watchProcess(runningPort: number | undefined): { watch: Watch; sandbox: Sandbox } {
  const watch: Watch = { suppressedWrites: new Set(), configs: [], errors: [], hasExited: false, earlierServers: 0 }
  const sandbox = installSandbox(() => {
    watch.hasExited = true
  }, runningPort)
  subscribe("latchkey.config", (message) => {
    const config: unknown = Reflect.get(Object(message), "config")
    if (!isConfig(config) || watch.configs.includes(config)) return
    watch.configs.push(config)
    watch.earlierServers = sandbox.listening().length
  })
  subscribe("latchkey.write", (message) => {
    watch.suppressedWrites.add(String(Reflect.get(Object(message), "write")))
    Reflect.set(Object(message), "isSuppressed", true)
  })
  for (const event of ["uncaughtException", "unhandledRejection"])
    process.on(event, (error: unknown) => void watch.errors.push(asError(error).message))
  return { watch, sandbox }
}

/** Loads one file, and waits until it has created the middleware and a server. */
async function loadOne(path: string, watch: Watch, sandbox: Sandbox): Promise<AuthConfig[]> {
  const module: unknown = await import(pathToFileURL(path).href)
  const exported = findExported(Object(module))
  if (exported.length > 0) return exported
  const hasStopped = () => watch.errors.length > 0 || watch.hasExited
  await waitUntil(() => watch.configs.length > 0 || hasStopped() || !isStarting(), CONFIG_TIMEOUT_MS)
  if (watch.configs.length > 0)
    await waitUntil(() => sandbox.listening().length > watch.earlierServers || hasStopped(), SERVER_TIMEOUT_MS)
  return watch.configs
}

/** Loads files in order until one of them provides a configuration. */
export async function load(paths: readonly string[], runningPort?: number): Promise<Loaded> {
  const { watch, sandbox } = watchProcess(runningPort)
  const failures: { module: string; reason: string }[] = []
  const toLoaded = (module: string | undefined, configs: readonly AuthConfig[]): Loaded => ({
    ...{ module, configs, sandbox, failures },
    suppressedWrites: watch.suppressedWrites,
  })
  for (const module of paths) {
    const errorsBefore = watch.errors.length
    try {
      const configs = await loadOne(module, watch, sandbox)
      if (configs.length > 0) return toLoaded(module, configs)
    } catch (error) {
      // The middleware throws if its configuration is invalid. The doctor reports the problems of that one too.
      if (watch.configs.length > 0) return toLoaded(module, watch.configs)
      failures.push({ module, reason: asError(error).message })
    }
    for (const reason of watch.errors.slice(errorsBefore)) failures.push({ module, reason })
  }
  return toLoaded(undefined, [])
}
