import type { Adapter } from "../adapters/adapter.js"
import { trimPath } from "../http/action.js"
import type { JWTOptions } from "../jwt.js"
import { defined } from "../merge.js"
import type { ProviderObject } from "../providers/provider.js"
import { parseHostEntry } from "../security/trusted-host.js"
import { raw, skipCSRFCheck } from "../symbols.js"
import type { AuthConfig, CallbacksOptions, PagesOptions, RateLimitOptions, SessionOptions, Theme } from "../types.js"
import { DEFAULT_MAX_ACCOUNTS_PER_USER, DEFAULT_MAX_COOKIE_SIZE, DEFAULT_SESSION_MAX_AGE_SECONDS } from "./defaults.js"
import { temporarySecrets } from "./dev-provider.js"
import { type Env, providerWithEnv, readEnv } from "./env.js"
import { updateAgeOf } from "./update-age.js"

/** A configuration with every default filled in, frozen. The object it was made from is left as it was. */
export interface ResolvedConfig {
  readonly providers: readonly ProviderObject[]
  readonly secrets: readonly string[]
  readonly session: Readonly<Required<Omit<SessionOptions, "generateSessionToken" | "absoluteMaxAge">>> &
    Readonly<Pick<SessionOptions, "generateSessionToken" | "absoluteMaxAge">>
  readonly jwt: Readonly<{ secrets: readonly string[]; maxAge: number }> &
    Partial<Pick<JWTOptions, "encode" | "decode">>
  readonly pages: Readonly<Partial<PagesOptions>>
  readonly callbacks: Readonly<CallbacksOptions>
  readonly events: NonNullable<AuthConfig["events"]>
  readonly adapter: Adapter | undefined
  readonly debug: boolean
  readonly logger: AuthConfig["logger"]
  readonly theme: Readonly<Theme>
  readonly views: string | undefined
  readonly useSecureCookies: boolean | undefined
  readonly cookies: NonNullable<AuthConfig["cookies"]>
  /** Hosts in a list are written as URLs have them. */
  readonly trustHost: boolean | readonly string[]
  /** True on a platform that lets no request through for a host that is not the site's. */
  readonly isHostChecked: boolean
  readonly skipsCsrfCheck: boolean
  readonly isRaw: boolean
  readonly redirectProxyUrl: string | undefined
  /** Empty where states are sealed with `secrets`. */
  readonly redirectProxySecrets: readonly string[]
  readonly redirectProxyOrigins: readonly string[] | undefined
  /** As configured or from AUTH_URL, without a trailing slash; undefined leaves it to where the request came in. */
  readonly basePath: string | undefined
  /** The path that a proxy cuts off before `basePath`, as the path of AUTH_URL has it; empty for none. */
  readonly proxyPrefix: string
  /** The site's own origin, when AUTH_URL says it. */
  readonly canonicalOrigin: string | undefined
  /** What AUTH_URL says that is not used: its text when it is no URL, its path when `basePath` says another. */
  readonly unusedAuthUrl: { readonly text?: string | undefined; readonly path?: string | undefined }
  readonly rateLimit: RateLimitOptions | false
  readonly maxAccountsPerUser: number
  readonly clock: () => number
  readonly isProduction: boolean
  /** May a page tell a developer what the log says? */
  readonly isDevelopment: boolean
}

const listOf = (secret: AuthConfig["secret"]): readonly string[] =>
  (typeof secret === "string" ? [secret] : (secret ?? []))
    .filter((s) => typeof s === "string")
    .filter((s) => s.trim() !== "")

/** An entry that is no host stays as it is, and matches none: it is a problem of the configuration. */
const hostsOf = (trustHost: NonNullable<AuthConfig["trustHost"]>): boolean | readonly string[] =>
  typeof trustHost === "boolean"
    ? trustHost
    : Object.freeze(trustHost.map((entry) => (typeof entry === "string" && parseHostEntry(entry)) || entry))

/**
 * What the path of AUTH_URL has before the configured base path: a proxy cuts that off. Undefined if the two paths do not
 * fit together.
 */
function proxyPrefixOf(urlPath: string | undefined, basePath: string | undefined): string | undefined {
  if (urlPath === undefined || basePath === undefined) return ""
  const [outer, inner] = [trimPath(urlPath), trimPath(basePath)]
  return outer.endsWith(inner) ? outer.slice(0, outer.length - inner.length) : undefined
}

/**
 * Fills in what is not said: a line for each option. Objects are merged over their defaults, lists replace, `undefined` says nothing.
 *
 * @throws whatever a provider factory throws
 */
export function resolveConfig(config: AuthConfig, env: Env): ResolvedConfig {
  const found = readEnv(env)
  // What is no list is told of by `checkConfig`.
  const given = Array.isArray(config.providers) ? config.providers : []
  const providers = given.map((provider) => providerWithEnv(provider, env))
  const secrets = [listOf(config.secret), found.secrets].find(({ length }) => length > 0)
  const ownSecrets = secrets ?? temporarySecrets(providers, found.isProduction)
  const basePath = config.basePath ?? config.prefix ?? found.basePath
  const proxyPrefix = proxyPrefixOf(found.basePath, config.basePath ?? config.prefix)
  const ages = {
    strategy: config.adapter ? ("database" as const) : ("jwt" as const),
    maxAge: DEFAULT_SESSION_MAX_AGE_SECONDS,
    hostPrefix: false,
    maxCookieSize: DEFAULT_MAX_COOKIE_SIZE,
    ...defined(config.session),
  }
  const jwt = defined(config.jwt)
  const session = { ...ages, updateAge: ages.updateAge ?? updateAgeOf(ages, jwt) }
  const jwtSecrets = listOf(jwt.secret)
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
    debug: config.debug ?? false,
    logger: config.logger,
    theme: Object.freeze(defined(config.theme)),
    views: config.views,
    useSecureCookies: config.useSecureCookies,
    cookies: Object.freeze(defined(config.cookies)),
    trustHost: hostsOf(config.trustHost ?? found.trustHost),
    isHostChecked: found.isHostChecked,
    skipsCsrfCheck: config.skipCSRFCheck === skipCSRFCheck,
    isRaw: config.raw === raw,
    redirectProxyUrl: config.redirectProxyUrl ?? found.redirectProxyUrl,
    redirectProxySecrets: Object.freeze(listOf(config.redirectProxySecret ?? found.redirectProxySecret)),
    redirectProxyOrigins: config.redirectProxyOrigins && Object.freeze([...config.redirectProxyOrigins]),
    basePath: basePath === undefined ? undefined : trimPath(basePath),
    proxyPrefix: proxyPrefix ?? "",
    canonicalOrigin: found.authUrl?.origin,
    unusedAuthUrl: { text: found.invalidAuthUrl, path: proxyPrefix === undefined ? found.basePath : undefined },
    rateLimit: config.rateLimit ?? {},
    maxAccountsPerUser: config.maxAccountsPerUser ?? DEFAULT_MAX_ACCOUNTS_PER_USER,
    clock: config.clock ?? Date.now,
    isProduction: found.isProduction,
    isDevelopment: found.isDevelopment,
  })
}
