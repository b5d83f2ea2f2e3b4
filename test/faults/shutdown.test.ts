import { randomInt } from "node:crypto"
import { Agent, get, type IncomingMessage } from "node:http"
import { setTimeout as pause } from "node:timers/promises"
import { guardProcess } from "../flows/support/guard.js"
import { comeBack, goAndAgree, param, sessionCookies, sessionOf } from "../flows/support/site.js"
import type { Browser } from "../support/browser.js"
import { ALICE, type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { ioRedis } from "../support/stores/redis.js"
import { mysql, postgres, type SqlStore, sqlite } from "../support/stores/sql.js"
import { describeStore } from "../support/stores.js"
import { until } from "../support/wait.js"
import { Deployed, type Place, placeIn, placeInRedis } from "./support/deployed.js"

guardProcess()

/** Of kills; each is at a moment of its own. */
const ROUNDS = Number(process.env["RACE_ROUNDS"] ?? 1)
const PATIENCE_MS = 60_000 + ROUNDS * 20_000
const CROWD = 10
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

/** Somebody who agreed at the provider and has not come back yet. */
interface Returning {
  readonly browser: Browser
  readonly back: string
}

let op: FaultyProvider
let place: Place
let site: Deployed

beforeEach(async () => {
  op = await startFaultyProvider()
})
afterEach(async () => {
  await site?.end("SIGKILL")
  await place?.drop()
  await op.close()
})

async function deploy(store: SqlStore | typeof ioRedis): Promise<void> {
  place = await ("createDatabase" in store ? placeIn(store) : placeInRedis())
  site = await new Deployed(op, place).start()
}

/** A crowd of different people, each with a browser. */
async function crowd(): Promise<Returning[]> {
  const people: Returning[] = []
  for (const index of times(CROWD, (i) => i)) {
    const browser = site.browser()
    op.set({ user: { ...ALICE, sub: `person-${index}`, email: `person-${index}@example.com` } })
    people.push({ browser, back: await goAndAgree(browser, op) })
  }
  return people
}

const whoIs = async (browser: Browser) => (await sessionOf(browser))?.user?.["email"]
const EVERYBODY = times(CROWD, (index) => `person-${index}@example.com`)

/** A browser that would keep its connection for the next request. */
function getKeptAlive({ browser, back }: Returning, agent: Agent): Promise<IncomingMessage> {
  const { pathname, search, host } = new URL(back)
  const headers = { host, cookie: browser.cookieHeader(back) }
  return new Promise((resolve, reject) => {
    get(site.address + pathname + search, { agent, headers }, (answer) => {
      answer.resume().once("end", () => resolve(answer))
    }).once("error", reject)
  })
}

for (const store of [sqlite, postgres])
  describeStore("FLT-29: SIGTERM in the middle of sign-ins", store, () => {
    it(
      `lets them finish, takes nobody new, and ends, on ${store.name}; the sessions go on in the next process`,
      async () => {
        await deploy(store)
        const people = await crowd()
        op.set({ fault: { token: { delayMs: 1_500 } } })
        const agent = new Agent({ keepAlive: true })
        const [first, ...others] = people as [Returning, ...Returning[]]
        const kept = getKeptAlive(first, agent)
        const pages = others.map(({ browser, back }) => comeBack(browser, op, back))
        await until(() => op.count("/token") === CROWD, 20_000)
        const ended = site.end("SIGTERM")
        await until(
          () =>
            site
              .browser()
              .get("/me")
              .then(
                () => false,
                () => true,
              ),
          5_000,
        )
        expect((await Promise.all(pages)).map(({ location }) => location)).toEqual(others.map(() => "http://app.test/"))
        const { statusCode, headers } = await kept
        expect([statusCode, headers.location]).toEqual([302, "http://app.test"])
        const answeredAt = performance.now()
        expect(await ended).toBe(0)
        expect(performance.now() - answeredAt).toBeLessThan(3_000)
        agent.destroy()
        await site.start()
        expect(await Promise.all(others.map(({ browser }) => whoIs(browser)))).toEqual(EVERYBODY.slice(1))
        expect(await place.counts()).toEqual({ users: CROWD, accounts: CROWD, sessions: CROWD, links: 0 })
      },
      PATIENCE_MS,
    )
  })

describeStore("FLT-29: SIGTERM while a provider hangs", sqlite, () => {
  it(
    "answers those who wait with the sign-in page, leaves nothing behind, and ends",
    async () => {
      await deploy(sqlite)
      const people = await crowd()
      op.set({ fault: { token: "hang" } })
      const pages = people.map(({ browser, back }) => comeBack(browser, op, back))
      await until(() => op.count("/token") === CROWD, 20_000)
      const ended = site.end("SIGTERM")
      const errors = (await Promise.all(pages)).map(({ location }) => param(location, "error"))
      expect(errors).toEqual(people.map(() => "OAuthCallbackError"))
      expect(await ended).toBe(0)
      expect(people.flatMap(({ browser }) => sessionCookies(browser))).toEqual([])
      expect(await place.counts()).toEqual({ users: 0, accounts: 0, sessions: 0, links: 0 })
    },
    PATIENCE_MS,
  )
})

for (const store of [sqlite, postgres, mysql, ioRedis])
  describeStore("FLT-29: SIGKILL in the middle of sign-ins", store, () => {
    it(
      `leaves no user without an account on ${store.name}, takes nobody's session, and everybody can sign in again`,
      async () => {
        await deploy(store)
        for (let round = 0; round < ROUNDS; round++) {
          op.reset()
          op.requests.length = 0
          const people = await crowd()
          const pages = people.map(({ browser, back }) => comeBack(browser, op, back).catch(() => undefined))
          await until(() => op.count("/token") >= 3, 20_000)
          await pause(randomInt(40))
          await site.end("SIGKILL")
          await Promise.all(pages)
          await site.start()
          const { users, accounts } = await place.counts()
          expect(users).toBe(accounts)
          // Whoever was told of a session has it.
          const told = people.filter(({ browser }) => sessionCookies(browser).length > 0)
          expect(await Promise.all(told.map(({ browser }) => whoIs(browser)))).not.toContain(undefined)
          const again = await crowd()
          await Promise.all(again.map(({ browser, back }) => comeBack(browser, op, back)))
          expect(await Promise.all(again.map(({ browser }) => whoIs(browser)))).toEqual(EVERYBODY)
          expect(await place.counts()).toMatchObject({ users: CROWD, accounts: CROWD })
        }
      },
      PATIENCE_MS,
    )
  })
