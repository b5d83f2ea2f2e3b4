import type { RequestListener } from "node:http"
import connect from "connect"
import express, { type Express, type RequestHandler, Router } from "express"
import express4 from "express4"
import { authMiddleware, requireAuth } from "../../lib/index.js"
import type { AuthConfig } from "../../lib/types.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { configOf, servers, signIn, withEnv } from "./support/servers.js"

failOnUnhandled()
const serve = servers()

type Mount = [name: string, base: string, mount: (app: Express, auth: RequestHandler) => unknown]

const anyVersion = (create: typeof express): Mount[] => [
  ["use() at the root", "/auth", (app, auth) => app.use(auth)],
  ['use("/auth")', "/auth", (app, auth) => app.use("/auth", auth)],
  ['use("/auth/") with a slash', "/auth", (app, auth) => app.use("/auth/", auth)],
  ['use("/account")', "/account", (app, auth) => app.use("/account", auth)],
  ['use(["/x", "/auth"])', "/auth", (app, auth) => app.use(["/x", "/auth"], auth)],
  ["use(/^\\/auth/)", "/auth", (app, auth) => app.use(/^\/auth/, auth)],
  ["a router", "/api/auth", (app, auth) => app.use("/api", create.Router().use("/auth", auth))],
  ["a router in a router", "/a/b/c", (app, auth) => app.use("/a", Router().use("/b", create.Router().use("/c", auth)))],
  ["a router behind a parameter", "/acme/auth", (app, auth) => app.use("/:tenant", create.Router().use("/auth", auth))],
  [
    "a router that merges parameters",
    "/7/auth",
    (app, auth) => app.use("/:tenant", create.Router({ mergeParams: true }).use("/auth", auth)),
  ],
  ["a sub-application", "/account", (app, auth) => app.use("/account", create().use(auth))],
  ["a path of a sub-application", "/site/auth", (app, auth) => app.use("/site", create().use("/auth", auth))],
]

const express5: Mount[] = [
  ...anyVersion(express),
  ['use("/auth/*splat")', "/auth", (app, auth) => app.use("/auth/*splat", auth)],
  ['use("/auth/{*splat}")', "/auth", (app, auth) => app.use("/auth/{*splat}", auth)],
  ['all("/auth/*splat")', "/auth", (app, auth) => app.all("/auth/*splat", auth)],
  ['all("/auth/{*splat}")', "/auth", (app, auth) => app.all("/auth/{*splat}", auth)],
  ['get and post("/auth/*splat")', "/auth", (app, auth) => app.get("/auth/*s", auth).post("/auth/*s", auth)],
  ["a router's wildcard", "/api/auth", (app, auth) => app.use("/api", Router().all("/auth/*splat", auth))],
  ["a wildcard of everything", "/auth", (app, auth) => app.all("/*splat", auth)],
  [
    "a wildcard behind a parameter",
    "/acme/auth",
    (app, auth) => app.use("/:tenant", Router({ mergeParams: true }).use("/auth/*splat", auth)),
  ],
]

const express4Mounts: Mount[] = [
  ...anyVersion(express4),
  ['use("/auth/*")', "/auth", (app, auth) => app.use("/auth/*", auth)],
  ['all("/auth/*")', "/auth", (app, auth) => app.all("/auth/*", auth)],
  ["a router's wildcard", "/api/auth", (app, auth) => app.use("/api", express4.Router().all("/auth/*", auth))],
  ["a wildcard of everything", "/auth", (app, auth) => app.all("*", auth)],
  ["a captured group", "/auth", (app, auth) => app.use(/^\/auth\/(.*)/, auth)],
]

/** Expects that all actions are served below `base`, and that nothing outside it is. */
async function expectServed(app: RequestListener, base: string): Promise<void> {
  const server = await serve(app)
  const browser = server.browser()
  expect((await browser.get(`${base}/csrf`)).status).toBe(200)
  const { credentials } = await (await browser.get(`${base}/providers`)).json()
  expect(credentials).toMatchObject({
    signinUrl: `${server.address}${base}/signin/credentials`,
    callbackUrl: `${server.address}${base}/callback/credentials`,
  })
  expect((await browser.get(`${base}/signin`)).status).toBe(200)
  const page = await signIn(browser, base)
  expect([page.status, page.location]).toEqual([302, `${server.address}/`])
  expect(await (await browser.get(`${base}/session`)).json()).toMatchObject({ user: { name: "ada" } })
  for (const path of ["/", `${base}x`, `${base}session`, `${base}/nope`, `${base}/signin/a/b`, `/other${base}/csrf`]) {
    const outside = await browser.get(path)
    expect([path, outside.status, outside.headers.getSetCookie()]).toEqual([path, 404, []])
  }
}

describe("RED-17: authMiddleware on Express 5", () => {
  it.each(express5)("serves %s, below %s", async (_name, base, mount) => {
    const app = express()
    mount(app, authMiddleware(configOf()))
    await expectServed(app, base)
  })
})

