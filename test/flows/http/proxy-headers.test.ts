/**
 * RED-11 and RED-13: proxy headers from clients that are not trusted proxies. Trusted proxies are tested in
 * `test/express/origin.test.ts`.
 *
 * @module
 */
import { configOf, signIn } from "../../express/support/servers.js"
import { describeServers } from "../../support/apps.js"
import { sendRaw } from "../../support/raw-request.js"
import { guardProcess } from "../support/guard.js"
import { sessionOf } from "../support/site.js"

guardProcess()

const EVIL = "evil.test"

/** Headers of clients that `trust proxy` does not include. */
const CLAIMS: readonly (readonly [name: string, headers: Record<string, string>])[] = [
  ["another host", { "x-forwarded-host": EVIL }],
  ["a list of hosts", { "x-forwarded-host": `${EVIL}, app.test` }],
  ["a list with an empty first item", { "x-forwarded-host": `, ${EVIL}` }],
  ["a host with a port", { "x-forwarded-host": `${EVIL}:8443` }],
  ["an IPv6 host", { "x-forwarded-host": "[2001:db8::1]:8443" }],
  ["a host in upper case", { "x-forwarded-host": EVIL.toUpperCase() }],
  ["an invalid host", { "x-forwarded-host": `${EVIL}/x y` }],
  ["a host, a scheme and a port", { "x-forwarded-host": EVIL, "x-forwarded-proto": "https", "x-forwarded-port": "1" }],
  ["a host in Forwarded (RFC 7239)", { forwarded: `for=192.0.2.1;host=${EVIL};proto=https` }],
  ["a list in Forwarded", { forwarded: `host="${EVIL}:443", host=app.test;proto=https` }],
  [
    "a host in other headers",
    { "x-host": EVIL, "x-original-host": EVIL, "x-forwarded-server": EVIL, "x-http-host-override": EVIL },
  ],
  [
    "a URL in other headers",
    { "x-original-url": `//${EVIL}/`, "x-rewrite-url": `//${EVIL}/`, "x-forwarded-prefix": `/${EVIL}` },
  ],
]

const SCHEMES = ["http", "https", "HTTP", "HTTPS", "http, https", "https,http", "ws", "javascript", ":"]

describeServers("Untrusted proxy headers", (start, stage) => {
  it.each(CLAIMS)("RED-11: do not change URLs, pages, cookies or sessions: %s", async (_name, headers) => {
    const app = await start(configOf())
    const browser = app.browser({ headers })
    const { credentials } = await (await browser.get("/auth/providers")).json()
    expect(credentials).toMatchObject({
      signinUrl: `${app.origin}/auth/signin/credentials`,
      callbackUrl: `${app.origin}/auth/callback/credentials`,
    })
    for (const path of ["signin?callbackUrl=%2Fx", "signout", "error?error=Verification", "verify-request"]) {
      const page = await browser.get(`/auth/${path}`)
      const text = `${await page.text()}${JSON.stringify([...page.headers])}`
      expect([path, text.toLowerCase().includes(EVIL), text.includes("2001:")]).toEqual([path, false, false])
    }
    expect((await signIn(browser, "/auth", { callbackUrl: "/x" })).location).toBe(`${app.origin}/x`)
    expect(
      browser
        .cookies()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(["authjs.callback-url", "authjs.csrf-token", "authjs.session-token"])
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "ada" } })
    expect(app.errors).toEqual([])
  })

  it("RED-11: have no effect if they are sent twice", async () => {
    const app = await start(configOf())
    const headers = { "x-forwarded-host": [EVIL, EVIL], "x-forwarded-proto": ["https", "https"] }
    for (const path of ["/auth/providers", "/auth/signin", "/auth/csrf"]) {
      const { status, headers: answered, text } = await sendRaw(app, stage, { path, headers })
      expect([path, status, text.includes(EVIL)]).toEqual([path, 200, false])
      expect(answered.getSetCookie().join("\n")).not.toMatch(/__(?:Host|Secure)-|; Secure/)
    }
  })

  it.each(SCHEMES)("RED-13: X-Forwarded-Proto: %s does not weaken the cookies of an https site", async (scheme) => {
    const app = await start(configOf(), { origin: "https://app.test" })
    const browser = app.browser({ headers: { "x-forwarded-proto": scheme } })
    const signInPage = await browser.get("/auth/signin?callbackUrl=%2Fx")
    const page = await signIn(browser)
    const written = [...signInPage.headers.getSetCookie(), ...page.headers.getSetCookie()]
    // The sign-in renews the CSRF token.
    expect(written.map((cookie) => cookie.replace(/=.*/, "")).sort()).toEqual([
      "__Host-authjs.csrf-token",
      "__Host-authjs.csrf-token",
      "__Secure-authjs.callback-url",
      "__Secure-authjs.session-token",
    ])
    for (const cookie of written) expect(cookie).toContain("; Secure")
    // The session is the same with and without the header.
    const plain = app.browser()
    for (const cookie of browser.jar.all()) plain.jar.put(cookie)
    for (const client of [browser, plain]) expect(await sessionOf(client)).toMatchObject({ user: { name: "ada" } })
    await plain.post("/auth/signout", { csrfToken: await plain.csrf() }, { headers: { "x-forwarded-proto": scheme } })
    expect(await sessionOf(plain)).toBeNull()
  })

  it.each(SCHEMES)("RED-13: X-Forwarded-Proto: %s does not make the cookies of an http site secure", async (scheme) => {
    const app = await start(configOf())
    const browser = app.browser({ headers: { "x-forwarded-proto": scheme } })
    const page = await signIn(browser)
    expect(page.location).toBe(`${app.origin}/`)
    expect(page.headers.getSetCookie().join("\n")).not.toMatch(/__(?:Host|Secure)-|; Secure/)
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "ada" } })
  })
})
