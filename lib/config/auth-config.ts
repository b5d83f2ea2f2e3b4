import type { Adapter, AdapterAccount, AdapterSession, AdapterUser } from "../adapters/adapter.js"
import type { Awaitable } from "../base/awaitable.js"
import type {
  Account,
  CookiesOptions,
  DefaultSession,
  JWT,
  JWTOptions,
  Optional,
  Profile,
  Requirement,
  Session,
  SessionOrigin,
  Theme,
  User,
} from "../base/types.js"
import type { LoggerInstance } from "../logging/logger.js"
import type { Provider } from "../provider-kit/provider.js"
import type { RateLimitOptions } from "../security/rate-limit.js"
import type { Store } from "../store/store.js"
import type { raw, skipCSRFCheck } from "../symbols.js"

/** Your own pages instead of the built-in ones: paths on this site, or absolute URLs. They get query parameters. */
export interface PagesOptions {
  /** The sign-in page. Gets `callbackUrl`, and after a failure `error` and `code`. */
  signIn: string
  /** The page that asks the user to confirm the sign-out. */
  signOut: string
  /** The error page. Gets `error`. */
  error: string
  /** The page shown after an email with a sign-in link was sent. */
  verifyRequest: string
  /** The page shown after a user's first sign-in. Gets `callbackUrl`. */
  newUser: string
  /** The page on which new users create an account. The sign-in page links to it. Gets `callbackUrl`. */
  signUp: string
  /** The page for a forgotten password. The sign-in page links to it below the password. Gets `callbackUrl`. */
  forgotPassword: string
}

/** Functions that control sign-ins and sessions. Each may be async, and replaces a default. */
export interface CallbacksOptions {
  /** Decides whether the user may sign in. `false` refuses; a string redirects to that URL without a session. */
  signIn?: (params: {
    user: User | AdapterUser
    account?: Account | null
    profile?: Profile
    /** Only when a sign-in link is requested. */
    email?: { verificationRequest?: boolean }
    /** Only with credentials: the submitted fields. */
    // biome-ignore lint/suspicious/noExplicitAny: as in Auth.js; the application defines the fields
    credentials?: Record<string, any>
  }) => Awaitable<boolean | string>
  /** Returns the URL to redirect to after a sign-in or sign-out. `url` is the one that the client requested. */
  redirect?: (params: { url: string; baseUrl: string }) => Awaitable<string>
  /** Returns the session as `getSession` and `/session` show it. */
  session?: (
    params: ({
      session: { user: AdapterUser } & AdapterSession
      /** Only with database sessions. */
      user: AdapterUser
    } & {
      session: Session
      /** Only with cookie sessions. */
      token: JWT
    }) & {
      /** The data that a client posted to `/session`, untrusted. */
      // biome-ignore lint/suspicious/noExplicitAny: untrusted input of any shape
      newSession: any
      trigger?: "update"
    },
  ) => Awaitable<Session | DefaultSession>
  /** Returns the claims of the session cookie. `null` ends the session. */
  jwt?: (params: {
    token: JWT
    /** Only at sign-in. */
    user: User | AdapterUser
    /** Only at sign-in. */
    account?: Account | null
    /** Only at sign-in with OAuth or OpenID Connect. */
    profile?: Profile
    trigger?: "signIn" | "signUp" | "update"
    /** @deprecated Use `trigger === "signUp"`. */
    isNewUser?: boolean
    /** With `trigger: "update"`: the data that a client posted to `/session`, untrusted. */
    // biome-ignore lint/suspicious/noExplicitAny: untrusted input of any shape
    session?: any
  }) => Awaitable<JWT | null>
}

/**
 * What happened to a second factor: "enrolled" when an app was set up, "removed" by the user, "reset" by
 * `resetSecondFactor`, "recovery-code-used", and "recovery-codes-renewed".
 */
export type SecondFactorChange = "enrolled" | "removed" | "reset" | "recovery-code-used" | "recovery-codes-renewed"

