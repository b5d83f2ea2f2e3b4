import type { Client } from "oauth4webapi"
import type { Awaitable } from "../base/awaitable.js"
import type { Profile, ProviderType, Theme, TokenSet, User } from "../base/types.js"
import type { customFetch } from "../symbols.js"

/** The members of every provider. */
export interface CommonProviderOptions {
  /** The unique id, which is part of URLs: `/auth/signin/<id>`. */
  id: string
  /** The name that users see. */
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

/** An endpoint with its options. */
export interface EndpointHandler {
  /** The endpoint's URL. */
  url?: string
  /** Query parameters to add to `url`. */
  params?: Record<string, Loose>
  /**
   * Sends the request instead of latchkey. For `userinfo` it returns the profile, for `token` the endpoint's `Response`
   * or `{ tokens }`.
   */
  request?: (context: Loose) => Awaitable<Loose>
  /** For `token`: repairs a non-standard response. A returned `Response` replaces the original. */
  conform?: (response: Response) => Awaitable<Response | undefined>
  /**
   * For `token`: sends a refresh request that differs from RFC 6749 §6, and returns the `Response`, which `conform` can
   * repair. `false` means that refresh tokens of this vendor can't be used; they are then not stored.
   */
  refresh?: false | ((context: RefreshContext) => Awaitable<Response>)
  /** For `token` with `private_key_jwt`: the private key of the client, a CryptoKey or `{ key, kid }`. */
  clientPrivateKey?: Loose
}

/** The argument of `userinfo.request`, and the third argument of `profile`. */
export interface ProviderContext {
  /** The response of the token endpoint. */
  tokens: TokenSet
  /** The provider with all options merged. */
  provider: { userinfo?: { url?: string | URL | undefined } | undefined }
  /**
   * Sends requests with a limit on time and on the size of the response, through the application's `customFetch` if it
   * is set. Undefined if the provider is used with Auth.js.
   */
  fetch?: typeof globalThis.fetch
}

/** The client secret, or a function that returns it. */
export type ClientSecret = string | ((client: { readonly clientId: string }) => Awaitable<string>)

/** The argument of `token.request`, which returns the token endpoint's `Response` or `{ tokens }`. */
export interface TokenRequestContext {
  /** The parameters of the authorization response. */
  readonly params: { readonly code: string; readonly [name: string]: string | undefined }
  /** The values of the checks that this sign-in uses. */
  readonly checks: { readonly code_verifier?: string; readonly state?: string; readonly nonce?: string }
  /**
   * The provider with all options merged. `token.url` is the configured or discovered token endpoint. It is missing if
   * the token endpoint is neither configured nor discovered.
   */
  readonly provider: { readonly clientId: string; readonly clientSecret: string; readonly token: { readonly url: URL } }
  /** The redirect URI of the authorization request. */
  readonly redirect_uri: string
  /** Sends requests with a limit on time and on the size of the response, through `customFetch` if it is set. */
  readonly fetch: typeof globalThis.fetch
}

/** The argument of `token.refresh`. */
export interface RefreshContext extends Pick<TokenRequestContext, "provider" | "fetch"> {
  /** The refresh token of the account. */
  readonly refreshToken: string
}

/** The formats of a vendor's client ids and secrets, if the vendor uses fixed formats. */
export interface CredentialShapes {
  /** The format of a client id. */
  readonly clientId?: RegExp
  /** The format of a client secret. */
  readonly clientSecret?: RegExp
}

/** Whether email addresses in the vendor's profiles are verified, see `verifiesEmail`. */
export type EmailVerificationRule = "always" | "never" | "by claim"

/** An OAuth 2 provider (RFC 6749). `P` is the response of its userinfo endpoint. */
export interface OAuth2Config<P = Profile> extends CommonProviderOptions {
  type: "oauth"
  /** The issuer identifier. Endpoints that are not set are read from its discovery document. */
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
  /**
   * The client secret. A function is called for each request that contains the secret. Write a function if the secret
   * rotates or is derived from a key. @default AUTH_<ID>_SECRET
   */
  clientSecret?: ClientSecret | undefined
  /** Client metadata, for example `token_endpoint_auth_method`. */
  client?: Partial<Client & { token_endpoint_auth_method: string }>
  /** The checks that a response belongs to a sign-in of this browser. @default ["pkce", "state"] */
  checks?: Array<"pkce" | "state" | "none">
  /**
   * Converts the provider's profile to a user. The `id` of this user becomes `providerAccountId` and must never change.
   */
  profile?: (profile: P, tokens: TokenSet & Loose, context?: ProviderContext) => Awaitable<User>
  /**
   * Returns the tokens to store with a linked account. @default access_token, id_token, refresh_token, expires_at,
   * scope, token_type and session_state
   */
  account?: (tokens: TokenSet & Loose) => TokenSet | Loose | undefined | void
  /** The style of the button. */
  style?: OAuthProviderButtonStyles
  /** Lets `npx latchkey doctor` detect a client id and secret that are swapped. No value is rejected for its format. */
  credentialShapes?: CredentialShapes
  /**
   * Returns true if this user can sign in with this provider. With false the sign-in fails with `AccessDenied`, before
   * the `signIn` callback is called. The user can still sign in with another provider, so put a rule for all providers
   * into `callbacks.signIn`. @default every user
   */
  isAllowed?: (profile: P) => Awaitable<boolean>
  /**
   * Which email addresses are treated as verified. "always": every address, because the vendor documents that it
   * verifies addresses. "never": no address. "by claim": the address of a profile with `email_verified: true`.
   * @default "by claim"
   */
  verifiesEmail?: EmailVerificationRule
  /** Returns true if the email address of this profile is verified. @default the rule of `verifiesEmail` */
  isEmailVerified?: (profile: P) => boolean
  /** Links a new account to an existing user with the same verified email address. @default false */
  allowDangerousEmailAccountLinking?: boolean
  /** The base URL of a redirect proxy for this provider. @default config.redirectProxyUrl */
  redirectProxyUrl?: string | undefined
  /**
   * Accepts plain http endpoints on hosts other than loopback, and loopback endpoints in the discovery document of
   * another host. @default false
   */
  allowInsecure?: boolean
  /** Whether the signatures of id_tokens and of signed userinfo are verified. False logs a warning. @default true */
  verifyIdToken?: boolean
  /**
   * Copies `amr` and `acr` of the id_token to the session, where they prove how the user was authenticated, for example
   * with a second factor. Set it only for a provider whose statements you trust. @default false
   */
  trustAuthenticationContext?: boolean
  /**
   * Keeps the tokens of accounts encrypted in the store, for `req.accessToken()`. With `false` or without a store, they
   * are stored in the adapter, as in Auth.js. @default true
   */
  keepTokens?: boolean
  /** The revocation endpoint (RFC 7009), called when an account is disconnected. @default from discovery */
  revocation?: string
  /**
   * The origins of the vendor's API, to which `req.authorizedFetch()` may send tokens: `["https://api.example.com"]`.
   */
  apiOrigins?: readonly string[]
  /**
   * Sends the parameters of authorization requests directly to the provider, not through the browser (PAR, RFC 9126). A
   * URL replaces `pushed_authorization_request_endpoint` of the metadata. @default true if the metadata requires it
   */
  pushedAuthorizationRequests?: boolean | string
  /**
   * The authentication context classes to request, the preferred class first: `["phr"]`. Providers can ignore this
   * request, so check the claim `acr`.
   */
  acrValues?: readonly string[]
  /** The claims to request (OpenID Connect Core §5.5): `{ id_token: { email: { essential: true } } }`. */
  claims?: Readonly<Record<string, unknown>>
  /** The APIs for which tokens are requested, as absolute URIs (RFC 8707): `"https://api.example.com"`. */
  resource?: string | readonly string[]
  /**
   * Binds tokens to a key that is created at each sign-in, so that a token alone is useless to a thief (DPoP, RFC
   * 9449). Needs a store. Call the API with `req.authorizedFetch()`. @default false
   */
  dpop?: boolean
  /**
   * Converts a requested scope to the name under which the vendor returns the granted scope, so that the two can be
   * compared. @default unchanged
   */
  canonicalScope?: (scope: string) => string
  /** The separator of scopes in requests, for a vendor that deviates from RFC 6749 §3.3. @default " " */
  scopeSeparator?: string
  /** Whether the query of a sign-in request can set `scope` and `authorization_details`. @default false */
  allowScopeOverride?: boolean
  /** Returns a repaired copy of the discovered metadata. It is called before the issuer in the metadata is checked. */
  conformMetadata?: (metadata: Record<string, unknown>, issuer: URL) => Record<string, unknown>
  /**
   * Returns the issuer that an id_token with these claims must have, for a provider with one issuer per tenant. The
   * claims are not verified yet. Undefined rejects the token.
   */
  issuerOf?: (claims: Record<string, unknown>, issuer: string) => string | undefined
  /**
   * Returns the issuer that signed userinfo with these claims must have, if a separate service signs userinfo. The
   * claims are not verified yet. Undefined rejects the userinfo.
   * @default the issuer of the id_token
   */
  userinfoIssuerOf?: (claims: Record<string, unknown>, from: { issuer: string; endpoint: string }) => string | undefined
  /** Why the vendor's service no longer works, and what to use instead; logged as a warning at start-up. */
  closed?: { reason: string; fix: string }
  /** A custom `fetch` for all requests to this provider. */
  [customFetch]?: typeof fetch
  /** The application's options, which are passed to the factory. They override the members of the provider. */
  options?: Partial<Omit<OAuth2Config<P>, "options" | "type" | "checks">> & { checks?: Loose }
}

/** An OpenID Connect provider. */
export interface OIDCConfig<P = Profile> extends Omit<OAuth2Config<P>, "type" | "checks" | "options"> {
  /** OpenID Connect: an id_token identifies the user. */
  type: "oidc"
  /** The checks that a response belongs to a sign-in of this browser. @default ["pkce", "state", "nonce"] */
  checks?: Array<"pkce" | "state" | "nonce" | "none">
  /**
   * Where the profile comes from: only from the id_token (`true`), or only from userinfo (`false`). @default the
   * id_token, and also userinfo if the id_token lacks the name or the email address although its scope is granted. If
   * the provider's factory sets `profile`, only the id_token
   */
  idToken?: boolean
  /**
   * Whether sign-out also signs the user out at the provider (OpenID Connect RP-Initiated Logout 1.0). `true` uses the
   * `end_session_endpoint` of the metadata, and a string is the URL of this endpoint. Needs a store. @default false
   */
  logout?: boolean | string
  /** The application's options, which are passed to the factory. They override the members of the provider. */
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

/** An `<input>` of a built-in form. Members that are not listed here become attributes. */
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
  /**
   * Checks the submitted fields. Returns the user, or null to refuse the sign-in. To report a reason, throw a
   * `CredentialsSignin` with a `code`.
   */
  authorize: (credentials: Partial<Record<keyof C, unknown>>, request: Request) => Awaitable<User | null>
  /** The application's options, which are passed to the factory. They override the members of the provider. */
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

/** Sign-in with a link, and optionally a code, that is sent by email. */
export interface EmailConfig extends CommonProviderOptions {
  type: "email"
  /** The sender: `Example <no-reply@example.com>`. */
  from?: string
  /** The lifetime of a link in seconds. @default 86400 */
  maxAge?: number
  /** Sends the email. The user waits until the promise settles, and sees an error if it rejects. */
  sendVerificationRequest: (params: {
    /** The normalised recipient address. */
    identifier: string
    /** The link. */
    url: string
    /** When the link expires. */
    expires: Date
    /** This provider with all options merged. */
    provider: EmailConfig & Loose
    /** The token that the link contains. */
    token: string
    /**
     * A code such as "CDFH-J479", which the user can enter instead of opening the link, in the browser that requested
     * the email. Undefined without `emailCode`.
     */
    code: string | undefined
    theme: Theme
    request: Request
    /** The email rendered from the templates. */
    mail: SignInMail
    /** Aborted when sending times out. */
    signal: AbortSignal
  }) => Awaitable<void>
  /**
   * Whether the email contains a code besides the link, and the page "Check your email" has a field for the code.
   * @default true if the provider's own sender includes the code; false with your own `sendVerificationRequest`
   */
  emailCode?: boolean
  /** The time limit in seconds for storing the link and sending the email. @default 8 */
  sendTimeout?: number
  /** The key for the hashes of this provider's links. @default config.secret */
  secret?: string
  /** The API key of the email service. @default AUTH_<ID>_KEY */
  apiKey?: string
  /** The SMTP server: a URL, options of nodemailer, or a nodemailer transport. @default AUTH_<ID>_SERVER */
  server?: Loose
  /** Returns the token of a new link: at least 128 random bits. @default 32 random bytes */
  generateVerificationToken?: () => Awaitable<string>
  /**
   * Returns the canonical spelling of an address, or throws if the address is invalid. @default Unicode NFKC in lower
   * case, the domain in ASCII
   */
  normalizeIdentifier?: (identifier: string) => string
  /** The application's options, which are passed to the factory. They override the members of the provider. */
  options?: Loose
}

/**
 * Sign-in with a passkey. The options for creating and verifying sign-ins and registrations are passed to
 * `@simplewebauthn/server`.
 */
export interface WebAuthnConfig extends CommonProviderOptions {
  type: "webauthn"
  /**
   * The relying party of WebAuthn. If a member is a list, its first entry is used. @default the host and origin of the
   * request
   */
  relayingParty?: { id?: string | string[]; name?: string | string[]; origin?: string | string[] } | Loose
  /** Returns the relying party for a request. `options` contains `provider` and `url`. */
  getRelayingParty: (options: Loose, request: Loose) => { id: string; name: string; origin: string }
  /** Whether a form field offers passkeys by autofill. Only one provider can enable this option. @default true */
  enableConditionalUI: boolean
  /** Not used, because latchkey serves its own script. */
  simpleWebAuthnBrowserVersion: `v${string}` | false
  /** The fields of the form with which a new user registers a passkey. */
  formFields: Record<string, CredentialInput>
  /** Options for creating a sign-in, such as `userVerification` and `timeout`. */
  authenticationOptions?: Loose
  /** Options for creating a registration, such as `authenticatorSelection` and `timeout`. */
  registrationOptions: Loose
  /** Options for verifying a sign-in. @default { requireUserVerification: true } */
  verifyAuthenticationOptions?: Loose
  /** Options for verifying a registration. @default { requireUserVerification: true } */
  verifyRegistrationOptions?: Loose
  /**
   * Returns the user that a signed-out visitor's form identifies: `{ user, exists }`, with `exists: false` for a new
   * user. Returns null if the form identifies no user.
   */
  getUserInfo: (options: Loose, request: Loose) => Awaitable<Loose>
  /** Whether responses can reveal that an email address belongs to a user, as in Auth.js. @default false */
  revealAccounts?: boolean
  /** Not used, because latchkey uses its own version. */
  simpleWebAuthn?: Loose
  /** The application's options, which are passed to the factory. They override the members of the provider. */
  options?: Loose
}

/** A provider of any type, as a factory returns it. */
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
