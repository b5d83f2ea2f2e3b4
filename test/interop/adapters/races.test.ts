import type { AdapterUser } from "../../../lib/adapters/adapter.js"
import { guardProcess } from "../../flows/support/guard.js"
import { openCallback, param, sessionCookies, sessionOf, startAndApprove } from "../../flows/support/site.js"
import { breakable, describeSites, newPerson, type Person, type Strategy, type Visited } from "./support/site.js"

guardProcess()

const TIMES = 10

/** Signs in browsers up to the callback; returns functions that complete the sign-ins. */
async function prepareSignIns({ visit, op }: Visited, person: Person, times: number) {
  op.set({ user: { ...person, email_verified: true } })
  const waiting: (() => Promise<unknown>)[] = []
  for (let i = 0; i < times; i++) {
    const browser = visit()
    const address = await startAndApprove(browser, op, { id: "first" })
    waiting.push(async () => {
      const { location } = await openCallback(browser, op, address)
      return param(location, "error") || (await sessionOf(browser))?.user?.["email"]
    })
  }
  return waiting
}

/** A barrier at which each caller waits until this many callers have arrived. */
function createBarrier(count: number): () => Promise<void> {
  let arrived = 0
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return () => {
    arrived += 1
    if (arrived === count) open()
    return opened
  }
}

describeSites("Concurrent requests", ({ site, opened }) => {
  it("sign the user out without an error if the session is deleted while it is extended", async () => {
    const { adapter } = opened()
    let isSigningOut = false
    const app = await site({
      strategy: "database",
      adapter: {
        ...breakable(adapter).adapter,
        async getSessionAndUser(token) {
          const found = await adapter.getSessionAndUser?.(token)
          if (found && isSigningOut) await adapter.deleteSession?.(token)
          return found ?? null
        },
      },
    })
    const [person, browser] = [newPerson(), app.visit()]
    await app.signInAs(person, browser)
    app.ahead = 2 * 24 * 60 * 60 * 1000
    isSigningOut = true
    expect((await browser.get("/me")).status).toBe(200)
    isSigningOut = false
    expect([await sessionOf(browser), (await app.readRows(person)).sessions]).toEqual([null, []])
    expect(app.failures()).toEqual([])
  })
})

describeSites("A sign-in", ({ site, opened, published }) => {
  const strategy = "database"

  it(`creates one user with one account if it runs ${TIMES} times at once for the first time`, async () => {
    const app = await site({ strategy })
    const person = newPerson()
    const waiting = await prepareSignIns(app, person, TIMES)
    const emails = await Promise.all(waiting.map((finish) => finish()))
    expect(emails).toEqual(Array(TIMES).fill(person.email))
    const { users, accounts, sessions } = await app.readRows(person)
    expect([users.length, accounts.length, sessions.length]).toEqual([1, 1, TIMES])
    expect(app.failures()).toEqual([])
  })

  const testInTwoProcesses = (name: string, check: () => Promise<void>) => published.isUnique && it(name, check)

  testInTwoProcesses(
    "creates one user with one account if it runs in two processes at once for the first time",
    async () => {
      const { adapter, addUniqueKeys } = opened()
      await addUniqueKeys?.()
      // Both processes look up the user before one of them creates it.
      const arrive = createBarrier(2)
      const { createUser } = breakable(adapter).adapter
      const createUserTogether = async (user: AdapterUser) => {
        await arrive()
        return (await createUser?.(user)) ?? user
      }
      const racingAdapter = { ...breakable(adapter).adapter, createUser: createUserTogether }
      const apps = [
        await site({ strategy, adapter: racingAdapter }),
        await site({ strategy, adapter: { ...racingAdapter } }),
      ]
      const person = newPerson()
      const waiting = (await Promise.all(apps.map((app) => prepareSignIns(app, person, TIMES / 2)))).flat()
      expect(await Promise.all(waiting.map((finish) => finish()))).toEqual(Array(TIMES).fill(person.email))
      const kept = await apps[0]?.readRows(person)
      expect([kept?.users.length, kept?.accounts.length, kept?.sessions.length]).toEqual([1, 1, TIMES])
    },
  )

  describe.each<Strategy>(["database", "jwt"])("on a store that fails in between, with sessions of kind %s", (kind) => {
    it("leaves no user if the account cannot be linked, and works afterwards", async () => {
      const { adapter, broken } = breakable(opened().adapter)
      const { visit, signInAs, readRows, failures, logText } = await site({ strategy: kind, adapter })
      const [person, browser] = [newPerson(), visit()]
      broken.add("linkAccount")
      expect(param((await signInAs(person, browser)).location, "error")).toBe("Configuration")
      expect([(await readRows(person)).users, sessionCookies(browser)]).toEqual([[], []])
      expect(failures()).toMatchObject([{ level: "error", code: "AdapterError" }])
      expect(logText()).toContain("adapter.linkAccount failed")
      broken.clear()
      await signInAs(person, browser)
      const { users, accounts } = await readRows(person)
      expect([users.length, accounts.length]).toEqual([1, 1])
      expect(await sessionOf(browser)).toMatchObject({ user: { email: person.email } })
    })
  })

  it("creates no session if the store fails, and works afterwards", async () => {
    const { adapter, broken } = breakable(opened().adapter)
    const { visit, signInAs, readRows } = await site({ strategy, adapter })
    const [person, browser] = [newPerson(), visit()]
    broken.add("createSession")
    expect(param((await signInAs(person, browser)).location, "error")).toBe("Configuration")
    expect(sessionCookies(browser)).toEqual([])
    broken.clear()
    await signInAs(person, browser)
    const { users, accounts, sessions } = await readRows(person)
    expect([users.length, accounts.length, sessions.length]).toEqual([1, 1, 1])
  })

  it("survives a temporary failure of the store", async () => {
    const { adapter, broken } = breakable(opened().adapter)
    const { visit, signInAs } = await site({ strategy, adapter })
    const [person, browser] = [newPerson(), visit()]
    await signInAs(person, browser)
    broken.add("getSessionAndUser")
    const page = await browser.get("/me")
    expect([page.status, await page.text()]).toEqual([503, expect.not.stringContaining("db.internal")])
    broken.clear()
    expect(await sessionOf(browser)).toMatchObject({ user: { email: person.email } })
  })
})
