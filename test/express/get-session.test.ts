import { createServer, type IncomingMessage } from "node:http"
import express from "express"
import { authMiddleware, getSession } from "../../lib/index.js"
import type { AuthConfig } from "../../lib/types.js"
import { Browser } from "../support/browser.js"
import { listen } from "../support/listen.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { configOf, servers, signIn, withEnv } from "./support/servers.js"

failOnUnhandled()
const serve = servers()
const DAY = 24 * 60 * 60 * 1000

/** A signed-in browser, and a clock that can be set. */
async function signedIn(over: Partial<AuthConfig> = {}) {
  const time = { now: Date.now() }
  const config = configOf({ clock: () => time.now, ...over })
  const app = express().use(authMiddleware(config))
  app.get("/me", async (req, res) => void res.json(await req.getSession()))
  app.get("/direct", async (req, res) => void res.json(await getSession(req, config)))
  app.get("/both", async (req, res) => void res.json((await getSession(req, config)) === (await req.getSession())))
  const server = await serve(app)
  const browser = server.browser()
  await signIn(browser)
  return { server, browser, config, time }
}

describe("getSession(req, config)", () => {
  it("reads the session of a web Request", async () => {
    const { browser, config } = await signedIn()
    const headers = { cookie: browser.cookieHeader() }
    expect(await getSession(new Request("http://app.test/", { headers }), config)).toMatchObject({
      user: { name: "ada" },
    })
    expect(await getSession(new Request("http://app.test/"), config)).toBeNull()
  })

  it("derives the cookie name from the scheme of a web Request, or from AUTH_URL", async () => {
    const { browser } = await signedIn()
    const headers = { cookie: browser.cookieHeader() }
    const https = new Request("https://app.test/", { headers })
    expect(await getSession(https, configOf())).toBeNull()
    const config = configOf()
    expect(await withEnv({ AUTH_URL: "http://app.test" }, () => getSession(https, config))).not.toBeNull()
  })

  it("reads the session of an Express request, and shares the result with req.getSession", async () => {
    const { browser } = await signedIn()
    expect(await (await browser.get("/direct")).json()).toMatchObject({ user: { name: "ada" } })
    expect(await (await browser.get("/both")).json()).toBe(true)
  })

  it("reads the session before the middleware, and sends the renewed cookie", async () => {
    const { browser, config, time } = await signedIn()
    const app = express().get("/early", async (req, res) => void res.json(await getSession(req, config)))
    const server = await serve(app)
    time.now += 2 * DAY
    const headers = { cookie: browser.cookieHeader() }
    const page = await server.browser({ headers }).get("/early")
    expect(await page.json()).toMatchObject({ user: { name: "ada" } })
    expect(page.headers.getSetCookie()[0]).toMatch(/^authjs\.session-token=ey/)
  })

  it("reads the session of a node:http request", async () => {
    const { browser, config } = await signedIn()
    const server = await serve(async (req, res) => void res.end(JSON.stringify(await getSession(req, config))))
    const headers = { cookie: browser.cookieHeader() }
    expect(await (await server.browser({ headers }).get("/")).json()).toMatchObject({ user: { name: "ada" } })
    expect(await (await server.browser().get("/")).json()).toBeNull()
  })

  it("reads the session of an upgrade request", async () => {
    const { browser, config } = await signedIn()
    const server = createServer()
    const upgraded = new Promise<IncomingMessage>((resolve) => {
      server.on("upgrade", (req, socket) => {
        resolve(req)
        socket.destroy()
      })
    })
    const { origin, close } = await listen(server)
    const headers = { connection: "Upgrade", upgrade: "websocket", cookie: browser.cookieHeader() }
    await new Browser({ origin }).get("/socket", { headers }).catch(() => {})
    expect(await getSession(await upgraded, config)).toMatchObject({ user: { name: "ada" } })
    await close()
  })

  it("rejects with the problems of an invalid configuration", async () => {
    await expect(getSession(new Request("http://app.test/"), configOf({ secret: [] }))).rejects.toMatchObject({
      type: "ConfigurationError",
      status: 500,
    })
  })

  it("returns null for a session that was sealed with another secret", async () => {
    const { browser } = await signedIn()
    const headers = { cookie: browser.cookieHeader() }
    const other = configOf({ secret: "another secret, thirty-two letters long" })
    expect(await getSession(new Request("http://app.test/", { headers }), other)).toBeNull()
  })
})

describe("req.getSession()", () => {
  it("sends the renewed cookie beside the application's cookie", async () => {
    const config = configOf({ session: { updateAge: 0 } })
    const app = express().use(authMiddleware(config))
    app.get("/me", async (req, res) => {
      res.cookie("own", "1")
      res.json(await req.getSession())
    })
    const browser = (await serve(app)).browser()
    await signIn(browser)
    const page = await browser.get("/me")
    expect(page.headers.getSetCookie().map((cookie) => cookie.split("=")[0])).toEqual(["own", "authjs.session-token"])
    expect(page.headers.get("cache-control")).toContain("no-store")
  })

  it("keeps the application's Cache-Control if it sets no cookie", async () => {
    const app = express().use(authMiddleware(configOf()))
    app.get("/me", async (req, res) => void res.set("Cache-Control", "private").json(await req.getSession()))
    const browser = (await serve(app)).browser()
    await signIn(browser)
    expect((await browser.get("/me")).headers.get("cache-control")).toBe("private")
  })

  it("returns the session after the response has begun", async () => {
    const app = express().use(authMiddleware(configOf({ session: { updateAge: 0 } })))
    app.get("/me", async (req, res) => {
      res.write("[")
      res.end(`${JSON.stringify(await req.getSession())}]`)
    })
    const browser = (await serve(app)).browser()
    await signIn(browser)
    expect(await (await browser.get("/me")).json()).toMatchObject([{ user: { name: "ada" } }])
  })

  it("keeps the sessions of concurrent requests apart", async () => {
    const app = express().use(authMiddleware(configOf()))
    app.get("/me", async (req, res) => void res.json((await req.getSession())?.user?.name ?? null))
    const server = await serve(app)
    const names = ["ada", "bob", "cleo"]
    const browsers = await Promise.all(
      names.map(async (username) => {
        const browser = server.browser()
        await signIn(browser, "/auth", { username })
        return browser
      }),
    )
    const all = [...browsers, server.browser()].flatMap((browser) => Array.from({ length: 20 }, () => browser))
    const seen = await Promise.all(all.map(async (browser) => (await browser.get("/me")).json()))
    expect(seen).toEqual([...names, null].flatMap((name) => Array(20).fill(name)))
  })
})
