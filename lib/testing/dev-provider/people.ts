/** What the provider says of a person: the standard claims (OpenID Connect Core §5.1), and any others that are JSON. */
export interface DevPerson {
  name?: string | undefined
  email?: string | undefined
  /** Has the provider proved the address? Absent, it says nothing of it. */
  email_verified?: boolean | undefined
  picture?: string | undefined
  [claim: string]: unknown
}

/** Who there is where nobody is given. */
export const DEFAULT_PEOPLE: Readonly<Record<string, DevPerson>> = {
  alice: { name: "Alice", email: "alice@example.com", email_verified: true },
  bob: { name: "Bob", email: "bob@example.com", email_verified: true },
}

/** Core §5.4: which claims a scope asks for. Claims of a person's own need no scope. */
const CLAIMS_OF_SCOPE: Readonly<Record<string, readonly string[]>> = {
  profile: [
    ...["name", "family_name", "given_name", "middle_name", "nickname", "preferred_username", "profile", "picture"],
    ...["website", "gender", "birthdate", "zoneinfo", "locale", "updated_at"],
  ],
  email: ["email", "email_verified"],
  address: ["address"],
  phone: ["phone_number", "phone_number_verified"],
}

/** The scopes that mean something here. */
export const SCOPES: readonly string[] = ["openid", ...Object.keys(CLAIMS_OF_SCOPE), "offline_access"]

/** What of a person the scope lets the application see. */
export function claimsFor(person: DevPerson, scope: ReadonlySet<string>): DevPerson {
  const unasked = Object.entries(CLAIMS_OF_SCOPE).flatMap(([name, claims]) => (scope.has(name) ? [] : claims))
  return Object.fromEntries(Object.entries(person).filter(([claim]) => !unasked.includes(claim)))
}

/** The `sub` of the person that is meant, by it or by the address. */
export function findPerson(people: ReadonlyMap<string, DevPerson>, meant: string): string | undefined {
  if (people.has(meant)) return meant
  const wanted = meant.toLowerCase()
  return [...people].find(([, { email }]) => email?.toLowerCase() === wanted)?.[0]
}
