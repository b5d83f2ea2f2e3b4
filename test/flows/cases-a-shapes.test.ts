/**
 * Other shapes of the attacks in `cases-a.test.ts`.
 *
 * @module
 */
import { request } from "node:http"
import { requireAuth } from "../../lib/index.js"
import type { AuthConfig } from "../../lib/types.js"
import { describeServers, type Handler, type Start, type TestApp } from "../support/apps.js"
import type { Browser } from "../support/browser.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { guardProcess } from "./support/guard.js"
import { goAndAgree, param, type SiteOptions, sessionOf, signIn, startSite, withParams } from "./support/site.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
beforeEach(() => op.reset())
afterAll(() => op.close())

const COOKIE = "authjs.session-token"
const API = { accept: "application/json", "sec-fetch-mode": "cors" }

/** Asks for a path as it stands: a browser would tidy it up first. */
const rawLocation = (origin: string, path: string) =>
  new Promise<{ status: number; location: string }>((resolve, reject) => {
    const headers = { accept: "text/html", "sec-fetch-mode": "navigate" }
    const { hostname, port } = new URL(origin)
    const outgoing = request({ hostname, port, path, headers, agent: false }, (incoming) => {
      incoming.resume()
      resolve({ status: incoming.statusCode ?? 0, location: incoming.headers.location ?? "" })
    })
    outgoing.on("error", reject).end()
  })

