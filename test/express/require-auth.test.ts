import { readFileSync } from "node:fs"
import connect from "connect"
import express, { type Express } from "express"
import express4 from "express4"
import { authMiddleware, requireAuth } from "../../lib/index.js"
import type { AuthConfig, User } from "../../lib/types.js"
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

/** What docs/express.md says that a program is told. */
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

  it("lets the signed-in person pass, and says who it is", async () => {
    const { browser: visit } = await start(member)
    const browser = visit()
    await signIn(browser)
    const page = await browser.get("/me")
    expect([page.status, await page.json()]).toMatchObject([
      200,
      { user: { name: "ada" }, session: { user: { name: "ada" }, expires: expect.any(String) } },
    ])
  })

  describe("a form that is posted after the session has ended", () => {
    const FORM = { accept: "text/html", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" }
    const OLDER = { accept: "text/html", "sec-fetch-mode": "", "sec-fetch-dest": "" }
    const PAGE = "text/html; charset=utf-8"
    const posted = (app: Express) => app.post("/notes", requireAuth, (_req, res) => void res.send("saved"))

    it.each([
      ["of this site, which is the page to come back to", "/notes/new?draft=1", "/notes/new?draft=1"],
      ["of another site, which is not", "https://evil.test/x", "/"],
      ["that is not sent", "", "/"],
    ])("gets a page that explains, and leads to sign-in and back: a Referer %s", async (_name, from, back) => {
      const { browser: visit, address } = await start(posted)
      const referer = from.startsWith("/") ? address + from : from
      const page = await visit().post("/notes", { text: "hello" }, { headers: { ...FORM, referer } })
      const html = await page.text()
      expect([page.status, page.headers.get("content-type")]).toEqual([401, PAGE])
      expect(page.headers.get("www-authenticate")).toBe('Cookie realm="latchkey"')
      expect(page.headers.get("cache-control")).toContain("no-store")
      expect(html).toContain("Your session has ended")
      const [, link = ""] = /<a class="button primary" href="([^"]*)">/.exec(html) ?? []
      const url = new URL(decodeEntities(link))
      expect([url.pathname, url.searchParams.get("callbackUrl")]).toEqual(["/auth/signin", back])
    })

    it("gets the page in a browser that does not send Sec-Fetch-Mode, too", async () => {
      const { browser: visit } = await start(posted)
      const page = await visit().post("/notes", {}, { headers: OLDER })
      expect([page.status, page.headers.get("content-type")]).toEqual([401, PAGE])
    })

    it.each([
      ["a script's POST", "POST", API],
      ["a script's DELETE", "DELETE", OLDER],
      ["a POST of an older script", "POST", { ...OLDER, "x-requested-with": "XMLHttpRequest" }],
    ])("is told apart from %s, which gets the problem", async (_name, method, headers) => {
      const { browser: visit } = await start((app) => app.use("/notes", requireAuth))
      const page = await visit().request("/notes", { method, headers })
      expect([page.status, page.headers.get("content-type")]).toEqual([401, "application/problem+json"])
    })

    it("gets the 403 page when authorize refuses it", async () => {
      const { browser: visit } = await start((app) => app.use("/notes", requireAuth({ authorize: () => false })))
      const browser = visit()
      await signIn(browser)
      const page = await browser.post("/notes", {}, { headers: FORM })
      expect([page.status, page.headers.get("content-type")]).toEqual([403, PAGE])
    })
  })

  it.each([
    ["by default", undefined, "private, no-store"],
    ["unless the application sets its own", "private, max-age=60", "private, max-age=60"],
  ])("SEC-11: keeps guarded answers out of all caches %s", async (_name, own, expected) => {
    const { browser: visit } = await start((app) => {
      app.get("/after", requireAuth, (_req, res) => void (own ? res.set("Cache-Control", own) : res).send("in"))
      app.use("/before", (_req, res, next) => {
        if (own) res.set("Cache-Control", own)
        next()
      })
      app.get("/before", requireAuth, (_req, res) => void res.send("in"))
    })
    const browser = visit()
    await signIn(browser)
    for (const path of ["/after", "/before"])
      expect((await browser.get(path)).headers.get("cache-control")).toBe(expected)
  })

  it("knows the person where the application has wrapped req.getSession", async () => {
    const { browser: visit } = await start((app) => {
      app.use((req, _res, next) => {
        const own = req.getSession
        req.getSession = () => own()
        next()
      })
      app.get("/me", requireAuth, (req, res) => void res.json(req.auth.user))
    })
    const browser = visit()
    expect((await browser.get("/me", { headers: API })).status).toBe(401)
    await signIn(browser)
    expect(await (await browser.get("/me", { headers: API })).json()).toMatchObject({ name: "ada" })
  })

  it("sends a page to the sign-in page, and back after it", async () => {
    const { browser: visit, address } = await start(member)
    const browser = visit()
    const page = await browser.get("/me?tab=1&x=%C3%A9")
    expect([page.status, page.location]).toEqual([
      302,
      `${address}/auth/signin?callbackUrl=${encodeURIComponent("/me?tab=1&x=%C3%A9")}`,
    ])
    expect(page.headers.get("cache-control")).toContain("no-store")
    await browser.get(page.location)
    expect((await signIn(browser)).location).toBe(`${address}/me?tab=1&x=%C3%A9`)
  })

  it("answers everything that is no page with a problem document", async () => {
    const { browser: visit } = await start((app) => app.use("/api", requireAuth))
    const asks = [
      visit().get("/api/x", { headers: API }),
      visit().get("/api/x", { headers: { "sec-fetch-mode": "", accept: "*/*" } }),
      visit().get("/api/x", { headers: { "sec-fetch-mode": "", "x-requested-with": "XMLHttpRequest" } }),
      visit().post("/api/x", { a: "1" }, { headers: API }),
    ]
    for (const page of await Promise.all(asks)) {
      expect([page.status, page.headers.get("content-type"), page.headers.get("www-authenticate")]).toEqual([
        401,
        "application/problem+json",
        'Cookie realm="latchkey"',
      ])
      expect(await page.text()).toBe(documentedBody(401))
      expect(page.headers.get("cache-control")).toContain("no-store")
    }
  })

  it("knows a page by Accept where the browser says no more", async () => {
    const { browser: visit } = await start(member)
    const page = await visit().get("/me", { headers: { "sec-fetch-mode": "", accept: "text/html,*/*" } })
    expect(page.status).toBe(302)
  })

  it.each([
    ["/", "/"],
    ["/welcome", "/welcome?callbackUrl=%2Fme"],
    ["/welcome?from=app", "/welcome?from=app&callbackUrl=%2Fme"],
    ["https://login.test/in", "https://login.test/in?callbackUrl=%2Fme"],
  ])("sends people to %s when told to", async (redirectTo, expected) => {
    const { browser: visit, address } = await start((app) => app.get("/me", requireAuth({ redirectTo })))
    expect((await visit().get("/me")).location).toBe(new URL(expected, address).href)
  })

  it("sends people to the application's own sign-in page", async () => {
    const { browser: visit, address } = await start(member, { pages: { signIn: "/login" } })
    expect((await visit().get("/me")).location).toBe(`${address}/login?callbackUrl=%2Fme`)
  })

  it.each([
    ["its own pages.signIn", "/login?from=app#form", undefined],
    ["its own redirectTo", undefined, "/login?from=app"],
  ])("says so when it guards the page that it sends people to, %s", async (_name, signInPage, redirectTo) => {
    const { browser: visit, errors } = await start(
      (app) => app.use(requireAuth({ ...(redirectTo && { redirectTo }) })),
      signInPage ? { pages: { signIn: signInPage } } : {},
    )
    const browser = visit()
    const sent = await browser.get("/me?callbackUrl=/other")
    const sentAgain = await browser.get("/login?from=elsewhere")
    expect([sent.status, sentAgain.status, errors]).toEqual([302, 302, []])
    expect((await browser.get(sent.location)).status).toBe(500)
    expect(errors).toMatchObject([
      { message: expect.stringContaining("requireAuth stands before /login, "), messageCode: "sign-in-page-guarded" },
    ])
  })

  it("says so when it guards the front page, and sends people there", async () => {
    const { address, browser: visit, errors } = await start((app) => app.use(requireAuth({ redirectTo: "/" })))
    const browser = visit()
    expect((await browser.get("/me")).location).toBe(`${address}/`)
    expect((await browser.get("/?from=me")).location).toBe(`${address}/`)
    expect((await browser.get("/")).status).toBe(500)
    expect(errors).toMatchObject([{ messageCode: "sign-in-page-guarded" }])
  })

  it("sends somebody from a very long address to a sign-in page that can be asked for", async () => {
    const { address, browser: visit } = await start(member)
    const browser = visit()
    const callbackUrl = `/me?q=${"%7B".repeat(339)}`
    const far = await browser.get(callbackUrl)
    expect(new URL(far.location).searchParams.get("callbackUrl")).toBe(callbackUrl)
    const tooFar = await browser.get(`/me?q=${"%7B".repeat(3300)}`)
    expect([tooFar.location, (await browser.get(tooFar.location)).status]).toEqual([`${address}/auth/signin`, 200])
  })

  it("takes a page of another site for another, whatever its path", async () => {
    const { browser: visit } = await start((app) => app.use(requireAuth), {
      pages: { signIn: "https://id.test/login" },
    })
    const page = await visit().get("/login?callbackUrl=%2F")
    expect([page.status, new URL(page.location).host]).toEqual([302, "id.test"])
  })

  it("guards a list of paths, and nothing beside it", async () => {
    const { browser: visit } = await start((app) => {
      app.use(["/a", "/b"], requireAuth)
      app.use((_req, res) => void res.send("open"))
    })
    const statuses = await Promise.all(
      ["/a", "/a/deep", "/b", "/c", "/"].map(async (path) => (await visit().get(path, { headers: API })).status),
    )
    expect(statuses).toEqual([401, 401, 401, 200, 200])
  })

  it("refuses with 403 unless authorize says true", async () => {
    const answers: unknown[] = [false, undefined, 0, "yes", true]
    const { browser: visit } = await start((app) => {
      const authorize = async ({ user }: { user: User }) => {
        expect(user.name).toBe("ada")
        return answers.shift() as boolean
      }
      app.get("/admin", requireAuth({ authorize }), (_req, res) => void res.send("in"))
    })
    const browser = visit()
    await signIn(browser)
    const pages = [1, 2, 3, 4, 5].map(() => () => browser.get("/admin", { headers: API }))
    const seen = []
    for (const ask of pages) seen.push(await ask())
    expect(seen.map(({ status }) => status)).toEqual([403, 403, 403, 403, 200])
    answers.push(false, false)
    const [shown, told] = [await browser.get("/admin"), await browser.get("/admin", { headers: API })]
    expect([shown.status, shown.headers.get("content-type")]).toEqual([403, expect.stringMatching(/^text\/html/)])
    expect([told.status, told.headers.get("content-type"), await told.text()]).toEqual([
      403,
      "application/problem+json",
      documentedBody(403),
    ])
  })

  it("keeps what the application's answers vary by", async () => {
    const { browser: visit } = await start((app) => {
      app.use((_req, res, next) => {
        res.vary("Origin")
        next()
      })
      member(app)
    })
    expect((await visit().get("/me")).headers.get("vary")).toBe("Origin, Cookie")
  })

  it("shows a person who is refused a page", async () => {
    const { browser: visit } = await start((app) => app.get("/admin", requireAuth({ authorize: () => false })))
    const browser = visit()
    await signIn(browser)
    const page = await browser.get("/admin", { headers: { accept: "text/html", "sec-fetch-mode": "navigate" } })
    expect([page.status, page.headers.get("content-type")]).toEqual([403, "text/html; charset=utf-8"])
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'")
    expect(await page.text()).toMatch(/<h1>.*access.*<\/h1>/i)
  })

  it("hands what authorize throws to the application", async () => {
    const { browser: visit, errors } = await start((app) =>
      app.get("/admin", requireAuth({ authorize: () => Promise.reject(new Error("the policy is down")) })),
    )
    const browser = visit()
    await signIn(browser)
    expect((await browser.get("/admin")).status).toBe(500)
    expect(errors).toMatchObject([{ message: "the policy is down" }])
  })

  it("hands on an Error even when something else was thrown", async () => {
    const { browser: visit, errors } = await start((app) =>
      app.get("/admin", requireAuth({ authorize: () => Promise.reject(undefined) })),
    )
    const browser = visit()
    await signIn(browser)
    expect((await browser.get("/admin")).status).toBe(500)
    expect(errors[0]).toBeInstanceOf(Error)
  })

  it("says what to write when the middleware is missing", async () => {
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

  it("asks for the session once, however many guards there are", async () => {
    let reads = 0
    const callbacks: AuthConfig["callbacks"] = {
      session: ({ session }) => {
        reads++
        return session
      },
    }
    const { browser: visit } = await start(
      (app) => {
        app.use(requireAuth)
        app.get("/me", requireAuth({}), async (req, res) => {
          const [a, b] = await Promise.all([req.getSession(), req.getSession()])
          res.json(a === b)
        })
      },
      { callbacks },
    )
    const browser = visit()
    await signIn(browser)
    reads = 0
    expect([await (await browser.get("/me")).json(), reads]).toEqual([true, 1])
  })

  it("leaves an answer alone that the application has begun", async () => {
    const { browser: visit, errors } = await start((app) => {
      app.use((_req, res, next) => {
        res.write("begun, ")
        setTimeout(() => res.end("and ended"), 50)
        next()
      })
      app.get("/me", requireAuth, (_req, res) => void res.end("secret"))
      app.get("/admin", requireAuth({ authorize: () => false }), (_req, res) => void res.end("secret"))
    })
    const [stranger, person] = [visit(), visit()]
    await signIn(person)
    const pages = [stranger.get("/me"), stranger.get("/me", { headers: API }), person.get("/admin")]
    const texts = (await Promise.all(pages)).map((page) => page.text())
    expect(await Promise.all(texts)).toEqual(texts.map(() => "begun, and ended"))
    expect(errors).toEqual([])
  })

  it("answers HEAD as GET, without a body", async () => {
    const { browser: visit } = await start(member)
    const page = await visit().request("/me", { method: "HEAD" })
    expect([page.status, await page.text()]).toEqual([302, ""])
  })
})

