import { guardProcess } from "../flows/support/guard.js"
import { askForLink, type Mailbox, mailbox } from "../flows/support/mail.js"
import { describeServer, type Start } from "../support/apps.js"
import type { Browser } from "../support/browser.js"
import { describeStores, type OpenStore, type Store } from "../support/stores.js"
import { always, eachRound, outcomeOf, type Race, ROUNDS, spread, startRace, TIMEOUT_MS } from "./support/races.js"

guardProcess()

const CODE_EXPIRED = "/auth/verify-request EmailCodeExpired"
const CODE_INCORRECT = "/auth/verify-request EmailCode"
const WRONG_CODE = "CCCC-CCCC"
const TRIES = 5

describeStores("Concurrent uses of an email code", (kind: Store) => {
  describeServer(kind.name, "Express 5", (start: Start) => {
    let store: OpenStore
    let mail: Mailbox
    let race: Race

    beforeEach(async () => {
      store = await kind.create()
      mail = mailbox({ emailCode: true })
      race = await startRace(start, {
        adapter: store.adapter,
        providers: [mail.provider],
        session: { strategy: "database" },
      })
    })
    afterEach(() => store.close())

    async function requestCode(round: number) {
      const browser = race.apps[0].browser()
      const address = `person-${round}@example.com`
      await askForLink(browser, address)
      const { pathname, search } = new URL(mail.linkTo(address))
      return { browser, csrfToken: await browser.csrf(), code: mail.codeFor(address), path: pathname + search }
    }

    const submit = (csrfToken: string, code: string) => (copy: Browser) =>
      copy.post("/auth/callback/mail", { csrfToken, code })

    const expectOneSessionEach = async () => {
      expect(await store.counts()).toEqual({ users: ROUNDS, accounts: 0, sessions: ROUNDS, links: 0 })
      expect(race.errors()).toEqual([])
    }

    it(
      "100 submissions in two processes create one session",
      async () => {
        const outcomes = await eachRound(async (round) => {
          const { browser, csrfToken, code } = await requestCode(round)
          const copies = [...spread(browser, race), ...spread(browser, race)]
          return outcomeOf(await Promise.all(copies.map(submit(csrfToken, code))))
        })
        expect(outcomes).toEqual(always({ winners: 1, refusals: [CODE_EXPIRED], statuses: [302] }))
        await expectOneSessionEach()
      },
      TIMEOUT_MS,
    )

    it(
      "the code and the link, used at the same time, create one session",
      async () => {
        const outcomes = await eachRound(async (round) => {
          const { browser, csrfToken, code, path } = await requestCode(round)
          const byCode = submit(csrfToken, code)
          const copies = spread(browser, race)
          return outcomeOf(await Promise.all(copies.map((copy, i) => (i % 2 === 0 ? byCode(copy) : copy.get(path)))))
        })
        expect(outcomes.map(({ winners }) => winners)).toEqual(always(1))
        await expectOneSessionEach()
      },
      TIMEOUT_MS,
    )

    it(
      "SEC-26: 100 wrong codes get five tries in both processes together, and then the correct code is refused",
      async () => {
        const outcomes = await eachRound(async (round) => {
          const { browser, csrfToken, code } = await requestCode(round)
          const copies = [...spread(browser, race), ...spread(browser, race)]
          const pages = await Promise.all(copies.map(submit(csrfToken, WRONG_CODE)))
          const { winners, refusals } = outcomeOf(pages)
          const tried = pages.filter(({ location }) => location.endsWith("error=EmailCode")).length
          const right = outcomeOf([await submit(csrfToken, code)(browser)])
          return { winners, refusals, tried, right: right.refusals }
        })
        expect(outcomes).toEqual(
          always({ winners: 0, refusals: [CODE_INCORRECT, CODE_EXPIRED], tried: TRIES, right: [CODE_EXPIRED] }),
        )
        expect(race.errors()).toEqual([])
      },
      TIMEOUT_MS,
    )
  })
})
