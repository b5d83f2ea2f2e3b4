import express, { type ErrorRequestHandler, type Express } from "express"
import express4 from "express4"
import { authMiddleware } from "../../lib/index.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { type Attempt, configOf, people, servers, signIn } from "./support/servers.js"

failOnUnhandled()
const serve = servers()

const VERSIONS: [string, () => Express][] = [
  ["Express 5", express],
  ["Express 4", express4],
]

describe.each(VERSIONS)("what conversions between Node and the web lose, on %s:", (_version, create) => {
  it("cookies that were set earlier stay beside ours, each in a line of its own", async () => {
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

  it("a single earlier cookie stays too", async () => {
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

  it("what the answer varies by stays, and so does an answer that a time limit has given", async () => {
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

  it("a form that a parser has read is a form again", async () => {
    const attempts: Attempt[] = []
    const app = create().use(express.json(), express.urlencoded({ extended: true }))
    app.use(authMiddleware(configOf({ providers: [people(attempts)] })))
    await signIn((await serve(app)).browser(), "/auth", { username: "é" })
    const request = attempts[0]?.request
    expect(request?.headers.get("content-type")).toContain("application/x-www-form-urlencoded")
    expect(new URLSearchParams(await request?.text()).get("username")).toBe("é")
  })

  it("the host that a trusted proxy forwards is the site's", async () => {
    const app = create().set("trust proxy", 1).use(authMiddleware(configOf()))
    const headers = { "x-forwarded-host": "app.test", "x-forwarded-proto": "https" }
    const { credentials } = await (await (await serve(app)).browser({ headers }).get("/auth/providers")).json()
    expect(credentials.signinUrl).toBe("https://app.test/auth/signin/credentials")
  })

  it("the framework gets no promise, and nothing deprecated is touched", async () => {
    const auth = authMiddleware(configOf())
    const returned: unknown[] = []
    const warnings: unknown[] = []
    const note = (warning: unknown) => void warnings.push(warning)
    process.on("deprecation", note).on("warning", note)
    const app = create().set("trust proxy", 1)
    app.use((req, res, next) => void returned.push(auth(req, res, next)))
    app.get("/me", async (req, res) => void res.json([await req.getSession(), res.locals.auth.signInUrl]))
    const browser = (await serve(app)).browser()
    await signIn(browser)
    await browser.get("/me")
    process.off("deprecation", note).off("warning", note)
    expect([returned, warnings]).toEqual([[undefined, undefined, undefined], []])
  })

  it("authorize gets a Request of this Node, at the address that was asked for", async () => {
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

it("a page's answer has one of each header, and no body for HEAD", async () => {
  const app = express().use(authMiddleware(configOf()))
  const browser = (await serve(app)).browser()
  const [get, head] = [await browser.get("/auth/signin"), await browser.request("/auth/signin", { method: "HEAD" })]
  expect([get.status, head.status, await head.text()]).toEqual([200, 200, ""])
  expect(head.headers.get("content-type")).toBe(get.headers.get("content-type"))
  expect(head.headers.getSetCookie()).toEqual([])
})
