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

/** The members of a provider that show whether its accounts verify email addresses. */
export interface AccountProvider {
  /** With OAuth and OpenID Connect: returns true if a profile's email address is verified. */
  readonly isEmailVerified?: (profile: Profile) => boolean
  /** With OAuth and OpenID Connect: whether the provider verifies email addresses. */
  readonly verifiesEmail?: EmailVerificationRule
}

/** What accounts depend on in a sign-in method. */
export interface AccountNeeds {
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
  /** True if its credentials are passkeys, which users register and remove on the page /passkeys. */
  readonly hasPasskeys?: boolean
}

/** What a rule decides by. */
interface RuleParams extends RequirementParams {
  readonly owner: string
  /** True if everything that was attached to the user before is removed in this sign-in, see `AccountDecision`. */
  readonly isFirstVerification: boolean
  readonly browser: SessionCookies
}

/** A condition that a sign-in must meet: a requirement of the configuration, or the second factor. */
export interface RequirementRule {
  readonly name: string
  isOpen(params: RuleParams): Awaitable<boolean>
  /** Returns the page on which the user meets it: a path, or an absolute URL. */
  page(call: Pick<AuthCall, "base">): string
}

/** The provider's tokens of accounts, in the store. */
export interface AccountTokens {
  /** False if the tokens of this account are stored in the adapter. */
  usesStore(account: Account): boolean
  /** Stores the tokens of a sign-in, with the requested scopes and `sub` of the id_token. */
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

/** The part of the runtime that accounts need. */
export interface AccountRuntime extends SessionRuntime {
  /** The sign-in methods by provider type. */
  readonly methods: Readonly<Partial<Record<string, { readonly needs: AccountNeeds }>>>
  readonly providers: ReadonlyMap<string, { readonly provider: AccountProvider }>
  /** Runs the handler of an event that must succeed; rejects with an `EventError`. */
  readonly emitStrictly: Emit
  readonly adapter: Adapter | undefined
  readonly sessions: SessionStrategy
  /** The tokens of accounts; undefined without a store. */
  readonly tokens: AccountTokens | undefined
  /** The second factor of users; undefined if the configuration has none. */
  readonly secondFactor: SecondFactor | undefined
  /** What a sign-in must meet, in this order. */
  readonly requirements: readonly RequirementRule[]
  readonly keys: Keyring
  /** Runs the sign-ins of one user one after the other. */
  readonly withLock: WithLock
}
