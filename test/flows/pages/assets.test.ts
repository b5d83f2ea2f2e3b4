/**
 * The files that the built-in pages load.
 *
 * @module
 */
import { createHash } from "node:crypto"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { configOf } from "../../express/support/servers.js"
import { describeServers } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { failOnUnhandled } from "../../support/unhandled.js"

failOnUnhandled()

/** The style sheet's address and hash, as a page has them. */
async function linkOn(browser: Browser, path: string) {
  const html = await (await browser.get(path)).text()
  const found = /<link rel="stylesheet" href="([^"]+)" integrity="sha256-([^"]+)">/.exec(html)
  return { href: found?.[1] ?? "", hash: found?.[2] ?? "" }
}

describeServers("style sheet of the built-in pages", (start) => {
  const config = () => configOf({ theme: { brandColor: "#346df1" } })

  it("matches the integrity hash of the page and may be cached forever", async () => {
    const browser = (await start(config())).browser()
    const { href, hash } = await linkOn(browser, "/auth/signin")
    const sheet = await browser.get(href)
    const text = await sheet.text()
    expect([sheet.status, createHash("sha256").update(text).digest("base64")]).toEqual([200, hash])
    expect(Object.fromEntries(sheet.headers)).toMatchObject({
      "content-type": "text/css; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
    })
    for (const name of ["expires", "pragma", "set-cookie"])
      expect([name, sheet.headers.get(name)]).toEqual([name, null])
    expect(text).toContain("--brand-color:#346df1")
  })

  it("is served without setting or clearing a cookie", async () => {
    const browser = (await start(config())).browser()
    const { href } = await linkOn(browser, "/auth/signin")
    browser.setCookie("authjs.callback-url", "no address")
    expect((await browser.get(href)).headers.getSetCookie()).toEqual([])
  })

  it("responds 404 under another name or hash", async () => {
    const browser = (await start(config())).browser()
    const { href } = await linkOn(browser, "/auth/signin")
    for (const name of [href.replace("styles", "passkeys"), href.replace(/\.[\w-]{22}\./, `.${"A".repeat(22)}.`)]) {
      const missing = await browser.get(name)
      expect([missing.status, missing.headers.get("cache-control")]).toEqual([404, expect.stringContaining("no-store")])
    }
  })

  it("responds to HEAD without a body and to POST with 405", async () => {
    const browser = (await start(config())).browser()
    const { href } = await linkOn(browser, "/auth/signin")
    const head = await browser.request(href, { method: "HEAD" })
    expect([head.status, head.headers.get("content-type"), await head.text()]).toEqual([
      200,
      "text/css; charset=utf-8",
      "",
    ])
    const post = await browser.post(href, {})
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"])
  })

  it.each([
    ["the host is not trusted", { trustHost: false }],
    ["the URL names an error", {}],
  ])("is served for the error page when %s", async (_, over) => {
    const browser = (await start({ ...config(), ...over })).browser()
    const { href } = await linkOn(browser, "/auth/error?error=Configuration")
    expect(href).toMatch(/^\/auth\/assets\//)
    expect((await browser.get(href)).status).toBe(200)
  })
})

describeServers("icon of the built-in pages", (start) => {
  const readIconUrl = (html: string) => /<link rel="icon" type="image\/svg\+xml" href="([^"]+)">/.exec(html)?.[1] ?? ""

  it.each(["signin", "signout", "error", "error?error=AccessDenied", "verify-request"])(
    "is linked in %s, so that browsers do not request /favicon.ico",
    async (page) => {
      const browser = (await start(configOf())).browser()
      const html = await (await browser.get(`/auth/${page}`)).text()
      const icon = await browser.get(readIconUrl(html))
      expect([icon.status, icon.headers.get("content-type")]).toEqual([200, "image/svg+xml"])
      expect(await icon.text()).toMatch(/^<svg /)
    },
  )

  it("is replaced by icon.svg of the application's views", async () => {
    const views = mkdtempSync(join(tmpdir(), "latchkey-icon-"))
    const own = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M0 0h1v1z"/></svg>`
    writeFileSync(join(views, "icon.svg"), own)
    const browser = (await start(configOf({ views }))).browser()
    const icon = await browser.get(readIconUrl(await (await browser.get("/auth/signin")).text()))
    expect(await icon.text()).toBe(own)
  })
})
