import { guardProcess } from "../flows/support/guard.js"
import { askForLink, type Mailbox, mailbox } from "../flows/support/mail.js"
import { describeServer, type Start } from "../support/apps.js"
import type { Page } from "../support/browser.js"
import { describeStores, type OpenStore, type Store } from "../support/stores.js"
import {
  always,
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

const USED = oneWinner("/auth/error Verification")

describeStores("Fifty at once", (kind: Store) => {
  describeServer(kind.name, "Express 5", (start: Start) => {
    let store: OpenStore
    let mail: Mailbox
    let track: Racetrack

    beforeEach(async () => {
      store = await kind.create()
      mail = mailbox()
      track = await racetrack(start, {
        adapter: store.adapter,
        providers: [mail.provider],
        session: { strategy: "database" },
      })
    })
    afterEach(() => store.close())

    /** Somebody asks for a link; gives their browser, and where the link leads on whichever application. */
    async function asked(round: number) {
      const browser = track.apps[0].browser()
      const address = `person-${round}@example.com`
      await askForLink(browser, address)
      const { pathname, search } = new URL(mail.linkTo(address))
      return { browser, path: pathname + search }
    }

    const expectNothingLeft = async () => {
      expect(await store.counts()).toEqual({ users: ROUNDS, accounts: 0, sessions: ROUNDS, links: 0 })
      expect(track.errors()).toEqual([])
    }

    it(
      "ADV-24: open one link, in two processes, and one of them is signed in",
      async () => {
        const outcomes = await eachRound(async (round) => {
          const { browser, path } = await asked(round)
          return outcomeOf(await Promise.all(spread(browser, track).map((copy) => copy.get(path))))
        })
        expect(outcomes).toEqual(always(USED))
        await expectNothingLeft()
      },
      PATIENCE_MS,
    )

    it(
      "EML-01: press the button of one link's page, in two processes, and one of them is signed in",
      async () => {
        const outcomes = await eachRound(async (round) => {
          const { path } = await asked(round)
          const other = track.apps[0].browser()
          const { action, fields } = other.form(await (await other.get(path)).text())
          const press = (copy: typeof other): Promise<Page> => copy.post(new URL(action).pathname, fields)
          return outcomeOf(await Promise.all(spread(other, track).map(press)))
        })
        expect(outcomes).toEqual(always(USED))
        await expectNothingLeft()
      },
      PATIENCE_MS,
    )
  })
})
