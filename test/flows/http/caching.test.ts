/**
 * SES-17 and SES-18: caches must not store responses, and other origins must not read them.
 *
 * @module
 */
import { requireAuth } from "../../../lib/index.js"
import type { AuthConfig } from "../../../lib/types.js"
import { configOf, signIn } from "../../express/support/servers.js"
import { describeServers, type Handler, shapesOn, type TestApp } from "../../support/apps.js"
import type { Browser, Page, Visit } from "../../support/browser.js"
import { guardProcess } from "../support/guard.js"

guardProcess()

const EVIL = "https://evil.test"
const PAGES = ["session", "csrf", "providers", "signin", "signout", "error", "verify-request"]
/** Conditional and range requests, as caches send them. */
const CONDITIONS: Record<string, string>[] = [
  { "if-none-match": "*" },
  { "if-none-match": 'W/"x", "y"' },
  { "if-modified-since": "Sat, 01 Jan 2050 00:00:00 GMT" },
  { range: "bytes=0-0", "if-range": '"x"' },
  { "cache-control": "only-if-cached, max-stale=86400" },
]

const corsHeaders = ({ headers }: Page) =>
  [...headers.keys()].filter((name) => /^(?:access-control|timing-allow|cross-origin-resource)/.test(name))

function expectNotCacheable(what: string, page: Page): void {
  const { headers } = page
  expect([what, headers.get("cache-control")]).toEqual([what, expect.stringMatching(/^private.*no-store/)])
  expect([what, headers.get("etag"), headers.get("last-modified"), headers.get("age")]).toEqual([
    what,
    null,
    null,
    null,
  ])
}

