/**
 * SES-33: sessions in a SQLite file after a restart of the process, and while another process locks the file.
 *
 * @module
 */
import { guardProcess } from "../flows/support/guard.js"
import type { Browser, Page } from "../support/browser.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { rawSqlite } from "../support/stores/raw.js"
import { TIMEOUT_MS } from "./support/outage.js"
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

let op: FaultyProvider
let storage: SharedStorage
let site: SharedSite
beforeAll(async () => {
  op = await startFaultyProvider()
  const [sqlite] = SHARED_STORES
  if (!sqlite) throw new Error("SQLite is missing")
  storage = await sqlite.create()
  site = await startSharedSite(op, storage.json, 1)
})
afterAll(async () => {
  await site?.stop()
  await storage?.drop()
  await op?.close()
})

/** A user's two sessions, of which one has ended. */
async function openSessions(strategy: Strategy): Promise<{ valid: Browser; ended: Browser }> {
  const [valid, ended] = [await site.signIn(strategy, strategy), await site.signIn(strategy, strategy)]
  expect((await signOut(strategy, ended)).status).toBe(302)
  return { valid, ended }
}

async function signOut(strategy: Strategy, copy: Browser): Promise<Page> {
  const browser = browserAt(site.processes[0], copy)
  const base = `/${strategy}/auth`
  return browser.post(`${base}/signout`, { csrfToken: await browser.csrf(base) })
}

describe.each(STRATEGIES)("with SQLite and the strategy %s", (strategy) => {
  const readState = (copy: Browser) => stateAt(site.processes[0], strategy, copy)

  it("SES-33: a restart of the process signs no user out, and brings no ended session back", async () => {
    const { valid, ended } = await openSessions(strategy)
    for (const signal of ["SIGKILL", "SIGTERM"] as const) {
      await site.processes[0]?.end(signal)
      await site.processes[0]?.start()
      expect([await readState(valid), await readState(ended)]).toEqual([true, false])
    }
  })

  it("SES-33: a request that ends sessions gets 503 while the file is locked, and succeeds afterwards", async () => {
    const { valid, ended } = await openSessions(strategy)
    const second = await site.signIn(strategy, strategy)
    const states = () => Promise.all([valid, second, ended].map(readState))
    const endOthers = async () => (await browserAt(site.processes[0], valid).post(`/${strategy}/end-others`)).status
    expect(await states()).toEqual([true, true, false])
    const locking = rawSqlite(JSON.parse(storage.json).sqlite)
    await locking.query("BEGIN EXCLUSIVE")
    const startedAt = performance.now()
    expect(await endOthers()).toBe(503)
    expect(performance.now() - startedAt).toBeLessThan(TIMEOUT_MS)
    // Reads do not wait for a writer, and nothing has ended.
    expect(await states()).toEqual([true, true, false])
    await locking.query("COMMIT")
    await locking.close()
    expect(await endOthers()).toBe(200)
    expect(await states()).toEqual([true, false, false])
  })
})
