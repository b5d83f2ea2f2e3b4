/**
 * RED-14 and RED-15: unsupported methods, method overrides, and malformed or unknown paths.
 *
 * @module
 */
import { METHODS } from "node:http"
import { configOf, people, signIn } from "../../express/support/servers.js"
import { describeServers, recordingLogger, type StageName } from "../../support/apps.js"
import { sendRaw } from "../../support/raw-request.js"
import { guardProcess } from "../support/guard.js"
import { mailbox } from "../support/mail.js"
import { memoryStore } from "../support/memory-adapter.js"
import { flowCookies, openCallback, sessionOf, startAndApprove, startSite } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

/** The paths and their allowed methods. */
const ALLOWED = {
  ...{ csrf: "GET, HEAD", providers: "GET, HEAD", error: "GET, HEAD", "verify-request": "GET, HEAD" },
  ...{ session: "GET, HEAD, POST", signin: "GET, HEAD, POST", "signin/credentials": "GET, HEAD, POST" },
  ...{ signout: "GET, HEAD, POST", "callback/credentials": "POST", "callback/mail": "GET, HEAD, POST" },
  ...{ "callback/oidc": "GET, HEAD" },
}

const fullConfig = () =>
  configOf({
    providers: [people(), op.oidc(), mailbox().provider],
    adapter: memoryStore().adapter,
    session: { strategy: "jwt" },
  })

/** Unsupported methods that Node and `Request` accept. */
const unsupportedMethods = (stage: StageName) =>
  stage === "Auth()"
    ? ["OPTIONS", "PROPFIND", "PURGE", "QUERY", "FOO", "patch", "Propfind", "X", "GET2"]
    : METHODS.filter((method) => !["GET", "HEAD", "POST", "CONNECT"].includes(method))

describeServers("Unsupported methods", (start, stage) => {
  it("RED-14: get 405 with Allow", async () => {
    const log = recordingLogger()
    const app = await start({ ...fullConfig(), logger: log.logger })
    const methods = unsupportedMethods(stage)
    const sample = methods.filter((_, i) => i % 6 === 0)
    for (const [action, allow] of Object.entries(ALLOWED))
      for (const method of action === "session" ? methods : sample) {
        const { status, headers, text } = await sendRaw(app, stage, { path: `/auth/${action}`, method })
        expect([method, action, status, headers.get("allow")]).toEqual([method, action, 405, allow])
        expect([headers.getSetCookie(), text.includes("    at ")]).toEqual([[], false])
      }
    expect(log.records.filter(({ level }) => level === "error")).toEqual([])
    expect(app.errors).toEqual([])
  })

  it("RED-14: get 405 even with a body, which is not read", async () => {
    const app = await start(fullConfig())
    const headers = { "content-type": "application/json", "content-length": "1000000" }
    const body = Buffer.alloc(1_000_000, "x").toString()
    const page =
      stage === "Auth()"
        ? await app.browser().request("/auth/session", { method: "PUT", body })
        : await sendRaw(app, stage, { path: "/auth/session", method: "PUT", headers, body })
    expect([page.status, page.headers.get("allow")]).toEqual([405, "GET, HEAD, POST"])
  })

  it("RED-14: reach the application on its own paths", async () => {
    const app = await start(fullConfig())
    for (const method of ["PUT", "OPTIONS", "PROPFIND"]) {
      const { status, headers } = await sendRaw(app, stage, { path: "/public", method })
      expect([method, status, headers.get("allow")]).toEqual([method, 200, null])
    }
  })
})

describeServers("Method overrides", (start, stage) => {
  const OVERRIDES = ["x-http-method-override", "x-http-method", "x-method-override"]

  it.each(["?_method=POST", "?_method=DELETE&method=post", ""])(
    "RED-14: do not turn a GET with the query %j into a POST",
    async (query) => {
      const browser = (await start(fullConfig())).browser()
      await signIn(browser)
      const headers = Object.fromEntries(OVERRIDES.map((name) => [name, "POST"]))
      const csrfToken = await browser.csrf()
      for (const path of ["/auth/signout", "/auth/session"]) {
        const page = await browser.get(`${path}${query}${query && "&"}${query ? `csrfToken=${csrfToken}` : ""}`, {
          headers,
        })
        expect([path, page.status]).toEqual([path, 200])
      }
      expect(await sessionOf(browser)).toMatchObject({ user: { name: "ada" } })
    },
  )

  it.each(["GET", "DELETE", "foo"])("RED-14: do not turn a POST into a %s", async (method) => {
    const browser = (await start(fullConfig())).browser()
    await signIn(browser)
    const headers = Object.fromEntries(OVERRIDES.map((name) => [name, method]))
    const fields = { csrfToken: await browser.csrf(), _method: method }
    const page = await browser.post("/auth/signout", fields, { headers })
    expect([page.status, await sessionOf(browser)]).toEqual([302, null])
  })

  it("RED-14: a HEAD request to the callback does not use up the authorization response", async () => {
    const site = await startSite({ start, stage, op })
    const browser = site.app.browser()
    const back = await startAndApprove(browser, op)
    const head = await browser.request(back, { method: "HEAD" })
    expect([head.status, head.headers.getSetCookie(), await head.text()]).toEqual([200, [], ""])
    expect([op.count("/token"), flowCookies(browser).length, site.failures()]).toEqual([0, 1, []])
    await openCallback(browser, op, back)
    expect(await sessionOf(browser)).not.toBeNull()
  })
})

