import { getSession } from "../../lib/index.js"
import { people, signIn } from "../express/support/servers.js"
import { TEST_SECRET } from "../support/apps.js"
import { EXPRESS, textOf, useApplications, useTerminal } from "./support/application.js"

const terminal = useTerminal()
const start = useApplications()

describe.each(EXPRESS)("mounted on %s", (version, create) => {
  const splat = version === "Express 5" ? "/auth/*splat" : "/auth/*"

  it.each([
    ["at no path", undefined, "/auth"],
    ["at /auth", "/auth", "/auth"],
    ["at a wildcard path", splat, "/auth"],
    ["at another path", "/api/auth", "/api/auth"],
  ])("sign-in works %s", async (_name, path, base) => {
    const config = { providers: [people()], secret: TEST_SECRET }
    const app = await start({
      create,
      config,
      mount: (express, middleware) => (path === undefined ? express.use(middleware) : express.use(path, middleware)),
      routes: (express) => express.get("/who", async (req, res) => void res.json(await getSession(req, config))),
    })
    const browser = app.browser()
    expect((await signIn(browser, base)).status).toBe(302)
    expect(await (await browser.get("/who")).json()).toMatchObject({ user: { name: "ada" } })
    expect(terminal.text()).toBe("")
  })

  it("a mount path that differs from the path of AUTH_URL causes one warning", async () => {
    const env = { AUTH_URL: "http://localhost:3000/login" }
    const app = await start({ create, env, mount: (express, middleware) => express.use("/auth", middleware) })
    const browser = app.browser()
    expect((await browser.get("/auth/signin")).status).toBe(404)
    expect((await browser.get("/auth/session")).status).toBe(404)
    expect(terminal.lines("[latchkey]")).toEqual([
      "[latchkey][warn][mount-mismatch] the middleware is mounted at /auth, but basePath (or the path of AUTH_URL) is /login, so no request can reach it. Mount it without a path, app.use(authMiddleware(config)), or make the two equal",
    ])
  })

  it("the path of AUTH_URL applies without a warning if the middleware is mounted at no path", async () => {
    const app = await start({ create, env: { AUTH_URL: "http://localhost:3000/login" } })
    const browser = app.browser({ origin: "http://localhost:3000" })
    for (let i = 0; i < 3; i++) expect((await browser.get("/login/signin")).status).toBe(200)
    expect(terminal.text()).toBe("")
  })
})

it("a misspelt provider id gets a 404 page, and the log lists the valid ids", async () => {
  const app = await start({})
  const page = await app.browser().get("/auth/signin/credentails")
  expect([page.status, await textOf(page)]).toEqual([404, expect.stringMatching(/^This address doesn't work/)])
  expect(terminal.text()).toBe(
    '[latchkey][warn][provider-unknown] InvalidProvider: unknown provider {"provider":"credentails","known":["credentials"]}',
  )
})
