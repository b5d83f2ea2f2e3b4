/**
 * RED-17 in more shapes: strict and case-sensitive routers, several mounts, parameters and wildcards that hold what is
 * written in other words in an address.
 *
 * @module
 */
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
  ["a parameter of odd letters", "/%E6%97%A5%20%2F/auth", (app, auth) => app.use("/:tenant/auth", auth)],
  ["a group that is no wildcard", "/auth", (app, auth) => app.use(/^\/(auth|account)/, auth)],
  ["a group that takes nothing", "/auth", (app, auth) => app.use(/^(\/en)?\/auth/, auth)],
  ["a group that takes a part of it", "/en/auth", (app, auth) => app.use(/^(\/en)?\/auth/, auth)],
  ["a path of a digit", "/1", (app, auth) => app.use("/1", auth)],
  ["a path with a dot and a tilde", "/~me/v1.0/auth", (app, auth) => app.use("/~me/v1.0/auth", auth)],
  ["the same path twice", "/auth/auth", (app, auth, { Router }) => app.use("/auth", Router().use("/auth", auth))],
  ["a path named like an action", "/session", (app, auth) => app.use("/session", auth)],
  ["two mounts, the second", "/second", (app, auth) => app.use("/first", auth).use("/second", auth)],
  [
    "a sub-application in a sub-application in a router",
    "/r/a/b",
    (app, auth, create) => app.use("/r", create.Router().use("/a", create().use("/b", create().use(auth)))),
  ],
  [
    "a handler that has cut the address itself",
    "/cut",
    (app, auth, create) => {
      const inner = create.Router().use(auth)
      app.use("/cut", (req, res, next) => inner(req, res, next))
    },
  ],
]

async function expectServed({ browser: visit, address }: Server, base: string): Promise<void> {
  const browser = visit()
  const { credentials } = await (await browser.get(`${base}/providers`)).json()
  expect(credentials.callbackUrl).toBe(`${address}${base}/callback/credentials`)
  const html = await (await browser.get(`${base}/signin`)).text()
  expect(browser.form(html).action).toBe(`${address}${base}/callback/credentials`)
  expect((await signIn(browser, base)).location).toBe(`${address}/`)
  expect(await (await browser.get(`${base}/session`)).json()).toMatchObject({ user: { name: "ada" } })
}

describe.each(VERSIONS)("RED-17: the middleware is reached on %s", (_version, create) => {
  it.each(MOUNTS)("by %s, below %s", async (_how, base, mount) => {
    const app = create()
    mount(app, authMiddleware(configOf()), create)
    await expectServed(await serve(app), base)
  })

  it("by another writing of its path, whose links keep it", async () => {
    const server = await serve(create().use("/Account", authMiddleware(configOf())))
    for (const base of ["/account", "/ACCOUNT"]) await expectServed(server, base)
  })

  it("below one of two mounts of two sites, and neither below the other's", async () => {
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

/** What wildcards take of an address is decoded, and an address as it came is not. */
const WILDCARDS: readonly (readonly [version: string, path: string | RegExp, create: Create])[] = [
  ["Express 5", "/auth/*splat", express],
  ["Express 5", "/{*splat}", express],
  ["Express 5", /^\/auth\/(.*)/, express],
  ["Express 4", "/auth/*", express4],
  ["Express 4", "*", express4],
  ["Express 4", /^\/auth\/(.*)/, express4],
]

describe("RED-17: the middleware behind a wildcard", () => {
  it.each(WILDCARDS)(
    "of %s, %s, is where it is, whatever the rest of an address holds",
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

describe("RED-17: the middleware on Connect", () => {
  it.each(["/1", "/~me/v1.0/auth", "/session", "/a%20b"])("is reached below %s", async (base) => {
    await expectServed(await serve(connect().use(base, authMiddleware(configOf()))), base)
  })

  it("is reached by another writing of its path, whose links keep it", async () => {
    await expectServed(await serve(connect().use("/Account", authMiddleware(configOf()))), "/ACCOUNT")
  })
})

describe("RED-17: an address in full (RFC 9112 §3.2.2)", () => {
  it.each([
    ["Express 5", () => express().use(authMiddleware(configOf()))],
    ["Express 5, mounted", () => express().use("/auth", authMiddleware(configOf()))],
    ["Express 4", () => express4().use(authMiddleware(configOf()))],
    ["Express 4, mounted", () => express4().use("/auth", authMiddleware(configOf()))],
    ["Connect", () => connect().use(authMiddleware(configOf()))],
    ["Connect, mounted", () => connect().use("/auth", authMiddleware(configOf()))],
  ])("is served on %s as the path in it, and names no other host", async (_name, create) => {
    const { address } = await serve(create())
    for (const authority of [new URL(address).host, "evil.test", "user@evil.test:99"]) {
      const { status, text } = await rawRequest(address, { path: `http://${authority}/auth/providers?x=1` })
      expect([authority, status]).toEqual([authority, 200])
      expect(JSON.parse(text).credentials.signinUrl).toBe(`${address}/auth/signin/credentials`)
    }
  })
})
