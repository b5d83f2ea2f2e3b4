import { type Attempt, configOf, people, signIn } from "../express/support/servers.js"
import { describeServers, shapesOn } from "../support/apps.js"
import type { Browser, Page, Visit } from "../support/browser.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { recordingLogger } from "../support/recording-logger.js"
import { guardProcess } from "./support/guard.js"
import { CREDENTIALS, expectRefused, POSTS, SESSION, victimOf } from "./support/victim.js"

guardProcess()

const CSRF = "authjs.csrf-token"

describeServers("a POST of another site", (start, stage) => {
  const rows = shapesOn(stage)

  const FROM = "https://evil.test"
  it.each(
    rows<[string, Visit]>([
      ["from the attacker's page", { from: FROM }],
      [
        "from the attacker's page, of a browser without Sec-Fetch-Site",
        { from: FROM, headers: { "sec-fetch-site": "" } },
      ],
      [
        "by a script of the attacker's",
        { from: FROM, headers: { "sec-fetch-mode": "no-cors", "content-type": "text/plain" } },
      ],
      [
        "from an http page of this host's name on another port",
        { headers: { "sec-fetch-site": "", origin: "http://app.test:8080" } },
      ],
    ]),
  )("SES-20: a pair of the attacker's own does nothing %s, for guests either", async (_, visit) => {
    const { app, victim, attempts } = await victimOf(start)
    const [attacker, guest] = [app.browser(), app.browser()]
    const csrfToken = await attacker.csrf()
    for (const browser of [victim, guest])
      for (const path of POSTS) {
        browser.setCookie(CSRF, attacker.cookie(CSRF) ?? "", { sameSite: "none" })
        expectRefused(path, await browser.post(path, { csrfToken, username: "eve", password: "right" }, visit))
      }
    expect([attempts, guest.cookie(SESSION)]).toEqual([[], undefined])
    expect(await (await victim.get("/me")).json()).toMatchObject({ user: { name: "ada" } })
  })

  it.each(
    rows<[string, Record<string, string>]>([
      ["cross-site twice", { "sec-fetch-site": "cross-site, cross-site" }],
      ["cross-site and same-origin", { "sec-fetch-site": "cross-site, same-origin" }],
      ["same-origin and cross-site", { "sec-fetch-site": "same-origin, cross-site" }],
      ["cross-site in capitals", { "sec-fetch-site": "Cross-Site" }],
      ["nothing, which leaves the Origin", { "sec-fetch-site": " ", origin: FROM }],
      ["a word that nobody knows, which leaves the Origin", { "sec-fetch-site": "elsewhere", origin: FROM }],
      ["an Origin of this host and another", { "sec-fetch-site": "", origin: "http://app.test, https://evil.test" }],
      ["an Origin with this host as a user", { "sec-fetch-site": "", origin: "http://app.test@evil.test" }],
      ["an Origin that begins with this host", { "sec-fetch-site": "", origin: "http://app.test.evil.test" }],
      ["an Origin that ends with this host", { "sec-fetch-site": "", origin: "http://evilapp.test" }],
      ["an Origin of an extension", { "sec-fetch-site": "", origin: "chrome-extension://abcdefghijklmnop" }],
      ["an Origin of a file", { "sec-fetch-site": "", origin: "file://" }],
      ["an Origin of null in capitals", { "sec-fetch-site": "", origin: "NULL" }],
    ]),
  )("SES-21: a POST that comes with %s is refused whatever it carries", async (_, headers) => {
    const app = await start(configOf(), { origin: "http://app.test" })
    const browser = app.browser()
    await signIn(browser)
    const csrfToken = await browser.csrf()
    for (const path of POSTS) expectRefused(path, await browser.post(path, { csrfToken }, { headers }))
    expect(await (await browser.get("/me")).json()).not.toBeNull()
  })

  it("SES-21: the log names the host that the application takes for its own", async () => {
    const { logger, records } = recordingLogger()
    const app = await start({ ...configOf(), logger }, { origin: "http://app.test" })
    const browser = app.browser()
    const csrfToken = await browser.csrf()
    await browser.post("/auth/signout", { csrfToken }, { headers: { "sec-fetch-site": "", origin: FROM } })
    expect(records.at(-1)).toMatchObject({ code: "MissingCSRF" })
    expect(String(records.at(-1)?.error)).toContain("another site than app.test")
  })

  it.each(
    rows<[string, Record<string, string>]>([
      ["same-site, as from a host beside this one", { "sec-fetch-site": "same-site", origin: "http://www.app.test" }],
      ["none, as a form that was reloaded", { "sec-fetch-site": "none", origin: "" }],
      ["this host in capitals", { "sec-fetch-site": "", origin: "HTTP://APP.TEST" }],
      ["this host with the port that goes without saying", { "sec-fetch-site": "", origin: "http://app.test:80" }],
      ["this host over https, as a proxy that ends TLS sees it", { "sec-fetch-site": "", origin: "https://app.test" }],
      ["same-origin twice, as a proxy may make of it", { "sec-fetch-site": "same-origin, same-origin" }],
    ]),
  )("SES-21: a POST of this site's own is taken with %s", async (_, headers) => {
    const app = await start(configOf(), { origin: "http://app.test" })
    const browser = app.browser()
    await signIn(browser)
    await browser.post("/auth/signout", { csrfToken: await browser.csrf() }, { headers })
    expect(await (await browser.get("/me")).json()).toBeNull()
  })
})

