import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import cookieParser from "cookie-parser"
import ejs from "ejs"
import express, { type Express, type Response } from "express"
import express4 from "express4"
import { MemoryAdapter } from "../../lib/adapters/memory.js"
import { authMiddleware, requireAuth } from "../../lib/index.js"
import Passkey from "../../lib/providers/passkey.js"
import { MemoryStore } from "../../lib/store/memory.js"
import type { AuthConfig } from "../../lib/types.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { configOf, servers, signIn } from "./support/servers.js"

failOnUnhandled()
const serve = servers()

/** A view of the application with one sign-in form. */
const views = mkdtempSync(join(tmpdir(), "latchkey-views-"))
writeFileSync(
  join(views, "home.ejs"),
  `<% if (auth.user) { %><p>Hello, <%= auth.user.name %></p>
<form method="post" action="<%= auth.signOutUrl %>"><%- auth.csrfField() %><button>Out</button></form><% } else { %>
<% for (const provider of auth.providers) { %><form method="post" action="<%= provider.callbackUrl %>">
<%- auth.csrfField() %><input name="username"><input name="password" type="password"><button><%= provider.name %></button>
</form><% } %><a href="<%= auth.signInUrl %>">In</a><% } %>`,
)

const VERSIONS: [string, () => Express][] = [
  ["Express 5", express],
  ["Express 4", express4],
]

describe.each(VERSIONS)("a view of the application on %s", (_version, create) => {
  async function start() {
    const app = create().set("views", views).set("view engine", "ejs").engine("ejs", ejs.renderFile)
    app.use(cookieParser("of the application"))
    app.use(authMiddleware(configOf()))
    app.get("/", async (req, res) => {
      res.cookie("visits", "1", { signed: true })
      await req.getSession()
      res.render("home")
    })
    app.get("/static", (_req, res) => void res.render("home"))
    return serve(app)
  }

  it("signs in and out with its own forms", async () => {
    const { browser: newBrowser, address } = await start()
    const browser = newBrowser()
    const form = browser.form(await (await browser.get("/")).text(), "/callback/credentials")
    const signedIn = await browser.submit(form, { username: "<b>ada</b>", password: "right" }, { follow: true })
    const html = await signedIn.text()
    expect(html).toContain("Hello, &lt;b&gt;ada&lt;/b&gt;")
    const out = await browser.submit(browser.form(html, "/signout"), {}, { follow: true })
    expect([out.url, await out.text()]).toEqual([`${address}/`, expect.stringContaining("signin")])
  })

  it("sets the CSRF cookie once, beside the application's cookies", async () => {
    const browser = (await start()).browser()
    const page = await browser.get("/")
    const names = page.headers.getSetCookie().map((cookie) => cookie.split("=")[0])
    expect(names).toEqual(["visits", "authjs.csrf-token"])
    expect(page.headers.get("cache-control")).toContain("no-store")
    expect((await browser.get("/")).headers.getSetCookie()).toHaveLength(1)
  })

  it("gets the values of a failed form once, and not for a HEAD request", async () => {
    const app = create().use(authMiddleware(configOf({ pages: { signIn: "/login" } })))
    app.get("/login", (_req, res) => void res.json(res.locals.auth.formValues))
    const { browser: newBrowser } = await serve(app)
    const browser = newBrowser()
    expect(await (await browser.get("/login")).json()).toEqual({})
    const failed = await signIn(browser, "/auth", { username: "Ada <b>", password: "wrong" })
    expect(failed.location).not.toMatch(/Ada|wrong/)
    await browser.request(failed.location, { method: "HEAD" })
    const page = await browser.get(failed.location)
    expect(await page.json()).toEqual({ username: "Ada <b>" })
    expect(page.headers.get("cache-control")).toContain("no-store")
    expect(await (await browser.get(failed.location)).json()).toEqual({})
  })

  it("has no user before the session was read", async () => {
    const browser = (await start()).browser()
    const form = browser.form(await (await browser.get("/")).text(), "/callback/credentials")
    await browser.submit(form, { username: "ada", password: "right" })
    expect(await (await browser.get("/static")).text()).not.toContain("Hello")
    expect(await (await browser.get("/")).text()).toContain("Hello, ada")
  })

  it("gets providers, URLs and the CSRF token, and sets no cookie unless it uses the token", async () => {
    const app = create().use(authMiddleware(configOf()))
    app.get("/none", (_req, res) => void res.send("quiet"))
    app.get("/all", (_req, res) => {
      const { providers, signInUrl, signOutUrl, csrfToken } = res.locals.auth
      const isSame = res.locals.auth.csrfField().includes(csrfToken)
      res.json({ providers, signInUrl, signOutUrl, csrfToken, isSame })
    })
    const { browser: newBrowser, address } = await serve(app)
    const browser = newBrowser()
    expect((await browser.get("/none")).headers.getSetCookie()).toEqual([])
    const page = await browser.get("/all")
    expect(await page.json()).toMatchObject({
      csrfToken: expect.stringMatching(/^[\da-f]{64}$/),
      isSame: true,
      signInUrl: `${address}/auth/signin`,
      signOutUrl: `${address}/auth/signout`,
      providers: [{ id: "credentials", name: "Credentials", type: "credentials" }],
    })
    expect(page.headers.getSetCookie()).toHaveLength(1)
  })
})

