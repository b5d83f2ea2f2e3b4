/**
 * The security headers and resources of the built-in pages, and the custom pages that replace them.
 *
 * @module
 */
import { configOf, signIn } from "../../express/support/servers.js"
import { describeServers } from "../../support/apps.js"
import { failOnUnhandled } from "../../support/unhandled.js"

failOnUnhandled()

describeServers("built-in pages", (start) => {
  const PAGES = [
    "/auth/signin",
    "/auth/signout",
    "/auth/error",
    "/auth/verify-request",
    "/auth/error?error=Verification",
  ]

  it("RED-06: forbid framing, MIME sniffing, scripts and referrers", async () => {
    const { browser: newBrowser } = await start(configOf())
    for (const path of PAGES) {
      const { headers } = await newBrowser().get(path)
      const policy = headers.get("content-security-policy") ?? ""
      const parts = ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"]
      for (const part of parts) expect(policy).toContain(part)
      expect(policy).not.toMatch(/unsafe-|\*/)
      expect(headers.get("x-content-type-options")).toBe("nosniff")
      expect(headers.get("referrer-policy")).toBe("no-referrer")
      expect(headers.get("content-type")).toMatch(/^text\/html/)
    }
  })

  it("RED-07: load nothing from other origins", async () => {
    const app = await start(configOf())
    for (const path of PAGES) {
      const html = await (await app.browser().get(path)).text()
      const urls = [...html.matchAll(/(?:src|href|action)="([^"]*)"/g)].map(([, url = ""]) => new URL(url, app.origin))
      for (const url of urls) expect([path, url.origin]).toEqual([path, url.protocol === "data:" ? "null" : app.origin])
      expect(html).not.toMatch(/@import|url\(/)
    }
  })
})

describeServers("custom pages", (start) => {
  const pages = { signIn: "/login?theme=dark", signOut: "/bye", error: "/oops", verifyRequest: "/mail?a=1" }

  it("replace the built-in pages and get their parameters", async () => {
    const { browser: newBrowser, origin } = await start(configOf({ pages }))
    const at = async (path: string) => (await newBrowser().get(path)).location
    expect(await at("/auth/signin?callbackUrl=%2Fx&error=SessionRequired")).toBe(
      `${origin}/login?theme=dark&callbackUrl=${encodeURIComponent(`${origin}/x`)}&error=SessionRequired`,
    )
    expect(await at("/auth/signout")).toBe(`${origin}/bye`)
    expect(await at("/auth/error?error=AccessDenied")).toBe(`${origin}/oops?error=AccessDenied`)
    expect(await at("/auth/error")).toBe(`${origin}/oops`)
    expect(await at("/auth/verify-request?provider=email&type=email")).toBe(
      `${origin}/mail?a=1&provider=email&type=email`,
    )
  })

  it("get the cookies that their forms need", async () => {
    const browser = (await start(configOf({ pages }))).browser()
    await browser.get("/auth/signin?callbackUrl=%2Fx")
    expect(
      browser
        .cookies()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(["authjs.callback-url", "authjs.csrf-token"])
  })

  it("can be on another site", async () => {
    const app = await start(configOf({ pages: { signIn: "https://login.test/in", error: "https://login.test/e" } }))
    const page = await signIn(app.browser(), "/auth", { password: "wrong" })
    expect(page.location).toBe("https://login.test/in?error=CredentialsSignin&code=credentials")
  })
})
