/**
 * ADV-15 and ADV-18: routes that `requireAuth` guards.
 *
 * @module
 */
import { request } from "node:http"
import { requireAuth } from "../../../lib/index.js"
import type { AuthConfig } from "../../../lib/types.js"
import { describeServers, type Handler, SERVERS, type Start, type TestApp } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { guardProcess } from "../support/guard.js"
import { param, type SiteOptions, sessionOf, signIn, startSite } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

const API = { accept: "application/json", "sec-fetch-mode": "cors" }

/** Requests a path without the normalization that a browser applies. */
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
  "routes behind requireAuth",
  (start, stage) => {
    const createSite = (options?: SiteOptions) => startSite({ start, stage, op }, options)

    /** Expects a location on this site, and a return URL cookie that leads to this site. */
    function expectSameSite(browser: Browser, location: string, origin: string): void {
      expect(new URL(location).origin).toBe(origin)
      expect(new URL(location).pathname).not.toMatch(/^\/[/\\]/)
      const returnUrl = decodeURIComponent(browser.cookie("authjs.callback-url") ?? origin)
      expect(new URL(returnUrl).origin).toBe(origin)
    }

    /** An application with a guarded route, and the requests that passed the guard. */
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
      // The application forgot to return a value.
      ["the session callback returns nothing", { callbacks: { session: (() => undefined) as never } }, 401],
      ["the jwt callback returns null", { callbacks: { jwt: ({ token, user }) => (user ? token : null) } }, 401],
    ]

    it("ADV-15: reject a signed-out visitor if the host is not trusted", async () => {
      const { entered, start: begin } = guarded()
      const site = await startSite({ start: begin, stage, op }, { config: { trustHost: false } })
      const browser = site.app.browser()
      expect((await browser.get("/protected")).status).toBe(500)
      expect((await browser.get("/protected", { headers: API })).status).toBe(401)
      expect(entered).toEqual([])
    })

    it.each(FAULTY)("ADV-15: reject every request if %s", async (_, config, status) => {
      const { entered, start: begin } = guarded()
      const site = await startSite({ start: begin, stage, op }, { config, sessions: "jwt" })
      const healthy = await createSite({ sessions: "jwt", origin: site.app.origin })
      const browser = site.app.browser()
      // A cookie that is valid in an application without the fault.
      const healthyBrowser = healthy.app.browser()
      await signIn(healthyBrowser, op)
      for (const { name, value } of healthyBrowser.cookies()) browser.setCookie(name, value)
      const page = await browser.get("/protected", { headers: API })
      expect([page.status, entered]).toEqual([status, []])
      const session = await browser.get("/auth/session")
      expect([session.status, await session.text()]).toEqual([
        status === 500 ? 500 : 200,
        expect.not.stringContaining("user"),
      ])
      if (status === 500) expect((await browser.get("/me")).status).toBe(500)
      // Without the fault, the same cookie is accepted.
      expect(await sessionOf(healthyBrowser)).toMatchObject({ user: { name: "Alice" } })
    })

    it.each([
      "//evil.test/%2e%2e",
      "//evil.test",
      "/\\evil.test",
      "///evil.test/x?y=1",
      "//evil.test:80/",
      "/%2f/evil.test",
      "/%5cevil.test",
    ])("ADV-18: return a visitor of %s to this site after the sign-in", async (path) => {
      const { start: begin } = guarded("/")
      const site = await startSite({ start: begin, stage, op })
      const { status, location } = await rawLocation(site.app.origin, path)
      expect([status, new URL(location).origin]).toEqual([302, site.app.origin])
      const callbackUrl = param(location, "callbackUrl")
      expect(callbackUrl).toMatch(/^\/(?![/\\])/)
      const browser = site.app.browser()
      const html = await (await browser.get(location)).text()
      const provider = await browser.submit(browser.form(html, "/signin/oidc"))
      const landed = await browser.get(await op.authorize(provider.location), { from: op.issuer })
      expectSameSite(browser, landed.location, site.app.origin)
      expect(await sessionOf(browser)).not.toBeNull()
    })
  },
  SERVERS,
)
