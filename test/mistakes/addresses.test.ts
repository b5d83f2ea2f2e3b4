import { people, signIn } from "../express/support/servers.js"
import { EXPRESS, textOf, useApplications, useTerminal } from "./support/application.js"

const terminal = useTerminal()
const start = useApplications()

describe.each(EXPRESS)("on %s,", (_version, create) => {
  it("3: production without an address: does not start, and names AUTH_URL and trustHost", async () => {
    const starting = start({ create, env: { NODE_ENV: "production" } })
    await expect(starting).rejects.toThrow(/Set AUTH_URL=https:\/\/example\.com, or list your hosts: trustHost:/)
  })

  it("3: no trusted host: refuses, and names AUTH_URL and the host that was seen", async () => {
    const app = await start({ create, config: { trustHost: false } })
    const page = await app.browser().get("/auth/signin")
    expect([page.status, await textOf(page)]).toEqual([500, expect.stringContaining("its log says more")])
    const [line = ""] = terminal.lines("[latchkey][error][untrusted-host]")
    expect(line).toContain(app.address)
    expect(line).toContain("Set AUTH_URL to the site's address")
  })

  it("9: a proxy that ends TLS, and is not trusted: names the line to write, once", async () => {
    const app = await start({ create })
    const headers = { "x-forwarded-proto": "https", "x-forwarded-host": "shop.test" }
    const browser = app.browser({ origin: "https://shop.test", headers })
    await browser.get("/auth/signin")
    await browser.get("/auth/signin")
    const [line = "", ...more] = terminal.lines("[latchkey]")
    expect(more).toEqual([])
    expect(line).toMatch(
      /^\[latchkey\]\[warn\]\[untrusted-proxy\] .*taken to be http:\/\/.*app\.set\("trust proxy", 1\)$/,
    )
  })

  it("SEC-05: a proxy that is not trusted, with AUTH_URL: still names the line to write, once", async () => {
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

  it("15: a malformed X-Forwarded-Host: 400 for whoever sends it, no stack, and one line", async () => {
    const app = await start({ create, setup: (one) => one.set("trust proxy", true) })
    const page = await app.browser({ headers: { "x-forwarded-host": "a b%" } }).get("/auth/signin")
    expect([page.status, await page.text()]).toEqual([400, expect.not.stringContaining("at ")])
    expect(terminal.lines("[latchkey]")).toEqual([expect.stringContaining("[host-invalid] BadRequest: the request")])
  })

  it("HTTPS with plain cookies: says once that others can read them, and what to leave out", async () => {
    const env = { AUTH_URL: "https://shop.test" }
    const app = await start({ create, env, config: { useSecureCookies: false } })
    const browser = app.browser({ origin: "https://shop.test" })
    await browser.get("/auth/signin")
    await browser.get("/auth/signin")
    expect(terminal.lines("[latchkey]")).toEqual([
      expect.stringMatching(
        /^\[latchkey\]\[warn\]\[cookie-not-secure\] the site is on https:\/\/shop\.test.*Leave useSecureCookies out$/,
      ),
    ])
  })

  it("HTTP with Secure cookies: says that nobody can sign in, and the refused form says why", async () => {
    const app = await start({ create, config: { useSecureCookies: true } })
    const browser = app.browser({ origin: "http://shop.test" })
    const page = await signIn(browser)
    expect(page.location).toBe("http://shop.test/auth/signin?error=MissingCSRF")
    const [cookies = "", refusal = ""] = terminal.lines("[latchkey]")
    expect(cookies).toMatch(/^\[latchkey\]\[warn\]\[cookie-refused\] .*set AUTH_URL to the address with https:$/)
    expect(refusal).toMatch(/\[csrf-cookie-missing\].*cookies are Secure and the site is on http:\/\/shop\.test/)
  })
})

describe("an application on a phone, whose address is to be the callbackUrl,", () => {
  it("in the query: 400 for the person, and the log says how it is done", async () => {
    const app = await start({})
    const page = await app.browser().get("/auth/signin?callbackUrl=myapp://signed-in")
    expect(page.status).toBe(400)
    expect(terminal.text()).toMatch(
      /\[callback-url-invalid\].*field callbackUrl of the form.*callbacks\.redirect: npx latchkey explain/,
    )
  })

  it("in the form: the person lands on the front page, and the log says once why", async () => {
    const app = await start({})
    for (let i = 0; i < 2; i++) {
      const page = await signIn(app.browser(), "/auth", { callbackUrl: "myapp://signed-in/home" })
      expect(page.location).toBe(`${app.address}/`)
    }
    expect(terminal.lines("[latchkey]")).toEqual([
      expect.stringMatching(
        /^\[latchkey\]\[warn\]\[callback-url-elsewhere\] somebody was to land on myapp:\/\/signed-in, .*callbacks\.redirect: npx latchkey explain/,
      ),
    ])
  })

  it("with the lines that explain has: the person lands in the application, or on this site, and nowhere else", async () => {
    const ours = ["myapp://signed-in"]
    const redirect = ({ url, baseUrl }: { url: string; baseUrl: string }) => {
      const { origin, protocol, host, href } = new URL(url, baseUrl)
      return origin === baseUrl || ours.includes(`${protocol}//${host}`) ? href : baseUrl
    }
    const app = await start({ config: { providers: [people()], callbacks: { redirect } } })
    const landing = async (callbackUrl: string) =>
      (await signIn(app.browser(), "/auth", { callbackUrl })).headers.get("location")
    expect(await landing("myapp://signed-in/home")).toBe("myapp://signed-in/home")
    expect(await landing("/account")).toBe(`${app.address}/account`)
    expect(await landing("myapp://signed-in.evil/home")).toBe(app.address)
    expect(terminal.text()).toBe("")
  })
})
