import type { Awaitable } from "../../types.js"
import type { Adapter, AdapterMethod } from "../adapter.js"

/** What the contract asks for beyond the bare interface; each part can be switched off by its name. */
export const PROMISES = {
  "string-ids": "ids are text, not numbers",
  "any-id": "getUser takes an id of any form, and finds nobody by what is none",
  "date-objects": "dates are `Date`, not text",
  "exact-records": "records hold what was stored, without columns or nulls of the store's own",
  "session-result": "updateSession gives the updated session, and null for an unknown one",
  "known-users": "updateUser of an unknown user is an error",
  "partial-updates": "updateUser leaves members alone that are undefined",
  "address-changes": "after a change of address the old one leads to nobody and is free",
  "unproved-changes": "a changed address is not proved, unless the call says so",
  "quiet-deletes": "deleting what is not there is no error",
  "hashed-sessions": "session tokens are stored as hashes",
  "unique-email": "one address is one user",
  "unique-account": "one account at a provider is linked once",
  "unique-passkey": "one credential id is one passkey",
  "users-without-email": "users whose provider gives no address can be stored, several of them",
  references: "an account of a user who is not there is refused",
  "orphan-sessions": "a session of a user who is gone is no session",
  cascade: "deleteUser takes accounts, sessions and passkeys with it",
  "joined-calls": "what a transaction's work calls on the adapter itself belongs to the transaction",
  "atomic-tokens": "of parallel uses of one link exactly one wins",
  counters: "a passkey's counter is compared and set in one step, and never goes back",
  "two-part-keys": "an account is known by provider and id as two texts, not joined to one",
  "exact-text": "text is compared character by character: case, accents and blanks count",
  "plain-text": "text that looks like a date or a number stays text",
  milliseconds: "dates keep their milliseconds, in any time zone",
  "wide-numbers": "numbers and dates go beyond 31 bits: after 2038, counters up to 2^32 - 1",
  unicode: "all of Unicode can be stored, characters of four bytes too",
  "long-values": "tokens of 8,000 and addresses of 2,000 characters can be stored",
  "unknown-members": "members that the store does not know come back or are left out, without an error",
} as const

/** A part of the contract that an adapter may do without, by name. */
export type AdapterPromise = keyof typeof PROMISES

/** What a case works with: the adapter, which has the methods that the case needs, and what was agreed about it. */
export interface Tools<Needed extends AdapterMethod = AdapterMethod> {
  readonly adapter: Adapter & Required<Pick<Adapter, Needed>>
  /** The whole store as text, where the fixture gives it. */
  readonly dump: (() => Awaitable<string>) | undefined
  /** Is this part of the contract asked for? */
  readonly asks: (promise: AdapterPromise) => boolean
  /** Is this method left out on purpose? */
  readonly skips: (method: AdapterMethod) => boolean
}

export interface ContractCase {
  readonly name: string
  readonly needs: readonly AdapterMethod[]
  /** The part of the contract that it belongs to; none for what every adapter does. */
  readonly promise?: AdapterPromise
  check(tools: Tools): Promise<void>
}

/** Gives a case's tools the type of what it needs. */
export const contractCase = <const Needed extends AdapterMethod>(
  definition: Omit<ContractCase, "needs" | "check"> & {
    readonly needs: readonly Needed[]
    check(tools: Tools<Needed>): Promise<void>
  },
  // Tools with every method are tools with some; the compiler does not follow that through a generic.
): ContractCase => definition as unknown as ContractCase