/** Event handlers. A failure is logged and changes nothing, except in `confirmEmailOwner`. */
export interface EventsOptions {
  /** A user has signed in. */
  signIn?: (message: {
    user: User
    account?: Account | null
    profile?: Profile
    isNewUser?: boolean
    /** What `req.completeRequirement` received, by the names of the requirements. */
    data?: Readonly<Record<string, unknown>>
  }) => Awaitable<void>
  /** A user has signed out. The message has the deleted session, or the claims of its cookie. */
  signOut?: (
    message:
      | { session: AdapterSession | null | undefined | void; token?: undefined }
      | { token: JWT | null; session?: undefined },
  ) => Awaitable<void>
  /** The adapter has created a user. `data` is what `req.completeRequirement` received, by the names of the requirements. */
  createUser?: (message: { user: User; data?: Readonly<Record<string, unknown>> }) => Awaitable<void>
  /** The adapter has updated a user. */
  updateUser?: (message: { user: User }) => Awaitable<void>
  /**
   * The owner of the user's email address has verified it for the first time, in a browser that was not signed in as
   * this user. Accounts and passkeys that were not verified for the address were removed, and database sessions ended.
   * Remove data of the application that an attacker may have set before, such as a password. The address is stored as
   * verified only after this handler: if it fails or takes longer than 5 s, the sign-in fails, and the next one calls it again.
   *
   * @example
   * confirmEmailOwner: ({ user }) => db.clearPassword(user.id)
   */
  confirmEmailOwner?: (message: { user: AdapterUser; removed: readonly AdapterAccount[] }) => Awaitable<void>
  /** An account of a provider was linked to a user. */
  linkAccount?: (message: {
    user: User | AdapterUser
    account: Account
    profile: User | AdapterUser
  }) => Awaitable<void>
  /** A session was read. */
  session?: (message: { session: Session; token: JWT }) => Awaitable<void>
  /** The second factor of a user has changed, or a recovery code was used. `owner` is `req.auth.owner`. */
  secondFactor?: (message: { owner: string; change: SecondFactorChange }) => Awaitable<void>
}

/** Where sessions are stored, and how long they last. */
export interface SessionOptions {
  /** Where sessions are stored. @default "database" with an adapter, else "jwt" (an encrypted cookie) */
  strategy?: "jwt" | "database"
  /** Idle timeout: seconds until an unused session ends. @default 2592000 (30 days) */
  maxAge?: number
  /**
   * Seconds after which a session in use is extended.
   * @default 86400 (a day), or a thirtieth of `maxAge` if that is less
   */
  updateAge?: number
  /** Absolute timeout: seconds after the sign-in at which a session ends, however often it is used. @default none */
  absoluteMaxAge?: number
  /**
   * True if browsers keep the session's cookie for `maxAge`; false if it ends with the browser, and the session a day
   * after its last use. "ask" lets users choose on the sign-in page. @default true
   */
  remember?: boolean | "ask"
  /** Returns the token of a database session, with at least 128 random bits. @default 32 random bytes as base64url */
  generateSessionToken?: () => string
  /**
   * Adds `__Host-` to the name of the session cookie on https, so that no other host can set it. Sessions under the
   * former name stay valid, and their cookies are replaced when they are read. @default false, as in Auth.js
   */
  hostPrefix?: boolean
  /**
   * The maximum size in bytes of this package's cookies in each request, at most 16384. Proxies and Node.js reject
   * larger headers by default, see docs/sessions.md. A session that would exceed it is not created.
   * @default 7168
   */
  maxCookieSize?: number
  /**
   * With a store: keeps a record of each session, so that users see their sessions, and an ended session is refused in
   * all processes within a second. @default true
   */
  revocable?: boolean
  /**
   * When sessions that were created without a store, such as those of Auth.js, are no longer accepted, except those that
   * were used with the store before. @default never
   */
  unregisteredUntil?: Date
  /** Whether the record of a session has the client's IP address: as a whole, or its network only. @default false */
  recordAddress?: false | "truncated" | "full"
  /**
   * Keeps the other sessions of a user whose passkeys, accounts or email address change. @default false: they end, as
   * one of them may be an intruder's
   */
  keepOnFactorChange?: boolean
}

/** A way to prove the second factor: an authenticator app, a passkey, or a recovery code. */
export type SecondFactorMethod = "totp" | "passkey" | "recovery"

/** The second factor of users: a code of an authenticator app (TOTP, RFC 6238), a passkey, or a recovery code. */
export interface SecondFactorOptions {
  /** What users can use. It includes "totp". @default ["totp", "passkey", "recovery"] */
  methods?: readonly SecondFactorMethod[]
  /**
   * True if this user must have a second factor. It is set up in the next sign-in. Users who have set one up are always
   * asked for it. @default false for all users
   *
   * @example
   * required: (user) => user.role === "admin"
   */
  required?: (user: User, origin: Omit<SessionOrigin, "id" | "owner">) => Awaitable<boolean>
  /** The name of the site in authenticator apps. @default the site's host */
  issuer?: string
  /** For how many days users can trust a browser, which then does not ask for the second factor. @default 0: never */
  rememberDeviceDays?: number
}

/**
 * The configuration that `authMiddleware`, `authHandlers`, `getSession` and `Auth` take. It is never modified.
 *
 * @example
 * const config: AuthConfig = { providers: [GitHub], secret: process.env.AUTH_SECRET }
 */
