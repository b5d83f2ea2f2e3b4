/** RED-17: unusual mounts of the middleware. */
import type { IncomingMessage, ServerResponse } from "node:http"
import connect from "connect"
import express, { type Express, type RequestHandler } from "express"
import express4 from "express4"
import { authMiddleware } from "../../lib/index.js"
import { rawRequest } from "../support/raw-request.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { configOf, type Server, servers, signIn } from "./support/servers.js"

failOnUnhandled()
const serve = servers()

type Create = typeof express
const VERSIONS: [string, Create][] = [
  ["Express 5", express],
  ["Express 4", express4],
]

type Mount = readonly [
  how: string,
  base: string,
  mount: (app: Express, auth: RequestHandler, create: Create) => unknown,
]

const MOUNTS: readonly Mount[] = [
  [
    "a strict and case-sensitive router",
    "/Api/auth",
    (app, auth, { Router }) => app.use("/Api", Router({ strict: true, caseSensitive: true }).use("/auth", auth)),
  ],
  [
    "a strict and case-sensitive application",
    "/Auth",
    (app, auth) => app.enable("strict routing").enable("case sensitive routing").use("/Auth", auth),
  ],
  ["several parameters", "/eu/acme/auth", (app, auth) => app.use("/:region/:tenant/auth", auth)],
  ["a parameter with encoded characters", "/%E6%97%A5%20%2F/auth", (app, auth) => app.use("/:tenant/auth", auth)],
  ["a group that is not a wildcard", "/auth", (app, auth) => app.use(/^\/(auth|account)/, auth)],
  ["an optional group that matches nothing", "/auth", (app, auth) => app.use(/^(\/en)?\/auth/, auth)],
  ["an optional group that matches a part of the path", "/en/auth", (app, auth) => app.use(/^(\/en)?\/auth/, auth)],
  ["a path of a digit", "/1", (app, auth) => app.use("/1", auth)],
  ["a path with a dot and a tilde", "/~me/v1.0/auth", (app, auth) => app.use("/~me/v1.0/auth", auth)],
  ["the same path twice", "/auth/auth", (app, auth, { Router }) => app.use("/auth", Router().use("/auth", auth))],
  ["a path named like an action", "/session", (app, auth) => app.use("/session", auth)],
  ["the second of two mounts", "/second", (app, auth) => app.use("/first", auth).use("/second", auth)],
  [
    "a sub-application in a sub-application in a router",
    "/r/a/b",
    (app, auth, create) => app.use("/r", create.Router().use("/a", create().use("/b", create().use(auth)))),
  ],
  [
    "a handler that calls a router directly",
    "/cut",
    (app, auth, create) => {
      const inner = create.Router().use(auth)
      app.use("/cut", (req, res, next) => inner(req, res, next))
    },
  ],
]

async function expectServed({ browser: newBrowser, address }: Server, base: string): Promise<void> {
  const browser = newBrowser()
  const { credentials } = await (await browser.get(`${base}/providers`)).json()
  expect(credentials.callbackUrl).toBe(`${address}${base}/callback/credentials`)
  const html = await (await browser.get(`${base}/signin`)).text()
  expect(browser.form(html).action).toBe(`${address}${base}/callback/credentials`)
  expect((await signIn(browser, base)).location).toBe(`${address}/`)
  expect(await (await browser.get(`${base}/session`)).json()).toMatchObject({ user: { name: "ada" } })
}

describe.each(VERSIONS)("RED-17: authMiddleware on %s", (_version, create) => {
  it.each(MOUNTS)("serves %s, below %s", async (_how, base, mount) => {
    const app = create()
    mount(app, authMiddleware(configOf()), create)
    await expectServed(await serve(app), base)
  })

  it("serves another spelling of its path, and keeps that spelling in links", async () => {
    const server = await serve(create().use("/Account", authMiddleware(configOf())))
    for (const base of ["/account", "/ACCOUNT"]) await expectServed(server, base)
  })

  it("serves two configurations at nested mounts, each below its own path only", async () => {
    const app = create()
    const names = { sessionToken: { name: "other" } }
    app.use("/one", authMiddleware(configOf()))
    app.use("/one/two", authMiddleware(configOf({ cookies: names })))
    const server = await serve(app)
    await expectServed(server, "/one")
    await expectServed(server, "/one/two")
    for (const path of ["/one/two/csrf/x", "/two/csrf", "/one/onetwo/csrf", "/one/two/one/csrf"])
      expect([path, (await server.browser().get(path)).status]).toEqual([path, 404])
  })
})

/** Wildcard parameters are decoded, and the URL of the request is not. */
const WILDCARDS: readonly (readonly [version: string, path: string | RegExp, create: Create])[] = [
  ["Express 5", "/auth/*splat", express],
  ["Express 5", "/{*splat}", express],
  ["Express 5", /^\/auth\/(.*)/, express],
  ["Express 4", "/auth/*", express4],
  ["Express 4", "*", express4],
  ["Express 4", /^\/auth\/(.*)/, express4],
]

describe("RED-17: authMiddleware at a wildcard", () => {
  it.each(WILDCARDS)(
    "of %s, %s, knows its base path, regardless of the rest of the URL",
    async (_version, path, create) => {
      const app = create()
      app.all(path, authMiddleware(configOf()))
      app.use((req: IncomingMessage, res: ServerResponse & { locals?: { auth?: { signInUrl: string } } }) => {
        res.end(`${req.method} ${res.locals?.auth?.signInUrl}`)
      })
      const { address } = await serve(app)
      for (const rest of ["x", "a%2Fb", "%2F", "%2Fa%2F/b", "a%20b/c", "%C3%A9", "a//b", "a/b/", "%25", "a%252Fb"]) {
        const { text } = await rawRequest(address, { path: `/auth/${rest}` })
        expect([rest, text]).toEqual([rest, `GET ${address}/auth/signin`])
      }
    },
  )
})

describe("RED-17: authMiddleware on Connect", () => {
  it.each(["/1", "/~me/v1.0/auth", "/session", "/a%20b"])("serves below %s", async (base) => {
    await expectServed(await serve(connect().use(base, authMiddleware(configOf()))), base)
  })

  it("serves another spelling of its path, and keeps that spelling in links", async () => {
    await expectServed(await serve(connect().use("/Account", authMiddleware(configOf()))), "/ACCOUNT")
  })
})

describe("RED-17: a request target in absolute form (RFC 9112 §3.2.2)", () => {
  it.each([
    ["Express 5", () => express().use(authMiddleware(configOf()))],
    ["Express 5, mounted", () => express().use("/auth", authMiddleware(configOf()))],
    ["Express 4", () => express4().use(authMiddleware(configOf()))],
    ["Express 4, mounted", () => express4().use("/auth", authMiddleware(configOf()))],
    ["Connect", () => connect().use(authMiddleware(configOf()))],
    ["Connect, mounted", () => connect().use("/auth", authMiddleware(configOf()))],
  ])("is served on %s by its path, and does not change the host", async (_name, create) => {
    const { address } = await serve(create())
    for (const authority of [new URL(address).host, "evil.test", "user@evil.test:99"]) {
      const { status, text } = await rawRequest(address, { path: `http://${authority}/auth/providers?x=1` })
      expect([authority, status]).toEqual([authority, 200])
      expect(JSON.parse(text).credentials.signinUrl).toBe(`${address}/auth/signin/credentials`)
    }
  })
})
