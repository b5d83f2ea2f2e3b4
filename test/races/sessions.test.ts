import type { Adapter } from "../../lib/adapters/adapter.js"
import { guardProcess } from "../flows/support/guard.js"
import { askForLink, mailbox } from "../flows/support/mail.js"
import { sessionCookies, sessionOf } from "../flows/support/site.js"
import { describeServer, type Start } from "../support/apps.js"
import type { Browser } from "../support/browser.js"
import { describeStores, type OpenStore, type Store } from "../support/stores.js"
import { always, CROWD, copiesOf, eachRound, type Race, spread, startRace, TIMEOUT_MS } from "./support/races.js"

guardProcess()

/** Longer than `updateAge`. */
const TWO_DAYS_MS = 2 * 24 * 60 * 60 * 1000

const unique = <T>(all: readonly T[]): T[] => [...new Set(all)]

describeStores("50 concurrent requests with one session", (kind: Store) => {
  describeServer(kind.name, "Express 5", (start: Start) => {
    let store: OpenStore
    let now: number
    /** Session tokens passed to `updateSession`. */
    let extended: string[]
    /** Sessions passed to the event `signOut`. */
    let ended: unknown[]
    let race: Race
    let signIn: (round: number) => Promise<Browser>

    async function open(strategy: "jwt" | "database", count: number) {
      const { adapter } = store
      const counting: Adapter = {
        ...adapter,
        updateSession(session) {
          extended.push(session.sessionToken)
          return adapter.updateSession(session)
        },
      }
      const mail = mailbox()
      const signOut = (message: object) => void ended.push(Reflect.get(message, "session"))
      const config = { providers: [mail.provider], session: { strategy }, clock: () => now, events: { signOut } }
      race = await startRace(start, { ...config, adapter: counting }, count)
      signIn = async (round) => {
        const browser = race.apps[0].browser()
        await askForLink(browser, `person-${round}@example.com`)
        await browser.get(mail.linkTo(`person-${round}@example.com`))
        return browser
      }
    }

    beforeEach(async () => {
      now = Date.now()
      extended = []
      ended = []
      store = await kind.create({ now: () => now })
    })
    afterEach(() => store.close())

    const readSession = async (browser: Browser) => {
      const { status } = await browser.get("/me")
      return [status, browser.cookie("authjs.session-token")] as const
    }

    it(
      "extend the session by one write if it is due for renewal",
      async () => {
        await open("database", 1)
        const outcomes = await eachRound(async (round) => {
          const browser = await signIn(round)
          now += TWO_DAYS_MS
          extended.length = 0
          const answers = await Promise.all(copiesOf(browser).map(readSession))
          expect(unique(answers.map(String))).toEqual([`200,${browser.cookie("authjs.session-token")}`])
          return extended.length
        })
        expect(outcomes).toEqual(always(1))
        expect(race.errors()).toEqual([])
      },
      TIMEOUT_MS,
    )

    it(
      "receive the same new cookie if the cookie is due for renewal",
      async () => {
        await open("jwt", 1)
        const outcomes = await eachRound(async (round) => {
          const browser = await signIn(round)
          const before = browser.cookie("authjs.session-token")
          now += TWO_DAYS_MS
          const answers = await Promise.all(copiesOf(browser).map(readSession))
          expect(answers.filter(([status, value]) => status !== 200 || value === before)).toEqual([])
          return unique(answers.map(([, value]) => value)).length
        })
        expect(outcomes).toEqual(always(1))
        expect(race.errors()).toEqual([])
      },
      TIMEOUT_MS,
    )

    it(
      "SES-03: end the session without an error if some sign out and others read it, in two processes",
      async () => {
        await open("database", 2)
        const outcomes = await eachRound(async (round) => {
          const browser = await signIn(round)
          const csrfToken = await browser.csrf()
          now += TWO_DAYS_MS
          const copies = spread(browser, race)
          const pages = await Promise.all(
            copies.map((copy, index) => (index % 5 < 2 ? copy.post("/auth/signout", { csrfToken }) : copy.get("/me"))),
          )
          expect(unique(pages.map(({ status }) => status)).sort()).toEqual([200, 302])
          const later = await Promise.all(spread(browser, race).map(sessionOf))
          return later.filter((session) => session !== null).length
        })
        expect(outcomes).toEqual(always(0))
        expect([(await store.counts()).sessions, race.errors()]).toEqual([0, []])
      },
      TIMEOUT_MS,
    )

    it(
      "end the session once and clear every cookie if all of them sign out in two processes",
      async () => {
        await open("database", 2)
        const outcomes = await eachRound(async (round) => {
          const browser = await signIn(round)
          const csrfToken = await browser.csrf()
          ended.length = 0
          const copies = spread(browser, race)
          const pages = await Promise.all(copies.map((copy) => copy.post("/auth/signout", { csrfToken })))
          expect(unique(pages.map(({ location }) => new URL(location).pathname))).toEqual(["/"])
          expect([copies.flatMap(sessionCookies), ended.length, await sessionOf(browser)]).toEqual([[], CROWD, null])
          return ended.filter((session) => session).length
        })
        expect(outcomes).toEqual(always(1))
        expect([(await store.counts()).sessions, race.errors()]).toEqual([0, []])
      },
      TIMEOUT_MS,
    )
  })
})
