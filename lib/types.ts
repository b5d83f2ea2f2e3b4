/**
 * The public types. This module has no run-time code.
 *
 * `Session`, `User` and `JWT` are interfaces, so that an application can add members:
 *
 * @example
 * declare module "latchkey" {
 *   interface User { role?: string }
 * }
 *
 * @module
 */
import type { AuthorizationDetails, JsonValue } from "oauth4webapi"
import type { Adapter, AdapterAccount, AdapterSession, AdapterUser } from "./adapters/adapter.js"
import type { JWT, JWTOptions } from "./jwt.js"
import type { LoggerInstance } from "./logging/logger.js"
import type { Provider, ProviderType } from "./provider-kit/provider.js"
import type { RateLimitOptions } from "./security/rate-limit.js"
import type { Store } from "./store/store.js"
import type { raw, skipCSRFCheck } from "./symbols.js"

export type {
  Adapter,
  AdapterAccount,
  AdapterAccountType,
  AdapterAuthenticator,
  AdapterSession,
  AdapterUser,
  OwnAdapter,
  VerificationToken,
} from "./adapters/adapter.js"
export type { DefaultJWT, JWT, JWTDecodeParams, JWTEncodeParams, JWTOptions } from "./jwt.js"
export type { LoggerInstance } from "./logging/logger.js"
export type {
  ClientSecret,
  CommonProviderOptions,
  CredentialInput,
  CredentialShapes,
  CredentialsConfig,
  EmailConfig,
  EmailVerificationRule,
  EndpointHandler,
  OAuth2Config,
  OAuthConfig,
  OAuthProviderButtonStyles,
  OAuthUserConfig,
  OIDCConfig,
  OIDCUserConfig,
  Provider,
  ProviderContext,
  ProviderObject,
  ProviderType,
  SignInMail,
  WebAuthnConfig,
} from "./provider-kit/provider.js"
export type { MailConfig, MailParams, MailUserConfig, RequiredMailOption } from "./provider-kit/send-mail.js"
export type { SmtpOptions } from "./provider-kit/smtp.js"
export type { RateLimitOptions } from "./security/rate-limit.js"
export type { Store, StoreCounter, StorePage, StoreRecord, StoreWrite } from "./store/store.js"

/** A value, or a promise of it. */
export type Awaitable<T> = T | PromiseLike<T>

/** The response of a token endpoint (RFC 6749 §5.1), with the expiry also as a point in time. */
export interface TokenSet {
  /** For calls to the provider's API on the user's behalf. */
  access_token?: string
  /** In lower case, for example "bearer". */
  token_type?: Lowercase<string>
  /** Lifetime of the access token in seconds, as the provider returned it. */
  expires_in?: number
  /** Expiry of the access token in seconds since 1970, computed when the response arrived. */
  expires_at?: number
  /** Gets new access tokens. Not every provider returns one. */
  refresh_token?: string
  /** The granted scopes, separated by spaces. */
  scope?: string
  /** The user's identity as a signed JWT (OpenID Connect Core §2). */
  id_token?: string
  /** The granted authorization details (RFC 9396). */
  authorization_details?: AuthorizationDetails[]
  readonly [member: string]: JsonValue | undefined
}

/** A user's account at one provider, with the tokens of the sign-in. */
export interface Account extends TokenSet {
  /** The provider's id, for example "github". */
  provider: string
  /** The user's id at the provider. */
  providerAccountId: string
  /** The provider's type. */
  type: ProviderType
  /** The user's id in this application; set once the account is linked to a user. */
  userId?: string
}

/** A provider's data about a user: the claims of the id_token, or the userinfo response. */
export interface Profile {
  id?: string | null
  sub?: string | null
  name?: string | null
  given_name?: string | null
  family_name?: string | null
  middle_name?: string | null
  nickname?: string | null
  preferred_username?: string | null
  profile?: string | null
  // biome-ignore lint/suspicious/noExplicitAny: as in Auth.js; vendors send strings and objects here
  picture?: string | null | any
  website?: string | null
  email?: string | null
  email_verified?: boolean | null
  gender?: string | null
  birthdate?: string | null
  zoneinfo?: string | null
  locale?: string | null
  phone_number?: string | null
  updated_at?: Date | string | number | null
  address?: {
    formatted?: string | null
    street_address?: string | null
    locality?: string | null
    region?: string | null
    postal_code?: string | null
    country?: string | null
  } | null
  [claim: string]: unknown
}

