import Passkey from "../../lib/providers/passkey.js"
import { guardProcess } from "../flows/support/guard.js"
import { type Ceremony, finish, optionsFor, register } from "../flows/support/passkeys.js"
import { sessionOf } from "../flows/support/site.js"
import { describeServer, type Start } from "../support/apps.js"
import { createPasskey, type Passkey as Key, usePasskey } from "../support/authenticator.js"
import type { Browser } from "../support/browser.js"
import { describeStores, type OpenStore, type Store } from "../support/stores.js"
import {
  always,
  CROWD,
  copiesOf,
  eachRound,
  oneWinner,
  outcomeOf,
  PATIENCE_MS,
  type Racetrack,
  ROUNDS,
  racetrack,
  spread,
  times,
} from "./support/races.js"

guardProcess()

const REFUSED = oneWinner("/auth/error WebAuthnVerificationError")

describeStores("Fifty at once", (kind: Store) => {
  describeServer(kind.name, "Express 5", (start: Start) => {
    let store: OpenStore
    let track: Racetrack
    const open = (started: Start) =>
      racetrack(started, {
        adapter: store.adapter,
        providers: [Passkey],
        session: { strategy: "database" },
        experimental: { enableWebAuthn: true },
      })
    /** Two processes behind one address. */
    const openPair = () => open((config) => start(config, { origin: "http://app.test" }))
    beforeEach(async () => {
      store = await kind.create()
      track = await open(start)
    })
    afterEach(() => store.close())

    const site = () => track.apps[0]
    const newPasskey = async (): Promise<Key> =>
      (await register(site().browser(), site().origin, { email: "ada@example.com" })).passkey

    /** What an answer is good for is used up by the first of fifty that bring it. */
    async function bringOne(browsers: readonly Browser[], { action, options }: Ceremony, credential: unknown) {
      expect(options.challenge).toEqual(expect.any(String))
      return outcomeOf(await Promise.all(browsers.map((one) => finish(one, action, credential))))
    }

    it(
      "WAN-01: bring one answer of a passkey, and one of them is signed in",
      async () => {
        const passkey = await newPasskey()
        const outcomes = await eachRound(async () => {
          const browser = site().browser()
          const ceremony = await optionsFor(browser, { action: "authenticate" })
          return bringOne(copiesOf(browser), ceremony, usePasskey(passkey, ceremony.options, { origin: site().origin }))
        })
        expect(outcomes).toEqual(always(REFUSED))
        // The first session is of the registration.
        expect(await store.counts()).toEqual({ users: 1, accounts: 1, sessions: 1 + ROUNDS, links: 0 })
        expect(track.errors()).toEqual([])
      },
      PATIENCE_MS,
    )

    it(
      "WAN-05: use copies of one passkey, in two processes, and one of them is signed in: the counter goes up once",
      async () => {
        const passkey = await newPasskey()
        const outcomes = await eachRound(async () => {
          const counter = passkey.counter + 1
          const uses = await Promise.all(
            times(CROWD, async (index) => {
              const { origin, browser: open } = track.appOf(index)
              const browser = open()
              const { options } = await optionsFor(browser, { action: "authenticate" })
              return { browser, credential: usePasskey(passkey, options, { origin, counter }) }
            }),
          )
          const bring = ({ browser, credential }: (typeof uses)[number]) => finish(browser, "authenticate", credential)
          return outcomeOf(await Promise.all(uses.map(bring)))
        })
        expect(outcomes).toEqual(always(REFUSED))
        const [stored] = await authenticatorsOf("ada@example.com")
        expect(stored?.counter).toBe(ROUNDS)
        expect(await store.counts()).toEqual({ users: 1, accounts: 1, sessions: 1 + ROUNDS, links: 0 })
        expect(track.errors()).toEqual([])
      },
      PATIENCE_MS,
    )

    it(
      "WAN-01: bring one new passkey, and it is registered once",
      async () => {
        const outcomes = await eachRound(async (round) => {
          const browser = site().browser()
          const ceremony = await optionsFor(browser, { action: "register", email: `person-${round}@example.com` })
          const { response } = createPasskey(ceremony.options, { origin: site().origin })
          return bringOne(copiesOf(browser), ceremony, response)
        })
        expect(outcomes).toEqual(always(REFUSED))
        expect(await store.counts()).toEqual({ users: ROUNDS, accounts: ROUNDS, sessions: ROUNDS, links: 0 })
        expect(await authenticatorsOf("person-0@example.com")).toHaveLength(1)
        expect(track.errors()).toEqual([])
      },
      PATIENCE_MS,
    )

    it(
      "WAN-01: bring one answer to two processes, of a passkey that does not count, and one of them is signed in",
      async () => {
        const pair = await openPair()
        const { browser: visit, origin } = pair.apps[0]
        const { passkey } = await register(visit(), origin, { email: "ada@example.com" })
        const outcomes = await eachRound(async () => {
          const browser = visit()
          const ceremony = await optionsFor(browser, { action: "authenticate" })
          const credential = usePasskey(passkey, ceremony.options, { origin, counter: 0 })
          return bringOne(spread(browser, pair), ceremony, credential)
        })
        expect(outcomes).toEqual(always(REFUSED))
        expect(await store.counts()).toEqual({ users: 1, accounts: 1, sessions: 1 + ROUNDS, links: 0 })
        expect(pair.errors()).toEqual([])
      },
      PATIENCE_MS,
    )

    it(
      "WAN-01: bring one new passkey to two processes, and it is registered once",
      async () => {
        const pair = await openPair()
        const outcomes = await eachRound(async (round) => {
          const browser = pair.apps[0].browser()
          const ceremony = await optionsFor(browser, { action: "register", email: `person-${round}@example.com` })
          const { response } = createPasskey(ceremony.options, { origin: pair.apps[0].origin })
          return bringOne(spread(browser, pair), ceremony, response)
        })
        expect(outcomes).toEqual(always(REFUSED))
        expect(await store.counts()).toEqual({ users: ROUNDS, accounts: ROUNDS, sessions: ROUNDS, links: 0 })
        expect(pair.errors()).toEqual([])
      },
      PATIENCE_MS,
    )

    it(
      "ACC-06: register passkeys for one new address, in two processes: each gets a user, and one user has the address",
      async () => {
        const outcomes = await eachRound(async (round) => {
          const uses = await Promise.all(
            times(CROWD, async (index) => {
              const { origin, browser: open } = track.appOf(index)
              const browser = open()
              const { options } = await optionsFor(browser, { action: "register", email: `new-${round}@example.com` })
              return { browser, credential: createPasskey(options, { origin }).response }
            }),
          )
          const bring = ({ browser, credential }: (typeof uses)[number]) => finish(browser, "register", credential)
          const outcome = outcomeOf(await Promise.all(uses.map(bring)))
          const shown = await Promise.all(uses.map(async ({ browser }) => (await sessionOf(browser))?.user))
          const withAddress = shown.filter((user) => user?.["email"] === `new-${round}@example.com`)
          const without = shown.filter((user) => user && !user["email"])
          return { outcome, withAddress: withAddress.length, without: without.length }
        })
        const outcome = { winners: CROWD, refusals: [], statuses: [302] }
        expect(outcomes).toEqual(always({ outcome, withAddress: 1, without: CROWD - 1 }))
        const all = ROUNDS * CROWD
        expect(await store.counts()).toEqual({ users: all, accounts: all, sessions: all, links: 0 })
        expect(await authenticatorsOf("new-0@example.com")).toHaveLength(1)
        expect(track.errors()).toEqual([])
      },
      PATIENCE_MS,
    )

    it(
      "remove both passkeys of one person, in two processes, and one stays",
      async () => {
        const pair = await openPair()
        const [{ browser: visit, origin }] = pair.apps
        /** Somebody with two passkeys, and a request to remove each of them, in a process of its own. */
        async function begin(email: string) {
          const browser = visit()
          await register(browser, origin, { email })
          await register(browser, origin)
          const csrfToken = await browser.csrf()
          const passkeys = await authenticatorsOf(email)
          return passkeys.map(({ credentialID }, index) => {
            const copy = spread(browser, pair)[index]
            return () => copy?.post("/auth/passkeys", { csrfToken, do: "remove", credentialID })
          })
        }
        const left = await eachRound(async (round) => {
          const emails = times(CROWD / 2, (index) => `person-${round}-${index}@example.com`)
          const removals = (await Promise.all(emails.map(begin))).flat()
          await Promise.all(removals.map((remove) => remove()))
          return Promise.all(emails.map(async (email) => (await authenticatorsOf(email)).length))
        })
        expect(left).toEqual(always(times(CROWD / 2, () => 1)))
      },
      PATIENCE_MS,
    )

    async function authenticatorsOf(email: string) {
      const user = await store.adapter.getUserByEmail(email)
      return store.adapter.listAuthenticatorsByUserId(user?.id ?? "")
    }
  })
})
