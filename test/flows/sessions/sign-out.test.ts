import { configOf, signIn } from "../../express/support/servers.js"
import { describeServers } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { failOnUnhandled } from "../../support/unhandled.js"

failOnUnhandled()

const NAME = "authjs.session-token"
const read = async (browser: Browser, path: string) => (await browser.get(path)).json()

describeServers("signing out", (start) => {
  it("ends the session, emits signOut and redirects to the return URL", async () => {
    const emitted: unknown[] = []
    const { browser: newBrowser, origin } = await start(
      configOf({ events: { signOut: (message) => void emitted.push(message) } }),
    )
    const browser = newBrowser()
    await signIn(browser)
    const page = await browser.post("/auth/signout", { csrfToken: await browser.csrf(), callbackUrl: "/bye" })
    expect([page.status, page.location]).toEqual([302, `${origin}/bye`])
    expect(await read(browser, "/me")).toBeNull()
    expect(emitted).toEqual([{ token: expect.objectContaining({ name: "ada", sub: "7" }) }])
    const kept = browser.cookies().map(({ name }) => name)
    expect(kept).toEqual(expect.arrayContaining(["authjs.csrf-token", "authjs.callback-url"]))
    expect(kept).not.toContain(NAME)
  })

  it("works with the form of the sign-out page", async () => {
    const { browser: newBrowser, origin } = await start(configOf())
    const browser = newBrowser()
    await signIn(browser)
    const html = await (await browser.get("/auth/signout?callbackUrl=%2Fbye")).text()
    const page = await browser.submit(browser.form(html))
    expect([page.location, await read(browser, "/me")]).toEqual([`${origin}/bye`, null])
  })

  it("emits no event without a session", async () => {
    const emitted: unknown[] = []
    const { browser: newBrowser, origin } = await start(
      configOf({ events: { signOut: (message) => void emitted.push(message) } }),
    )
    const browser = newBrowser()
    const page = await browser.post("/auth/signout", { csrfToken: await browser.csrf() })
    expect([page.status, page.location, emitted]).toEqual([302, `${origin}/`, []])
  })

  it("clears an invalid cookie and emits no event", async () => {
    const emitted: unknown[] = []
    const { browser: newBrowser } = await start(
      configOf({ events: { signOut: (message) => void emitted.push(message) } }),
    )
    const browser = newBrowser()
    browser.setCookie(NAME, "garbage")
    const page = await browser.post("/auth/signout", { csrfToken: await browser.csrf() })
    expect([page.status, browser.cookie(NAME), emitted]).toEqual([302, undefined, []])
  })

  it("does not happen for a GET request", async () => {
    const { browser: newBrowser } = await start(configOf())
    const browser = newBrowser()
    await signIn(browser)
    expect((await browser.get("/auth/signout")).status).toBe(200)
    expect(await read(browser, "/me")).not.toBeNull()
  })

  it("responds with JSON if the client sends x-auth-return-redirect", async () => {
    const { browser: newBrowser, origin } = await start(configOf())
    const browser = newBrowser()
    await signIn(browser)
    const headers = { "x-auth-return-redirect": "1" }
    const page = await browser.post(
      "/auth/signout",
      { csrfToken: await browser.csrf(), callbackUrl: "/x" },
      { headers },
    )
    expect([page.status, await page.json(), browser.cookie(NAME)]).toEqual([200, { url: `${origin}/x` }, undefined])
  })
})
