import { createServer, type IncomingMessage } from "node:http"
import { Browser, type Send } from "../../support/browser.js"
import { type Listening, listen, readText } from "../../support/listen.js"
import { overNetwork } from "../../support/network.js"

const SITE = "http://app.test"

/** A browser at a site with this response, and the requests that it sends. */
function browserAt(answer: (request: Request) => Response, options: { secure?: boolean; now?: () => number } = {}) {
  const sent: Request[] = []
  const send: Send = async (request) => {
    sent.push(request)
    return answer(request)
  }
  return { browser: new Browser({ send, origin: SITE, ...options }), sent }
}

const respondWithCookies = (...cookies: string[]) => {
  const headers = new Headers()
  for (const cookie of cookies) headers.append("set-cookie", cookie)
  return () => new Response(null, { headers })
}

async function cookiesSentTo(cookies: string[], url: string, options: { secure?: boolean; now?: () => number } = {}) {
  const { browser } = browserAt(respondWithCookies(...cookies), options)
  await browser.get("/account/page")
  return browser.cookieHeader(url)
}

describe("cookies of Browser", () => {
  it("are sent back with their latest values", async () => {
    expect(await cookiesSentTo(["a=1", "b=x=y; HttpOnly", "a=2"], "/account/other")).toBe("a=2; b=x=y")
  })

  it("are sent to their path, the longest path first", async () => {
    const cookies = ["own=1", "all=1; Path=/", "deep=1; Path=/account/page"]
    expect(await cookiesSentTo(cookies, "/account/page/2")).toBe("deep=1; own=1; all=1")
    expect(await cookiesSentTo(cookies, "/account")).toBe("own=1; all=1")
    expect(await cookiesSentTo(cookies, "/accounting")).toBe("all=1")
  })

  it("expire by Max-Age and by Expires", async () => {
    let now = Date.parse("2030-01-01T00:00:00Z")
    const { browser } = browserAt(
      respondWithCookies("a=1; Max-Age=60", "b=1; Expires=Tue, 01 Jan 2030 00:02:00 GMT", "c=1", "c=; Max-Age=0"),
      { now: () => now },
    )
    await browser.get("/")
    expect(browser.cookieHeader()).toBe("a=1; b=1")
    now += 60_000
    expect(browser.cookieHeader()).toBe("b=1")
    now += 60_000
    expect(browser.cookieHeader()).toBe("")
  })

  it("are rejected if a real browser would reject them", async () => {
    const refused = [
      "secure=1; Secure",
      "none=1; SameSite=None",
      "foreign=1; Domain=evil.test",
      `long=${"x".repeat(4093)}`,
      "__Secure-a=1",
      "__Host-a=1; Path=/",
    ]
    expect(await cookiesSentTo(refused, "/account/x")).toBe("")
    const prefixed = ["__Host-path=1; Secure; Path=/a", "__Host-domain=1; Secure; Path=/; Domain=app.test"]
    expect(await cookiesSentTo(prefixed, "/account/x", { secure: true })).toBe("")
  })

  it("are accepted over http behind a proxy that ends TLS", async () => {
    const cookies = [
      "__Host-a=1; Secure; Path=/",
      "__Secure-b=1; Secure; Path=/; SameSite=None",
      `c=${"x".repeat(4095)}`,
    ]
    expect(await cookiesSentTo(cookies, "/", { secure: true })).toBe("__Host-a=1; __Secure-b=1")
  })

  it("are not sent to another site", async () => {
    const browser = new Browser({
      send: async (request) => respondWithCookies(`from=${new URL(request.url).host}; Path=/`)(),
    })
    await browser.get("http://127.0.0.1:1/")
    await browser.get("http://127.0.0.1:2/")
    expect(browser.cookieHeader("http://127.0.0.1:1/")).toBe("from=127.0.0.1:1")
    expect(browser.cookieHeader("http://127.0.0.1:3/")).toBe("")
  })

  it("are sent with cross-site requests as SameSite allows", async () => {
    const { browser, sent } = browserAt(
      respondWithCookies("strict=1; SameSite=Strict; Path=/", "lax=1; Path=/", "none=1; SameSite=None; Secure; Path=/"),
      { secure: true },
    )
    await browser.get("/")
    await browser.get("/", { from: "https://op.test" })
    await browser.post("/", {}, { from: "https://op.test" })
    await browser.post("/")
    const cookies = sent.slice(1).map(({ headers }) => headers.get("cookie"))
    expect(cookies).toEqual(["lax=1; none=1", "none=1", "strict=1; lax=1; none=1"])
  })

  it("can be planted, and copied to another browser", async () => {
    const { browser, sent } = browserAt(() => new Response())
    browser.setCookie("session", "stolen")
    const thief = browser.clone()
    browser.jar.forget()
    await thief.get("/")
    expect([browser.cookie("session"), sent[0]?.headers.get("cookie")]).toEqual([undefined, "session=stolen"])
  })
})

