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

/** A signed-in browser, whose session is due to be renewed. */
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

describe("HEAD", () => {
  it("SEC-07: on a guarded page does not renew the cookie", async () => {
    const { browser, head } = await dueSession({})
    const page = await head("/guarded")
    expect([page.status, names(page)]).toEqual([200, []])
    expect(names(await browser.get("/guarded"))).toEqual(["authjs.session-token"])
  })

  it("SEC-07: on a guarded page does not prolong the session in the store", async () => {
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

  it("SEC-07: leaves a change of the jwt callback to the next request", async () => {
    const asked: unknown[] = []
    const { browser, head } = await dueSession({
      callbacks: {
        jwt: ({ token, user }) => {
          if (user) return { ...token, refresh: 1 }
          if (token["refresh"] === 1) asked.push(token["refresh"])
          return { ...token, refresh: 2 }
        },
      },
    })
    expect(names(await head("/guarded"))).toEqual([])
    expect(names(await browser.get("/guarded"))).toEqual(["authjs.session-token"])
    // A refresh token that rotates is used once.
    expect(asked).toEqual([1])
  })

  it("SEC-07: sets no cookie for a form, and clears no session that is over", async () => {
    const { server, browser, head } = await dueSession({})
    const stranger = server.browser()
    expect(names(await stranger.request("/form", { method: "HEAD" }))).toEqual([])
    browser.setCookie("authjs.session-token", "invalid")
    const page = await head("/guarded")
    expect([page.status, names(page)]).toEqual([302, []])
  })
})
