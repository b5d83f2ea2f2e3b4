/**
 * The types an application meets. Nothing here exists at run time.
 *
 * `Session`, `User` and `JWT` are interfaces so that an application can add its own members:
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
import type { LoggerInstance } from "./logger.js"
import type { Provider, ProviderType } from "./providers/provider.js"
import type { RateLimitOptions } from "./security/rate-limit.js"
import type { raw, skipCSRFCheck } from "./symbols.js"

export type {
  Adapter,
  AdapterAccount,
  AdapterAccountType,
  AdapterAuthenticator,
  AdapterClaim,
  AdapterSession,
  AdapterUser,
  OwnAdapter,
  VerificationToken,
} from "./adapters/adapter.js"
export type { DefaultJWT, JWT, JWTDecodeParams, JWTEncodeParams, JWTOptions } from "./jwt.js"
export type { LoggerInstance } from "./logger.js"
export type {
  ClientSecret,
  CommonProviderOptions,
  CredentialInput,
  CredentialShapes,
  CredentialsConfig,
  EmailConfig,
  EmailProofRule,
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
} from "./providers/provider.js"
export type { MailConfig, MailParams, MailUserConfig, RequiredMailOption } from "./providers/send-mail.js"
export type { SmtpOptions } from "./providers/smtp.js"
export type { RateLimit, RateLimiter, RateLimitOptions } from "./security/rate-limit.js"

/** A value, or a promise of it. */
export type Awaitable<T> = T | PromiseLike<T>

/** What a token endpoint answered (RFC 6749 §5.1), with the expiry as a point in time. */
export interface TokenSet {
  /** For calls to the provider's API in the person's name. */
  access_token?: string
  /** Lower-cased, so "bearer" whatever the provider wrote. */
  token_type?: Lowercase<string>
  /** Seconds, as the provider said. */
  expires_in?: number
  /** Seconds since 1970, worked out when the answer came. */
  expires_at?: number
  /** Gets new access tokens, where the provider gives one. */
  refresh_token?: string
  /** What the person agreed to, separated by blanks. */
  scope?: string
  /** Who signed in, as a signed JWT (OpenID Connect Core §2). */
  id_token?: string
  /** RFC 9396. */
  authorization_details?: AuthorizationDetails[]
  readonly [member: string]: JsonValue | undefined
}

/** A user's account at one provider, with the tokens that came with it. */
export interface Account extends TokenSet {
  /** The provider's id, "github" for instance. */
  provider: string
  /** Who the user is at that provider. */
  providerAccountId: string
  /** How it signs in. */
  type: ProviderType
  /** Who the user is here; set once the account belongs to a user. */
  userId?: string
}

/** What a provider says of a user: the id_token's claims, or the userinfo answer. */
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
  // biome-ignore lint/suspicious/noExplicitAny: the contract's type; vendors send strings and objects here
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

/** What every user may have. */
export interface DefaultUser {
  /** Who it is in your store; with sessions in a cookie and without an adapter it is new at each sign-in. */
  id?: string | undefined
  /** The name to show. */
  name?: string | null | undefined
  /** The e-mail address. */
  email?: string | null | undefined
  /** Address of a picture. */
  image?: string | null | undefined
}

/** The signed-in person. Extend it by module augmentation. */
export interface User extends DefaultUser {}

/** What every session has. */
export interface DefaultSession {
  /** Whose it is: name, e-mail address and image, and what a `session` callback adds. */
  user?: User
  /** ISO 8601, when the session ends if it is not used again. */
  expires: string
}

/** What `req.getSession()` gives. Extend it by module augmentation. */
export interface Session extends DefaultSession {}

/** How the built-in pages look. */
export interface Theme {
  /** "auto" follows the visitor's system. @default "auto" */
  colorScheme?: "auto" | "dark" | "light"
  /** Address of an image shown above the form: absolute, or starting with "/". */
  logo?: string
  /** A CSS colour for buttons and links. */
  brandColor?: string
  /** A CSS colour for the text on buttons. */
  buttonText?: string
  /** The one language of pages and mails, as a BCP 47 tag: "de". @default what the browser asks for */
  locale?: string
  /** The languages to choose from; the first, or English if it is among them, is for everybody else. @default all */
  locales?: readonly string[]
}

