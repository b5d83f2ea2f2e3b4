import type { Awaitable } from "../../base/awaitable.js"
import type { Adapter, AdapterMethod } from "../adapter.js"
import { expectEqual } from "./expect.js"

/** Guarantees that the adapter interface does not express. The option `exclude` turns off the tests of a guarantee. */
export const GUARANTEES = {
  "string-ids": "ids are text, not numbers",
  "any-id": "getUser accepts an id of any form, and returns null for an invalid one",
  "date-objects": "dates are `Date`, not text",
  "exact-records": "records contain what was stored, without additional columns or nulls",
  "session-result": "updateSession returns the updated session, and null for an unknown one",
  "known-users": "updateUser of an unknown user is an error",
  "partial-updates": "updateUser does not change members that are passed as undefined",
  "address-changes": "after a change of address the old address finds no user and can be used again",
  "unverified-changes": "a changed address is not verified, unless emailVerified is passed too",
  "quiet-deletes": "deleting a missing record is not an error",
  "hashed-sessions": "session tokens are stored as hashes",
  "unique-email": "an address belongs to one user",
  "unique-account": "an account at a provider is linked once",
  "unique-passkey": "a credential id belongs to one passkey",
  "users-without-email": "several users without an address can be stored",
  references: "an account of a missing user is rejected",
  "orphan-sessions": "a session of a deleted user is not returned",
  cascade: "deleteUser also deletes accounts, sessions and passkeys",
  "joined-calls": "if the work of a transaction calls the original adapter, these calls belong to the transaction",
  "atomic-tokens": "exactly one of several parallel uses of a link succeeds",
  counters: "a passkey's counter is compared and set atomically, and never decreases",
  "two-part-keys": "provider and id of an account are two separate values, not one joined text",
  "exact-text": "text is compared exactly, including case, accents and spaces",
  "plain-text": "text that looks like a date or a number stays text",
  milliseconds: "dates keep their milliseconds, in any time zone",
  "wide-numbers": "values beyond 31 bits can be stored: dates after 2038, counters up to 2^32 - 1",
  unicode: "all of Unicode can be stored, including four-byte characters",
  "long-values": "tokens of 8,000 and URLs of 2,000 characters can be stored",
  "unknown-members": "members that the adapter does not know are stored or dropped, without an error",
} as const

/** The name of a guarantee. */
export type AdapterGuarantee = keyof typeof GUARANTEES

/** The argument of a case: the adapter, with the methods that the case needs, and the options of the tests. */
export interface Tools<Needed extends AdapterMethod = AdapterMethod> {
  readonly adapter: Adapter & Required<Pick<Adapter, Needed>>
  /** Returns the whole database as text; undefined if the fixture has no `dump`. */
  readonly dump: (() => Awaitable<string>) | undefined
  /** True if the option `exclude` does not contain this guarantee. */
  readonly requires: (guarantee: AdapterGuarantee) => boolean
  /** True if the option `skip` contains this method. */
  readonly skips: (method: AdapterMethod) => boolean
}

export interface AdapterTestCase {
  readonly name: string
  /** The methods that the adapter must have for this case. */
  readonly needs: readonly AdapterMethod[]
  /** The guarantee that the case tests; undefined if every adapter must pass the case. */
  readonly guarantee?: AdapterGuarantee
  check(tools: Tools): Promise<void>
}

/** The methods that store a user with an account, and find the user by the account. */
export const ACCOUNT = ["createUser", "linkAccount", "getUserByAccount"] as const
/** The methods that store a user with a session, and find both. */
export const SESSION = ["createUser", "createSession", "getSessionAndUser"] as const
/** The methods that store a user with a passkey, and find the passkey. */
export const PASSKEY = ["createUser", "createAuthenticator", "getAuthenticator"] as const

type Checks<Needed extends AdapterMethod> = Readonly<Record<string, (tools: Tools<Needed>) => Promise<void>>>

/** Defines cases that run for every adapter that has the methods `needs`. */
export const defineCases = <const Needed extends AdapterMethod>(
  needs: readonly Needed[],
  checks: Checks<Needed>,
): AdapterTestCase[] =>
  Object.entries(checks).map(([name, check]) => {
    // A check that needs some methods also works with an adapter that has all methods. TypeScript cannot infer this
    // for a generic type.
    return { name, needs, check: check as unknown as AdapterTestCase["check"] }
  })

/** Defines cases that test a guarantee. */
export const defineGuaranteeCases = <const Needed extends AdapterMethod>(
  guarantee: AdapterGuarantee,
  needs: readonly Needed[],
  checks: Checks<Needed>,
): AdapterTestCase[] => defineCases(needs, checks).map((definition) => ({ ...definition, guarantee }))

/** Defines a case that fails if the adapter lacks one of these methods. Methods in the option `skip` may be missing. */
export const requireMethods = (name: string, methods: readonly AdapterMethod[], why: string): AdapterTestCase[] =>
  defineCases([], {
    async [name]({ adapter, skips }) {
      const missing = methods.filter((method) => typeof adapter[method] !== "function" && !skips(method))
      expectEqual(missing, [], why)
    },
  })
