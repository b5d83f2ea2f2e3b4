import type { AdapterUser } from "../adapters/adapter.js"

/** The input of `decideAccount`: facts about an authenticated account or email address. */
export interface AccountFacts {
  /** The user to whom the account is linked, or null. */
  readonly owner: AdapterUser | null
  /** The user of the browser's session, or null. */
  readonly current: AdapterUser | null
  /**
   * True if the current user started this sign-in, or if the method does not record who started it. But always false if
   * the session was created before the user's address was verified, because an attacker may have created the session.
   */
  readonly isStartedByCurrentUser: boolean
  /** The existing user with the email address of the account, or null. */
  readonly emailUser: AdapterUser | null
  /** True if the address of `emailUser` is verified, by an email link or by the provider of a linked account. */
  readonly isEmailUserVerified: boolean
  /** True if the user has opened a link that was sent to the address, which verifies the address. */
  readonly isEmailLink: boolean
  /** True if the provider states that it has verified the address. */
  readonly isEmailVerified: boolean
  /** True if the application allows this provider to link accounts by email address. */
  readonly allowsEmailLinking: boolean
}

export type AccountDecision =
  | {
      readonly do: "use"
      readonly user: AdapterUser
      /** True if the account must be linked to the user. */
      readonly links: boolean
      /** True if a user who is already signed in connects the account. This is not a sign-in. */
      readonly isConnection?: true
      /** True if the sign-in verifies the user's address. */
      readonly verifiesEmail: boolean
      /**
       * True if the sign-in is the first to verify the address, and the browser is not signed in as this user. Accounts
       * whose provider has not verified the address are then unlinked, because an attacker may have linked them.
       */
      readonly unlinksUnverified: boolean
    }
  | {
      readonly do: "create"
      /** True if the new user's address is verified. */
      readonly isVerified: boolean
      /** The existing user with this unverified address. With `losesAddress` the address moves to the new user. */
      readonly holder?: { readonly user: AdapterUser; readonly losesAddress: boolean }
    }
  | { readonly do: "refuse"; readonly isOfAnotherSession?: true }

/** Compares the ids as text, because adapters may return strings or numbers. */
export const isSameUser = (a: Pick<AdapterUser, "id">, b: Pick<AdapterUser, "id">): boolean =>
  String(a.id) === String(b.id)

/**
 * Decides which user a sign-in belongs to. A pure function.
 *
 * An unverified address never links accounts, because an attacker may have registered a victim's address, here or at a
 * provider that does not verify addresses. For the same reason, a user with an unverified address does not prevent the
 * owner of the address from signing in.
 *
 * An account is linked to the current user only if that user started the sign-in: a sibling host can plant the cookie
 * of an attacker's flow, and another user may have signed in to the browser since the start.
 */
export function decideAccount(facts: AccountFacts): AccountDecision {
  const { owner, current, emailUser } = facts
  if (facts.isEmailLink) return emailUser ? useAndVerify(emailUser, facts) : { do: "create", isVerified: true }
  if (owner) return current && !isSameUser(owner, current) ? { do: "refuse" } : use(owner, { links: false })
  if (current)
    return facts.isStartedByCurrentUser
      ? { ...use(current, { links: true }), isConnection: true }
      : { do: "refuse", isOfAnotherSession: true }
  // A provider that may not link accounts by address neither selects `emailUser` nor marks a new user's address as
  // verified. If it has verified the address, an unverified `emailUser` only loses the address, see `losesAddress`.
  const isVerified = facts.allowsEmailLinking && facts.isEmailVerified
  if (!emailUser) return { do: "create", isVerified }
  if (isVerified) return emailUser.emailVerified ? use(emailUser, { links: true }) : useAndVerify(emailUser, facts)
  if (facts.isEmailUserVerified) return { do: "refuse" }
  return { do: "create", isVerified, holder: { user: emailUser, losesAddress: facts.isEmailVerified } }
}

type UseDecision = Extract<AccountDecision, { do: "use" }>

const use = (user: AdapterUser, { links }: { readonly links: boolean }): UseDecision => ({
  ...{ do: "use", user, links },
  ...{ verifiesEmail: false, unlinksUnverified: false },
})

const useAndVerify = (user: AdapterUser, { current, isEmailLink }: AccountFacts): AccountDecision => ({
  ...{ do: "use", user, links: !isEmailLink, verifiesEmail: true },
  unlinksUnverified: !user.emailVerified && !(current && isSameUser(user, current)),
})