/** Your own pages in place of the built-in ones: paths on this site, or absolute URLs. */
export interface PagesOptions {
  /** Gets `callbackUrl`, and `error` and `code` after a failure. */
  signIn: string
  /** Asks whether somebody wants to sign out. */
  signOut: string
  /** Gets `error`. */
  error: string
  /** Says that a mail with a sign-in link is on its way. */
  verifyRequest: string
  /** Where a person goes after the first sign-in; gets `callbackUrl`. */
  newUser: string
}

/** Attributes of a cookie (RFC 6265). */
export interface CookieSerializeOptions {
  /** The hosts that get it: this one and all below. @default the site's own host alone */
  domain?: string | undefined
  /** Writes the value. @default percent-encoding of what a cookie can't carry */
  encode?(value: string): string
  /** When the browser forgets it. */
  expires?: Date | undefined
  /** Kept from scripts. @default true */
  httpOnly?: boolean | undefined
  /** Seconds. */
  maxAge?: number | undefined
  /** A cookie of its own for each site that embeds this one. */
  partitioned?: boolean | undefined
  /** The addresses that get it. @default "/" */
  path?: string | undefined
  /** Which cookies the browser drops last. */
  priority?: "low" | "medium" | "high" | undefined
  /** Which requests of other sites carry it. @default "lax" */
  sameSite?: true | false | "lax" | "strict" | "none" | undefined
  /** Sent over https alone. @default true on https */
  secure?: boolean | undefined
}

/** A cookie's name and attributes. */
export interface CookieOption {
  /** Taken as it is: with `__Secure-` or `__Host-` before it if it is to have one. */
  name: string
  /** Attributes in place of the default ones, one by one. */
  options: CookieSerializeOptions
}

/** The cookies that are written; each part of each may be left out. */
export interface CookiesOptions {
  /** The session: encrypted, or the token of a database session. */
  sessionToken: Partial<CookieOption>
  /** Where the person wants to go. */
  callbackUrl: Partial<CookieOption>
  /** The token for forms, signed. */
  csrfToken: Partial<CookieOption>
  /** Not written: what it held stands in `state`. */
  pkceCodeVerifier: Partial<CookieOption>
  /** A sign-in under way, sealed; one for each. */
  state: Partial<CookieOption>
  /** Not written: what it held stands in `state`. */
  nonce: Partial<CookieOption>
  /** The challenge of a passkey's ceremony, sealed. */
  webauthnChallenge: Partial<CookieOption>
}

/** A provider as `/providers`, a view or a client sees it: no secret in it. */
export interface PublicProvider {
  /** "github" for instance; part of its addresses. */
  id: string
  /** For people to read. */
  name: string
  /** "oauth", "oidc", "email", "credentials" or "webauthn". */
  type: string
  /** POST here to begin. */
  signinUrl: string
  /** Where the provider sends people back to; credentials are posted here. */
  callbackUrl: string
}

/** What the addresses below the base path do. */
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

/** What `Auth` returns in `raw` mode, before it becomes a `Response`. */
export interface ResponseInternal {
  /** The HTTP status. @default 200 */
  status?: number
  /** All but the cookies. */
  headers?: Headers
  /** Text for a page, else what is to become JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: JSON of any shape, as in the contract
  body?: any
  /** Where a redirect goes. */
  redirect?: string
  /** What is to be set, in this order. */
  cookies?: { name: string; value: string; options: CookieSerializeOptions }[]
}

