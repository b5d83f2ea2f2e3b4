/**
 * Return URLs, unsupported requests and JSON mode: ADV-03, RED-01, RED-02, RED-10, RED-14, RED-15 and RED-20.
 *
 * @module
 */
import { once } from "node:events"
import { connect } from "node:net"
import { configOf, signIn } from "../../express/support/servers.js"
import { describeServers, recordingLogger } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { failOnUnhandled } from "../../support/unhandled.js"
import { EVIL } from "../support/evil-urls.js"

failOnUnhandled()

const ACTIONS = ["signin", "signout", "callback", "session", "csrf", "providers", "error", "verify-request"]
const CALLBACK = "/auth/callback/credentials"

describeServers("The return URL", (start) => {
  const setting = { origin: "https://app.test" }

  /** Expects the location and the callback URL cookie to be on this site. */
  function expectHome(input: string, location: string, browser: Browser): void {
    expect([input, new URL(location, "https://app.test").origin]).toEqual([input, "https://app.test"])
    const kept = browser.cookie("__Secure-authjs.callback-url")
    if (kept !== undefined)
      expect([input, new URL(decodeURIComponent(kept)).origin]).toEqual([input, "https://app.test"])
  }

  it("RED-01: stays on this site for any callbackUrl in a form", async () => {
    const app = await start(configOf({ rateLimit: false }), setting)
    for (const callbackUrl of EVIL) {
      const browser = app.browser()
      const page = await signIn(browser, "/auth", { callbackUrl })
      expectHome(callbackUrl, page.location, browser)
      const csrfToken = await browser.csrf()
      expectHome(callbackUrl, (await browser.post("/auth/signout", { csrfToken, callbackUrl })).location, browser)
      const started = await browser.post("/auth/signin/credentials", { csrfToken, callbackUrl })
      expectHome(callbackUrl, started.location, browser)
    }
  })

  it("RED-01: stays on this site for any callbackUrl in the query", async () => {
    const app = await start(configOf({ rateLimit: false }), setting)
    for (const callbackUrl of EVIL) {
      const browser = app.browser()
      const query = `?callbackUrl=${encodeURIComponent(callbackUrl)}`
      for (const path of ["/auth/signin", "/auth/signout"]) {
        const page = await browser.get(path + query)
        expect([200, 400]).toContain(page.status)
        const forms = page.status === 200 ? browser.forms(await page.text()) : []
        for (const form of forms) expectHome(callbackUrl, form.fields["callbackUrl"] ?? "/", browser)
      }
      const csrfToken = await browser.csrf()
      const page = await browser.post(`${CALLBACK}${query}`, { csrfToken, username: "ada", password: "right" })
      expectHome(callbackUrl, page.location, browser)
    }
  })

  it("RED-01: stays on this site for any callbackUrl in the cookie", async () => {
    const app = await start(configOf({ rateLimit: false }), setting)
    for (const callbackUrl of EVIL) {
      const browser = app.browser()
      browser.setCookie("__Secure-authjs.callback-url", encodeURIComponent(callbackUrl), { secure: true })
      expectHome(callbackUrl, (await signIn(browser)).location, browser)
      browser.setCookie("__Secure-authjs.callback-url", encodeURIComponent(callbackUrl), { secure: true })
      const page = await browser.post("/auth/signout", { csrfToken: await browser.csrf() })
      expectHome(callbackUrl, page.location, browser)
    }
  })

  it("RED-01: stays on this site with custom pages", async () => {
    const pages = { signIn: "/login", signOut: "/bye", error: "/oops", newUser: "/new", verifyRequest: "/mail" }
    const app = await start(configOf({ rateLimit: false, pages }), setting)
    for (const callbackUrl of EVIL) {
      const browser = app.browser()
      const query = `callbackUrl=${encodeURIComponent(callbackUrl)}`
      const redirect = await browser.get(`/auth/signin?${query}`)
      if (redirect.status === 400) continue
      expect(new URL(redirect.location).pathname).toBe("/login")
      expectHome(callbackUrl, new URL(redirect.location).searchParams.get("callbackUrl") ?? "", browser)
      const refused = await signIn(browser, "/auth", { callbackUrl, password: "wrong" })
      expectHome(callbackUrl, refused.location, browser)
      expectHome(callbackUrl, new URL(refused.location).searchParams.get("callbackUrl") ?? "/", browser)
    }
  })

  it("RED-02: is in the form of the sign-in page only if it is on this site, and escaped", async () => {
    const browser = (await start(configOf(), setting)).browser()
    const html = await (await browser.get("/auth/signin?callbackUrl=https%3A%2F%2Fevil.test%2F")).text()
    expect(html).not.toContain("evil.test")
    const fine = await (await browser.get("/auth/signin?callbackUrl=%2Fx%3Fa%3D1%26b%3D%22")).text()
    expect(fine).not.toContain('b="')
  })

  it("ADV-03: is refused if its origin only begins with this site's origin", async () => {
    const { browser: newBrowser } = await start(configOf(), setting)
    for (const callbackUrl of ["https://app.test.evil.test/", "https://app.testing/", "https://app.test@evil.test/"]) {
      const browser = newBrowser()
      const page = await browser.post("/auth/signout", { csrfToken: await browser.csrf(), callbackUrl })
      expectHome(callbackUrl, page.location, browser)
    }
  })

  it("RED-10: is percent-encoded in the Location header", async () => {
    const browser = (await start(configOf(), setting)).browser()
    const page = await signIn(browser, "/auth", { callbackUrl: "/é?q=日本&x=a b" })
    expect(page.headers.get("location")).toBe("https://app.test/%C3%A9?q=%E6%97%A5%E6%9C%AC&x=a%20b")
    const url = new URL(page.location)
    expect([decodeURIComponent(url.pathname), url.searchParams.get("q")]).toEqual(["/é", "日本"])
  })

  it("is the result of callbacks.redirect, which may be on another site", async () => {
    const calls: unknown[] = []
    const config = configOf({
      callbacks: {
        redirect: (params) => {
          calls.push(params)
          return "https://partner.test/in"
        },
      },
    })
    const page = await signIn((await start(config, setting)).browser(), "/auth", { callbackUrl: "https://x.test/" })
    expect(page.location).toBe("https://partner.test/in")
    expect(calls.at(-1)).toEqual({ url: "https://x.test/", baseUrl: "https://app.test" })
  })

  it.each(["javascript:alert(1)", "data:text/html,x", "http://"])(
    "is refused if callbacks.redirect returns %s",
    async (target) => {
      const app = await start(configOf({ callbacks: { redirect: () => target } }), setting)
      const page = await signIn(app.browser(), "/auth", { callbackUrl: "/x" })
      expect(page.location).toBe("https://app.test/auth/error?error=Configuration")
    },
  )
})

