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
import { createMails } from "../pages/mail.js"
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

/** Everything that is computed once for a configuration. It contains all state of the process. */
export interface Runtime extends ActionRuntime {
  readonly tokens: ProviderTokens | undefined
  /** True if there is a provider with access tokens. */
  readonly hasProviderTokens: boolean
  readonly cookieSetFor: (origin: string) => CookieSet
}

/** More sign-ins than a process finishes in the 15 minutes for which a flow is valid. */
const MAX_SPENT_FLOWS = 10_000
const MAX_WARNING_KEYS = 100
/** Few are needed: they are for a single developer. */
const MAX_DIAGNOSES = 10
/** About as long as a user waits for a response. */
const LOCK_TIMEOUT_MS = 5_000

/** The tries to enter the code of an email. The window is longer than the lifetime of the code. */
const CODE_TRIES = { maxEvents: 5, seconds: 15 * 60 }

const isProviderProblem = ({ path }: ConfigProblem): boolean => path.startsWith("providers")

/** Creates the runtime of a configuration. If `isLenient` is true, recoverable problems are only logged. */
export function createRuntime(userConfig: AuthConfig, env: Env, { isLenient = false } = {}): Runtime {
  const { config, resolved, failures } = resolve(userConfig, env)
  const report = checkConfig(config, resolved)
  const isTolerated = (problem: ConfigProblem) => isLenient && problem.isRecoverable === true
  const isReported = ({ path }: ConfigProblem) => failures.some((failure) => failure.path === path)
  const found = [...failures, ...report.problems.filter((problem) => !isReported(problem))]
  const problems = found.filter((problem) => !isTolerated(problem))
  const logger = createLogger(resolved)
  // Invalid providers were removed from the list, so a warning that it is empty would be misleading.
  const isMisleading = ({ code }: ConfigProblem) => code === "no-providers" && failures.some(isProviderProblem)
  const logged = [
    ...report.warnings.filter((warning) => !isMisleading(warning)),
    ...report.problems.filter(isTolerated),
  ]
  for (const problem of logged) logger.warn(problem.code, describeProblem(problem))
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
    passkeyProvider: [...providers.values()].find(({ method }) => method.needs.hasPasskeys)?.provider.id,
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
    mails: createMails({ theme: resolved.theme, views: resolved.views }),
    languages: createLanguages({ theme: resolved.theme, views: resolved.views }),
    limits: resolved.rateLimit === false ? undefined : createLimits(resolved.rateLimit, { now, logger, store }),
    countCodeTry: createLimit("emailCodeTries", CODE_TRIES, { now, logger, store }),
    withLock: createKeyedMutex(LOCK_TIMEOUT_MS),
    spentFlows: createBoundedSet(MAX_SPENT_FLOWS),
    diagnoses: createLruCache<FailureRecord>(MAX_DIAGNOSES),
    warnedOnce: createBoundedSet(MAX_WARNING_KEYS),
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

/** Resolves the configuration, without its providers if one of their factories throws. */
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

/** The token endpoints of all providers. */
function createTokenEndpoints(providers: Runtime["providers"], now: () => number): TokenEndpoints {
  const find = (id: string) => {
    const { method, provider } = providers.get(id) ?? {}
    return method?.tokens && provider ? { tokens: method.tokens, provider } : undefined
  }
  const requireFound = (id: string) => {
    const found = find(id)
    if (!found) throw new TypeError(`the configuration has no provider ${JSON.stringify(id)}`)
    return found
  }
  return {
    rulesFor(id) {
      const found = find(id)
      return found?.tokens.rules(found.provider)
    },
    async refresh(stored, deadline) {
      const { tokens, provider } = requireFound(stored.provider)
      return tokens.refresh(stored, provider, { nowMs: now(), deadline })
    },
    async revoke(stored) {
      const found = find(stored.provider)
      await found?.tokens.revoke(stored, found.provider)
    },
    send: async (request, stored) => {
      const { tokens, provider } = requireFound(stored.provider)
      return tokens.send(request, stored, provider)
    },
  }
}

const createSecondFactor = (options: ReadySecondFactor, context: Omit<FactorContext, "options" | "describe">) =>
  new SecondFactor({ ...context, options, describe: ({ userAgent }) => parseDevice(userAgent) })

const listFormTargets = (providers: Runtime["providers"]): string[] => [
  ...new Set([...providers.values()].flatMap(({ provider }) => provider.formTargets ?? [])),
]

/** Creates the session strategy of a runtime, or of a copy of it, for example with another clock. */
export function createSessions(
  context: Pick<Runtime, "config" | "callbacks" | "emit" | "keys" | "logger" | "methods" | "now" | "adapter" | "store">,
): SessionStrategy {
  const { adapter } = context
  if (context.config.session.strategy !== "database" || !adapter) return createJwtSessions(context)
  // The check of the configuration ensures that the adapter has these methods.
  type SessionAdapter = Parameters<typeof createDatabaseSessions>[0]["adapter"]
  return createDatabaseSessions({ ...context, adapter: adapter as SessionAdapter })
}

interface CacheEntry {
  readonly snapshot: AuthConfig
  readonly runtime: Runtime
}

/** The caches of runtimes with and without environment variables. `Auth` reads only NODE_ENV. */
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

/** The runtime of a configuration with environment variables. It is cached until a top-level option changes. */
export const runtimeFor = (config: AuthConfig): Runtime =>
  getOrCreate(config, cachedRuntimes.withEnv, () => createRuntime(config, process.env))

/**
 * The runtime of a configuration for `Auth`, which reads only NODE_ENV from the environment, and trusts no host unless
 * `trustHost` is set.
 */
export const runtimeWithoutEnv = (config: AuthConfig): Runtime =>
  getOrCreate(config, cachedRuntimes.withoutEnv, () => {
    const { NODE_ENV } = process.env
    return createRuntime({ ...config, trustHost: config.trustHost ?? false }, { NODE_ENV }, { isLenient: true })
  })

/**
 * The runtime of a valid configuration.
 *
 * @throws ConfigurationError with all problems of the configuration
 */
export function requireRuntime(config: AuthConfig): Runtime {
  const runtime = runtimeFor(config)
  if (runtime.problems.length > 0) throw new ConfigurationError(runtime.problems)
  return runtime
}