/** One trailing slash is accepted. */
const SERVED = ["/auth/csrf/", "/auth/signin/credentials/"]
/** `Request` normalizes these before the middleware, like browsers. The result is a page or another host. */
const DOTS = [
  "//auth/csrf",
  "/auth/./csrf",
  "/auth/signin/../csrf",
  "/auth/csrf/..",
  "/auth/signin/%2e%2E",
  "/auth/%2e/csrf",
]
const ODD = [
  ..."/auth//csrf /auth/csrf// /auth/signin//credentials /auth/signin/credentials//".split(" "),
  ..."/auth/csrf%00 /auth/csrf%2f /auth/csrf%2F.. /auth/csrf;x=1 /auth/csrf.json /auth/CSRF /auth/%63srf".split(" "),
  ..."/auth%2fcsrf /%61uth/csrf /auth/csrf%20 /auth/csrf%0d%0aset-cookie:x=1 /auth/csrf%c0%af".split(" "),
  ..."/auth/signin/% /auth/signin/%zz /auth/signin/%ff%fe /auth/signin/%C0%AF /auth/signin/a%2fb".split(" "),
  ..."/auth/signin/cred%65ntials /auth/signin/credentials%00 /auth/signin/Credentials /auth/signin/cr%C3%A9".split(" "),
  ..."/auth/signin/__proto__ /auth/signin/toString /auth/signin/valueOf /auth/signin/constructor".split(" "),
  ..."/auth/callback/__proto__ /auth/callback/hasOwnProperty /auth/webauthn-options/__proto__".split(" "),
  ..."/auth/toString /auth/__proto__/csrf /auth/assets/__proto__ /auth/assets/..%2f..%2fpackage.json".split(" "),
  ..."/auth/assets/styles.css /auth/assets/styles.aaaaaaaaaaaaaaaaaaaaaa.css /auth/assets/%2e%2e%5cpackage.json".split(
    " ",
  ),
  ...[`/auth/${"a".repeat(8000)}`, `/auth/signin/${"%41".repeat(2000)}`, `/auth${"/a".repeat(3000)}`],
]

describeServers("Malformed and unknown paths", (start, stage) => {
  it("RED-15: get 404 without names of providers, and log no error", async () => {
    const log = recordingLogger()
    const app = await start({ ...fullConfig(), logger: log.logger })
    for (const path of [...ODD, ...(stage === "Auth()" ? [] : DOTS)]) {
      const { status, headers, text } = await sendRaw(app, stage, { path })
      const leaks = [/credentials|oidc|mail/.test(text.replaceAll(path, "")), text.includes("    at ")]
      expect([path, status, ...leaks]).toEqual([path, 404, false, false])
      expect(headers.getSetCookie().join()).not.toContain("session")
    }
    expect(log.records.filter(({ level }) => level === "error")).toEqual([])
    expect(app.errors).toEqual([])
  })

  it.each(SERVED)("RED-15: a path with one trailing slash is served: %s", async (path) => {
    const { status } = await sendRaw(await start(fullConfig()), stage, { path })
    expect(status).toBe(200)
  })

  it.each(["__proto__", "constructor", "toString", "valueOf", "hasOwnProperty", "%5f_proto__", "credentials%00"])(
    "RED-15: the provider id %s gets 404",
    async (id) => {
      const app = await start(fullConfig())
      const browser = app.browser()
      const csrfToken = await browser.csrf()
      for (const path of [`/auth/signin/${id}`, `/auth/callback/${id}`]) {
        const page = await browser.post(path, { csrfToken, username: "ada", password: "right", email: "a@b.test" })
        expect([path, page.status, page.location]).toEqual([path, 404, ""])
        const json = await browser.post(path, { csrfToken }, { headers: { "x-auth-return-redirect": "1" } })
        expect([path, json.status]).toEqual([path, 404])
      }
      expect(await sessionOf(browser)).toBeNull()
    },
  )
})
