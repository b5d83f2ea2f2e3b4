/** A code of the second factor, or a recovery code, works once across all processes. */
import { guardProcess } from "../flows/support/guard.js"
import { askForLink, type Mailbox, mailbox } from "../flows/support/mail.js"
import { describeServer, type Start } from "../support/apps.js"
import type { Browser, Page } from "../support/browser.js"
import { codeAt, enrol, FACTOR_PATH } from "../support/second-factor.js"
import { describeStores, type OpenStore, type Store } from "../support/stores.js"
import {
  CROWD,
  eachRound,
  outcomeOf,
  type Race,
  ROUNDS,
  spread,
  startRace,
  TIMEOUT_MS,
  times,
} from "./support/races.js"

guardProcess()

const STEP_MS = 30_000
const WRONG = "/auth/second-factor SecondFactorCode"

describeStores("Concurrent uses of a second factor", (kind: Store) => {
  describeServer(kind.name, "Express 5", (start: Start) => {
    const time = { now: 0 }
    let store: OpenStore
    let mail: Mailbox
    let race: Race

    beforeEach(async () => {
      time.now = Date.now()
      store = await kind.create()
      mail = mailbox()
      race = await startRace(start, {
        adapter: store.adapter,
        providers: [mail.provider],
        session: { strategy: "database" },
        clock: () => time.now,
        secondFactor: { required: () => true },
      })
    })
    afterEach(() => store.close())

    async function openLink(address: string, index = 0): Promise<Browser> {
      const browser = race.appOf(index).browser()
      await askForLink(browser, address)
      await browser.get(mail.linkTo(address))
      return browser
    }

    /** Signs a user up. Returns the address, and codes that were not used. */
    async function signUp(round: number) {
      const address = `person-${round}@example.com`
      const { secret, recoveryCodes } = await enrol(await openLink(address), { timeMs: time.now })
      time.now += STEP_MS
      return { address, code: codeAt(secret, time.now), recoveryCode: recoveryCodes[0] ?? "" }
    }

    const submit = async (browsers: readonly Browser[], fields: Record<string, string>): Promise<Page[]> => {
      const tokens = await Promise.all(browsers.map((browser) => browser.csrf()))
      const post = (browser: Browser, index: number) =>
        browser.post(FACTOR_PATH, { csrfToken: tokens[index] ?? "", do: "verify", ...fields })
      return Promise.all(browsers.map(post))
    }

    const expectOneMoreSessionEach = async () => {
      expect(await store.counts()).toMatchObject({ users: ROUNDS, sessions: 2 * ROUNDS })
      expect(race.errors()).toEqual([])
    }

    it(
      "100 submissions of a valid code in two processes open one session",
      async () => {
        const winners = await eachRound(async (round) => {
          const { address, code } = await signUp(round)
          const browser = await openLink(address)
          return outcomeOf(await submit([...spread(browser, race), ...spread(browser, race)], { code })).winners
        })
        expect(winners).toEqual(times(ROUNDS, () => 1))
        await expectOneMoreSessionEach()
      },
      TIMEOUT_MS,
    )

    it.each(["code", "recoveryCode"] as const)(
      "50 sign-ins in two processes that submit the same %s open one session",
      async (field) => {
        const winners = await eachRound(async (round) => {
          const user = await signUp(round)
          const browsers: Browser[] = []
          for (let index = 0; index < CROWD; index++) browsers.push(await openLink(user.address, index))
          return outcomeOf(await submit(browsers, { [field]: user[field] })).winners
        })
        expect(winners).toEqual(times(ROUNDS, () => 1))
        await expectOneMoreSessionEach()
      },
      3 * TIMEOUT_MS,
    )

    it(
      "50 wrong codes get five tries",
      async () => {
        const { address } = await signUp(0)
        const pages = await submit(spread(await openLink(address), race), { code: "000000" })
        const count = (status: number) => pages.filter((page) => page.status === status).length
        expect([count(302), count(429), outcomeOf(pages).refusals]).toEqual([5, CROWD - 5, ["429", WRONG].sort()])
      },
      TIMEOUT_MS,
    )

    it(
      "five concurrent setups of one new user store one authenticator app, whose code then works",
      async () => {
        const address = "person@example.com"
        await openLink(address)
        const browsers: Browser[] = []
        for (let index = 0; index < 5; index++) browsers.push(await openLink(address, index))
        const enrolled = await Promise.all(browsers.map((browser) => enrol(browser, { timeMs: time.now })))
        const opened = outcomeOf(enrolled.map(({ page }) => page)).winners
        expect(opened).toBe(1)
        time.now += STEP_MS
        const [winner] = enrolled.filter(({ recoveryCodes, page }) => page.status === 200 && recoveryCodes.length > 0)
        const browser = await openLink(address)
        const pages = await submit([browser], { code: codeAt(winner?.secret ?? "", time.now) })
        expect(outcomeOf(pages).winners).toBe(1)
        expect(await store.counts()).toMatchObject({ users: 1 })
      },
      TIMEOUT_MS,
    )
  })
})
