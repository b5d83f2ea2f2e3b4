import type { AccountNeeds, AccountProvider, AccountRuntime } from "../accounts/account-runtime.js"
import type { Identity } from "../accounts/identity.js"
import type { AdapterMethod } from "../adapters/adapter.js"
import type { CookieChange } from "../base/types.js"
import type { BoundedSet } from "../cache/bounded-set.js"
import type { ResolvedConfig } from "../config/resolved-config.js"
import type { ConfigProblem } from "../errors/errors.js"
import type { AuthCall } from "../http/call.js"
import type { Reply } from "../http/reply.js"
import type { PageProvider, PageRuntime } from "../pages/build-props.js"
import type { Mails } from "../pages/mail.js"
import type { ProviderObject } from "../provider-kit/provider.js"
import type { Keyring } from "../security/keys.js"
import type { Limits } from "../security/limits.js"
import type { FlowRuntime } from "../security/sealed-flows.js"

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
  /** Identifies the flow, so that a callback which the browser repeats after a success is recognised. */
  readonly key?: string | undefined
  /** Changes that clear the flow's cookies, on success and on failure. */
  readonly cookies: readonly CookieChange[]
}

/** The provider of a callback, and the `pending` value that `resume` returned. */
export interface CallbackState<R extends ReadyProvider = ReadyProvider, Pending = unknown> {
  readonly provider: R
  readonly pending: Pending
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
  /** Keys of warnings already logged, so that each is logged once. */
  readonly warnedOnce: BoundedSet
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
  start?(call: AuthCall, provider: R, runtime: MethodRuntime): Promise<Reply>
  /** Handles GET /webauthn-options/:id, whose response starts a ceremony in the page's script. */
  options?(call: AuthCall, provider: R, runtime: MethodRuntime): Promise<Reply>
  /** Finds the pending flow of a callback. */
  resume?(call: AuthCall, provider: R, runtime: MethodRuntime): PendingFlow<Pending>
  /** Replies to a callback before `finish`: forwards it, or shows a confirmation page. Undefined to continue. */
  intercept?(call: AuthCall, state: CallbackState<R, Pending>, runtime: MethodRuntime): Reply | undefined
  /** Authenticates the user of /callback/:id. */
  finish(call: AuthCall, state: CallbackState<R, Pending>, runtime: MethodRuntime): Promise<Identity>
  readonly needs: AccountNeeds & {
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
    /** True if a GET of the callback may show a confirmation form. */
    readonly showsConfirmation?: boolean
    /** The time limit of the callback in milliseconds, if it exceeds the default. */
    readonly timeoutMs?: (provider: R) => number
    /** The time limit of POST /signin/:id in milliseconds, if it exceeds the default. */
    readonly startTimeoutMs?: (provider: R) => number
  }
}