describe.each(VERSIONS)("the application's CSP nonce on %s", (_version, create) => {
  const NONCE = "0123456789abcdef"

  async function pageWith(cspNonce: unknown, path = "/auth/signin") {
    const app = create().use((_req, res, next) => {
      res.setHeader("Content-Security-Policy", "default-src 'self'")
      if (cspNonce !== undefined) res.locals["cspNonce"] = cspNonce
      next()
    })
    app.use(authMiddleware(configOf()))
    app.use("/admin", requireAuth({ authorize: () => false }))
    const browser = (await serve(app)).browser()
    if (path === "/admin") await signIn(browser)
    const page = await browser.get(path, { headers: { accept: "text/html" } })
    const [, nonce] = / nonce="([^"]*)"/.exec(await page.text()) ?? []
    return { nonce, policy: page.headers.get("content-security-policy") }
  }

  it.each([
    ["a string", NONCE],
    ["a CSP source", `'nonce-${NONCE}'`],
    ["a function, as for helmet", (_req: unknown, res: Response) => `'nonce-${res.getHeader("x") ?? NONCE}'`],
  ])("is added to the elements and the policy of pages, given as %s", async (_, cspNonce) => {
    for (const path of ["/auth/signin", "/admin"])
      expect(await pageWith(cspNonce, path)).toEqual({
        nonce: NONCE,
        policy: expect.stringContaining(`style-src 'self' 'nonce-${NONCE}'; `),
      })
  })

  it.each([[undefined], [""], ["'; script-src *"], [`a" onload="x`], [7], [() => null]])(
    "is ignored if it is %j",
    async (cspNonce) => {
      const { nonce, policy } = await pageWith(cspNonce)
      expect([nonce, policy]).toEqual([undefined, expect.stringContaining("style-src 'self'; ")])
    },
  )
})

describe("res.locals.auth.passkeyScript", () => {
  const PASSKEYS = { providers: [Passkey], adapter: MemoryAdapter(), experimental: { enableWebAuthn: true } }

  async function scriptOf(config: Partial<AuthConfig>) {
    const app = express().use(authMiddleware({ ...configOf(), ...config }))
    app.get("/script", (_req, res) => void res.json({ script: res.locals.auth.passkeyScript }))
    const browser = (await serve(app)).browser()
    return { browser, ...(await (await browser.get("/script")).json()) }
  }

  it("is the script of the built-in pages", async () => {
    const { browser, script } = await scriptOf(PASSKEYS)
    expect(script.integrity).toMatch(/^sha256-/)
    const { status, headers } = await browser.get(script.href)
    expect([status, headers.get("content-type")]).toEqual([200, expect.stringContaining("javascript")])
  })

  it("is missing without passkeys", async () => {
    expect(await scriptOf({})).not.toHaveProperty("script")
  })
})

describe("a page that depends on the configuration", () => {
  const answerOf = async (config: Partial<AuthConfig>, path = "/auth/passkeys") => {
    const app = express().use(authMiddleware({ ...configOf(), ...config }))
    app.get(path, (_req, res) => void res.send("the application's own"))
    const page = await (await serve(app)).browser().get(path)
    return page.status === 200 ? page.text() : new URL(page.location).pathname
  }

  it("is served by the application if passkeys are disabled", async () => {
    expect(await answerOf({})).toBe("the application's own")
  })

  it("is served by latchkey if passkeys are enabled", async () => {
    const passkeys = { providers: [Passkey], adapter: MemoryAdapter(), experimental: { enableWebAuthn: true } }
    expect(await answerOf(passkeys)).toBe("/auth/signin")
  })

  it.each<[string, Partial<AuthConfig>]>([
    ["without a store", {}],
    ["with session.revocable: false", { store: MemoryStore(), session: { revocable: false } }],
  ])("is served by the application if sessions are not recorded, %s", async (_, config) => {
    expect(await answerOf(config, "/auth/sessions")).toBe("the application's own")
  })

  it("is served by latchkey if sessions are recorded", async () => {
    expect(await answerOf({ store: MemoryStore() }, "/auth/sessions")).toBe("/auth/signin")
  })
})
