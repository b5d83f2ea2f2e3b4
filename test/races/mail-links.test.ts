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
  type Race,
  ROUNDS,
  spread,
  startRace,
  TIMEOUT_MS,
} from "./support/races.js"

guardProcess()

const ONE_SIGN_IN = oneWinner("/auth/error Verification")

describeStores("50 concurrent uses of an email link", (kind: Store) => {
  describeServer(kind.name, "Express 5", (start: Start) => {
    let store: OpenStore
    let mail: Mailbox
    let race: Race

    beforeEach(async () => {
      store = await kind.create()
      mail = mailbox()
      race = await startRace(start, {
        adapter: store.adapter,
        providers: [mail.provider],
        session: { strategy: "database" },
      })
    })
    afterEach(() => store.close())

    /** Requests a link; returns the browser, and the link's path, which works on both applications. */
    async function requestLink(round: number) {
      const browser = race.apps[0].browser()
      const address = `person-${round}@example.com`
      await askForLink(browser, address)
      const { pathname, search } = new URL(mail.linkTo(address))
      return { browser, path: pathname + search }
    }

    const expectNothingLeft = async () => {
      expect(await store.counts()).toEqual({ users: ROUNDS, accounts: 0, sessions: ROUNDS, links: 0 })
      expect(race.errors()).toEqual([])
    }

    it(
      "ADV-24: opening the link in two processes signs in one browser",
      async () => {
        const outcomes = await eachRound(async (round) => {
          const { browser, path } = await requestLink(round)
          return outcomeOf(await Promise.all(spread(browser, race).map((copy) => copy.get(path))))
        })
        expect(outcomes).toEqual(always(ONE_SIGN_IN))
        await expectNothingLeft()
      },
      TIMEOUT_MS,
    )

    it(
      "EML-01: submitting the confirmation page of the link in two processes signs in one browser",
      async () => {
        const outcomes = await eachRound(async (round) => {
          const { path } = await requestLink(round)
          const other = race.apps[0].browser()
          const { action, fields } = other.form(await (await other.get(path)).text())
          const press = (copy: typeof other): Promise<Page> => copy.post(new URL(action).pathname, fields)
          return outcomeOf(await Promise.all(spread(other, race).map(press)))
        })
        expect(outcomes).toEqual(always(ONE_SIGN_IN))
        await expectNothingLeft()
      },
      TIMEOUT_MS,
    )
  })
})
