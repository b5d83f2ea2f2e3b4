import type { AccountNeeds, AccountProvider, AccountRuntime } from "../accounts/account-runtime.js"
import type { Identity } from "../accounts/identity.js"
import type { AdapterMethod, AdapterUser } from "../adapters/adapter.js"
import type { Awaitable } from "../base/awaitable.js"
import type { CookieChange, SessionAuthentication } from "../base/types.js"
import type { BoundedSet } from "../cache/bounded-set.js"
import type { ResolvedConfig } from "../config/resolved-config.js"
import type { ConfigProblem } from "../errors/errors.js"
import type { AuthCall } from "../http/call.js"
import type { Reply } from "../http/reply.js"
import type { PageProvider, PageRuntime } from "../pages/build-props.js"
import type { Emails } from "../pages/mail.js"
import type { SignInForm } from "../pages/props.js"
import type { ProviderObject } from "../provider-kit/provider.js"
import type { Keyring } from "../security/keys.js"
import type { CountEvent, Limits } from "../security/limits.js"
import type { FlowRuntime } from "../security/sealed-flows.js"
import type { RequiredAuthentication } from "../sessions/required-authentication.js"
import type { RegisteredSession, SessionGroup } from "../sessions/session.js"
import type { RenewedTokens } from "../tokens/renewal.js"
import type { StoredTokens } from "../tokens/token-records.js"
import type { TokenRules } from "../tokens/token-state.js"

/** The options of a provider that environment variables can set. */
export type EnvOption = "clientId" | "clientSecret" | "issuer" | "apiKey" | "from" | "server"

/** The members that every prepared provider has. Each sign-in method adds more. */
export interface ReadyProvider extends AccountProvider, PageProvider {
  /** The plain http origins to which a sign-in form may redirect, for the CSP. The CSP allows all https origins. */
  readonly formTargets?: readonly string[]
}

/** The unfinished sign-in that a callback continues. */
export interface PendingFlow<Pending = unknown> {
  /** The method's own data. `resume` reads and decrypts it once; `intercept` and `finish` receive it. */
  readonly pending: Pending
  /** The return URL. */
  readonly callbackUrl?: string
  /** True if the user has chosen to stay signed in. Undefined if the form of the callback contains the choice. */
  readonly remember?: boolean
  /** True if the current user re-authenticates. Undefined if a field in the form of the callback states this. */
  readonly isReauthentication?: boolean
  /** See `AuthCall.requiredQuery`. Undefined if the form of the callback contains this query. */
  readonly requiredQuery?: string
  /** Identifies the flow, to recognise a callback that the browser repeats after a successful sign-in. */
  readonly key?: string | undefined
  /** Cookie changes that are sent after success and after failure, such as clearing the flow's cookies. */
  readonly cookies: readonly CookieChange[]
}

/** An authenticated user. */
export interface Authenticated extends Identity {
  /** Changes to the method's own cookies that are not sent if the sign-in fails. */
  readonly cookies?: readonly CookieChange[]
}

/** The current time, and the deadline of a token renewal. The refresh token is not sent after the deadline. */
export interface RenewalTiming {
  readonly nowMs: number
  readonly deadline: AbortSignal
}

/** A valid logout token, with which a provider ends sessions (OpenID Connect Back-Channel Logout 1.0). */
export interface LogoutToken {
  /** The token's issuer and `jti`, which are unique together. */
  readonly id: string
  readonly sessions: SessionGroup
  /** The time after which the token is no longer accepted. */
  readonly expires: Date
}

/** The provider of a callback, and the `pending` value that `resume` returned. */
export interface CallbackState<R extends ReadyProvider = ReadyProvider, Pending = unknown> {
  readonly provider: R
  readonly pending: Pending
}

/** Logout at the provider: redirects the browser to the provider, which redirects it back to this site. */
export interface ProviderLogout<R extends ReadyProvider = ReadyProvider, Pending = unknown> {
  /** True if sign-out also signs the user out at this provider. */
  isEnabled(provider: R): boolean
  /**
   * Returns the redirect to the provider, for a browser whose session has ended. Undefined if the provider has no
   * endpoint for logout.
   *
   * @throws AuthError if the provider can't be reached
   */
  start(
    call: AuthCall,
    ended: { readonly provider: R; readonly session: RegisteredSession },
    runtime: MethodRuntime,
  ): Promise<Reply | undefined>
  /** Finds the pending logout that GET /post-logout/:id finishes. */
  resume(call: AuthCall, provider: R, runtime: MethodRuntime): PendingFlow<Pending>
  /**
   * Returns the redirect to the return URL of the sign-out, for a browser that comes back from the provider.
   *
   * @throws AuthError if this browser did not start the logout
   */
  finish(call: AuthCall, state: CallbackState<R, Pending>, runtime: MethodRuntime): Reply
}

/** The part of the runtime that sign-in methods need. */
export interface MethodRuntime extends AccountRuntime, FlowRuntime, PageRuntime {
  /** The sign-in methods by provider type. */
  readonly methods: Readonly<Partial<Record<string, SignInMethod>>>
  readonly providers: ReadonlyMap<string, { readonly method: SignInMethod; readonly provider: ReadyProvider }>
  /** Renders emails from their templates. */
  readonly emails: Emails
  /** The keys that encrypt `state` for `redirectProxyUrl`. */
  readonly redirectProxyKeys: Keyring
  /** Undefined if `rateLimit` is false. */
  readonly limits: Limits | undefined
  /** Counts a try of an email code. This limit is on even if `rateLimit` is false. */
  readonly countCodeAttempt: CountEvent
  /** Keys of warnings already logged, so that each is logged once. */
  readonly warnedOnce: BoundedSet
}

