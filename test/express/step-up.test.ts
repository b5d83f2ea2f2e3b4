/** Guards that require a recent or strong authentication. */
import express, { type Express } from "express"
import express4 from "express4"
import { MemoryAdapter } from "../../lib/adapters/memory.js"
import { authMiddleware, requireAuth } from "../../lib/index.js"
import { signInAs } from "../../lib/testing.js"
import type { AuthConfig } from "../../lib/types.js"
import type { Browser } from "../support/browser.js"
import { decodeEntities } from "../support/html.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { configOf, people, servers, signIn } from "./support/servers.js"

failOnUnhandled()
const serve = servers()

const MINUTE = 60_000
const API = { accept: "application/json", "sec-fetch-mode": "cors" }
const PAGE = { accept: "text/html", "sec-fetch-mode": "navigate" }

const VERSIONS: [string, "jwt" | "database", () => Express][] = [
  ["Express 5", "jwt", express],
  ["Express 4", "jwt", express4],
  ["Express 5", "database", express],
  ["Express 4", "database", express4],
]

/** The parameters of a URL. */
const paramsOf = (url: string) => Object.fromEntries(new URL(url, "http://unused").searchParams)

describe.each(VERSIONS)("a guard on %s with the strategy %s", (_version, strategy, create) => {
  async function start(over: Partial<AuthConfig> = {}) {
    const time = { now: Date.now() }
    const errors: { message: string; status?: number }[] = []
    const adapter = MemoryAdapter()
    const { id } = await adapter.createUser({ id: "", email: "ada@example.com", emailVerified: null })
    const authorize = ({ password }: Partial<Record<string, unknown>>) => (password === "right" ? { id } : null)
    const providers = [{ ...people(), authorize, options: undefined }] as unknown as AuthConfig["providers"]
    const app = create()
    app.use(authMiddleware(configOf({ providers, adapter, session: { strategy }, clock: () => time.now, ...over })))
    const fresh = requireAuth({ freshWithin: "10m", authorize: (_, { url }) => url !== "/forbidden" })
    app.all(["/transfer", "/forbidden"], fresh, (_, res) => void res.send("done"))
    app.get("/two", requireAuth({ factors: 2 }), (_, res) => void res.send("done"))
    app.get("/acr", requireAuth({ acr: "phr", amr: ["hwk"] }), (_, res) => void res.send("done"))
    app.use(((error, _req, res, _next) => {
      errors.push(error)
      res.status(error.status ?? 500).end()
    }) as express.ErrorRequestHandler)
    const { browser: newBrowser, address } = await serve(app)
    const browser = newBrowser({ now: () => time.now })
    await signIn(browser)
    return { browser, newBrowser, address, time, errors }
  }

  /** Posts the first form of the page at a path. */
  async function confirm(browser: Browser, path: string, fields: Record<string, string>) {
    const page = await browser.get(path)
    return browser.submit(browser.form(await page.text(), "/auth/callback/credentials"), fields)
  }

  it("lets a recent authentication pass, and sends an older one to the page that confirms it and returns", async () => {
    const { browser, address, time } = await start()
    const before = browser.cookie("authjs.session-token")
    expect((await browser.get("/transfer")).status).toBe(200)
    time.now += 11 * MINUTE
    const refused = await browser.get("/transfer?to=eve&amount=5", { headers: PAGE })
    expect([refused.status, refused.headers.get("cache-control")]).toEqual([302, "private, no-cache, no-store"])
    const { pathname } = new URL(refused.location, address)
    expect(pathname).toBe("/auth/reauthenticate")
    expect(paramsOf(refused.location)).toEqual({ callbackUrl: "/transfer?to=eve&amount=5", max_age: "600" })
    const confirmed = await confirm(browser, refused.location, { username: "ada", password: "right" })
    expect(confirmed.location).toBe(`${address}/transfer?to=eve&amount=5`)
    expect(await (await browser.get(confirmed.location)).text()).toBe("done")
    // A database session keeps its cookie.
    expect(browser.cookie("authjs.session-token") === before).toBe(strategy === "database")
  })

  it("does not accept a wrong password, and lets the user try again", async () => {
    const { browser, time } = await start()
    time.now += 11 * MINUTE
    const { location } = await browser.get("/transfer", { headers: PAGE })
    const refused = await confirm(browser, location, { username: "ada", password: "wrong" })
    expect(new URL(refused.location).pathname).toBe("/auth/reauthenticate")
    expect(paramsOf(refused.location)).toMatchObject({ error: "CredentialsSignin" })
    expect(paramsOf(refused.location)["callbackUrl"]).toMatch(/\/transfer$/)
    const page = await browser.get(refused.location)
    expect(await page.text()).toContain('role="alert"')
    expect((await browser.get("/transfer", { headers: PAGE })).status).toBe(302)
    await confirm(browser, refused.location, { username: "ada", password: "right" })
    expect((await browser.get("/transfer", { headers: PAGE })).status).toBe(200)
  })

  it("tells the user of a posted form that nothing was changed, and leads back to the form", async () => {
    const { browser, address, time } = await start()
    time.now += 11 * MINUTE
    const headers = { ...PAGE, referer: `${address}/account?tab=2` }
    const page = await browser.post("/transfer", { amount: "5" }, { headers })
    expect(page.status).toBe(401)
    expect(page.headers.get("www-authenticate")).toContain('error="insufficient_user_authentication"')
    const html = decodeEntities(await page.text())
    expect(html).toContain("What you sent was not saved.")
    const [, href = ""] = /href="([^"]*reauthenticate[^"]*)"/.exec(html) ?? []
    expect(paramsOf(href)).toEqual({ callbackUrl: "/account?tab=2", max_age: "600" })
  })

  it("challenges scripts as in RFC 9470", async () => {
    const { browser, time } = await start()
    time.now += 11 * MINUTE
    const page = await browser.post("/transfer", {}, { headers: API })
    expect([page.status, page.headers.get("content-type")]).toEqual([401, "application/problem+json"])
    expect(page.headers.get("www-authenticate")).toBe(
      'Cookie realm="latchkey", error="insufficient_user_authentication", error_description="More recent authentication is required", max_age="600"',
    )
    expect(await page.json()).toEqual({
      ...{ type: "about:blank", title: "Unauthorized", status: 401 },
      detail: "More recent authentication is required.",
    })
    const other = await browser.get("/acr", { headers: API })
    expect(other.headers.get("www-authenticate")).toBe(
      'Cookie realm="latchkey", error="insufficient_user_authentication", error_description="A different authentication level is required", acr_values="phr"',
    )
  })

  it("asks only users who may pass, and visitors to sign in", async () => {
    const { browser, newBrowser, time } = await start()
    time.now += 11 * MINUTE
    expect((await browser.get("/forbidden", { headers: PAGE })).status).toBe(403)
    const page = await newBrowser().get("/transfer", { headers: PAGE })
    expect(new URL(page.location).pathname).toBe("/auth/signin")
    const script = await newBrowser().get("/transfer", { headers: API })
    expect(script.headers.get("www-authenticate")).toBe('Cookie realm="latchkey"')
  })

  it("responds to HEAD as to GET", async () => {
    const { browser, time } = await start()
    time.now += 11 * MINUTE
    const page = await browser.request("/transfer", { method: "HEAD", headers: PAGE })
    expect([page.status, new URL(page.location).pathname]).toEqual([302, "/auth/reauthenticate"])
  })

  it("requires two factors, and states it in the URL of the page", async () => {
    const { browser } = await start()
    const page = await browser.get("/two", { headers: PAGE })
    expect(paramsOf(page.location)).toEqual({ callbackUrl: "/two", factors: "2" })
    const html = decodeEntities(await (await browser.get(page.location)).text())
    // A password does not become a second factor by being entered twice.
    expect([html.includes("/auth/callback/credentials"), html.includes("/auth/signout")]).toEqual([false, true])
  })

  it("never returns to another site", async () => {
    const { browser, address, time } = await start()
    time.now += 11 * MINUTE
    for (const evil of ["https://evil.test/", "//evil.test/", "/\\evil.test", "https://evil.test@127.0.0.1/"]) {
      const path = `/auth/reauthenticate?${new URLSearchParams({ callbackUrl: evil })}`
      const { location } = await confirm(browser, path, { username: "ada", password: "right" })
      expect(new URL(location).origin).toBe(address)
    }
  })

  it("refuses a session that does not state how its user signed in", async () => {
    const { browser } = await start()
    const other = await start({ session: { strategy, revocable: false } })
    expect((await browser.get("/transfer")).status).toBe(200)
    const { status } = await other.browser.get("/transfer")
    expect([status, other.errors.map(({ message }) => message).join()]).toEqual(
      strategy === "jwt" ? [200, ""] : [500, expect.stringContaining("Write { store: RedisStore(redis) }")],
    )
  })
})

