import { type Attempt, configOf, people, signIn } from "../../express/support/servers.js"
import { describeServers, shapesOn } from "../../support/apps.js"
import type { Browser, Page, Visit } from "../../support/browser.js"
import { recordingLogger } from "../../support/recording-logger.js"
import { guardProcess } from "../support/guard.js"
import { useProvider } from "../support/use-provider.js"
import { CREDENTIALS, expectRefused, POSTS, SESSION, victimOf } from "../support/victim.js"

guardProcess()

const CSRF = "authjs.csrf-token"

describeServers("A POST from another site", (start, stage) => {
  const rows = shapesOn(stage)

  const FROM = "https://evil.test"
  it.each(
    rows<[string, Visit]>([
      ["from the attacker's page", { from: FROM }],
      [
        "from the attacker's page in a browser without Sec-Fetch-Site",
        { from: FROM, headers: { "sec-fetch-site": "" } },
      ],
      [
        "from a script of the attacker's page",
        { from: FROM, headers: { "sec-fetch-mode": "no-cors", "content-type": "text/plain" } },
      ],
      [
        "from an http page of the same host on another port",
        { headers: { "sec-fetch-site": "", origin: "http://app.test:8080" } },
      ],
    ]),
  )("SES-20: is refused with the attacker's CSRF cookie and token, for users and guests: %s", async (_, visit) => {
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
      ["Sec-Fetch-Site: cross-site twice", { "sec-fetch-site": "cross-site, cross-site" }],
      ["Sec-Fetch-Site: cross-site and same-origin", { "sec-fetch-site": "cross-site, same-origin" }],
      ["Sec-Fetch-Site: same-origin and cross-site", { "sec-fetch-site": "same-origin, cross-site" }],
      ["Sec-Fetch-Site in another case", { "sec-fetch-site": "Cross-Site" }],
      ["an empty Sec-Fetch-Site and a foreign Origin", { "sec-fetch-site": " ", origin: FROM }],
      ["an unknown Sec-Fetch-Site and a foreign Origin", { "sec-fetch-site": "elsewhere", origin: FROM }],
      ["an Origin of this host and another", { "sec-fetch-site": "", origin: "http://app.test, https://evil.test" }],
      ["an Origin with this host as the user name", { "sec-fetch-site": "", origin: "http://app.test@evil.test" }],
      ["an Origin that begins with this host", { "sec-fetch-site": "", origin: "http://app.test.evil.test" }],
      ["an Origin that ends with this host", { "sec-fetch-site": "", origin: "http://evilapp.test" }],
      ["an Origin of an extension", { "sec-fetch-site": "", origin: "chrome-extension://abcdefghijklmnop" }],
      ["an Origin of a file", { "sec-fetch-site": "", origin: "file://" }],
      ["an Origin of NULL in upper case", { "sec-fetch-site": "", origin: "NULL" }],
    ]),
  )("SES-21: is refused even with a valid token: %s", async (_, headers) => {
    const app = await start(configOf(), { origin: "http://app.test" })
    const browser = app.browser()
    await signIn(browser)
    const csrfToken = await browser.csrf()
    for (const path of POSTS) expectRefused(path, await browser.post(path, { csrfToken }, { headers }))
    expect(await (await browser.get("/me")).json()).not.toBeNull()
  })

  it("SES-21: is logged with the host that the application considers its own", async () => {
    const { logger, records } = recordingLogger()
    const app = await start({ ...configOf(), logger }, { origin: "http://app.test" })
    const browser = app.browser()
    const csrfToken = await browser.csrf()
    await browser.post("/auth/signout", { csrfToken }, { headers: { "sec-fetch-site": "", origin: FROM } })
    expect(records.at(-1)).toMatchObject({ code: "MissingCSRF" })
    expect(String(records.at(-1)?.error)).toContain("a site other than app.test")
  })

  it.each(
    rows<[string, Record<string, string>]>([
      ["same-site, as from a sibling domain", { "sec-fetch-site": "same-site", origin: "http://www.app.test" }],
      ["none, as after a reload of the form", { "sec-fetch-site": "none", origin: "" }],
      ["an Origin of this host in upper case", { "sec-fetch-site": "", origin: "HTTP://APP.TEST" }],
      ["an Origin of this host with the default port", { "sec-fetch-site": "", origin: "http://app.test:80" }],
      [
        "an Origin of this host over https, as behind a TLS-terminating proxy",
        { "sec-fetch-site": "", origin: "https://app.test" },
      ],
      ["same-origin twice, as some proxies send it", { "sec-fetch-site": "same-origin, same-origin" }],
    ]),
  )("SES-21: a POST from this site is accepted with %s", async (_, headers) => {
    const app = await start(configOf(), { origin: "http://app.test" })
    const browser = app.browser()
    await signIn(browser)
    await browser.post("/auth/signout", { csrfToken: await browser.csrf() }, { headers })
    expect(await (await browser.get("/me")).json()).toBeNull()
  })
})

describeServers("SES-35: a request without a POST body", (start, stage) => {
  const rows = shapesOn(stage)
  const op = useProvider()

  const IMAGE = { "sec-fetch-dest": "image", "sec-fetch-mode": "no-cors", "sec-fetch-site": "cross-site" }
  it.each(
    rows<[string, (browser: Browser, csrfToken: string) => Promise<Page>]>([
      ["an image URL", (browser) => browser.get("/auth/signin/oidc", { headers: IMAGE })],
      ["a link with the token", (browser, csrfToken) => browser.get(`/auth/signin/oidc?csrfToken=${csrfToken}`)],
      [
        "a link with a method override in the query",
        (browser, csrfToken) => browser.get(`/auth/signin/oidc?_method=POST&csrfToken=${csrfToken}`),
      ],
      [
        "a GET with a method override header",
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
        "credentials in the query",
        (browser, csrfToken) => browser.get(`${CREDENTIALS}?username=ada&password=right&csrfToken=${csrfToken}`),
      ],
      [
        "credentials in the query of a HEAD",
        (browser, csrfToken) =>
          browser.request(`${CREDENTIALS}?username=ada&password=right&csrfToken=${csrfToken}`, { method: "HEAD" }),
      ],
      ["a GET of the sign-out URL", (browser, csrfToken) => browser.get(`/auth/signout?csrfToken=${csrfToken}`)],
      ["a GET with session data", (browser, csrfToken) => browser.get(`/auth/session?csrfToken=${csrfToken}&data=x`)],
    ]),
  )("SES-35: starts no flow and changes no session: %s", async (_, send) => {
    const attempts: Attempt[] = []
    const calls: unknown[] = []
    const config = configOf({
      providers: [people(attempts), op.oidc()],
      callbacks: {
        jwt: ({ token, trigger }) => {
          calls.push(trigger)
          return token
        },
      },
      events: { signOut: () => void calls.push("signOut") },
    })
    const app = await start(config)
    const [member, guest] = [app.browser(), app.browser()]
    await signIn(member)
    op.requests.length = 0
    attempts.length = 0
    calls.length = 0
    for (const browser of [member, guest]) {
      const page = await send(browser, await browser.csrf())
      expect([200, 405]).toContain(page.status)
      expect(page.location).toBe("")
      expect(browser.cookies().filter(({ name }) => /state|pkce|nonce/.test(name))).toEqual([])
    }
    expect([op.requests, attempts, calls.filter(Boolean)]).toEqual([[], [], []])
    expect(await (await member.get("/me")).json()).toMatchObject({ user: { name: "ada" } })
    expect(await (await guest.get("/me")).json()).toBeNull()
  })
})
