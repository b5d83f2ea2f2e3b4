import assert from "node:assert"
import { inspect, isDeepStrictEqual, types } from "node:util"
import { isError } from "../../errors/errors.js"
import type { Adapter, AdapterAccount } from "../adapter.js"
import { accountKey } from "./fixtures.js"

const format = (value: unknown): string =>
  isError(value)
    ? `${value.name}: ${value.message}`
    : inspect(value, { depth: 5, maxStringLength: 200, breakLength: 110 })

/** Throws an AssertionError with the violated rule, the expected value and the actual value. */
function fail(why: string, actual: unknown, expected: unknown): never {
  const message = `${why}\nexpected: ${format(expected)}\ngot:      ${format(actual)}`
  throw new assert.AssertionError({ message, actual, expected, operator: "adapter test" })
}

/**
 * Copies a value to plain objects, arrays and dates of this realm, so that only members are compared. Test runners use
 * several realms, and the rows of some drivers are class instances.
 */
function toPlain(value: unknown): unknown {
  if (types.isDate(value)) return new Date(value.getTime())
  if (Array.isArray(value)) return Array.from(value, toPlain)
  if (typeof value !== "object" || value === null) return value
  // A member that is undefined equals a missing member, as in the adapter tests of Auth.js.
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(members.map(([name, member]) => [name, toPlain(member)]))
}

export function expectEqual(actual: unknown, expected: unknown, why: string): void {
  if (!isDeepStrictEqual(toPlain(actual), toPlain(expected))) fail(why, actual, expected)
}

export function expectTrue(condition: boolean, why: string): void {
  if (!condition)
    throw new assert.AssertionError({ message: why, actual: false, expected: true, operator: "adapter test" })
}

/** Expects null, which is the result for "not found". undefined is not accepted. */
export const expectNull = (actual: unknown, why: string): void => expectEqual(actual, null, why)

/** Expects the work to throw or reject, and returns the error. */
export async function expectRejected(work: () => unknown, why: string): Promise<unknown> {
  let result: unknown
  try {
    result = await work()
  } catch (error) {
    return error
  }
  return fail(why, result, "an error")
}

/** Expects the work not to throw or reject, and returns the result. */
export async function expectNoError<T>(work: () => T, why: string): Promise<Awaited<T>> {
  try {
    return await work()
  } catch (error) {
    return fail(why, error, "no error")
  }
}

/** Expects exactly one of several concurrent calls to succeed, and returns its result. */
export function expectOneWinner<T>(results: readonly PromiseSettledResult<T>[], why: string): T {
  const [winner, ...others] = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []))
  if (winner === undefined || others.length > 0)
    fail(why, `${results.length - results.filter(({ status }) => status === "rejected").length} succeeded`, "one")
  return winner
}

type Members = Record<string, unknown>

/** Reports whether the adapter gives the two guarantees on which a comparison of records depends. */
interface Guarantees {
  readonly requires: (guarantee: "exact-records" | "string-ids") => boolean
}

const ID_MEMBERS = ["id", "userId"]
/** Members for which null is equal to a missing member. */
const NULLABLE_MEMBERS = ["name", "image", "transports"]

/**
 * Selects the members to compare. Without the guarantee `exact-records`, nulls and unexpected members are ignored.
 * Without `string-ids`, ids are converted to strings.
 */
function selectCompared(
  members: Members,
  expected: Members,
  { tools, added }: { tools: Guarantees; added: string | undefined },
): Members {
  const isExact = tools.requires("exact-records")
  const compared = Object.entries(members).filter(([name, value]) => {
    if (value === null && (!isExact || NULLABLE_MEMBERS.includes(name))) return false
    if (name in expected) return true
    return isExact && name !== added
  })
  const idsAsText = !tools.requires("string-ids")
  return Object.fromEntries(
    compared.map(([name, value]) => [name, idsAsText && ID_MEMBERS.includes(name) ? String(value) : value]),
  )
}

interface RecordExpectation {
  readonly tools: Guarantees
  readonly why: string
  /** A member that the adapter may add: `id` to sessions, accounts and links, or `createdAt` to passkeys. */
  readonly added?: "id" | "createdAt"
}

/** Expects a record with the members and values of `expected`. A date must be a `Date`, not a string. */
export function expectRecord(actual: unknown, expected: object, { tools, why, added }: RecordExpectation): void {
  if (typeof actual !== "object" || actual === null) fail(why, actual, expected)
  // `toPlain` returns an object for an object.
  const [actualMembers, expectedMembers] = [toPlain(actual) as Members, toPlain(expected) as Members]
  const select = (members: Members) => selectCompared(members, expectedMembers, { tools, added })
  if (!isDeepStrictEqual(select(actualMembers), select(expectedMembers))) fail(why, actual, expected)
}

/** Like `expectRecord`, for a passkey: the adapter may add `createdAt`. */
export const expectPasskey = (actual: unknown, expected: object, expectation: RecordExpectation): void =>
  expectRecord(actual, expected, { ...expectation, added: "createdAt" })

/** Expects the account to be linked to the user with this id. */
export async function expectOwner(
  adapter: Required<Pick<Adapter, "getUserByAccount">>,
  account: AdapterAccount,
  { id, why }: { readonly id: string; readonly why: string },
): Promise<void> {
  expectEqual((await adapter.getUserByAccount(accountKey(account)))?.id, id, why)
}
