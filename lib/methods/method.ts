import type { AccountNeeds, AccountProvider, AccountRuntime } from "../accounts/account-runtime.js"
import type { Identity } from "../accounts/identity.js"
import type { AdapterMethod, AdapterUser } from "../adapters/adapter.js"
import type { Awaitable } from "../base/awaitable.js"
import type { CookieChange, SessionOrigin } from "../base/types.js"
import type { BoundedSet } from "../cache/bounded-set.js"
import type { ResolvedConfig } from "../config/resolved-config.js"
import type { ConfigProblem } from "../errors/errors.js"
import type { AuthCall } from "../http/call.js"
import type { Reply } from "../http/reply.js"
import type { PageProvider, PageRuntime } from "../pages/build-props.js"
import type { Mails } from "../pages/mail.js"
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

/** The members that all prepared providers have. Methods add their own. */
export interface ReadyProvider extends AccountProvider, PageProvider {
  /** Origins that are not https and to which a sign-in form may redirect. */
  readonly formTargets?: readonly string[]
}

/** An unfinished sign-in, as a callback finds it. */
export interface PendingFlow<Pending = unknown> {
  /** The method's own data, which it has read and decrypted once. The engine passes it to `intercept` and `finish`. */
  readonly pending: Pending
  /** The return URL. */
  readonly callbackUrl?: string
  /** True if the user has chosen to stay signed in. Undefined if the form of the callback contains the choice. */
  readonly remember?: boolean
  /** True if the current user proves again who they are. Undefined if the form of the callback states it. */
  readonly isReauthentication?: boolean
  /** See `AuthCall.requiredQuery`. Undefined if the form of the callback contains it. */
  readonly requiredQuery?: string
  /** Identifies the flow, so that a callback which the browser repeats after a success is recognised. */
  readonly key?: string | undefined
  /** Changes that clear the flow's cookies, on success and on failure. */
  readonly cookies: readonly CookieChange[]
}

/** An authenticated user. */
export interface Authenticated extends Identity {
  /** Changes to the method's own cookies that depend on the success of `finish`. */
  readonly cookies?: readonly CookieChange[]
}

/** The time of a renewal of tokens, and when it is given up: the refresh token is not sent later. */
export interface RenewalTiming {
  readonly nowMs: number
  readonly deadline: AbortSignal
}

/** A valid token with which a provider ends sessions. */
export interface LogoutToken {
  /** The id of the token, unique for each issuer. */
  readonly id: string
  readonly sessions: SessionGroup
  /** When the token is no longer accepted. */
  readonly expires: Date
}

/** The provider of a callback, and the `pending` value that `resume` returned. */
export interface CallbackState<R extends ReadyProvider = ReadyProvider, Pending = unknown> {
  readonly provider: R
  readonly pending: Pending
}

/** Logout at the provider: the browser is redirected there, and returns. */
export interface ProviderLogout<R extends ReadyProvider = ReadyProvider, Pending = unknown> {
  /** True if sign-out also signs the user out at this provider. */
  isEnabled(provider: R): boolean
  /**
   * Redirects a browser whose session has ended to the provider. Undefined if the provider does not support it.
   *
   * @throws AuthError if the provider can't be reached
   */
  start(
    call: AuthCall,
    ended: { readonly provider: R; readonly session: RegisteredSession },
    runtime: MethodRuntime,
  ): Promise<Reply | undefined>
  /** Finds the pending logout of GET /post-logout/:id. */
  resume(call: AuthCall, provider: R, runtime: MethodRuntime): PendingFlow<Pending>
  /**
   * Redirects a browser that returns from the provider.
   *
   * @throws AuthError if the browser has not started this logout
   */
  finish(call: AuthCall, state: CallbackState<R, Pending>, runtime: MethodRuntime): Reply
}

/** The part of the runtime that sign-in methods need. */
export interface MethodRuntime extends AccountRuntime, FlowRuntime, PageRuntime {
  /** The sign-in methods by provider type. */
  readonly methods: Readonly<Partial<Record<string, SignInMethod>>>
  readonly providers: ReadonlyMap<string, { readonly method: SignInMethod; readonly provider: ReadyProvider }>
  /** Renders emails from their templates. */
  readonly mails: Mails
  /** The keys that encrypt `state` for `redirectProxyUrl`. */
  readonly redirectProxyKeys: Keyring
  /** Undefined if `rateLimit` is false. */
  readonly limits: Limits | undefined
  /** Counts the tries of an email code. */
  readonly countCodeTry: CountEvent
  /** Keys of warnings already logged, so that each is logged once. */
  readonly warnedOnce: BoundedSet
}

