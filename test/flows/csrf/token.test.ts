import { type Attempt, configOf, people, signIn } from "../../express/support/servers.js"
import { describeServers, recordingLogger } from "../../support/apps.js"
import type { Browser, StoredCookie } from "../../support/browser.js"
import { failOnUnhandled } from "../../support/unhandled.js"

failOnUnhandled()

const NAME = "authjs.session-token"
const CALLBACK = "/auth/callback/credentials"
const read = async (browser: Browser, path = "/auth/session") => (await browser.get(path)).json()

describeServers("CSRF protection", (start) => {
  const POSTS = ["/auth/signin/credentials", "/auth/signout", CALLBACK, "/auth/session"]

  it("SES-19: refuses a POST without the browser's own token", async () => {
    const attempts: Attempt[] = []
    const log = recordingLogger()
    const app = await start(configOf({ providers: [people(attempts)], logger: log.logger }))
    const browser = app.browser()
    await signIn(browser)
    const session = browser.cookie(NAME)
    const otherToken = await app.browser().csrf()
    log.records.length = 0
    for (const path of POSTS)
      for (const fields of [{}, { csrfToken: "" }, { csrfToken: "wrong" }, { csrfToken: otherToken }]) {
        const page = await browser.post(path, { ...fields, username: "mallory", password: "right" })
        if (path === "/auth/session") expect([page.status, await page.json()]).toEqual([400, null])
        else expect([page.status, page.location]).toEqual([302, `${app.origin}/auth/signin?error=MissingCSRF`])
      }
    expect([attempts.length, browser.cookie(NAME)]).toEqual([1, session])
    expect(log.records.filter(({ level }) => level === "error")).toEqual([])
    // Four requests without a token, and ten of the twelve with a wrong one: the log is limited per minute.
    expect(log.records.filter(({ code }) => code === "MissingCSRF")).toHaveLength(4 + 10)
  })

  it("SES-19: refuses a token in the query, without the cookie, or in a list", async () => {
    const app = await start(configOf())
    const browser = app.browser()
    const csrfToken = await browser.csrf()
    const inQuery = await browser.post(`/auth/signout?csrfToken=${csrfToken}`, {})
    const noCookie = await app.browser().post("/auth/signout", { csrfToken })
    const asList = await browser.postJson("/auth/signout", { csrfToken: [csrfToken] })
    for (const page of [inQuery, noCookie, asList]) expect(page.location).toContain("error=MissingCSRF")
  })

  it("SES-19: refuses a cookie whose hash was made without the secret", async () => {
    const browser = (await start(configOf())).browser()
    const csrfToken = "a".repeat(64)
    for (const hash of ["", "b".repeat(64), csrfToken]) {
      browser.setCookie("authjs.csrf-token", encodeURIComponent(`${csrfToken}|${hash}`))
      expect((await browser.post("/auth/signout", { csrfToken })).location).toContain("error=MissingCSRF")
    }
  })

  it("SES-20: uses a __Host- cookie over https, which sibling domains cannot set", async () => {
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
    ["Sec-Fetch-Site: cross-site", { "sec-fetch-site": "cross-site" }],
    ["a foreign Origin without Sec-Fetch-Site", { "sec-fetch-site": "", origin: "https://evil.test" }],
    ["an Origin of another port", { "sec-fetch-site": "", origin: "http://127.0.0.1:1" }],
    ["an Origin that is not a URL", { "sec-fetch-site": "", origin: "evil" }],
    ["Sec-Fetch-Site: cross-site and an Origin of null", { "sec-fetch-site": "cross-site", origin: "null" }],
  ])("SES-21: refuses a POST from another site even with a valid token: %s", async (_name, headers) => {
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
    ["an Origin of null, as pages with Referrer-Policy: no-referrer send it", { "sec-fetch-site": "", origin: "null" }],
    ["neither header, as from old browsers", { "sec-fetch-site": "", origin: "" }],
    ["same-origin", { "sec-fetch-site": "same-origin" }],
    ["an Origin of null and same-origin", { "sec-fetch-site": "same-origin", origin: "null" }],
  ])("SES-21: accepts a POST with the token and %s", async (_name, headers) => {
    const browser = (await start(configOf())).browser()
    await signIn(browser)
    await browser.post("/auth/signout", { csrfToken: await browser.csrf() }, { headers })
    expect(await read(browser)).toBeNull()
  })

  it("keeps the same token for all tabs of a browser", async () => {
    const browser = (await start(configOf())).browser()
    const first = await browser.csrf()
    expect([await browser.csrf(), (await browser.get("/auth/csrf")).headers.getSetCookie()]).toEqual([first, []])
  })
})
