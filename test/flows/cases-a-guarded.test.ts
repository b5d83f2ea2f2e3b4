/**
 * ADV-15 and ADV-18 in other shapes: what stands behind `requireAuth`.
 *
 * @module
 */
import { request } from "node:http"
import { requireAuth } from "../../lib/index.js"
import type { AuthConfig } from "../../lib/types.js"
import { describeServers, type Handler, SERVERS, type Start, type TestApp } from "../support/apps.js"
import type { Browser } from "../support/browser.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { guardProcess } from "./support/guard.js"
import { param, type SiteOptions, sessionOf, signIn, startSite } from "./support/site.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
beforeEach(() => op.reset())
afterAll(() => op.close())

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

describeServers(
  "an attack in another shape",
  (start, stage) => {
    const site = (options?: SiteOptions) => startSite({ start, stage, op }, options)

    /** Landed on this site, and nothing that the browser keeps leads elsewhere. */
    function expectOwn(browser: Browser, location: string, origin: string): void {
      expect(new URL(location).origin).toBe(origin)
      expect(new URL(location).pathname).not.toMatch(/^\/[/\\]/)
      const kept = decodeURIComponent(browser.cookie("authjs.callback-url") ?? origin)
      expect(new URL(kept).origin).toBe(origin)
    }

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
  },
  SERVERS,
)
