import express, { type Express } from "express"
import express4 from "express4"
import { authMiddleware } from "../../lib/index.js"
import type { AuthConfig } from "../../lib/types.js"
import { rawRequest } from "../support/raw-request.js"
import { recordingLogger } from "../support/recording-logger.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { configOf, servers, signIn, withEnv } from "./support/servers.js"

failOnUnhandled()
const serve = servers()

const VERSIONS: [string, () => Express][] = [
  ["Express 5", express],
  ["Express 4", express4],
]

interface StartOptions {
  trustProxy?: unknown
  env?: Record<string, string | undefined>
  over?: Partial<AuthConfig>
}

/** An application that exposes its origin in three ways. */
async function start(create: () => Express, { trustProxy, env = {}, over = {} }: StartOptions = {}) {
  const app = create()
  if (trustProxy !== undefined) app.set("trust proxy", trustProxy)
  app.use(withEnv(env, () => authMiddleware(configOf(over))))
  app.get("/me", async (req, res, next) => {
    try {
      res.json({ session: await req.getSession(), base: res.locals["auth"].signInUrl })
    } catch (error) {
      next(error)
    }
  })
  app.use(((error, _req, res, _next) => {
    res.status(error.status ?? 500).json({ type: error.type, message: error.expose ? error.message : "" })
  }) as express.ErrorRequestHandler)
  return serve(app)
}

