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
  SessionAuthentication,
  Theme,
  User,
} from "../base/types.js"
import type { LoggerInstance } from "../logging/logger.js"
import type { Provider } from "../provider-kit/provider.js"
import type { RateLimitOptions } from "../security/rate-limit.js"
import type { Store } from "../store/store.js"
import type { raw, skipCSRFCheck } from "../symbols.js"

/**
 * The pages of your application that replace the built-in pages. Each value is a path on this site, or an absolute URL.
 * A page receives the query parameters that are listed here.
 */
export interface PagesOptions {
  /** The sign-in page. Query: `callbackUrl`, after a failure also `error`, and with credentials `code`. */
  signIn: string
  /** The page that asks the user to confirm the sign-out. */
  signOut: string
  /** The error page. Query: `error`. */
  error: string
  /** The page shown after an email with a sign-in link was requested. Query: `provider`, `type`. */
  verifyRequest: string
  /** The page shown after a user's first sign-in. Needs an adapter. Query: `callbackUrl`. */
  newUser: string
  /** The page on which new users create an account. The sign-in page links to this page. Query: `callbackUrl`. */
  signUp: string
  /** The page for a forgotten password. The sign-in page links to it below the password field. Query: `callbackUrl`. */
  forgotPassword: string
}

/** Functions that control sign-ins and sessions. Each can be async. A function that is not set has a default. */
export interface CallbacksOptions {
  /**
   * Decides whether the user can sign in. `true` continues the sign-in, `false` refuses it, and a string redirects to
   * that URL without creating a session.
   */
  signIn?: (params: {
    user: User | AdapterUser
    account?: Account | null
    profile?: Profile
    /** Set only when a sign-in link is requested, not when the link is opened. */
    email?: { verificationRequest?: boolean }
    /** The submitted fields. Set only with credentials. */
    // biome-ignore lint/suspicious/noExplicitAny: as in Auth.js; the application defines the fields
    credentials?: Record<string, any>
  }) => Awaitable<boolean | string>
  /**
   * Returns the URL to redirect to after a sign-in or sign-out. `url` is the return URL that the client requested, and
   * is untrusted. `baseUrl` is the origin of the site.
   */
  redirect?: (params: { url: string; baseUrl: string }) => Awaitable<string>
  /** Returns the session that `getSession` and the endpoint `/session` return. */
  session?: (
    params: ({
      session: { user: AdapterUser } & AdapterSession
      /** Set only with database sessions. */
      user: AdapterUser
    } & {
      session: Session
      /** The claims of the session cookie. Set only with cookie sessions. */
      token: JWT
    }) & {
      /** With `trigger: "update"`: the data that a client posted to `/session`. It is untrusted. */
      // biome-ignore lint/suspicious/noExplicitAny: untrusted input of any shape
      newSession: any
      trigger?: "update"
    },
  ) => Awaitable<Session | DefaultSession>
  /** Returns the claims to store in the session cookie. `null` ends the session. Not called for database sessions. */
  jwt?: (params: {
    token: JWT
    /** Set only at sign-in. */
    user: User | AdapterUser
    /** Set only at sign-in. */
    account?: Account | null
    /** Set only at sign-in with OAuth or OpenID Connect. */
    profile?: Profile
    trigger?: "signIn" | "signUp" | "update"
    /** @deprecated Use `trigger === "signUp"`. */
    isNewUser?: boolean
    /** With `trigger: "update"`: the data that a client posted to `/session`. It is untrusted. */
    // biome-ignore lint/suspicious/noExplicitAny: untrusted input of any shape
    session?: any
  }) => Awaitable<JWT | null>
}

/**
 * A change of a user's second factor. "enrolled": the user set up an authenticator app. "removed": the user turned the
 * second factor off. "reset": `resetSecondFactor` was called. "recovery-code-used": the user entered a recovery
 * code. "recovery-codes-renewed": the user created new recovery codes.
 */
export type SecondFactorChange = "enrolled" | "removed" | "reset" | "recovery-code-used" | "recovery-codes-renewed"

/**
 * Functions that are called after events. If one fails, the failure is logged and the request continues. Only a failure
 * of `confirmEmailOwner` makes the sign-in fail.
 */
