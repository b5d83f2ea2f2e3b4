/** Three processes need a new access token of the same user at once. */
import { setTimeout as pause } from "node:timers/promises"
import { guardProcess } from "../flows/support/guard.js"
import { begin, openCallback } from "../flows/support/site.js"
import type { Browser } from "../support/browser.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { until } from "../support/wait.js"
import { Deployed } from "./support/deployed.js"
import { browserAt, SHARED_STORES, type SharedStorage } from "./support/shared-sites.js"

guardProcess()
jest.setTimeout(120_000)

const PROCESSES = 3
const CALLS = 90
/** Each round uses the refresh token that the previous one has returned. */
const ROUNDS = 50
const HOUR_MS = 3_600_000
/** Leaves 30 s of the token's lifetime, which is less than the default of `minValidSeconds`. */
const LAST_SECONDS_MS = HOUR_MS - 30_000

/** The result of a call: a token, or the status and type of an error. */
type Answer = string | { readonly status: number; readonly type: string }

describe.each(SHARED_STORES)("access tokens with $name", (store) => {
  store.describe(() => {
    let op: FaultyProvider
    let storage: SharedStorage
    let processes: Deployed[]
    let user: Browser

    beforeAll(async () => {
      op = await startFaultyProvider()
      storage = await store.create()
      const start = () => new Deployed(op, storage, { file: "token-site.js" }).start()
      processes = await Promise.all(Array.from({ length: PROCESSES }, start))
    })
    afterAll(async () => {
      await Promise.all(processes.map((site) => site.end("SIGKILL")))
      await storage.drop()
      await op.close()
    })
    beforeEach(async () => {
      behave()
      await signIn()
      op.requests.length = 0
    })

    /** Signs the user in with a new browser. */
    async function signIn(): Promise<void> {
      user = browserAt(processes[0])
      const page = await openCallback(user, op, await op.authorize((await begin(user)).location))
      expect(page.location).not.toContain("error")
    }

    let clockOffsetSeconds = 0
    /** Ends the provider's fault. The provider keeps the clock of the sites, so that its id_tokens are not expired. */
    function behave(): void {
      op.reset()
      op.set({ clockOffsetSeconds })
    }
    async function advance(ms: number): Promise<void> {
      clockOffsetSeconds += ms / 1000
      op.set({ clockOffsetSeconds })
      await Promise.all(processes.map((site) => browserAt(site).post(`/clock?ms=${ms}`, {})))
    }
    async function restart(site: Deployed): Promise<void> {
      await site.start()
      await browserAt(site).post(`/clock?ms=${clockOffsetSeconds * 1000}`, {})
    }
    const call = async (site: Deployed | undefined): Promise<Answer> => {
      const page = await browserAt(site, user).get("/token")
      const content = JSON.parse(await page.text())
      return page.status === 200 ? content : { status: page.status, type: content }
    }
    const callAll = (sites = processes, count = CALLS) =>
      Promise.all(Array.from({ length: count }, (_, index) => call(sites[index % sites.length])))
    const distinct = (answers: readonly Answer[]) => [...new Set(answers.map((answer) => JSON.stringify(answer)))]
    const renewals = () => op.to("/token").filter(({ form }) => form["grant_type"] === "refresh_token").length
    const UNAVAILABLE = JSON.stringify({ status: 502, type: "ProviderUnavailable" })

    it("are renewed once for 90 calls, and stay valid through 50 rounds of rotated refresh tokens", async () => {
      const tokens = new Set<string>()
      for (let round = 1; round <= ROUNDS; round++) {
        await advance(HOUR_MS)
        const answers = distinct(await callAll())
        expect([answers.length, renewals()]).toEqual([1, round])
        tokens.add(answers[0] ?? "")
      }
      expect(tokens.size).toBe(ROUNDS)
      expect([...tokens].every((answer) => answer.startsWith('"at-'))).toBe(true)
    })

    it("are renewed once by a provider that takes three seconds", async () => {
      op.set({ fault: { token: { delayMs: 3_000 } } })
      await advance(HOUR_MS)
      const answers = distinct(await callAll())
      expect([answers, renewals()]).toEqual([[expect.stringMatching(/^"at-/)], 1])
    })

    it("are returned while they are valid if the provider responds with 500, and 90 calls send it one request", async () => {
      const [old] = distinct(await callAll())
      op.set({ fault: { token: { status: 500, body: {} } } })
      await advance(LAST_SECONDS_MS)
      expect([distinct(await callAll()), renewals()]).toEqual([[old], 1])
      await advance(HOUR_MS)
      expect([distinct(await callAll()), renewals()]).toEqual([[UNAVAILABLE], 2])
    })

    it("are not returned if the provider does not respond, and 90 calls send it one request", async () => {
      op.set({ fault: { token: "hang" } })
      await advance(HOUR_MS)
      expect([distinct(await callAll()), renewals()]).toEqual([[UNAVAILABLE], 1])
      behave()
      await advance(3_000)
      expect(distinct(await callAll())).toEqual([expect.stringMatching(/^"at-/)])
    })

    it("are renewed by another process if the process that sends the request is killed", async () => {
      op.set({ fault: { token: "hang" } })
      await advance(HOUR_MS)
      const [killed, ...others] = processes as [Deployed, ...Deployed[]]
      const lost = call(killed).catch(() => "lost")
      await until(() => renewals() === 1)
      const waiting = callAll(others)
      await pause(200)
      await killed.end("SIGKILL")
      behave()
      expect(await lost).toBe("lost")
      expect([distinct(await waiting), renewals()]).toEqual([[expect.stringMatching(/^"at-/)], 2])
      await restart(killed)
    })

    it("of a new sign-in are not replaced by a renewal that ends later", async () => {
      op.set({ fault: { token: { delayMs: 2_000 } } })
      await advance(HOUR_MS)
      const renewing = call(processes[0])
      await until(() => renewals() === 1)
      behave()
      await signIn()
      const [newest] = distinct(await callAll(processes.slice(1)))
      await renewing
      expect([distinct(await callAll()), renewals()]).toEqual([[newest], 1])
    })

    // The following cases depend on the lease and not on the store, so they run with one store.
    if (store !== SHARED_STORES[0]) return

    it("require a new sign-in if a process is killed when the provider has already replaced the refresh token", async () => {
      op.set({ fault: { token: { delayMs: 60_000 } } })
      await advance(HOUR_MS)
      const [killed, ...others] = processes as [Deployed, ...Deployed[]]
      const lost = call(killed).catch(() => "lost")
      await until(() => renewals() === 1)
      await killed.end("SIGKILL")
      behave()
      expect(await lost).toBe("lost")
      const required = JSON.stringify({ status: 401, type: "ReauthenticationRequired" })
      expect([distinct(await callAll(others)), renewals()]).toEqual([[required], 2])
      await restart(killed)
      await signIn()
      expect(distinct(await callAll(others))).toEqual([expect.stringMatching(/^"at-/)])
    })

    it("are the tokens of the process that took over if the first process was suspended and resumes", async () => {
      op.set({ fault: { token: "hang" } })
      await advance(HOUR_MS)
      const [suspended, ...others] = processes as [Deployed, ...Deployed[]]
      const resumed = call(suspended)
      await until(() => renewals() === 1)
      suspended.suspend()
      behave()
      const [renewed] = distinct(await callAll(others))
      expect([renewed, renewals()]).toEqual([expect.stringMatching(/^"at-/), 2])
      suspended.resume()
      expect(JSON.stringify(await resumed)).toBe(renewed)
      expect([distinct(await callAll()), renewals()]).toEqual([[renewed], 2])
    })
  })
})