describeServers("Caching and cross-origin access", (start, stage) => {
  const rows = shapesOn(stage)
  const json = { accept: "application/json" }

  it.each(PAGES)(
    "SES-17: a response of /auth/%s is complete and not cacheable, even for conditional requests",
    async (path) => {
      const browser = (await start(configOf())).browser()
      await signIn(browser)
      const plain = await (await browser.get(`/auth/${path}`)).text()
      for (const headers of CONDITIONS) {
        const page = await browser.get(`/auth/${path}`, { headers })
        expect([page.status, (await page.text()).length > 0, plain.length > 0]).toEqual([200, true, true])
        expectNotCacheable(JSON.stringify(headers), page)
        const head = await browser.request(`/auth/${path}`, { method: "HEAD", headers })
        expect([head.status, await head.text(), head.headers.getSetCookie()]).toEqual([200, "", []])
        expectNotCacheable("HEAD", head)
      }
    },
  )

  it.each<[string, number, (browser: Browser, csrfToken: string) => Promise<Page>]>([
    ["an unknown provider's page", 404, (browser) => browser.get("/auth/signin/nope")],
    ["an unknown provider's page as JSON", 404, (browser) => browser.get("/auth/signin/nope", { headers: json })],
    ["an unknown provider", 404, (browser, csrfToken) => browser.post("/auth/signin/nope", { csrfToken })],
    ["an unsupported method", 405, (browser) => browser.request("/auth/session", { method: "DELETE" })],
    ["a preflight", 405, (browser) => browser.request("/auth/signin", { method: "OPTIONS" })],
    ["an invalid callbackUrl", 400, (browser) => browser.get("/auth/signin?callbackUrl=javascript:1")],
    [
      "malformed JSON",
      400,
      (browser) =>
        browser.request("/auth/signout", {
          method: "POST",
          body: "{bad",
          headers: { "content-type": "application/json" },
        }),
    ],
    [
      "an unsupported content type",
      415,
      (browser) =>
        browser.request("/auth/signout", {
          method: "POST",
          body: "x",
          headers: { "content-type": "multipart/form-data; boundary=x" },
        }),
    ],
    [
      "a body that is too large",
      413,
      (browser, csrfToken) => browser.post("/auth/signout", { csrfToken, x: "x".repeat(70_000) }),
    ],
    ["a form without its CSRF token", 302, (browser) => browser.post("/auth/signout", {})],
    ["an update without its CSRF token", 400, (browser) => browser.postJson("/auth/session", {})],
    ["a wrong password", 302, (browser) => signIn(browser, "/auth", { password: "wrong" })],
    [
      "a wrong password in JSON mode",
      200,
      (browser, csrfToken) =>
        browser.post(
          "/auth/callback/credentials",
          { csrfToken, password: "wrong" },
          { headers: { "x-auth-return-redirect": "1" } },
        ),
    ],
    ["a GET of the credentials callback", 405, (browser) => browser.get("/auth/callback/credentials")],
    ["a sign-out", 302, (browser, csrfToken) => browser.post("/auth/signout", { csrfToken })],
  ])("SES-17: the response is not cacheable: %s", async (what, status, send) => {
    const browser = (await start(configOf())).browser()
    await signIn(browser)
    const page = await send(browser, await browser.csrf())
    expect(page.status).toBe(status)
    expectNotCacheable(what, page)
  })

  it.each<[string, Partial<AuthConfig>]>([
    ["jwt", { callbacks: { jwt: ({ token, user }) => (user ? token : Promise.reject(new Error("ours"))) } }],
    ["session", { callbacks: { session: () => Promise.reject(new Error("ours")) } }],
  ])("SES-17: the error response is not cacheable if the %s callback fails", async (_, config) => {
    const browser = (await start(configOf(config))).browser()
    await signIn(browser)
    const page = await browser.get("/auth/session")
    expect(page.status).toBe(500)
    expectNotCacheable("500", page)
  })

  it.each(rows([EVIL, "null", "http://app.test.evil.test", "https://app.test", "file://", "*"]))(
    "SES-18: a response has no CORS headers for the origin %s, for all methods and paths",
    async (origin) => {
      const browser = (await start(configOf())).browser()
      await signIn(browser)
      const csrfToken = await browser.csrf()
      const requests: Visit[] = [
        { headers: { origin, "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" } },
        {
          method: "OPTIONS",
          headers: {
            ...{ origin, "access-control-request-method": "POST", "access-control-request-headers": "content-type" },
            "access-control-request-private-network": "true",
          },
        },
        { method: "HEAD", headers: { origin } },
        {
          method: "POST",
          body: new URLSearchParams({ csrfToken }),
          headers: { origin, "sec-fetch-site": "cross-site" },
        },
      ]
      for (const path of [...PAGES, "signin/credentials", "callback/credentials", "nope"])
        for (const request of requests) {
          const page = await browser.request(`/auth/${path}`, request)
          expect([path, request.method, corsHeaders(page)]).toEqual([path, request.method, []])
          if (request.method === "OPTIONS") expect([404, 405]).toContain(page.status)
        }
      expect(await (await browser.get("/me")).json()).toMatchObject({ user: { name: "ada" } })
    },
  )

  it("SES-18: a response is never JavaScript that another site could load as a script", async () => {
    const browser = (await start(configOf())).browser()
    await signIn(browser)
    for (const path of ["session", "csrf", "providers"]) {
      const page = await browser.get(`/auth/${path}?callback=steal&jsonp=steal`, {
        headers: {
          accept: "*/*",
          "sec-fetch-dest": "script",
          "sec-fetch-mode": "no-cors",
          "sec-fetch-site": "same-site",
        },
      })
      expect([page.headers.get("content-type"), await page.text()]).toEqual([
        "application/json",
        expect.stringMatching(/^\{"/),
      ])
    }
  })

  if (stage === "Auth()") return

  it.each<[string, Record<string, string>, number]>([
    ["a navigation", { accept: "text/html", "sec-fetch-mode": "navigate" }, 302],
    ["a script", { ...json, "sec-fetch-mode": "cors" }, 401],
  ])("SES-17: the response of a guarded route to %s without a session is not cacheable", async (_, headers, status) => {
    const routes = (app: TestApp) => void app.use("/guarded", requireAuth as unknown as Handler)
    const page = await (await start(configOf(), { routes })).browser().get("/guarded", { headers })
    expect(page.status).toBe(status)
    expectNotCacheable("guarded", page)
  })

  it.each<[string, string | undefined, RegExp]>([
    ["no Cache-Control", undefined, /private.*no-store/],
    ["public", "public, max-age=600", /private.*no-store/],
    ["PUBLIC", "PUBLIC", /private.*no-store/],
    ["private", "private, max-age=60", /private.*no-store/],
    ["no-store", "no-store", /private.*no-store/],
  ])(
    "SES-17: the application's response with %s is not cacheable if it sets a session cookie",
    async (_, cacheControl, expected) => {
      let now = Date.parse("2030-01-01T00:00:00Z")
      const setup = (app: TestApp) =>
        void app.use((_req, res, next) => {
          if (cacheControl !== undefined) res.setHeader("Cache-Control", cacheControl)
          next()
        })
      const app = await start(configOf({ clock: () => now }), { setup })
      const browser = app.browser({ now: () => now })
      await signIn(browser)
      const quiet = await browser.get("/me")
      expect([quiet.headers.getSetCookie(), quiet.headers.get("cache-control")]).toEqual([[], cacheControl ?? null])
      now += 2 * 24 * 60 * 60 * 1000
      const page = await browser.get("/me")
      expect([page.headers.getSetCookie().length, page.headers.get("cache-control")]).toEqual([
        1,
        expect.stringMatching(expected),
      ])
    },
  )
})