export interface EventsOptions {
  /** A user has signed in. */
  signIn?: (message: {
    user: User
    account?: Account | null
    profile?: Profile
    isNewUser?: boolean
    /** The data that was passed to `req.completeRequirement`, under the names of the requirements. */
    data?: Readonly<Record<string, unknown>>
  }) => Awaitable<void>
  /**
   * A user has signed out. `session` is the deleted database session, or `token` has the claims of the session cookie.
   */
  signOut?: (
    message:
      | { session: AdapterSession | null | undefined | void; token?: undefined }
      | { token: JWT | null; session?: undefined },
  ) => Awaitable<void>
  /** The adapter has created a user. `data` is the same as in the event `signIn`. */
  createUser?: (message: { user: User; data?: Readonly<Record<string, unknown>> }) => Awaitable<void>
  /** The adapter has updated a user. */
  updateUser?: (message: { user: User }) => Awaitable<void>
  /**
   * The user's email address is verified for the first time, in a browser that was not signed in as this user. Before
   * that, an attacker may have signed up with this address. So the passkeys, the accounts whose providers did not
   * verify the address, and the second factor have been removed. `removed` lists these passkeys and accounts. Database
   * sessions have ended, and with a store all sessions. Remove what an attacker may have set in your application, such
   * as a password.
   *
   * The address is stored as verified only after this handler has succeeded. If the handler fails or takes longer than
   * 5 s, the sign-in fails, and the next sign-in calls the handler again.
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
  /** A session was read. With database sessions, `token` is undefined. */
  session?: (message: { session: Session; token: JWT }) => Awaitable<void>
  /**
   * The second factor of a user has changed, or a recovery code was used. `owner` equals `req.auth.owner` of the user.
   */
  secondFactor?: (message: { owner: string; change: SecondFactorChange }) => Awaitable<void>
}

/** Where sessions are stored, and how long they last. */
export interface SessionOptions {
  /** Where sessions are stored. @default "database" with an adapter, else "jwt" (an encrypted cookie) */
  strategy?: "jwt" | "database"
  /** Idle timeout: seconds until an unused session ends. @default 2592000 (30 days) */
  maxAge?: number
  /**
   * When a session is used, it is renewed if its last renewal was at least this number of seconds ago.
   * @default 86400 (a day), or a thirtieth of `maxAge` if that is less
   */
  updateAge?: number
  /** Absolute timeout: seconds after the sign-in at which a session ends, however often it is used. @default none */
  absoluteMaxAge?: number
  /**
   * Whether users stay signed in when they close the browser. With true, browsers keep the session cookie for `maxAge`.
   * With false, browsers delete it when they are closed, and the session ends a day after its last use. "ask" lets
   * users choose on the sign-in page. @default true
   */
  remember?: boolean | "ask"
  /** Returns the token of a new database session: at least 128 random bits. @default 32 random bytes as base64url */
  generateSessionToken?: () => string
  /**
   * Whether the name of the session cookie begins with `__Host-` on https, so that no other host can set this cookie.
   * Cookies with the former name stay valid and are replaced when the session is read. @default false, as in Auth.js
   */
  hostPrefix?: boolean
  /**
   * The maximum size in bytes of the cookies for the session, the CSRF token and the return URL together, from 4096 to
   * 16384. Many proxies reject larger headers, see docs/sessions.md. If a new session would exceed this size, the
   * sign-in fails.
   * @default 7168
   */
  maxCookieSize?: number
  /**
   * With a store: keeps a record of each session. Users can then list their sessions, and all processes reject an ended
   * session within a second. @default true
   */
  revocable?: boolean
  /**
   * From this time on, sessions that were created without a store, such as sessions of Auth.js, are rejected. Sessions
   * that were used with the store before this time stay valid. @default never
   */
  unregisteredUntil?: Date
  /**
   * Whether the record of a session contains the client's IP address: in "full", or "truncated" to its network.
   * @default false
   */
  recordAddress?: false | "truncated" | "full"
  /**
   * Keeps the user's other sessions when the passkeys, accounts, second factor or email address of the user change.
   * @default false: the other sessions end, because one of them may belong to an attacker
   */
  keepOnFactorChange?: boolean
}

/** A way to prove the second factor: an authenticator app, a passkey, or a recovery code. */
export type SecondFactorMethod = "totp" | "passkey" | "recovery"

/** The second factor of users: a code of an authenticator app (TOTP, RFC 6238), a passkey, or a recovery code. */
export interface SecondFactorOptions {
  /** The methods that users can use. The list must contain "totp". @default ["totp", "passkey", "recovery"] */
  methods?: readonly SecondFactorMethod[]
  /**
   * Returns whether this user must have a second factor: every result except false means yes. A user without a second
   * factor sets one up during the next sign-in. Users who have set up an authenticator app are always asked for the
   * second factor, except in a browser that they trust. @default false for all users
   *
   * @example
   * required: (user) => user.role === "admin"
   */
  required?: (user: User, authentication: Omit<SessionAuthentication, "id" | "owner">) => Awaitable<boolean>
  /** The name of the site in authenticator apps. @default the site's host */
  issuer?: string
  /**
   * For how many days, at most 400, users can skip the second factor in a browser that they trust. @default 0: never
   */
  rememberDeviceDays?: number
}

/**
 * The configuration: an argument of `authMiddleware`, `authHandlers`, `getSession` and `Auth`, which never modify it.
 *
 * @example
 * const config: AuthConfig = { providers: [GitHub], secret: process.env.AUTH_SECRET }
 */
