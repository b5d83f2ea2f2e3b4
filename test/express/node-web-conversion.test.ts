import { once } from "node:events"
import { connect } from "node:net"
import cookieParser from "cookie-parser"
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from "express"
import express4 from "express4"
import { authMiddleware } from "../../lib/index.js"
import { memoryStore } from "../flows/support/memory-adapter.js"
import { startAndApprove } from "../flows/support/site.js"
import { startFaultyProvider } from "../support/faulty-provider.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { until } from "../support/wait.js"
import { type Attempt, configOf, people, servers, signIn } from "./support/servers.js"

failOnUnhandled()
const serve = servers()

const VERSIONS: [string, () => Express][] = [
  ["Express 5", express],
  ["Express 4", express4],
]

describe.each(VERSIONS)("authMiddleware on %s", (_version, create) => {
  it("keeps several earlier cookies beside its own, each in its own header", async () => {
    const app = create()
    app.use((_req, res, next) => {
      res.cookie("first", "1").cookie("second", "2")
      next()
    })
    app.use(authMiddleware(configOf()))
    const page = await (await serve(app)).browser().get("/auth/csrf")
    expect(page.headers.getSetCookie().map((cookie) => cookie.split("=")[0])).toEqual([
      "first",
      "second",
      "authjs.csrf-token",
      "authjs.callback-url",
    ])
  })

  it("keeps a single earlier cookie", async () => {
    const app = create()
    app.use((_req, res, next) => {
      res.setHeader("Set-Cookie", "only=1")
      next()
    })
    app.use(authMiddleware(configOf()))
    const page = await (await serve(app)).browser().get("/auth/csrf")
    expect(page.headers.getSetCookie()).toHaveLength(3)
    expect(page.headers.getSetCookie()[0]).toBe("only=1")
  })

  it("keeps the application's Vary header, and a response that the application has sent", async () => {
    const app = create()
    app.use((_req, res, next) => {
      res.vary("X-Country")
      next()
    })
    app.use("/late", (req, res, next) => {
      req.url = "/auth/signin"
      res.status(503).send("too late")
      next()
    })
    app.use(authMiddleware(configOf({ basePath: "/late" })))
    app.use(authMiddleware(configOf()))
    const errors: unknown[] = []
    app.use(((error, _req, res, next) => {
      errors.push(error)
      if (res.headersSent) next(error)
      else res.status(500).end()
    }) as ErrorRequestHandler)
    const { browser } = await serve(app)
    expect((await browser().get("/auth/signin")).headers.get("vary")).toMatch(/X-Country, .*Accept-Language/)
    const late = await browser().get("/late/signin")
    expect([late.status, await late.text()]).toEqual([503, "too late"])
    expect(errors).toEqual([])
  })

  it("passes a form that a parser has read to authorize as a form", async () => {
    const attempts: Attempt[] = []
    const app = create().use(express.json(), express.urlencoded({ extended: true }))
    app.use(authMiddleware(configOf({ providers: [people(attempts)] })))
    await signIn((await serve(app)).browser(), "/auth", { username: "é" })
    const request = attempts[0]?.request
    expect(request?.headers.get("content-type")).toContain("application/x-www-form-urlencoded")
    expect(new URLSearchParams(await request?.text()).get("username")).toBe("é")
  })

  it("returns no promise, and uses nothing deprecated", async () => {
    const auth = authMiddleware(configOf())
    const returned: unknown[] = []
    const warnings: unknown[] = []
    const record = (warning: unknown) => void warnings.push(warning)
    process.on("deprecation", record).on("warning", record)
    const app = create().set("trust proxy", 1)
    app.use((req, res, next) => void returned.push(auth(req, res, next)))
    app.get("/me", async (req, res) => void res.json([await req.getSession(), res.locals.auth.signInUrl]))
    const browser = (await serve(app)).browser()
    await signIn(browser)
    await browser.get("/me")
    process.off("deprecation", record).off("warning", record)
    expect([returned, warnings]).toEqual([[undefined, undefined, undefined], []])
  })

  it("passes a Request to authorize with the requested URL", async () => {
    const attempts: Attempt[] = []
    const server = await serve(create().use(authMiddleware(configOf({ providers: [people(attempts)] }))))
    await signIn(server.browser({ headers: { "x-own": "1" } }))
    const request = attempts[0]?.request
    expect(request).toBeInstanceOf(Request)
    expect([request?.method, request?.url, request?.headers.get("x-own")]).toEqual([
      "POST",
      `${server.address}/auth/callback/credentials`,
      "1",
    ])
  })
})

