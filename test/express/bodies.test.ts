import { once } from "node:events"
import type { IncomingMessage } from "node:http"
import { connect as tcp } from "node:net"
import { gzipSync } from "node:zlib"
import connect from "connect"
import express, { type Express, type RequestHandler } from "express"
import express4 from "express4"
import { authMiddleware } from "../../lib/index.js"
import type { Browser, Page, Visit } from "../support/browser.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { type Attempt, configOf, people, servers } from "./support/servers.js"

failOnUnhandled()
const serve = servers()

type Create = typeof express
const VERSIONS: [string, Create][] = [
  ["Express 5", express],
  ["Express 4", express4],
]
const PARSERS: [string, (create: Create) => RequestHandler[]][] = [
  ["no parser", () => []],
  ["a JSON parser", ({ json }) => [json()]],
  ["an extended form parser", ({ urlencoded }) => [urlencoded({ extended: true })]],
  ["a simple form parser", ({ urlencoded }) => [urlencoded({ extended: false })]],
  ["a JSON and a form parser", ({ json, urlencoded }) => [json(), urlencoded({ extended: true })]],
  ["a text parser for every type", ({ text }) => [text({ type: "*/*" })]],
  ["a raw parser for every type", ({ raw }) => [raw({ type: "*/*" })]],
  ["a JSON parser that is not strict", ({ json }) => [json({ strict: false })]],
]
const TABLE = VERSIONS.flatMap(([version, create]) =>
  PARSERS.map(([parser, handlersOf]) => [version, parser, handlersOf(create), create] as const),
)

/** An application with the middleware after these handlers, and the calls of `authorize`. */
async function start(app: Express, before: readonly RequestHandler[] = []) {
  const attempts: Attempt[] = []
  for (const handler of before) app.use(handler)
  app.use(authMiddleware(configOf({ providers: [people(attempts)], rateLimit: false })))
  const server = await serve(app)
  return { ...server, attempts, submitted: () => attempts.map(({ credentials }) => ({ ...credentials })) }
}

const URL_PATH = "/auth/callback/credentials"
const FIELDS = { username: "Zoë & Co;=%", password: "right" }

async function postForm(browser: Browser, extra: [string, string][] = []): Promise<Page> {
  const csrfToken = await browser.csrf()
  return browser.post(URL_PATH, [...Object.entries({ ...FIELDS, csrfToken }), ...extra])
}

const nameIn = async (browser: Browser) => (await (await browser.get("/auth/session")).json())?.user.name

