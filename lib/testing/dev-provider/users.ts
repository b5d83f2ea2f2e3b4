/** The claims of a user: the standard claims (OpenID Connect Core §5.1) and any other JSON members. */
export interface DevUser {
  name?: string | undefined
  email?: string | undefined
  /** True if the provider verified the address. If undefined, the claim is not sent. */
  email_verified?: boolean | undefined
  picture?: string | undefined
  [claim: string]: unknown
}

/** The default users. */
export const DEFAULT_USERS: Readonly<Record<string, DevUser>> = {
  alice: { name: "Alice", email: "alice@example.com", email_verified: true },
  bob: { name: "Bob", email: "bob@example.com", email_verified: true },
}

/** Core §5.4: the claims of a scope. Other claims need no scope. */
const CLAIMS_OF_SCOPE: Readonly<Record<string, readonly string[]>> = {
  profile: [
    ...["name", "family_name", "given_name", "middle_name", "nickname", "preferred_username", "profile", "picture"],
    ...["website", "gender", "birthdate", "zoneinfo", "locale", "updated_at"],
  ],
  email: ["email", "email_verified"],
  address: ["address"],
  phone: ["phone_number", "phone_number_verified"],
}

/** The supported scopes. */
export const SCOPES: readonly string[] = ["openid", ...Object.keys(CLAIMS_OF_SCOPE), "offline_access"]

/** Returns the user's claims for the scope. */
export function claimsFor(user: DevUser, scope: ReadonlySet<string>): DevUser {
  const excluded = Object.entries(CLAIMS_OF_SCOPE).flatMap(([name, claims]) => (scope.has(name) ? [] : claims))
  return Object.fromEntries(Object.entries(user).filter(([claim]) => !excluded.includes(claim)))
}

/** Finds the `sub` of a user by `sub` or by email address. */
export function findUserSub(users: ReadonlyMap<string, DevUser>, identifier: string): string | undefined {
  if (users.has(identifier)) return identifier
  const address = identifier.toLowerCase()
  return [...users].find(([, { email }]) => email?.toLowerCase() === address)?.[0]
}
