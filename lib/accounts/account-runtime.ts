import type { Adapter } from "../adapters/adapter.js"
import type { Awaitable } from "../base/awaitable.js"
import type { PrivateJwk } from "../base/private-jwk.js"
import type { Account, Profile, RequirementParams } from "../base/types.js"
import type { WithLock } from "../cache/keyed-mutex.js"
import type { Emit } from "../config/resolved-config.js"
import type { AuthError, ErrorCause } from "../errors/errors.js"
import type { AuthCall } from "../http/call.js"
import type { EmailVerificationRule } from "../provider-kit/provider.js"
import type { SecondFactor } from "../second-factor/second-factor.js"
import type { Keyring } from "../security/keys.js"
import type { SessionCookies, SessionRuntime, SessionStrategy } from "../sessions/session.js"

/** The members of a provider that determine whether an account verifies the email address of its user. */
export interface AccountProvider {
  /** With OAuth and OpenID Connect: returns true if the email address in a profile is verified. */
  readonly isEmailVerified?: (profile: Profile) => boolean
  /** With OAuth and OpenID Connect: whether the provider verifies email addresses. */
  readonly verifiesEmail?: EmailVerificationRule
}

/** The properties of a sign-in method that determine how its accounts are handled. */
export interface AccountNeeds {
  /**
   * Where the account of a sign-in is stored. "linked": in an account record of the adapter. "address": it is the email
   * address in the user record. "external": only in the application.
   */
  readonly account: "linked" | "address" | "external"
  /** The error class for an account or an address that belongs to another user. @default OAuthAccountNotLinked */
  readonly refusal?: new (
    message: string,
    cause: ErrorCause,
  ) => AuthError
  /** True if users of this method sign in with passkeys, which they register and remove on the page /passkeys. */
  readonly hasPasskeys?: boolean
}

/** The parameters of `RequirementRule.isOpen`. */
interface RuleParams extends RequirementParams {
  /** The owner of the new session, see `SessionAuthentication`. */
  readonly owner: string
  /** See `SignInCandidate.isFirstVerification`. */
  readonly isFirstVerification: boolean
  readonly browser: SessionCookies
}

/** A condition that a sign-in must meet: a requirement of the configuration, or the second factor. */
export interface RequirementRule {
  readonly name: string
  /** Returns true if the user still has to meet the condition. */
  isOpen(params: RuleParams): Awaitable<boolean>
  /** Returns the page on which the user meets the condition: a path, or an absolute URL. */
  page(call: Pick<AuthCall, "base">): string
}

/** Keeps the provider tokens of accounts in the store instead of the adapter. */
export interface AccountTokens {
  /** False if the tokens of this account are stored in the adapter. */
  usesStore(account: Account): boolean
  /** Stores the tokens of a sign-in. `scope` is the requested scope, and `subject` is `sub` of the id_token. */
  put(
    owner: string,
    account: Account,
    context: {
      readonly scope?: string | undefined
      readonly subject?: string | undefined
      readonly dpopKey?: PrivateJwk | undefined
    },
  ): Promise<void>
  /** Deletes the tokens of an account, and revokes them at the provider. */
  remove(owner: string, account: Pick<Account, "provider" | "providerAccountId">): Promise<void>
}

/** The part of the runtime that the account functions need. */
export interface AccountRuntime extends SessionRuntime {
  /** The sign-in methods by provider type. */
  readonly methods: Readonly<Partial<Record<string, { readonly needs: AccountNeeds }>>>
  readonly providers: ReadonlyMap<string, { readonly provider: AccountProvider }>
  /** Runs the handler of an event that must succeed; rejects with an `EventError`. */
  readonly emitStrictly: Emit
  readonly adapter: Adapter | undefined
  readonly sessions: SessionStrategy
  /** The tokens of accounts in the store; undefined if there is no store for them. */
  readonly tokens: AccountTokens | undefined
  /** The second factor of users; undefined if the configuration has none. */
  readonly secondFactor: SecondFactor | undefined
  /** The conditions that a sign-in must meet, in the order in which they are checked. */
  readonly requirements: readonly RequirementRule[]
  readonly keys: Keyring
  /** Runs work with the same key one after the other, for example two sign-ins with one account. */
  readonly withLock: WithLock
}
