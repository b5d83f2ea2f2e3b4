/**
 * Further cases of SES-01, SES-12, SES-14 and SES-15: attributes, values and sizes of cookies.
 *
 * @module
 */
import type { AuthConfig } from "../../../lib/types.js"
import { configOf, signIn } from "../../express/support/servers.js"
import { describeServers, recordingLogger, shapesOn } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { parseSetCookie } from "../../support/cookie-jar.js"
import { EVIL } from "../support/evil-urls.js"
import { guardProcess } from "../support/guard.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const NAME = "authjs.session-token"
const RETURN_URL = "authjs.callback-url"
const ADA = { user: { name: "ada" } }
const READS = ["/auth/session", "/me"]
const read = async (browser: Browser, path = "/auth/session") => (await browser.get(path)).json()
const listSessionCookies = (browser: Browser) =>
  browser.cookies().flatMap(({ name }) => (name.startsWith(NAME) ? [name] : []))

/** Expects that browsers accept each `Set-Cookie`, with the attributes that its prefix requires (RFC 6265bis §4.1.3). */
function expectAccepted(headers: readonly string[], isSecure: boolean, domains: readonly string[] = []): void {
  for (const header of headers) {
    const { name, value, attributes } = parseSetCookie(header)
    expect([name, attributes]).toEqual([
      name,
      expect.objectContaining({ path: "/", httponly: "", samesite: "Lax", ...(isSecure && { secure: "" }) }),
    ])
    expect([name, /^__(?:Host|Secure)-authjs\./.test(name)]).toEqual([name, isSecure])
    expect([name, "secure" in attributes]).toEqual([name, isSecure])
    expect([name, "domain" in attributes]).toEqual([name, domains.includes(name)])
    expect(Buffer.byteLength(name + value)).toBeLessThanOrEqual(4096)
  }
}

