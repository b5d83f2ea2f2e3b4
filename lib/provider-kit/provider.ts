import type { Client } from "oauth4webapi"
import type { Awaitable } from "../base/awaitable.js"
import type { Profile, ProviderType, Theme, TokenSet, User } from "../base/types.js"
import type { customFetch } from "../symbols.js"

/** The members of every provider. */
export interface CommonProviderOptions {
  /** Unique, and part of the URLs. */
  id: string
  /** Shown to users. */
  name: string
  /** The sign-in method. */
  type: ProviderType
}

/** The style of the provider's button. */
export interface OAuthProviderButtonStyles {
  /** The URL of the icon. */
  logo?: string
  /** A CSS colour. */
  brandColor?: string
  /** The text of the button: "Continue with GitHub" or "Sign in with GitHub". @default "continue" */
  label?: "continue" | "sign-in"
  /** @deprecated Unused. */
  text?: string
  /** @deprecated Use `brandColor`. */
  bg?: string
}

/** A value whose type depends on the provider. */
// biome-ignore lint/suspicious/noExplicitAny: as in Auth.js
export type Loose = any

/** An endpoint as an object. `params` become query parameters of `url`. */
export interface EndpointHandler {
  /** The endpoint's URL. */
  url?: string
  /** Added to the query string. */
  params?: Record<string, Loose>
  /** Sends the request. For `userinfo` it returns the profile, for `token` the `Response` or `{ tokens }`. */
  request?: (context: Loose) => Awaitable<Loose>
  /** For `token`: repairs a non-standard response. A returned `Response` replaces the original. */
  conform?: (response: Response) => Awaitable<Response | undefined>
  /**
   * For `token`: requests new tokens, for a vendor whose refresh request is not that of RFC 6749 §6. `conform` repairs
   * its response, too. `false` if the vendor's refresh tokens can't be used, so that they are not kept.
   */
  refresh?: false | ((context: RefreshContext) => Awaitable<Response>)
  /** For `token` with `private_key_jwt`: a CryptoKey, or `{ key, kid }`. */
  clientPrivateKey?: Loose
}

/** The argument of a provider's functions: the tokens, the merged provider, and the bounded `fetch`. */
export interface ProviderContext {
  /** The token endpoint's response. */
  tokens: TokenSet
  /** The provider with all options merged. */
  provider: { userinfo?: { url?: string | URL | undefined } | undefined }
  /** Limited in time and size; based on the application's `customFetch` if it is set. Absent with an Auth.js core. */
  fetch?: typeof globalThis.fetch
}

/** The client secret, or a function that returns it. */
export type ClientSecret = string | ((client: { readonly clientId: string }) => Awaitable<string>)

/** The argument of `token.request`, which returns the token endpoint's `Response` or `{ tokens }`. */
export interface TokenRequestContext {
  /** The query of the callback request. */
  readonly params: { readonly code: string; readonly [name: string]: string | undefined }
  /** The values of the checks that the sign-in was started with. */
  readonly checks: { readonly code_verifier?: string; readonly state?: string; readonly nonce?: string }
  /** The provider with all options merged. */
  readonly provider: { readonly clientId: string; readonly clientSecret: string; readonly token: { readonly url: URL } }
  /** The redirect URI of the authorization request. */
  readonly redirect_uri: string
  /** Limited in time and size; based on the application's `customFetch` if it is set. */
  readonly fetch: typeof globalThis.fetch
}

/** The argument of `token.refresh`. */
export interface RefreshContext extends Pick<TokenRequestContext, "provider" | "fetch"> {
  /** The refresh token of the account. */
  readonly refreshToken: string
}

/** The formats of a vendor's client ids and secrets, if they have a fixed format. */
export interface CredentialShapes {
  /** The format of a client id. */
  readonly clientId?: RegExp
  /** The format of a client secret. */
  readonly clientSecret?: RegExp
}

/** Whether addresses in the vendor's profiles are verified. */
export type EmailVerificationRule = "always" | "never" | "by claim"

