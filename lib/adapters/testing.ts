/**
 * Tests that an adapter behaves as this package requires, with any test runner.
 *
 * @module
 */
import type { Awaitable } from "../base/awaitable.js"
import type { Adapter, AdapterMethod } from "./adapter.js"
import { ADAPTER_METHODS } from "./bind.js"
import { accountCases } from "./testing/accounts.js"
import { type AdapterGuarantee, type AdapterTestCase, GUARANTEES, requireMethods, type Tools } from "./testing/case.js"
import { deleteUserCases } from "./testing/delete-user.js"
import { emailCases } from "./testing/emails.js"
import { exactTextCases } from "./testing/exact-text.js"
import { linkCases } from "./testing/links.js"
import { passkeyOwnerCases } from "./testing/passkey-owners.js"
import { passkeyCases } from "./testing/passkeys.js"
import { raceCases } from "./testing/races.js"
import { revivingDates } from "./testing/revive.js"
import { sessionCases } from "./testing/sessions.js"
import { transactionCases } from "./testing/transactions.js"
import { userCases } from "./testing/users.js"
import { valueCases } from "./testing/values.js"

export type { AdapterMethod } from "./adapter.js"
export type { AdapterGuarantee } from "./testing/case.js"

/** An adapter for one test case. Its database need not be empty, because every case uses its own addresses and ids. */
export interface AdapterFixture {
  /** The adapter under test. */
  adapter: Adapter
  /** Returns the whole database as text. A case searches it for raw session tokens, and passes if `dump` is missing. */
  dump?(): Awaitable<string>
  /** Called after the case, whether it passed or failed. */
  close?(): Awaitable<void>
}

/** Options of the adapter tests. */
export interface AdapterTestOptions {
  /** Creates the adapter for one case. Called for each case. */
  create(): Awaitable<AdapterFixture>
  /** true: the passkey methods are required; false: they are not tested. @default tested if present */
  passkeys?: boolean
  /**
   * true: every method is required, including those beyond Auth.js.
   * @default the methods for users, accounts, sessions and links are required
   */
  complete?: boolean
  /** Methods of the adapter that are not tested: every case that needs one of them is skipped. */
  skip?: readonly AdapterMethod[]
  /** The names of guarantees that this adapter does not give. `docs/adapters.md` lists all guarantees. */
  exclude?: readonly AdapterGuarantee[]
}

/** One test case. */
export interface AdapterCase {
  /** The tested rule, as a sentence. */
  readonly name: string
  /** Creates the adapter, runs the case, and closes the adapter. Rejects if the case fails. */
  run(): Promise<void>
}

const PASSKEY_METHODS: readonly AdapterMethod[] = [
  "getAccount",
  "createAuthenticator",
  "getAuthenticator",
  "listAuthenticatorsByUserId",
  "updateAuthenticatorCounter",
]
/** Passkey methods that Auth.js does not have. */
const EXTRA_PASSKEY_METHODS: readonly AdapterMethod[] = ["renameAuthenticator", "deleteAuthenticator"]
const METHODS: readonly AdapterMethod[] = [...ADAPTER_METHODS, "transaction"]
const MISSING_METHODS = "these methods are required, but the adapter lacks them"

const CASES: readonly AdapterTestCase[] = [
  ...userCases,
  ...emailCases,
  ...sessionCases,
  ...accountCases,
  ...linkCases,
  ...deleteUserCases,
  ...passkeyCases,
  ...passkeyOwnerCases,
  ...exactTextCases,
  ...valueCases,
  ...transactionCases,
  ...raceCases,
]

function requireKnown(option: string, names: readonly string[], known: readonly string[]): void {
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length > 0)
    throw new TypeError(`${option} has ${unknown.join(", ")}, which is unknown; valid names are ${known.join(", ")}`)
}

function selectCases({ passkeys, complete, skip = [], exclude = [] }: AdapterTestOptions): AdapterTestCase[] {
  requireKnown("skip", skip, METHODS)
  requireKnown("exclude", exclude, Object.keys(GUARANTEES))
  const skipped: readonly AdapterMethod[] =
    passkeys === false ? [...skip, ...PASSKEY_METHODS, ...EXTRA_PASSKEY_METHODS] : skip
  const selected = CASES.filter(
    ({ needs, guarantee }) =>
      !needs.some((name) => skipped.includes(name)) && !(guarantee && exclude.includes(guarantee)),
  )
  const required = METHODS.filter((name) => !skipped.includes(name))
  return [
    ...(complete ? requireMethods("has every method", required, MISSING_METHODS) : []),
    ...(passkeys ? requireMethods("has the methods that passkeys need", PASSKEY_METHODS, MISSING_METHODS) : []),
    ...selected,
  ]
}

async function runCase(definition: AdapterTestCase, options: AdapterTestOptions): Promise<void> {
  const { create, skip = [], exclude = [] } = options
  const fixture = await create()
  const adapter = exclude.includes("date-objects") ? revivingDates(fixture.adapter) : fixture.adapter
  try {
    // A case passes if the adapter lacks a method that it needs. `requireMethods` reports missing required methods.
    if (definition.needs.some((name) => typeof adapter[name] !== "function")) return
    await definition.check({
      // The adapter has every method that the case needs. A case calls any other method only if it exists.
      adapter: adapter as Tools["adapter"],
      dump: fixture.dump && (async () => (await fixture.dump?.()) ?? ""),
      requires: (guarantee) => !exclude.includes(guarantee),
      skips: (method) => skip.includes(method),
    })
  } finally {
    await fixture.close?.()
  }
}

/**
 * Returns the adapter tests as a list of cases, for any test runner.
 *
 * @throws TypeError when `skip` or `exclude` contains an unknown name
 *
 * @example
 * for (const { name, run } of adapterCases({ create: async () => ({ adapter: MyAdapter() }) })) test(name, run)
 */
export function adapterCases(options: AdapterTestOptions): readonly AdapterCase[] {
  return selectCases(options).map((definition) => ({
    name: definition.name,
    run: () => runCase(definition, options),
  }))
}

/**
 * Registers the adapter tests with the `test` function of Jest, Vitest, node:test or mocha.
 *
 * @throws TypeError when `skip` or `exclude` contains an unknown name
 *
 * @example
 * import { test } from "vitest"
 * import { testAdapter } from "latchkey/adapters/testing"
 *
 * testAdapter(test, { create: async () => ({ adapter: MyAdapter(await openDatabase()) }) })
 */
export function testAdapter(
  test: (name: string, run: () => Promise<void>) => unknown,
  options: AdapterTestOptions,
): void {
  for (const { name, run } of adapterCases(options)) test(name, run)
}
