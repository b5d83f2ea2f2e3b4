/** Users without a permanent id can't confirm a session, because a later authentication can't be compared with it. */
import { encode } from "../../../lib/jwt.js"
import Credentials from "../../../lib/providers/credentials.js"
import { describeServers, recordingLogger, TEST_SECRET } from "../../support/apps.js"
import { guardProcess } from "../support/guard.js"
import { param, sessionOf } from "../support/site.js"

guardProcess()

const NAME = "authjs.session-token"
const PAGE = "/auth/reauthenticate?callbackUrl=/there&max_age=600"
const byName = Credentials({ credentials: { name: {} }, authorize: ({ name }) => ({ name: String(name) }) })

describeServers("A session without a comparable owner", (start) => {
  async function startSite() {
    const time = { now: Date.now() }
    const { logger } = recordingLogger()
    const app = await start({ secret: TEST_SECRET, providers: [byName], logger, clock: () => time.now })
    return { app, time, browser: app.browser({ now: () => time.now }) }
  }

  it("is replaced by a sign-in if authorize returns no id", async () => {
    const { app, time, browser } = await startSite()
    const csrfToken = await browser.csrf()
    await browser.post("/auth/callback/credentials", { csrfToken, name: "Ada" })
    time.now += 20 * 60_000
    const before = browser.cookie(NAME)
    const form = browser.form(await (await browser.get(PAGE)).text(), "/auth/callback/credentials")
    const { location } = await browser.submit(form, { name: "Ada" })
    expect([new URL(location).pathname, param(location, "callbackUrl")]).toEqual([
      "/auth/signin",
      `${app.origin}/there`,
    ])
    expect(browser.cookie(NAME)).toBe(before)
    const html = await (await browser.get(location)).text()
    const signedIn = await browser.submit(browser.form(html, "/auth/callback/credentials"), { name: "Ada" })
    expect(signedIn.location).toBe(`${app.origin}/there`)
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "Ada" } })
    expect(browser.cookie(NAME)).not.toBe(before)
  })

  it("of Auth.js without an adapter leads to the sign-in page instead of a confirmation", async () => {
    const { app, browser } = await startSite()
    browser.setCookie(NAME, await encode({ token: { sub: "7", name: "Ada" }, secret: TEST_SECRET, salt: NAME }))
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "Ada" } })
    const { location } = await browser.get(PAGE)
    expect([new URL(location).pathname, param(location, "callbackUrl")]).toEqual([
      "/auth/signin",
      `${app.origin}/there`,
    ])
    const csrfToken = await browser.csrf()
    const fields = { csrfToken, name: "Ada", reauthenticate: "true", callbackUrl: "/there" }
    const posted = await browser.post("/auth/callback/credentials", fields)
    expect(new URL(posted.location).pathname).toBe("/auth/signin")
  })
})