/** The default members of a user. */
export interface DefaultUser {
  /** The user's id in the adapter. Without an adapter, each OAuth sign-in creates a new one. */
  id?: string | undefined
  /** The display name. */
  name?: string | null | undefined
  /** The email address. */
  email?: string | null | undefined
  /** URL of a picture. */
  image?: string | null | undefined
}

/** The signed-in user. Extend it by module augmentation. */
export interface User extends DefaultUser {}

/** The default members of a session. */
export interface DefaultSession {
  /** The user: name, email address and image, and what a `session` callback adds. */
  user?: User
  /** When the session ends unless it is used again, as ISO 8601 text. */
  expires: string
}

/** How a session was opened. */
export interface SessionOrigin {
  /** The session's id. It stays the same when the user connects another account. */
  readonly id: string
  /**
   * Names the user in the store: the adapter's user id. Without an adapter `<provider>:<providerAccountId>`, or with
   * credentials the id from `authorize`.
   */
  readonly owner: string
  /** The id of the provider. */
  readonly provider: string
  /** The type of the provider: "oauth", "oidc", "email", "credentials" or "webauthn". */
  readonly method: string
  /** The authentication methods (RFC 8176): "pwd", "email", "hwk", "user", "mfa". Empty if they are unknown. */
  readonly amr: readonly string[]
  /** When the user was authenticated, in seconds since 1970. Undefined if the provider does not state it. */
  readonly authTime?: number
  /** The authentication context class that a trusted provider states. */
  readonly acr?: string
  /** The id of the session at the provider (`sid` of OpenID Connect). */
  readonly providerSid?: string
}

/** What `req.getSession()` returns. Extend it by module augmentation. */
export interface Session extends DefaultSession {}

/** The design and the languages of the built-in pages and emails. */
export interface Theme {
  /** "auto" follows the visitor's system setting. @default "auto" */
  colorScheme?: "auto" | "dark" | "light"
  /** URL of an image shown above the form: absolute, or starting with "/". */
  logo?: string
  /** A CSS colour for buttons and links. */
  brandColor?: string
  /** A CSS colour for the text on buttons. */
  buttonText?: string
  /** The only language, as a BCP 47 tag such as "de". @default the language that the browser requests */
  locale?: string
  /**
   * The languages to choose from. If the browser requests none of them: English if it is listed, else the first one.
   * @default all
   */
  locales?: readonly string[]
}

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
}

/** Attributes of a cookie (RFC 6265). */
export interface CookieSerializeOptions {
  /** Sends the cookie to this domain and all its subdomains. @default only the site's own host */
  domain?: string | undefined
  /** Encodes the value. @default percent-encoding of characters that a cookie can't contain */
  encode?(value: string): string
  /** When the browser deletes the cookie. */
  expires?: Date | undefined
  /** Hides the cookie from scripts. @default true */
  httpOnly?: boolean | undefined
  /** Lifetime in seconds. */
  maxAge?: number | undefined
  /** Stores a separate cookie for each site that embeds this one. */
  partitioned?: boolean | undefined
  /** Sends the cookie only to URLs below this path. @default "/" */
  path?: string | undefined
  /** When a browser has too many cookies, it deletes those of lower priority first. */
  priority?: "low" | "medium" | "high" | undefined
  /** Which cross-site requests carry the cookie. @default "lax" */
  sameSite?: true | false | "lax" | "strict" | "none" | undefined
  /** Sends the cookie only over https. @default true on https */
  secure?: boolean | undefined
}

