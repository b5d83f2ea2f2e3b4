import type { AdapterAuthenticator, AdapterMethod, AdapterUser } from "../adapters/adapter.js"
import type { ResolvedConfig } from "../config/resolve.js"
import type { AuthError, ConfigProblem, ErrorCause } from "../errors/errors.js"
import type { AuthCall } from "../http/call.js"
import type { CookieChange } from "../http/cookies.js"
import type { Reply } from "../http/reply.js"
import type { CredentialInputs } from "../pages/props.js"
import type {
  EmailVerificationRule,
  OAuthProviderButtonStyles,
  ProviderObject,
  ProviderType,
} from "../provider-kit/provider.js"
import type { Runtime } from "../runtime/runtime.js"
import type { Account, Profile, SessionOrigin, TokenSet, User } from "../types.js"

/** How and when a user was authenticated. */
export type Authentication = Pick<SessionOrigin, "amr" | "authTime" | "acr" | "providerSid">

/** The result of a successful authentication, for all methods. */
export interface Identity {
  readonly user: User
  readonly account: Account
  /** Undefined for a user whom the application trusts, without a sign-in. */
  readonly authentication?: Authentication
  /** With OAuth and OpenID Connect: the provider's claims. */
  readonly profile?: Profile
  /** With credentials: the submitted fields. */
  readonly credentials?: Record<string, unknown>
  /** With credentials: when the call of `authorize` started, in milliseconds. */
  readonly checkedAt?: number
  /** With OAuth and OpenID Connect: returns the tokens that are stored with the account. */
  readonly tokensToStore?: () => TokenSet
  /** True if the account may be linked to a user with the same email address. */
  readonly allowsEmailLinking?: boolean
  /** True if the provider states that it has verified the email address. */
  readonly isEmailVerified?: boolean
  /**
   * True if the user has opened a link that was sent to the address, which verifies it. Also set for a user whom the
   * application trusts.
   */
  readonly isEmailLink?: boolean
  /**
   * The id of the current user at the start of the sign-in, null for none. Undefined if it is unknown, or if the method
   * does not check it.
   */
  readonly startedBy?: string | null | undefined
  /** With the sign-in of a passkey: the user to whom its account is linked, as the method has just read it. */
  readonly owner?: AdapterUser
  /** With passkeys: true if the adapter already has this user. */
  readonly isStoredUser?: boolean
  /** With a new passkey: the authenticator record to store with the account. */
  readonly passkey?: Omit<AdapterAuthenticator, "userId">
}

/** The options of a provider that environment variables can set. */
export type EnvOption = "clientId" | "clientSecret" | "issuer" | "apiKey" | "from" | "server"

/** The members that all prepared providers have. Methods add their own. */
export interface ReadyProvider {
  readonly id: string
  readonly name: string
  readonly type: ProviderType
  readonly style?: OAuthProviderButtonStyles | undefined
  /** The form fields on the sign-in page. */
  readonly inputs?: CredentialInputs
  /** With passkeys: the settings that the sign-in form needs. */
  readonly ceremony?: {
    /** True if a form field offers passkeys as autofill. */
    readonly hasAutofill: boolean
    /** True if all passkeys are discoverable credentials, so that the browser needs no list of ids. */
    readonly isDiscoverable: boolean
  }
  /** With OAuth and OpenID Connect: returns true if a profile's email address is verified. */
  readonly isEmailVerified?: (profile: Profile) => boolean
  /** With OAuth and OpenID Connect: whether the provider verifies email addresses. */
  readonly verifiesEmail?: EmailVerificationRule
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
  start?(call: AuthCall, provider: R, runtime: Runtime): Promise<Reply>
  /** Handles GET /webauthn-options/:id, whose response starts a ceremony in the page's script. */
  options?(call: AuthCall, provider: R, runtime: Runtime): Promise<Reply>
  /** Finds the pending flow of a callback. */
  resume?(call: AuthCall, provider: R, runtime: Runtime): PendingFlow<Pending>
  /** Replies to a callback before `finish`: forwards it, or shows a confirmation page. Undefined to continue. */
  intercept?(call: AuthCall, state: CallbackState<R, Pending>, runtime: Runtime): Reply | undefined
  /** Authenticates the user of /callback/:id. */
  finish(call: AuthCall, state: CallbackState<R, Pending>, runtime: Runtime): Promise<Identity>
  readonly needs: {
    /** The adapter methods that it calls, if there is an adapter. */
    readonly adapter?: readonly AdapterMethod[]
    /** What it stores in the adapter, as text for a message, if it does not work without one. */
    readonly requiresAdapterFor?: string
    /**
     * Where the account of a sign-in is: "linked" if the adapter stores it for the user, "address" if it is the user's
     * email address, and "external" if only the application knows it.
     */
    readonly account: "linked" | "address" | "external"
    /** The error for an account or an address that belongs to another user. @default OAuthAccountNotLinked */
    readonly refusal?: new (
      message: string,
      cause: ErrorCause,
    ) => AuthError
    /** The options that environment variables set, such as AUTH_<ID>_SECRET. */
    readonly environment?: readonly EnvOption[]
    /** True if a sign-in can verify the user's email address. */
    readonly verifiesEmail?: boolean
    /** True if users can sign up with any email address, without proof that it is theirs. */
    readonly allowsUnverifiedSignUp?: (provider: P) => boolean
    /** True if its credentials are passkeys, which users register and remove on the page /passkeys. */
    readonly hasPasskeys?: boolean
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
