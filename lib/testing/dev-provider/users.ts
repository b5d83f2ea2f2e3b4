/** The claims of a user: the standard claims (OpenID Connect Core §5.1) and any other JSON members. */
export interface DevUser {
  name?: string | undefined
  email?: string | undefined
  /** Whether the provider has verified the address. If it is undefined, the claim is not sent. */
  email_verified?: boolean | undefined
  picture?: string | undefined
  [claim: string]: unknown
}

/** The default users. */
export const DEFAULT_USERS: Readonly<Record<string, DevUser>> = {
  alice: { name: "Alice", email: "alice@example.com", email_verified: true },
  bob: { name: "Bob", email: "bob@example.com", email_verified: true },
}

/** The claims that each scope requests (Core §5.4). Other claims need no scope. */
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

/** Returns the claims of the user that the scope requests, and those that need no scope. */
export function claimsFor(user: DevUser, scope: ReadonlySet<string>): DevUser {
  const excluded = Object.entries(CLAIMS_OF_SCOPE).flatMap(([name, claims]) => (scope.has(name) ? [] : claims))
  return Object.fromEntries(Object.entries(user).filter(([claim]) => !excluded.includes(claim)))
}

/** Returns the `sub` of the user with this `sub` or email address; undefined if there is none. */
export function findUserSub(users: ReadonlyMap<string, DevUser>, identifier: string): string | undefined {
  if (users.has(identifier)) return identifier
  const address = identifier.toLowerCase()
  return [...users].find(([, { email }]) => email?.toLowerCase() === address)?.[0]
}