/** What a user has to grant at a provider, at whom the user already has an account. */
export interface AuthorizationRequest {
  /** The scopes to request besides those of the configuration, separated by spaces. */
  readonly scope: string
  /** The account: another one is refused. */
  readonly accountId: string
}

/** The current user, who proves again who they are. */
export interface CurrentUser {
  /** How the session was opened; undefined for an older session. */
  readonly origin: SessionOrigin | undefined
  /** The adapter's user; null if the application stores the user elsewhere. */
  readonly stored: AdapterUser | null
  /** The providers of the user's linked accounts. */
  readonly accountProviders: readonly string[]
}

/** How the current user proves again who they are. */
export interface Reauthentication<R extends ReadyProvider = ReadyProvider> {
  /** True if this user can do that with this provider; "unknown" if only the application knows. */
  isPossible(user: CurrentUser, provider: R, runtime: MethodRuntime): Awaitable<boolean | "unknown">
  /** The `amr` that it adds to the session; "any" if the provider decides, also about `acr`. */
  amr(provider: R): readonly string[] | "any"
  /** The query parameters of the form's URL that ask the provider for the required authentication. */
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
  /** Handles POST /signin/:id. Without it the sign-in page is shown. */
  start?(call: AuthCall, provider: R, runtime: MethodRuntime, request?: AuthorizationRequest): Promise<Reply>
  /** Handles GET /webauthn-options/:id, whose response starts a ceremony in the page's script. */
  options?(call: AuthCall, provider: R, runtime: MethodRuntime): Promise<Reply>
  /** Finds the pending flow of a callback. */
  resume?(call: AuthCall, provider: R, runtime: MethodRuntime): PendingFlow<Pending>
  /** Replies to a callback before `finish`: forwards it, or shows a confirmation page. Undefined to continue. */
  intercept?(call: AuthCall, state: CallbackState<R, Pending>, runtime: MethodRuntime): Awaitable<Reply | undefined>
  /** Authenticates the user of /callback/:id. A reply asks the user to try again. */
  finish(call: AuthCall, state: CallbackState<R, Pending>, runtime: MethodRuntime): Promise<Authenticated | Reply>
  /**
   * Validates a token with which the provider ends sessions.
   *
   * @throws AuthError with status 400 if it is invalid, and 503 if it can't be validated at the moment
   */
  readLogoutToken?(token: string, provider: R, runtime: MethodRuntime): Promise<LogoutToken>
  readonly logout?: ProviderLogout<R>
  /** Without it, users can't confirm with this method who they are. */
  readonly reauthentication?: Reauthentication<R>
  /** Renews and revokes the tokens of accounts. */
  readonly tokens?: {
    rules(provider: R): TokenRules
    /** @throws ReauthenticationRequired if the provider rejects the refresh token; Error if it can't be reached */
    refresh(tokens: StoredTokens, provider: R, timing: RenewalTiming): Promise<RenewedTokens>
    /** Revokes tokens at the provider, if it has an endpoint for that. */
    revoke(tokens: StoredTokens, provider: R): Promise<void>
    /** Sends a request with an access token to the provider's API. @throws TypeError for another address */
    send(request: Request, tokens: StoredTokens, provider: R): Promise<Response>
  }
  readonly needs: AccountNeeds & {
    /** What its form on the sign-in page has. */
    readonly form: SignInForm
    /** The adapter methods that it calls, if there is an adapter. */
    readonly adapter?: readonly AdapterMethod[]
    /** What it stores in the adapter, as text for a message, if it does not work without one. */
    readonly requiresAdapterFor?: string
    /** The options that environment variables set, such as AUTH_<ID>_SECRET. */
    readonly environment?: readonly EnvOption[]
    /** True if a sign-in can verify the user's email address. */
    readonly verifiesEmail?: boolean
    /** True if users can sign up with any email address, without proof that it is theirs. */
    readonly allowsUnverifiedSignUp?: (provider: P) => boolean
    /** Returns the posted values that identify the user: the sign-in form shows them again after a failure. */
    readonly formValues?: (body: AuthCall["body"], provider: R) => Record<string, string>
    /** The HTTP methods of /callback/:id. */
    readonly callbackMethods: (provider: R) => readonly ("GET" | "POST")[]
    /** True if a POST to the callback must carry the browser's CSRF token. */
    readonly requiresCsrf?: boolean
    /**
     * True if other sites may POST to the callback, as providers do with `form_post`. Otherwise it is rejected as
     * forged.
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