it("a page has the same headers for GET and HEAD, and no body for HEAD", async () => {
  const app = express().use(authMiddleware(configOf()))
  const browser = (await serve(app)).browser()
  const [get, head] = [await browser.get("/auth/signin"), await browser.request("/auth/signin", { method: "HEAD" })]
  expect([get.status, head.status, await head.text()]).toEqual([200, 200, ""])
  expect(head.headers.get("content-type")).toBe(get.headers.get("content-type"))
  expect(head.headers.getSetCookie()).toEqual([])
})

it("a response is written without a web stream, with Content-Length and the reason phrase of Node.js", async () => {
  const getReader = jest.spyOn(ReadableStream.prototype, "getReader")
  const { address } = await serve(express().use(authMiddleware(configOf())))
  const socket = connect(Number(new URL(address).port), "127.0.0.1")
  socket.write("GET /auth/csrf HTTP/1.1\r\nHost: app.test\r\n\r\n")
  const [answer] = await once(socket, "data")
  socket.destroy()
  expect(getReader).not.toHaveBeenCalled()
  getReader.mockRestore()
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  expect(String(answer)).toMatch(/\r\nContent-Length: 80\r\n/i)
  expect(String(answer)).not.toMatch(/transfer-encoding/i)
})

it.each(["Request", "Response"] as const)("reading a session creates no web %s", async (name) => {
  const original = globalThis[name]
  const created: unknown[][] = []
  const construct = (target: typeof original, parameters: unknown[]) => {
    created.push(parameters)
    return Reflect.construct(target, parameters)
  }
  const app = express().use(authMiddleware(configOf()))
  app.get("/me", (req, res) => {
    Object.assign(globalThis, { [name]: new Proxy<typeof original>(original, { construct }) })
    const reading = req.getSession().finally(() => Object.assign(globalThis, { [name]: original }))
    void reading.then((session) => res.json(session))
  })
  const browser = (await serve(app)).browser()
  await signIn(browser)
  expect(await (await browser.get("/me")).json()).toMatchObject({ user: { name: "ada" } })
  expect(created).toEqual([])
})

it("a user, an account and a session are stored although the client has closed the connection", async () => {
  const { adapter, users, accounts, sessions } = memoryStore()
  const op = await startFaultyProvider()
  const { createUser } = adapter
  let isCreating = false
  let proceed = () => {}
  const held = new Promise<void>((resolve) => {
    proceed = resolve
  })
  const slow: typeof adapter = {
    ...adapter,
    createUser: async (user) => {
      isCreating = true
      await held
      return createUser ? createUser(user) : user
    },
  }
  const app = express().use(authMiddleware(configOf({ providers: [op.oidc()], adapter: slow })))
  const server = await serve(app)
  try {
    const browser = server.browser()
    const { pathname, search } = new URL(await startAndApprove(browser, op))
    const socket = connect(Number(new URL(server.address).port), "127.0.0.1")
    const cookie = browser.cookieHeader("/auth/callback/oidc")
    socket.write(
      `GET ${pathname}${search} HTTP/1.1\r\nHost: ${new URL(server.address).host}\r\nCookie: ${cookie}\r\n\r\n`,
    )
    await until(() => isCreating)
    socket.destroy()
    await once(socket, "close")
    proceed()
    await until(() => sessions.size > 0)
    expect([users.size, accounts.length]).toEqual([1, 1])
  } finally {
    await op.close()
  }
})

describe("a sign-in and req.getSession()", () => {
  it.each([
    ["with cookie-parser before the middleware", (auth: RequestHandler) => [cookieParser(), auth], true],
    ["with cookie-parser after the middleware", (auth: RequestHandler) => [auth, cookieParser()], true],
    ["without cookie-parser", (auth: RequestHandler) => [auth], false],
  ])("work %s", async (_how, handlers, isParsed) => {
    const app = express().use(...handlers(authMiddleware(configOf())))
    app.get("/me", async (req, res) => void res.json([await req.getSession(), Object.keys(req.cookies ?? {})]))
    const browser = (await serve(app)).browser()
    await signIn(browser)
    const [session, names] = await (await browser.get("/me")).json()
    expect(session).toMatchObject({ user: { name: "ada" } })
    expect(names.includes("authjs.session-token")).toBe(isParsed)
  })
})
