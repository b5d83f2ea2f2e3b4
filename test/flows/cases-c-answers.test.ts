/**
 * SES-17 and SES-18 in other shapes: what caches may keep of an answer, and what other origins may read of it.
 *
 * @module
 */
import { requireAuth } from "../../lib/index.js"
import type { AuthConfig } from "../../lib/types.js"
import { configOf, signIn } from "../express/support/servers.js"
import { describeServers, type Handler, shapesOn, type TestApp } from "../support/apps.js"
import type { Browser, Page, Visit } from "../support/browser.js"
import { guardProcess } from "./support/guard.js"

guardProcess()

const EVIL = "https://evil.test"
const PAGES = ["session", "csrf", "providers", "signin", "signout", "error", "verify-request"]
/** Asks as caches do, to be told that nothing has changed, or for a part. */
const CONDITIONS: Record<string, string>[] = [
  { "if-none-match": "*" },
  { "if-none-match": 'W/"x", "y"' },
  { "if-modified-since": "Sat, 01 Jan 2050 00:00:00 GMT" },
  { range: "bytes=0-0", "if-range": '"x"' },
  { "cache-control": "only-if-cached, max-stale=86400" },
]

const access = ({ headers }: Page) =>
  [...headers.keys()].filter((name) => /^(?:access-control|timing-allow|cross-origin-resource)/.test(name))

function expectKeptByNoCache(what: string, page: Page): void {
  const { headers } = page
  expect([what, headers.get("cache-control")]).toEqual([what, expect.stringMatching(/^private.*no-store/)])
  expect([what, headers.get("etag"), headers.get("last-modified"), headers.get("age")]).toEqual([
    what,
    null,
    null,
    null,
  ])
}

