/**
 * What a sibling host can do with the cookies of a site, in Chromium over https.
 *
 * @module
 */
import { createServer } from "node:https"
import express, { type RequestHandler } from "express"
import type { Browser, Page } from "playwright-core"
import { authMiddleware } from "../../lib/index.js"
import Credentials from "../../lib/providers/credentials.js"
import type { AuthConfig } from "../../lib/types.js"
import { SELF_SIGNED } from "../flows/support/self-signed.js"
import { TEST_SECRET } from "../support/apps.js"
import { recordingLogger } from "../support/recording-logger.js"
import { describeInChromium, launch } from "./support/chromium.js"

const SESSION = "authjs.session-token"

const byName = Credentials({
  credentials: { username: {} },
  authorize: ({ username }) => ({ id: String(username), name: String(username) }),
})

const site = (session: AuthConfig["session"]): RequestHandler =>
  authMiddleware({
    providers: [byName],
    secret: TEST_SECRET,
    trustHost: true,
    logger: recordingLogger().logger,
    session,
  }) as RequestHandler

/** Sets a cookie from the query for the whole domain. */
const plant: RequestHandler = ({ query: { name, value, path } }, res) => {
  res.setHeader("Set-Cookie", `${name}=${value}; Domain=site.test; Path=${path}; Secure`)
  res.end("planted")
}

describeInChromium("a sibling host", () => {
  const hosts: Readonly<Record<string, RequestHandler>> = {
    "app.site.test": site({}),
    "host.site.test": site({ hostPrefix: true }),
    "evil.site.test": plant,
  }
  const app = express().use((req, res, next) => hosts[req.hostname]?.(req, res, next))
  const server = createServer(SELF_SIGNED, app)
  let browser: Browser
  let port = 0
  beforeAll(async () => {
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
    const address = server.address()
    port = typeof address === "object" && address ? address.port : 0
    browser = await launch({ args: ["--host-resolver-rules=MAP *.site.test 127.0.0.1"] })
  })
  afterAll(async () => {
    await browser.close()
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  })

  const at = (host: string, path: string) => `https://${host}.site.test:${port}${path}`

  async function signedIn(host: string, username: string): Promise<Page> {
    const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage()
    await page.goto(at(host, "/auth/csrf"))
    await page.evaluate(`(async () => {
      const { csrfToken } = await (await fetch("/auth/csrf")).json()
      const body = new URLSearchParams({ csrfToken, username: ${JSON.stringify(username)} })
      await fetch("/auth/callback/credentials", { method: "POST", body, headers: { "X-Auth-Return-Redirect": "1" } })
    })()`)
    return page
  }

  const cookie = async (page: Page, name: string) =>
    (await page.context().cookies()).find((one) => one.name === name)?.value ?? ""

  async function session(page: Page, host: string): Promise<unknown> {
    await page.goto(at(host, "/auth/session"))
    return JSON.parse((await page.textContent("body")) ?? "null")
  }

  const plantCookie = (page: Page, name: string, value: string, path: string) =>
    page.goto(at("evil", `/?${new URLSearchParams({ name, value, path })}`))

  it("SEC-08: that sets a session cookie ends the session and does not replace the user", async () => {
    const [victim, attacker] = [await signedIn("app", "alice"), await signedIn("app", "mallory")]
    expect(await session(victim, "app")).toMatchObject({ user: { name: "alice" } })
    await plantCookie(victim, `__Secure-${SESSION}`, await cookie(attacker, `__Secure-${SESSION}`), "/auth")
    expect(await session(victim, "app")).toBeNull()
  })

  it("SEC-08: cannot set a session cookie with the prefix __Host-", async () => {
    const [victim, attacker] = [await signedIn("host", "alice"), await signedIn("host", "mallory")]
    const planted = await cookie(attacker, `__Host-${SESSION}`)
    expect(planted).not.toBe("")
    for (const prefix of ["__Host-", "__Secure-"])
      for (const path of ["/", "/auth"]) await plantCookie(victim, prefix + SESSION, planted, path)
    expect(await session(victim, "host")).toMatchObject({ user: { name: "alice" } })
    await victim.context().clearCookies({ name: `__Host-${SESSION}` })
    expect(await session(victim, "host")).toBeNull()
  })

  it("SEC-08: cannot set the cookies of a running sign-in or of a requested link", async () => {
    const page = await signedIn("app", "alice")
    for (const part of ["mail", "0123456789abcdef"]) await plantCookie(page, `__Host-authjs.state.${part}`, "x", "/")
    await plantCookie(page, "control", "x", "/")
    const names = (await page.context().cookies()).map(({ name }) => name)
    expect(names.filter((name) => name.startsWith("__Host-authjs.state") || name === "control")).toEqual(["control"])
  })
})
