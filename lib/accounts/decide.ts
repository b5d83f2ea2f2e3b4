import type { AdapterUser } from "../adapters/adapter.js"

/** What is known when somebody has proved to own an account at a provider. */
export interface AccountFacts {
  /** The user whom the account belongs to. */
  readonly owner: AdapterUser | null
  /** The user who is signed in. */
  readonly current: AdapterUser | null
  /** The user with the account's e-mail address. */
  readonly sameEmail: AdapterUser | null
  /** Does the provider say that it has proved the address? */
  readonly isEmailVerified: boolean
  /** Has the application allowed linking by address? */
  readonly allowsEmailLinking: boolean
}

export type AccountDecision =
  | { readonly do: "use"; readonly user: AdapterUser }
  | { readonly do: "link"; readonly user: AdapterUser }
  | { readonly do: "create" }
  | { readonly do: "refuse" }

/** Stores differ in whether ids are text or numbers. */
const isSame = (a: AdapterUser, b: AdapterUser) => String(a.id) === String(b.id)

/**
 * Whose sign-in is this? Pure.
 *
 * An address links only when both sides have proved it: an attacker may register a victim's address at a careless
 * provider, or here, and wait for the victim.
 */
export function decideAccount(facts: AccountFacts): AccountDecision {
  const { owner, current, sameEmail, isEmailVerified, allowsEmailLinking } = facts
  if (owner) return current && !isSame(owner, current) ? { do: "refuse" } : { do: "use", user: owner }
  if (current) return { do: "link", user: current }
  if (!sameEmail) return { do: "create" }
  const mayLink = allowsEmailLinking && isEmailVerified && Boolean(sameEmail.emailVerified)
  return mayLink ? { do: "link", user: sameEmail } : { do: "refuse" }
}
