import type { Adapter } from "../adapters/adapter.js"
import { omitUndefined } from "../base/merge.js"
import type { JWTOptions } from "../base/types.js"
import { trimPath } from "../http/action.js"
import { parseHostEntry } from "../security/trusted-host.js"
import { isStore, type Store } from "../store/store.js"
import { raw, skipCSRFCheck } from "../symbols.js"
import type { AuthConfig, SessionOptions } from "./auth-config.js"
import {
  DEFAULT_MAX_ACCOUNTS_PER_USER,
  DEFAULT_MAX_COOKIE_SIZE,
  DEFAULT_SESSION_MAX_AGE_SECONDS,
  DEFAULT_SESSION_UPDATE_AGE_SECONDS,
} from "./defaults.js"
import { temporarySecrets } from "./dev-provider.js"
import { type Env, providerWithEnv, readEnv } from "./env.js"
import type { ResolvedConfig } from "./resolved-config.js"

const SECOND_FACTOR_DEFAULTS = {
  methods: ["totp", "passkey", "recovery"],
  required: () => false,
  rememberDeviceDays: 0,
} as const

type SessionLifetime = Required<Pick<SessionOptions, "strategy" | "maxAge">>

/**
 * Returns the default of `session.updateAge`: a day, or a thirtieth of a session lifetime of less than 30 days. With a
 * fixed default of a day, a session with a lifetime of an hour would never be renewed.
 */
function defaultUpdateAge({ strategy, maxAge }: SessionLifetime, jwt: Partial<Pick<JWTOptions, "maxAge">>): number {
  const lifetime = strategy === "database" ? maxAge : Math.min(maxAge, jwt.maxAge ?? maxAge)
  // `checkConfig` reports an invalid lifetime. The default of a day prevents a second report for `updateAge`.
  return lifetime > 0
    ? Math.min(DEFAULT_SESSION_UPDATE_AGE_SECONDS, Math.ceil(lifetime / 30))
    : DEFAULT_SESSION_UPDATE_AGE_SECONDS
}

const toSecretList = (secret: AuthConfig["secret"]): readonly string[] =>
  (typeof secret === "string" ? [secret] : (secret ?? []))
    .filter((s) => typeof s === "string")
    .filter((s) => s.trim() !== "")

/** Returns the store of an adapter of this package; undefined for other adapters. */
function storeOfAdapter(adapter: Adapter | undefined): Store | undefined {
  const store: unknown = Reflect.get(Object(adapter), "store")
  return isStore(store) ? store : undefined
}

/** Normalises the trusted hosts. An invalid entry stays unchanged and matches no host, and `checkHosts` reports it. */
const parseTrustedHosts = (trustHost: NonNullable<AuthConfig["trustHost"]>): boolean | readonly string[] =>
  typeof trustHost === "boolean"
    ? trustHost
    : Object.freeze(trustHost.map((entry) => (typeof entry === "string" && parseHostEntry(entry)) || entry))

/**
 * Returns the prefix that a proxy removes from paths: the part of AUTH_URL's path before the configured base path.
 * Returns "" if AUTH_URL has no path or no base path is configured, and undefined if AUTH_URL's path does not end with
 * the base path.
 */
function findProxyPrefix(urlPath: string | undefined, basePath: string | undefined): string | undefined {
  if (urlPath === undefined || basePath === undefined) return ""
  const [publicPath, innerPath] = [trimPath(urlPath), trimPath(basePath)]
  return publicPath.endsWith(innerPath) ? publicPath.slice(0, publicPath.length - innerPath.length) : undefined
}

/**
 * Returns the configuration with all defaults. Objects are merged over their defaults, lists replace their defaults,
 * and `undefined` means not set.
 *
 * @throws the error of a provider's factory function
 */
