import { readFileSync } from "node:fs"
import connect from "connect"
import express, { type Express } from "express"
import express4 from "express4"
import { authMiddleware, requireAuth } from "../../lib/index.js"
import type { AuthConfig, Session, User } from "../../lib/types.js"
import { decodeEntities } from "../support/html.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { configOf, servers, signIn } from "./support/servers.js"

failOnUnhandled()
const serve = servers()

const VERSIONS: [string, () => Express][] = [
  ["Express 5", express],
  ["Express 4", express4],
]
const API = { accept: "application/json", "sec-fetch-mode": "cors" }

/** The response body for API clients that docs/express.md documents. */
const documentedBody = (status: 401 | 403) =>
  [...readFileSync("docs/express.md", "utf8").matchAll(/`(\{"type":.+?\})`/g)]
    .map(({ 1: body = "" }) => body)
    .find((body) => JSON.parse(body).status === status)

describe.each(VERSIONS)("requireAuth on %s", (_version, create) => {
  async function start(routes: (app: Express) => unknown, over: Partial<AuthConfig> = {}) {
    const errors: unknown[] = []
    const app = create()
    app.use(authMiddleware(configOf(over)))
    routes(app)
    app.use(((error, _req, res, _next) => {
      errors.push(error)
      res.status(error.status ?? 500).end()
    }) as express.ErrorRequestHandler)
    return { ...(await serve(app)), errors }
  }

  const member = (app: Express) => app.get("/me", requireAuth, (req, res) => void res.json(req.auth))

  it("passes a signed-in user on, and sets req.auth", async () => {
    const { browser: newBrowser } = await start(member)
    const browser = newBrowser()
    await signIn(browser)
    const page = await browser.get("/me")
    expect([page.status, await page.json()]).toMatchObject([
      200,
      { user: { name: "ada" }, session: { user: { name: "ada" }, expires: expect.any(String) } },
    ])
  })

  it("sets an empty user for handlers and views if the session callback removes the user", async () => {
    const guarded = (app: Express) =>
      app.get("/me", requireAuth, (req, res) => void res.json([req.auth.user, res.locals.auth.user]))
    const { browser: newBrowser } = await start(guarded, {
      callbacks: { session: ({ session }) => ({ expires: session.expires }) as Session },
    })
    const browser = newBrowser()
    await signIn(browser)
    expect(await (await browser.get("/me")).json()).toEqual([{}, {}])
  })

  describe("a form POST after the session has ended", () => {
    const FORM = { accept: "text/html", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" }
    const OLDER = { accept: "text/html", "sec-fetch-mode": "", "sec-fetch-dest": "" }
    const PAGE = "text/html; charset=utf-8"
    const posted = (app: Express) => app.post("/notes", requireAuth, (_req, res) => void res.send("saved"))

    it.each([
      ["a Referer of this site, which is the page to return to", "/notes/new?draft=1", "/notes/new?draft=1"],
      ["a Referer of another site, which is ignored", "https://evil.test/x", "/"],
      ["no Referer", "", "/"],
    ])("gets a page that explains it and links to the sign-in page, with %s", async (_name, from, back) => {
      const { browser: newBrowser, address } = await start(posted)
      const referer = from.startsWith("/") ? address + from : from
      const page = await newBrowser().post("/notes", { text: "hello" }, { headers: { ...FORM, referer } })
      const html = await page.text()
      expect([page.status, page.headers.get("content-type")]).toEqual([401, PAGE])
      expect(page.headers.get("www-authenticate")).toBe('Cookie realm="latchkey"')
      expect(page.headers.get("cache-control")).toContain("no-store")
      expect(html).toContain("Your session has ended")
      const [, link = ""] = /<a class="button primary" href="([^"]*)">/.exec(html) ?? []
      const url = new URL(decodeEntities(link))
      expect([url.pathname, url.searchParams.get("callbackUrl")]).toEqual(["/auth/signin", back])
    })

    it("gets the page in a browser that does not send Sec-Fetch-Mode", async () => {
      const { browser: newBrowser } = await start(posted)
      const page = await newBrowser().post("/notes", {}, { headers: OLDER })
      expect([page.status, page.headers.get("content-type")]).toEqual([401, PAGE])
    })

    it.each([
      ["a POST of a script", "POST", API],
      ["a DELETE of a script", "DELETE", OLDER],
      ["a POST of a script in an older browser", "POST", { ...OLDER, "x-requested-with": "XMLHttpRequest" }],
    ])("is distinguished from %s, which gets a problem document", async (_name, method, headers) => {
      const { browser: newBrowser } = await start((app) => app.use("/notes", requireAuth))
      const page = await newBrowser().request("/notes", { method, headers })
      expect([page.status, page.headers.get("content-type")]).toEqual([401, "application/problem+json"])
    })

    it("gets the 403 page if authorize refuses it", async () => {
      const { browser: newBrowser } = await start((app) => app.use("/notes", requireAuth({ authorize: () => false })))
      const browser = newBrowser()
      await signIn(browser)
      const page = await browser.post("/notes", {}, { headers: FORM })
      expect([page.status, page.headers.get("content-type")]).toEqual([403, PAGE])
    })
  })

  it.each([
    ["by default", undefined, "private, no-store"],
    ["unless the application sets Cache-Control", "private, max-age=60", "private, max-age=60"],
  ])("SEC-11: prevents caching of guarded responses %s", async (_name, own, expected) => {
    const { browser: newBrowser } = await start((app) => {
      app.get("/after", requireAuth, (_req, res) => void (own ? res.set("Cache-Control", own) : res).send("in"))
      app.use("/before", (_req, res, next) => {
        if (own) res.set("Cache-Control", own)
        next()
      })
      app.get("/before", requireAuth, (_req, res) => void res.send("in"))
    })
    const browser = newBrowser()
    await signIn(browser)
    for (const path of ["/after", "/before"])
      expect((await browser.get(path)).headers.get("cache-control")).toBe(expected)
  })

  it("finds the user if the application has wrapped req.getSession", async () => {
    const { browser: newBrowser } = await start((app) => {
      app.use((req, _res, next) => {
        const own = req.getSession
        req.getSession = () => own()
        next()
      })
      app.get("/me", requireAuth, (req, res) => void res.json(req.auth.user))
    })
    const browser = newBrowser()
    expect((await browser.get("/me", { headers: API })).status).toBe(401)
    await signIn(browser)
    expect(await (await browser.get("/me", { headers: API })).json()).toMatchObject({ name: "ada" })
  })

  it("redirects a page to the sign-in page, and back after the sign-in", async () => {
    const { browser: newBrowser, address } = await start(member)
    const browser = newBrowser()
    const page = await browser.get("/me?tab=1&x=%C3%A9")
    expect([page.status, page.location]).toEqual([
      302,
      `${address}/auth/signin?callbackUrl=${encodeURIComponent("/me?tab=1&x=%C3%A9")}`,
    ])
    expect(page.headers.get("cache-control")).toContain("no-store")
    await browser.get(page.location)
    expect((await signIn(browser)).location).toBe(`${address}/me?tab=1&x=%C3%A9`)
  })

  it("responds to requests that are not for pages with a problem document", async () => {
    const { browser: newBrowser } = await start((app) => app.use("/api", requireAuth))
    const requests = [
      newBrowser().get("/api/x", { headers: API }),
      newBrowser().get("/api/x", { headers: { "sec-fetch-mode": "", accept: "*/*" } }),
      newBrowser().get("/api/x", { headers: { "sec-fetch-mode": "", "x-requested-with": "XMLHttpRequest" } }),
      newBrowser().post("/api/x", { a: "1" }, { headers: API }),
    ]
    for (const page of await Promise.all(requests)) {
      expect([page.status, page.headers.get("content-type"), page.headers.get("www-authenticate")]).toEqual([
        401,
        "application/problem+json",
        'Cookie realm="latchkey"',
      ])
      expect(await page.text()).toBe(documentedBody(401))
      expect(page.headers.get("cache-control")).toContain("no-store")
    }
  })

  it("recognises a page by the Accept header if the browser sends no Sec-Fetch-Mode", async () => {
    const { browser: newBrowser } = await start(member)
    const page = await newBrowser().get("/me", { headers: { "sec-fetch-mode": "", accept: "text/html,*/*" } })
    expect(page.status).toBe(302)
  })

  it.each([
    ["/", "/"],
    ["/welcome", "/welcome?callbackUrl=%2Fme"],
    ["/welcome?from=app", "/welcome?from=app&callbackUrl=%2Fme"],
    ["https://login.test/in", "https://login.test/in?callbackUrl=%2Fme"],
  ])("redirects to redirectTo: %s", async (redirectTo, expected) => {
    const { browser: newBrowser, address } = await start((app) => app.get("/me", requireAuth({ redirectTo })))
    expect((await newBrowser().get("/me")).location).toBe(new URL(expected, address).href)
  })

  it("redirects to pages.signIn", async () => {
    const { browser: newBrowser, address } = await start(member, { pages: { signIn: "/login" } })
    expect((await newBrowser().get("/me")).location).toBe(`${address}/login?callbackUrl=%2Fme`)
  })

  it.each([
    ["pages.signIn", "/login?from=app#form", undefined],
    ["redirectTo", undefined, "/login?from=app"],
  ])("passes an error to the application if it guards the page of %s", async (_name, signInPage, redirectTo) => {
    const { browser: newBrowser, errors } = await start(
      (app) => app.use(requireAuth({ ...(redirectTo && { redirectTo }) })),
      signInPage ? { pages: { signIn: signInPage } } : {},
    )
    const browser = newBrowser()
    const sent = await browser.get("/me?callbackUrl=/other")
    const sentAgain = await browser.get("/login?from=elsewhere")
    expect([sent.status, sentAgain.status, errors]).toEqual([302, 302, []])
    expect((await browser.get(sent.location)).status).toBe(500)
    expect(errors).toMatchObject([
      { message: expect.stringContaining("requireAuth protects /login, "), messageCode: "page-guarded" },
    ])
  })

  it("passes an error to the application if it guards the front page and redirectTo is the front page", async () => {
    const { address, browser: newBrowser, errors } = await start((app) => app.use(requireAuth({ redirectTo: "/" })))
    const browser = newBrowser()
    expect((await browser.get("/me")).location).toBe(`${address}/`)
    expect((await browser.get("/?from=me")).location).toBe(`${address}/`)
    expect((await browser.get("/")).status).toBe(500)
    expect(errors).toMatchObject([{ messageCode: "page-guarded" }])
  })

  it("omits a callbackUrl that would make the URL of the sign-in page too long", async () => {
    const { address, browser: newBrowser } = await start(member)
    const browser = newBrowser()
    const callbackUrl = `/me?q=${"%7B".repeat(339)}`
    const long = await browser.get(callbackUrl)
    expect(new URL(long.location).searchParams.get("callbackUrl")).toBe(callbackUrl)
    const tooLong = await browser.get(`/me?q=${"%7B".repeat(3300)}`)
    expect([tooLong.location, (await browser.get(tooLong.location)).status]).toEqual([`${address}/auth/signin`, 200])
  })

  it("does not mistake a path of this site for a sign-in page of another site", async () => {
    const { browser: newBrowser } = await start((app) => app.use(requireAuth), {
      pages: { signIn: "https://id.test/login" },
    })
    const page = await newBrowser().get("/login?callbackUrl=%2F")
    expect([page.status, new URL(page.location).host]).toEqual([302, "id.test"])
  })

  it("guards a list of paths only", async () => {
    const { browser: newBrowser } = await start((app) => {
      app.use(["/a", "/b"], requireAuth)
      app.use((_req, res) => void res.send("open"))
    })
    const statuses = await Promise.all(
      ["/a", "/a/deep", "/b", "/c", "/"].map(async (path) => (await newBrowser().get(path, { headers: API })).status),
    )
    expect(statuses).toEqual([401, 401, 401, 200, 200])
  })

  it("responds with 403 unless authorize returns true", async () => {
    const answers: unknown[] = [false, undefined, 0, "yes", true]
    const { browser: newBrowser } = await start((app) => {
      const authorize = async ({ user }: { user: User }) => {
        expect(user.name).toBe("ada")
        return answers.shift() as boolean
      }
      app.get("/admin", requireAuth({ authorize }), (_req, res) => void res.send("in"))
    })
    const browser = newBrowser()
    await signIn(browser)
    const pages = [1, 2, 3, 4, 5].map(() => () => browser.get("/admin", { headers: API }))
    const seen = []
    for (const ask of pages) seen.push(await ask())
    expect(seen.map(({ status }) => status)).toEqual([403, 403, 403, 403, 200])
    answers.push(false, false)
    const [htmlPage, problem] = [await browser.get("/admin"), await browser.get("/admin", { headers: API })]
    expect([htmlPage.status, htmlPage.headers.get("content-type")]).toEqual([403, expect.stringMatching(/^text\/html/)])
    expect([problem.status, problem.headers.get("content-type"), await problem.text()]).toEqual([
      403,
      "application/problem+json",
      documentedBody(403),
    ])
  })

  it("adds Cookie to the application's Vary header", async () => {
    const { browser: newBrowser } = await start((app) => {
      app.use((_req, res, next) => {
        res.vary("Origin")
        next()
      })
      member(app)
    })
    expect((await newBrowser().get("/me")).headers.get("vary")).toBe("Origin, Cookie")
  })

  it("shows a 403 page to a browser", async () => {
    const { browser: newBrowser } = await start((app) => app.get("/admin", requireAuth({ authorize: () => false })))
    const browser = newBrowser()
    await signIn(browser)
    const page = await browser.get("/admin", { headers: { accept: "text/html", "sec-fetch-mode": "navigate" } })
    expect([page.status, page.headers.get("content-type")]).toEqual([403, "text/html; charset=utf-8"])
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'")
    expect(await page.text()).toMatch(/<h1>.*access.*<\/h1>/i)
  })

  it("passes an error of authorize to the application", async () => {
    const { browser: newBrowser, errors } = await start((app) =>
      app.get("/admin", requireAuth({ authorize: () => Promise.reject(new Error("the policy is down")) })),
    )
    const browser = newBrowser()
    await signIn(browser)
    expect((await browser.get("/admin")).status).toBe(500)
    expect(errors).toMatchObject([{ message: "the policy is down" }])
  })

  it("passes an Error to the application even if authorize rejects with another value", async () => {
    const { browser: newBrowser, errors } = await start((app) =>
      app.get("/admin", requireAuth({ authorize: () => Promise.reject(undefined) })),
    )
    const browser = newBrowser()
    await signIn(browser)
    expect((await browser.get("/admin")).status).toBe(500)
    expect(errors[0]).toBeInstanceOf(Error)
  })

  it("passes an error with the missing line to the application if the middleware is missing", async () => {
    const errors: Error[] = []
    const app = create()
    app.get("/me", requireAuth, (_req, res) => void res.send("in"))
    app.use(((error, _req, res, _next) => {
      errors.push(error)
      res.status(error.status).send(error.expose ? error.message : "")
    }) as express.ErrorRequestHandler)
    const page = await (await serve(app)).browser().get("/me")
    expect([page.status, await page.text()]).toEqual([500, ""])
    expect(errors[0]?.message).toContain("app.use(authMiddleware(config))")
  })

  it("reads the session once for several guards", async () => {
    let reads = 0
    const callbacks: AuthConfig["callbacks"] = {
      session: ({ session }) => {
        reads++
        return session
      },
    }
    const { browser: newBrowser } = await start(
      (app) => {
        app.use(requireAuth)
        app.get("/me", requireAuth({}), async (req, res) => {
          const [a, b] = await Promise.all([req.getSession(), req.getSession()])
          res.json(a === b)
        })
      },
      { callbacks },
    )
    const browser = newBrowser()
    await signIn(browser)
    reads = 0
    expect([await (await browser.get("/me")).json(), reads]).toEqual([true, 1])
  })

  it("does not change a response that the application has begun", async () => {
    const { browser: newBrowser, errors } = await start((app) => {
      app.use((_req, res, next) => {
        res.write("begun, ")
        setTimeout(() => res.end("and ended"), 50)
        next()
      })
      app.get("/me", requireAuth, (_req, res) => void res.end("secret"))
      app.get("/admin", requireAuth({ authorize: () => false }), (_req, res) => void res.end("secret"))
    })
    const [visitor, signedIn] = [newBrowser(), newBrowser()]
    await signIn(signedIn)
    const pages = [visitor.get("/me"), visitor.get("/me", { headers: API }), signedIn.get("/admin")]
    const texts = (await Promise.all(pages)).map((page) => page.text())
    expect(await Promise.all(texts)).toEqual(texts.map(() => "begun, and ended"))
    expect(errors).toEqual([])
  })

  it("responds to HEAD as to GET, without a body", async () => {
    const { browser: newBrowser } = await start(member)
    const page = await newBrowser().request("/me", { method: "HEAD" })
    expect([page.status, await page.text()]).toEqual([302, ""])
  })
})

