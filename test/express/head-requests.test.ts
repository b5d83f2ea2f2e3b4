import express from "express"
import { MemoryAdapter } from "../../lib/adapters/memory.js"
import { authMiddleware, requireAuth } from "../../lib/index.js"
import Credentials from "../../lib/providers/credentials.js"
import type { AuthConfig } from "../../lib/types.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { configOf, servers, signIn } from "./support/servers.js"

failOnUnhandled()
const serve = servers()
const DAY = 24 * 60 * 60 * 1000

/** A signed-in browser whose session is due for renewal. */
async function dueSession(over: Partial<AuthConfig>) {
  const time = { now: Date.now() }
  const app = express().use(authMiddleware(configOf({ clock: () => time.now, ...over })))
  app.get("/guarded", requireAuth, (_req, res) => void res.send("guarded"))
  app.get("/form", (_req, res) => void res.send(res.locals.auth.csrfField()))
  const server = await serve(app)
  const browser = server.browser()
  await signIn(browser)
  time.now += 2 * DAY
  return { server, browser, head: (path: string) => browser.request(path, { method: "HEAD" }) }
}

const names = (page: Response) => page.headers.getSetCookie().map((cookie) => cookie.split("=")[0])

describe("a HEAD request", () => {
  it("SEC-07: does not renew the session cookie on a guarded page", async () => {
    const { browser, head } = await dueSession({})
    const page = await head("/guarded")
    expect([page.status, names(page)]).toEqual([200, []])
    expect(names(await browser.get("/guarded"))).toEqual(["authjs.session-token"])
  })

  it("SEC-07: does not extend the session in the adapter on a guarded page", async () => {
    const adapter = MemoryAdapter()
    const user = await adapter.createUser({ id: "", name: "Ada", email: "ada@example.com", emailVerified: null })
    const providers = [Credentials({ authorize: () => user })]
    const { browser, head } = await dueSession({ adapter, providers, session: { strategy: "database" } })
    const expires = async () =>
      (await adapter.getSessionAndUser(browser.cookie("authjs.session-token") ?? ""))?.session.expires.getTime() ?? 0
    const before = await expires()
    const page = await head("/guarded")
    expect([page.status, names(page), await expires()]).toEqual([200, [], before])
    expect(names(await browser.get("/guarded"))).toEqual(["authjs.session-token"])
    expect(await expires()).toBeGreaterThan(before)
  })

  it("SEC-07: does not call the jwt callback, so that the next GET request makes its change", async () => {
    const refreshes: unknown[] = []
    const { browser, head } = await dueSession({
      callbacks: {
        jwt: ({ token, user }) => {
          if (user) return { ...token, refresh: 1 }
          if (token["refresh"] === 1) refreshes.push(token["refresh"])
          return { ...token, refresh: 2 }
        },
      },
    })
    expect(names(await head("/guarded"))).toEqual([])
    expect(names(await browser.get("/guarded"))).toEqual(["authjs.session-token"])
    // A rotating refresh token must be used once.
    expect(refreshes).toEqual([1])
  })

  it("SEC-07: sets no CSRF cookie, and does not clear an invalid session cookie", async () => {
    const { server, browser, head } = await dueSession({})
    const visitor = server.browser()
    expect(names(await visitor.request("/form", { method: "HEAD" }))).toEqual([])
    browser.setCookie("authjs.session-token", "invalid")
    const page = await head("/guarded")
    expect([page.status, names(page)]).toEqual([302, []])
  })
})
