import { channel } from "node:diagnostics_channel"
import type { Adapter } from "./adapters/adapter.js"
import { bindAdapter } from "./adapters/bind.js"
import { createCallbacks, createEmit, createRequireHandled, type Emit, type ReadyCallbacks } from "./callbacks.js"
import { checkConfig } from "./config/check.js"
import { configText } from "./config/config-text.js"
import type { Env } from "./config/env.js"
import type { ConfigWarning } from "./config/finding.js"
import { withoutMisfits } from "./config/misfits.js"
import { type ResolvedConfig, resolveConfig } from "./config/resolve.js"
import { asError, type ConfigProblem, ConfigurationError, configProblem } from "./errors.js"
import { type CookieSet, createCookieSet } from "./http/cookies.js"
import { createTurns, type InTurn } from "./in-turn.js"
import { createLogger, type FailureRecord, type Logger } from "./logger.js"
import { METHODS } from "./methods/index.js"
import type { ReadyProvider, SignInMethod } from "./methods/method.js"
import { createMails, type Mails } from "./pages/mail.js"
import { createPages, type Pages } from "./pages/render.js"
import { createLanguages, type Languages } from "./pages/texts.js"
import type { ProviderObject } from "./providers/provider.js"
import { createKeyring, type Keyring } from "./security/keys.js"
import { createLimits, type Limits } from "./security/limits.js"
import { createOnceSet, type OnceSet } from "./security/once-set.js"
import { createRecent, type Recent } from "./security/recent.js"
import { createDatabaseSessions } from "./sessions/database.js"
import { createJwtSessions } from "./sessions/jwt.js"
import type { SessionStrategy } from "./sessions/session.js"
import type { AuthConfig } from "./types.js"

/** Everything that is worked out once for a configuration. The only state of the process lives in here. */
export interface Runtime {
  readonly config: ResolvedConfig
  /** What is wrong with the configuration; nothing is served then. */
  readonly problems: readonly ConfigProblem[]
  readonly providers: ReadonlyMap<string, { readonly method: SignInMethod; readonly provider: ReadyProvider }>
  /** The provider that new passkeys are made with, the first one; undefined where there are no passkeys. */
  readonly passkeyProvider: string | undefined
  readonly callbacks: ReadyCallbacks
  /** Runs the handler of an event; its failure is logged and changes nothing. */
  readonly emit: Emit
  /** Runs the handler of an event that must succeed; rejects with an `EventError`. */
  readonly requireHandled: Emit
  readonly adapter: Adapter | undefined
  readonly sessions: SessionStrategy
  readonly pages: Pages
  /** The languages of the pages and the mails. */
  readonly languages: Languages
  /** The mails that are sent, from their templates. */
  readonly mails: Mails
  readonly keys: Keyring
  /** Seals the states of `redirectProxyUrl`. */
  readonly redirectProxyKeys: Keyring
  /** Undefined where `rateLimit` is false. */
  readonly limits: Limits | undefined
  /** Sign-ins of one person, one after the other. */
  readonly inTurn: InTurn
  /** Sign-ins whose answer was taken, within this process. */
  readonly spentFlows: OnceSet
  /** What pages are to tell a developer, by where it stands in the cookie. */
  readonly diagnoses: Recent<FailureRecord>
  /** Things that are said once. */
  readonly said: OnceSet
  readonly logger: Logger
  readonly now: () => number
  readonly cookieSetFor: (origin: string) => CookieSet
}

/** More than finish in the 15 minutes for which a flow is good. */
const SPENT_FLOWS = 10_000
const KINDS_OF_NOTICES = 100
/** One developer looks at one page after the other. */
const DIAGNOSES = 10
/** About as long as a person waits for an answer. */
const TURN_PATIENCE_MS = 5_000

const isOfProviders = ({ path }: ConfigProblem): boolean => path.startsWith("providers")

/**
 * Builds what a configuration stands for.
 */