describe("requests of Browser", () => {
  const originHeaders = ({ headers }: Request) => [headers.get("sec-fetch-site"), headers.get("origin")]

  it("have the Sec-Fetch-Site and Origin headers of a real browser", async () => {
    const { browser, sent } = browserAt(() => new Response())
    await browser.get("/")
    await browser.get("/", { from: SITE })
    await browser.post("/")
    await browser.post("/", {}, { from: "https://evil.test" })
    await browser.post("/", {}, { from: "null" })
    await browser.post("/", {}, { headers: { "sec-fetch-site": "", origin: "" } })
    expect(sent.map(originHeaders)).toEqual([
      ["none", null],
      ["same-origin", null],
      ["same-origin", SITE],
      ["cross-site", "https://evil.test"],
      ["cross-site", "null"],
      [null, null],
    ])
  })

  it("can carry forms and JSON", async () => {
    const { browser, sent } = browserAt(() => new Response())
    await browser.post("/", { a: "1 é", b: "&" })
    await browser.postJson("/", { a: [1] })
    const bodies = await Promise.all(
      sent.map(async (request) => [request.headers.get("content-type"), await request.text()]),
    )
    expect(bodies).toEqual([
      ["application/x-www-form-urlencoded;charset=UTF-8", "a=1+%C3%A9&b=%26"],
      ["application/json", '{"a":[1]}'],
    ])
  })

  it("follow a redirect only with the option follow", async () => {
    const { browser, sent } = browserAt(({ url }) =>
      url.endsWith("/in") ? Response.json("here") : new Response(null, { status: 302, headers: { location: "/in" } }),
    )
    const page = await browser.post("/out", { a: "1" })
    expect([page.status, page.location, page.url]).toEqual([302, `${SITE}/in`, `${SITE}/out`])
    const last = await browser.post("/out", { a: "1" }, { follow: true })
    expect([last.url, last.location, await last.json()]).toEqual([`${SITE}/in`, "", "here"])
    expect(sent.map(({ method }) => method)).toEqual(["POST", "POST", "GET"])
  })

  it("send the form again after a 307 redirect", async () => {
    const { browser, sent } = browserAt(({ url }) =>
      url.endsWith("/in") ? new Response() : new Response(null, { status: 307, headers: { location: "/in" } }),
    )
    await browser.post("/out", { a: "1" }, { follow: true })
    expect([sent[1]?.method, await sent[1]?.text()]).toEqual(["POST", "a=1"])
  })

  it("are cross-site after a redirect from another site", async () => {
    const { browser, sent } = browserAt(() => new Response())
    browser.jar.put({ ...{ name: "a", value: "1", host: "app.test", path: "/" }, ...STRICT })
    const everywhere = new Browser({
      send: async (request) => {
        sent.push(request)
        const away = request.url.startsWith("http://op.test")
        return away ? Response.redirect(`${SITE}/in`, 302) : new Response()
      },
    })
    for (const cookie of browser.jar.all()) everywhere.jar.put(cookie)
    await everywhere.get("http://op.test/", { follow: true })
    expect([sent[1]?.headers.get("sec-fetch-site"), sent[1]?.headers.get("cookie")]).toEqual(["cross-site", null])
  })

  it("fail after ten redirects", async () => {
    const { browser } = browserAt(() => new Response(null, { status: 302, headers: { location: "/again" } }))
    await expect(browser.get("/", { follow: true })).rejects.toThrow("more than 10 redirects")
  })

  it("csrf() returns the CSRF token, or throws", async () => {
    const { browser } = browserAt(({ url }) => Response.json(url.endsWith("/auth/csrf") ? { csrfToken: "t" } : {}))
    expect(await browser.csrf()).toBe("t")
    await expect(browser.csrf("/other")).rejects.toThrow("no CSRF token under /other")
  })

  it("form() and submit() send a form of the page", async () => {
    const html = `<form action="search"><input name="q"></form>
      <form method="post" action="/auth/signin/oidc"><input type=hidden name=csrfToken value="t&amp;1"></form>`
    const { browser, sent } = browserAt(() => new Response(html))
    const page = await (await browser.get("/auth/signin")).text()
    const [search, signIn] = [browser.form(page), browser.form(page, "/signin/oidc")]
    await browser.submit(signIn, { extra: "1" })
    await browser.submit(search, { q: "a b" })
    expect([sent[1]?.url, await sent[1]?.text()]).toEqual([`${SITE}/auth/signin/oidc`, "csrfToken=t%261&extra=1"])
    expect(sent[2]?.url).toBe(`${SITE}/auth/search?q=a+b`)
    expect(() => browser.form(page, "/nowhere")).toThrow('no form for "/nowhere"')
  })
})

