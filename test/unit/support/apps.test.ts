import { type AppRequest, describeServers, type Next, recordingLogger, TEST_SECRET } from "../../support/apps.js"

const config = { providers: [], secret: TEST_SECRET, logger: recordingLogger().logger }

describeServers("describeServers on", (start, stage) => {
  it("starts the middleware, a session route and a public route", async () => {
    const app = await start(config)
    const browser = app.browser()
    expect(await browser.csrf(app.basePath)).toMatch(/^[\da-f]{64}$/)
    expect(browser.cookieHeader()).toContain("authjs.csrf-token=")
    expect(await (await browser.get("/me")).json()).toBeNull()
    expect(await (await browser.get("/public")).json()).toEqual({ public: true })
    expect((await browser.get("/elsewhere")).status).toBe(404)
    expect(app.errors).toEqual([])
  })

  it("gives each user a separate browser", async () => {
    const app = await start(config)
    const [alice, bob] = [app.browser(), app.browser()]
    await alice.csrf()
    expect([alice.cookies().length > 0, bob.cookies()]).toEqual([true, []])
  })

  it("can serve an https origin", async () => {
    const app = await start(config, { origin: "https://shop.test" })
    const browser = app.browser()
    await browser.csrf()
    expect(browser.cookieHeader("https://shop.test/auth")).toContain("__Host-authjs.csrf-token=")
  })

  if (stage !== "Auth()")
    it("records the errors that reach the error handler", async () => {
      const error = Object.assign(new Error("a teapot"), { status: 418, expose: true })
      const fail = (_req: AppRequest, _res: unknown, next: Next) => next(error)
      const app = await start(config, { routes: (server) => server.use("/pot", fail) })
      const page = await app.browser().get("/pot")
      expect([page.status, await page.json(), app.errors]).toEqual([418, { error: "a teapot" }, [error]])
    })
})
