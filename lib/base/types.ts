/**
 * The types that all layers share. Applications can add members to `User`, `Session` and `JWT` by module augmentation.
 *
 * @module
 */

import type { AuthorizationDetails, JsonValue } from "oauth4webapi"
import type { Awaitable } from "./awaitable.js"

/** The response of a token endpoint (RFC 6749 §5.1), and `expires_at`, the expiry as a point in time. */
export interface TokenSet {
  /** Authorizes calls to the provider's API on the user's behalf. */
  access_token?: string
  /** The type of the access token in lower case, for example "bearer". */
  token_type?: Lowercase<string>
  /** Lifetime of the access token in seconds, as the provider returned it. */
  expires_in?: number
  /** Expiry of the access token in seconds since 1970, computed when the response arrived. */
  expires_at?: number
  /** Used to request new access tokens. Not every provider returns a refresh token. */
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
  /** The user's id in this application. Undefined until the account is linked to a user. */
  userId?: string
}

/** What a provider returns about a user: the claims of the id_token, the userinfo response, or both merged. */
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
  /** The user's id in the adapter. Without an adapter, each OAuth sign-in creates a new id. */
  id?: string | undefined
  /** The display name. */
  name?: string | null | undefined
  /** The email address. */
  email?: string | null | undefined
  /** URL of a picture. */
  image?: string | null | undefined
}

/** A user of the application. Add your own members by module augmentation. */
export interface User extends DefaultUser {}

/** The default members of a session. */
export interface DefaultSession {
  /** The name, email address and image of the user. A `session` callback can add members. */
  user?: User
  /** When the session ends if it is not used again, as ISO 8601 text. */
  expires: string
}

/** How a session was created: for which user, with which provider, and how the user was authenticated. */
export interface SessionAuthentication {
  /** The session's id. It stays the same when the user connects another account. */
  readonly id: string
  /**
   * Identifies the user in the store. With an adapter it is the id of the adapter's user, and with credentials the id
   * that `authorize` returned. Otherwise it is `<provider>:<providerAccountId>`.
   */
  readonly owner: string
  /** The id of the provider that the user signed in with. */
  readonly provider: string
  /** The type of that provider: "oauth", "oidc", "email", "credentials" or "webauthn". */
  readonly method: string
  /** The authentication methods (RFC 8176): "pwd", "email", "hwk", "user", "otp", "mfa". Empty if they are unknown. */
  readonly amr: readonly string[]
  /** When the user was authenticated, in seconds since 1970. Undefined if the provider does not state the time. */
  readonly authTime?: number
  /** The authentication context class: `acr` of the id_token, for a provider with `trustAuthenticationContext`. */
  readonly acr?: string
  /** The id of the user's session at the provider (`sid` of the id_token). */
  readonly providerSid?: string
  /** The user's id at the provider (`sub` of the id_token). It is kept in the store, not in the session cookie. */
  readonly providerSub?: string
  /** The id of the account that the user signed in with. It is kept in the store, not in the session cookie. */
  readonly providerAccountId?: string
}

/** The argument of `isOpen` of a requirement: a sign-in that is about to create a session. */
export interface RequirementParams {
  /** The user who signs in. A new user is not stored yet, and has a provisional id. */
  readonly user: User
  /** True if the sign-in will create the user in the adapter. */
  readonly isNewUser: boolean
  /** The account that the user signs in with. */
  readonly account: Account
  /** How the user was authenticated. */
  readonly authentication: Omit<SessionAuthentication, "id" | "owner">
}

/** A condition that a user must meet before a sign-in creates a session, such as accepting the terms. */
export interface Requirement {
  /** The unique name: up to 64 letters, digits, "-" and "_". The name "second-factor" is reserved. */
  readonly name: string
  /** Returns true if this user has to meet the requirement now. Any result other than false counts as true. */
  readonly isOpen: (params: RequirementParams) => Awaitable<boolean>
  /** The page of your application on which the user meets the requirement: a path on this site, or an absolute URL. */
  readonly page: string
}

/** The result of `req.pendingSignIn()`: a sign-in that waits until the user meets a requirement. */
export interface PendingSignIn {
  /** The name of the open requirement; "second-factor" for the option `secondFactor`. */
  readonly requirement: string
  /** The page on which the user meets the requirement: a path, or a URL. */
  readonly page: string
  /** The user who signs in. A new user has no id yet. */
  readonly user: Partial<User>
  /** True if the sign-in will create the user in the adapter. */
  readonly isNewUser: boolean
  /** The account that the user signs in with, without tokens. */
  readonly account: Pick<Account, "provider" | "type">
  /** The URL of a link that cancels this sign-in and shows the sign-in page. */
  readonly cancelUrl: string
}

/** A session, as `req.getSession()` returns it. Add your own members by module augmentation. */
export interface Session extends DefaultSession {}

