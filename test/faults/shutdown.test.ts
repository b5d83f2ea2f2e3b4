import { randomInt } from "node:crypto"
import { Agent, get, type IncomingMessage } from "node:http"
import { setTimeout as pause } from "node:timers/promises"
import { guardProcess } from "../flows/support/guard.js"
import { openCallback, param, sessionCookies, sessionOf, startAndApprove } from "../flows/support/site.js"
import type { Browser } from "../support/browser.js"
import { ALICE, type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { ioRedis } from "../support/stores/redis.js"
import { mysql, postgres, type SqlStore, sqlite } from "../support/stores/sql.js"
import { describeStore } from "../support/stores.js"
import { until } from "../support/wait.js"
import { createRedisStorage, createSqlStorage, Deployed, type Storage } from "./support/deployed.js"

guardProcess()

/** The number of SIGKILL rounds; each kills at a random moment. */
const ROUNDS = Number(process.env["RACE_ROUNDS"] ?? 1)
const TIMEOUT_MS = 60_000 + ROUNDS * 20_000
const USERS = 10
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

/** A user who has agreed at the provider and has not returned yet. */
interface Returning {
  readonly browser: Browser
  readonly back: string
}

let op: FaultyProvider
let storage: Storage
let site: Deployed

beforeEach(async () => {
  op = await startFaultyProvider()
})
afterEach(async () => {
  await site?.end("SIGKILL")
  await storage?.drop()
  await op.close()
})

async function deploy(store: SqlStore | typeof ioRedis): Promise<void> {
  storage = await ("createDatabase" in store ? createSqlStorage(store) : createRedisStorage())
  site = await new Deployed(op, storage).start()
}

/** Ten different users who have agreed at the provider. */
async function agreeAll(): Promise<Returning[]> {
  const users: Returning[] = []
  for (const index of times(USERS, (i) => i)) {
    const browser = site.browser()
    op.set({ user: { ...ALICE, sub: `person-${index}`, email: `person-${index}@example.com` } })
    users.push({ browser, back: await startAndApprove(browser, op) })
  }
  return users
}

const readEmail = async (browser: Browser) => (await sessionOf(browser))?.user?.["email"]
const ADDRESSES = times(USERS, (index) => `person-${index}@example.com`)

/** Requests the callback over a keep-alive connection. */
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
  describeStore("FLT-29: SIGTERM during sign-ins", store, () => {
    it(
      `completes them, accepts no new connection, and exits on ${store.name}; the next process accepts the sessions`,
      async () => {
        await deploy(store)
        const users = await agreeAll()
        op.set({ fault: { token: { delayMs: 1_500 } } })
        const agent = new Agent({ keepAlive: true })
        const [first, ...others] = users as [Returning, ...Returning[]]
        const kept = getKeptAlive(first, agent)
        const pages = others.map(({ browser, back }) => openCallback(browser, op, back))
        await until(() => op.count("/token") === USERS, 20_000)
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
        expect(await Promise.all(others.map(({ browser }) => readEmail(browser)))).toEqual(ADDRESSES.slice(1))
        expect(await storage.counts()).toEqual({ users: USERS, accounts: USERS, sessions: USERS, links: 0 })
      },
      TIMEOUT_MS,
    )
  })

describeStore("FLT-29: SIGTERM while a provider hangs", sqlite, () => {
  it(
    "redirects waiting users to the sign-in page, stores nothing, and exits",
    async () => {
      await deploy(sqlite)
      const users = await agreeAll()
      op.set({ fault: { token: "hang" } })
      const pages = users.map(({ browser, back }) => openCallback(browser, op, back))
      await until(() => op.count("/token") === USERS, 20_000)
      const ended = site.end("SIGTERM")
      const errors = (await Promise.all(pages)).map(({ location }) => param(location, "error"))
      expect(errors).toEqual(users.map(() => "OAuthCallbackError"))
      expect(await ended).toBe(0)
      expect(users.flatMap(({ browser }) => sessionCookies(browser))).toEqual([])
      expect(await storage.counts()).toEqual({ users: 0, accounts: 0, sessions: 0, links: 0 })
    },
    TIMEOUT_MS,
  )
})

for (const store of [sqlite, postgres, mysql, ioRedis])
  describeStore("FLT-29: SIGKILL during sign-ins", store, () => {
    it(
      `leaves no user without an account on ${store.name}, keeps all issued sessions, and all users can sign in again`,
      async () => {
        await deploy(store)
        for (let round = 0; round < ROUNDS; round++) {
          op.reset()
          op.requests.length = 0
          const returning = await agreeAll()
          const pages = returning.map(({ browser, back }) => openCallback(browser, op, back).catch(() => undefined))
          await until(() => op.count("/token") >= 3, 20_000)
          await pause(randomInt(40))
          await site.end("SIGKILL")
          await Promise.all(pages)
          await site.start()
          const { users, accounts } = await storage.counts()
          expect(users).toBe(accounts)
          // Each browser that received a session cookie is still signed in.
          const signedIn = returning.filter(({ browser }) => sessionCookies(browser).length > 0)
          expect(await Promise.all(signedIn.map(({ browser }) => readEmail(browser)))).not.toContain(undefined)
          const again = await agreeAll()
          await Promise.all(again.map(({ browser, back }) => openCallback(browser, op, back)))
          expect(await Promise.all(again.map(({ browser }) => readEmail(browser)))).toEqual(ADDRESSES)
          expect(await storage.counts()).toMatchObject({ users: USERS, accounts: USERS })
        }
      },
      TIMEOUT_MS,
    )
  })
