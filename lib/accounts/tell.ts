/**
 * What the story of a sign-in has of its end: whose it is and why, and the session.
 *
 * @module
 */
import type { AdapterUser } from "../adapters/adapter.js"
import type { Runtime } from "../runtime.js"
import type { SignedIn } from "../sessions/session.js"
import type { AccountFacts } from "./decide.js"

const nameOf = (user: AdapterUser | null): string => (user ? `user ${user.id}` : "nobody")

/** What the decision was made of; of a link in a mail it is the address alone. */
export function factsText({ owner, current, sameEmail, ...facts }: AccountFacts): string {
  const account = facts.provesEmail ? [] : [`the account is ${owner ? `of ${nameOf(owner)}` : "not known yet"}`]
  const isProved = Boolean(sameEmail?.emailVerified) || facts.isAddressProved
  const address = owner
    ? []
    : [`${nameOf(sameEmail)} has its address${sameEmail ? `, ${isProved ? "" : "not "}proved` : ""}`]
  const mayLink = facts.allowsEmailLinking && facts.isEmailVerified ? ["the provider's word links by address"] : []
  const begun = current && !facts.isBegunByCurrent ? " and has not begun this" : ""
  return [...account, ...address, ...mayLink, `${nameOf(current)} is signed in${begun}`].join("; ")
}

export function settledText({ user, account, isNewUser }: SignedIn, { adapter }: Runtime): string {
  const isKept = adapter !== undefined && account.type !== "credentials"
  const who = isNewUser ? "a new user" : isKept ? "the user" : "a user of no adapter"
  return `${who}, ${user.id}, signs in with ${account.provider}`
}

export function openedText({ config: { session } }: Runtime): string {
  const where = session.strategy === "database" ? "in the store" : "in an encrypted cookie"
  return `a session begins ${where}, good for ${session.maxAge} s without use`
}
