import Credentials from "../../../lib/providers/credentials.js"
import { guardProcess } from "../../flows/support/guard.js"
import { param, sessionCookies, sessionOf } from "../../flows/support/site.js"
import type { Browser, Page } from "../../support/browser.js"
import { describeSites, newPerson, type Strategy } from "./support/site.js"

guardProcess()

async function signInWith(browser: Browser, fields: Record<string, string>): Promise<Page> {
  return browser.post("/auth/callback/credentials", { ...fields, csrfToken: await browser.csrf() })
}

describeSites("Credentials", ({ site, opened }) => {
  /** Accepts the users of the store by their address, and one user of another system. */
  const provider = () =>
    Credentials({
      credentials: { email: {} },
      async authorize({ email }) {
        if (email === "elsewhere") return { id: "somebody of another system", name: "Elsewhere" }
        return (await opened().adapter.getUserByEmail?.(String(email))) ?? null
      },
    })

  describe.each<Strategy>(["database", "jwt"])("with sessions of kind %s", (strategy) => {
    it("sign in a user of the store", async () => {
      const { visit, signInAs, readRows, failures } = await site({ strategy, providers: [provider()] })
      const [person, browser] = [newPerson(), visit()]
      await signInAs(person, visit())
      expect(param((await signInWith(browser, { email: person.email })).location, "error")).toBe("")
      expect(await sessionOf(browser)).toMatchObject({ user: { name: person.name, email: person.email } })
      const { users, accounts, sessions } = await readRows(person)
      expect([users.length, accounts.length, sessions.length]).toEqual([1, 1, strategy === "database" ? 2 : 0])
      // The signed-in user can link a provider.
      expect(param((await signInAs(person, browser, "second")).location, "error")).toBe("")
      expect((await readRows(person)).accounts).toHaveLength(2)
      expect(failures()).toEqual([])
    })

    it("reject a user whom authorize does not know", async () => {
      const { visit } = await site({ strategy, providers: [provider()] })
      const browser = visit()
      const page = await signInWith(browser, { email: newPerson().email })
      expect([param(page.location, "error"), sessionCookies(browser)]).toEqual(["CredentialsSignin", []])
    })
  })

  it("with an id that the store cannot read do not prevent a provider sign-in", async () => {
    const { visit, signInAs, readRows } = await site({ strategy: "jwt", providers: [provider()] })
    const [person, browser] = [newPerson(), visit()]
    await signInWith(browser, { email: "elsewhere" })
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "Elsewhere" } })
    expect(param((await signInAs(person, browser)).location, "error")).toBe("")
    expect(await sessionOf(browser)).toMatchObject({ user: { email: person.email } })
    expect((await readRows(person)).accounts).toHaveLength(1)
  })
})