/** Access that a user has to grant at a provider where the user already has an account. */
export interface AuthorizationRequest {
  /** The scopes to request besides those of the configuration, separated by spaces. */
  readonly scope: string
  /** The id of this account at the provider. The callback rejects any other account. */
  readonly accountId: string
}

/** The facts about the current user that decide with which methods the user can re-authenticate. */
export interface CurrentUser {
  /** How the session was opened; undefined if this is not recorded. */
  readonly authentication: SessionAuthentication | undefined
  /** The adapter's user; null if the application stores the user elsewhere. */
  readonly stored: AdapterUser | null
  /** The ids of the providers of the user's linked accounts. */
  readonly accountProviders: readonly string[]
}

/** Re-authentication of the current user with a sign-in method. */
export interface Reauthentication<R extends ReadyProvider = ReadyProvider> {
  /** True if the user can re-authenticate with this provider; "unknown" if only the application can tell. */
  isPossible(user: CurrentUser, provider: R, runtime: MethodRuntime): Awaitable<boolean | "unknown">
  /** The `amr` values that re-authentication adds to the session; "any" if the provider determines `amr` and `acr`. */
  amr(provider: R): readonly string[] | "any"
  /** Query parameters for the form's URL, which request the required authentication from the provider. */
  params?(required: RequiredAuthentication, provider: R): Readonly<Record<string, string>>
}

/** A sign-in method. */
export interface SignInMethod<
  P extends ProviderObject = ProviderObject,
  R extends ReadyProvider = ReadyProvider,
  Pending = unknown,
> {
  /** Returns the problems of a provider's options. */
  check(provider: P, path: string, config: ResolvedConfig): ConfigProblem[]
  /** Computes everything that depends only on the configuration. */
  prepare(provider: P, config: ResolvedConfig): R
  /** Handles POST /signin/:id. For a method without `start`, this request redirects to the sign-in page. */
  start?(call: AuthCall, provider: R, runtime: MethodRuntime, request?: AuthorizationRequest): Promise<Reply>
  /** Handles GET /webauthn-options/:id: returns the options with which the page's script starts a ceremony. */
  options?(call: AuthCall, provider: R, runtime: MethodRuntime): Promise<Reply>
  /** Finds the pending flow of a callback. */
  resume?(call: AuthCall, provider: R, runtime: MethodRuntime): PendingFlow<Pending>
  /** Returns a reply to send instead of calling `finish`, for example a confirmation page. Otherwise undefined. */
  intercept?(call: AuthCall, state: CallbackState<R, Pending>, runtime: MethodRuntime): Awaitable<Reply | undefined>
  /** Authenticates the user in a request to /callback/:id. Returns a reply if the user has to try again. */
  finish(call: AuthCall, state: CallbackState<R, Pending>, runtime: MethodRuntime): Promise<Authenticated | Reply>
  /**
   * Validates a logout token.
   *
   * @throws AuthError with status 400 if the token is invalid, and 503 if it can't be validated at the moment
   */
  readLogoutToken?(token: string, provider: R, runtime: MethodRuntime): Promise<LogoutToken>
  readonly logout?: ProviderLogout<R>
  /** Undefined if users can't re-authenticate with this method. */
  readonly reauthentication?: Reauthentication<R>
  /** Renews and revokes the tokens of accounts. */
  readonly tokens?: {
    rules(provider: R): TokenRules
    /** @throws ReauthenticationRequired if the provider rejects the refresh token; Error for any other failure */
    refresh(tokens: StoredTokens, provider: R, timing: RenewalTiming): Promise<RenewedTokens>
    /** Revokes tokens at the provider, if the provider has a revocation endpoint. */
    revoke(tokens: StoredTokens, provider: R): Promise<void>
    /** Adds the access token to a request and sends it. @throws TypeError if the URL is not of the provider's API */
    send(request: Request, tokens: StoredTokens, provider: R): Promise<Response>
  }
  readonly needs: AccountNeeds & {
    /** The kind of form that the sign-in page shows for this method. */
    readonly form: SignInForm
    /** The adapter methods that this sign-in method calls if there is an adapter. */
    readonly adapter?: readonly AdapterMethod[]
    /** What this sign-in method stores in the adapter, for an error message; undefined if it needs no adapter. */
    readonly requiresAdapterFor?: string
    /** The options that environment variables such as AUTH_<ID>_SECRET can set. */
    readonly environment?: readonly EnvOption[]
    /** True if a sign-in can verify the user's email address. */
    readonly verifiesEmail?: boolean
    /** True if users can sign up with any email address, without proof that they own it. */
    readonly allowsUnverifiedSignUp?: (provider: P) => boolean
    /** Returns the posted values that identify the user. The sign-in form shows these values again after a failure. */
    readonly formValues?: (body: AuthCall["body"], provider: R) => Record<string, string>
    /** The HTTP methods of /callback/:id. */
    readonly callbackMethods: (provider: R) => readonly ("GET" | "POST")[]
    /** True if a POST to the callback must carry the browser's CSRF token. */
    readonly requiresCsrf?: boolean
    /**
     * True if other sites may POST to the callback, as providers do with `form_post`. Otherwise a cross-site POST is
     * rejected.
     */
    readonly allowsCrossSitePost?: boolean
    /** True if the provider may end sessions with a logout token. */
    readonly sendsLogoutTokens?: (provider: R) => boolean
    /** True if the provider can have the option `logout`. */
    readonly supportsLogout?: (provider: P) => boolean
    /** True if a GET of the callback may show a confirmation form. */
    readonly showsConfirmation?: boolean
    /** The time limit of the callback in milliseconds, if it exceeds the default. */
    readonly timeoutMs?: (provider: R) => number
    /** The time limit of POST /signin/:id in milliseconds, if it exceeds the default. */
    readonly startTimeoutMs?: (provider: R) => number
  }
}
