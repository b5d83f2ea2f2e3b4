import { inspect } from "node:util"
import express, { type Express } from "express"
import express4 from "express4"
import type { Adapter, AdapterSession } from "../../lib/adapters/adapter.js"
import { AuthError, authMiddleware } from "../../lib/index.js"
import type { AuthConfig } from "../../lib/types.js"
import { allText, recordingLogger } from "../support/recording-logger.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { configOf, servers, signIn } from "./support/servers.js"

failOnUnhandled()
const serve = servers()

const VERSIONS: [string, () => Express][] = [
  ["Express 5", express],
  ["Express 4", express4],
]

/** An adapter with one session that can be taken down. */
function sessionAdapter(): Adapter & { isDown: boolean } {
  const user = { id: "1", email: "ada@app.test", emailVerified: null, name: "ada" }
  const session: AdapterSession = { sessionToken: "t", userId: "1", expires: new Date(Date.now() + 3_600_000) }
  const none = async () => null
  const adapter = {
    isDown: false,
    getSessionAndUser: async (token: string) => {
      if (adapter.isDown) throw new Error("connection refused by db.internal:5432")
      return token === "t" ? { session, user } : null
    },
    createUser: async (created: typeof user) => created,
    updateUser: async () => user,
    createSession: async (created: AdapterSession) => created,
    ...{ getUser: none, getUserByEmail: none, getUserByAccount: none, linkAccount: none },
    ...{ updateSession: none, deleteSession: none },
  }
  return adapter
}