describe.each(VERSIONS)("the site's origin on %s", (_version, create) => {
  const EVIL = { "x-forwarded-host": "evil.test", "x-forwarded-proto": "https" }

  it.each([
    ["RED-11: does not depend on X-Forwarded-* without trust proxy", undefined, "http://app.test"],
    ["RED-11: is taken from X-Forwarded-* with trust proxy", true, "https://evil.test"],
    ["RED-11: is taken from X-Forwarded-* with one trusted hop", 1, "https://evil.test"],
    ["RED-11: is taken from X-Forwarded-* of a loopback address if that is trusted", "loopback", "https://evil.test"],
    ["RED-11: does not depend on X-Forwarded-* of other addresses than the proxy's", "10.0.0.1", "http://app.test"],
    ["RED-11: does not depend on X-Forwarded-* with zero hops", 0, "http://app.test"],
  ])("%s", async (_name, trustProxy, expected) => {
    const server = await start(create, { trustProxy })
    const browser = server.browser({ origin: "http://app.test", headers: EVIL })
    const { credentials } = await (await browser.get("/auth/providers")).json()
    expect(new URL(credentials.signinUrl).origin).toBe(expected)
    const { base } = await (await browser.get("/me")).json()
    expect(base).toBe(`${expected}/auth/signin`)
    const prefix = expected.startsWith("https:") ? "__Host-" : ""
    const [cookie] = (await browser.get("/auth/csrf")).headers.getSetCookie()
    expect(cookie?.startsWith(`${prefix}authjs.csrf-token=`)).toBe(true)
  })

  it("is the first of several forwarded hosts", async () => {
    const server = await start(create, { trustProxy: true })
    const headers = { "x-forwarded-host": "app.test, inner.test", "x-forwarded-proto": "https, http" }
    const { base } = await (await server.browser({ headers }).get("/me")).json()
    expect(base).toBe("https://app.test/auth/signin")
  })

  it("keeps the port of a forwarded host", async () => {
    const server = await start(create, { trustProxy: true })
    const { base } = await (
      await server.browser({ headers: { "x-forwarded-host": "app.test:8443" } }).get("/me")
    ).json()
    expect(base).toBe("http://app.test:8443/auth/signin")
  })

  it.each([
    ["a scheme in upper case", { "x-forwarded-proto": "HTTPS" }, "https://inner.test"],
    ["a list of schemes with spaces", { "x-forwarded-proto": " https , http" }, "https://inner.test"],
    ["two X-Forwarded-Proto headers", { "x-forwarded-proto": ["https", "http"] }, "https://inner.test"],
    ["an empty scheme", { "x-forwarded-proto": "" }, "http://inner.test"],
    ["an empty host", { "x-forwarded-host": "" }, "http://inner.test"],
    ["no host before a comma", { "x-forwarded-host": ", evil.test" }, "http://inner.test"],
    ["two X-Forwarded-Host headers", { "x-forwarded-host": ["app.test", "evil.test"] }, "http://app.test"],
    ["a host in upper case", { "x-forwarded-host": "APP.Test" }, "http://app.test"],
    ["a host with a trailing dot", { "x-forwarded-host": "app.test." }, "http://app.test."],
    ["an IPv6 host", { "x-forwarded-host": "[2001:DB8::1]:8443" }, "http://[2001:db8::1]:8443"],
    [
      "the default port of the scheme",
      { "x-forwarded-host": "app.test:443", "x-forwarded-proto": "https" },
      "https://app.test",
    ],
  ])("RED-11, RED-13: is taken from a trusted proxy that sends %s", async (_name, headers, expected) => {
    const server = await start(create, { trustProxy: true })
    const ask = (path: string) => rawRequest(server.address, { path, headers: { ...headers, host: "inner.test" } })
    const { credentials } = JSON.parse((await ask("/auth/providers")).text)
    expect(credentials.signinUrl).toBe(`${expected}/auth/signin/credentials`)
    expect(JSON.parse((await ask("/me")).text)).toEqual({ session: null, base: `${expected}/auth/signin` })
    const [cookie] = (await ask("/auth/csrf")).headers.getSetCookie()
    expect(cookie?.startsWith("__Host-")).toBe(expected.startsWith("https:"))
  })

  it("RED-11: is not taken from an invalid X-Forwarded-Host, which is rejected without setting a cookie", async () => {
    const server = await start(create, { trustProxy: true })
    const hosts = ["a b", "evil.test/x", "user@evil.test", "app.test:", "app.test:99999", ":80", "[::1", "a#b", "a?b"]
    const odd = [
      "app.test\\@evil.test",
      "%65vil.test",
      "http://evil.test",
      "a;b",
      "<svg>",
      "b\u00fccher.test",
      ".",
      "*",
    ]
    for (const host of [...hosts, ...odd])
      for (const path of ["/auth/signin", "/auth/session", "/me"]) {
        const page = await rawRequest(server.address, { path, headers: { "x-forwarded-host": host } })
        expect([host, path, page.status, page.headers.getSetCookie()]).toEqual([host, path, 400, []])
        expect(page.text).not.toContain("evil.test")
      }
  })

  it("RED-13: does not let a client change the cookie prefixes", async () => {
    const server = await start(create, { over: { useSecureCookies: true } })
    const headers = { "x-forwarded-proto": "http" }
    const browser = server.browser({ origin: "https://app.test", headers })
    const cookies = (await browser.get("/auth/csrf")).headers.getSetCookie()
    expect(cookies.every((cookie) => /^__(Host|Secure)-.*; Secure/.test(cookie))).toBe(true)
  })

  it("RED-13: uses https behind a TLS-terminating proxy, so that sign-in works", async () => {
    const server = await start(create, { trustProxy: 1 })
    const headers = { "x-forwarded-proto": "https", "x-forwarded-host": "app.test", host: "10.0.0.5:8080" }
    const browser = server.browser({ origin: "https://app.test", headers })
    expect((await signIn(browser)).location).toBe("https://app.test/")
    expect(browser.cookies().map(({ name }) => name)).toContain("__Secure-authjs.session-token")
    const { session } = await (await browser.get("/me")).json()
    expect(session.user.name).toBe("ada")
  })

  it("ADV-01: is that of AUTH_URL, regardless of Host and X-Forwarded-Host", async () => {
    const env = { AUTH_URL: "https://app.test/auth" }
    const server = await start(create, { env, trustProxy: true })
    const browser = server.browser({ origin: "https://app.test", headers: { ...EVIL, host: "evil.test" } })
    const page = await signIn(browser, "/auth", { callbackUrl: "https://evil.test/x" })
    expect([page.status, page.location]).toEqual([302, "https://app.test/"])
    const { base, session } = await (await browser.get("/me")).json()
    expect([base, session.user.name]).toEqual(["https://app.test/auth/signin", "ada"])
    const { credentials } = await (await browser.get("/auth/providers")).json()
    expect(credentials.callbackUrl).toBe("https://app.test/auth/callback/credentials")
    const texts = await Promise.all(
      ["/auth/signin", "/auth/signout", "/auth/error?error=Verification", "/auth/verify-request"].map(async (path) =>
        (await browser.get(path)).text(),
      ),
    )
    expect(texts.filter((text) => text.includes("evil.test"))).toEqual([])
  })

  it.each([undefined, false])(
    "ADV-02: is required in production, so the application does not start without it and with trustHost: %s",
    async (trustHost) => {
      const starting = start(create, { env: { NODE_ENV: "production" }, over: { trustHost } })
      await expect(starting).rejects.toThrow(
        /trustHost: .*AUTH_URL=https:\/\/example\.com.*\["example\.com"\].*\[untrusted-host\]/,
      )
    },
  )

  it("ADV-02: is not taken from a request if no host is trusted", async () => {
    const log = recordingLogger()
    const server = await start(create, { over: { logger: log.logger, trustHost: false } })
    const browser = server.browser({ origin: "http://evil.test" })
    const page = await browser.get("/auth/session")
    const body = await page.text()
    expect([page.status, page.headers.getSetCookie(), body.includes("evil")]).toEqual([500, [], false])
    const [record] = log.records.filter(({ level }) => level === "error")
    expect(record?.error).toMatchObject({ type: "UntrustedHost" })
    expect(record?.error?.message).toContain("http://evil.test/auth/session")
    expect(record?.error?.message).toMatch(/AUTH_URL.*trustHost/)
    expect(log.records.filter(({ level }) => level === "error")).toHaveLength(1)
  })

  it.each([
    ["trustHost", { over: { trustHost: true } }],
    ["AUTH_TRUST_HOST", { env: { AUTH_TRUST_HOST: "true" } }],
    ["AUTH_URL", { env: { AUTH_URL: "http://app.test" } }],
  ])("ADV-02: is accepted in production with %s", async (_name, startOptions: StartOptions) => {
    const server = await start(create, { ...startOptions, env: { NODE_ENV: "production", ...startOptions.env } })
    expect((await server.browser({ origin: "http://app.test" }).get("/auth/session")).status).toBe(200)
  })

  it("is not taken from an invalid Host, which is rejected with 400", async () => {
    const server = await start(create)
    const hosts = ["a b", "evil.test/x", "user@evil.test", "a\\b", "a,b", "[::1", "x:99999", "a#b", "a?b", "<svg>"]
    for (const host of hosts) {
      const page = await rawRequest(server.address, { path: "/auth/csrf", headers: { host } })
      expect([host, page.status, page.headers.getSetCookie()]).toEqual([host, 400, []])
    }
    expect((await server.browser().get("/auth/csrf")).status).toBe(200)
  })

  it("FLT-01: is not taken from a malformed X-Forwarded-* header, which is rejected while the process continues", async () => {
    const server = await start(create, { trustProxy: true })
    for (const headers of [
      { "x-forwarded-host": "a b" },
      { "x-forwarded-proto": ":" },
      { "x-forwarded-proto": "ftp" },
    ]) {
      const browser = server.browser({ headers })
      const [action, route] = [await browser.get("/auth/session"), await browser.get("/me")]
      expect([action.status, route.status]).toEqual([400, 400])
    }
    expect((await server.browser().get("/me")).status).toBe(200)
  })

  it("FLT-01: is not affected by malformed headers that are not trusted", async () => {
    const server = await start(create)
    const headers = { "x-forwarded-host": "a b", "x-forwarded-proto": ":", cookie: "authjs.callback-url=notaurl; %=%" }
    const browser = server.browser({ headers })
    expect(await (await browser.get("/me")).json()).toMatchObject({ session: null })
    expect(await (await browser.get("/auth/session")).json()).toBeNull()
  })
})

it("ADV-18: a path that begins with two slashes leads to this site after sign-in", async () => {
  const { requireAuth } = await import("../../lib/index.js")
  const app = express().use(authMiddleware(configOf()))
  app.use(requireAuth, (_req, res) => void res.send("in"))
  const server = await serve(app)
  for (const path of ["//evil.test/%2e%2e", "/\\evil.test", "///evil.test", "//evil.test:80/x?y"]) {
    const browser = server.browser({ origin: "http://app.test" })
    const guarded = await browser.get(`http://app.test${path}`)
    const callbackUrl = new URL(guarded.location).searchParams.get("callbackUrl") ?? ""
    await browser.get(guarded.location)
    const signedIn = await signIn(browser, "/auth", { callbackUrl })
    expect(new URL(signedIn.location).origin).toBe("http://app.test")
    expect(new URL(signedIn.location).pathname).not.toMatch(/^\/\//)
  }
})
