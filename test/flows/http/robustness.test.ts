import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import express from "express"
import { Auth, authMiddleware, requireAuth } from "../../../lib/index.js"
import { printable } from "../../../lib/logging/redact.js"
import Credentials from "../../../lib/providers/credentials.js"
import { MemoryStore } from "../../../lib/store/memory.js"
import type { Store } from "../../../lib/store/store.js"
import type { AuthConfig } from "../../../lib/types.js"
import { describeServers, recordingLogger, TEST_SECRET } from "../../support/apps.js"
import { Browser } from "../../support/browser.js"
import { listen } from "../../support/listen.js"
import { shortestDuration } from "../../support/shortest-duration.js"
import { failOnUnhandled } from "../../support/unhandled.js"
import { useProvider } from "../support/use-provider.js"

failOnUnhandled()

const op = useProvider()

const checkPassword = ({ username, password, pw }: Record<string, unknown>) =>
  password === "right" || pw === "right" ? { id: "1", name: String(username) } : null

const configOf = (more: Partial<AuthConfig> = {}): AuthConfig => ({
  secret: TEST_SECRET,
  logger: recordingLogger().logger,
  providers: [Credentials({ credentials: { username: {}, password: { type: "password" } }, authorize: checkPassword })],
  ...more,
})

async function attempt(browser: Browser, fields: Record<string, string>): Promise<number> {
  const csrfToken = await browser.csrf()
  return (await browser.post("/auth/callback/credentials", { csrfToken, ...fields })).status
}

describeServers("The limit on wrong credentials", (start) => {
  it.each([
    [
      "another field varies",
      { username: {}, password: { type: "password" }, remember: { type: "checkbox" } },
      "remember",
    ],
    ["the password field has an unusual name", { username: {}, pw: {} }, "pw"],
  ])("applies if %s", async (_name, credentials, varied) => {
    const { browser: newBrowser } = await start(
      configOf({ providers: [Credentials({ credentials, authorize: checkPassword })] }),
    )
    const browser = newBrowser()
    const statuses = []
    for (let i = 0; i < 11; i++) statuses.push(await attempt(browser, { username: "ada", [varied]: `guess ${i}` }))
    expect(statuses).toEqual([...Array(10).fill(302), 429])
  })

  it("counts by the result of rateLimit.account", async () => {
    const account = ({ username }: Record<string, unknown>) => String(username).split("+")[0] ?? ""
    const { browser: newBrowser } = await start(configOf({ rateLimit: { attempts: 2, account } }))
    const browser = newBrowser()
    const statuses = []
    for (const username of ["ada+1", "ada+2", "ada+3", "bob"]) statuses.push(await attempt(browser, { username }))
    expect(statuses).toEqual([302, 302, 429, 302])
  })

  it("accepts a correct password if the store fails to refund the attempt", async () => {
    let calls = 0
    const memory = MemoryStore()
    const increment: Store["increment"] = (kind, key, window) =>
      ++calls > 3 ? Promise.reject(new Error("the store is down")) : memory.increment(kind, key, window)
    const { browser: newBrowser } = await start(configOf({ store: { ...memory, increment } }))
    const browser = newBrowser()
    const csrfToken = await browser.csrf()
    const page = await browser.post("/auth/callback/credentials", { csrfToken, username: "ada", password: "right" })
    expect(page.location).not.toContain("error")
  })
})

it.each([
  [{ attempts: Number.NaN }, "rateLimit.attempts"],
  [{ windowSeconds: 0 }, "rateLimit.windowSeconds"],
])("rejects the invalid limit %p at start-up", (rateLimit, path) => {
  expect(() => authMiddleware(configOf({ rateLimit }))).toThrow(path)
})

it.each([
  [{ sessionToken: { options: { sameSite: "bogus" } } }, "cookies.sessionToken.options"],
  [{ sessionToken: { options: { maxAge: 1.5 } } }, "cookies.sessionToken.options"],
  [{ csrfToken: { name: "__Host-csrf", options: { domain: "app.test" } } }, "cookies.csrfToken.options"],
])("rejects the invalid cookie options %p at start-up", (cookies, path) => {
  expect(() => authMiddleware(configOf({ cookies: cookies as unknown as NonNullable<AuthConfig["cookies"]> }))).toThrow(
    path,
  )
})

it("rejects a page option that redirects to itself at start-up", () => {
  expect(() => authMiddleware(configOf({ pages: { signIn: "/auth/signin?x=1" } }))).toThrow("pages.signIn")
})