describe("signInAs", () => {
  const app = express()
  const config = configOf()
  app.use(authMiddleware(config))
  app.get("/recent", requireAuth({ freshWithin: "10m" }), (_, res) => void res.send("done"))
  app.get("/two", requireAuth({ factors: 2 }), (_, res) => void res.send("done"))

  async function statusesFor(options: Parameters<typeof signInAs>[2]): Promise<number[]> {
    const { address } = await serve(app)
    const { headers } = await signInAs(address, { id: "7", name: "Ada" }, { config, ...options })
    const get = async (path: string) => (await fetch(address + path, { headers, redirect: "manual" })).status
    return [await get("/recent"), await get("/two")]
  }

  it.each([
    ["just now, with one factor", {}, [200, 401]],
    ["at the beginning of an older session", { age: 3600 }, [401, 401]],
    ["at another time", { authTime: Math.floor(Date.now() / 1000) - 3600 }, [401, 401]],
    ["just now in an older session", { age: 3600, authTime: Math.floor(Date.now() / 1000) }, [200, 401]],
    ["with two factors", { factors: 2 } as const, [200, 200]],
  ])("authenticates the user %s", async (_, options, statuses) => {
    expect(await statusesFor(options)).toEqual(statuses)
  })

  it.each([{ factors: 1 }, { authTime: -1 }, { authTime: 1.5 }, { authTime: "now" }])("rejects %p", async (options) => {
    await expect(statusesFor(options as never)).rejects.toThrow(`signInAs: ${Object.keys(options)[0]} is `)
  })
})
