/**
 * SES-33: while the store does not respond, no ended session is accepted and no user is signed out. A restart of the
 * store signs no user out.
 *
 * @module
 */
import { setTimeout as pause } from "node:timers/promises"
import { guardProcess } from "../flows/support/guard.js"
import type { Browser } from "../support/browser.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { until } from "../support/wait.js"
import { TIMEOUT_MS } from "./support/outage.js"
import {
  browserAt,
  SHARED_STORES,
  type SharedSite,
  type SharedStorage,
  type State,
  type Strategy,
  startSharedSite,
  stateAt,
} from "./support/shared-sites.js"

guardProcess()

/** Longer than a process uses its list of ended sessions, and than a session read waits for the store. */
const FROZEN_MS = 7_000
const INTERVAL_MS = 250
/** How old the list of ended sessions may be. */
const LIST_AGE_MS = 1_000
/** The time from the end of an outage to the first accepted request. */
const RECOVERY_MS = 10_000

interface Attempt {
  readonly state: State
  /** Times since the beginning of the outage, in milliseconds. */
  readonly sentMs: number
  readonly endedMs: number
}

/** A user's two sessions with one strategy: one is valid, and the other one has ended. */
interface Copies {
  readonly strategy: Strategy
  readonly valid: Browser
  readonly ended: Browser
}

interface Observed {
  readonly valid: readonly Attempt[]
  readonly ended: readonly Attempt[]
  readonly recoveredMs: number
}

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
afterAll(() => op.close())

const distinctStates = (attempts: readonly Attempt[]) => [...new Set(attempts.map(({ state }) => state))].sort()

async function openCopies(site: SharedSite, strategy: Strategy): Promise<Copies> {
  const [valid, ended] = [await site.signIn(strategy, strategy), await site.signIn(strategy, strategy)]
  const browser = browserAt(site.processes[0], ended)
  const base = `/${strategy}/auth`
  await browser.post(`${base}/signout`, { csrfToken: await browser.csrf(base) })
  return { strategy, valid, ended }
}

/** Sends requests with both sessions from the beginning of an outage until the valid session is accepted again. */
async function observe(site: SharedSite, { strategy, ...copies }: Copies, outage: Promise<unknown>): Promise<Observed> {
  const startedAt = performance.now()
  const elapsed = () => performance.now() - startedAt
  const attempt = async (copy: Browser): Promise<Attempt> => {
    const sentMs = elapsed()
    return { state: await stateAt(site.processes[0], strategy, copy), sentMs, endedMs: elapsed() }
  }
  const sent: Record<keyof typeof copies, Promise<Attempt>[]> = { valid: [], ended: [] }
  const sendBoth = () => {
    for (const name of ["valid", "ended"] as const) sent[name].push(attempt(copies[name]))
  }
  let isOver = false
  void outage.then(() => (isOver = true))
  while (!isOver) {
    sendBoth()
    await pause(INTERVAL_MS)
  }
  const overMs = elapsed()
  await until(async () => {
    sendBoth()
    return (await sent.valid.at(-1))?.state === true
  }, 2 * RECOVERY_MS)
  const recoveredMs = elapsed() - overMs
  return { valid: await Promise.all(sent.valid), ended: await Promise.all(sent.ended), recoveredMs }
}

for (const store of SHARED_STORES.filter(({ hasServer }) => hasServer))
  store.describe(() => {
    let storage: SharedStorage
    let site: SharedSite
    let copies: Copies[]
    beforeAll(async () => {
      storage = await store.create()
      site = await startSharedSite(op, storage.json, 1)
      copies = [await openCopies(site, "jwt"), await openCopies(site, "database")]
    })
    afterAll(async () => {
      await site?.stop()
      await storage?.drop()
    })

    const observeAll = (outage: Promise<unknown> = Promise.resolve()) =>
      Promise.all(copies.map((each) => observe(site, each, outage)))

    it("SES-33: a restart of the store signs no user out, and brings no ended session back", async () => {
      for (const { valid, ended, recoveredMs } of await observeAll(storage.server?.restart())) {
        expect([503, true]).toEqual(expect.arrayContaining(distinctStates(valid)))
        expect([503, false]).toEqual(expect.arrayContaining(distinctStates(ended)))
        expect(recoveredMs).toBeLessThan(RECOVERY_MS)
      }
    })

    it("SES-33: session reads get 503 in a bounded time while the store does not respond, and succeed afterwards", async () => {
      await storage.server?.freeze()
      const outage = pause(FROZEN_MS).then(() => storage.server?.thaw())
      for (const { valid, ended, recoveredMs } of await observeAll(outage)) {
        expect([503, true]).toEqual(expect.arrayContaining(distinctStates(valid)))
        expect([503, false]).toEqual(expect.arrayContaining(distinctStates(ended)))
        const during = [...valid, ...ended].filter(({ sentMs, endedMs }) => sentMs > LIST_AGE_MS && endedMs < FROZEN_MS)
        expect(distinctStates(during)).toEqual([503])
        expect(Math.max(...[...valid, ...ended].map(({ sentMs, endedMs }) => endedMs - sentMs))).toBeLessThan(
          TIMEOUT_MS,
        )
        expect(recoveredMs).toBeLessThan(RECOVERY_MS)
      }
    })
  })