describeServers("Unsupported requests", (start, stage) => {
  it.each([
    ["csrf", "GET, HEAD"],
    ["providers", "GET, HEAD"],
    ["error", "GET, HEAD"],
    ["verify-request", "GET, HEAD"],
    ["session", "GET, HEAD, POST"],
    ["signin", "GET, HEAD, POST"],
    ["signout", "GET, HEAD, POST"],
    ["callback/credentials", "POST"],
  ])("RED-14: an unsupported method on %s gets 405 with Allow: %s", async (action, allow) => {
    const log = recordingLogger()
    const { browser: newBrowser } = await start(configOf({ logger: log.logger }))
    const methods = ["OPTIONS", "PUT", "DELETE", "PATCH", ...(allow.includes("POST") ? [] : ["POST"])]
    for (const method of methods) {
      const page = await newBrowser().request(`/auth/${action}`, { method })
      expect([method, page.status, page.headers.get("allow")]).toEqual([method, 405, allow])
    }
    expect(log.records.filter(({ level }) => level === "error")).toEqual([])
  })

  it("RED-14: HEAD gets the status of GET without a body and sets no cookies", async () => {
    const { browser: newBrowser } = await start(configOf())
    const browser = newBrowser()
    await signIn(browser)
    for (const action of ACTIONS.filter((name) => name !== "callback")) {
      const [head, get] = [
        await browser.request(`/auth/${action}`, { method: "HEAD" }),
        await browser.clone().get(`/auth/${action}`),
      ]
      expect([action, head.status, await head.text(), head.headers.getSetCookie()]).toEqual([
        action,
        get.status,
        "",
        [],
      ])
    }
  })

  if (stage !== "Auth()")
    it("RED-14: TRACE and unknown methods do not cause a server error", async () => {
      const app = await start(configOf())
      for (const [method, status] of [
        ["TRACE", 405],
        ["PROPFIND", 405],
        ["FOO", 400],
      ] as const) {
        const socket = connect(Number(new URL(app.origin).port), "127.0.0.1")
        socket.write(`${method} /auth/csrf HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`)
        const [answer] = await once(socket, "data")
        socket.destroy()
        expect([method, String(answer).slice(0, 12)]).toEqual([method, `HTTP/1.1 ${status}`])
      }
      expect(app.errors).toEqual([])
    })

  it("RED-15: an unknown action or provider gets 404 without names of providers, and logs no error", async () => {
    const log = recordingLogger()
    const { browser: newBrowser } = await start(configOf({ logger: log.logger }))
    const browser = newBrowser()
    const csrfToken = await browser.csrf()
    const pages = [
      ...(await Promise.all(
        ["nope", "", "callback/nope", "callback", "signin/a/b", "constructor", "__proto__", "hasOwnProperty"].map(
          (path) => browser.get((path && `/auth/${path}`) || "/auth"),
        ),
      )),
      await browser.get("/auth/"),
      await browser.post("/auth/signin/nope", { csrfToken }),
      await browser.post("/auth/signin/__proto__", { csrfToken }),
      await browser.post("/auth/callback/nope", { csrfToken }),
      await browser.post("/auth/callback/constructor", { csrfToken }),
    ]
    for (const page of pages) {
      expect([page.url, page.status]).toEqual([page.url, 404])
      expect(await page.text()).not.toContain("credentials")
    }
    expect(log.records.filter(({ level }) => level === "error")).toEqual([])
  })

  it("RED-20: JSON mode has the same targets as redirects, and an unknown provider gets 404", async () => {
    const app = await start(configOf())
    const headers = { "x-auth-return-redirect": "1", accept: "application/json" }
    const browser = app.browser()
    const csrfToken = await browser.csrf()
    const evil = await browser.post("/auth/signout", { csrfToken, callbackUrl: "https://evil.test" }, { headers })
    expect([evil.status, await evil.json()]).toEqual([200, { url: app.origin }])
    for (const path of ["/auth/signout", "/auth/signin/credentials", CALLBACK]) {
      const forged = await browser.post(path, { csrfToken: "x" }, { headers })
      // Clients of Auth.js read the error from `url`, with status 200.
      expect([forged.status, await forged.json()]).toEqual([
        200,
        { url: `${app.origin}/auth/signin?error=MissingCSRF` },
      ])
      expect(forged.headers.get("cache-control")).toContain("no-store")
    }
    const unknown = await browser.post("/auth/callback/nope", { csrfToken }, { headers })
    expect(unknown.status).toBe(404)
  })
})
