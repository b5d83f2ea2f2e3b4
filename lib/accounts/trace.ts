/**
 * Creates the trace texts for the end of a sign-in: the user, the reason for the decision, and the session.
 *
 * @module
 */

import type { AdapterUser } from "../adapters/adapter.js"
import type { CookieChange } from "../base/types.js"
import type { SignedIn } from "../sessions/session.js"
import { accountStorage } from "./account-adapter.js"
import type { AccountRuntime } from "./account-runtime.js"
import type { AccountFacts } from "./decide.js"

const describeUser = (user: AdapterUser | null): string => (user ? `user ${user.id}` : "no user")

/** Describes the facts of a decision. For an email link, which has no account, the account is omitted. */
export function describeFacts({ owner, current, emailUser, ...facts }: AccountFacts): string {
  const account = facts.isEmailLink ? [] : [`the account ${owner ? `belongs to ${describeUser(owner)}` : "is new"}`]
  const isVerified = Boolean(emailUser?.emailVerified) || facts.isEmailUserVerified
  const address = owner
    ? []
    : [`${describeUser(emailUser)} has the email address${emailUser ? `, ${isVerified ? "" : "not "}verified` : ""}`]
  const mayLink = facts.allowsEmailLinking && facts.isEmailVerified ? ["the provider may link by email address"] : []
  const starterNote = current && !facts.isStartedByCurrentUser ? " but did not start this sign-in" : ""
  return [...account, ...address, ...mayLink, `${describeUser(current)} is signed in${starterNote}`].join("; ")
}

export function describeSignIn({ user, account, isNewUser }: SignedIn, runtime: AccountRuntime): string {
  const isStored = runtime.adapter !== undefined && accountStorage(account, runtime) !== "external"
  const description = `${isNewUser ? "new " : ""}user ${user.id}${isNewUser || isStored ? "" : " (not in the adapter)"}`
  return `${description} signs in with ${account.provider}`
}

export function describeNewSession(cookies: readonly CookieChange[], { config: { session } }: AccountRuntime): string {
  const storage = session.strategy === "database" ? "in the database" : "in an encrypted cookie"
  const isTransient = cookies.some((change) => "put" in change && change.expires === undefined)
  const expiry = isTransient ? "its cookie ends with the browser" : `expires after ${session.maxAge} s without use`
  return `a session is created ${storage} and ${expiry}`
}