describe.each(VERSIONS)("authMiddleware on %s", (_version, create) => {
  async function start(over: Partial<AuthConfig>) {
    const errors: AuthError[] = []
    const log = recordingLogger()
    const app = create()
    app.use(authMiddleware(configOf({ logger: log.logger, ...over })))
    app.get("/me", (req, res, next) => void req.getSession().then((session) => res.json(session), next))
    app.use(((error, _req, res, _next) => {
      errors.push(error)
      res.status(error.status).json({ message: error.expose ? error.message : "sorry" })
    }) as express.ErrorRequestHandler)
    return { ...(await serve(app)), errors, log }
  }

  it("passes an error of the session callback to next(err) even after the application has responded", async () => {
    const errors: unknown[] = []
    const app = create()
    const limit = { end: () => {} }
    app.use((_req, res, next) => {
      limit.end = () => void res.status(503).send("too late")
      next()
    })
    app.use(
      authMiddleware(
        configOf({
          callbacks: {
            session: () => {
              limit.end()
              throw new Error("in our own code")
            },
          },
        }),
      ),
    )
    app.use(((error, _req, _res, _next) => void errors.push(error)) as express.ErrorRequestHandler)
    const browser = (await serve(app)).browser()
    await signIn(browser)
    expect((await browser.get("/auth/session")).status).toBe(503)
    expect(errors).toEqual([expect.objectContaining({ type: "CallbackRouteError" })])
  })

  it("passes an error of the session callback to next(err) with status 500, and keeps the session cookie", async () => {
    let isBroken = false
    const { browser: newBrowser, errors } = await start({
      session: { updateAge: 0 },
      callbacks: {
        session: ({ session }) => {
          if (isBroken) throw new Error("in our own code")
          return session
        },
      },
    })
    const browser = newBrowser()
    await signIn(browser)
    isBroken = true
    for (const path of ["/me", "/auth/session"]) {
      const page = await browser.get(path)
      expect([page.status, await page.json(), page.headers.getSetCookie()]).toEqual([500, { message: "sorry" }, []])
    }
    expect(errors).toHaveLength(2)
    for (const error of errors) {
      expect(error).toBeInstanceOf(AuthError)
      expect(error).toMatchObject({ type: "CallbackRouteError", status: 500, expose: false })
      expect(error.cause?.err?.message).toBe("in our own code")
    }
    isBroken = false
    expect(await (await browser.get("/me")).json()).toMatchObject({ user: { name: "ada" } })
  })

  it("FLT-14: responds with 503 at a route if the adapter fails, and does not sign the user out", async () => {
    const adapter = sessionAdapter()
    const { browser: newBrowser, errors } = await start({ adapter, providers: [] })
    const browser = newBrowser()
    browser.setCookie("authjs.session-token", "t")
    expect(await (await browser.get("/me")).json()).toMatchObject({ user: { name: "ada" } })
    adapter.isDown = true
    const page = await browser.get("/me")
    expect([page.status, page.headers.getSetCookie()]).toEqual([503, []])
    expect(errors).toMatchObject([{ type: "AdapterError", status: 503, expose: false }])
    expect(await page.text()).not.toContain("db.internal")
    adapter.isDown = false
    expect(await (await browser.get("/me")).json()).toMatchObject({ user: { name: "ada" } })
  })

  it("removes the session token from an error of the adapter, because drivers add it", async () => {
    const adapter = sessionAdapter()
    adapter.getSessionAndUser = async (given) => {
      const statement = `SELECT * FROM sessions WHERE token = '${given}'`
      throw Object.assign(new Error(`no such table: ${statement}`), { code: "42P01", sql: statement, params: [given] })
    }
    const { browser: newBrowser, errors, log } = await start({ adapter, providers: [] })
    const browser = newBrowser()
    const token = "8d2f0c1e-5b7a-4f0e-9c64-2f1d6f0e7a55"
    browser.setCookie("authjs.session-token", token)
    for (const path of ["/me", "/auth/session"]) expect((await browser.get(path)).status).toBe(503)
    expect(errors.map(({ cause }) => Object(cause?.err).code)).toContain("42P01")
    const shown = errors.flatMap((error) => [allText(error), JSON.stringify(error), inspect(error, { depth: 10 })])
    expect([...shown, log.text()].filter((text) => text.includes(token))).toEqual([])
  })

  it("FLT-14: responds with 503 and no-store at /auth/session if the adapter fails, and logs it once", async () => {
    const adapter = { ...sessionAdapter() }
    adapter.getSessionAndUser = async () => {
      throw new Error("connection refused by db.internal:5432")
    }
    const { browser: newBrowser, log } = await start({ adapter, providers: [] })
    const browser = newBrowser()
    browser.setCookie("authjs.session-token", "t")
    const page = await browser.get("/auth/session")
    expect([page.status, page.headers.getSetCookie()]).toEqual([503, []])
    expect(await page.text()).not.toContain("db.internal")
    expect(page.headers.get("cache-control")).toContain("no-store")
    expect(log.records.filter(({ level }) => level === "error")).toMatchObject([{ code: "AdapterError" }])
  })

  it("does not pass an error to the application that a client caused", async () => {
    const { browser: newBrowser, errors } = await start({})
    const browser = newBrowser()
    await browser.post("/auth/signout", { csrfToken: "wrong" })
    await browser.get("/auth/callback/nope")
    await browser.request("/auth/csrf", { method: "DELETE" })
    await signIn(browser, "/auth", { password: "wrong" })
    expect(errors).toEqual([])
  })
})

describe("authMiddleware with an invalid configuration", () => {
  it("throws at start-up and lists every problem", () => {
    const broken = { secret: [], basePath: "/a b", sesion: {} }
    expect(() => authMiddleware(configOf(broken))).toThrow(
      /3 problems:\n {2}1\. secret: [\s\S]*\n {2}2\. sesion: [\s\S]*\n {2}3\. /,
    )
  })

  it("throws a ConfigurationError with its problems", () => {
    let thrown: unknown
    try {
      authMiddleware(configOf({ secret: [] }))
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(AuthError)
    expect(thrown).toMatchObject({ type: "ConfigurationError", problems: [{ type: "MissingSecret", path: "secret" }] })
  })
})
