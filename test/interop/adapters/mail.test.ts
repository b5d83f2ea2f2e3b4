import { guardProcess } from "../../flows/support/guard.js"
import { askForLink } from "../../flows/support/mail.js"
import { param, sessionCookies, sessionOf } from "../../flows/support/site.js"
import { sharesKeys } from "./support/published.js"
import { describeSites, newPerson, type Strategy } from "./support/site.js"

guardProcess()

const WINDOWS = 8

describeSites("An email link", ({ site, published }) => {
  describe.each<Strategy>(["database", "jwt"])("with sessions of kind %s", (strategy) => {
    const isStored = strategy === "database"

    it("creates a new user, and finds the user the second time", async () => {
      const { mail, visit, readRows, failures } = await site({ strategy })
      const person = newPerson()
      for (const times of [1, 2]) {
        const browser = visit()
        await askForLink(browser, person.email)
        const page = await browser.get(mail.linkTo(person.email))
        expect(param(page.location, "error")).toBe("")
        const { users, accounts, sessions, links } = await readRows(person)
        expect([users.length, accounts.length, sessions.length, links.length]).toEqual([1, 0, isStored ? times : 0, 0])
        expect(users[0]?.["emailVerified"]).toBeTruthy()
        expect(await sessionOf(browser)).toMatchObject({ user: { email: person.email } })
      }
      expect(failures()).toEqual([])
    })

    it("signs in a user of a provider and verifies the address", async () => {
      const { mail, visit, signInAs, readRows } = await site({ strategy })
      const [person, browser] = [newPerson(), visit()]
      await signInAs(person, visit())
      expect((await readRows(person)).users[0]?.["emailVerified"] ?? null).toBeNull()
      await askForLink(browser, person.email)
      await browser.get(mail.linkTo(person.email))
      const { users, accounts } = await readRows(person)
      expect([users.length, accounts.length]).toEqual([1, 1])
      expect(users[0]?.["emailVerified"]).toBeTruthy()
      expect(await sessionOf(browser)).toMatchObject({ user: { name: person.name } })
    })

    it("signs in a user who can then link a provider", async () => {
      const { mail, visit, signInAs, readRows, failures } = await site({ strategy })
      const [person, browser] = [newPerson(), visit()]
      await askForLink(browser, person.email)
      await browser.get(mail.linkTo(person.email))
      expect(param((await signInAs(person, browser)).location, "error")).toBe("")
      const { users, accounts } = await readRows(person)
      expect([users.length, accounts.length]).toEqual([1, 1])
      expect(failures()).toEqual([])
    })
  })

  const strategy = "database"

  it("is stored as a hash and works once", async () => {
    const { mail, visit, readRows } = await site({ strategy })
    const [{ email, ...person }, browser] = [newPerson(), visit()]
    await askForLink(browser, email)
    const link = mail.linkTo(email)
    const { links } = await readRows({ ...person, email })
    expect(links).toMatchObject([{ identifier: email, token: expect.stringMatching(/^[0-9a-f]{64}$/) }])
    expect(JSON.stringify(links)).not.toContain(param(link, "token"))
    const secondBrowser = browser.clone()
    await browser.get(link)
    expect([param((await secondBrowser.get(link)).location, "error"), sessionCookies(secondBrowser)]).toEqual([
      "Verification",
      [],
    ])
  })

  it("is rejected and deleted after its expiry", async () => {
    const app = await site({ strategy })
    const [person, browser] = [newPerson(), app.visit()]
    await askForLink(browser, person.email)
    const link = app.mail.linkTo(person.email)
    app.ahead = 24 * 60 * 60 * 1000 + 60_000
    const confirmation = await browser.get(link)
    const page =
      confirmation.status === 200 ? await browser.submit(browser.form(await confirmation.text())) : confirmation
    expect([param(page.location, "error"), sessionCookies(browser)]).toEqual(["Verification", []])
    const { users, links } = await app.readRows(person)
    expect([users, links]).toEqual([[], []])
  })

  it("is rejected with another token for any address", async () => {
    const { mail, visit, readRows } = await site({ strategy })
    const [person, browser] = [newPerson(), visit()]
    // Some stores could parse these texts as part of a key.
    const email = `${person.sub}?a/b*c@example.com`
    await askForLink(browser, email)
    const link = new URL(mail.linkTo(email))
    link.searchParams.set("token", "0".repeat(64))
    const confirmation = await browser.get(link.href)
    const page = await browser.submit(browser.form(await confirmation.text()))
    expect([param(page.location, "error"), sessionCookies(browser)]).toEqual(["Verification", []])
    await browser.get(mail.linkTo(email))
    expect(await sessionOf(browser)).toMatchObject({ user: { email } })
    expect((await readRows({ ...person, email })).users).toHaveLength(1)
  })

  it("SEC-18: signs in no other user if the store treats two addresses as equal", async () => {
    const { mail, visit, readRows, failures } = await site({ strategy })
    const [person, first, second] = [newPerson(), visit(), visit()]
    const [ada, bob] = [`${person.sub}?ada@example.com`, `${person.sub}?bob@example.com`]
    await askForLink(first, ada)
    await first.get(mail.linkTo(ada))
    await askForLink(second, bob)
    await second.get(mail.linkTo(bob))
    expect(await sessionOf(second)).toMatchObject({ user: { email: bob } })
    expect(await sessionOf(first)).toMatchObject({ user: { email: ada } })
    expect((await readRows({ ...person, email: ada })).sessions).toHaveLength(1)
    expect(failures().map(({ code }) => code)).toEqual(sharesKeys(published) ? ["look-alike-address"] : [])
  })

  it(`opened in ${WINDOWS} windows at once signs in ${published.isAtomic ? "exactly one" : "at least one"} of them`, async () => {
    const { mail, visit, readRows } = await site({ strategy })
    const [person, browser] = [newPerson(), visit()]
    await askForLink(browser, person.email)
    const windows = Array.from({ length: WINDOWS }, () => browser.clone())
    await Promise.all(windows.map((window) => window.get(mail.linkTo(person.email))))
    const signedIn = windows.filter((window) => sessionCookies(window).length > 0).length
    const { users, sessions, links } = await readRows(person)
    expect([users.length, sessions.length, links.length]).toEqual([1, signedIn, 0])
    if (published.isAtomic) expect(signedIn).toBe(1)
    else expect(signedIn).toBeGreaterThan(0)
  })
})
