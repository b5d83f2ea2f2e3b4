import { MemoryAdapter } from "../../lib/adapters/memory.js"
import type { AuthConfig } from "../../lib/types.js"
import { guardProcess } from "../flows/support/guard.js"
import { flowCookies, openCallback, sessionOf, startAndApprove } from "../flows/support/site.js"
import { describeServer, describeServers, type Start } from "../support/apps.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { describeStores, type OpenStore, type Store } from "../support/stores.js"
import {
  always,
  copiesOf,
  eachRound,
  oneWinner,
  outcomeOf,
  type Race,
  ROUNDS,
  spread,
  startRace,
  TIMEOUT_MS,
} from "./support/races.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
beforeEach(() => {
  op.reset()
  op.requests.length = 0
})
afterAll(() => op.close())

const ONE_SIGN_IN = oneWinner("/auth/signin OAuthCallbackError")

/** Two processes behind one address. */
const startPair = (start: Start, config: Partial<AuthConfig>) =>
  startRace((own) => start(own, { origin: "http://app.test" }), { providers: [op.oidc()], ...config })

/** Sends one provider response 50 times, alternating between the two processes. */
async function sendConcurrently(pair: Race) {
  const browser = pair.apps[0].browser()
  const back = await startAndApprove(browser, op)
  return outcomeOf(await Promise.all(spread(browser, pair).map((copy) => openCallback(copy, op, back))))
}

describeServers("50 concurrent copies of a provider's response", (start: Start) => {
  it(
    "FLT-10: create one session and send the code once in one process",
    async () => {
      // The provider accepts a code repeatedly, so it does not hide that a code was sent twice.
      op.set({ reusableCodes: true })
      const race = await startRace(start, { providers: [op.oidc()] }, 1)
      const outcomes = await eachRound(async () => {
        const browser = race.apps[0].browser()
        const back = await startAndApprove(browser, op)
        const copies = copiesOf(browser)
        const outcome = outcomeOf(await Promise.all(copies.map((copy) => openCallback(copy, op, back))))
        expect(copies.flatMap(flowCookies)).toEqual([])
        const sessions = await Promise.all(copies.map(sessionOf))
        expect(sessions.filter((session) => session !== null)).toHaveLength(1)
        return outcome
      })
      expect(outcomes).toEqual(always(ONE_SIGN_IN))
      expect([op.count("/token"), race.errors()]).toEqual([ROUNDS, []])
    },
    TIMEOUT_MS,
  )
})

/** An adapter without a store, like those of Auth.js. */
function authjsAdapter(): Partial<AuthConfig> {
  const { store: _, ...adapter } = MemoryAdapter()
  return { adapter }
}

describeServer("50 concurrent copies of a provider's response", "Express 5", (start: Start) => {
  it.each([
    ["without an adapter", () => ({})],
    ["with an adapter that has no store", authjsAdapter],
  ])(
    "FLT-10: in two processes %s create one session, because the provider accepts a code once",
    async (_, config) => {
      const race = await startPair(start, config())
      const outcomes = await eachRound(() => sendConcurrently(race))
      expect(outcomes).toEqual(always(ONE_SIGN_IN))
      expect(op.count("/token")).toBe(2 * ROUNDS)
      const refusals = race.errors().map(({ error }) => String(Object(error?.cause).err))
      expect(refusals).toEqual(always(expect.stringContaining("invalid_grant")))
    },
    TIMEOUT_MS,
  )
})

describeStores("50 concurrent copies of a provider's response", (kind: Store) => {
  describeServer(kind.name, "Express 5", (start: Start) => {
    let store: OpenStore
    beforeEach(async () => {
      store = await kind.create()
    })
    afterEach(() => store.close())

    it.each(["database", "jwt"] as const)(
      "FLT-10: in two processes with an adapter and %s sessions create one session and send the code once",
      async (strategy) => {
        op.set({ reusableCodes: true })
        const race = await startPair(start, { adapter: store.adapter, session: { strategy } })
        const outcomes = await eachRound(() => sendConcurrently(race))
        expect(outcomes).toEqual(always(ONE_SIGN_IN))
        expect([op.count("/token"), race.errors()]).toEqual([ROUNDS, []])
        const sessions = strategy === "database" ? ROUNDS : 0
        expect(await store.counts()).toEqual({ users: 1, accounts: 1, sessions, links: 0 })
      },
      TIMEOUT_MS,
    )
  })
})
