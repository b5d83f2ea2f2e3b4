import type { AdapterUser } from "../adapters/adapter.js"

/** What is known when a sign-in has proved an account at a provider, or an email address. */
export interface AccountFacts {
  /** The user whom the account belongs to. */
  readonly owner: AdapterUser | null
  /** The current user of the browser. */
  readonly current: AdapterUser | null
  /** Did the current user start this sign-in? */
  readonly isBegunByCurrent: boolean
  /** The user with the account's email address. */
  readonly sameEmail: AdapterUser | null
  /** Has that user proved the address: by a link, or by an account whose provider verifies it? */
  readonly isAddressProved: boolean
  /** Has this very sign-in proved the address, by a link that was sent there? */
  readonly provesEmail: boolean
  /** Does the provider verify the address? */
  readonly isEmailVerified: boolean
  /** Does the application allow this provider to link by address? */
  readonly allowsEmailLinking: boolean
}

export type AccountDecision =
  /**
   * `links`: the account is added to the user. `proves`: the sign-in proves the user's address. `evicts`: for the first
   * time, in a browser that is not signed in as this user, so that nothing that was attached to the user before may stay
   * unless it proves the address itself.
   */
  | {
      readonly do: "use"
      readonly user: AdapterUser
      readonly links: boolean
      readonly proves: boolean
      readonly evicts: boolean
    }
  /** `holder`: another user has the address without a proof, and loses it to the new user, or keeps it. */
  | {
      readonly do: "create"
      readonly proved: boolean
      readonly holder?: { readonly user: AdapterUser; readonly losesAddress: boolean }
    }
  | { readonly do: "refuse"; readonly isBegunByAnother?: true }

/** Stores differ in whether ids are text or numbers. */
export const isSameUser = (a: Pick<AdapterUser, "id">, b: Pick<AdapterUser, "id">): boolean =>
  String(a.id) === String(b.id)

/**
 * Decides which user a sign-in belongs to. Pure.
 *
 * An unproved address has no power: it neither attracts accounts nor keeps its owner out. An attacker may register a
 * victim's address at a careless provider, or here, and wait for the victim. An account is linked to the current user
 * only if that user started the sign-in: a sibling host can plant the cookie of another flow, and another user may have
 * signed in to the browser since.
 */
export function decideAccount(facts: AccountFacts): AccountDecision {
  const { owner, current, sameEmail } = facts
  if (facts.provesEmail) return sameEmail ? useProving(sameEmail, facts) : { do: "create", proved: true }
  if (owner) return current && !isSameUser(owner, current) ? { do: "refuse" } : use(owner, { links: false })
  if (current) return facts.isBegunByCurrent ? use(current, { links: true }) : { do: "refuse", isBegunByAnother: true }
  // Only a provider that may link by address proves one here: the word of any other counts for its own account alone.
  const proved = facts.allowsEmailLinking && facts.isEmailVerified
  if (!sameEmail) return { do: "create", proved }
  if (proved) return sameEmail.emailVerified ? use(sameEmail, { links: true }) : useProving(sameEmail, facts)
  if (facts.isAddressProved) return { do: "refuse" }
  return { do: "create", proved, holder: { user: sameEmail, losesAddress: facts.isEmailVerified } }
}

const use = (user: AdapterUser, { links }: { readonly links: boolean }): AccountDecision => ({
  ...{ do: "use", user, links },
  ...{ proves: false, evicts: false },
})

const useProving = (user: AdapterUser, { current, provesEmail }: AccountFacts): AccountDecision => ({
  ...{ do: "use", user, links: !provesEmail, proves: true },
  evicts: !user.emailVerified && !(current && isSameUser(user, current)),
})
