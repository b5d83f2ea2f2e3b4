import { guardProcess } from "../flows/support/guard.js"
import { comeBack, goAndAgree } from "../flows/support/site.js"
import { describeServer, type Start } from "../support/apps.js"
import { ALICE, type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { describeStores, type OpenStore, type Store } from "../support/stores.js"
import { always, CROWD, eachRound, outcomeOf, PATIENCE_MS, ROUNDS, racetrack, times } from "./support/races.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
afterAll(() => op.close())

describeStores("Fifty at once", (kind: Store) => {
  describeServer(kind.name, "Express 5", (start: Start) => {
    let store: OpenStore
    beforeEach(async () => {
      store = await kind.create()
    })
    afterEach(() => store.close())

    it(
      "ACC-06: first sign-ins of one person, in two processes, make one user with one account, told of once",
      async () => {
        const told: string[] = []
        const track = await racetrack(start, {
          adapter: store.adapter,
          providers: [op.oidc()],
          session: { strategy: "database" },
          events: {
            createUser: ({ user }) => void told.push(`user ${user.email}`),
            linkAccount: ({ account }) => void told.push(`account ${account.providerAccountId}`),
          },
        })
        const outcomes = await eachRound(async (round) => {
          op.set({ user: { ...ALICE, sub: `alice-${round}`, email: `alice-${round}@example.com` } })
          const browsers = times(CROWD, (index) => track.appOf(index).browser())
          const backs = await Promise.all(browsers.map((browser) => goAndAgree(browser, op)))
          return outcomeOf(
            await Promise.all(browsers.map((browser, index) => comeBack(browser, op, backs[index] ?? ""))),
          )
        })
        expect(outcomes).toEqual(always({ winners: CROWD, refusals: [], statuses: [302] }))
        expect(await store.counts()).toEqual({ users: ROUNDS, accounts: ROUNDS, sessions: CROWD * ROUNDS, links: 0 })
        const once = times(ROUNDS, (round) => [`user alice-${round}@example.com`, `account alice-${round}`]).flat()
        expect([told.sort(), track.errors()]).toEqual([once.sort(), []])
      },
      PATIENCE_MS,
    )
  })
})
