import { people, signIn } from "../express/support/servers.js"
import { EXPRESS, textOf, useApplications, useTerminal } from "./support/application.js"

const terminal = useTerminal()
const start = useApplications()

describe.each(EXPRESS)("site address on %s", (_version, create) => {
  it("production does not start without an address, and the error names AUTH_URL and trustHost", async () => {
    const starting = start({ create, env: { NODE_ENV: "production" } })
    await expect(starting).rejects.toThrow(/Set AUTH_URL=https:\/\/example\.com, or list your hosts: trustHost:/)
  })

  it("a request is rejected if no host is trusted, and the log names AUTH_URL and the host of the request", async () => {
    const app = await start({ create, config: { trustHost: false } })
    const page = await app.browser().get("/auth/signin")
    expect([page.status, await textOf(page)]).toEqual([500, expect.stringContaining("its log says more")])
    const [line = ""] = terminal.lines("[latchkey][error][untrusted-host]")
    expect(line).toContain(app.address)
    expect(line).toContain("Set AUTH_URL to the site's address")
  })

  it("an untrusted proxy that ends TLS is logged once with the line to add", async () => {
    const app = await start({ create })
    const headers = { "x-forwarded-proto": "https", "x-forwarded-host": "shop.test" }
    const browser = app.browser({ origin: "https://shop.test", headers })
    await browser.get("/auth/signin")
    await browser.get("/auth/signin")
    const [line = "", ...more] = terminal.lines("[latchkey]")
    expect(more).toEqual([])
    expect(line).toMatch(
      /^\[latchkey\]\[warn\]\[untrusted-proxy\] .*assumed to be http:\/\/.*app\.set\("trust proxy", 1\)$/,
    )
  })

  it("SEC-05: an untrusted proxy is logged once with the line to add, even if AUTH_URL is set", async () => {
    const app = await start({ create, env: { AUTH_URL: "https://shop.test" } })
    const browser = app.browser({ origin: "https://shop.test", headers: { "x-forwarded-for": "192.0.2.1" } })
    await browser.get("/auth/signin")
    await browser.get("/auth/signin")
    expect(terminal.lines("[latchkey]")).toEqual([
      expect.stringMatching(
        /^\[latchkey\]\[warn\]\[untrusted-proxy\] .*limits per client.*app\.set\("trust proxy", 1\)$/,
      ),
    ])
  })

  it("a malformed X-Forwarded-Host gets 400 without a stack trace, and one log line", async () => {
    const app = await start({ create, setup: (server) => server.set("trust proxy", true) })
    const page = await app.browser({ headers: { "x-forwarded-host": "a b%" } }).get("/auth/signin")
    expect([page.status, await page.text()]).toEqual([400, expect.not.stringContaining("at ")])
    expect(terminal.lines("[latchkey]")).toEqual([expect.stringContaining("[host-invalid] BadRequest: the request")])
  })

  it("useSecureCookies: false on an HTTPS site causes one warning", async () => {
    const env = { AUTH_URL: "https://shop.test" }
    const app = await start({ create, env, config: { useSecureCookies: false } })
    const browser = app.browser({ origin: "https://shop.test" })
    await browser.get("/auth/signin")
    await browser.get("/auth/signin")
    expect(terminal.lines("[latchkey]")).toEqual([
      expect.stringMatching(
        /^\[latchkey\]\[warn\]\[cookie-not-secure\] the site is on https:\/\/shop\.test.*Remove useSecureCookies$/,
      ),
    ])
  })

  it("useSecureCookies: true on an HTTP site causes a warning, and the rejected form logs the reason", async () => {
    const app = await start({ create, config: { useSecureCookies: true } })
    const browser = app.browser({ origin: "http://shop.test" })
    const page = await signIn(browser)
    expect(page.location).toBe("http://shop.test/auth/signin?error=MissingCSRF")
    const [cookies = "", refusal = ""] = terminal.lines("[latchkey]")
    expect(cookies).toMatch(/^\[latchkey\]\[warn\]\[cookie-refused\] .*set AUTH_URL to the site's https address$/)
    expect(refusal).toMatch(/\[csrf-cookie-missing\].*cookies are Secure, but the site is on http:\/\/shop\.test/)
  })
})

describe("a mobile app's address as callbackUrl", () => {
  it("is rejected in the query with 400, and the log names the form field and callbacks.redirect", async () => {
    const app = await start({})
    const page = await app.browser().get("/auth/signin?callbackUrl=myapp://signed-in")
    expect(page.status).toBe(400)
    expect(terminal.text()).toMatch(
      /\[callback-url-invalid\].*form field callbackUrl .*callbacks\.redirect: npx latchkey explain/,
    )
  })

  it("is replaced by the front page in a form, and the log explains it once", async () => {
    const app = await start({})
    for (let i = 0; i < 2; i++) {
      const page = await signIn(app.browser(), "/auth", { callbackUrl: "myapp://signed-in/home" })
      expect(page.location).toBe(`${app.address}/`)
    }
    expect(terminal.lines("[latchkey]")).toEqual([
      expect.stringMatching(
        /^\[latchkey\]\[warn\]\[callback-url-other-site\] a return URL is on myapp:\/\/signed-in, .*callbacks\.redirect: npx latchkey explain/,
      ),
    ])
  })

  it("is accepted by the redirect callback that `explain` shows, which rejects other addresses", async () => {
    const ours = ["myapp://signed-in"]
    const redirect = ({ url, baseUrl }: { url: string; baseUrl: string }) => {
      const { origin, protocol, host, href } = new URL(url, baseUrl)
      return origin === baseUrl || ours.includes(`${protocol}//${host}`) ? href : baseUrl
    }
    const app = await start({ config: { providers: [people()], callbacks: { redirect } } })
    const landingUrl = async (callbackUrl: string) =>
      (await signIn(app.browser(), "/auth", { callbackUrl })).headers.get("location")
    expect(await landingUrl("myapp://signed-in/home")).toBe("myapp://signed-in/home")
    expect(await landingUrl("/account")).toBe(`${app.address}/account`)
    expect(await landingUrl("myapp://signed-in.evil/home")).toBe(app.address)
    expect(terminal.text()).toBe("")
  })
})