describe("requireAuth with invalid options", () => {
  const isAdmin = () => false
  it.each([
    [{ authorise: isAdmin }, "requireAuth.authorise: is not an option. Did you mean `authorize`?"],
    [
      { role: "admin" },
      "requireAuth.role: is not an option. Use one of redirectTo, authorize, freshWithin, factors, acr, amr, provider, scope: { authorize: ",
    ],
    [{ authorize: undefined }, "requireAuth.authorize: is undefined. Write authorize: "],
    [{ authorize: "admin" }, "requireAuth.authorize: is a string. Write authorize: "],
    [{ provider: undefined }, 'requireAuth.provider: is undefined. Write provider: "example", or leave it out'],
    [{ provider: "oidc", scope: "" }, 'requireAuth.scope: is empty. Write scope: "calendar.read", or leave it out'],
    [{ provider: "" }, 'requireAuth.provider: is empty. Write provider: "example", or leave it out'],
    [{ scope: "read" }, 'requireAuth.scope: is set without provider. Write provider: "example"'],
    [{ freshWithin: undefined }, 'requireAuth.freshWithin: is undefined. Write freshWithin: "10m", or leave it out'],
    [{ freshWithin: "10 minutes" }, 'requireAuth.freshWithin: is "10 minutes". Write freshWithin: "10m"'],
    [{ freshWithin: 0 }, "requireAuth.freshWithin: is 0. Write freshWithin: "],
    [{ factors: 1 }, "requireAuth.factors: is 1. Write factors: 2"],
    [{ factors: undefined }, "requireAuth.factors: is undefined. Write factors: 2"],
    [{ acr: "" }, 'requireAuth.acr: is "". Write acr: "phr"'],
    [{ acr: 'a"b' }, "requireAuth.acr: is "],
    [{ amr: "hwk" }, 'requireAuth.amr: is "hwk". Write amr: ["hwk"]'],
    [{ amr: [] }, "requireAuth.amr: is a list. Write amr: "],
    [{ amr: ["a b"] }, "requireAuth.amr: is a list. Write amr: "],
    [isAdmin, "requireAuth: expects options, not a function. Write requireAuth({ authorize: "],
    ["admin", "requireAuth: expects options, not a string. Write requireAuth({ authorize: "],
    [null, "requireAuth: expects options, not null. Write requireAuth({ authorize: "],
    [new Date(), "requireAuth: expects options, not an object. Write requireAuth({ authorize: "],
  ])("throws for %p", (options, message) => {
    // The types forbid these values, but JavaScript allows them.
    expect(() => requireAuth(options as never)).toThrow(message)
  })
})

it("requireAuth works on Connect", async () => {
  const app = connect().use(authMiddleware(configOf())).use("/me", requireAuth)
  app.use((_req: unknown, res: { end(text: string): void }) => res.end("in"))
  const browser = (await serve(app)).browser()
  expect((await browser.get("/me")).location).toContain("/auth/signin?callbackUrl=%2Fme")
  await signIn(browser)
  expect(await (await browser.get("/me")).text()).toBe("in")
})
