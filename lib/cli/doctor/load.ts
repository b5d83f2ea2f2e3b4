/**
 * How an application's configuration is found: as a module exports it, or as the middleware was given it while the
 * module was loaded.
 *
 * @module
 */
import { subscribe } from "node:diagnostics_channel"
import { setTimeout } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import { asError } from "../../errors.js"
import { createDeadline } from "../../timeout.js"
import type { AuthConfig } from "../../types.js"
import { standIn, type World } from "./stand-in.js"

export interface Loaded {
  /** The file that it was found in. */
  readonly module: string | undefined
  readonly configs: readonly AuthConfig[]
  readonly world: World
  /** Writes of the application's start that were not made. */
  readonly withheld: ReadonlySet<string>
  /** Of each file that failed. */
  readonly failures: readonly { readonly module: string; readonly reason: string }[]
}

/** An application may connect to its database before it is configured. */
const PATIENCE_MS = 10_000
/** A server that is going to listen does so soon after the configuration was read. */
const SERVER_PATIENCE_MS = 500
const PAUSE_MS = 10

const EXPORTS = ["default", "authConfig", "config"]

function isConfig(value: unknown): value is AuthConfig {
  return typeof value === "object" && value !== null && Array.isArray(Reflect.get(value, "providers"))
}

/** What a module exports that is a configuration; a CommonJS module has all of its exports in the default one. */
function exportedBy(module: object): AuthConfig[] {
  const inner: unknown = Reflect.get(module, "default")
  const places = [module, ...(typeof inner === "object" && inner !== null ? [inner] : [])]
  const found = places.flatMap((place) => [place, ...EXPORTS.map((name): unknown => Reflect.get(place, name))])
  return found.filter(isConfig).slice(0, 1)
}

async function until(isDone: () => boolean, patienceMs: number): Promise<void> {
  const isOver = createDeadline(patienceMs)
  // Not kept alive for our own sake: what is alive is the application's.
  while (!isDone() && !isOver()) await setTimeout(PAUSE_MS, undefined, { ref: false })
}

/** Does the application wait for something that may still configure it? The pipes are ours. */
const isAtWork = (): boolean => process.getActiveResourcesInfo().some((resource) => resource !== "PipeWrap")

interface Watch {
  readonly withheld: Set<string>
  readonly announced: AuthConfig[]
  readonly failed: string[]
  hasEnded: boolean
  /** Servers that listened before anything was configured: of a provider for development, for instance. */
  earlierServers: number
}

/** What happens beside the import: what is configured, and what fails without anybody's catching it. */
function watchProcess(runningPort: number | undefined): { watch: Watch; world: World } {
  const watch: Watch = { withheld: new Set(), announced: [], failed: [], hasEnded: false, earlierServers: 0 }
  const world = standIn(() => {
    watch.hasEnded = true
  }, runningPort)
  subscribe("latchkey.config", (message) => {
    const config: unknown = Reflect.get(Object(message), "config")
    if (!isConfig(config) || watch.announced.includes(config)) return
    watch.announced.push(config)
    watch.earlierServers = world.listening().length
  })
  subscribe("latchkey.write", (message) => {
    watch.withheld.add(String(Reflect.get(Object(message), "write")))
    Reflect.set(Object(message), "isWithheld", true)
  })
  for (const event of ["uncaughtException", "unhandledRejection"])
    process.on(event, (error: unknown) => void watch.failed.push(asError(error).message))
  return { watch, world }
}

/** Loads one file, and waits for what it begins. */
async function loadOne(path: string, watch: Watch, world: World): Promise<AuthConfig[]> {
  const module: unknown = await import(pathToFileURL(path).href)
  const exported = exportedBy(Object(module))
  if (exported.length > 0) return exported
  const isOver = () => watch.failed.length > 0 || watch.hasEnded
  await until(() => watch.announced.length > 0 || isOver() || !isAtWork(), PATIENCE_MS)
  if (watch.announced.length > 0)
    await until(() => world.listening().length > watch.earlierServers || isOver(), SERVER_PATIENCE_MS)
  return watch.announced
}

/** Loads files, one after the other, until one of them has a configuration. */
export async function load(paths: readonly string[], runningPort?: number): Promise<Loaded> {
  const { watch, world } = watchProcess(runningPort)
  const failures: { module: string; reason: string }[] = []
  const found = (module: string | undefined, configs: readonly AuthConfig[]): Loaded => ({
    ...{ module, configs, world, failures },
    withheld: watch.withheld,
  })
  for (const module of paths) {
    const before = watch.failed.length
    try {
      const configs = await loadOne(module, watch, world)
      if (configs.length > 0) return found(module, configs)
    } catch (error) {
      // The middleware says what is wrong with its configuration by throwing it: that is looked at all the same.
      if (watch.announced.length > 0) return found(module, watch.announced)
      failures.push({ module, reason: asError(error).message })
    }
    for (const reason of watch.failed.slice(before)) failures.push({ module, reason })
  }
  return found(undefined, [])
}