describeServers("an answer", (start, stage) => {
  const rows = shapesOn(stage)
  const json = { accept: "application/json" }

  it.each(PAGES)(
    "SES-17: of /auth/%s is whole each time, and kept by no cache, whatever a cache asks",
    async (path) => {
      const browser = (await start(configOf())).browser()
      await signIn(browser)
      const plain = await (await browser.get(`/auth/${path}`)).text()
      for (const headers of CONDITIONS) {
        const page = await browser.get(`/auth/${path}`, { headers })
        expect([page.status, (await page.text()).length > 0, plain.length > 0]).toEqual([200, true, true])
        expectKeptByNoCache(JSON.stringify(headers), page)
        const head = await browser.request(`/auth/${path}`, { method: "HEAD", headers })
        expect([head.status, await head.text(), head.headers.getSetCookie()]).toEqual([200, "", []])
        expectKeptByNoCache("HEAD", head)
      }
    },
  )

  it.each<[string, number, (browser: Browser, csrfToken: string) => Promise<Page>]>([
    ["an unknown provider's page", 404, (browser) => browser.get("/auth/signin/nope")],
    ["an unknown provider's page, to a script", 404, (browser) => browser.get("/auth/signin/nope", { headers: json })],
    ["an unknown provider", 404, (browser, csrfToken) => browser.post("/auth/signin/nope", { csrfToken })],
    ["a verb that is none", 405, (browser) => browser.request("/auth/session", { method: "DELETE" })],
    ["a preflight", 405, (browser) => browser.request("/auth/signin", { method: "OPTIONS" })],
    ["a callbackUrl that is none", 400, (browser) => browser.get("/auth/signin?callbackUrl=javascript:1")],
    [
      "a body that is no JSON",
      400,
      (browser) =>
        browser.request("/auth/signout", {
          method: "POST",
          body: "{bad",
          headers: { "content-type": "application/json" },
        }),
    ],
    [
      "a body of another kind",
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
    ["a form without its token", 302, (browser) => browser.post("/auth/signout", {})],
    ["an update without its token", 400, (browser) => browser.postJson("/auth/session", {})],
    ["a wrong password", 302, (browser) => signIn(browser, "/auth", { password: "wrong" })],
    [
      "a wrong password, told to a script",
      200,
      (browser, csrfToken) =>
        browser.post(
          "/auth/callback/credentials",
          { csrfToken, password: "wrong" },
          { headers: { "x-auth-return-redirect": "1" } },
        ),
    ],
    ["a callback of nobody", 302, (browser) => browser.get("/auth/callback/credentials")],
    ["a sign-out", 302, (browser, csrfToken) => browser.post("/auth/signout", { csrfToken })],
  ])("SES-17: to %s is kept by no cache", async (what, status, ask) => {
    const browser = (await start(configOf())).browser()
    await signIn(browser)
    const page = await ask(browser, await browser.csrf())
    expect([page.status, status === 302 ? [302, 405] : [status]]).toEqual([
      page.status,
      expect.arrayContaining([page.status]),
    ])
    expectKeptByNoCache(what, page)
  })

  it.each<[string, Partial<AuthConfig>]>([
    ["jwt", { callbacks: { jwt: ({ token, user }) => (user ? token : Promise.reject(new Error("ours"))) } }],
    ["session", { callbacks: { session: () => Promise.reject(new Error("ours")) } }],
  ])("SES-17: to a session whose %s callback fails is kept by no cache", async (_, config) => {
    const browser = (await start(configOf(config))).browser()
    await signIn(browser)
    const page = await browser.get("/auth/session")
    expect(page.status).toBe(500)
    expectKeptByNoCache("500", page)
  })

  it.each(rows([EVIL, "null", "http://app.test.evil.test", "https://app.test", "file://", "*"]))(
    "SES-18: gives the origin %s no leave to read it, by any verb and any path",
    async (origin) => {
      const browser = (await start(configOf())).browser()
      await signIn(browser)
      const csrfToken = await browser.csrf()
      const asks: Visit[] = [
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
        for (const ask of asks) {
          const page = await browser.request(`/auth/${path}`, ask)
          expect([path, ask.method, access(page)]).toEqual([path, ask.method, []])
          if (ask.method === "OPTIONS") expect([404, 405]).toContain(page.status)
        }
      expect(await (await browser.get("/me")).json()).toMatchObject({ user: { name: "ada" } })
    },
  )

  it("SES-18: is no script that another site could run", async () => {
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
    ["a page", { accept: "text/html", "sec-fetch-mode": "navigate" }, 302],
    ["a script", { ...json, "sec-fetch-mode": "cors" }, 401],
  ])("SES-17: of a guarded route to %s of a stranger is kept by no cache", async (_, headers, status) => {
    const routes = (app: TestApp) => void app.use("/guarded", requireAuth as unknown as Handler)
    const page = await (await start(configOf(), { routes })).browser().get("/guarded", { headers })
    expect(page.status).toBe(status)
    expectKeptByNoCache("guarded", page)
  })

  it.each<[string, string | undefined, RegExp]>([
    ["says nothing", undefined, /private.*no-store/],
    ["says that all may keep it", "public, max-age=600", /private.*no-store/],
    ["says that all may keep it, in capitals", "PUBLIC", /private.*no-store/],
    ["says that browsers may keep it", "private, max-age=60", /private.*no-store/],
    ["says that nobody may", "no-store", /private.*no-store/],
  ])(
    "SES-17: of the application's own that %s is its browser's alone once a cookie goes with it",
    async (_, said, wanted) => {
      let now = Date.parse("2030-01-01T00:00:00Z")
      const setup = (app: TestApp) =>
        void app.use((_req, res, next) => {
          if (said !== undefined) res.setHeader("Cache-Control", said)
          next()
        })
      const app = await start(configOf({ clock: () => now }), { setup })
      const browser = app.browser({ now: () => now })
      await signIn(browser)
      const quiet = await browser.get("/me")
      expect([quiet.headers.getSetCookie(), quiet.headers.get("cache-control")]).toEqual([[], said ?? null])
      now += 2 * 24 * 60 * 60 * 1000
      const page = await browser.get("/me")
      expect([page.headers.getSetCookie().length, page.headers.get("cache-control")]).toEqual([
        1,
        expect.stringMatching(wanted),
      ])
    },
  )
})
