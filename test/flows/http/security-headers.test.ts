/**
 * RED-06 and RED-07: security headers of pages, errors and JSON, and the resources that pages load.
 *
 * @module
 */
import { readdirSync } from "node:fs"
import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import { requireAuth } from "../../../lib/index.js"
import Passkey from "../../../lib/providers/passkey.js"
import { configOf, people, signIn } from "../../express/support/servers.js"
import { describeServer, describeServers, type Handler, type RunningApp } from "../../support/apps.js"
import type { Page } from "../../support/browser.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, mailbox, startMailSite } from "../support/mail.js"
import { tagsOf } from "../support/markup.js"
import { register, startPasskeySite } from "../support/passkeys.js"

guardProcess()

function expectPageHeaders({ headers }: Page): void {
  const policy = headers.get("content-security-policy") ?? ""
  const own = [
    "default-src 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "object-src 'none'",
    "form-action 'self'",
  ]
  for (const part of own) expect(policy).toContain(part)
  expect(policy).not.toMatch(/unsafe-|\*|\bhttp:/)
  expect(Object.fromEntries(headers)).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cache-control": expect.stringContaining("no-store"),
  })
}

type Send = (app: RunningApp) => Promise<Page>

const get =
  (path: string): Send =>
  (app) =>
    app.browser().get(path)
const send =
  (method: string, path: string, headers: Record<string, string> = {}, body = "x"): Send =>
  (app) =>
    app.browser().request(path, { method, body, headers })

const PAGES: readonly (readonly [what: string, status: number, ask: Send])[] = [
  ["an unknown provider", 404, get("/auth/signin/nope")],
  ["the callback of an unknown provider", 404, get("/auth/callback/nope")],
  ["an unsupported method", 405, send("PUT", "/auth/signin")],
  ["an invalid callbackUrl", 400, get("/auth/signin?callbackUrl=x")],
  ["truncated JSON", 400, send("POST", "/auth/signin", { "content-type": "application/json" }, "{")],
  ["a body that is too large", 413, send("POST", "/auth/signin", {}, "x".repeat(70_000))],
  [
    "an unsupported content type",
    415,
    send("POST", "/auth/signin", { "content-type": "multipart/form-data; boundary=x" }),
  ],
  ["denied access", 403, get("/auth/error?error=AccessDenied")],
  ["a configuration error", 500, get("/auth/error?error=Configuration")],
  ["an unknown error", 400, get("/auth/error?error=%3Cscript%3E")],
  ["a failed sign-in", 200, get("/auth/signin?error=OAuthCallbackError")],
  ["an invalid link", 200, get("/auth/callback/mail?token=x&email=a%40example.com")],
  [
    "too many attempts",
    429,
    async (app) => {
      const browser = app.browser()
      for (let i = 0; i < 10; i++) await signIn(browser, "/auth", { password: "wrong" })
      return signIn(browser, "/auth", { password: "wrong" })
    },
  ],
]

const config = () =>
  configOf({ providers: [people(), mailbox().provider], adapter: MemoryAdapter(), session: { strategy: "jwt" } })

