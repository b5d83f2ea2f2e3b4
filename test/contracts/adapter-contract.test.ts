import { MemoryAdapter } from "../../lib/adapters/memory.js"
import { type AdapterTestOptions, adapterCases, testAdapter } from "../../lib/adapters/testing.js"
import { BROKEN_BASICS } from "./support/broken/basics.js"
import { brokenAdapter, type Mistake } from "./support/broken/mistake.js"
import { BROKEN_PROMISES } from "./support/broken/promises.js"
import { BROKEN_TRANSACTIONS } from "./support/broken/transactions.js"

const MISTAKES = [...BROKEN_BASICS, ...BROKEN_PROMISES, ...BROKEN_TRANSACTIONS]
const GOOD: AdapterTestOptions = { create: () => ({ adapter: MemoryAdapter() }), complete: true, passkeys: true }

/** The cases that fail, and what they say. */
async function failuresOf(options: AdapterTestOptions): Promise<Map<string, string>> {
  const failures = new Map<string, string>()
  for (const { name, run } of adapterCases(options))
    await run().catch((error: unknown) => failures.set(name, String(Reflect.get(Object(error), "message"))))
  return failures
}

const findings = async (mistake: Mistake, more: Partial<AdapterTestOptions> = {}) => [
  ...(await failuresOf({ ...GOOD, create: () => brokenAdapter(mistake), ...more })).keys(),
]

describe("the adapter contract", () => {
  it("passes an adapter without mistakes", async () => {
    expect([...(await failuresOf(GOOD))]).toEqual([])
  })

  const found = new Set<string>()

  it.each(MISTAKES)("finds an adapter that $mistake", async (mistake) => {
    const failed = await findings(mistake)
    for (const name of failed) found.add(name)
    expect(failed).toEqual(expect.arrayContaining([...mistake.foundBy]))
  })

  it("has no case that can't fail", () => {
    expect(
      adapterCases(GOOD)
        .map(({ name }) => name)
        .filter((name) => !found.has(name)),
    ).toEqual([])
  })

  it.each(BROKEN_PROMISES)("lets an adapter off that $mistake, without: [$promise]", async (mistake) => {
    expect(await findings(mistake, { without: mistake.promise ? [mistake.promise] : [] })).toEqual([])
  })
})
void testAdapter
