import { createServerAdapter } from "@whatwg-node/server"
import { Hono } from "hono"
import { authHandlers, getSession } from "../../lib/index.js"
import { Browser } from "../support/browser.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { configOf, servers, signIn, withEnv } from "./support/servers.js"

failOnUnhandled()
const serve = servers()
const ORIGIN = "https://app.test"

describe("authHandlers", () => {
  it("sign in on Hono, whose routes can read the session", async () => {
    const config = configOf()
    const { GET, POST } = authHandlers(config)
    const app = new Hono()
    app.on(["GET", "POST"], "/api/auth/*", async (c) => {
      const response = await (c.req.method === "POST" ? POST(c.req.raw) : GET(c.req.raw))
      return response ?? c.notFound()
    })
    app.get("/me", async (c) => c.json(await getSession(c.req.raw, config)))
    const browser = new Browser({ origin: ORIGIN, send: async (request) => app.fetch(request) })
    const page = await signIn(browser, "/api/auth")
    expect([page.status, page.location]).toEqual([302, `${ORIGIN}/`])
    expect(await (await browser.get("/me")).json()).toMatchObject({ user: { name: "ada" } })
    expect((await browser.get("/api/auth/nope")).status).toBe(404)
  })

  it("sign in on node:http through an adapter", async () => {
    const { GET, POST } = authHandlers(configOf({ basePath: "/auth" }))
    const adapter = createServerAdapter(
      async (request: Request) =>
        (await (request.method === "POST" ? POST(request) : GET(request))) ?? new Response(null, { status: 404 }),
      { fetchAPI: { Request, Response, Headers, ReadableStream } },
    )
    const server = await serve((req, res) => void adapter(req, res))
    const browser = server.browser()
    await signIn(browser)
    expect(await (await browser.get("/auth/session")).json()).toMatchObject({ user: { name: "ada" } })
    expect((await browser.get("/elsewhere")).status).toBe(404)
  })

  it("accept an event that contains the request", async () => {
    const { GET } = authHandlers(configOf())
    const response = await GET({ request: new Request(`${ORIGIN}/api/auth/csrf`) })
    expect(await response?.json()).toEqual({ csrfToken: expect.stringMatching(/^[\da-f]{64}$/) })
  })

  it("return undefined for paths outside the base path", async () => {
    const { GET, POST } = authHandlers(configOf())
    const paths = ["/", "/auth/csrf", "/api/authcsrf", "/api/auth", "/api/auth/", "/api/auth/nope", "/x/api/auth/csrf"]
    for (const path of paths)
      for (const handle of [GET, POST])
        expect([path, await handle(new Request(ORIGIN + path))]).toEqual([path, undefined])
  })

  it.each([
    ["basePath", { basePath: "/own", prefix: "/own" }, "http://x.test/env", "/own"],
    ["prefix if there is no basePath", { prefix: "/pre" }, "http://x.test/env", "/pre"],
    ["the path of AUTH_URL if there is neither", {}, "http://x.test/env", "/env"],
    ["/api/auth by default", {}, undefined, "/api/auth"],
  ])("serve below %s", async (_name, over, AUTH_URL, base) => {
    const { GET } = withEnv({ AUTH_URL }, () => authHandlers(configOf(over)))
    const served = await Promise.all(
      ["/own", "/pre", "/env", "/api/auth"].map(async (path) => {
        const response = await GET(new Request(`${ORIGIN}${path}/providers`))
        return response && (await response.json()).credentials.signinUrl
      }),
    )
    const origin = AUTH_URL ? "http://x.test" : ORIGIN
    const expected = ["/own", "/pre", "/env", "/api/auth"].map((path) =>
      path === base ? `${origin}${base}/signin/credentials` : undefined,
    )
    expect(served).toEqual(expected)
  })

  it("sign in behind a proxy at the address of AUTH_URL", async () => {
    const { GET, POST } = withEnv({ AUTH_URL: `${ORIGIN}/auth` }, () => authHandlers(configOf()))
    const send = async (request: Request) => {
      const inner = new Request(request.url.replace(ORIGIN, "http://10.0.0.5:3000"), request)
      return (await (inner.method === "POST" ? POST(inner) : GET(inner))) ?? new Response(null, { status: 404 })
    }
    const browser = new Browser({ origin: ORIGIN, send })
    const page = await signIn(browser, "/auth", { callbackUrl: "/x" })
    expect([page.status, page.location]).toEqual([302, `${ORIGIN}/x`])
    expect(browser.cookies().map(({ name }) => name)).toContain("__Secure-authjs.session-token")
    expect(await (await browser.get("/auth/session")).json()).toMatchObject({ user: { name: "ada" } })
  })

  it("throw one error with all problems of the configuration", () => {
    expect(() => authHandlers(configOf({ secret: [], basePath: "/a b" }))).toThrow(
      /2 problems[\s\S]*secret[\s\S]*basePath/,
    )
  })

  it("respond with 405 to PUT and with 413 to a large body", async () => {
    const { GET, POST } = authHandlers(configOf())
    const put = await GET(new Request(`${ORIGIN}/api/auth/csrf`, { method: "PUT" }))
    expect([put?.status, put?.headers.get("allow")]).toEqual([405, "GET, HEAD"])
    const body = new URLSearchParams({ a: "x".repeat(100_000) })
    const large = await POST(new Request(`${ORIGIN}/api/auth/signout`, { method: "POST", body }))
    expect(large?.status).toBe(413)
  })
})
