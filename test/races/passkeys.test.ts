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
  type Race,
  ROUNDS,
  spread,
  startRace,
  TIMEOUT_MS,
  times,
} from "./support/races.js"

guardProcess()

const ONE_SIGN_IN = oneWinner("/auth/error WebAuthnVerificationError")

describeStores("50 concurrent uses of passkeys", (kind: Store) => {
  describeServer(kind.name, "Express 5", (start: Start) => {
    let store: OpenStore
    let race: Race
    const open = (started: Start) =>
      startRace(started, {
        adapter: store.adapter,
        providers: [Passkey],
        session: { strategy: "database" },
        experimental: { enableWebAuthn: true },
      })
    /** Two processes behind one address. */
    const startPair = () => open((config) => start(config, { origin: "http://app.test" }))
    beforeEach(async () => {
      store = await kind.create()
      race = await open(start)
    })
    afterEach(() => store.close())

    const site = () => race.apps[0]
    const newPasskey = async (): Promise<Key> =>
      (await register(site().browser(), site().origin, { email: "ada@example.com" })).passkey

    /** Sends one credential 50 times; its challenge may be used once. */
    async function sendConcurrently(browsers: readonly Browser[], { action, options }: Ceremony, credential: unknown) {
      expect(options.challenge).toEqual(expect.any(String))
      return outcomeOf(await Promise.all(browsers.map((browser) => finish(browser, action, credential))))
    }

    it(
      "WAN-01: one assertion signs in one browser",
      async () => {
        const passkey = await newPasskey()
        const outcomes = await eachRound(async () => {
          const browser = site().browser()
          const ceremony = await optionsFor(browser, { action: "authenticate" })
          return sendConcurrently(
            copiesOf(browser),
            ceremony,
            usePasskey(passkey, ceremony.options, { origin: site().origin }),
          )
        })
        expect(outcomes).toEqual(always(ONE_SIGN_IN))
        // The first session comes from the registration.
        expect(await store.counts()).toEqual({ users: 1, accounts: 1, sessions: 1 + ROUNDS, links: 0 })
        expect(race.errors()).toEqual([])
      },
      TIMEOUT_MS,
    )

    it(
      "WAN-05: copies of one passkey with the same counter in two processes sign in one browser",
      async () => {
        const passkey = await newPasskey()
        const outcomes = await eachRound(async () => {
          const counter = passkey.counter + 1
          const uses = await Promise.all(
            times(CROWD, async (index) => {
              const { origin, browser: open } = race.appOf(index)
              const browser = open()
              const { options } = await optionsFor(browser, { action: "authenticate" })
              return { browser, credential: usePasskey(passkey, options, { origin, counter }) }
            }),
          )
          const submit = ({ browser, credential }: (typeof uses)[number]) => finish(browser, "authenticate", credential)
          return outcomeOf(await Promise.all(uses.map(submit)))
        })
        expect(outcomes).toEqual(always(ONE_SIGN_IN))
        const [stored] = await authenticatorsOf("ada@example.com")
        expect(stored?.counter).toBe(ROUNDS)
        expect(await store.counts()).toEqual({ users: 1, accounts: 1, sessions: 1 + ROUNDS, links: 0 })
        expect(race.errors()).toEqual([])
      },
      TIMEOUT_MS,
    )

    it(
      "WAN-01: one attestation registers one passkey",
      async () => {
        const outcomes = await eachRound(async (round) => {
          const browser = site().browser()
          const ceremony = await optionsFor(browser, { action: "register", email: `person-${round}@example.com` })
          const { response } = createPasskey(ceremony.options, { origin: site().origin })
          return sendConcurrently(copiesOf(browser), ceremony, response)
        })
        expect(outcomes).toEqual(always(ONE_SIGN_IN))
        expect(await store.counts()).toEqual({ users: ROUNDS, accounts: ROUNDS, sessions: ROUNDS, links: 0 })
        expect(await authenticatorsOf("person-0@example.com")).toHaveLength(1)
        expect(race.errors()).toEqual([])
      },
      TIMEOUT_MS,
    )

    it(
      "WAN-01: one assertion without a counter, in two processes, signs in one browser",
      async () => {
        const pair = await startPair()
        const { browser: visit, origin } = pair.apps[0]
        const { passkey } = await register(visit(), origin, { email: "ada@example.com" })
        const outcomes = await eachRound(async () => {
          const browser = visit()
          const ceremony = await optionsFor(browser, { action: "authenticate" })
          const credential = usePasskey(passkey, ceremony.options, { origin, counter: 0 })
          return sendConcurrently(spread(browser, pair), ceremony, credential)
        })
        expect(outcomes).toEqual(always(ONE_SIGN_IN))
        expect(await store.counts()).toEqual({ users: 1, accounts: 1, sessions: 1 + ROUNDS, links: 0 })
        expect(pair.errors()).toEqual([])
      },
      TIMEOUT_MS,
    )

    it(
      "WAN-01: one attestation in two processes registers one passkey",
      async () => {
        const pair = await startPair()
        const outcomes = await eachRound(async (round) => {
          const browser = pair.apps[0].browser()
          const ceremony = await optionsFor(browser, { action: "register", email: `person-${round}@example.com` })
          const { response } = createPasskey(ceremony.options, { origin: pair.apps[0].origin })
          return sendConcurrently(spread(browser, pair), ceremony, response)
        })
        expect(outcomes).toEqual(always(ONE_SIGN_IN))
        expect(await store.counts()).toEqual({ users: ROUNDS, accounts: ROUNDS, sessions: ROUNDS, links: 0 })
        expect(pair.errors()).toEqual([])
      },
      TIMEOUT_MS,
    )

    it(
      "ACC-06: registrations for one new address in two processes create one user each, and one of these users gets the address",
      async () => {
        const outcomes = await eachRound(async (round) => {
          const uses = await Promise.all(
            times(CROWD, async (index) => {
              const { origin, browser: open } = race.appOf(index)
              const browser = open()
              const { options } = await optionsFor(browser, { action: "register", email: `new-${round}@example.com` })
              return { browser, credential: createPasskey(options, { origin }).response }
            }),
          )
          const submit = ({ browser, credential }: (typeof uses)[number]) => finish(browser, "register", credential)
          const outcome = outcomeOf(await Promise.all(uses.map(submit)))
          const users = await Promise.all(uses.map(async ({ browser }) => (await sessionOf(browser))?.user))
          const withAddress = users.filter((user) => user?.["email"] === `new-${round}@example.com`)
          const without = users.filter((user) => user && !user["email"])
          return { outcome, withAddress: withAddress.length, without: without.length }
        })
        const outcome = { winners: CROWD, refusals: [], statuses: [302] }
        expect(outcomes).toEqual(always({ outcome, withAddress: 1, without: CROWD - 1 }))
        const all = ROUNDS * CROWD
        expect(await store.counts()).toEqual({ users: all, accounts: all, sessions: all, links: 0 })
        expect(await authenticatorsOf("new-0@example.com")).toHaveLength(1)
        expect(race.errors()).toEqual([])
      },
      TIMEOUT_MS,
    )

    it(
      "removing both passkeys of a user in two processes leaves one passkey",
      async () => {
        const pair = await startPair()
        const [{ browser: visit, origin }] = pair.apps
        /** Registers two passkeys, and returns a request to remove each, one for each process. */
        async function prepareRemovals(email: string) {
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
          const removals = (await Promise.all(emails.map(prepareRemovals))).flat()
          await Promise.all(removals.map((remove) => remove()))
          return Promise.all(emails.map(async (email) => (await authenticatorsOf(email)).length))
        })
        expect(left).toEqual(always(times(CROWD / 2, () => 1)))
      },
      TIMEOUT_MS,
    )

    async function authenticatorsOf(email: string) {
      const user = await store.adapter.getUserByEmail(email)
      return store.adapter.listAuthenticatorsByUserId(user?.id ?? "")
    }
  })
})