export function resolveConfig(config: AuthConfig, env: Env): ResolvedConfig {
  const envDefaults = readEnv(env)
  // `checkConfig` reports a value that is not a list.
  const listedProviders = Array.isArray(config.providers) ? config.providers : []
  const providers = listedProviders.map((provider) => providerWithEnv(provider, env))
  const configuredSecrets = [toSecretList(config.secret), envDefaults.secrets].find(({ length }) => length > 0)
  const secrets = configuredSecrets ?? temporarySecrets(providers, envDefaults.isProduction)
  const basePath = config.basePath ?? config.prefix ?? envDefaults.basePath
  const proxyPrefix = findProxyPrefix(envDefaults.basePath, config.basePath ?? config.prefix)
  const sessionOptions = {
    strategy: config.adapter ? ("database" as const) : ("jwt" as const),
    maxAge: DEFAULT_SESSION_MAX_AGE_SECONDS,
    remember: true,
    hostPrefix: false,
    maxCookieSize: DEFAULT_MAX_COOKIE_SIZE,
    revocable: true,
    recordAddress: false as const,
    keepOnFactorChange: false,
    ...omitUndefined(config.session),
  }
  const jwt = omitUndefined(config.jwt)
  const session = { ...sessionOptions, updateAge: sessionOptions.updateAge ?? defaultUpdateAge(sessionOptions, jwt) }
  const jwtSecrets = toSecretList(jwt.secret)
  return Object.freeze({
    providers: Object.freeze(providers),
    secrets: Object.freeze([...secrets]),
    session: Object.freeze(session),
    jwt: Object.freeze({
      secrets: Object.freeze(jwtSecrets.length > 0 ? [...jwtSecrets] : [...secrets]),
      maxAge: jwt.maxAge ?? session.maxAge,
      ...(jwt.encode && { encode: jwt.encode }),
      ...(jwt.decode && { decode: jwt.decode }),
    }),
    pages: Object.freeze(omitUndefined(config.pages)),
    callbacks: Object.freeze(omitUndefined(config.callbacks)),
    events: Object.freeze(omitUndefined(config.events)),
    adapter: config.adapter,
    store: config.store ?? storeOfAdapter(config.adapter),
    debug: config.debug ?? false,
    logger: config.logger,
    theme: Object.freeze(omitUndefined(config.theme)),
    views: config.views,
    useSecureCookies: config.useSecureCookies,
    cookies: Object.freeze(omitUndefined(config.cookies)),
    trustHost: parseTrustedHosts(config.trustHost ?? envDefaults.trustHost),
    platformChecksHost: envDefaults.platformChecksHost,
    skipsCsrfCheck: config.skipCSRFCheck === skipCSRFCheck,
    isRaw: config.raw === raw,
    redirectProxyUrl: config.redirectProxyUrl ?? envDefaults.redirectProxyUrl,
    redirectProxySecrets: Object.freeze(toSecretList(config.redirectProxySecret ?? envDefaults.redirectProxySecret)),
    redirectProxyOrigins: config.redirectProxyOrigins && Object.freeze([...config.redirectProxyOrigins]),
    basePath: basePath === undefined ? undefined : trimPath(basePath),
    proxyPrefix: proxyPrefix ?? "",
    canonicalOrigin: envDefaults.authUrl?.origin,
    unusedAuthUrl: {
      invalidText: envDefaults.invalidAuthUrl,
      path: proxyPrefix === undefined ? envDefaults.basePath : undefined,
    },
    rateLimit: config.rateLimit ?? {},
    requirements: Object.freeze([...(config.requirements ?? [])]),
    isActive: config.isActive,
    secondFactor: config.secondFactor
      ? Object.freeze({ ...SECOND_FACTOR_DEFAULTS, ...omitUndefined(config.secondFactor) })
      : undefined,
    maxAccountsPerUser: config.maxAccountsPerUser ?? DEFAULT_MAX_ACCOUNTS_PER_USER,
    clock: config.clock ?? Date.now,
    isProduction: envDefaults.isProduction,
    isDevelopment: envDefaults.isDevelopment,
  })
}