/** Functions that decide. Each may be async; each replaces the default of its name. */
export interface CallbacksOptions {
  /** May this person sign in? `false` refuses; a string redirects there without a session. */
  signIn?: (params: {
    user: User | AdapterUser
    account?: Account | null
    profile?: Profile
    /** Only when a sign-in link is asked for. */
    email?: { verificationRequest?: boolean }
    /** Only with credentials: the submitted fields. */
    // biome-ignore lint/suspicious/noExplicitAny: the contract's type; fields are the application's own
    credentials?: Record<string, any>
  }) => Awaitable<boolean | string>
  /** Where may a sign-in or sign-out land? Called with what the client asked for. */
  redirect?: (params: { url: string; baseUrl: string }) => Awaitable<string>
  /** What may `getSession` and `/session` show? */
  session?: (
    params: ({
      session: { user: AdapterUser } & AdapterSession
      /** With database sessions only. */
      user: AdapterUser
    } & {
      session: Session
      /** With encrypted-cookie sessions only. */
      token: JWT
    }) & {
      /** What a client posted to `/session`: untrusted. */
      // biome-ignore lint/suspicious/noExplicitAny: untrusted input of any shape
      newSession: any
      trigger?: "update"
    },
  ) => Awaitable<Session | DefaultSession>
  /** What is kept in the encrypted cookie? `null` ends the session. */
  jwt?: (params: {
    token: JWT
    /** At sign-in only. */
    user: User | AdapterUser
    /** At sign-in only. */
    account?: Account | null
    /** At sign-in with OAuth or OpenID Connect only. */
    profile?: Profile
    trigger?: "signIn" | "signUp" | "update"
    /** @deprecated Use `trigger === "signUp"`. */
    isNewUser?: boolean
    /** With `trigger: "update"`: what a client posted to `/session`, untrusted. */
    // biome-ignore lint/suspicious/noExplicitAny: untrusted input of any shape
    session?: any
  }) => Awaitable<JWT | null>
}

/** Functions that are told. An exception in one is logged and changes nothing. */
export interface EventsOptions {
  /** Somebody has signed in. */
  signIn?: (message: {
    user: User
    account?: Account | null
    profile?: Profile
    isNewUser?: boolean
  }) => Awaitable<void>
  /** Somebody has signed out: the session that ended, or the claims of its cookie. */
  signOut?: (
    message:
      | { session: AdapterSession | null | undefined | void; token?: undefined }
      | { token: JWT | null; session?: undefined },
  ) => Awaitable<void>
  /** A user was made in the store. */
  createUser?: (message: { user: User }) => Awaitable<void>
  /** A user was changed in the store. */
  updateUser?: (message: { user: User }) => Awaitable<void>
  /**
   * The owner of an address proves it for the first time, in a browser that is not signed in as this user: accounts and
   * passkeys that do not prove it were removed, and database sessions ended. Remove what the application itself keeps
   * for the user and an earlier visitor may have set, such as a password. The address counts as proved only afterwards:
   * if this handler fails, or takes longer than 5 s, the sign-in fails and the next one calls it again.
   *
   * @example
   * confirmEmailOwner: ({ user }) => db.clearPassword(user.id)
   */
  confirmEmailOwner?: (message: { user: AdapterUser; removed: readonly AdapterAccount[] }) => Awaitable<void>
  /** A provider's account was linked to a user. */
  linkAccount?: (message: {
    user: User | AdapterUser
    account: Account
    profile: User | AdapterUser
  }) => Awaitable<void>
  /** A session was read. */
  session?: (message: { session: Session; token: JWT }) => Awaitable<void>
}

/** How long sessions last and where they live. */
export interface SessionOptions {
  /** @default "database" with an adapter, else "jwt" (an encrypted cookie) */
  strategy?: "jwt" | "database"
  /** Seconds until an unused session ends. @default 2592000 (30 days) */
  maxAge?: number
  /** Seconds after which a used session is prolonged. @default 86400 (a day), or a thirtieth of `maxAge` where that is less */
  updateAge?: number
  /** Seconds after its sign-in at which a session ends, however often it is used. @default never */
  absoluteMaxAge?: number
  /** Token of a database session; at least 128 random bits. @default 32 random bytes as base64url */
  generateSessionToken?: () => string
  /**
   * Does the name of the session's cookie begin with `__Host-` on https? Then no other host can set it. Sessions under the
   * former name stay valid, and their cookies are replaced when they are read. @default false, for the names of Auth.js
   */
  hostPrefix?: boolean
  /**
   * How many bytes of each request the cookies of this package may take together, at most 16384. Proxies and Node.js
   * refuse larger ones unless they are told otherwise, see docs/sessions.md. A session that would be larger is not opened.
   * @default 7168
   */
  maxCookieSize?: number
}