export interface AuthConfig {
  /** The sign-in methods: provider objects, or factories that need no options. */
  providers: Provider[]
  /**
   * Encrypts and signs cookies and links: at least 32 random characters. In a list, the first secret encrypts and
   * signs, and all secrets are accepted. Entries after the first can be undefined. @default AUTH_SECRET
   */
  secret?: string | (string | undefined)[] | undefined
  /** Where sessions are stored, and how long they last. */
  session?: Optional<SessionOptions> | undefined
  /** How the session cookie is encrypted. */
  jwt?: Optional<JWTOptions> | undefined
  /** The pages of your application that replace the built-in pages. */
  pages?: Optional<PagesOptions> | undefined
  /** Functions that control sign-ins and sessions. */
  callbacks?: CallbacksOptions | undefined
  /** Functions that are called after events. */
  events?: EventsOptions | undefined
  /** Stores users, accounts and sessions. */
  adapter?: Adapter | undefined
  /**
   * Stores what several processes share, such as the records of sessions, the counts of `rateLimit` and the ids of
   * finished sign-ins. Without a store, each process counts for itself, and options that need a store can't be used.
   * @default the store of `SqlAdapter`, `RedisAdapter` or `MemoryAdapter`; none with another adapter
   */
  store?: Store | undefined
  /** Logs each step, with secrets masked. @default false */
  debug?: boolean | undefined
  /** Receives the log records. @default the console */
  logger?: Partial<LoggerInstance> | undefined
  /** The design and the languages of the built-in pages and emails. */
  theme?: Optional<Theme> | undefined
  /** The path of a folder. Each EJS template in it replaces the built-in template of the same name. */
  views?: string | undefined
  /**
   * Gives all cookies the attribute `Secure`, and their default names the prefixes for https. @default true on https
   */
  useSecureCookies?: boolean | undefined
  /** The names and attributes of the cookies. */
  cookies?: Partial<CookiesOptions> | undefined
  /**
   * The hosts of a site that has several hosts: `["example.com", "*.example.com"]`. A request for another host gets
   * status 400. `true` trusts the host of every request, and logs a warning in production. A site with one host sets
   * AUTH_URL instead.
   *
   * @default true outside production, with AUTH_URL or AUTH_TRUST_HOST, and on Vercel and Cloudflare Pages
   */
  trustHost?: boolean | readonly string[] | undefined
  /** Set it to the exported symbol `skipCSRFCheck` to turn the CSRF token off. */
  skipCSRFCheck?: typeof skipCSRFCheck | undefined
  /** Set it to the exported symbol `raw` to make `Auth` return data instead of a `Response`. */
  raw?: typeof raw | undefined
  /**
   * For deployments whose URLs change: the base URL of a redirect proxy, `https://auth.example.com/auth`. The proxy is
   * a deployment with a fixed URL. It receives the responses of providers, and forwards each to the deployment where
   * the sign-in started. @default AUTH_REDIRECT_PROXY_URL
   */
  redirectProxyUrl?: string | undefined
  /**
   * Encrypts the parameter `state` of sign-ins through the redirect proxy: at least 32 random characters, the same on
   * the proxy and on all deployments. In a list, the first secret encrypts and all secrets are accepted.
   * @default AUTH_REDIRECT_PROXY_SECRET, else `secret`
   */
  redirectProxySecret?: string | (string | undefined)[] | undefined
  /**
   * On the redirect proxy: the origins of the deployments to which the proxy forwards responses of providers. A "*" in
   * the first label of a host matches one label or a part of it: `["https://*.preview.example.com"]`. @default none
   */
  redirectProxyOrigins?: readonly string[] | undefined
  /** Accepted for compatibility with Auth.js and ignored. */
  experimental?: { enableWebAuthn?: boolean } | undefined
  /**
   * The path below which the endpoints are served. @default the path of AUTH_URL, else the mount path, else "/auth"
   * (with `authHandlers` "/api/auth")
   */
  basePath?: string | undefined
  /** An alias of `basePath`. */
  prefix?: string | undefined
  /**
   * Limits on attempts with credentials, on sign-in emails, on sign-ups with a passkey and on starts of an OAuth
   * sign-in. `false` turns off all of these limits. @default the defaults of `RateLimitOptions`, for example 10
   * attempts for one account from one client in 15 minutes
   */
  rateLimit?: RateLimitOptions | false | undefined
  /**
   * What users must do before a sign-in creates a session, such as accepting the terms. Requirements are checked in the
   * order of the list. Needs a store.
   */
  requirements?: readonly Requirement[] | undefined
  /**
   * Returns true if the user may be signed in, and false for example for a banned user. It is called at each sign-in.
   * While a session is used, each process calls it at most once a minute for this session. If the result at a sign-in
   * is not true, the sign-in is refused. If the result for a session is not true, all sessions of the user end. Needs a
   * store. `user` is the adapter's user. Without an adapter, and with credentials in cookie sessions, it is the user of
   * the session.
   * @default every user may be signed in
   */
  isActive?: ((user: User) => Awaitable<boolean>) | undefined
  /**
   * The second factor of users. Needs the packages `otplib` and `uqr`, and a store, which must be durable in
   * production.
   * @default none
   */
  secondFactor?: Optional<SecondFactorOptions> | undefined
  /** The maximum number of accounts and passkeys together that one user can have. @default 20 */
  maxAccountsPerUser?: number | undefined
  /** Returns the current time in milliseconds since 1970; for tests. @default Date.now */
  clock?: (() => number) | undefined
}