export interface AuthConfig {
  /** The sign-in methods: provider objects, or factories that need no options. */
  providers: Provider[]
  /**
   * The key for encryption and signatures: at least 32 random characters. In a list, the first one is used for new
   * values and all are accepted; undefined entries are ignored. @default AUTH_SECRET
   */
  secret?: string | (string | undefined)[] | undefined
  /** Where sessions are stored, and how long they last. */
  session?: Optional<SessionOptions> | undefined
  /** How the session cookie is encrypted. */
  jwt?: Optional<JWTOptions> | undefined
  /** Your own pages instead of the built-in ones. */
  pages?: Optional<PagesOptions> | undefined
  /** Functions that control sign-ins and sessions. */
  callbacks?: CallbacksOptions | undefined
  /** Event handlers. */
  events?: EventsOptions | undefined
  /** Stores users, accounts and sessions. */
  adapter?: Adapter | undefined
  /**
   * Holds what several processes share, such as the counts of `rateLimit` and the ids of finished sign-ins.
   * @default the store of `SqlAdapter`, `RedisAdapter` or `MemoryAdapter`; with another adapter or none, each process counts for itself
   */
  store?: Store | undefined
  /** Logs each step, with secrets masked. @default false */
  debug?: boolean | undefined
  /** Receives the log records. @default the console */
  logger?: Partial<LoggerInstance> | undefined
  /** The design and the languages of the built-in pages and emails. */
  theme?: Optional<Theme> | undefined
  /** A folder of EJS templates that replace the built-in ones file by file. */
  views?: string | undefined
  /** Makes all cookies `Secure`. @default true on https */
  useSecureCookies?: boolean | undefined
  /** Names and attributes of cookies. */
  cookies?: Partial<CookiesOptions> | undefined
  /**
   * The site's hosts, if AUTH_URL does not name the only one: `["example.com", "*.example.com"]`. A request for another
   * host gets status 400. `true` trusts the host of every request, and logs a warning in production.
   *
   * @default true outside production, or with AUTH_URL or AUTH_TRUST_HOST
   */
  trustHost?: boolean | readonly string[] | undefined
  /** Set it to the exported symbol `skipCSRFCheck` to turn the CSRF token off. */
  skipCSRFCheck?: typeof skipCSRFCheck | undefined
  /** Set it to the exported symbol `raw` to make `Auth` return data instead of a `Response`. */
  raw?: typeof raw | undefined
  /**
   * A fixed redirect URI shared by several deployments: `https://auth.example.com/auth`.
   * @default AUTH_REDIRECT_PROXY_URL
   */
  redirectProxyUrl?: string | undefined
  /**
   * Encrypts `state` for `redirectProxyUrl`, on the proxy and on the deployments: at least 32 random characters. In a
   * list, the first one encrypts and all are accepted. @default AUTH_REDIRECT_PROXY_SECRET, else `secret`
   */
  redirectProxySecret?: string | (string | undefined)[] | undefined
  /**
   * On the proxy: the origins of the deployments to which it forwards responses of providers. "*" matches one label.
   * @default none
   */
  redirectProxyOrigins?: readonly string[] | undefined
  /** Accepted for compatibility with Auth.js and ignored. */
  experimental?: { enableWebAuthn?: boolean } | undefined
  /** The path of the endpoints. @default the path of AUTH_URL, else the mount path, else "/auth" */
  basePath?: string | undefined
  /** An alias of `basePath`. */
  prefix?: string | undefined
  /**
   * Limits on attempts with credentials, on sign-in emails, on sign-ups with a passkey and on starts of an OAuth
   * sign-in; `false` turns all of them off.
   * @default in 15 minutes: 10 attempts for one account from one client, 100 failures from one client, 5 emails to one
   * address, 60 emails, 60 sign-ups with a passkey and 300 starts of an OAuth sign-in for one client
   */
  rateLimit?: RateLimitOptions | false | undefined
  /**
   * What users must do before a sign-in creates a session, such as accepting the terms, in this order. Needs a store and
   * the middleware for Express.
   */
  requirements?: readonly Requirement[] | undefined
  /**
   * Returns false for a user who must not be signed in, such as a banned one. Asked at each sign-in, and while a session
   * is used, once a minute in each process. All sessions of the user then end. Needs a store. `user` is the adapter's
   * user. Without an adapter, and with credentials in encrypted cookies, it is the user of the session. @default true
   */
  isActive?: ((user: User) => Awaitable<boolean>) | undefined
  /** The second factor of users. Needs a durable store, and the packages `otplib` and `uqr`. @default none */
  secondFactor?: Optional<SecondFactorOptions> | undefined
  /** The maximum number of accounts and passkeys of one user. @default 20 */
  maxAccountsPerUser?: number | undefined
  /** Returns the current time in milliseconds since 1970; for tests. @default Date.now */
  clock?: (() => number) | undefined
}