/** An OAuth 2 provider (RFC 6749). `P` is the response of its userinfo endpoint. */
export interface OAuth2Config<P = Profile> extends CommonProviderOptions {
  type: "oauth"
  /** The issuer identifier. Endpoints that are not set are discovered from it. */
  issuer?: string | undefined
  /** The URL of the discovery document. @default issuer + "/.well-known/openid-configuration" */
  wellKnown?: string
  /** The authorization endpoint: a URL, or an object with `url` and `params`. @default from discovery */
  authorization?: string | EndpointHandler | Loose
  /** The token endpoint. @default from discovery */
  token?: string | EndpointHandler | Loose
  /** The userinfo endpoint. @default from discovery */
  userinfo?: string | EndpointHandler | Loose
  /** The client id at the provider. @default AUTH_<ID>_ID */
  clientId?: string | undefined
  /** A function is called at each sign-in, for a secret that rotates or is derived from a key. */
  clientSecret?: ClientSecret | undefined
  /** Client metadata, for example `token_endpoint_auth_method`. */
  client?: Partial<Client & { token_endpoint_auth_method: string }>
  /** @default ["pkce", "state"], with "nonce" for OpenID Connect */
  checks?: Array<"pkce" | "state" | "none">
  /** Converts the provider's profile to a user. Its `id` becomes `providerAccountId`. */
  profile?: (profile: P, tokens: TokenSet & Loose, context?: ProviderContext) => Awaitable<User>
  /** Returns the tokens to store with a linked account. */
  account?: (tokens: TokenSet & Loose) => TokenSet | Loose | undefined | void
  /** The style of the button. */
  style?: OAuthProviderButtonStyles
  /** Used by `npx latchkey doctor` to detect a swapped id and secret. The format is never enforced. */
  credentialShapes?: CredentialShapes
  /**
   * Decides whether this user can sign in with this provider. It is called before the application's `signIn` callback;
   * false results in AccessDenied.
   * It restricts this provider only; the user may sign in another way. Put a rule for every method into
   * `callbacks.signIn`. @default every user
   */
  isAllowed?: (profile: P) => Awaitable<boolean>
  /**
   * Whether the vendor verifies addresses. "always": every address is verified, as the vendor documents; "never": none
   * is; "by claim": those with `email_verified: true` in the profile. @default "by claim"
   */
  verifiesEmail?: EmailVerificationRule
  /** Whether the address of this profile is verified. @default derived from `verifiesEmail` */
  isEmailVerified?: (profile: P) => boolean
  /** Link to an existing user with the same verified email address. @default false */
  allowDangerousEmailAccountLinking?: boolean
  /** A fixed URL that forwards its callbacks. @default config.redirectProxyUrl */
  redirectProxyUrl?: string | undefined
  /**
   * Accept plain http endpoints on hosts other than loopback, and loopback endpoints from a remote discovery document.
   *
   * @default false
   */
  allowInsecure?: boolean
  /** `false` skips signature verification of the id_token and of signed userinfo, and logs a warning. @default true */
  verifyIdToken?: boolean
  /**
   * Accepts `amr` and `acr` of the id_token as statements about how the user was authenticated. Set it only for a
   * provider that you trust to enforce them. @default false
   */
  trustAuthenticationContext?: boolean
  /**
   * Keeps the tokens of accounts encrypted in the store, for `req.accessToken()`. With `false` they are stored in the
   * adapter, as in Auth.js. @default true if there is a store
   */
  keepTokens?: boolean
  /** The endpoint that revokes tokens (RFC 7009), when an account is disconnected. @default from discovery */
  revocation?: string
  /** The origins of the vendor's API, to which `req.authorizedFetch()` may send tokens: `["https://api.example.com"]`. */
  apiOrigins?: readonly string[]
  /**
   * Sends the parameters of sign-ins to the provider's server instead of through the browser (RFC 9126). A URL replaces
   * the `pushed_authorization_request_endpoint` of the metadata. @default true if the metadata requires it
   */
  pushedAuthorizationRequests?: boolean | string
  /** The authentication context classes to request, the preferred one first: `["phr"]`. A hint: check the claim `acr`. */
  acrValues?: readonly string[]
  /** The claims to request (OpenID Connect Core §5.5): `{ id_token: { email: { essential: true } } }`. */
  claims?: Readonly<Record<string, unknown>>
  /** The APIs for which tokens are requested, as absolute URIs (RFC 8707): `"https://api.example.com"`. */
  resource?: string | readonly string[]
  /**
   * Binds tokens to a key of the sign-in, so that a stolen token is useless (DPoP, RFC 9449). Needs a store, and
   * `req.authorizedFetch()` for calls of the API. @default false
   */
  dpop?: boolean
  /**
   * Converts a scope to the name under which the vendor returns it, so that a granted scope is recognised.
   * @default unchanged
   */
  canonicalScope?: (scope: string) => string
  /** What separates scopes in requests, for a vendor that deviates from RFC 6749 §3.3. @default " " */
  scopeSeparator?: string
  /** Whether the sign-in query can set `scope`. @default false */
  allowScopeOverride?: boolean
  /** Repairs the discovered metadata before its issuer is checked. */
  conformMetadata?: (metadata: Record<string, unknown>, issuer: URL) => Record<string, unknown>
  /**
   * The issuer that this id_token must have, for a provider with one issuer per tenant. Undefined rejects the token.
   */
  issuerOf?: (claims: Record<string, unknown>, issuer: string) => string | undefined
  /**
   * The issuer that signed userinfo must have, if a separate service signs it. Undefined rejects it.
   * @default the issuer of the id_token
   */
  userinfoIssuerOf?: (claims: Record<string, unknown>, from: { issuer: string; endpoint: string }) => string | undefined
  /** Why the vendor's service no longer works, and what to use instead; logged as a warning at start-up. */
  closed?: { reason: string; fix: string }
  /** A custom `fetch` for every call to this provider. */
  [customFetch]?: typeof fetch
  /** The options passed to the factory. They override the defaults. */
  options?: Partial<Omit<OAuth2Config<P>, "options" | "type" | "checks">> & { checks?: Loose }
}

