import type { AdapterMethod } from "../../../../lib/adapters/adapter.js"
import type { Mistake } from "./mistake.js"

/** The method does nothing and gives nothing. */
const idle = (name: AdapterMethod, ...foundBy: string[]): Mistake => ({
  mistake: `does nothing in ${name}`,
  foundBy,
  change: () => ({ [name]: async () => undefined }),
})

/** Methods that are there and do nothing. */
export const BROKEN_IDLE: readonly Mistake[] = [
  idle("createUser", "createUser gives the user as it was stored, with its id"),
  idle("getUser", "getUser gives null for an unknown id, and the user for a known one"),
  idle("getUserByEmail", "getUserByEmail gives null for an unknown address, and the user for a known one"),
  idle(
    "getUserByAccount",
    "linkAccount stores the account",
    "linkAccount takes the same id at two providers",
    "linkAccount does not confuse where a provider's id ends",
    "getUserByAccount gives null for a wrong provider or id, and the user for the right ones",
  ),
  idle(
    "updateUser",
    "updateUser changes what it is given and keeps the rest",
    "updateUser sets and clears the proof of an address",
    "updateUser takes undefined for nothing to change",
    "updateUser moves a user to another address and frees the old one",
    "keeps dates of users to the millisecond, in any time zone",
    "transaction sees its own writes",
  ),
  idle("deleteUser", "deleteUser deletes the user, and nobody else"),
  idle("linkAccount", "linkAccount stores the account"),
  idle("updateAccount", "updateAccount changes the members that it is given"),
  idle("unlinkAccount", "unlinkAccount deletes one account and leaves the user"),
  idle("createSession", "createSession gives the session as it was stored"),
  idle("getSessionAndUser", "getSessionAndUser gives null for an unknown token, and session and user for a good one"),
  idle("updateSession", "updateSession stores another end"),
  idle("deleteSession", "deleteSession ends one session, and no other"),
  idle("createVerificationToken", "createVerificationToken stores the link"),
  idle("useVerificationToken", "createVerificationToken stores the link", "useVerificationToken gives the link once"),
  idle("deleteVerificationTokens", "deleteVerificationTokens deletes every link of one address"),
  idle(
    "claimOnce",
    "claimOnce gives true to the first, and false afterwards",
    "claimOnce keeps ids apart",
    "claimOnce has one winner of 50 at once",
  ),
  idle("listAccountsByUserId", "listAccountsByUserId gives the accounts of one user"),
  idle("deleteSessionsByUserId", "deleteSessionsByUserId ends every session of one user"),
  idle("getAccount", "getAccount gives null for a wrong id or provider, and the account for the right ones"),
  idle("createAuthenticator", "createAuthenticator gives the passkey as it was stored"),
  idle(
    "getAuthenticator",
    "getAuthenticator gives null for an unknown passkey, and the record for a known one",
    "createAuthenticator takes a passkey that names no transports",
  ),
  idle("listAuthenticatorsByUserId", "listAuthenticatorsByUserId gives the passkeys of one user"),
  idle(
    "updateAuthenticatorCounter",
    "updateAuthenticatorCounter stores the new counter, and refuses an unknown passkey",
  ),
  idle(
    "renameAuthenticator",
    "renameAuthenticator names one passkey, and takes the name away again",
    "renameAuthenticator refuses an unknown passkey",
    "renameAuthenticator and deleteAuthenticator tell apart credential ids that differ in case",
  ),
  idle("deleteAuthenticator", "deleteAuthenticator deletes one passkey, and no other"),
]