describeServers("A return URL that is too long", (start) => {
  it("is dropped, and the user can still sign in", async () => {
    const { browser: newBrowser, origin } = await start(configOf({ providers: [op.oidc()] }))
    const browser = newBrowser()
    const long = `/${"a".repeat(3000)}`
    for (let i = 0; i < 6; i++) {
      await browser.get(`/auth/signin?callbackUrl=${long}`)
      const csrfToken = await browser.csrf()
      await browser.post("/auth/signin/oidc", { csrfToken, callbackUrl: `/${"b".repeat(1000)}` })
    }
    expect(browser.cookieHeader().length).toBeLessThan(8000)
    const csrfToken = await browser.csrf()
    const { location } = await browser.post("/auth/signin/oidc", { csrfToken, callbackUrl: long })
    expect((await browser.get(await op.authorize(location))).location).toBe(`${origin}/`)
  })
})

describe("A logger that rejects", () => {
  it("does not affect the response", async () => {
    const warn = async () => {
      throw new Error("the log is down")
    }
    const config = { ...configOf({ logger: { warn, error: warn, debug: warn } }), trustHost: true }
    expect((await Auth(new Request("http://app.test/auth/signin/nobody", { method: "DELETE" }), config)).status).toBe(
      405,
    )
  })
})

it("masks a megabyte of text that resembles tokens in less than 200 ms", async () => {
  const duration = await shortestDuration(() => {
    printable("-eyJ".repeat(250_000))
    printable(`eyJ${"a".repeat(1_000_000)}`)
  })
  expect(duration).toBeLessThan(200)
})

describe("On Express", () => {
  const closing: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
  })

  async function serve(setup: (app: ReturnType<typeof express>) => void) {
    const app = express()
    setup(app)
    app.use((error: { status?: number }, _req: unknown, res: express.Response, _next: unknown) => {
      res.status(error.status ?? 500).send("failed")
    })
    const { createServer } = await import("node:http")
    const { origin, close } = await listen(createServer(app))
    closing.push(close)
    return origin
  }

  it("does not use an untrusted host in URLs", async () => {
    const origin = await serve((app) => {
      app.use(authMiddleware(configOf({ trustHost: false })))
      app.get("/me", requireAuth)
      app.get("/view", (_req, res) => void res.send(res.locals.auth.signInUrl))
    })
    for (const path of ["/me", "/view"]) {
      const answer = await new Browser({ origin }).get(path, { headers: { host: "evil.test", accept: "text/html" } })
      expect([answer.status, answer.location]).toEqual([500, ""])
      expect(await answer.text()).not.toContain("evil")
    }
  })

  it("responds to a deeply nested body and continues to serve requests", async () => {
    const origin = await serve((app) => {
      app.use(express.json({ limit: "1mb" }))
      app.use(authMiddleware(configOf()))
    })
    const body = `{"a":${"[".repeat(40_000)}${"]".repeat(40_000)}}`
    const headers = { "content-type": "application/json" }
    const answer = await fetch(`${origin}/auth/signout`, { method: "POST", headers, body })
    expect(answer.status).toBeLessThan(500)
    expect((await fetch(`${origin}/auth/csrf`)).status).toBe(200)
  })

  it("closes the connection if a body was not read", async () => {
    const origin = await serve((app) => app.use(authMiddleware(configOf())))
    const headers = { "content-type": "application/x-www-form-urlencoded" }
    const answer = await fetch(`${origin}/auth/signout`, { method: "POST", headers, body: "a".repeat(100_000) })
    expect([answer.status, answer.headers.get("connection")]).toEqual([413, "close"])
  })

  it("responds with 500 if a custom error page fails", async () => {
    const views = mkdtempSync(join(tmpdir(), "views-"))
    writeFileSync(join(views, "error.ejs"), "<%= page.nothing.there %>")
    const origin = await serve((app) => app.use(authMiddleware(configOf({ views }))))
    const answer = await new Browser({ origin }).get("/auth/error?error=AccessDenied", {
      headers: { accept: "text/html" },
    })
    expect([answer.status, answer.location]).toEqual([500, ""])
  })

  it("keeps the last valid session if the session becomes too large for its cookie", async () => {
    let isLarge = false
    const { logger, records } = recordingLogger()
    const jwt: NonNullable<AuthConfig["callbacks"]>["jwt"] = ({ token }) =>
      isLarge ? { ...token, more: "x".repeat(20_000) } : token
    const origin = await serve((app) => {
      app.use(authMiddleware(configOf({ logger, callbacks: { jwt } })))
      app.get("/me", async (req, res) => void res.json(await req.getSession()))
    })
    const browser = new Browser({ origin })
    await attempt(browser, { username: "ada", password: "right" })
    isLarge = true
    expect(await (await browser.get("/me")).json()).toMatchObject({ user: { name: "ada" } })
    expect(records.filter(({ level }) => level === "error")).toHaveLength(1)
    isLarge = false
    expect(await (await browser.get("/me")).json()).toMatchObject({ user: { name: "ada" } })
  })
})
