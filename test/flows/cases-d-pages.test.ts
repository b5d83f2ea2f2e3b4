/**
 * Pages of section D: what they load and forbid, an application's own in their place, and what is answered where
 * nothing can be served.
 *
 * @module
 */
import type { AuthConfig } from "../../lib/types.js"
import { configOf, people, signIn } from "../express/support/servers.js"
import { describeServers, recordingLogger } from "../support/apps.js"
import { failOnUnhandled } from "../support/unhandled.js"

failOnUnhandled()

describeServers("the built-in pages", (start) => {
  const PAGES = [
    "/auth/signin",
    "/auth/signout",
    "/auth/error",
    "/auth/verify-request",
    "/auth/error?error=Verification",
  ]

  it("RED-06: forbid framing, sniffing, scripts and referrers", async () => {
    const { browser: visit } = await start(configOf())
    for (const path of PAGES) {
      const { headers } = await visit().get(path)
      const policy = headers.get("content-security-policy") ?? ""
      const parts = ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"]
      for (const part of parts) expect(policy).toContain(part)
      expect(policy).not.toMatch(/unsafe-|\*/)
      expect(headers.get("x-content-type-options")).toBe("nosniff")
      expect(headers.get("referrer-policy")).toBe("no-referrer")
      expect(headers.get("content-type")).toMatch(/^text\/html/)
    }
  })

  it("RED-04: show nothing of what is put into their address or configuration as markup", async () => {
    const payloads = ["<script>alert(1)</script>", '"><svg/onload=alert(1)>', "javascript:alert(1)", "'-alert(1)-'"]
    const name = '<b onmouseover="x">Evil</b>'
    const own = people()
    const provider = { ...own, name, options: { ...own.options, name, credentials: { '"><i>': { label: "<u>" } } } }
    const { browser: visit } = await start(configOf({ providers: [provider], theme: { logo: '"><script>' } }))
    const texts = []
    for (const path of ["/auth/signin", "/auth/signout", "/auth/error", "/auth/verify-request"])
      for (const payload of payloads) {
        const query = ["error", "code", "callbackUrl", "email", "provider", "type", "csrfToken", "theme", "providers"]
          .map((key) => `${key}=${encodeURIComponent(key === "callbackUrl" ? `/${payload}` : payload)}`)
          .join("&")
        texts.push(await (await visit().get(`${path}?${query}`)).text())
      }
    for (const text of texts) {
      expect(text).not.toMatch(/<script|<svg\/onload|<b onmouse|<i>|<u>|href="javascript:|action="javascript:/i)
      expect(text).not.toMatch(/\son\w+\s*=\s*["']?alert/i)
    }
  })

  it("RED-07: load nothing from anywhere else", async () => {
    const app = await start(configOf())
    for (const path of PAGES) {
      const html = await (await app.browser().get(path)).text()
      const urls = [...html.matchAll(/(?:src|href|action)="([^"]*)"/g)].map(([, url = ""]) => new URL(url, app.origin))
      for (const url of urls) expect([path, url.origin]).toEqual([path, url.protocol === "data:" ? "null" : app.origin])
      expect(html).not.toMatch(/@import|url\(/)
    }
  })
})

describeServers("pages of the application's own", (start) => {
  const pages = { signIn: "/login?theme=dark", signOut: "/bye", error: "/oops", verifyRequest: "/mail?a=1" }

  it("take the place of ours, with what they need", async () => {
    const { browser: visit, origin } = await start(configOf({ pages }))
    const at = async (path: string) => (await visit().get(path)).location
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

  it("set the cookies that their forms need", async () => {
    const browser = (await start(configOf({ pages }))).browser()
    await browser.get("/auth/signin?callbackUrl=%2Fx")
    expect(
      browser
        .cookies()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(["authjs.callback-url", "authjs.csrf-token"])
  })

  it("may be on another site", async () => {
    const app = await start(configOf({ pages: { signIn: "https://login.test/in", error: "https://login.test/e" } }))
    const page = await signIn(app.browser(), "/auth", { password: "wrong" })
    expect(page.location).toBe("https://login.test/in?error=CredentialsSignin&code=credentials")
  })
})

describe("Auth() with a wrong configuration (contract 0.3)", () => {
  const ask = async (path: string, over: Partial<AuthConfig>, init: RequestInit = {}) => {
    const { Auth } = await import("../../lib/index.js")
    const log = recordingLogger()
    const config: AuthConfig = { ...configOf({ trustHost: true, basePath: "/auth", logger: log.logger }), ...over }
    return { response: await Auth(new Request(`https://authjs.test${path}`, init), config), log }
  }

  it.each([
    ["no secret", { secret: [] }, "MissingSecret"],
    ["no trust", { trustHost: false }, "UntrustedHost"],
    ["no authorize", { providers: [{ ...people(), authorize: undefined, options: {} } as never] }, "MissingAuthorize"],
    ["a store that is not there", { session: { strategy: "database" as const } }, "UnsupportedStrategy"],
  ])("answers 500 to %s, and logs it by its type", async (_name, over, type) => {
    const { response, log } = await ask("/auth/session", over)
    expect([response.status, await response.json()]).toEqual([
      500,
      { message: expect.stringMatching(/problem with the server configuration/) },
    ])
    expect(response.headers.getSetCookie()).toEqual([])
    expect(log.records.filter(({ level }) => level === "error").map(({ code }) => code)).toEqual([type])
  })

  it("shows a page where people look, and JSON to a POST", async () => {
    for (const page of ["/auth/signin", "/auth/passkeys"]) {
      const { response } = await ask(page, { secret: [] })
      expect([response.status, response.headers.get("content-type")]).toEqual([
        500,
        expect.stringContaining("text/html"),
      ])
    }
    const posted = await ask("/auth/signin", { secret: [] }, { method: "POST" })
    expect([posted.response.status, posted.response.headers.get("content-type")]).toEqual([500, "application/json"])
  })

  it("sends people to the application's own page, unless that leads in a circle", async () => {
    const over = { secret: [], pages: { error: "/oops" } }
    const { response } = await ask("/auth/signin", over)
    expect([response.status, response.headers.get("location")]).toEqual([
      302,
      "https://authjs.test/oops?error=Configuration",
    ])
    const circle = await ask("/auth/signin?callbackUrl=%2Foops%2Fx", over)
    expect([circle.response.status, circle.response.headers.get("location")]).toEqual([500, null])
    expect(circle.log.records.map(({ code }) => code)).toContain("ErrorPageLoop")
  })

  it("does not reject when the providers are missing altogether", async () => {
    const { response } = await ask("/auth/session", { providers: undefined as never })
    expect(response.status).toBe(200)
  })
})
