/**
 * The child process in which an application is loaded and checked. Everything that the application starts ends with it.
 *
 * @module
 */

import { checkConfig } from "../../config/check.js"
import { DEFAULT_BASE_PATH } from "../../config/defaults.js"
import { dropMistypedOptions } from "../../config/option-types.js"
import { asError } from "../../errors/errors.js"
import { printable } from "../../logging/redact.js"
import { createRuntime } from "../../runtime/runtime.js"
import type { AuthConfig } from "../../types.js"
import type { DoctorContext, DoctorOptions } from "./context.js"
import { masked } from "./finding.js"
import { type Loaded, load } from "./load.js"
import { createMask } from "./mask.js"
import { type GroupedFinding, runChecks } from "./run-checks.js"
import { findSignIn, type SignInSearch } from "./site.js"

/** The request of the command to this process. */
export interface Task {
  readonly folder: string
  readonly modules: readonly string[]
  readonly options: DoctorOptions
}

/** The response of this process. */
export interface Diagnosis {
  readonly module: string | undefined
  /** The findings of each configuration, in the order in which the configurations were read. */
  readonly findings: readonly (readonly GroupedFinding[])[]
  readonly failures: Loaded["failures"]
}

/** The sign-in found on a server of the application, and the port that the application requested for the server. */
interface MountedSignIn {
  readonly found: SignInSearch | undefined
  readonly port: number | undefined
}

/** Requests the sign-in from all servers, which may include a development provider. Returns the one that has it, or the last. */
async function findMounted(sandbox: Loaded["sandbox"], basePath: string | undefined): Promise<MountedSignIn> {
  const requests = sandbox.listening().map(async ({ origin, requestedPort }) => {
    const found = await findSignIn(origin, basePath).catch(() => undefined)
    return { found, port: requestedPort }
  })
  const results = await Promise.all(requests)
  const signIn = results.find(({ found }) => found && "base" in found)
  return signIn ?? results.at(-1) ?? { found: undefined, port: undefined }
}

function toDoctorContext(
  config: AuthConfig,
  { folder, options, suppressedWrites }: Task & Pick<Loaded, "suppressedWrites">,
): Omit<DoctorContext, "base" | "mounted"> {
  const { env } = process
  // Without a log, because the application's own runtime has already logged these messages.
  const logger = { error() {}, warn() {}, debug() {} }
  const runtime = createRuntime({ ...config, logger }, env)
  const { config: resolved, problems } = runtime
  const { warnings } = checkConfig(dropMistypedOptions(config).config, resolved)
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
    suppressedWrites,
  }
}

/** Returns the URL of the sign-in: the origin from AUTH_URL or --url, and the path at which the sign-in answers. */
function findBase(
  { resolved, options }: Omit<DoctorContext, "base" | "mounted">,
  { found, port = 3000 }: MountedSignIn,
): string {
  const origin = resolved.canonicalOrigin ?? (options.url ? new URL(options.url).origin : `http://localhost:${port}`)
  const path = found && "base" in found ? new URL(found.base).pathname : (resolved.basePath ?? DEFAULT_BASE_PATH)
  return origin + path
}

function createContextMask({
  resolved,
  env,
  providers,
}: Omit<DoctorContext, "base" | "mounted">): (text: string) => string {
  const providerSecrets = providers.flatMap((provider) =>
    Object.entries({ ...provider, ...provider.options }).filter(([name]) => /secret|key|server|token/i.test(name)),
  )
  const mask = createMask([
    ...resolved.secrets.map((secret) => ["secret", secret] as const),
    ...providerSecrets,
    ...Object.entries(env),
  ])
  return (text) => mask(text.split("\n").map(printable).join("\n"))
}

const readPort = (url: string | undefined): number | undefined => (url && Number(new URL(url).port)) || undefined

async function diagnose(task: Task): Promise<Diagnosis> {
  const { module, configs, sandbox, suppressedWrites, failures } = await load(task.modules, readPort(task.options.url))
  const findings = configs.map(async (config) => {
    const context = toDoctorContext(config, { ...task, suppressedWrites })
    const mounted = await findMounted(sandbox, context.resolved.basePath)
    const found = await runChecks({ ...context, mounted: mounted.found, base: findBase(context, mounted) })
    const mask = createContextMask(context)
    return found.map((finding) => masked(finding, mask))
  })
  const mask = createMask(Object.entries(process.env))
  const maskedFailures = failures.map(({ module, reason }) => ({ module, reason: mask(printable(reason)) }))
  return { module, findings: await Promise.all(findings), failures: maskedFailures }
}

process.once("message", (task: Task) => {
  // Keep the process alive until the parent kills it.
  process.channel?.ref()
  // The application may send messages of its own.
  void diagnose(task).then(
    (diagnosis) => process.send?.({ diagnosis }),
    // Send the failure, because the application's own error handlers could keep this process alive.
    (error: unknown) => process.send?.({ failure: asError(error).message }),
  )
})
