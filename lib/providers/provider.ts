import type { Client } from "oauth4webapi"
import type { customFetch } from "../symbols.js"
import type { Awaitable, Profile, Theme, TokenSet, User } from "../types.js"

/** How a provider signs people in. */
export type ProviderType = "oidc" | "oauth" | "email" | "credentials" | "webauthn"

/** What every provider has. */
export interface CommonProviderOptions {
  /** Unique; part of the URLs. */
  id: string
  /** Shown to people. */
  name: string
  /** How it signs users in. */
  type: ProviderType
}

/** How a provider's button looks. */
export interface OAuthProviderButtonStyles {
  /** Address of the icon. */
  logo?: string
  /** A CSS colour. */
  brandColor?: string
  /** @deprecated Unused. */
  text?: string
  /** @deprecated Use `brandColor`. */
  bg?: string
}

// biome-ignore lint/suspicious/noExplicitAny: parameters and context differ by provider, as in the contract
type Loose = any

/** An endpoint as an object. `params` become query parameters of `url`. */
export interface EndpointHandler {
  /** The endpoint's address. */
  url?: string
  /** Added to the query. */
  params?: Record<string, Loose>
  /** Does the request itself. For `userinfo` it returns the profile, for `token` the `Response` or `{ tokens }`. */
  request?: (context: Loose) => Awaitable<Loose>
  /** For `token`: mends an answer that breaks the standard. A returned `Response` replaces it. */
  conform?: (response: Response) => Awaitable<Response | undefined>
  /** For `token` with `private_key_jwt`: a CryptoKey, or `{ key, kid }`. */
  clientPrivateKey?: Loose
}

/** What a provider's own functions get: the tokens, the provider with everything merged, and the bounded `fetch`. */
export interface ProviderContext {
  /** The token endpoint's response. */
  tokens: TokenSet
  /** The provider with everything merged. */
  provider: { userinfo?: { url?: string | URL | undefined } | undefined }
  /** Bounded in time and size, and the application's own when it gave one; absent with an Auth.js core. */
  fetch?: typeof globalThis.fetch
}

/** The client secret, or a function that returns it. */
export type ClientSecret = string | ((client: { readonly clientId: string }) => Awaitable<string>)

/** What `token.request` of a provider gets; it gives the token endpoint's `Response`, or `{ tokens }`. */
export interface TokenRequestContext {
  /** The query that the person came back with. */
  readonly params: { readonly code: string; readonly [name: string]: string | undefined }
  readonly checks: { readonly code_verifier?: string; readonly state?: string; readonly nonce?: string }
  /** The provider with everything merged. */
  readonly provider: { readonly clientId: string; readonly clientSecret: string; readonly token: { readonly url: URL } }
  readonly redirect_uri: string
  /** Bounded in time and size, and the application's own when it gave one. */
  readonly fetch: typeof globalThis.fetch
}

/** What a vendor's ids and secrets look like, where it has a form of its own for them. */
export interface CredentialShapes {
  /** The form of a client id. */
  readonly clientId?: RegExp
  /** The form of a client secret. */
  readonly clientSecret?: RegExp
}

/** Whether a vendor's profiles have verified addresses. */
export type EmailProofRule = "always" | "never" | "by claim"

