import type { Adapter } from "../../lib/adapters/adapter.js"
import { guardProcess } from "../flows/support/guard.js"
import { askForLink, mailbox } from "../flows/support/mail.js"
import { sessionCookies, sessionOf } from "../flows/support/site.js"
import { describeServer, type Start } from "../support/apps.js"
import type { Browser } from "../support/browser.js"
import { describeStores, type OpenStore, type Store } from "../support/stores.js"
import { always, CROWD, copiesOf, eachRound, PATIENCE_MS, type Racetrack, racetrack, spread } from "./support/races.js"

guardProcess()

/** Longer than `updateAge`. */
const TWO_DAYS_MS = 2 * 24 * 60 * 60 * 1000

const unique = <T>(all: readonly T[]): T[] => [...new Set(all)]

describeStores("Fifty at once", (kind: Store) => {
  describeServer(kind.name, "Express 5", (start: Start) => {
    let store: OpenStore
    let now: number
    /** Calls of `updateSession`. */
    let prolonged: string[]
    /** What the event `signOut` told. */
    let ended: unknown[]
    let track: Racetrack
    let signIn: (round: number) => Promise<Browser>

    async function open(strategy: "jwt" | "database", count: number) {
      const { adapter } = store
      const counting: Adapter = {
        ...adapter,
        updateSession(session) {
          prolonged.push(session.sessionToken)
          return adapter.updateSession(session)
        },
      }
      const mail = mailbox()
      const signOut = (message: object) => void ended.push(Reflect.get(message, "session"))
      const config = { providers: [mail.provider], session: { strategy }, clock: () => now, events: { signOut } }
      track = await racetrack(start, { ...config, adapter: counting }, count)
      signIn = async (round) => {
        const browser = track.apps[0].browser()
        await askForLink(browser, `person-${round}@example.com`)
        await browser.get(mail.linkTo(`person-${round}@example.com`))
        return browser
      }
    }

    beforeEach(async () => {
      now = Date.now()
      prolonged = []
      ended = []
      store = await kind.create({ now: () => now })
    })
    afterEach(() => store.close())

    const ask = async (browser: Browser) => {
      const { status } = await browser.get("/me")
      return [status, browser.cookie("authjs.session-token")] as const
    }

    it(
      "ask for a session that is due: it is prolonged by one write, and all of them are signed in",
      async () => {
        await open("database", 1)
        const outcomes = await eachRound(async (round) => {
          const browser = await signIn(round)
          now += TWO_DAYS_MS
          prolonged.length = 0
          const answers = await Promise.all(copiesOf(browser).map(ask))
          expect(unique(answers.map(String))).toEqual([`200,${browser.cookie("authjs.session-token")}`])
          return prolonged.length
        })
        expect(outcomes).toEqual(always(1))
        expect(track.errors()).toEqual([])
      },
      PATIENCE_MS,
    )

    it(
      "ask with a cookie that is due: all of them get the same new one",
      async () => {
        await open("jwt", 1)
        const outcomes = await eachRound(async (round) => {
          const browser = await signIn(round)
          const before = browser.cookie("authjs.session-token")
          now += TWO_DAYS_MS
          const answers = await Promise.all(copiesOf(browser).map(ask))
          expect(answers.filter(([status, value]) => status !== 200 || value === before)).toEqual([])
          return unique(answers.map(([, value]) => value)).length
        })
        expect(outcomes).toEqual(always(1))
        expect(track.errors()).toEqual([])
      },
      PATIENCE_MS,
    )

    it(
      "SES-03: sign out and ask for a session that is due, in two processes: it is over, and no error",
      async () => {
        await open("database", 2)
        const outcomes = await eachRound(async (round) => {
          const browser = await signIn(round)
          const csrfToken = await browser.csrf()
          now += TWO_DAYS_MS
          const copies = spread(browser, track)
          const pages = await Promise.all(
            copies.map((copy, index) => (index % 5 < 2 ? copy.post("/auth/signout", { csrfToken }) : copy.get("/me"))),
          )
          expect(unique(pages.map(({ status }) => status)).sort()).toEqual([200, 302])
          const later = await Promise.all(spread(browser, track).map(sessionOf))
          return later.filter((session) => session !== null).length
        })
        expect(outcomes).toEqual(always(0))
        expect([(await store.counts()).sessions, track.errors()]).toEqual([0, []])
      },
      PATIENCE_MS,
    )

    it(
      "sign out of one session, in two processes: it is over for all of them, and one has ended it",
      async () => {
        await open("database", 2)
        const outcomes = await eachRound(async (round) => {
          const browser = await signIn(round)
          const csrfToken = await browser.csrf()
          ended.length = 0
          const copies = spread(browser, track)
          const pages = await Promise.all(copies.map((copy) => copy.post("/auth/signout", { csrfToken })))
          expect(unique(pages.map(({ location }) => new URL(location).pathname))).toEqual(["/"])
          expect([copies.flatMap(sessionCookies), ended.length, await sessionOf(browser)]).toEqual([[], CROWD, null])
          return ended.filter((session) => session).length
        })
        expect(outcomes).toEqual(always(1))
        expect([(await store.counts()).sessions, track.errors()]).toEqual([0, []])
      },
      PATIENCE_MS,
    )
  })
})