/** The design and the languages of the built-in pages and emails. */
export interface Theme {
  /** "auto" follows the visitor's system setting. @default "auto" */
  colorScheme?: "auto" | "dark" | "light"
  /** URL of an image shown above the form: absolute, or starting with "/". */
  logo?: string
  /** The site's name, shown in headings and emails. @default the host */
  siteName?: string
  /** A CSS colour for buttons and links. */
  brandColor?: string
  /** A CSS colour for the text on buttons. */
  buttonText?: string
  /** The language for all users, as a BCP 47 tag such as "de". @default the language that the browser requests */
  locale?: string
  /**
   * The available languages. A browser that requests none of these gets English if it is listed, else the first
   * language of the list. @default all included languages
   */
  locales?: readonly string[]
  /**
   * What the sign-in page shows first: the form and the passkey ("form-first"), or the other providers
   * ("providers-first").
   * @default "form-first"
   */
  layout?: "form-first" | "providers-first"
  /** Whether the sign-in page begins with the method that was last used in this browser. @default true */
  lastUsed?: boolean
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
  /** Stores a separate cookie for each site that embeds this site. */
  partitioned?: boolean | undefined
  /** Sends the cookie only to URLs below this path. @default "/" */
  path?: string | undefined
  /** When a browser has too many cookies, it deletes those of lower priority first. */
  priority?: "low" | "medium" | "high" | undefined
  /** Which cross-site requests carry the cookie. True means "strict"; false omits the attribute. @default "lax" */
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

/** The names and attributes of the cookies. Each cookie, name and attribute is optional in the configuration. */
export interface CookiesOptions {
  /** The encrypted session, or the token of a database session. */
  sessionToken: Partial<CookieOption>
  /** The return URL, to which the browser is redirected after a sign-in or sign-out. */
  callbackUrl: Partial<CookieOption>
  /** The CSRF token, signed. */
  csrfToken: Partial<CookieOption>
  /** Not used, because the cookie `state` contains the PKCE code verifier. */
  pkceCodeVerifier: Partial<CookieOption>
  /** OAuth sign-ins in progress and requested email links, encrypted. Each has its own cookie, named with a suffix. */
  state: Partial<CookieOption>
  /** Not used, because the cookie `state` contains the nonce. */
  nonce: Partial<CookieOption>
  /** The challenge of a passkey ceremony, encrypted. */
  webauthnChallenge: Partial<CookieOption>
}

/** Makes every option optional, and accepts undefined as its value. */
export type Optional<Options> = { [Name in keyof Options]?: Options[Name] | undefined }

/** The default claims of a session cookie. */
export interface DefaultJWT extends Record<string, unknown> {
  /** The user's name. */
  name?: string | null | undefined
  /** The user's email address. */
  email?: string | null | undefined
  /** URL of the user's image. */
  picture?: string | null | undefined
  /** The user's id. */
  sub?: string | undefined
  /** When the token was issued, in seconds since 1970. */
  iat?: number
  /** When the token expires, in seconds since 1970. */
  exp?: number
  /** The token's id. */
  jti?: string
  /** When the user signed in, in seconds since 1970. Only with `session.absoluteMaxAge`. */
  session_start?: number
  /**
   * With an adapter: the user's email address if it was verified when the session was created, otherwise "". If the
   * user's verified address later differs from this value, the session can no longer link accounts or passkeys.
   */
  session_verified_email?: string
  /** The `SessionAuthentication` of the session as text. */
  session_authentication?: string
  /** False if the browser deletes the cookie when it is closed, see `session.remember`. */
  session_remember?: false
}

/** The claims of the session cookie. Add your own claims by module augmentation of "latchkey". */
export interface JWT extends Record<string, unknown>, DefaultJWT {}

/** The parameters of `encode`. */
export interface JWTEncodeParams<Payload = JWT> {
  /** The claims to encrypt. */
  token?: Payload
  /** The secret, or a list of secrets. The first secret of a list encrypts. */
  secret: string | string[]
  /** The name of the session cookie. */
  salt: string
  /** The lifetime in seconds. @default 2592000 (30 days) */
  maxAge?: number
}

/** The parameters of `decode`. */
export interface JWTDecodeParams {
  /** The result of `encode`. */
  token?: string
  /** The secret, or a list of secrets, each of which is tried. */
  secret: string | string[]
  /** The name of the session cookie. */
  salt: string
}

/** `config.jwt`: how the session cookie is encrypted. */
export interface JWTOptions {
  /** The secret, or a list of secrets. The first secret encrypts, and all can decrypt. @default config.secret */
  secret: string | string[]
  /** The lifetime in seconds. @default session.maxAge */
  maxAge: number
  /** Replaces the built-in encryption. The function must set the expiry, and protect the claims against changes. */
  encode: (params: JWTEncodeParams) => Awaitable<string>
  /** Decrypts the result of `encode`. Returns null or throws if the token is invalid. */
  decode: (params: JWTDecodeParams) => Awaitable<JWT | null>
}

/** The type of a provider: the protocol or the credential with which it signs users in. */
export type ProviderType = "oidc" | "oauth" | "email" | "credentials" | "webauthn"

/**
 * The cookies that an application can configure, and internal cookies. `migrated` records that a session of another
 * library was migrated. `formerSessionToken` is the session cookie under the name that it has without
 * `session.hostPrefix`. If that option is off, it equals `sessionToken`.
 */
export type CookieKey =
  | keyof CookiesOptions
  | "errorReference"
  | "formValues"
  | "pendingSignIn"
  | "trustedDevice"
  | "lastUsed"
  | "migrated"
  | "formerSessionToken"

/**
 * A cookie to set (`put`) or to clear (`drop`). `part` is a suffix of the cookie's name: the index of a chunk, or the
 * key of a sign-in flow. `maxAgeSeconds` replaces the default lifetime.
 */
export type CookieChange =
  | {
      readonly put: CookieKey
      readonly part?: string
      readonly value: string
      readonly expires?: Date
      readonly maxAgeSeconds?: number
    }
  | { readonly drop: CookieKey; readonly part?: string }
