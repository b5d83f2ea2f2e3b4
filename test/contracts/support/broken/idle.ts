import type { AdapterMethod } from "../../../../lib/adapters/adapter.js"
import type { Defect } from "./defect.js"

/** A method that does nothing and returns nothing. */
const idle = (name: AdapterMethod, ...foundBy: string[]): Defect => ({
  name: `does nothing in ${name}`,
  foundBy,
  change: () => ({ [name]: async () => undefined }),
})

/** Methods that exist but do nothing. */
export const BROKEN_IDLE: readonly Defect[] = [
  idle("createUser", "createUser returns the stored user with its id"),
  idle("getUser", "getUser returns null for an unknown id, and the user for a known one"),
  idle("getUserByEmail", "getUserByEmail returns null for an unknown address, and the user for a known one"),
  idle(
    "getUserByAccount",
    "linkAccount stores the account",
    "linkAccount accepts the same id at two providers",
    "linkAccount keeps provider and id apart",
    "getUserByAccount returns null for a wrong provider or id, and the user for matching ones",
  ),
  idle(
    "updateUser",
    "updateUser changes the given members and keeps the others",
    "updateUser sets and clears emailVerified",
    "updateUser treats undefined as unchanged",
    "updateUser moves a user to another address and frees the old one",
    "keeps dates of users to the millisecond, in any time zone",
    "transaction reads its own writes",
  ),
  idle("deleteUser", "deleteUser deletes only the given user"),
  idle("linkAccount", "linkAccount stores the account"),
  idle("updateAccount", "updateAccount changes the given members"),
  idle("unlinkAccount", "unlinkAccount deletes one account and leaves the user"),
  idle("createSession", "createSession returns the session as it was stored"),
  idle(
    "getSessionAndUser",
    "getSessionAndUser returns null for an unknown token, and session and user for a valid one",
  ),
  idle("updateSession", "updateSession stores another expiry"),
  idle("deleteSession", "deleteSession deletes only the given session"),
  idle("createVerificationToken", "createVerificationToken stores the link"),
  idle("useVerificationToken", "createVerificationToken stores the link", "useVerificationToken returns the link once"),
  idle("deleteVerificationTokens", "deleteVerificationTokens deletes every link of one address"),
  idle("listAccountsByUserId", "listAccountsByUserId returns the accounts of one user"),
  idle("deleteSessionsByUserId", "deleteSessionsByUserId deletes every session of one user"),
  idle("getAccount", "getAccount returns null for a wrong id or provider, and the account for matching ones"),
  idle("createAuthenticator", "createAuthenticator returns the passkey as it was stored"),
  idle(
    "getAuthenticator",
    "getAuthenticator returns null for an unknown passkey, and the record for a known one",
    "createAuthenticator accepts a passkey without transports",
  ),
  idle("listAuthenticatorsByUserId", "listAuthenticatorsByUserId returns the passkeys of one user"),
  idle(
    "updateAuthenticatorCounter",
    "updateAuthenticatorCounter stores the new counter, and rejects an unknown passkey",
  ),
  idle(
    "renameAuthenticator",
    "renameAuthenticator sets and removes the name of one passkey",
    "renameAuthenticator rejects an unknown passkey",
    "renameAuthenticator and deleteAuthenticator distinguish credential ids that differ in case",
  ),
  idle("deleteAuthenticator", "deleteAuthenticator deletes only the given passkey"),
]
