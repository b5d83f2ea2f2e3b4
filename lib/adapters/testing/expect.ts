import assert from "node:assert"
import { inspect, isDeepStrictEqual, types } from "node:util"
import { isError } from "../../errors/errors.js"
import type { Adapter, AdapterAccount } from "../adapter.js"
import { accountKey } from "./fixtures.js"

const show = (value: unknown): string =>
  isError(value)
    ? `${value.name}: ${value.message}`
    : inspect(value, { depth: 5, maxStringLength: 200, breakLength: 110 })

/** Fails with the expectation and its reason, and with the actual value. */
function fail(why: string, actual: unknown, expected: unknown): never {
  const message = `${why}\nexpected: ${show(expected)}\ngot:      ${show(actual)}`
  throw new assert.AssertionError({ message, actual, expected, operator: "adapter test" })
}

/**
 * Copies a value to plain objects, arrays and dates of this realm, so that only members are compared. Test runners use
 * several realms, and the rows of some drivers are class instances.
 */
function plain(value: unknown): unknown {
  if (types.isDate(value)) return new Date(value.getTime())
  if (Array.isArray(value)) return Array.from(value, plain)
  if (typeof value !== "object" || value === null) return value
  // `undefined` equals absent, as in the tests of Auth.js.
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(members.map(([name, member]) => [name, plain(member)]))
}

export function expectEqual(actual: unknown, expected: unknown, why: string): void {
  if (!isDeepStrictEqual(plain(actual), plain(expected))) fail(why, actual, expected)
}

export function expectTrue(condition: boolean, why: string): void {
  if (!condition)
    throw new assert.AssertionError({ message: why, actual: false, expected: true, operator: "adapter test" })
}

/** "Not found" is null, never undefined and never an error. */
export const expectNull = (actual: unknown, why: string): void => expectEqual(actual, null, why)

/** Expects an error, and returns it. */
export async function expectRejected(work: () => unknown, why: string): Promise<unknown> {
  let result: unknown
  try {
    result = await work()
  } catch (error) {
    return error
  }
  return fail(why, result, "an error")
}

export async function expectQuiet<T>(work: () => T, why: string): Promise<Awaited<T>> {
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

/** The guarantees of the adapter on which a comparison depends. */
interface Guarantees {
  readonly requires: (guarantee: "exact-records" | "string-ids") => boolean
}

const ID_MEMBERS = ["id", "userId"]
const NULLABLE = ["name", "image", "transports"]

/** Selects the members to compare, depending on the guarantees of this adapter. */
function selectCompared(
  members: Members,
  expected: Members,
  { tools, added }: { tools: Guarantees; added: string | undefined },
): Members {
  const isExact = tools.requires("exact-records")
  const kept = Object.entries(members).filter(([name, value]) => {
    if (value === null && (!isExact || NULLABLE.includes(name))) return false
    if (name in expected) return true
    return isExact && name !== added
  })
  const idsAsText = !tools.requires("string-ids")
  return Object.fromEntries(
    kept.map(([name, value]) => [name, idsAsText && ID_MEMBERS.includes(name) ? String(value) : value]),
  )
}

interface RecordExpectation {
  readonly tools: Guarantees
  readonly why: string
  /** The member that the adapter may add: `id` to sessions and accounts, `createdAt` to passkeys. */
  readonly added?: "id" | "createdAt"
}

/** Expects the same members with the same values, and dates as `Date`. */
export function expectRecord(actual: unknown, expected: object, { tools, why, added }: RecordExpectation): void {
  if (typeof actual !== "object" || actual === null) fail(why, actual, expected)
  // Both are plain objects.
  const [seen, wanted] = [plain(actual) as Members, plain(expected) as Members]
  const pick = (members: Members) => selectCompared(members, wanted, { tools, added })
  if (!isDeepStrictEqual(pick(seen), pick(wanted))) fail(why, actual, expected)
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
