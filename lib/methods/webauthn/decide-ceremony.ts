/** The facts about a request for the options of a ceremony. */
export interface CeremonyFacts {
  /** The requested ceremony; undefined lets us choose. */
  readonly requested: "authenticate" | "register" | undefined
  readonly isSignedIn: boolean
  /** For a visitor without a session: no address, the address of a user, or an address without a user. */
  readonly subject: "none" | "known" | "new"
  /** True if the response may reveal whether an address has a user. */
  readonly revealsAccounts: boolean
}

/**
 * Decides which ceremony to start; undefined for none. A pure function.
 *
 * Unless `revealsAccounts` is set, visitors get the same response for every address: a registration for an existing
 * user is rejected at its end, and a sign-in is offered for unknown addresses too.
 */
export function decideCeremony(facts: CeremonyFacts): "authenticate" | "register" | undefined {
  const { requested, isSignedIn, subject, revealsAccounts } = facts
  if (requested === "authenticate") return "authenticate"
  if (requested === "register") {
    if (isSignedIn) return "register"
    return subject === "none" || (subject === "known" && revealsAccounts) ? undefined : "register"
  }
  if (isSignedIn) return undefined
  return subject === "new" && revealsAccounts ? "register" : "authenticate"
}