export function createRuntime(given: AuthConfig, env: Env, { isLenient = false } = {}): Runtime {
  const { config, resolved, failures } = resolve(given, env)
  const report = checkConfig(config, resolved)
  const isTolerated = (problem: ConfigProblem) => isLenient && problem.isServable === true
  const isTold = ({ path }: ConfigProblem) => failures.some((failure) => failure.path === path)
  const found = [...failures, ...report.problems.filter((problem) => !isTold(problem))]
  const problems = found.filter((problem) => !isTolerated(problem))
  const logger = createLogger(resolved)
  // Those that could not be made were taken out of the list: it is empty for that reason alone.
  const isMisled = ({ code }: ConfigWarning) => code === "no-providers" && failures.some(isOfProviders)
  for (const { code, message } of report.warnings.filter((found) => !isMisled(found))) logger.warn(code, message)
  for (const { code, path, message } of report.problems.filter(isTolerated)) logger.warn(code, `${path} ${message}`)
  if (logger.isDebugging) logger.debug("config", configText(resolved))
  const now = resolved.clock
  const callbacks = createCallbacks(resolved)
  const emit = createEmit(resolved, logger)
  const adapter = resolved.adapter && bindAdapter(resolved.adapter, logger)
  const providers: Runtime["providers"] = problems.length > 0 ? new Map() : prepareProviders(resolved)
  const cookieSets = {
    secure: createCookieSet(true, { cookies: resolved.cookies, hostPrefix: resolved.session.hostPrefix }),
    plain: createCookieSet(false, { cookies: resolved.cookies }),
  }
  return Object.freeze({
    config: resolved,
    problems,
    providers,
    passkeyProvider: [...providers.values()].find(({ provider }) => provider.type === "webauthn")?.provider.id,
    callbacks,
    emit,
    requireHandled: createRequireHandled(resolved),
    adapter,
    sessions: createSessions({ config: resolved, callbacks, emit, logger, now, adapter }),
    pages: createPages({
      theme: resolved.theme,
      ...(resolved.views && { views: resolved.views }),
      formTargets: formTargetsOf(providers),
    }),
    keys: createKeyring(resolved.secrets),
    redirectProxyKeys: createKeyring(
      resolved.redirectProxySecrets.length > 0 ? resolved.redirectProxySecrets : resolved.secrets,
    ),
    mails: createMails({ theme: resolved.theme, views: resolved.views }),
    languages: createLanguages({ theme: resolved.theme, views: resolved.views }),
    limits: resolved.rateLimit === false ? undefined : createLimits(resolved.rateLimit, { now, logger }),
    inTurn: createTurns(TURN_PATIENCE_MS),
    spentFlows: createOnceSet(SPENT_FLOWS),
    diagnoses: createRecent<FailureRecord>(DIAGNOSES),
    said: createOnceSet(KINDS_OF_NOTICES),
    logger,
    now,
    cookieSetFor: (origin: string) =>
      (resolved.useSecureCookies ?? origin.startsWith("https:")) ? cookieSets.secure : cookieSets.plain,
  })
}

interface Resolution {
  readonly config: AuthConfig
  readonly resolved: ResolvedConfig
  readonly failures: readonly ConfigProblem[]
}

/** The resolved configuration; without its providers when one of their factories fails. */
function resolve(given: AuthConfig, env: Env): Resolution {
  const { config, misfits } = withoutMisfits(given)
  try {
    return { config, resolved: resolveConfig(config, env), failures: misfits }
  } catch (error) {
    const message = `a provider's factory threw "${asError(error).message}"`
    const failures = [...misfits, configProblem("provider-factory-failed", "providers", message)]
    return { config, resolved: resolveConfig({ ...config, providers: [] }, env), failures }
  }
}

function prepareProviders(config: ResolvedConfig): Runtime["providers"] {
  const entries = config.providers.flatMap((object: ProviderObject) => {
    const method = METHODS[object.type]
    if (!method) return []
    const provider = method.prepare(object, config)
    return [[provider.id, Object.freeze({ method, provider })] as const]
  })
  return new Map(entries)
}

const formTargetsOf = (providers: Runtime["providers"]): string[] => [
  ...new Set([...providers.values()].flatMap(({ provider }) => provider.formTargets ?? [])),
]

/** The sessions of a runtime, or of one that differs in its clock, say. */
export function createSessions(
  context: Pick<Runtime, "config" | "callbacks" | "emit" | "logger" | "now" | "adapter">,
): SessionStrategy {
  const { adapter } = context
  if (context.config.session.strategy !== "database" || !adapter) return createJwtSessions(context)
  // That the adapter has these methods is checked with the configuration.
  return createDatabaseSessions({ ...context, store: adapter as Parameters<typeof createDatabaseSessions>[0]["store"] })
}

interface Kept {
  readonly snapshot: AuthConfig
  readonly runtime: Runtime
}

/** By where the environment comes from: the core alone takes nothing from it but NODE_ENV. */
const kept = { withEnv: new WeakMap<AuthConfig, Kept>(), withoutEnv: new WeakMap<AuthConfig, Kept>() }

const isUnchanged = (config: AuthConfig, snapshot: AuthConfig): boolean => {
  const keys = Object.keys(config) as (keyof AuthConfig)[]
  return keys.length === Object.keys(snapshot).length && keys.every((key) => config[key] === snapshot[key])
}

/** `npx latchkey doctor` finds here what an application is configured with; of both builds, since a name is the process's. */
const configurations = channel("latchkey.config")

function keep(config: AuthConfig, cache: WeakMap<AuthConfig, Kept>, create: () => Runtime): Runtime {
  const found = cache.get(config)
  if (found && isUnchanged(config, found.snapshot)) return found.runtime
  if (configurations.hasSubscribers) configurations.publish({ config })
  const runtime = create()
  cache.set(config, { snapshot: { ...config }, runtime })
  return runtime
}

/** The runtime of a configuration, with what the environment adds; built once, and again when an option was changed. */
export const runtimeFor = (config: AuthConfig): Runtime =>
  keep(config, kept.withEnv, () => createRuntime(config, process.env))

/**
 * The runtime of a configuration as it is given: `Auth` takes nothing from the environment but NODE_ENV, and trusts no
 * host unless it is told to.
 */
export const runtimeWithoutEnv = (config: AuthConfig): Runtime =>
  keep(config, kept.withoutEnv, () => {
    const { NODE_ENV } = process.env
    return createRuntime({ ...config, trustHost: config.trustHost ?? false }, { NODE_ENV }, { isLenient: true })
  })

/**
 * The runtime of a configuration that is known to be right.
 *
 * @throws ConfigurationError listing every problem
 */
export function requireRuntime(config: AuthConfig): Runtime {
  const runtime = runtimeFor(config)
  if (runtime.problems.length > 0) throw new ConfigurationError(runtime.problems)
  return runtime
}