describe("FLT-18: authMiddleware with a request body", () => {
  const HANDLING: [string, (req: IncomingMessage) => unknown, number][] = [
    ["set the encoding", (req) => req.setEncoding("utf8"), 0],
    ["paused the stream", (req) => req.pause(), 5],
    ["added a data listener", (req) => req.setEncoding("utf8").on("data", () => {}), 0],
  ]
  it.each(HANDLING)("passes a form to authorize after an earlier handler has %s", async (_what, touch, pauseMs) => {
    const touchBody: RequestHandler = (req, _res, next) => {
      touch(req)
      if (pauseMs) setTimeout(next, pauseMs)
      else next()
    }
    const { browser: newBrowser, submitted } = await start(express(), [touchBody])
    const browser = newBrowser()
    const page = await postForm(browser)
    expect([page.status, submitted()[0]]).toMatchObject([302, FIELDS])
    const { status } = await postForm(newBrowser(), [["padding", "x".repeat(100_000)]])
    expect([status, submitted().length]).toEqual([413, 1])
  })

  it.each(TABLE)("passes a form to authorize on %s with %s", async (_version, _parser, handlers, create) => {
    const { browser: newBrowser, submitted } = await start(create(), handlers)
    const browser = newBrowser()
    const page = await postForm(browser)
    expect([page.status, submitted()[0], await nameIn(browser)]).toMatchObject([302, FIELDS, FIELDS.username])
  })

  it.each(TABLE)("passes JSON to authorize on %s with %s", async (_version, _parser, handlers, create) => {
    const { browser: newBrowser, submitted } = await start(create(), handlers)
    const browser = newBrowser()
    const sent = { ...FIELDS, csrfToken: await browser.csrf() }
    const page = await browser.postJson(URL_PATH, sent)
    expect([page.status, submitted()]).toEqual([302, [sent]])
  })

  it("passes a form to authorize on Connect", async () => {
    const attempts: Attempt[] = []
    const server = await serve(connect().use(authMiddleware(configOf({ providers: [people(attempts)] }))))
    await postForm(server.browser())
    expect(attempts[0]?.credentials).toMatchObject(FIELDS)
  })

  it.each([
    ["brackets in field names", [["a[b][c]", "1"]] as [string, string][], { "a[b][c]": "1" }],
    [
      "the last of several fields with the same name",
      [
        ["many", "1"],
        ["many", "2"],
      ] as [string, string][],
      { many: "2" },
    ],
    ["an empty field", [["empty", ""]] as [string, string][], { empty: "" }],
  ])("passes a form with %s to authorize, whether it was parsed before or not", async (_name, extra, expected) => {
    const [bare, parsed] = [await start(express()), await start(express(), [express.urlencoded({ extended: true })])]
    await postForm(bare.browser(), extra)
    await postForm(parsed.browser(), extra)
    expect(bare.submitted()[0]).toMatchObject(expected)
    expect(parsed.submitted()[0]).toMatchObject(expected)
  })

  it("passes a Request to authorize that can be read again as a form", async () => {
    const attempts: Attempt[] = []
    const read: unknown[] = []
    const own = { ...people(attempts) }
    const { authorize } = own.options ?? {}
    own.options = {
      ...own.options,
      authorize: async (c, request) => {
        read.push(Object.fromEntries(await request.clone().formData()))
        return authorize?.(c, request) ?? null
      },
    }
    const server = await serve(express().use(authMiddleware(configOf({ providers: [own] }))))
    await postForm(server.browser())
    expect(read).toEqual([{ ...attempts[0]?.credentials }])
  })

  it("does not let a body pollute a prototype", async () => {
    const { browser: newBrowser, submitted } = await start(express())
    const browser = newBrowser()
    const csrfToken = await browser.csrf()
    const headers = { "content-type": "application/json" }
    const body = `{"csrfToken":"${csrfToken}","__proto__":{"admin":1},"constructor":{"prototype":{"admin":1}}}`
    await browser.request(URL_PATH, { method: "POST", headers, body })
    await browser.post(URL_PATH, { csrfToken, ["__proto__"]: "x", "__proto__[admin]": "1" })
    expect(submitted()).toHaveLength(2)
    expect([Object.hasOwn(submitted()[0] ?? {}, "__proto__"), Reflect.get({}, "admin")]).toEqual([false, undefined])
  })
})