/** An OpenID Connect provider. */
export interface OIDCConfig<P = Profile> extends Omit<OAuth2Config<P>, "type" | "checks" | "options"> {
  /** OpenID Connect: an id_token identifies the user. */
  type: "oidc"
  /** @default ["pkce", "state", "nonce"] */
  checks?: Array<"pkce" | "state" | "nonce" | "none">
  /**
   * `false` reads the profile from userinfo instead of the id_token; `true` reads it only from the id_token.
   * @default the id_token, plus userinfo for claims of the granted scopes that it lacks, unless the definition has its
   * own `profile`
   */
  idToken?: boolean
  /**
   * Sign-out also signs the user out at the provider (RP-Initiated Logout 1.0). Needs a store. `true` uses the
   * `end_session_endpoint` of the metadata, and a URL replaces it. @default false
   */
  logout?: boolean | string
  /** The options passed to the factory. They override the defaults. */
  options?: Partial<Omit<OIDCConfig<P>, "options" | "type" | "checks">> & { checks?: Loose }
}

/** An OAuth 2 or OpenID Connect provider. */
export type OAuthConfig<P = Profile> = OIDCConfig<P> | OAuth2Config<P>

/** The options of an OAuth 2 factory. */
export type OAuthUserConfig<P = Profile> = Omit<Partial<OAuth2Config<P>>, "options" | "type" | "checks"> & {
  checks?: Array<"pkce" | "state" | "none" | "nonce">
}
/** The options of an OpenID Connect factory. */
export type OIDCUserConfig<P = Profile> = Omit<Partial<OIDCConfig<P>>, "options" | "type">

/** An `<input>` of a built-in form. Other members become attributes. */
// biome-ignore lint/suspicious/noExplicitAny: any attribute of an input element
export interface CredentialInput extends Record<string, any> {
  /** The label above the field. */
  label?: Loose
  /** The HTML input type, such as "text", "password" or "email". @default "text" */
  type?: Loose
  /** The placeholder text. */
  placeholder?: Loose
}

/** Sign-in with your own form fields, checked by your own function. */
export interface CredentialsConfig<C extends Record<string, CredentialInput> = Record<string, CredentialInput>>
  extends CommonProviderOptions {
  type: "credentials"
  /** The form's fields by name. */
  credentials: C
  /** Returns the user, or null to reject. Throw a `CredentialsSignin` with a `code` to report a reason. */
  authorize: (credentials: Partial<Record<keyof C, unknown>>, request: Request) => Awaitable<User | null>
  /** The options passed to the factory. They override the defaults. */
  options?: Partial<CredentialsConfig<C>>
}

