/**
 * SES-33: a session that has ended in one of three processes is refused by all of them within a second, with each store
 * and both strategies.
 *
 * @module
 */
import { randomUUID } from "node:crypto"
import { setTimeout as pause } from "node:timers/promises"
import { guardProcess } from "../flows/support/guard.js"
import type { Browser, Page } from "../support/browser.js"
import { signIdToken } from "../support/faulty-provider/signing.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import type { Deployed } from "./support/deployed.js"
import {
  browserAt,
  SHARED_STORES,
  type SharedSite,
  type SharedStorage,
  STRATEGIES,
  type Strategy,
  startSharedSite,
  stateAt,
} from "./support/shared-sites.js"

guardProcess()

const PROCESSES = 3
/** A session read that begins later than this after the end must refuse the session. */
const LIMIT_MS = 1_000
const OBSERVED_MS = 1_400
const INTERVAL_MS = 100
const MINUTE_MS = 60_000
const EVENT = "http://schemas.openid.net/event/backchannel-logout"

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
afterAll(() => op.close())

/** Two sessions of one user. The first one ends. */
interface Sessions {
  readonly strategy: Strategy
  readonly sub: string
  readonly ending: Browser
  readonly other: Browser
  /** The process where the session ends. */
  readonly at: Deployed
}

const signOut = async ({ strategy, ending, at }: Sessions): Promise<Page> => {
  const browser = browserAt(at, ending)
  const base = `/${strategy}/auth`
  return browser.post(`${base}/signout`, { csrfToken: await browser.csrf(base) })
}

const postFromOther =
  (path: string) =>
  ({ strategy, other, at }: Sessions) =>
    browserAt(at, other).post(`/${strategy}/${path}`)

async function logOutAtProvider({ strategy, sub, at }: Sessions): Promise<Page> {
  const now = Math.floor(Date.now() / 1000)
  const claims = { iss: op.issuer, aud: op.client.clientId, sub, sid: `${sub}-ending`, jti: randomUUID() }
  const times = { iat: now, exp: now + 120, events: { [EVENT]: {} } }
  const header = (given: object) => ({ ...given, typ: "logout+jwt" })
  const logout_token = await signIdToken({ ...claims, ...times }, { header }, op.keys)
  const path = `/${strategy}/auth/backchannel-logout/oidc`
  return browserAt(at).post(path, { logout_token }, { headers: { origin: "", "sec-fetch-site": "" } })
}

/** How a session ends. The other session of the user continues. */
const ENDINGS: Readonly<Record<string, (sessions: Sessions) => Promise<Page>>> = {
  "a sign-out": signOut,
  "the end of all other sessions": postFromOther("end-others"),
  "a back-channel logout": logOutAtProvider,
  "a change of the email address": postFromOther("change-email"),
}

const statesAt = (processes: readonly Deployed[], strategy: Strategy, copy: Browser) =>
  Promise.all(processes.map((server) => stateAt(server, strategy, copy)))

/** Returns when the last accepted request was sent to a process, in milliseconds after the end of the session. */
async function lastAccepted(server: Deployed, strategy: Strategy, copy: Browser, endedAt: number): Promise<number> {
  let last = 0
  for (;;) {
    const sentAt = performance.now() - endedAt
    const state = await stateAt(server, strategy, copy)
    if (typeof state === "number") throw new Error(`status ${state}`)
    if (state) last = sentAt
    else if (sentAt > OBSERVED_MS) return last
    if (sentAt > 10 * OBSERVED_MS) return last
    await pause(INTERVAL_MS)
  }
}

for (const store of SHARED_STORES)
  store.describe(() => {
    let storage: SharedStorage
    let site: SharedSite
    beforeAll(async () => {
      storage = await store.create()
      site = await startSharedSite(op, storage.json, PROCESSES)
    })
    afterAll(async () => {
      await site?.stop()
      await storage?.drop()
    })

    /** Opens two sessions of a new user, and reads them in all processes. The last process ends one of them. */
    async function open(strategy: Strategy): Promise<Sessions> {
      const sub = `user-${randomUUID()}`
      const ending = await site.signIn(strategy, sub, `${sub}-ending`)
      const other = await site.signIn(strategy, sub, `${sub}-other`)
      for (const browser of [ending, other])
        expect(await statesAt(site.processes, strategy, browser)).toEqual([true, true, true])
      return { strategy, sub, ending, other, at: site.processes.at(-1) as Deployed }
    }

    /** Ends the session, and measures how long each process accepts it. */
    async function end(sessions: Sessions, by: (sessions: Sessions) => Promise<Page>, processes = site.processes) {
      // Now each process has a cached record and a fresh list of ended sessions.
      expect(await statesAt(processes, sessions.strategy, sessions.ending)).toEqual(processes.map(() => true))
      const page = await by(sessions)
      const endedAt = performance.now()
      expect([page.status, page.location]).toEqual([expect.any(Number), expect.not.stringContaining("error")])
      expect(page.status).toBeLessThan(400)
      const copy = sessions.ending
      return Promise.all(processes.map((server) => lastAccepted(server, sessions.strategy, copy, endedAt)))
    }

    it("SES-33: refuses a copied cookie within a second, and accepts the user's other session", async () => {
      const cases = STRATEGIES.flatMap((strategy) =>
        Object.entries(ENDINGS).map(([name, by]) => ({ strategy, name, by })),
      )
      const opened: Sessions[] = []
      for (const { strategy } of cases) opened.push(await open(strategy))
      const measured = await Promise.all(
        cases.map(async ({ by, ...names }, index) => {
          const sessions = opened[index] as Sessions
          const lasts = await end(sessions, by)
          return { ...names, lasts, others: await statesAt(site.processes, names.strategy, sessions.other) }
        }),
      )
      const violations = measured.filter(({ lasts }) => Math.max(...lasts) > LIMIT_MS)
      expect(violations).toEqual([])
      expect(measured.map(({ others }) => others)).toEqual(cases.map(() => [true, true, true]))
    })

    it.each(STRATEGIES)(
      "SES-33: refuses all sessions of a banned user within a minute, strategy %s",
      async (strategy) => {
        const { sub, ending, other } = await open(strategy)
        site.ban(sub)
        expect(await statesAt(site.processes, strategy, ending)).toEqual([true, true, true])
        for (const server of site.processes) await browserAt(server).post(`/clock?ms=${MINUTE_MS}`)
        for (const browser of [other, ending])
          expect(await statesAt(site.processes, strategy, browser)).toEqual([false, false, false])
      },
    )

    it.each(STRATEGIES)(
      "SES-33: refuses an ended session if the process that ended it is killed after its response, strategy %s",
      async (strategy) => {
        const sessions = await open(strategy)
        const left = site.processes.slice(0, -1)
        const lasts = await end(
          sessions,
          async (ending) => {
            const page = await signOut(ending)
            await ending.at.end("SIGKILL")
            return page
          },
          left,
        )
        expect(Math.max(...lasts)).toBeLessThanOrEqual(LIMIT_MS)
        await sessions.at.start()
        expect(await statesAt(site.processes, strategy, sessions.ending)).toEqual([false, false, false])
        expect(await statesAt(site.processes, strategy, sessions.other)).toEqual([true, true, true])
      },
    )
  })
