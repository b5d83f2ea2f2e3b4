/** What is known when somebody asks for the options of a ceremony. */
export interface CeremonyFacts {
  /** What was asked for; nothing leaves it to us. */
  readonly asked: "authenticate" | "register" | undefined
  readonly isSignedIn: boolean
  /** Of a stranger: is nothing known, or an address with a user, or one without? */
  readonly person: "none" | "known" | "new"
  /** May the answer depend on whether an address has a user? */
  readonly revealsAccounts: boolean
}

/**
 * Which ceremony there is to be; undefined for none. Pure.
 *
 * Unless told otherwise a stranger gets the same for every address: a registration for one that has a user is refused
 * at its end, and a sign-in is offered whether there is somebody to sign in or not.
 */
export function decideCeremony(facts: CeremonyFacts): "authenticate" | "register" | undefined {
  const { asked, isSignedIn, person, revealsAccounts } = facts
  if (asked === "authenticate") return "authenticate"
  if (asked === "register") {
    if (isSignedIn) return "register"
    return person === "none" || (person === "known" && revealsAccounts) ? undefined : "register"
  }
  if (isSignedIn) return undefined
  return person === "new" && revealsAccounts ? "register" : "authenticate"
}
