import { createRules } from "../accounts/requirements.js"
import type { ActionRuntime } from "../actions/action.js"
import { bindAdapter } from "../adapters/bind.js"
import { createBoundedSet } from "../cache/bounded-set.js"
import { createKeyedMutex } from "../cache/keyed-mutex.js"
import { createLruCache } from "../cache/lru-cache.js"
import type { AuthConfig } from "../config/auth-config.js"
import { checkConfig } from "../config/check.js"
import { configText } from "../config/config-text.js"
import type { Env } from "../config/env.js"
import { dropMistypedOptions } from "../config/option-types.js"
import { resolveConfig } from "../config/resolve.js"
import type { ReadySecondFactor, ResolvedConfig } from "../config/resolved-config.js"
import { asError, type ConfigProblem, ConfigurationError, configProblem, describeProblem } from "../errors/errors.js"
import { type CookieSet, createCookieSet } from "../http/cookies.js"
import { createLogger, type FailureRecord } from "../logging/logger.js"
import { METHODS } from "../methods/index.js"
import { createEmails } from "../pages/mail.js"
import { createPages } from "../pages/render.js"
import { createLanguages } from "../pages/texts.js"
import type { ProviderObject } from "../provider-kit/provider.js"
import { type FactorContext, SecondFactor } from "../second-factor/second-factor.js"
import { createKeyring } from "../security/keys.js"
import { createLimit, createLimits } from "../security/limits.js"
import { createDatabaseSessions } from "../sessions/database.js"
import { parseDevice } from "../sessions/device.js"
import { createJwtSessions } from "../sessions/jwt.js"
import type { SessionStrategy } from "../sessions/session.js"
import { bindStore } from "../store/bind.js"
import { createProviderTokens, type ProviderTokens, type TokenEndpoints } from "../tokens/provider-tokens.js"
import { createCallbacks, createEmit, createStrictEmit } from "./callbacks.js"

/**
 * The objects that are created once for each configuration. They hold all state that requests share in this process.
 */
export interface Runtime extends ActionRuntime {
  readonly tokens: ProviderTokens | undefined
  /** True if at least one provider has a type that issues access tokens. */
  readonly hasProviderTokens: boolean
  /** Returns the cookie names and attributes for the site's origin. */
  readonly cookieSetFor: (origin: string) => CookieSet
}

/**
 * Limits the set of used flows. A flow is valid for 15 minutes, and a process is expected to finish fewer than 10,000
 * sign-ins in that time.
 */
const MAX_SPENT_FLOWS = 10_000
/** Limits the keys of warnings that were already logged. */
const MAX_WARNING_KEYS = 100
/** Limits the log records that pages show to the developer. They are stored only in development, so few are needed. */
const MAX_FAILURE_RECORDS = 10
/** How long work waits for earlier work with the same key: about as long as a user waits for a response. */
const LOCK_TIMEOUT_MS = 5_000

/**
 * Limits the attempts to enter the code of one email. The window is longer than the 10 minutes for which a code is
 * valid.
 */
const CODE_TRIES = { maxEvents: 5, seconds: 15 * 60 }

const isProviderProblem = ({ path }: ConfigProblem): boolean => path.startsWith("providers")

/**
 * Creates the runtime of a configuration, and logs its warnings. If `isLenient` is true, recoverable problems are
 * logged as warnings, and are left out of `problems`.
 */
