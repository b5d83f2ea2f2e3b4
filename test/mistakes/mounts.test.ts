import { getSession } from "../../lib/index.js"
import { people, signIn } from "../express/support/servers.js"
import { TEST_SECRET } from "../support/apps.js"
import { EXPRESS, textOf, useApplications, useTerminal } from "./support/application.js"

const terminal = useTerminal()
const start = useApplications()

describe.each(EXPRESS)("mounted on %s", (version, create) => {
  const splat = version === "Express 5" ? "/auth/*splat" : "/auth/*"

  it.each([
    ["0: as documented, at no path", undefined, "/auth"],
    ["0: at a path", "/auth", "/auth"],
    ["0b: at a path with a wildcard", splat, "/auth"],
    ["14: at another path than the usual", "/api/auth", "/api/auth"],
  ])("%s: signs in", async (_name, path, base) => {
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

  it("12: at another path than that of AUTH_URL: says once where no request gets to", async () => {
    const env = { AUTH_URL: "http://localhost:3000/login" }
    const app = await start({ create, env, mount: (express, middleware) => express.use("/auth", middleware) })
    const browser = app.browser()
    expect((await browser.get("/auth/signin")).status).toBe(404)
    expect((await browser.get("/auth/session")).status).toBe(404)
    expect(terminal.lines("[latchkey]")).toEqual([
      "[latchkey][warn][mount-mismatch] the middleware hangs at /auth and serves /login, as basePath or the path of AUTH_URL says: no request gets there. Write app.use(authMiddleware(config)), without a path, or make the two equal",
    ])
  })

  it("12: with the path of AUTH_URL, and mounted at no path: says nothing, however often it is asked", async () => {
    const app = await start({ create, env: { AUTH_URL: "http://localhost:3000/login" } })
    const browser = app.browser({ origin: "http://localhost:3000" })
    for (let i = 0; i < 3; i++) expect((await browser.get("/login/signin")).status).toBe(200)
    expect(terminal.text()).toBe("")
  })
})

it("13: a provider's name is misspelt: the page says that the address is wrong, the log which there are", async () => {
  const app = await start({})
  const page = await app.browser().get("/auth/signin/credentails")
  expect([page.status, await textOf(page)]).toEqual([404, expect.stringMatching(/^This address doesn't work/)])
  expect(terminal.text()).toBe(
    '[latchkey][warn][provider-unknown] InvalidProvider: there is no such provider {"provider":"credentails","known":["credentials"]}',
  )
})
