import connect from "connect"
import express from "express"
import express4 from "express4"
import { authMiddleware, optionalAuth } from "../../lib/index.js"
import type { AuthConfig } from "../../lib/types.js"
import type { AppRequest, TestApp } from "../support/apps.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { configOf, servers, signIn } from "./support/servers.js"

failOnUnhandled()
const serve = servers()

/** The request and response types of the frameworks differ, so the applications are untyped. */
const FRAMEWORKS: [string, () => unknown][] = [
  ["Express 5", express],
  ["Express 4", express4],
  ["Connect", connect],
]

describe.each(FRAMEWORKS)("optionalAuth on %s", (_name, create) => {
  async function start(over: Partial<AuthConfig> = {}, { isMounted = true } = {}) {
    const errors: unknown[] = []
    const app = create() as TestApp & { use(handler: unknown): unknown }
    if (isMounted) app.use(authMiddleware(configOf(over)))
    app.use(optionalAuth)
    app.use("/auth-of", (req, res) => {
      const { auth } = req as AppRequest & { auth?: unknown }
      res.end(JSON.stringify(auth ?? null))
    })
    app.use((error: { status?: number }, _req: unknown, res: express.Response, _next: unknown) => {
      errors.push(error)
      res.statusCode = error.status ?? 500
      res.end()
    })
    // node:http calls all three the same way.
    return { ...(await serve(app as never)), errors }
  }

  it("sets req.auth if there is a session, and passes other requests on", async () => {
    const { browser: newBrowser } = await start()
    const browser = newBrowser()
    expect(await (await browser.get("/auth-of")).json()).toBeNull()
    await signIn(browser)
    expect(await (await browser.get("/auth-of")).json()).toMatchObject({
      user: { name: "ada" },
      session: { expires: expect.any(String) },
    })
  })

  it("passes the error of a callback to the error handler, without an unhandled rejection", async () => {
    const { browser: newBrowser, errors } = await start({
      callbacks: {
        session() {
          throw new Error("the callback fails")
        },
      },
    })
    const browser = newBrowser()
    await signIn(browser)
    expect((await browser.get("/auth-of")).status).toBe(500)
    expect(errors).toEqual([expect.objectContaining({ type: "CallbackRouteError" })])
  })

  it("passes an error to the application if the middleware is missing", async () => {
    const { browser: newBrowser, errors } = await start({}, { isMounted: false })
    expect((await newBrowser().get("/auth-of")).status).toBe(500)
    expect(errors).toEqual([expect.objectContaining({ messageCode: "middleware-missing" })])
    expect(String(errors[0])).toContain("optionalAuth was called for a request that authMiddleware has not handled")
  })
})

describe.each(FRAMEWORKS)("req.getSession() on %s", (_name, create) => {
  it("causes no unhandled rejection if a handler awaits it late or never", async () => {
    const failing: Partial<AuthConfig> = {
      callbacks: {
        session() {
          throw new Error("the callback fails")
        },
      },
    }
    const app = create() as TestApp
    app.use(authMiddleware(configOf(failing)) as never)
    app.use("/late", (req, res) => {
      const reading = req.getSession()
      setTimeout(() => {
        reading.catch((error: Error) => res.end(error.name))
      }, 50)
    })
    app.use("/never", (req, res) => {
      void req.getSession()
      res.end("sent")
    })
    const browser = (await serve(app as never)).browser()
    await signIn(browser)
    expect(await (await browser.get("/never")).text()).toBe("sent")
    expect(await (await browser.get("/late")).text()).toBe("CallbackRouteError")
  })
})
