/**
 * The adapter contract: what the engine relies on, as tests for any test runner.
 *
 * @module
 */
import type { Awaitable } from "../types.js"
import type { Adapter, AdapterMethod } from "./adapter.js"
import { ADAPTER_METHODS } from "./bind.js"
import { accountCases } from "./testing/accounts.js"
import { type AdapterPromise, type ContractCase, contractCase, PROMISES, type Tools } from "./testing/case.js"
import { claimCases } from "./testing/claims.js"
import { deleteUserCases } from "./testing/delete-user.js"
import { emailCases } from "./testing/emails.js"
import { exactTextCases } from "./testing/exact-text.js"
import { expectEqual } from "./testing/expect.js"
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
export type { AdapterPromise } from "./testing/case.js"

/** A store for one case; it need not be empty, since every case uses addresses and ids of its own. */
export interface AdapterFixture {
  /** What is tested. */
  adapter: Adapter
  /** The whole store as text, so that raw tokens can be looked for. Without it that is not tested. */
  dump?(): Awaitable<string>
  /** Called after the case, whatever came of it. */
  close?(): Awaitable<void>
}

/** What to test, and how strictly. */
export interface AdapterTestOptions {
  /** Gives the store that a case works on; called once for each case. */
  create(): Awaitable<AdapterFixture>
  /** true: the passkey methods must be there; false: they are not tested. Left out: tested where they are there. */
  passkeys?: boolean
  /** true: every method must be there, those beyond Auth.js too. Left out: what is missing is passed over. */
  complete?: boolean
  /** Methods whose cases are left out. */
  skip?: readonly AdapterMethod[]
  /** Parts of the contract that this adapter does not promise, by name; `docs/adapters.md` lists them. */
  without?: readonly AdapterPromise[]
}

/** One case: it rejects when the adapter does not hold it. */
export interface AdapterCase {
  /** What it asks for, as a sentence. */
  readonly name: string
  /** Opens a store, asks, and closes it. */
  run(): Promise<void>
}

const PASSKEY_METHODS: readonly AdapterMethod[] = [
  "getAccount",
  "createAuthenticator",
  "getAuthenticator",
  "listAuthenticatorsByUserId",
  "updateAuthenticatorCounter",
]
const OWN_PASSKEY_METHODS: readonly AdapterMethod[] = ["renameAuthenticator", "deleteAuthenticator"]
const METHODS: readonly AdapterMethod[] = [...ADAPTER_METHODS, "transaction"]

const mustHave = (name: string, methods: readonly AdapterMethod[]): ContractCase =>
  contractCase({
    name,
    needs: [],
    async check({ adapter, skips }) {
      const missing = methods.filter((method) => typeof adapter[method] !== "function" && !skips(method))
      expectEqual(missing, [], "these methods were promised and are not there")
    },
  })

const CASES: readonly ContractCase[] = [
  ...userCases,
  ...emailCases,
  ...sessionCases,
  ...accountCases,
  ...linkCases,
  ...claimCases,
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
    throw new TypeError(`${option} has ${unknown.join(", ")}, which is not known; known are ${known.join(", ")}`)
}

function chosenCases({ passkeys, complete, skip = [], without = [] }: AdapterTestOptions): ContractCase[] {
  requireKnown("skip", skip, METHODS)
  requireKnown("without", without, Object.keys(PROMISES))
  const skipped: readonly AdapterMethod[] =
    passkeys === false ? [...skip, ...PASSKEY_METHODS, ...OWN_PASSKEY_METHODS] : skip
  const chosen = CASES.filter(
    ({ needs, promise }) => !needs.some((name) => skipped.includes(name)) && !(promise && without.includes(promise)),
  )
  return [
    ...(complete ? [mustHave("has every method", METHODS)] : []),
    ...(passkeys ? [mustHave("has the methods that passkeys need", PASSKEY_METHODS)] : []),
    ...chosen,
  ]
}

async function runCase(definition: ContractCase, options: AdapterTestOptions): Promise<void> {
  const { create, skip = [], without = [] } = options
  const fixture = await create()
  const adapter = without.includes("date-objects") ? revivingDates(fixture.adapter) : fixture.adapter
  try {
    // What is missing is told once, by the cases that ask for methods.
    if (definition.needs.some((name) => typeof adapter[name] !== "function")) return
    await definition.check({
      // It has every method that the case needs, and a case uses no others without asking.
      adapter: adapter as Tools["adapter"],
      dump: fixture.dump && (async () => (await fixture.dump?.()) ?? ""),
      asks: (promise) => !without.includes(promise),
      skips: (method) => skip.includes(method),
    })
  } finally {
    await fixture.close?.()
  }
}

/**
 * The cases of the adapter contract, for runners of any shape.
 *
 * @throws TypeError when `skip` or `without` has a name that does not exist
 *
 * @example
 * for (const { name, run } of adapterCases({ create: async () => ({ adapter: MyAdapter() }) })) test(name, run)
 */
export function adapterCases(options: AdapterTestOptions): readonly AdapterCase[] {
  return chosenCases(options).map((definition) => ({
    name: definition.name,
    run: () => runCase(definition, options),
  }))
}

/**
 * Registers the adapter contract with the `test` of Jest, Vitest, node:test or mocha.
 *
 * @throws TypeError when `skip` or `without` has a name that does not exist
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