/** An email with a sign-in link, rendered from the templates in `views/mail`. */
export interface SignInMail {
  /** The subject line. */
  subject: string
  /** The plain text. */
  text: string
  /** The HTML version. */
  html: string
}

/** Sign-in by email link. */
export interface EmailConfig extends CommonProviderOptions {
  type: "email"
  /** The sender: `Example <no-reply@example.com>`. */
  from?: string
  /** The lifetime of a link in seconds. @default 86400 */
  maxAge?: number
  /** Sends the link. The request waits for it and shows an error if it rejects. */
  sendVerificationRequest: (params: {
    /** The normalised recipient address. */
    identifier: string
    /** The link. */
    url: string
    expires: Date
    /** This provider with all options merged. */
    provider: EmailConfig & Loose
    token: string
    /** The code that works instead of the link in the requesting browser: "CDFH-J479". Undefined without `emailCode`. */
    code: string | undefined
    theme: Theme
    request: Request
    /** The email rendered from the templates. */
    mail: SignInMail
    /** Aborted when sending times out. */
    signal: AbortSignal
  }) => Awaitable<void>
  /**
   * Sends a code besides the link, and shows a field for it on the page "Check your email". @default true; false with
   * your own `sendVerificationRequest`
   */
  emailCode?: boolean
  /** The timeout for sending, in seconds. @default 8 */
  sendTimeout?: number
  /** Hashes this provider's links. @default config.secret */
  secret?: string
  /** The API key of the email service. @default AUTH_<ID>_KEY */
  apiKey?: string
  /** The SMTP server, in a form that nodemailer accepts. @default AUTH_<ID>_SERVER */
  server?: Loose
  /** Generates the token of the link. @default 32 random bytes */
  generateVerificationToken?: () => Awaitable<string>
  /**
   * Normalizes an address to one canonical spelling; throws if it is invalid. @default Unicode NFKC in lower case, the
   * domain in ASCII
   */
  normalizeIdentifier?: (identifier: string) => string
  /** The options passed to the factory. They override the defaults. */
  options?: Loose
}

/** Sign-in with a passkey. The options of the four steps are passed to `@simplewebauthn/server`. */
export interface WebAuthnConfig extends CommonProviderOptions {
  type: "webauthn"
  /** The relying party of WebAuthn. Of a list, the first entry is used. @default the host and origin of the request */
  relayingParty?: { id?: string | string[]; name?: string | string[]; origin?: string | string[] } | Loose
  /** Returns the relying party for each request, from `{ provider, url }`. */
  getRelayingParty: (options: Loose, request: Loose) => { id: string; name: string; origin: string }
  /** Whether a form field offers passkeys by autofill. Only one provider can enable it. @default true */
  enableConditionalUI: boolean
  /** Unused: latchkey serves its own script. */
  simpleWebAuthnBrowserVersion: `v${string}` | false
  /** The fields of the form with which a new user registers a passkey. */
  formFields: Record<string, CredentialInput>
  /** Options of a sign-in, such as `userVerification` and `timeout`. */
  authenticationOptions?: Loose
  /** Options of a registration, such as `authenticatorSelection` and `timeout`. */
  registrationOptions: Loose
  /** `requireUserVerification` of a sign-in. @default true */
  verifyAuthenticationOptions?: Loose
  /** `requireUserVerification` of a registration. @default true */
  verifyRegistrationOptions?: Loose
  /** Returns the user named by a signed-out visitor's request: an existing user, a new one, or null. */
  getUserInfo: (options: Loose, request: Loose) => Awaitable<Loose>
  /** Whether responses can reveal that an address has a user, as in Auth.js. @default false */
  revealAccounts?: boolean
  /** Unused: latchkey's own version applies. */
  simpleWebAuthn?: Loose
  /** The options passed to the factory. They override the defaults. */
  options?: Loose
}

/** Any provider object, including the passed options. */
export type ProviderObject =
  | OAuth2Config<Loose>
  | OIDCConfig<Loose>
  | EmailConfig
  | CredentialsConfig<Loose>
  | WebAuthnConfig

/** An entry of `config.providers`: a provider object, or a factory that reads its options from the environment. */
export type Provider =
  | (ProviderObject & { options?: Loose })
  | ((options: Loose) => ProviderObject & { options?: Loose })
