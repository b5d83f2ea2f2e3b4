import { isDeepStrictEqual, types } from "node:util"
import fc from "fast-check"
import type { Adapter, AdapterMethod } from "../../lib/adapters/adapter.js"
import { MemoryAdapter } from "../../lib/adapters/memory.js"
import { ioRedis } from "../support/stores/redis.js"
import type { OpenStore } from "../support/stores/store.js"
import { describeStore } from "../support/stores.js"

/** A call, or several calls in a transaction that commits or fails at its end. */
type Step = { method: AdapterMethod; args: readonly unknown[] } | { steps: readonly Step[]; fails: boolean }

// Few ids, so that calls affect the same rows.
const id = fc.constantFrom("1", "2", "3")
const email = fc.constantFrom("ada@example.test", "bob@example.test", "𠮷@example.test", null)
const name = fc.constantFrom("Ada", null, undefined)
const token = fc.constantFrom("t1", "t2", "t3")
const account = fc.record({ provider: fc.constantFrom("a", "a:b"), providerAccountId: fc.constantFrom("b:1", "1") })
const expires = fc.constantFrom(1, 2).map((days) => new Date(Date.UTC(2100, 0, days)))
const identifier = fc.constantFrom("ada@example.test", "bob@example.test")
const credentialID = fc.constantFrom("c1", "C1")
const counter = fc.integer({ min: 0, max: 3 })
const call = (method: AdapterMethod, ...args: fc.Arbitrary<unknown>[]) =>
  fc.tuple(...args).map((values) => ({ method, args: values }))

const passkey = fc.record({
  userId: id,
  credentialID,
  counter,
  providerAccountId: fc.constant("p"),
  credentialPublicKey: fc.constant("k"),
  credentialBackedUp: fc.boolean(),
  credentialDeviceType: fc.constant("multiDevice"),
  transports: fc.constantFrom(null, "usb"),
})

const userCalls = [
  call("createUser", fc.record({ id, email, name, emailVerified: fc.option(expires) })),
  call("updateUser", fc.record({ id, email, name })),
  call("deleteUser", id),
  call("getUser", id),
  call("getUserByEmail", identifier),
]
const accountCalls = [
  call("getUserByAccount", account),
  call(
    "linkAccount",
    fc.tuple(account, id).map(([key, userId]) => ({ ...key, userId, type: "oauth", scope: undefined, extra: [1] })),
  ),
  call("unlinkAccount", account),
  call("listAccountsByUserId", id),
  call("getAccount", fc.constantFrom("b:1", "1"), fc.constantFrom("a", "a:b")),
]
const sessionCalls = [
  call("createSession", fc.record({ sessionToken: token, userId: id, expires })),
  call("getSessionAndUser", token),
  call("updateSession", fc.record({ sessionToken: token, expires }, { requiredKeys: ["sessionToken"] })),
  call("deleteSession", token),
  call("deleteSessionsByUserId", id),
]
const linkCalls = [
  call("createVerificationToken", fc.record({ identifier, token, expires })),
  call("useVerificationToken", fc.record({ identifier, token })),
  call("deleteVerificationTokens", identifier),
]
const passkeyCalls = [
  call("createAuthenticator", passkey),
  call("getAuthenticator", credentialID),
  call("listAuthenticatorsByUserId", id),
  call("updateAuthenticatorCounter", credentialID, counter),
  call("renameAuthenticator", credentialID, fc.constantFrom("Ada's phone", null)),
  call("deleteAuthenticator", credentialID),
]

/** Generates mostly steps of one kind, and creates and deletes users in between. */
const generateSteps = (calls: readonly fc.Arbitrary<Step>[]): fc.Arbitrary<Step[]> => {
  const single = fc.oneof(
    { weight: 4, arbitrary: fc.oneof(...calls) },
    { weight: 1, arbitrary: fc.oneof(...userCalls) },
  )
  const several = fc.record({ steps: fc.array(single, { minLength: 1, maxLength: 4 }), fails: fc.boolean() })
  const step: fc.Arbitrary<Step> = fc.oneof({ weight: 8, arbitrary: single }, { weight: 1, arbitrary: several })
  return fc.array(step, { minLength: 20, maxLength: 60, size: "max" })
}

const someSteps = fc.oneof(...[userCalls, accountCalls, sessionCalls, linkCalls, passkeyCalls].map(generateSteps))

const FIRST: readonly Step[] = ["1", "2"].map((userId) => ({
  method: "createUser",
  args: [{ id: userId, email: null, emailVerified: null }],
}))

/** Replaces times, which differ between stores. */
const withoutTimes = (row: unknown): unknown =>
  types.isDate(Object(row).createdAt) ? { ...Object(row), createdAt: "a date" } : row

/** A key for sorting rows. It sorts the members, because stores return them in different orders. */
const sortKey = (row: unknown) => JSON.stringify(Object.entries(Object(row)).sort(([a], [b]) => a.localeCompare(b)))

/** Runs a step and returns its result, with lists sorted. */
async function runStep(adapter: Adapter, step: Step): Promise<unknown> {
  try {
    if ("method" in step) {
      const method = adapter[step.method] as (...args: readonly unknown[]) => unknown
      const result = withoutTimes((await method(...step.args)) ?? null)
      return Array.isArray(result)
        ? result.map(withoutTimes).sort((a, b) => sortKey(a).localeCompare(sortKey(b)))
        : result
    }
    const results: unknown[] = []
    await adapter
      .transaction?.(async (within) => {
        for (const inner of step.steps) results.push(await runStep(within, inner))
        if (step.fails) throw new Error("undone")
      })
      .catch(() => results.push("undone"))
    return results
  } catch {
    return "refused"
  }
}

describeStore("RedisAdapter compared with MemoryAdapter", ioRedis, (store) => {
  let opened: OpenStore
  beforeEach(async () => {
    opened = await store.create()
  })
  afterEach(() => opened.close())

  it("returns the same result for each step of a random sequence", async () => {
    const clear = async () => {
      for (const user of ["1", "2", "3"]) await opened.adapter.deleteUser(user)
      for (const address of ["ada@example.test", "bob@example.test"])
        await opened.adapter.deleteVerificationTokens(address)
    }
    await fc.assert(
      fc.asyncProperty(someSteps, async (steps) => {
        await clear()
        expect(await opened.counts()).toEqual({ users: 0, accounts: 0, sessions: 0, links: 0 })
        const memory = MemoryAdapter()
        for (const [index, step] of [...FIRST, ...steps].entries()) {
          const [expected, actual] = [await runStep(memory, step), await runStep(opened.adapter, step)]
          if (!isDeepStrictEqual(actual, expected))
            expect({ index, step, result: actual }).toEqual({ index, step, result: expected })
        }
      }),
      { numRuns: 60 },
    )
  }, 60_000)
})