describeServers("The security headers", (start, stage) => {
  it.each(PAGES)("RED-06: are complete on a page about %s (%d)", async (_what, status, ask) => {
    const page = await ask(await start(config()))
    expect(page.status).toBe(status)
    expectPageHeaders(page)
  })

  it.each([
    ["a session", 200, get("/auth/session")],
    ["a CSRF token", 200, get("/auth/csrf")],
    ["the providers", 200, get("/auth/providers")],
    ["an error", 405, send("PUT", "/auth/session", { accept: "application/json" })],
    [
      "a redirect",
      200,
      send("POST", "/auth/signout", { "x-auth-return-redirect": "1", "content-type": "application/json" }, "{}"),
    ],
  ] as const)("RED-06: prevent sniffing and caching of JSON with %s", async (_what, status, ask) => {
    const page = await ask(await start(config()))
    expect(page.status).toBe(status)
    expect(Object.fromEntries(page.headers)).toMatchObject({
      "content-type": "application/json",
      "x-content-type-options": "nosniff",
      "cache-control": expect.stringContaining("no-store"),
    })
  })

  it("RED-06: are complete on the page for an untrusted host", async () => {
    const page = await (await start({ ...config(), trustHost: false })).browser().get("/auth/signin")
    expect(page.status).toBe(500)
    expectPageHeaders(page)
  })

  if (stage !== "Auth()")
    it("RED-06: are complete on a guard's responses", async () => {
      const routes = (app: { use(handler: Handler): unknown }) => {
        app.use(requireAuth({ authorize: () => false }) as Handler)
      }
      const app = await start(config(), { routes })
      const script = await app.browser().get("/x", { headers: { "sec-fetch-mode": "cors" } })
      expect([script.status, script.headers.get("x-content-type-options")]).toEqual([401, "nosniff"])
      const browser = app.browser()
      await signIn(browser)
      const page = await browser.get("/x")
      expect(page.status).toBe(403)
      expectPageHeaders(page)
    })
})

/** The URLs that a page loads. */
const loadedUrls = (html: string): string[] =>
  tagsOf(html).flatMap(({ name, attributes }) =>
    attributes
      .filter(
        ([key]) =>
          ["src", "srcset", "poster", "data", "background", "xlink:href"].includes(key) ||
          (key === "href" && ["link", "use", "image", "base"].includes(name)),
      )
      .map(([, value]) => value),
  )

describeServer("Page resources", "Auth()", (start) => {
  async function expectOwn(html: string, app: RunningApp): Promise<void> {
    expect(html).not.toMatch(/@import|url\(|<style|<base|<iframe|<object|<embed|ping=/i)
    for (const address of loadedUrls(html)) {
      const url = new URL(address, app.origin)
      expect([address, url.origin]).toEqual([address, app.origin])
      const file = await app.browser().get(url.href)
      expect([address, file.status, file.headers.get("x-content-type-options")]).toEqual([address, 200, "nosniff"])
      const text = await file.text()
      expect(text).not.toMatch(/@import|url\((?!["']?data:)|importScripts|src ?= ?["']?(?:https?:)?\/\//)
    }
  }

  it("RED-07: are from this site on the sign-in page with every icon, passkeys and links", async () => {
    const icons = readdirSync("views/icons").map((name) => name.replace(/\.svg$/, ""))
    const urls = { authorization: "https://op.test/a", token: "https://op.test/t", userinfo: "https://op.test/u" }
    const providers = icons.map((id) => ({
      ...{ id, name: id, type: "oauth" as const, clientId: "x", clientSecret: "y", ...urls },
      profile: () => ({ id: "1" }),
    }))
    const app = await start({
      ...configOf({ adapter: MemoryAdapter(), experimental: { enableWebAuthn: true } }),
      providers: [people(), mailbox().provider, Passkey, ...providers],
    })
    const html = await (await app.browser().get("/auth/signin")).text()
    expect(html.split("<svg").length).toBeGreaterThan(icons.length)
    expect(loadedUrls(html).length).toBeGreaterThan(1)
    await expectOwn(html, app)
  })

  it("RED-07: are from this site on the passkeys page and on the confirmation page of a link", async () => {
    const { app } = await startPasskeySite(start)
    const browser = app.browser()
    await register(browser, app.origin, { email: "ada@example.com" })
    await expectOwn(await (await browser.get("/auth/passkeys")).text(), app)
    const site = await startMailSite(start)
    await askForLink(site.browser(), "ada@example.com")
    const confirmation = await site.browser().get(site.mail.linkTo("ada@example.com"))
    expect(confirmation.status).toBe(200)
    await expectOwn(await confirmation.text(), site.app)
  })
})