describe("FLT-20, FLT-21: authMiddleware with an unacceptable body", () => {
  const refusals: [string, number, Visit][] = [
    ["multipart", 415, { headers: { "content-type": "multipart/form-data; boundary=x" }, body: "--x--\r\n" }],
    ["an unsupported charset", 415, { headers: { "content-type": "application/json; charset=utf-7" }, body: "{}" }],
    [
      "a compressed body",
      415,
      { headers: { "content-encoding": "gzip" }, body: new Uint8Array(gzipSync(Buffer.alloc(1_000_000))) },
    ],
    ["truncated JSON", 400, { headers: { "content-type": "application/json" }, body: "{bad" }],
    ["a JSON string", 400, { headers: { "content-type": "application/json" }, body: '"text"' }],
    ["a JSON array", 400, { headers: { "content-type": "application/json" }, body: "[1]" }],
    ["a form of 200 kB", 413, { body: new URLSearchParams({ a: "x".repeat(200_000) }) }],
    [
      "JSON of 200 kB",
      413,
      { headers: { "content-type": "application/json" }, body: JSON.stringify({ a: "x".repeat(200_000) }) },
    ],
  ]

  it.each(
    VERSIONS.flatMap(([version, create]) =>
      refusals.map(([name, status, init]) => [version, name, status, init, create] as const),
    ),
  )(
    "on %s responds to %s with %d, without an error for the application",
    async (_version, _name, status, init, create) => {
      const errors: unknown[] = []
      const app = create()
      const { browser: newBrowser } = await start(app)
      app.use(((error, _req, res, _next) => {
        errors.push(error)
        res.sendStatus(599)
      }) as express.ErrorRequestHandler)
      const page = await newBrowser().request(URL_PATH, { method: "POST", ...init })
      const text = await page.text()
      expect([page.status, errors, text.includes("    at ")]).toEqual([status, [], false])
      expect(page.headers.get("cache-control")).toContain("no-store")
    },
  )

  const NOTE = "x".repeat(80_000)
  const BIG: [string, (create: Create) => RequestHandler, (browser: Browser, csrfToken: string) => Promise<Page>][] = [
    [
      "JSON",
      ({ json }) => json({ limit: "1mb" }),
      (browser, csrfToken) => browser.postJson(URL_PATH, { ...FIELDS, csrfToken, note: NOTE }),
    ],
    [
      "a form",
      ({ urlencoded }) => urlencoded({ extended: false, limit: "1mb" }),
      (browser, csrfToken) => browser.post(URL_PATH, { ...FIELDS, csrfToken, note: NOTE }),
    ],
    [
      "text",
      ({ text }) => text({ type: "*/*", limit: "1mb" }),
      (browser, csrfToken) => browser.post(URL_PATH, { ...FIELDS, csrfToken, note: NOTE }),
    ],
  ]

  it.each(
    VERSIONS.flatMap(([version, create]) => BIG.map(([name, ...big]) => [name, version, create, ...big] as const)),
  )("accepts 80 kB of %s on %s if the application's parser does", async (_name, _version, create, parser, post) => {
    const { browser: newBrowser, submitted } = await start(create(), [parser(create)])
    const browser = newBrowser()
    const page = await post(browser, await browser.csrf())
    expect([page.status, submitted()[0]?.["note"]]).toEqual([302, NOTE])
  })

  it("stops reading a chunked body at the size limit", async () => {
    const { address } = await start(express())
    const socket = tcp(Number(new URL(address).port), "127.0.0.1")
    socket.on("error", () => {})
    socket.write(`POST ${URL_PATH} HTTP/1.1\r\nHost: app.test\r\nContent-Type: application/json\r\n`)
    socket.write("Transfer-Encoding: chunked\r\n\r\n")
    const chunk = `${(16_384).toString(16)}\r\n${"x".repeat(16_384)}\r\n`
    for (let i = 0; i < 6; i++) socket.write(chunk)
    const [answer] = await once(socket, "data")
    socket.destroy()
    expect(String(answer)).toContain("HTTP/1.1 413 ")
  })

  it("reads a form of ten thousand fields and JSON of a thousand levels within two seconds", async () => {
    const { browser: newBrowser } = await start(express())
    const browser = newBrowser()
    const begin = performance.now()
    const many = await browser.post(
      URL_PATH,
      Array.from({ length: 10_000 }, (): [string, string] => ["a", "1"]),
    )
    const deep = await browser.request(URL_PATH, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: `{"a":${"[".repeat(1000)}${"]".repeat(1000)}}`,
    })
    expect([many.status, deep.status]).toEqual([302, 302])
    expect(performance.now() - begin).toBeLessThan(2_000)
  })

  it("responds with 408 after waiting ten seconds for the body", async () => {
    const { address } = await start(express())
    const begin = performance.now()
    const socket = tcp(Number(new URL(address).port), "127.0.0.1")
    socket.write(`POST ${URL_PATH} HTTP/1.1\r\nHost: app.test\r\nContent-Type: application/json\r\n`)
    socket.write('Content-Length: 100\r\n\r\n{"slow":')
    const [answer] = await once(socket, "data")
    socket.destroy()
    expect(String(answer)).toContain("HTTP/1.1 408 ")
    expect(performance.now() - begin).toBeLessThan(12_000)
  })

  it("continues to serve after a client aborts the request", async () => {
    const { address, browser } = await start(express())
    const socket = tcp(Number(new URL(address).port), "127.0.0.1")
    socket.write(`POST ${URL_PATH} HTTP/1.1\r\nHost: app.test\r\nContent-Length: 100\r\n\r\nhalf`)
    await once(socket, "connect")
    socket.destroy()
    expect((await browser().get("/auth/csrf")).status).toBe(200)
  })

  it("does not wait for another body if req.body is an empty string", async () => {
    const setBody: RequestHandler = (req, _res, next) => {
      req.body = ""
      next()
    }
    const { browser } = await start(express(), [setBody])
    expect((await postForm(browser())).location).toContain("error=MissingCSRF")
  })

  it.each([
    ["multipart", "multipart/form-data", 415],
    ["too large", "application/json", 413],
  ])("closes the HTTP/1.1 connection of a body that it does not read: %s", async (_what, type, status) => {
    const { address } = await start(express())
    const socket = tcp(Number(new URL(address).port), "127.0.0.1")
    socket.write(
      `POST ${URL_PATH} HTTP/1.1\r\nHost: app.test\r\nContent-Type: ${type}\r\nContent-Length: 100000\r\n\r\n`,
    )
    const [answer] = await once(socket, "data")
    await once(socket, "end")
    expect(String(answer)).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*\r\nConnection: close\r\n`))
  })

  it("does not wait for a body that an earlier handler has consumed", async () => {
    const drain: RequestHandler = async (req, _res, next) => {
      for await (const _ of req);
      next()
    }
    const { browser } = await start(express(), [drain])
    expect((await postForm(browser())).location).toContain("error=MissingCSRF")
  })
})
