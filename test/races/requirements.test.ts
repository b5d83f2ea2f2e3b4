import { guardProcess } from "../flows/support/guard.js"
import { signIn } from "../flows/support/site.js"
import { describeServer, type Start } from "../support/apps.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { createTerms, meet, requirementPages } from "../support/requirements.js"
import { describeStores, type OpenStore, type Store } from "../support/stores.js"
import { always, eachRound, outcomeOf, ROUNDS, spread, startRace, TIMEOUT_MS } from "./support/races.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
afterAll(() => op.close())

describeStores("50 concurrent completions of a pending sign-in", (kind: Store) => {
  describeServer(kind.name, "Express 5", (start: Start) => {
    let store: OpenStore
    beforeEach(async () => {
      store = await kind.create()
    })
    afterEach(() => store.close())

    it.each(["database", "jwt"] as const)(
      "create one session in two processes with %s sessions",
      async (strategy) => {
        const races = await startRace((config) => start(config, { origin: "http://app.test", ...requirementPages() }), {
          providers: [op.oidc()],
          adapter: store.adapter,
          session: { strategy },
          requirements: [createTerms()],
        })
        const outcomes = await eachRound(async () => {
          const browser = races.apps[0].browser()
          expect((await signIn(browser, op)).location).toBe("http://app.test/terms")
          return outcomeOf(await Promise.all(spread(browser, races).map((copy) => meet(copy))))
        })
        expect(outcomes).toEqual(always({ winners: 1, refusals: ["/auth/signin null"], statuses: [302] }))
        const sessions = strategy === "database" ? ROUNDS : 0
        expect(await store.counts()).toEqual({ users: 1, accounts: 1, sessions, links: 0 })
        expect(races.errors()).toEqual([])
      },
      TIMEOUT_MS,
    )
  })
})