export function createRuntime(userConfig: AuthConfig, env: Env, { isLenient = false } = {}): Runtime {
  const { config, resolved, failures } = resolve(userConfig, env)
  const report = checkConfig(config, resolved)
  const isTolerated = (problem: ConfigProblem) => isLenient && problem.isRecoverable === true
  const isDuplicate = ({ path }: ConfigProblem) => failures.some((failure) => failure.path === path)
  const allProblems = [...failures, ...report.problems.filter((problem) => !isDuplicate(problem))]
  const problems = allProblems.filter((problem) => !isTolerated(problem))
  const logger = createLogger(resolved)
  // If the list of providers is empty because invalid providers were removed, the warning would be misleading.
  const isMisleading = ({ code }: ConfigProblem) => code === "no-providers" && failures.some(isProviderProblem)
  const warnings = [
    ...report.warnings.filter((warning) => !isMisleading(warning)),
    ...report.problems.filter(isTolerated),
  ]
  for (const problem of warnings) logger.warn(problem.code, describeProblem(problem))
  if (logger.isDebugging) logger.debug("config", configText(resolved))
  const now = resolved.clock
  const callbacks = createCallbacks(resolved)
  const emit = createEmit(resolved, logger)
  const providers: Runtime["providers"] = problems.length > 0 ? new Map() : prepareProviders(resolved)
  const keys = createKeyring(resolved.secrets)
  const adapter = resolved.adapter && bindAdapter(resolved.adapter, logger)
  const store = resolved.store && bindStore(resolved.store, logger)
  const tokens =
    store && createProviderTokens({ store, keys, logger, now, endpoints: createTokenEndpoints(providers, now) })
  const cookieSets = {
    secure: createCookieSet(true, { cookies: resolved.cookies, hostPrefix: resolved.session.hostPrefix }),
    plain: createCookieSet(false, { cookies: resolved.cookies }),
  }
  const secondFactor =
    store &&
    resolved.secondFactor &&
    createSecondFactor(resolved.secondFactor, { store, keys, now, isProduction: resolved.isProduction })
  return Object.freeze({
    config: resolved,
    problems,
    methods: METHODS,
    providers,
    passkeyProviderId: [...providers.values()].find(({ method }) => method.needs.hasPasskeys)?.provider.id,
    callbacks,
    emit,
    emitStrictly: createStrictEmit(resolved),
    adapter,
    store,
    tokens,
    secondFactor,
    requirements: createRules(resolved.requirements, secondFactor),
    hasProviderTokens: [...providers.values()].some(({ method }) => method.tokens !== undefined),
    sessions: createSessions({
      config: resolved,
      callbacks,
      emit,
      keys,
      logger,
      methods: METHODS,
      now,
      adapter,
      store,
    }),
    pages: createPages({
      theme: resolved.theme,
      ...(resolved.views && { views: resolved.views }),
      formTargets: listFormTargets(providers),
    }),
    keys,
    redirectProxyKeys: createKeyring(
      resolved.redirectProxySecrets.length > 0 ? resolved.redirectProxySecrets : resolved.secrets,
    ),
    emails: createEmails({ theme: resolved.theme, views: resolved.views }),
    languages: createLanguages({ theme: resolved.theme, views: resolved.views }),
    limits: resolved.rateLimit === false ? undefined : createLimits(resolved.rateLimit, { now, logger, store }),
    countCodeAttempt: createLimit("emailCodeTries", CODE_TRIES, { now, logger, store }),
    withLock: createKeyedMutex(LOCK_TIMEOUT_MS),
    spentFlows: createBoundedSet(MAX_SPENT_FLOWS),
    failureRecords: createLruCache<FailureRecord>(MAX_FAILURE_RECORDS),
    warnedOnce: createBoundedSet(MAX_WARNING_KEYS),
    logger,
    now,
    cookieSetFor: (origin: string) =>
      (resolved.useSecureCookies ?? origin.startsWith("https:")) ? cookieSets.secure : cookieSets.plain,
  })
}

interface Resolution {
  /** The configuration without options of the wrong type. */
  readonly config: AuthConfig
  readonly resolved: ResolvedConfig
  /** The problems that made `resolve` leave out options: a wrong type, or a provider factory that threw an error. */
  readonly failures: readonly ConfigProblem[]
}