/** Options that may each be left out or undefined. */
export type Optional<Options> = { [Name in keyof Options]?: Options[Name] | undefined }

/**
 * Everything `authMiddleware`, `authHandlers`, `getSession` and `Auth` take. It is read once and never written to.
 *
 * @example
 * const config: AuthConfig = { providers: [GitHub], secret: process.env.AUTH_SECRET }
 */
export interface AuthConfig {
  /** Ways to sign in: objects, or factories to be called without options. */
  providers: Provider[]
  /** At least 32 random characters. In a list the first signs and every one is accepted; `undefined` is none. @default AUTH_SECRET */
  secret?: string | (string | undefined)[] | undefined
  /** How long sessions last and where they live. */
  session?: Optional<SessionOptions> | undefined
  /** How the encrypted cookie is made. */
  jwt?: Optional<JWTOptions> | undefined
  /** Pages of your own. */
  pages?: Optional<PagesOptions> | undefined
  /** Functions that decide. */
  callbacks?: CallbacksOptions | undefined
  /** Functions that are told. */
  events?: EventsOptions | undefined
  /** Where users, accounts and sessions are kept. */
  adapter?: Adapter | undefined
  /** Log each step, secrets masked. @default false */
  debug?: boolean | undefined
  /** Where the log goes. @default the console */
  logger?: Partial<LoggerInstance> | undefined
  /** How the built-in pages look. */
  theme?: Optional<Theme> | undefined
  /** A folder of EJS templates that replace the built-in ones file by file. */
  views?: string | undefined
  /** @default true on https */
  useSecureCookies?: boolean | undefined
  /** Names and attributes of cookies. */
  cookies?: Partial<CookiesOptions> | undefined
  /**
   * The hosts that the site has, where AUTH_URL does not name the only one: `["example.com", "*.example.com"]`. A request
   * for another host is answered with 400. `true` trusts the host of every request, and warns in production.
   *
   * @default true outside production, or with AUTH_URL or AUTH_TRUST_HOST
   */
  trustHost?: boolean | readonly string[] | undefined
  /** Set to the symbol of this name, it turns the CSRF token off. */
  skipCSRFCheck?: typeof skipCSRFCheck | undefined
  /** Set to the symbol of this name, it makes `Auth` return data in place of a `Response`. */
  raw?: typeof raw | undefined
  /** A fixed redirect URI shared by several deployments: `https://auth.example.com/auth`. @default AUTH_REDIRECT_PROXY_URL */
  redirectProxyUrl?: string | undefined
  /**
   * Seals the states of `redirectProxyUrl`, on the proxy and on the deployments: at least 32 random characters. In a list
   * the first seals and every one is accepted. @default AUTH_REDIRECT_PROXY_SECRET, else `secret`
   */
  redirectProxySecret?: string | (string | undefined)[] | undefined
  /** On the proxy: the origins of the deployments to hand answers on to; "*" stands for one label. Without it no answer is handed on. @default none */
  redirectProxyOrigins?: readonly string[] | undefined
  /** Accepted for compatibility with Auth.js and ignored: passkeys need no switch. */
  experimental?: { enableWebAuthn?: boolean } | undefined
  /** Path under which everything is served. @default path of AUTH_URL, else where it is mounted, else "/auth" */
  basePath?: string | undefined
  /** Another name for `basePath`. */
  prefix?: string | undefined
  /**
   * Limits on attempts with credentials, on sign-in emails, on sign-ups with a passkey and on starts of an OAuth sign-in;
   * `false` turns all of them off.
   * @default in 15 minutes: 10 attempts for one account from one client, 100 failures from one client, 5 emails to one
   * address, 60 emails, 60 sign-ups with a passkey and 300 starts of an OAuth sign-in for one client
   */
  rateLimit?: RateLimitOptions | false | undefined
  /** Accounts and passkeys that one user may have. @default 20 */
  maxAccountsPerUser?: number | undefined
  /** The current time in milliseconds; for tests. @default Date.now */
  clock?: (() => number) | undefined
}
