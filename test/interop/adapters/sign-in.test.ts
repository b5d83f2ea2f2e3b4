import { guardProcess } from "../../flows/support/guard.js"
import { param, sessionCookies, sessionOf } from "../../flows/support/site.js"
import { sharesKeys } from "./support/published.js"
import { describeSites, newPerson, type Strategy } from "./support/site.js"

guardProcess()

const DAY = 24 * 60 * 60 * 1000
const MAX_AGE = 30 * DAY

/** Stores keep dates as a date, text or milliseconds. */
const toTime = (value: unknown): number =>
  new Date(value instanceof Date ? value : (value as string | number)).getTime()

describeSites("A sign-in", ({ site, published }) => {
  describe.each<Strategy>(["database", "jwt"])("with sessions of kind %s", (strategy) => {
    const isStored = strategy === "database"

    it("stores the user, the account and the tokens the first time", async () => {
      const { op, visit, signInAs, readRows, failures } = await site({ strategy })
      const person = newPerson()
      expect(param((await signInAs(person, visit())).location, "error")).toBe("")
      const { users, accounts, sessions } = await readRows(person)
      expect(users).toMatchObject([{ name: person.name, email: person.email }])
      expect(accounts).toMatchObject([
        { provider: "first", providerAccountId: person.sub, type: "oidc", token_type: "bearer" },
      ])
      const { access_token, refresh_token, id_token, scope, expires_at } = accounts[0] ?? {}
      for (const token of [access_token, refresh_token, id_token]) expect(op.secrets).toContain(token)
      expect(scope).toContain("openid")
      const lifetime = Number(expires_at) - Date.now() / 1000
      expect([lifetime > 3500, lifetime < 3601]).toEqual([true, true])
      expect(sessions).toHaveLength(isStored ? 1 : 0)
      expect(failures()).toEqual([])
    })

    it("finds the same user the second time", async () => {
      const { visit, signInAs, readRows, failures } = await site({ strategy })
      const person = newPerson()
      await signInAs(person, visit())
      const browser = visit()
      await signInAs(person, browser)
      const { users, accounts, sessions } = await readRows(person)
      expect([users.length, accounts.length, sessions.length]).toEqual([1, 1, isStored ? 2 : 0])
      const expected = { user: { name: person.name, email: person.email }, expires: expect.stringMatching(/^20.*Z$/) }
      expect(await sessionOf(browser)).toMatchObject(expected)
      expect(failures()).toEqual([])
    })

    it("creates a session that is read, and extended when due", async () => {
      const app = await site({ strategy })
      const [person, browser] = [newPerson(), app.visit()]
      await app.signInAs(person, browser)
      const before = (await app.readRows(person)).sessions
      await sessionOf(browser)
      expect((await app.readRows(person)).sessions).toEqual(before)
      app.ahead = 2 * DAY
      expect(await sessionOf(browser)).toMatchObject({ user: { email: person.email } })
      const after = (await app.readRows(person)).sessions
      const ends = [...after.map(({ expires }) => toTime(expires)), sessionCookies(browser)[0]?.expiresAt ?? 0]
      expect(ends).toHaveLength(isStored ? 2 : 1)
      for (const end of ends) expect(Math.abs(end - (Date.now() + app.ahead + MAX_AGE))).toBeLessThan(5_000)
      expect(app.failures()).toEqual([])
    })

    it("is ended by a sign-out, which deletes the session", async () => {
      const { visit, signInAs, readRows, failures } = await site({ strategy })
      const [person, browser, other] = [newPerson(), visit(), visit()]
      await signInAs(person, other)
      await signInAs(person, browser)
      const page = await browser.post("/auth/signout", { csrfToken: await browser.csrf() })
      expect([page.status, param(page.location, "error")]).toEqual([302, ""])
      expect([sessionCookies(browser), await sessionOf(browser)]).toEqual([[], null])
      expect((await readRows(person)).sessions).toHaveLength(isStored ? 1 : 0)
      expect(await sessionOf(other)).toMatchObject({ user: { email: person.email } })
      expect(failures()).toEqual([])
    })

    it("links a second provider to the current user", async () => {
      const { visit, signInAs, readRows, failures } = await site({ strategy })
      const [person, browser] = [newPerson(), visit()]
      // The second provider has another address of the user.
      const workProfile = { ...person, email: `work.${person.email}` }
      await signInAs(person, browser)
      expect(param((await signInAs(workProfile, browser, "second")).location, "error")).toBe("")
      const { users, accounts, sessions } = await readRows(person)
      expect([users.length, accounts.map(({ provider }) => provider).sort()]).toEqual([1, ["first", "second"]])
      expect(sessions).toHaveLength(isStored ? 1 : 0)
      const another = visit()
      await signInAs(workProfile, another, "second")
      expect(await sessionOf(another)).toMatchObject({ user: { email: person.email } })
      expect(failures()).toEqual([])
    })
  })

  const strategy = "database"

  it("is refused for another provider's account with the same address", async () => {
    const { visit, signInAs, readRows } = await site({ strategy })
    const [person, stranger] = [newPerson(), visit()]
    await signInAs(person, visit())
    expect(param((await signInAs(person, stranger, "second")).location, "error")).toBe("OAuthAccountNotLinked")
    const { users, accounts } = await readRows(person)
    expect([users.length, accounts.length, sessionCookies(stranger)]).toEqual([1, 1, []])
  })

  it("SEC-18: links no account to another user if the store treats two addresses as equal", async () => {
    const { visit, signInAs, readRows, failures } = await site({ strategy })
    const [ada, bob, browser] = [newPerson(), newPerson(), visit()]
    const [first, second] = [`${ada.sub}?ada@example.com`, `${ada.sub}?bob@example.com`]
    await signInAs({ ...ada, email: first }, visit())
    const { location } = await signInAs({ ...bob, email: second }, browser)
    expect(param(location, "error")).toBe("")
    expect((await sessionOf(browser))?.user?.["email"]).toBe(second)
    expect((await readRows({ ...ada, email: first })).accounts).toHaveLength(1)
    expect(failures().map(({ code }) => code)).toEqual(sharesKeys(published) ? ["look-alike-address"] : [])
  })

  it("is refused for another user's account while signed in", async () => {
    const { visit, signInAs, readRows } = await site({ strategy })
    const [ada, bob, browser] = [newPerson(), newPerson(), visit()]
    await signInAs(ada, visit(), "second")
    await signInAs(bob, browser)
    expect(param((await signInAs(ada, browser, "second")).location, "error")).toBe("OAuthAccountNotLinked")
    expect([(await readRows(ada)).accounts.length, (await readRows(bob)).accounts.length]).toEqual([1, 1])
  })

  it("creates a session that expires", async () => {
    const app = await site({ strategy })
    const [person, browser] = [newPerson(), app.visit()]
    await app.signInAs(person, browser)
    const [cookie] = sessionCookies(browser)
    app.ahead = MAX_AGE + 60_000
    browser.setCookie(cookie?.name ?? "", cookie?.value ?? "")
    expect([await sessionOf(browser), (await app.readRows(person)).sessions]).toEqual([null, []])
  })

  it("creates a cookie that is ignored after its session was deleted", async () => {
    const { visit, signInAs, readRows, failures } = await site({ strategy })
    const [person, browser] = [newPerson(), visit()]
    await signInAs(person, browser)
    const [reader, later] = [browser.clone(), browser.clone()]
    await browser.post("/auth/signout", { csrfToken: await browser.csrf() })
    expect(await sessionOf(reader)).toBeNull()
    expect(param((await later.post("/auth/signout", { csrfToken: await later.csrf() })).location, "error")).toBe("")
    later.setCookie("authjs.session-token", "a token of a row that is gone")
    await signInAs(person, later)
    expect((await readRows(person)).sessions).toHaveLength(1)
    expect(failures()).toEqual([])
  })
})
