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

/** The options of the second factor. `issuer` is undefined if the site's host is used. */
export type ReadySecondFactor = Readonly<Required<Omit<SecondFactorOptions, "issuer">>> &
  Readonly<Pick<SecondFactorOptions, "issuer">>

/** The session options without a default. */
type OptionalSessionOption = "generateSessionToken" | "absoluteMaxAge" | "unregisteredUntil"

/** A configuration with all defaults filled in, frozen. The original object is not changed. */
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
  /** As configured, or that of the adapter. */
  readonly store: Store | undefined
  readonly debug: boolean
  readonly logger: AuthConfig["logger"]
  readonly theme: Readonly<Theme>
  readonly views: string | undefined
  readonly useSecureCookies: boolean | undefined
  readonly cookies: NonNullable<AuthConfig["cookies"]>
  /** The hosts of a list are in the canonical form of URLs. */
  readonly trustHost: boolean | readonly string[]
  /** True on a platform that rejects requests for other hosts. */
  readonly isHostChecked: boolean
  readonly skipsCsrfCheck: boolean
  readonly isRaw: boolean
  readonly redirectProxyUrl: string | undefined
  /** Empty if states are encrypted with `secrets`. */
  readonly redirectProxySecrets: readonly string[]
  readonly redirectProxyOrigins: readonly string[] | undefined
  /** As configured or from AUTH_URL, without a trailing slash; if undefined, the mount path is used. */
  readonly basePath: string | undefined
  /** The part of AUTH_URL's path before `basePath`, which a proxy removes; empty without one. */
  readonly proxyPrefix: string
  /** The site's origin, from AUTH_URL. */
  readonly canonicalOrigin: string | undefined
  /** The unused parts of AUTH_URL: its text if that is not a URL, its path if that differs from `basePath`. */
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

/** The callbacks. Each always returns a promise; if the application's function throws, the promise rejects. */
export type ReadyCallbacks = {
  readonly [Name in keyof Callbacks]: (
    ...args: Parameters<Callbacks[Name]>
  ) => Promise<Awaited<ReturnType<Callbacks[Name]>>>
} & {
  /** The option `isActive`, which rejects with an AuthError if it fails. */
  readonly isActive: ((user: User) => Promise<boolean>) | undefined
}

export type Emit = <Name extends keyof EventsOptions>(
  name: Name,
  message: Parameters<NonNullable<EventsOptions[Name]>>[0],
) => Promise<void>
