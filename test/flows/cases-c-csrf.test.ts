import { type Attempt, configOf, people, signIn } from "../express/support/servers.js"
import { describeServers, recordingLogger } from "../support/apps.js"
import type { Browser, StoredCookie } from "../support/browser.js"
import { failOnUnhandled } from "../support/unhandled.js"

failOnUnhandled()

const NAME = "authjs.session-token"
const CALLBACK = "/auth/callback/credentials"
const read = async (browser: Browser, path = "/auth/session") => (await browser.get(path)).json()

describeServers("CSRF", (start) => {
  const POSTS = ["/auth/signin/credentials", "/auth/signout", CALLBACK, "/auth/session"]

  it("SES-19: a POST without the browser's own token does nothing", async () => {
    const attempts: Attempt[] = []
    const log = recordingLogger()
    const app = await start(configOf({ providers: [people(attempts)], logger: log.logger }))
    const browser = app.browser()
    await signIn(browser)
    const session = browser.cookie(NAME)
    const stranger = await app.browser().csrf()
    log.records.length = 0
    for (const path of POSTS)
      for (const fields of [{}, { csrfToken: "" }, { csrfToken: "wrong" }, { csrfToken: stranger }]) {
        const page = await browser.post(path, { ...fields, username: "mallory", password: "right" })
        if (path === "/auth/session") expect([page.status, await page.json()]).toEqual([400, null])
        else expect([page.status, page.location]).toEqual([302, `${app.origin}/auth/signin?error=MissingCSRF`])
      }
    expect([attempts.length, browser.cookie(NAME)]).toEqual([1, session])
    expect(log.records.filter(({ level }) => level === "error")).toEqual([])
    // Four without a token, and of the twelve with a wrong one those that a minute's log has.
    expect(log.records.filter(({ code }) => code === "MissingCSRF")).toHaveLength(4 + 10)
  })

  it("SES-19: the token in the query or under the session of nobody does not count", async () => {
    const app = await start(configOf())
    const browser = app.browser()
    const csrfToken = await browser.csrf()
    const inQuery = await browser.post(`/auth/signout?csrfToken=${csrfToken}`, {})
    const noCookie = await app.browser().post("/auth/signout", { csrfToken })
    const asList = await browser.postJson("/auth/signout", { csrfToken: [csrfToken] })
    for (const page of [inQuery, noCookie, asList]) expect(page.location).toContain("error=MissingCSRF")
  })

  it("SES-19: a cookie that was made without our secret does not count", async () => {
    const browser = (await start(configOf())).browser()
    const csrfToken = "a".repeat(64)
    for (const hash of ["", "b".repeat(64), csrfToken]) {
      browser.setCookie("authjs.csrf-token", encodeURIComponent(`${csrfToken}|${hash}`))
      expect((await browser.post("/auth/signout", { csrfToken })).location).toContain("error=MissingCSRF")
    }
  })

  it("SES-20: a pair of the attacker's own, planted in the victim's browser, is refused from his site", async () => {
    const app = await start(configOf())
    const [victim, attacker] = [app.browser(), app.browser()]
    await signIn(victim)
    const csrfToken = await attacker.csrf()
    victim.setCookie("authjs.csrf-token", attacker.cookie("authjs.csrf-token") ?? "", { sameSite: "none" })
    const page = await victim.post("/auth/signout", { csrfToken }, { from: "https://evil.test" })
    expect(page.location).toContain("error=MissingCSRF")
    expect(await read(victim)).not.toBeNull()
  })

  it("SES-20: over https the cookie is one that no neighbour can plant", async () => {
    const app = await start(configOf(), { origin: "https://app.test" })
    const browser = app.browser()
    await browser.csrf()
    const [csrf] = browser.cookies().filter(({ name }) => name.includes("csrf")) as [StoredCookie]
    expect(csrf.name).toBe("__Host-authjs.csrf-token")
    const plain = app.browser()
    plain.setCookie("authjs.csrf-token", csrf.value)
    const page = await plain.post("/auth/signout", { csrfToken: decodeURIComponent(csrf.value).split("|")[0] ?? "" })
    expect(page.location).toContain("error=MissingCSRF")
  })

  it.each([
    ["Sec-Fetch-Site", { "sec-fetch-site": "cross-site" }],
    ["Origin, where the browser sends no Sec-Fetch-Site", { "sec-fetch-site": "", origin: "https://evil.test" }],
    ["an Origin of another port", { "sec-fetch-site": "", origin: "http://127.0.0.1:1" }],
    ["an Origin that is no URL", { "sec-fetch-site": "", origin: "evil" }],
    ["both", { "sec-fetch-site": "cross-site", origin: "null" }],
  ])("SES-21: a POST that comes from another site, says %s, is refused whatever it carries", async (_name, headers) => {
    const app = await start(configOf())
    const browser = app.browser()
    await signIn(browser)
    const csrfToken = await browser.csrf()
    for (const path of POSTS) {
      const page = await browser.post(path, { csrfToken }, { headers })
      if (path === "/auth/session") expect(page.status).toBe(400)
      else expect(page.location).toContain("error=MissingCSRF")
    }
    expect(await read(browser)).not.toBeNull()
  })

  it.each([
    ["an Origin of null, as pages with no-referrer send", { "sec-fetch-site": "", origin: "null" }],
    ["neither header, as old browsers send", { "sec-fetch-site": "", origin: "" }],
    ["same-origin", { "sec-fetch-site": "same-origin" }],
    ["an Origin of null beside same-origin", { "sec-fetch-site": "same-origin", origin: "null" }],
  ])("SES-21: a POST with %s and the token is taken", async (_name, headers) => {
    const browser = (await start(configOf())).browser()
    await signIn(browser)
    await browser.post("/auth/signout", { csrfToken: await browser.csrf() }, { headers })
    expect(await read(browser)).toBeNull()
  })

  it("keeps one token for all of a browser's tabs", async () => {
    const browser = (await start(configOf())).browser()
    const first = await browser.csrf()
    expect([await browser.csrf(), (await browser.get("/auth/csrf")).headers.getSetCookie()]).toEqual([first, []])
  })
})