describeServers("SES-35: an address alone", (start, stage) => {
  const rows = shapesOn(stage)
  let op: FaultyProvider
  beforeAll(async () => {
    op = await startFaultyProvider()
  })
  afterAll(() => op.close())

  const IMAGE = { "sec-fetch-dest": "image", "sec-fetch-mode": "no-cors", "sec-fetch-site": "cross-site" }
  it.each(
    rows<[string, (browser: Browser, csrfToken: string) => Promise<Page>]>([
      ["an image", (browser) => browser.get("/auth/signin/oidc", { headers: IMAGE })],
      ["a link with the token", (browser, csrfToken) => browser.get(`/auth/signin/oidc?csrfToken=${csrfToken}`)],
      [
        "a link with another verb",
        (browser, csrfToken) => browser.get(`/auth/signin/oidc?_method=POST&csrfToken=${csrfToken}`),
      ],
      [
        "a GET with a header of another verb",
        (browser, csrfToken) =>
          browser.get(`/auth/signin/oidc?csrfToken=${csrfToken}`, {
            headers: { "x-http-method-override": "POST", "x-method-override": "POST" },
          }),
      ],
      [
        "a HEAD",
        (browser, csrfToken) => browser.request(`/auth/signin/oidc?csrfToken=${csrfToken}`, { method: "HEAD" }),
      ],
      [
        "a prefetch",
        (browser) => browser.get("/auth/signin/oidc", { headers: { "sec-purpose": "prefetch;prerender" } }),
      ],
      [
        "a PUT",
        (browser, csrfToken) =>
          browser.request("/auth/signin/oidc", { method: "PUT", body: new URLSearchParams({ csrfToken }) }),
      ],
      [
        "a name and a password",
        (browser, csrfToken) => browser.get(`${CREDENTIALS}?username=ada&password=right&csrfToken=${csrfToken}`),
      ],
      [
        "a name and a password in a HEAD",
        (browser, csrfToken) =>
          browser.request(`${CREDENTIALS}?username=ada&password=right&csrfToken=${csrfToken}`, { method: "HEAD" }),
      ],
      ["a sign-out", (browser, csrfToken) => browser.get(`/auth/signout?csrfToken=${csrfToken}`)],
      ["an update of the session", (browser, csrfToken) => browser.get(`/auth/session?csrfToken=${csrfToken}&data=x`)],
    ]),
  )("SES-35: begins, ends and changes nothing by %s", async (_, ask) => {
    const attempts: Attempt[] = []
    const told: unknown[] = []
    const config = configOf({
      providers: [people(attempts), op.oidc()],
      callbacks: {
        jwt: ({ token, trigger }) => {
          told.push(trigger)
          return token
        },
      },
      events: { signOut: () => void told.push("signOut") },
    })
    const app = await start(config)
    const [member, guest] = [app.browser(), app.browser()]
    await signIn(member)
    op.requests.length = 0
    attempts.length = 0
    told.length = 0
    for (const browser of [member, guest]) {
      const page = await ask(browser, await browser.csrf())
      expect([200, 405]).toContain(page.status)
      expect(page.location).toBe("")
      expect(browser.cookies().filter(({ name }) => /state|pkce|nonce/.test(name))).toEqual([])
    }
    expect([op.requests, attempts, told.filter(Boolean)]).toEqual([[], [], []])
    expect(await (await member.get("/me")).json()).toMatchObject({ user: { name: "ada" } })
    expect(await (await guest.get("/me")).json()).toBeNull()
  })
})
