import { guardProcess } from "../flows/support/guard.js"
import { comeBack, flowCookies, goAndAgree, sessionOf } from "../flows/support/site.js"
import { describeServers, type Start } from "../support/apps.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import {
  always,
  copiesOf,
  eachRound,
  oneWinner,
  outcomeOf,
  PATIENCE_MS,
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

describeServers("Fifty at once", (start: Start, stage) => {
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

  if (stage === "Express 5")
    it(
      "FLT-10: bring one answer to two processes: one is signed in, since a provider takes a code once",
      async () => {
        const origin = "http://app.test"
        const track = await racetrack((config) => start(config, { origin }), { providers: [op.oidc()] })
        const outcomes = await eachRound(async () => {
          const browser = track.apps[0].browser()
          const back = await goAndAgree(browser, op)
          return outcomeOf(await Promise.all(spread(browser, track).map((copy) => comeBack(copy, op, back))))
        })
        expect(outcomes).toEqual(always(REFUSED))
        expect(op.count("/token")).toBe(2 * ROUNDS)
        const refusals = track.errors().map(({ error }) => String(Object(error?.cause).err))
        expect(refusals).toEqual(always(expect.stringContaining("invalid_grant")))
      },
      PATIENCE_MS,
    )
})