describeServers("an attack in another shape", (start, stage) => {
  // What does not depend on the server: every shape on one, the first of them everywhere.
  const rows = <T>(all: readonly T[]) => (stage === "Express 5" ? all : all.slice(0, 1))
  const site = (options?: SiteOptions) => startSite({ start, stage, op }, options)

  /** Landed on this site, and nothing that the browser keeps leads elsewhere. */
  function expectOwn(browser: Browser, location: string, origin: string): void {
    expect(new URL(location).origin).toBe(origin)
    expect(new URL(location).pathname).not.toMatch(/^\/[/\\]/)
    const kept = decodeURIComponent(browser.cookie("authjs.callback-url") ?? origin)
    expect(new URL(kept).origin).toBe(origin)
  }

  it.each(
    rows([
      "https:/evil.test",
      "https:\\\\evil.test",
      "///evil.test",
      "\\\\evil.test",
      "/.//evil.test",
      "/x/..//evil.test",
      "/\u0000/evil.test",
      "/\n/evil.test",
      "//evil\u3002test",
      "//%65vil.test",
      "http://user@evil.test",
      "//evil.test:80\\@app.test/",
      "blob:https://evil.test/1",
      "vbscript:x",
      "\u0001javascript:alert(1)",
      "JaVaScRiPt:alert(1)",
      "intent://evil.test#Intent;end",
    ]),
  )("ADV-03: lands here when the sign-in, its page and the sign-out are told %j", async (callbackUrl) => {
    const { app } = await site()
    const browser = app.browser()
    const html = await (await browser.get(`/auth/signin?${new URLSearchParams({ callbackUrl })}`)).text()
    for (const { action, fields } of browser.forms(html)) {
      expect(new URL(action).origin).toBe(app.origin)
      expect(new URL(fields["callbackUrl"] ?? app.origin).origin).toBe(app.origin)
    }
    expectOwn(browser, (await signIn(browser, op, { callbackUrl })).location, app.origin)
    const csrfToken = await browser.csrf()
    const out = await browser.post("/auth/signout", { csrfToken, callbackUrl })
    expectOwn(browser, out.location, app.origin)
  })

  const evil = "https://evil.test/x"

  it.each(
    rows<[string, (browser: Browser, csrfToken: string) => Promise<{ location: string }>]>([
      [
        "twice in a form",
        (browser, csrfToken) =>
          browser.post("/auth/signout", [
            ["csrfToken", csrfToken],
            ["callbackUrl", "/"],
            ["callbackUrl", evil],
          ]),
      ],
      [
        "twice, the other way round",
        (browser, csrfToken) =>
          browser.post("/auth/signout", [
            ["csrfToken", csrfToken],
            ["callbackUrl", evil],
            ["callbackUrl", "/"],
          ]),
      ],
      [
        "in the query of the form's action",
        (browser, csrfToken) => browser.post(`/auth/signout?callbackUrl=${evil}`, { csrfToken }),
      ],
      [
        "as a list in JSON",
        (browser, csrfToken) => browser.postJson("/auth/signout", { csrfToken, callbackUrl: [evil] }),
      ],
      [
        "in the cookie",
        (browser, csrfToken) => {
          browser.setCookie("authjs.callback-url", encodeURIComponent(evil))
          return browser.post("/auth/signout", { csrfToken })
        },
      ],
    ]),
  )("ADV-03: lands here when the address stands %s", async (_, signOut) => {
    const { app } = await site()
    const browser = app.browser()
    await signIn(browser, op)
    const { location } = await signOut(browser, await browser.csrf())
    expectOwn(browser, location, app.origin)
    expect(await sessionOf(browser)).toBeNull()
  })

  it("ADV-03: lands here when a callback is told where to go by its address, finished or lost", async () => {
    const { app } = await site()
    const browser = app.browser()
    const back = withParams(await goAndAgree(browser, op, { callbackUrl: "/cart" }), { callbackUrl: evil })
    const page = await browser.get(back, { from: op.issuer })
    expect(page.location).toBe(`${app.origin}/cart`)
    const again = await browser.get(back, { from: op.issuer })
    expectOwn(browser, again.location, app.origin)
    expect(param(again.location, "callbackUrl")).not.toContain("evil")
  })

  it("ADV-17: puts the new session in place of one that was planted, chunks of it too", async () => {
    const one = await site({ sessions: "jwt" })
    const [attacker, victim] = [one.app.browser(), one.app.browser()]
    op.set({ user: { sub: "mallory", name: "Mallory", email: "mallory@example.com" } })
    await signIn(attacker, op)
    op.reset()
    const planted = attacker.cookie(COOKIE) ?? ""
    for (const name of [COOKIE, `${COOKIE}.0`, `${COOKIE}.1`]) victim.setCookie(name, planted)
    await signIn(victim, op)
    expect(victim.cookies().filter(({ name }) => name.startsWith(COOKIE))).toHaveLength(1)
    expect(victim.cookie(COOKIE)).not.toBe(planted)
    expect(await sessionOf(victim)).toMatchObject({ user: { name: "Alice" } })
  })

  it.each(rows(["/auth/session", "/auth/signin", "/auth/csrf", "/auth/providers", "/auth/callback/oidc?code=1"]))(
    "ADV-02: says nothing of a host that is not trusted, at %s",
    async (path) => {
      const one = await site({ config: { trustHost: false }, origin: "http://evil.test" })
      const page = await one.app.browser().get(path)
      expect([page.status, page.headers.getSetCookie(), page.location]).toEqual([500, [], ""])
      expect(await page.text()).not.toContain("evil")
      expect(one.failures().map(({ code }) => code)).toEqual(["UntrustedHost"])
    },
  )

  if (stage === "Auth()") return

  /** An application with a guarded route, and who came in there. */
  function guarded(path = "/protected") {
    const entered: unknown[] = []
    const enter: Handler = (req, res) => {
      entered.push(req.url)
      res.end("in")
    }
    // Each framework has its own types for a middleware.
    const guard = requireAuth as unknown as Handler
    const routes = (app: TestApp) => {
      app.use(path, guard)
      app.use(path, enter)
    }
    return { entered, start: ((config, options) => start(config, { ...options, routes })) as Start }
  }

  const FAULTY: [string, Partial<AuthConfig>, number][] = [
    ["the session callback throws", { callbacks: { session: () => Promise.reject(new Error("ours")) } }, 500],
    [
      "the jwt callback throws",
      { callbacks: { jwt: ({ token, user }) => (user ? token : Promise.reject(new Error("ours"))) } },
      500,
    ],
    // An application's mistake: nothing is returned.
    ["the session callback gives nothing", { callbacks: { session: (() => undefined) as never } }, 401],
    ["the jwt callback gives nothing", { callbacks: { jwt: ({ token, user }) => (user ? token : null) } }, 401],
  ]

  it("ADV-15: lets no stranger in where the host is not trusted", async () => {
    const { entered, start: begin } = guarded()
    const one = await startSite({ start: begin, stage, op }, { config: { trustHost: false } })
    const browser = one.app.browser()
    expect((await browser.get("/protected")).status).toBe(500)
    expect((await browser.get("/protected", { headers: API })).status).toBe(401)
    expect(entered).toEqual([])
  })

  it.each(FAULTY)("ADV-15: lets nobody in where %s", async (_, config, status) => {
    const { entered, start: begin } = guarded()
    const one = await startSite({ start: begin, stage, op }, { config, sessions: "jwt" })
    const good = await site({ sessions: "jwt", origin: one.app.origin })
    const browser = one.app.browser()
    // A cookie that is good at an application without the fault.
    const elsewhere = good.app.browser()
    await signIn(elsewhere, op)
    for (const { name, value } of elsewhere.cookies()) browser.setCookie(name, value)
    const page = await browser.get("/protected", { headers: API })
    expect([page.status, entered]).toEqual([status, []])
    const session = await browser.get("/auth/session")
    expect([session.status, await session.text()]).toEqual([
      status === 500 ? 500 : 200,
      expect.not.stringContaining("user"),
    ])
    if (status === 500) expect((await browser.get("/me")).status).toBe(500)
    // And without the fault the same cookie opens the door.
    expect(await sessionOf(elsewhere)).toMatchObject({ user: { name: "Alice" } })
  })

  it.each([
    "//evil.test/%2e%2e",
    "//evil.test",
    "/\\evil.test",
    "///evil.test/x?y=1",
    "//evil.test:80/",
    "/%2f/evil.test",
    "/%5cevil.test",
  ])("ADV-18: sends a visitor of the path %s back to this site", async (path) => {
    const { start: begin } = guarded("/")
    const one = await startSite({ start: begin, stage, op })
    const { status, location } = await rawLocation(one.app.origin, path)
    expect([status, new URL(location).origin]).toEqual([302, one.app.origin])
    const callbackUrl = param(location, "callbackUrl")
    expect(callbackUrl).toMatch(/^\/(?![/\\])/)
    const browser = one.app.browser()
    const html = await (await browser.get(location)).text()
    const begun = await browser.submit(browser.form(html, "/signin/oidc"))
    const landed = await browser.get(await op.authorize(begun.location), { from: op.issuer })
    expectOwn(browser, landed.location, one.app.origin)
    expect(await sessionOf(browser)).not.toBeNull()
  })
})
