import { guardProcess } from "../flows/support/guard.js"
import { openCallback, startAndApprove } from "../flows/support/site.js"
import { describeServer, type Start } from "../support/apps.js"
import { ALICE, type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { describeStores, type OpenStore, type Store } from "../support/stores.js"
import { always, CROWD, eachRound, outcomeOf, ROUNDS, startRace, TIMEOUT_MS, times } from "./support/races.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
afterAll(() => op.close())

describeStores("50 concurrent first sign-ins", (kind: Store) => {
  describeServer(kind.name, "Express 5", (start: Start) => {
    let store: OpenStore
    beforeEach(async () => {
      store = await kind.create()
    })
    afterEach(() => store.close())

    it(
      "ACC-06: of one user in two processes create one user with one account and emit one event for each",
      async () => {
        const events: string[] = []
        const race = await startRace(start, {
          adapter: store.adapter,
          providers: [op.oidc()],
          session: { strategy: "database" },
          events: {
            createUser: ({ user }) => void events.push(`user ${user.email}`),
            linkAccount: ({ account }) => void events.push(`account ${account.providerAccountId}`),
          },
        })
        const outcomes = await eachRound(async (round) => {
          op.set({ user: { ...ALICE, sub: `alice-${round}`, email: `alice-${round}@example.com` } })
          const browsers = times(CROWD, (index) => race.appOf(index).browser())
          const backs = await Promise.all(browsers.map((browser) => startAndApprove(browser, op)))
          return outcomeOf(
            await Promise.all(browsers.map((browser, index) => openCallback(browser, op, backs[index] ?? ""))),
          )
        })
        expect(outcomes).toEqual(always({ winners: CROWD, refusals: [], statuses: [302] }))
        expect(await store.counts()).toEqual({ users: ROUNDS, accounts: ROUNDS, sessions: CROWD * ROUNDS, links: 0 })
        const once = times(ROUNDS, (round) => [`user alice-${round}@example.com`, `account alice-${round}`]).flat()
        expect([events.sort(), race.errors()]).toEqual([once.sort(), []])
      },
      TIMEOUT_MS,
    )
  })
})
