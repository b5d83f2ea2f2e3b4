import type { Adapter } from "../adapters/adapter.js"
import type { JWTOptions, Requirement, Theme, User } from "../base/types.js"
import type { ProviderObject } from "../provider-kit/provider.js"
import type { RateLimitOptions } from "../security/rate-limit.js"
import type { Store } from "../store/store.js"
import type {
  AuthConfig,
  CallbacksOptions,
  EventsOptions,
  PagesOptions,
  SecondFactorOptions,
  SessionOptions,
} from "./auth-config.js"

/** The options of the second factor with their defaults. If `issuer` is undefined, the site's host is used. */
export type ReadySecondFactor = Readonly<Required<Omit<SecondFactorOptions, "issuer">>> &
  Readonly<Pick<SecondFactorOptions, "issuer">>

/** The session options without a default. */
type OptionalSessionOption = "generateSessionToken" | "absoluteMaxAge" | "unregisteredUntil"

/** A frozen copy of a configuration, with all defaults. */
export interface ResolvedConfig {
  readonly providers: readonly ProviderObject[]
  readonly secrets: readonly string[]
  readonly session: Readonly<Required<Omit<SessionOptions, OptionalSessionOption>>> &
    Readonly<Pick<SessionOptions, OptionalSessionOption>>
  readonly jwt: Readonly<{ secrets: readonly string[]; maxAge: number }> &
    Partial<Pick<JWTOptions, "encode" | "decode">>
  readonly pages: Readonly<Partial<PagesOptions>>
  readonly callbacks: Readonly<CallbacksOptions>
  readonly events: NonNullable<AuthConfig["events"]>
  readonly adapter: Adapter | undefined
  /** The configured store, or the store of the adapter. */
  readonly store: Store | undefined
  readonly debug: boolean
  readonly logger: AuthConfig["logger"]
  readonly theme: Readonly<Theme>
  readonly views: string | undefined
  readonly useSecureCookies: boolean | undefined
  readonly cookies: NonNullable<AuthConfig["cookies"]>
  /** The hosts of a list are normalised as in URLs: in lower case, without the default port. */
  readonly trustHost: boolean | readonly string[]
  /** True on a platform that rejects requests for hosts of other sites. */
  readonly platformChecksHost: boolean
  readonly skipsCsrfCheck: boolean
  readonly isRaw: boolean
  readonly redirectProxyUrl: string | undefined
  /** The secrets that encrypt the parameter `state`. If the list is empty, `secrets` encrypt it. */
  readonly redirectProxySecrets: readonly string[]
  readonly redirectProxyOrigins: readonly string[] | undefined
  /** The configured path or the path of AUTH_URL, without a trailing slash. If undefined, the mount path is used. */
  readonly basePath: string | undefined
  /** The prefix that a proxy removes from paths: the part of AUTH_URL's path before `basePath`. It can be empty. */
  readonly proxyPrefix: string
  /** The origin of AUTH_URL. Undefined if AUTH_URL is not set or is invalid. */
  readonly canonicalOrigin: string | undefined
  /**
   * The part of AUTH_URL that is ignored: the whole text if it is not an http or https URL, or the path if it does not
   * end with `basePath`.
   */
  readonly unusedAuthUrl: { readonly invalidText?: string | undefined; readonly path?: string | undefined }
  readonly rateLimit: RateLimitOptions | false
  readonly requirements: readonly Requirement[]
  readonly isActive: AuthConfig["isActive"]
  readonly secondFactor: ReadySecondFactor | undefined
  readonly maxAccountsPerUser: number
  readonly clock: () => number
  readonly isProduction: boolean
  /** True if pages may show details of the log to the developer. */
  readonly isDevelopment: boolean
}

type Callbacks = Required<CallbacksOptions>

/** The callbacks with their defaults. Each returns a promise, which rejects if the application's function throws. */
export type ReadyCallbacks = {
  readonly [Name in keyof Callbacks]: (
    ...args: Parameters<Callbacks[Name]>
  ) => Promise<Awaited<ReturnType<Callbacks[Name]>>>
} & {
  /** The option `isActive`. If the application's function fails, the promise rejects with an `AuthError`. */
  readonly isActive: ((user: User) => Promise<boolean>) | undefined
}

/** Calls the application's handler of an event. */
export type Emit = <Name extends keyof EventsOptions>(
  name: Name,
  message: Parameters<NonNullable<EventsOptions[Name]>>[0],
) => Promise<void>