/** Resolves the configuration. If a provider factory throws an error, all providers are left out. */
function resolve(userConfig: AuthConfig, env: Env): Resolution {
  const { config, problems } = dropMistypedOptions(userConfig)
  try {
    return { config, resolved: resolveConfig(config, env), failures: problems }
  } catch (error) {
    const seen = `has a factory that threw "${asError(error).message}"`
    const failure = configProblem("provider-factory-failed", "providers", seen, "Correct the options of the provider")
    const failures = [...problems, failure]
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

/** Creates the functions that call the token endpoints. Each function uses the provider that issued the tokens. */
function createTokenEndpoints(providers: Runtime["providers"], now: () => number): TokenEndpoints {
  const findProvider = (id: string) => {
    const { method, provider } = providers.get(id) ?? {}
    return method?.tokens && provider ? { tokens: method.tokens, provider } : undefined
  }
  const requireProvider = (id: string) => {
    const found = findProvider(id)
    if (!found) throw new TypeError(`the configuration has no provider ${JSON.stringify(id)}`)
    return found
  }
  return {
    rulesFor(id) {
      const found = findProvider(id)
      return found?.tokens.rules(found.provider)
    },
    async refresh(stored, deadline) {
      const { tokens, provider } = requireProvider(stored.provider)
      return tokens.refresh(stored, provider, { nowMs: now(), deadline })
    },
    async revoke(stored) {
      const found = findProvider(stored.provider)
      await found?.tokens.revoke(stored, found.provider)
    },
    send: async (request, stored) => {
      const { tokens, provider } = requireProvider(stored.provider)
      return tokens.send(request, stored, provider)
    },
  }
}

const createSecondFactor = (options: ReadySecondFactor, context: Omit<FactorContext, "options" | "describe">) =>
  new SecondFactor({ ...context, options, describe: ({ userAgent }) => parseDevice(userAgent) })

const listFormTargets = (providers: Runtime["providers"]): string[] => [
  ...new Set([...providers.values()].flatMap(({ provider }) => provider.formTargets ?? [])),
]

/** Creates the session strategy of a runtime. `signInAs` (latchkey/testing) passes a runtime with a different clock. */
export function createSessions(
  context: Pick<Runtime, "config" | "callbacks" | "emit" | "keys" | "logger" | "methods" | "now" | "adapter" | "store">,
): SessionStrategy {
  const { adapter } = context
  if (context.config.session.strategy !== "database" || !adapter) return createJwtSessions(context)
  // `checkConfig` reports an adapter without the methods for database sessions, and then no request is served.
  type SessionAdapter = Parameters<typeof createDatabaseSessions>[0]["adapter"]
  return createDatabaseSessions({ ...context, adapter: adapter as SessionAdapter })
}

interface CacheEntry {
  /** A shallow copy of the configuration, to detect changed options. */
  readonly snapshot: AuthConfig
  readonly runtime: Runtime
}

/** The cached runtimes. `withoutEnv` has the runtimes for `Auth`, which reads only NODE_ENV from the environment. */
const cachedRuntimes = {
  withEnv: new WeakMap<AuthConfig, CacheEntry>(),
  withoutEnv: new WeakMap<AuthConfig, CacheEntry>(),
}

const isUnchanged = (config: AuthConfig, snapshot: AuthConfig): boolean => {
  const keys = Object.keys(config) as (keyof AuthConfig)[]
  return keys.length === Object.keys(snapshot).length && keys.every((key) => config[key] === snapshot[key])
}

function getOrCreate(config: AuthConfig, cache: WeakMap<AuthConfig, CacheEntry>, create: () => Runtime): Runtime {
  const found = cache.get(config)
  if (found && isUnchanged(config, found.snapshot)) return found.runtime
  const runtime = create()
  cache.set(config, { snapshot: { ...config }, runtime })
  return runtime
}

/**
 * Returns the runtime of a configuration, with environment variables for missing options. The runtime is cached until a
 * top-level option changes.
 */
export const runtimeFor = (config: AuthConfig): Runtime =>
  getOrCreate(config, cachedRuntimes.withEnv, () => createRuntime(config, process.env))

/**
 * Returns the runtime of a configuration for `Auth`, which reads only NODE_ENV from the environment, and trusts no host
 * unless `trustHost` is set. Recoverable problems are only logged. The runtime is cached as in `runtimeFor`.
 */
export const runtimeWithoutEnv = (config: AuthConfig): Runtime =>
  getOrCreate(config, cachedRuntimes.withoutEnv, () => {
    const { NODE_ENV } = process.env
    return createRuntime({ ...config, trustHost: config.trustHost ?? false }, { NODE_ENV }, { isLenient: true })
  })

/**
 * Returns the same runtime as `runtimeFor`, if the configuration is valid.
 *
 * @throws ConfigurationError with all problems of the configuration
 */
export function requireRuntime(config: AuthConfig): Runtime {
  const runtime = runtimeFor(config)
  if (runtime.problems.length > 0) throw new ConfigurationError(runtime.problems)
  return runtime
}