describeServers("cookies: further variants", (start, stage) => {
  const rows = shapesOn(stage)
  const op = useProvider()

  it.each(
    rows<[string, string, Partial<AuthConfig>, boolean, string[]]>([
      ["over https", "https://app.test", {}, true, []],
      ["over http", "http://app.test", {}, false, []],
      ["over http with useSecureCookies: true", "http://app.test", { useSecureCookies: true }, true, []],
      ["over https with useSecureCookies: false", "https://app.test", { useSecureCookies: false }, false, []],
      [
        "with a domain for the session cookie only",
        "https://app.test",
        { cookies: { sessionToken: { options: { domain: "app.test" } } } },
        true,
        [`__Secure-${NAME}`],
      ],
    ]),
  )("SES-01: have all attributes when they are set and cleared, %s", async (_, origin, config, isSecure, domains) => {
    const providers = [...configOf().providers, op.oidc()]
    const app = await start(configOf({ ...config, providers }), { origin })
    const browser = app.browser({ secure: true })
    const setCookies: string[] = []
    const record = async (page: ReturnType<Browser["get"]>) =>
      void setCookies.push(...(await page).headers.getSetCookie())
    await record(browser.get("/auth/signin?callbackUrl=%2Fx"))
    const csrfToken = await browser.csrf()
    await record(signIn(browser, "/auth", { password: "wrong" }))
    await record(browser.post("/auth/signin/oidc", { csrfToken }))
    await record(browser.get("/auth/callback/oidc?error=access_denied&state=none"))
    await record(signIn(browser))
    await record(browser.get("/auth/session"))
    // The sign-in has renewed the CSRF token.
    await record(browser.post("/auth/signout", { csrfToken: await browser.csrf() }))
    const names = new Set(
      setCookies.map((header) =>
        parseSetCookie(header)
          .name.replace(/^__\w+-/, "")
          .replace(/\..{16}$/, ""),
      ),
    )
    expect([...names].sort()).toEqual(expect.arrayContaining([RETURN_URL, "authjs.csrf-token", NAME, "authjs.state"]))
    expectAccepted(setCookies, isSecure, domains)
    expect(browser.cookies().filter(({ name }) => name.includes(NAME))).toEqual([])
  })

  it.each(
    rows([
      ...EVIL,
      "https%3A%2F%2Fevil.test",
      "\r\nSet-Cookie: a=b",
      "/\r\nLocation: https://evil.test",
      "\u0000",
      "\ufffd",
      '"https://evil.test"',
      `https://evil.test/${"x".repeat(3_500)}`,
      `/${"\u65e5".repeat(400)}`,
      `javascript:${"x".repeat(3_500)}`,
    ]),
  )("SES-12: a callback-url cookie of %.60j does not lead to another site", async (planted) => {
    for (const origin of ["http://app.test", "https://app.test"]) {
      const { browser: newBrowser } = await start(configOf(), { origin })
      const name = origin.startsWith("https:") ? `__Secure-${RETURN_URL}` : RETURN_URL
      const values = [encodeURIComponent(planted), ...(/^[\x21-\x3a\x3c-\x7e]+$/.test(planted) ? [planted] : [])]
      for (const value of values) {
        const browser = newBrowser()
        browser.setCookie(name, value)
        for (const path of [...READS, "/auth/signin", "/auth/signout"]) {
          const page = await browser.get(path)
          expect([path, page.status, page.location]).toEqual([path, 200, ""])
          if (path.startsWith("/auth/sign"))
            for (const { fields } of browser.forms(await page.text()))
              expect(new URL(fields["callbackUrl"] ?? origin).origin).toBe(origin)
        }
        browser.setCookie(name, value)
        expect(new URL((await signIn(browser)).location).origin).toBe(origin)
        expect(new URL(decodeURIComponent(browser.cookie(name) ?? "")).origin).toBe(origin)
        browser.setCookie(name, value)
        const out = await browser.post("/auth/signout", { csrfToken: await browser.csrf() })
        expect([new URL(out.location).origin, await read(browser)]).toEqual([origin, null])
      }
    }
  })

  /** A custom encoding of sessions, with which the test controls the length of the cookie. */
  function customEncoding(encode: (text: string) => string, decode: (text: string) => string) {
    const { logger, records } = recordingLogger()
    const jwt: NonNullable<AuthConfig["jwt"]> = {
      encode: ({ token }) => encode(JSON.stringify(token)),
      decode: ({ token }) => JSON.parse(decode(token ?? "")),
    }
    return { jwt, logger, errors: () => records.filter(({ level }) => level === "error") }
  }

  it("SES-14: hold sessions of lengths around the chunk limits and leave no old chunks", async () => {
    let size = 0
    const base64url = (text: string) => Buffer.from(text).toString("base64url").padEnd(size, ".")
    const { errors, ...config } = customEncoding(base64url, (text) => Buffer.from(text, "base64url").toString())
    const { browser: newBrowser } = await start(configOf({ ...config, session: { maxCookieSize: 12_288 } }))
    const browser = newBrowser()
    await signIn(browser)
    for (size of [3_935, 11_808, 3_936, 7_873, 7_872, 3_937, 11_807, 200, 7_871]) {
      const headers = (await browser.get("/auth/session")).headers.getSetCookie()
      expectAccepted(headers, false)
      const count = Math.ceil(size / 3_936)
      expect([size, listSessionCookies(browser).sort()]).toEqual([
        size,
        count === 1 ? [NAME] : Array.from({ length: count }, (_, i) => `${NAME}.${i}`),
      ])
      for (const path of READS) expect([size, await read(browser, path)]).toEqual([size, expect.objectContaining(ADA)])
    }
    expect(errors()).toEqual([])
    // A session that is too large is not written; the previous one stays.
    const before = listSessionCookies(browser)
    size = 12_288
    expect((await browser.get("/auth/session")).headers.getSetCookie()).toEqual([])
    expect([listSessionCookies(browser), errors().map(({ code }) => code)]).toEqual([before, ["JWTSessionError"]])
    size = 200
    for (const path of READS) expect(await read(browser, path)).toMatchObject(ADA)
  })

  it.each(
    rows<[string, (text: string) => string, (text: string) => string]>([
      ["base64, whose + / and = are percent-encoded", toBase64, fromBase64],
      ["JSON, most of which is percent-encoded", String, String],
      ["non-ASCII text", (text) => `\u65e5\u672c${text}`, (text) => text.slice(2)],
      ["text with surrogate pairs", (text) => `\u{1f511}${text}`, (text) => text.slice(2)],
    ]),
  )("SES-14: never exceed the size limit of browsers if the session is encoded as %s", async (_, encode, decode) => {
    let filler = ""
    let refused = 0
    const { errors, ...config } = customEncoding(encode, decode)
    const callbacks: NonNullable<AuthConfig["callbacks"]> = { jwt: ({ token }) => ({ ...token, filler }) }
    const { browser: newBrowser } = await start(configOf({ ...config, callbacks }))
    for (const text of [
      "\u00fe\u00ff".repeat(700),
      '{"a":[1]}'.repeat(300),
      "\u{1f511}".repeat(300),
      "?>".repeat(1_800),
    ]) {
      filler = text
      const browser = newBrowser()
      const { location, headers } = await signIn(browser)
      expectAccepted(headers.getSetCookie(), false)
      // Either the whole session is written, or nothing is written and an error is logged.
      if (location.includes("error")) expect([listSessionCookies(browser), errors().length]).toEqual([[], ++refused])
      else for (const path of READS) expect(await read(browser, path)).toMatchObject(ADA)
    }
  })

  it("SES-14: leave room in the request headers with a large session and several pending sign-ins", async () => {
    const callbacks: NonNullable<AuthConfig["callbacks"]> = {
      jwt: ({ token }) => ({ ...token, filler: "x".repeat(8_000) }),
    }
    const providers = [...configOf().providers, op.oidc()]
    const { browser: newBrowser } = await start(configOf({ callbacks, providers, session: { maxCookieSize: 13_000 } }))
    const browser = newBrowser()
    await signIn(browser)
    expect(listSessionCookies(browser)).toHaveLength(3)
    const csrfToken = await browser.csrf()
    for (let i = 0; i < 7; i++) {
      const callbackUrl = `/${i}/${"\u65e5".repeat(100)}`
      const { location } = await browser.post("/auth/signin/oidc", { csrfToken, callbackUrl })
      expect(location).toContain("/authorize?")
      // Node's server accepts 16 kB of headers, and the browser adds headers of its own.
      expect(browser.cookieHeader("/").length).toBeLessThan(15_000)
      expect(await read(browser, "/me")).toMatchObject(ADA)
    }
    const { location } = await browser.post("/auth/signin/oidc", { csrfToken })
    expect((await browser.get(await op.authorize(location), { from: op.issuer })).location).not.toContain("error")
  })

  it("SES-15: 150 planted sign-in cookies are cleared a few at a time, and a new sign-in succeeds", async () => {
    const browser = (await start(configOf({ providers: [op.oidc()] }))).browser()
    for (let i = 0; i < 150; i++) browser.setCookie(`authjs.state.${String(i).padStart(16, "x")}`, "y".repeat(50))
    const page = await browser.post("/auth/signin/oidc", { csrfToken: await browser.csrf() })
    // By default, nginx accepts 4 kB of response headers and responds 502 to more.
    expect(page.headers.getSetCookie().join().length).toBeLessThan(2_500)
    await browser.get(await op.authorize(page.location), { from: op.issuer })
    expect(await read(browser)).toMatchObject({ user: { name: "Alice" } })
  })
})

function toBase64(text: string): string {
  return Buffer.from(text).toString("base64")
}
function fromBase64(text: string): string {
  return Buffer.from(text, "base64").toString()
}
