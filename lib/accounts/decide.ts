import type { AdapterUser } from "../adapters/adapter.js"

/** What is known when somebody has proved to own an account at a provider, or an e-mail address. */
export interface AccountFacts {
  /** The user whom the account belongs to. */
  readonly owner: AdapterUser | null
  /** The user who is signed in. */
  readonly current: AdapterUser | null
  /** Has the user who is signed in begun this sign-in? */
  readonly isBegunByCurrent: boolean
  /** The user with the account's e-mail address. */
  readonly sameEmail: AdapterUser | null
  /** Has this very sign-in proved the address, by a link that was sent there? */
  readonly provesEmail: boolean
  /** Does the provider say that it has proved the address? */
  readonly isEmailVerified: boolean
  /** Has the application allowed linking by address? */
  readonly allowsEmailLinking: boolean
}

export type AccountDecision =
  /** `proved`: the address is proved from now on. */
  | { readonly do: "use"; readonly user: AdapterUser; readonly proved: boolean }
  | { readonly do: "link"; readonly user: AdapterUser }
  | { readonly do: "create"; readonly proved: boolean }
  | { readonly do: "refuse"; readonly isBegunByAnother?: true }

/** Stores differ in whether ids are text or numbers. */
const isSame = (a: AdapterUser, b: AdapterUser) => String(a.id) === String(b.id)

/**
 * Whose sign-in is this? Pure.
 *
 * An address links only when both sides have proved it: an attacker may register a victim's address at a careless
 * provider, or here, and wait for the victim. Whoever opens a link in a mail has proved it, and is its user whoever
 * was signed in before. Nor is an account linked to somebody who has not asked for it: a neighbouring host can set the
 * cookie of a flow of its own, and somebody else may have signed in to the browser since.
 */
export function decideAccount(facts: AccountFacts): AccountDecision {
  const { owner, current, sameEmail, provesEmail } = facts
  if (provesEmail) return sameEmail ? { do: "use", user: sameEmail, proved: true } : { do: "create", proved: true }
  if (owner) return current && !isSame(owner, current) ? { do: "refuse" } : { do: "use", user: owner, proved: false }
  if (current) return facts.isBegunByCurrent ? { do: "link", user: current } : { do: "refuse", isBegunByAnother: true }
  // Only a provider whose word links accounts proves an address here; another's would prove it for that one.
  const proved = facts.allowsEmailLinking && facts.isEmailVerified
  if (!sameEmail) return { do: "create", proved }
  return proved && sameEmail.emailVerified ? { do: "link", user: sameEmail } : { do: "refuse" }
}