/** A provider of OAuth 2 (RFC 6749). `P` is what its userinfo endpoint answers. */
export interface OAuth2Config<P = Profile> extends CommonProviderOptions {
  type: "oauth"
  /** Issuer identifier; endpoints that are not given are discovered from it. */
  issuer?: string | undefined
  /** Address of the discovery document. @default issuer + "/.well-known/openid-configuration" */
  wellKnown?: string
  /** Where people are sent: an address, or an object with `url` and `params`. @default what discovery says */
  authorization?: string | EndpointHandler | Loose
  /** Where the code is exchanged. @default what discovery says */
  token?: string | EndpointHandler | Loose
  /** Where the profile is asked for. @default what discovery says */
  userinfo?: string | EndpointHandler | Loose
  /** Who the application is at the provider. @default AUTH_<ID>_ID */
  clientId?: string | undefined
  /** A function is asked at each sign-in: for a secret that changes, or that is made of a key. */
  clientSecret?: ClientSecret | undefined
  /** Client metadata, `token_endpoint_auth_method` for instance. */
  client?: Partial<Client & { token_endpoint_auth_method: string }>
  /** @default ["pkce", "state"], with "nonce" for OpenID Connect */
  checks?: Array<"pkce" | "state" | "none">
  /** Turns the provider's profile into a user; its `id` becomes `providerAccountId`. */
  profile?: (profile: P, tokens: TokenSet & Loose, context?: ProviderContext) => Awaitable<User>
  /** Which tokens are kept with a linked account. */
  account?: (tokens: TokenSet & Loose) => TokenSet | Loose | undefined | void
  /** How its button looks. */
  style?: OAuthProviderButtonStyles
  /** For `npx latchkey doctor`: one in the other's place is noticed. Nothing is refused for its form. */
  credentialShapes?: CredentialShapes
  /**
   * May this user sign in with this provider? Asked before the application's `signIn` callback; false is AccessDenied.
   * It restricts this provider only: the user may still have another way to sign in. A rule for every method belongs
   * into `callbacks.signIn`. @default every user
   */
  isAllowed?: (profile: P) => Awaitable<boolean>
  /**
   * Does the vendor verify addresses? "always": an address in a profile is verified, by the vendor's documentation;
   * "never": none is; "by claim": those of which the profile says `email_verified: true`. @default "by claim"
   */
  provesEmail?: EmailProofRule
  /** Is the address of this profile verified? @default what `provesEmail` says */
  isEmailVerified?: (profile: P) => boolean
  /** Link to an existing user of the same, verified, e-mail address. @default false */
  allowDangerousEmailAccountLinking?: boolean
  /** A fixed address whose callbacks are handed on. @default config.redirectProxyUrl */
  redirectProxyUrl?: string | undefined
  /**
   * Accept plain http endpoints on other hosts than this machine, and those on this one that a document from elsewhere
   * names.
   *
   * @default false
   */
  allowInsecure?: boolean
  /** `false` trusts the id_token, and signed userinfo, without its signature (warned of). @default true */
  verifyIdToken?: boolean
  /** May the sign-in query set `scope`? @default false */
  allowScopeOverride?: boolean
  /** Mends the metadata that discovery gave, before its issuer is compared. */
  conformMetadata?: (metadata: Record<string, unknown>, issuer: URL) => Record<string, unknown>
  /** The issuer that this id_token must have, for a provider with one issuer per tenant; undefined refuses it. */
  issuerOf?: (claims: Record<string, unknown>, issuer: string) => string | undefined
  /**
   * The issuer that signed userinfo must have, where a service of its own answers it; undefined refuses it.
   * @default the id_token's
   */
  userinfoIssuerOf?: (claims: Record<string, unknown>, from: { issuer: string; endpoint: string }) => string | undefined
  /** A `fetch` of the application's own, for every call to this provider. */
  [customFetch]?: typeof fetch
  /** What the application gave to the factory; it wins. */
  options?: Partial<Omit<OAuth2Config<P>, "options" | "type" | "checks">> & { checks?: Loose }
}

/** A provider of OpenID Connect. */
export interface OIDCConfig<P = Profile> extends Omit<OAuth2Config<P>, "type" | "checks" | "options"> {
  /** OpenID Connect: an id_token says who signed in. */
  type: "oidc"
  /** @default ["pkce", "state", "nonce"] */
  checks?: Array<"pkce" | "state" | "nonce" | "none">
  /**
   * `false` takes the profile from userinfo instead of the id_token, and `true` from the id_token alone.
   * @default the id_token, and userinfo for what the granted scopes promise and it lacks, unless the definition has a `profile` of its own
   */
  idToken?: boolean
  /** What the application gave to the factory; it wins. */
  options?: Partial<Omit<OIDCConfig<P>, "options" | "type" | "checks">> & { checks?: Loose }
}

/** A provider of OAuth 2 or of OpenID Connect. */
export type OAuthConfig<P = Profile> = OIDCConfig<P> | OAuth2Config<P>

/** What an application may give to an OAuth 2 factory. */
export type OAuthUserConfig<P = Profile> = Omit<Partial<OAuth2Config<P>>, "options" | "type" | "checks"> & {
  checks?: Array<"pkce" | "state" | "none" | "nonce">
}
/** What an application may give to an OpenID Connect factory. */
export type OIDCUserConfig<P = Profile> = Omit<Partial<OIDCConfig<P>>, "options" | "type">

/** An `<input>` of a built-in form; further members become its attributes. */
// biome-ignore lint/suspicious/noExplicitAny: any attribute of an input element
export interface CredentialInput extends Record<string, any> {
  /** Stands above the field. */
  label?: Loose
  /** As HTML has it: "text", "password", "email". @default "text" */
  type?: Loose
  /** Stands in the empty field. */
  placeholder?: Loose
}