const STRICT = { sameSite: "strict", secure: false, httpOnly: false } as const

describe("Browser on the network", () => {
  let site: Listening
  const received: { req: IncomingMessage; body: string }[] = []
  beforeAll(async () => {
    site = await listen(
      createServer(async (req, res) => {
        received.push({ req, body: await readText(req) })
        res.writeHead(req.url === "/empty" ? 204 : 200, { "set-cookie": ["a=1", "b=2; Path=/"] }).end("é")
      }),
    )
  })
  afterAll(() => site.close())

  it("sends bodies and headers unchanged, and reads the response", async () => {
    const browser = new Browser({ origin: site.origin, headers: { "x-forwarded-for": "192.0.2.1" } })
    const page = await browser.post("/a?b=%2F", { c: "é" })
    expect([page.status, await page.text(), browser.cookieHeader()]).toEqual([200, "é", "a=1; b=2"])
    const { req, body } = received[0] ?? {}
    expect([req?.method, req?.url, body]).toEqual(["POST", "/a?b=%2F", "c=%C3%A9"])
    expect(req?.headers).toMatchObject({ "sec-fetch-mode": "navigate", "x-forwarded-for": "192.0.2.1" })
    expect((await browser.get("/empty")).status).toBe(204)
  })

  it("sends any Host, and a path that begins with two slashes", async () => {
    const browser = new Browser({ origin: site.origin, headers: { host: "evil.test" } })
    await browser.get(`${site.origin}//evil.test/`)
    expect([received.at(-1)?.req.headers.host, received.at(-1)?.req.url]).toEqual(["evil.test", "//evil.test/"])
  })

  it("sends the name of the site in the Host header to a proxy", async () => {
    const send: Send = (request) => overNetwork(request, site.origin)
    await new Browser({ origin: "https://app.test", send }).get("/x")
    expect(received.at(-1)?.req.headers.host).toBe("app.test")
  })

  it("uses the network for other origins than the site's", async () => {
    const browser = new Browser({ origin: SITE, send: async () => new Response("stand-in") })
    const bodies = [await (await browser.get("/")).text(), await (await browser.get(site.origin)).text()]
    expect(bodies).toEqual(["stand-in", "é"])
  })
})
