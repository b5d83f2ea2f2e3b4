/**
 * The process in which an application is loaded and looked at: whatever it starts ends with it.
 *
 * @module
 */

import { checkConfig } from "../../config/check.js"
import { DEFAULT_BASE_PATH } from "../../config/defaults.js"
import { withoutMisfits } from "../../config/misfits.js"
import { asError } from "../../errors.js"
import { printable } from "../../redact.js"
import { createRuntime } from "../../runtime.js"
import type { AuthConfig } from "../../types.js"
import { examine, type GroupedFinding } from "./examination.js"
import type { DoctorOptions, Examined } from "./examined.js"
import { masked } from "./finding.js"
import { type Loaded, load } from "./load.js"
import { createMask } from "./mask.js"
import { type Found, findSignIn } from "./site.js"

/** What the command asks of this process. */
export interface Task {
  readonly folder: string
  readonly modules: readonly string[]
  readonly options: DoctorOptions
}

/** What this process answers. */
export interface Diagnosis {
  readonly module: string | undefined
  /** Of each configuration of the application, in the order in which they were read. */
  readonly findings: readonly (readonly GroupedFinding[])[]
  readonly failures: Loaded["failures"]
}

/** What a server of the application answered, and the port that it is known by. */
interface Mounted {
  readonly found: Found | undefined
  readonly port: number | undefined
}

/** Of several servers, a provider for development among them perhaps, the one that has the sign-in; else the last. */
async function askMounted(world: Loaded["world"], basePath: string | undefined): Promise<Mounted> {
  const asked = world.listening().map(async ({ origin, askedPort }) => {
    const found = await findSignIn(origin, basePath).catch(() => undefined)
    return { found, port: askedPort }
  })
  const answers = await Promise.all(asked)
  const own = answers.find(({ found }) => found && "base" in found)
  return own ?? answers.at(-1) ?? { found: undefined, port: undefined }
}

function toExamined(
  config: AuthConfig,
  { folder, options, withheld }: Task & Pick<Loaded, "withheld">,
): Omit<Examined, "base" | "mounted"> {
  const { env } = process
  // What the application's own runtime says, it has said already.
  const logger = { error() {}, warn() {}, debug() {} }
  const runtime = createRuntime({ ...config, logger }, env)
  const { config: resolved, problems } = runtime
  const { warnings } = checkConfig(withoutMisfits(config).config, resolved)
  return {
    config,
    runtime,
    resolved,
    problems,
    warnings,
    providers: resolved.providers,
    env,
    options,
    folder,
    withheld,
  }
}

/** Where people sign in: the address that was given, or the application's own; below the path where it answers. */
function baseOf({ resolved, options }: Omit<Examined, "base" | "mounted">, { found, port = 3000 }: Mounted): string {
  const origin = resolved.canonicalOrigin ?? (options.url ? new URL(options.url).origin : `http://localhost:${port}`)
  const path = found && "base" in found ? new URL(found.base).pathname : (resolved.basePath ?? DEFAULT_BASE_PATH)
  return origin + path
}

function maskFor({ resolved, env, providers }: Omit<Examined, "base" | "mounted">): (text: string) => string {
  const ofProviders = providers.flatMap((provider) =>
    Object.entries({ ...provider, ...provider.options }).filter(([name]) => /secret|key|server|token/i.test(name)),
  )
  const mask = createMask([
    ...resolved.secrets.map((secret) => ["secret", secret] as const),
    ...ofProviders,
    ...Object.entries(env),
  ])
  return (text) => mask(text.split("\n").map(printable).join("\n"))
}

const portOf = (url: string | undefined): number | undefined => (url && Number(new URL(url).port)) || undefined

async function diagnose(task: Task): Promise<Diagnosis> {
  const { module, configs, world, withheld, failures } = await load(task.modules, portOf(task.options.url))
  const findings = configs.map(async (config) => {
    const at = toExamined(config, { ...task, withheld })
    const mounted = await askMounted(world, at.resolved.basePath)
    const found = await examine({ ...at, mounted: mounted.found, base: baseOf(at, mounted) })
    const mask = maskFor(at)
    return found.map((finding) => masked(finding, mask))
  })
  const mask = createMask(Object.entries(process.env))
  const told = failures.map(({ module, reason }) => ({ module, reason: mask(printable(reason)) }))
  return { module, findings: await Promise.all(findings), failures: told }
}

process.once("message", (task: Task) => {
  // Until it is ended from outside.
  process.channel?.ref()
  // Sent before anything of the application's own, which may speak here too.
  void diagnose(task).then(
    (diagnosis) => process.send?.({ diagnosis }),
    // The application's own handlers of failures would keep it from ending this process.
    (error: unknown) => process.send?.({ failure: asError(error).message }),
  )
})
