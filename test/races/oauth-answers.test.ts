import { MemoryAdapter } from "../../lib/adapters/memory.js"
import type { AuthConfig } from "../../lib/types.js"
import { guardProcess } from "../flows/support/guard.js"
import { comeBack, flowCookies, goAndAgree, sessionOf } from "../flows/support/site.js"
import { describeServer, describeServers, type Start } from "../support/apps.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { describeStores, type OpenStore, type Store } from "../support/stores.js"
import {
  always,
  copiesOf,
  eachRound,
  oneWinner,
  outcomeOf,
  PATIENCE_MS,
  type Racetrack,
  ROUNDS,
  racetrack,
  spread,
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

const REFUSED = oneWinner("/auth/signin OAuthCallbackError")

/** Two processes behind one address. */
const startPair = (start: Start, config: Partial<AuthConfig>) =>
  racetrack((own) => start(own, { origin: "http://app.test" }), { providers: [op.oidc()], ...config })

/** Fifty bring one answer, to both in turn. */
async function bringOne(pair: Racetrack) {
  const browser = pair.apps[0].browser()
  const back = await goAndAgree(browser, op)
  return outcomeOf(await Promise.all(spread(browser, pair).map((copy) => comeBack(copy, op, back))))
}

describeServers("Fifty at once", (start: Start) => {
  it(
    "FLT-10: bring one answer of a provider: one is signed in, and the code is sent once",
    async () => {
      // A provider that would give tokens for a code again and again.
      op.set({ reusableCodes: true })
      const track = await racetrack(start, { providers: [op.oidc()] }, 1)
      const outcomes = await eachRound(async () => {
        const browser = track.apps[0].browser()
        const back = await goAndAgree(browser, op)
        const copies = copiesOf(browser)
        const outcome = outcomeOf(await Promise.all(copies.map((copy) => comeBack(copy, op, back))))
        expect(copies.flatMap(flowCookies)).toEqual([])
        const sessions = await Promise.all(copies.map(sessionOf))
        expect(sessions.filter((session) => session !== null)).toHaveLength(1)
        return outcome
      })
      expect(outcomes).toEqual(always(REFUSED))
      expect([op.count("/token"), track.errors()]).toEqual([ROUNDS, []])
    },
    PATIENCE_MS,
  )
})

/** A store as the interface of Auth.js has it. */
function storeOfAuthjs(): Partial<AuthConfig> {
  const { claimOnce: _, ...adapter } = MemoryAdapter()
  return { adapter }
}

describeServer("Fifty at once", "Express 5", (start: Start) => {
  it.each([
    ["without a store", () => ({})],
    ["with a store that can't claim", storeOfAuthjs],
  ])(
    "FLT-10: bring one answer to two processes %s: one is signed in, since a provider takes a code once",
    async (_, config) => {
      const track = await startPair(start, config())
      const outcomes = await eachRound(() => bringOne(track))
      expect(outcomes).toEqual(always(REFUSED))
      expect(op.count("/token")).toBe(2 * ROUNDS)
      const refusals = track.errors().map(({ error }) => String(Object(error?.cause).err))
      expect(refusals).toEqual(always(expect.stringContaining("invalid_grant")))
    },
    PATIENCE_MS,
  )
})

describeStores("Fifty at once", (kind: Store) => {
  describeServer(kind.name, "Express 5", (start: Start) => {
    let store: OpenStore
    beforeEach(async () => {
      store = await kind.create()
    })
    afterEach(() => store.close())

    it.each(["database", "jwt"] as const)(
      "FLT-10: bring one answer to two processes with a store, sessions %s: one is signed in, and the code is sent once",
      async (strategy) => {
        op.set({ reusableCodes: true })
        const track = await startPair(start, { adapter: store.adapter, session: { strategy } })
        const outcomes = await eachRound(() => bringOne(track))
        expect(outcomes).toEqual(always(REFUSED))
        expect([op.count("/token"), track.errors()]).toEqual([ROUNDS, []])
        const sessions = strategy === "database" ? ROUNDS : 0
        expect(await store.counts()).toEqual({ users: 1, accounts: 1, sessions, links: 0 })
      },
      PATIENCE_MS,
    )
  })
})
