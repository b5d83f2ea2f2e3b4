import { describeServers, recordingLogger, TEST_SECRET } from "../../support/apps.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, mailbox } from "../support/mail.js"
import { memoryStore } from "../support/memory-adapter.js"
import { sessionCookies, sessionOf } from "../support/site.js"

guardProcess()

describeServers("Sign-in by email", (start) => {
  async function startSite() {
    const mail = mailbox()
    const store = memoryStore()
    const { logger } = recordingLogger()
    const config = { secret: TEST_SECRET, logger, providers: [mail.provider], adapter: store.adapter }
    const app = await start(config)
    return { mail, store, origin: app.origin, browser: app.browser(), newBrowser: app.browser }
  }

  it("signs in the requesting browser when it opens the link", async () => {
    const { mail, store, origin, browser } = await startSite()
    const page = await askForLink(browser, " Ada@Example.com ", { callbackUrl: "/private" })
    expect(page.location).toBe(`${origin}/auth/verify-request?provider=mail&type=email`)
    expect((await browser.get(page.location)).status).toBe(200)
    expect(store.links).toEqual([
      { identifier: "ada@example.com", token: expect.stringMatching(/^[0-9a-f]{64}$/), expires: expect.any(Date) },
    ])
    const landed = await browser.get(mail.linkTo("ada@example.com"))
    expect([landed.status, landed.location]).toEqual([302, `${origin}/private`])
    expect(await sessionOf(browser)).toMatchObject({ user: { email: "ada@example.com" } })
    expect([...store.users.values()]).toMatchObject([{ email: "ada@example.com", emailVerified: expect.any(Date) }])
    expect(store.links).toEqual([])
  })

  it("asks for confirmation in another browser", async () => {
    const { mail, browser, newBrowser } = await startSite()
    await askForLink(browser, "ada@example.com")
    const other = newBrowser()
    const page = await other.get(mail.linkTo("ada@example.com"))
    expect([page.status, sessionCookies(other)]).toEqual([200, []])
    const html = await page.text()
    expect(html).toContain("ada@example.com")
    const landed = await other.submit(other.form(html))
    expect(landed.status).toBe(302)
    expect(await sessionOf(other)).toMatchObject({ user: { email: "ada@example.com" } })
  })
})
