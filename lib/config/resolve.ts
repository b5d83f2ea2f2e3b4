import type { Adapter } from "../adapters/adapter.js"
import { defined } from "../base/merge.js"
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

type Session = Required<Pick<SessionOptions, "strategy" | "maxAge">>

/**
 * The default number of seconds after which a session is extended: a day, or a thirtieth of a lifetime below 30 days.
 * If it were always a day, a session of an hour would never be extended.
 */
function defaultUpdateAge({ strategy, maxAge }: Session, jwt: Partial<Pick<JWTOptions, "maxAge">>): number {
  const lifetime = strategy === "database" ? maxAge : Math.min(maxAge, jwt.maxAge ?? maxAge)
  // `checkConfig` reports an invalid lifetime. The default avoids a second problem for the same cause.
  return lifetime > 0
    ? Math.min(DEFAULT_SESSION_UPDATE_AGE_SECONDS, Math.ceil(lifetime / 30))
    : DEFAULT_SESSION_UPDATE_AGE_SECONDS
}

const toList = (secret: AuthConfig["secret"]): readonly string[] =>
  (typeof secret === "string" ? [secret] : (secret ?? []))
    .filter((s) => typeof s === "string")
    .filter((s) => s.trim() !== "")

/** The store of an adapter of this package. Other adapters have none. */
function storeOfAdapter(adapter: Adapter | undefined): Store | undefined {
  const store: unknown = Reflect.get(Object(adapter), "store")
  return isStore(store) ? store : undefined
}

/** An invalid entry is left as it is and matches no host; `checkHosts` reports it. */
const parseTrustedHosts = (trustHost: NonNullable<AuthConfig["trustHost"]>): boolean | readonly string[] =>
  typeof trustHost === "boolean"
    ? trustHost
    : Object.freeze(trustHost.map((entry) => (typeof entry === "string" && parseHostEntry(entry)) || entry))

/**
 * Returns the part of AUTH_URL's path before the configured base path, which a proxy removes. Undefined if AUTH_URL's
 * path does not end with the base path.
 */
function findProxyPrefix(urlPath: string | undefined, basePath: string | undefined): string | undefined {
  if (urlPath === undefined || basePath === undefined) return ""
  const [outer, inner] = [trimPath(urlPath), trimPath(basePath)]
  return outer.endsWith(inner) ? outer.slice(0, outer.length - inner.length) : undefined
}

/**
 * Fills in the defaults. Objects are merged over their defaults, lists replace them, `undefined` means not set.
 *
 * @throws the error of a provider's factory function
 */
export function resolveConfig(config: AuthConfig, env: Env): ResolvedConfig {
  const found = readEnv(env)
  // `checkConfig` reports a value that is not a list.
  const given = Array.isArray(config.providers) ? config.providers : []
  const providers = given.map((provider) => providerWithEnv(provider, env))
  const secrets = [toList(config.secret), found.secrets].find(({ length }) => length > 0)
  const ownSecrets = secrets ?? temporarySecrets(providers, found.isProduction)
  const basePath = config.basePath ?? config.prefix ?? found.basePath
  const proxyPrefix = findProxyPrefix(found.basePath, config.basePath ?? config.prefix)
  const sessionOptions = {
    strategy: config.adapter ? ("database" as const) : ("jwt" as const),
    maxAge: DEFAULT_SESSION_MAX_AGE_SECONDS,
    remember: true,
    hostPrefix: false,
    maxCookieSize: DEFAULT_MAX_COOKIE_SIZE,
    revocable: true,
    recordAddress: false as const,
    keepOnFactorChange: false,
    ...defined(config.session),
  }
  const jwt = defined(config.jwt)
  const session = { ...sessionOptions, updateAge: sessionOptions.updateAge ?? defaultUpdateAge(sessionOptions, jwt) }
  const jwtSecrets = toList(jwt.secret)
  return Object.freeze({
    providers: Object.freeze(providers),
    secrets: Object.freeze([...ownSecrets]),
    session: Object.freeze(session),
    jwt: Object.freeze({
      secrets: Object.freeze(jwtSecrets.length > 0 ? [...jwtSecrets] : [...ownSecrets]),
      maxAge: jwt.maxAge ?? session.maxAge,
      ...(jwt.encode && { encode: jwt.encode }),
      ...(jwt.decode && { decode: jwt.decode }),
    }),
    pages: Object.freeze(defined(config.pages)),
    callbacks: Object.freeze(defined(config.callbacks)),
    events: Object.freeze(defined(config.events)),
    adapter: config.adapter,
    store: config.store ?? storeOfAdapter(config.adapter),
    debug: config.debug ?? false,
    logger: config.logger,
    theme: Object.freeze(defined(config.theme)),
    views: config.views,
    useSecureCookies: config.useSecureCookies,
    cookies: Object.freeze(defined(config.cookies)),
    trustHost: parseTrustedHosts(config.trustHost ?? found.trustHost),
    isHostChecked: found.isHostChecked,
    skipsCsrfCheck: config.skipCSRFCheck === skipCSRFCheck,
    isRaw: config.raw === raw,
    redirectProxyUrl: config.redirectProxyUrl ?? found.redirectProxyUrl,
    redirectProxySecrets: Object.freeze(toList(config.redirectProxySecret ?? found.redirectProxySecret)),
    redirectProxyOrigins: config.redirectProxyOrigins && Object.freeze([...config.redirectProxyOrigins]),
    basePath: basePath === undefined ? undefined : trimPath(basePath),
    proxyPrefix: proxyPrefix ?? "",
    canonicalOrigin: found.authUrl?.origin,
    unusedAuthUrl: { invalidText: found.invalidAuthUrl, path: proxyPrefix === undefined ? found.basePath : undefined },
    rateLimit: config.rateLimit ?? {},
    requirements: Object.freeze([...(config.requirements ?? [])]),
    isActive: config.isActive,
    secondFactor: config.secondFactor
      ? Object.freeze({ ...SECOND_FACTOR_DEFAULTS, ...defined(config.secondFactor) })
      : undefined,
    maxAccountsPerUser: config.maxAccountsPerUser ?? DEFAULT_MAX_ACCOUNTS_PER_USER,
    clock: config.clock ?? Date.now,
    isProduction: found.isProduction,
    isDevelopment: found.isDevelopment,
  })
}
