import type { AdapterUser } from "../../../lib/adapters/adapter.js"
import { guardProcess } from "../../flows/support/guard.js"
import { openCallback, param, sessionCookies, sessionOf, startAndApprove } from "../../flows/support/site.js"
import { breakable, describeSites, newPerson, type Person, type Strategy, type Visited } from "./support/site.js"

guardProcess()

const TIMES = 10

/** Signs in browsers up to the callback; returns functions that complete the sign-ins. */
async function agreed({ visit, op }: Visited, person: Person, times: number) {
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

/** Waits until this many callers have arrived. */
function meetingOf(count: number): () => Promise<void> {
  let here = 0
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return () => {
    here += 1
    if (here === count) open()
    return opened
  }
}

describeSites("Concurrent requests", ({ site, opened }) => {
  it("a session that is deleted while it is extended is signed out without an error", async () => {
    const { adapter } = opened()
    let isSigningOut = false
    const at = await site({
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
    const [person, browser] = [newPerson(), at.visit()]
    await at.signInAs(person, browser)
    at.ahead = 2 * 24 * 60 * 60 * 1000
    isSigningOut = true
    expect((await browser.get("/me")).status).toBe(200)
    isSigningOut = false
    expect([await sessionOf(browser), (await at.keptOf(person)).sessions]).toEqual([null, []])
    expect(at.failures()).toEqual([])
  })
})

describeSites("A sign-in", ({ site, opened, published }) => {
  const strategy = "database"

  it(`${TIMES} concurrent first sign-ins create one user with one account`, async () => {
    const at = await site({ strategy })
    const person = newPerson()
    const waiting = await agreed(at, person, TIMES)
    const seen = await Promise.all(waiting.map((finish) => finish()))
    expect(seen).toEqual(Array(TIMES).fill(person.email))
    const { users, accounts, sessions } = await at.keptOf(person)
    expect([users.length, accounts.length, sessions.length]).toEqual([1, 1, TIMES])
    expect(at.failures()).toEqual([])
  })

  const inTwo = (name: string, check: () => Promise<void>) => published.isUnique && it(name, check)

  inTwo("in two processes at once for the first time makes one user with one account", async () => {
    const { adapter, addUniqueKeys } = opened()
    await addUniqueKeys?.()
    // In two processes, both look up the user, find none, and create one.
    const meet = meetingOf(2)
    const { createUser } = breakable(adapter).adapter
    const meeting = async (user: AdapterUser) => {
      await meet()
      return (await createUser?.(user)) ?? user
    }
    const one = { ...breakable(adapter).adapter, createUser: meeting }
    const apps = [await site({ strategy, adapter: one }), await site({ strategy, adapter: { ...one } })]
    const person = newPerson()
    const waiting = (await Promise.all(apps.map((at) => agreed(at, person, TIMES / 2)))).flat()
    expect(await Promise.all(waiting.map((finish) => finish()))).toEqual(Array(TIMES).fill(person.email))
    const kept = await apps[0]?.keptOf(person)
    expect([kept?.users.length, kept?.accounts.length, kept?.sessions.length]).toEqual([1, 1, TIMES])
  })

  describe.each<Strategy>(["database", "jwt"])("on a store that fails in between, with sessions of kind %s", (kind) => {
    it("leaves no user if the account cannot be linked, and works afterwards", async () => {
      const { adapter, broken } = breakable(opened().adapter)
      const { visit, signInAs, keptOf, failures, logText } = await site({ strategy: kind, adapter })
      const [person, browser] = [newPerson(), visit()]
      broken.add("linkAccount")
      expect(param((await signInAs(person, browser)).location, "error")).toBe("Configuration")
      expect([(await keptOf(person)).users, sessionCookies(browser)]).toEqual([[], []])
      expect(failures()).toMatchObject([{ level: "error", code: "AdapterError" }])
      expect(logText()).toContain("adapter.linkAccount failed")
      broken.clear()
      await signInAs(person, browser)
      const { users, accounts } = await keptOf(person)
      expect([users.length, accounts.length]).toEqual([1, 1])
      expect(await sessionOf(browser)).toMatchObject({ user: { email: person.email } })
    })
  })

  it("creates no session if the store fails, and works afterwards", async () => {
    const { adapter, broken } = breakable(opened().adapter)
    const { visit, signInAs, keptOf } = await site({ strategy, adapter })
    const [person, browser] = [newPerson(), visit()]
    broken.add("createSession")
    expect(param((await signInAs(person, browser)).location, "error")).toBe("Configuration")
    expect(sessionCookies(browser)).toEqual([])
    broken.clear()
    await signInAs(person, browser)
    const { users, accounts, sessions } = await keptOf(person)
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