/** Sign-in with fields of your own, checked by your own function. */
export interface CredentialsConfig<C extends Record<string, CredentialInput> = Record<string, CredentialInput>>
  extends CommonProviderOptions {
  type: "credentials"
  /** The form's fields by name. */
  credentials: C
  /** Gives the user, or null to refuse. Throw a `CredentialsSignin` with a `code` to say more. */
  authorize: (credentials: Partial<Record<keyof C, unknown>>, request: Request) => Awaitable<User | null>
  /** What the application gave to the factory; it wins. */
  options?: Partial<CredentialsConfig<C>>
}

/** A mail with a sign-in link, written out from the templates in `views/mail`. */
export interface SignInMail {
  /** The subject line. */
  subject: string
  /** The plain text. */
  text: string
  /** The HTML version. */
  html: string
}

/** Sign-in by a link in a mail. */
export interface EmailConfig extends CommonProviderOptions {
  type: "email"
  /** The sender: `Example <no-reply@example.com>`. */
  from?: string
  /** Seconds that a link is good for. @default 86400 */
  maxAge?: number
  /** Sends the link; the person waits for it, and is told when it rejects. */
  sendVerificationRequest: (params: {
    /** The address to send to, normalised. */
    identifier: string
    /** The link. */
    url: string
    expires: Date
    /** This object, with the options that the application gave. */
    provider: EmailConfig & Loose
    token: string
    theme: Theme
    request: Request
    /** The mail as the templates write it. */
    mail: SignInMail
    /** Aborted when the time for sending is over. */
    signal: AbortSignal
  }) => Awaitable<void>
  /** Seconds that sending may take. @default 8 */
  sendTimeout?: number
  /** Hashes this provider's links. @default config.secret */
  secret?: string
  /** The key of the service that sends. @default AUTH_<ID>_KEY */
  apiKey?: string
  /** The mail server, as nodemailer takes it. @default AUTH_<ID>_SERVER */
  server?: Loose
  /** What stands in the link. @default 32 random bytes */
  generateVerificationToken?: () => Awaitable<string>
  /** One form for each address; throws for what is none. @default Unicode's NFKC in lower case, the domain in ASCII */
  normalizeIdentifier?: (identifier: string) => string
  /** What the application gave to the factory; it wins. */
  options?: Loose
}

/** Sign-in with a passkey. The options of the four steps are those of `@simplewebauthn/server`. */
export interface WebAuthnConfig extends CommonProviderOptions {
  type: "webauthn"
  /** The site as authenticators know it; of a list the first counts. @default the host and origin of the request */
  relayingParty?: { id?: string | string[]; name?: string | string[]; origin?: string | string[] } | Loose
  /** The same worked out for each request, from `{ provider, url }`. */
  getRelayingParty: (options: Loose, request: Loose) => { id: string; name: string; origin: string }
  /** Does a form's field offer passkeys by itself? One provider can. @default true */
  enableConditionalUI: boolean
  /** Unused: the script is ours and comes from the site itself. */
  simpleWebAuthnBrowserVersion: `v${string}` | false
  /** Fields of the form that makes a passkey for somebody new. */
  formFields: Record<string, CredentialInput>
  /** `userVerification`, `timeout` … of a sign-in. */
  authenticationOptions?: Loose
  /** `authenticatorSelection`, `timeout` … of a registration. */
  registrationOptions: Loose
  /** `requireUserVerification` of a sign-in. @default true */
  verifyAuthenticationOptions?: Loose
  /** `requireUserVerification` of a registration. @default true */
  verifyRegistrationOptions?: Loose
  /** Who a stranger's request is about: somebody who exists, somebody new, or null for nobody. */
  getUserInfo: (options: Loose, request: Loose) => Awaitable<Loose>
  /** May answers depend on whether an address has a user, as with Auth.js? @default false */
  revealAccounts?: boolean
  /** Unused: our own version is. */
  simpleWebAuthn?: Loose
  /** What the application gave to the factory; it wins. */
  options?: Loose
}

/** Any provider object, with the options that the application gave. */
export type ProviderObject =
  | OAuth2Config<Loose>
  | OIDCConfig<Loose>
  | EmailConfig
  | CredentialsConfig<Loose>
  | WebAuthnConfig

/** What may stand in `config.providers`: an object, or a factory that takes its options from the environment. */
export type Provider =
  | (ProviderObject & { options?: Loose })
  | ((options: Loose) => ProviderObject & { options?: Loose })