describe("RED-17: authMiddleware on Express 4", () => {
  it.each(express4Mounts)("serves %s, below %s", async (_name, base, mount) => {
    const app = express4()
    mount(app, authMiddleware(configOf()))
    await expectServed(app, base)
  })
})

describe("RED-17: authMiddleware without Express", () => {
  it("serves at the root of a Connect application", async () => {
    await expectServed(connect().use(authMiddleware(configOf())), "/auth")
  })

  it("serves below a path of a Connect application", async () => {
    await expectServed(connect().use("/account", authMiddleware(configOf())), "/account")
  })

  it("serves in a Connect application within another one", async () => {
    await expectServed(connect().use("/a", connect().use("/auth", authMiddleware(configOf()))), "/a/auth")
  })

  it("serves on node:http with a next function", async () => {
    const auth = authMiddleware(configOf())
    await expectServed((req, res) => auth(req, res, () => void res.writeHead(404).end()), "/auth")
  })
})

describe("the base path", () => {
  const csrfStatus = async (over: Partial<AuthConfig>, paths: string[], env: Record<string, string> = {}) => {
    const auth = withEnv(env, () => authMiddleware(configOf(over)))
    const server = await serve(express().use("/mounted", auth).use(auth))
    return Promise.all(paths.map(async (path) => (await server.browser().get(`${path}/csrf`)).status))
  }
  const PATHS = ["/own", "/pre", "/env", "/mounted", "/auth"]

  it.each([
    ["is basePath", { basePath: "/own", prefix: "/own" }, "http://app.test/env", [200, 404, 404, 404, 404]],
    ["is prefix if there is no basePath", { prefix: "/pre" }, "http://app.test/env", [404, 200, 404, 404, 404]],
    ["is the path of AUTH_URL if there is neither", {}, "http://app.test/env", [404, 404, 200, 404, 404]],
    ["is the mount path, or /auth, if AUTH_URL has no path", {}, "http://app.test/", [404, 404, 404, 200, 200]],
    ["loses a trailing slash", { basePath: "/own/" }, "", [200, 404, 404, 404, 404]],
  ])("%s", async (_name, over, authUrl, statuses) => {
    expect(await csrfStatus(over, PATHS, authUrl ? { AUTH_URL: authUrl } : {})).toEqual(statuses)
  })

  it("can be the root", async () => {
    expect(await csrfStatus({ basePath: "/" }, ["", "/auth"])).toEqual([200, 404])
  })

  it("is matched literally, not as a pattern", async () => {
    expect(await csrfStatus({ basePath: "/a.b+(c)" }, ["/a.b+(c)", "/axb+(c)", "/a.bb(c)", "/a.b+c"])).toEqual([
      200, 404, 404, 404,
    ])
  })

  it("is known to req.getSession outside the middleware's mount", async () => {
    const app = express().use("/account", authMiddleware(configOf()))
    app.get("/account/me", async (req, res) => void res.json([await req.getSession(), res.locals.auth.signInUrl]))
    const server = await serve(app)
    const browser = server.browser()
    await signIn(browser, "/account")
    expect(await (await browser.get("/account/me")).json()).toMatchObject([
      { user: { name: "ada" } },
      `${server.address}/account/signin`,
    ])
  })

  it("is used by requireAuth in another router", async () => {
    const app = express().use(authMiddleware(configOf()))
    app.use("/api", Router().get("/me", requireAuth))
    const page = await (await serve(app)).browser().get("/api/me")
    expect(new URL(page.location).pathname).toBe("/auth/signin")
  })

  it("separates two configurations in one application", async () => {
    const app = express()
    app.use("/staff", authMiddleware(configOf({ cookies: { sessionToken: { name: "staff" } } })))
    app.use("/guests", authMiddleware(configOf({ cookies: { sessionToken: { name: "guest" } } })))
    const browser = (await serve(app)).browser()
    await signIn(browser, "/staff")
    expect(await (await browser.get("/staff/session")).json()).toMatchObject({ user: { name: "ada" } })
    expect(await (await browser.get("/guests/session")).json()).toBeNull()
  })
})

describe("a request outside the base path", () => {
  it("is passed on with its body unread and with req.getSession", async () => {
    const app = express().use(authMiddleware(configOf()))
    app.post("/echo", async (req, res) => {
      const chunks: Buffer[] = []
      for await (const chunk of req) chunks.push(chunk)
      res.json({ body: Buffer.concat(chunks).toString(), session: await req.getSession() })
    })
    const page = await (await serve(app)).browser().post("/echo", { a: "1" })
    expect([await page.json(), page.headers.getSetCookie()]).toEqual([{ body: "a=1", session: null }, []])
  })

  it("causes no server error if its path is unusual", async () => {
    const browser = (await serve(express().use(authMiddleware(configOf())))).browser()
    const paths = ["//auth//csrf", "/auth/%", "/auth/%2e%2e/csrf", "/auth/csrf%00", "/auth;csrf", "/%61uth/csrf"]
    const statuses = await Promise.all(paths.map(async (path) => (await browser.get(browser.url + path)).status))
    expect(statuses.filter((status) => status >= 500)).toEqual([])
  })
})