describe("requireAuth with options that it can't take opens no door:", () => {
  const isAdmin = () => false
  it.each([
    [{ authorise: isAdmin }, "requireAuth.authorise: is no option. Did you mean `authorize`?"],
    [{ role: "admin" }, "requireAuth.role: is no option. There are redirectTo and authorize: write { authorize: "],
    [{ authorize: undefined }, "requireAuth.authorize: is undefined. Write authorize: "],
    [{ authorize: "admin" }, "requireAuth.authorize: is a string. Write authorize: "],
    [isAdmin, "requireAuth: is given a function. Write requireAuth({ authorize: "],
    ["admin", "requireAuth: is given a string. Write requireAuth({ authorize: "],
    [null, "requireAuth: is given null. Write requireAuth({ authorize: "],
    [new Date(), "requireAuth: is given an object. Write requireAuth({ authorize: "],
  ])("%p", (options, message) => {
    // The types forbid them: JavaScript has nobody to say so.
    expect(() => requireAuth(options as never)).toThrow(message)
  })
})

it("requireAuth guards on Connect too", async () => {
  const app = connect().use(authMiddleware(configOf())).use("/me", requireAuth)
  app.use((_req: unknown, res: { end(text: string): void }) => res.end("in"))
  const browser = (await serve(app)).browser()
  expect((await browser.get("/me")).location).toContain("/auth/signin?callbackUrl=%2Fme")
  await signIn(browser)
  expect(await (await browser.get("/me")).text()).toBe("in")
})
