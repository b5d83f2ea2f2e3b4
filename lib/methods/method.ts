import type { AdapterAuthenticator, AdapterMethod } from "../adapters/adapter.js"
import type { ResolvedConfig } from "../config/resolve.js"
import type { ConfigProblem } from "../errors.js"
import type { AuthCall } from "../http/call.js"
import type { CookieChange } from "../http/cookies.js"
import type { Reply } from "../http/reply.js"
import type { CredentialInputs } from "../pages/props.js"
import type { EmailProofRule, OAuthProviderButtonStyles, ProviderObject, ProviderType } from "../providers/provider.js"
import type { Runtime } from "../runtime.js"
import type { Account, Profile, TokenSet, User } from "../types.js"

/** Who somebody proved to be, however it was done. */
export interface Identity {
  readonly user: User
  readonly account: Account
  /** With OAuth and OpenID Connect: what the provider said. */
  readonly profile?: Profile
  /** With credentials: the submitted fields. */
  readonly credentials?: Record<string, unknown>
  /** With credentials: when their check began, in milliseconds. */
  readonly checkedAt?: number
  /** With OAuth and OpenID Connect: what is kept of the tokens when the account is linked. */
  readonly keptTokens?: () => TokenSet
  /** May it be linked to a user of the same address? */
  readonly allowsEmailLinking?: boolean
  /** Does the provider say that it has proved the user's address? */
  readonly isEmailVerified?: boolean
  /** Has this sign-in proved the address, by a link that was sent there? */
  readonly provesEmail?: boolean
  /** Who was signed in when it began, null for nobody; undefined where it is not linked to who is signed in, or not known. */
  readonly begunBy?: string | null | undefined
  /** With passkeys: is `user` one that the store has already? */
  readonly isStoredUser?: boolean
  /** With a new passkey: what is stored of it beside its account. */
  readonly passkey?: Omit<AdapterAuthenticator, "userId">
}

/** What every prepared provider has; a method adds what it needs. */
export interface ReadyProvider {
  readonly id: string
  readonly name: string
  readonly type: ProviderType
  readonly style?: OAuthProviderButtonStyles | undefined
  /** Fields of a form on the sign-in page. */
  readonly inputs?: CredentialInputs
  /** Of passkeys: what a form needs to know to begin. */
  readonly ceremony?: {
    /** Does a form's field offer passkeys by itself? */
    readonly hasAutofill: boolean
    /** Is every passkey found by the browser itself, without a list of ids? */
    readonly isDiscoverable: boolean
  }
  /** Of OAuth and OpenID Connect: does a profile say that its address is proved? */
  readonly isEmailVerified?: (profile: Profile) => boolean
  /** Of OAuth and OpenID Connect: does the vendor verify addresses? */
  readonly provesEmail?: EmailProofRule
  /** Origins, beside https ones, that a sign-in form may lead to. */
  readonly formTargets?: readonly string[]
}

/** What an attempt that comes back left in the browser. */
export interface Attempt {
  /** Where the person wanted to go. */
  readonly callbackUrl?: string
  /** Cleared whether the attempt succeeds or not. */
  readonly cookies: readonly CookieChange[]
}

/** One way to sign in. */
export interface SignInMethod<P extends ProviderObject = ProviderObject, R extends ReadyProvider = ReadyProvider> {
  /** What is wrong with a provider's options. */
  check(provider: P, path: string, config: ResolvedConfig): ConfigProblem[]
  /** Everything that depends on the configuration alone. */
  prepare(provider: P, config: ResolvedConfig): R
  /** Begins: POST /signin/:id. Without it the sign-in page is shown. */
  start?(call: AuthCall, provider: R, runtime: Runtime): Promise<Reply>
  /** What a script on the page needs to begin: GET /webauthn-options/:id. */
  options?(call: AuthCall, provider: R, runtime: Runtime): Promise<Reply>
  /** Finds the attempt that a callback belongs to. */
  resume?(call: AuthCall, provider: R, runtime: Runtime): Attempt
  /** Answers a callback that proves nothing yet: hands it on, or asks first. */
  intercept?(call: AuthCall, provider: R, runtime: Runtime): Reply | undefined
  /** Proves who it is, and no more: /callback/:id. */
  finish(call: AuthCall, provider: R, runtime: Runtime): Promise<Identity>
  readonly needs: {
    /** What it calls of the store, where there is one. */
    readonly adapter?: readonly AdapterMethod[]
    /** Is there no way without a store? */
    readonly requiresAdapter?: boolean
    readonly finishBy: (provider: R) => readonly ("GET" | "POST")[]
    /** Must a POST that finishes carry the browser's CSRF token? */
    readonly csrfOnPost?: boolean
    /** Do other sites post what finishes, as providers do with `form_post`? Elsewhere such a POST is forged. */
    readonly crossSitePost?: boolean
    /** May a GET that would finish show a form first? */
    readonly asksFirst?: boolean
    /** How long the answer that finishes may take, in milliseconds, where that is more than usual. */
    readonly patienceMs?: (provider: R) => number
    /** The same of the answer that begins. */
    readonly startPatienceMs?: (provider: R) => number
  }
}