/** A cookie's name and attributes. */
export interface CookieOption {
  /** The complete name, including a prefix such as `__Secure-` or `__Host-`. */
  name: string
  /** Attributes that replace the default ones, one by one. */
  options: CookieSerializeOptions
}

/** The names and attributes of the cookies. Every part may be left out. */
export interface CookiesOptions {
  /** The session: encrypted, or the token of a database session. */
  sessionToken: Partial<CookieOption>
  /** The return URL: where the browser goes after a sign-in or sign-out. */
  callbackUrl: Partial<CookieOption>
  /** The CSRF token, signed. */
  csrfToken: Partial<CookieOption>
  /** Not used: the PKCE code verifier is in `state`. */
  pkceCodeVerifier: Partial<CookieOption>
  /** An OAuth sign-in in progress, encrypted. Each has its own cookie. */
  state: Partial<CookieOption>
  /** Not used: the nonce is in `state`. */
  nonce: Partial<CookieOption>
  /** The challenge of a passkey ceremony, encrypted. */
  webauthnChallenge: Partial<CookieOption>
}

/** A provider without its secrets, as in `/providers` and in views. */
export interface PublicProvider {
  /** The provider's id, for example "github"; part of its URLs. */
  id: string
  /** The display name. */
  name: string
  /** "oauth", "oidc", "email", "credentials" or "webauthn". */
  type: string
  /** The URL that starts a sign-in, by POST. */
  signinUrl: string
  /** The provider's redirect URI; credentials are posted to it. */
  callbackUrl: string
}

/** The names of the endpoints below the base path. */
export type AuthAction =
  | "callback"
  | "csrf"
  | "error"
  | "providers"
  | "session"
  | "signin"
  | "signout"
  | "verify-request"
  | "webauthn-options"

/** Values of `error` on the error page. */
export type ErrorPageParam =
  | "Configuration"
  | "AccessDenied"
  | "Verification"
  | "TooManyAttempts"
  | "BadRequest"
  | "SignOutError"
  | "WebAuthnVerificationError"

/** Values of `error` on the sign-in page. */
export type SignInPageErrorParam =
  | "Signin"
  | "OAuthSignin"
  | "OAuthCallbackError"
  | "OAuthCreateAccount"
  | "EmailCreateAccount"
  | "Callback"
  | "OAuthAccountNotLinked"
  | "AccountNotLinked"
  | "EmailSignin"
  | "EmailSignInError"
  | "CredentialsSignin"
  | "MissingCSRF"
  | "SessionRequired"

/** What `Auth` returns in `raw` mode instead of a `Response`. */
export interface ResponseInternal {
  /** The HTTP status. @default 200 */
  status?: number
  /** All headers except `Set-Cookie`. */
  headers?: Headers
  /** The HTML of a page, or a value to send as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: JSON of any shape, as in Auth.js
  body?: any
  /** The target of a redirect. */
  redirect?: string
  /** The cookies to set, in this order. */
  cookies?: { name: string; value: string; options: CookieSerializeOptions }[]
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

/** Event handlers. A failure is logged and changes nothing, except in `confirmEmailOwner`. */
export interface EventsOptions {
  /** A user has signed in. */
  signIn?: (message: {
    user: User
    account?: Account | null
    profile?: Profile
    isNewUser?: boolean
  }) => Awaitable<void>
  /** A user has signed out. The message has the deleted session, or the claims of its cookie. */
  signOut?: (
    message:
      | { session: AdapterSession | null | undefined | void; token?: undefined }
      | { token: JWT | null; session?: undefined },
  ) => Awaitable<void>
  /** The adapter has created a user. */
  createUser?: (message: { user: User }) => Awaitable<void>
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
}

/** The options, each of which may be omitted or undefined. */
export type Optional<Options> = { [Name in keyof Options]?: Options[Name] | undefined }

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
  /** The maximum number of accounts and passkeys of one user. @default 20 */
  maxAccountsPerUser?: number | undefined
  /** Returns the current time in milliseconds since 1970; for tests. @default Date.now */
  clock?: (() => number) | undefined
}
