import { getSession } from "../../../lib/get-session.js"
import type { JWT, Session } from "../../../lib/types.js"
import { configOf, signIn } from "../../express/support/servers.js"
import { describeServers, recordingLogger } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { failOnUnhandled } from "../../support/unhandled.js"

failOnUnhandled()

const NAME = "authjs.session-token"
const read = async (browser: Browser, path = "/auth/session") => (await browser.get(path)).json()

describeServers("callbacks of a JWT session", (start, stage) => {
  it("calls the callbacks and emits the session event with the arguments of Auth.js", async () => {
    const calls: [string, unknown][] = []
    const { browser: newBrowser } = await start(
      configOf({
        callbacks: {
          jwt: (params) => {
            if (params.user === undefined) calls.push(["jwt", { ...params, token: { ...params.token } }])
            return params.token
          },
          session: (params) => {
            calls.push(["session", params])
            return { ...params.session, sub: params.token.sub } as never
          },
        },
        events: { session: (message) => void calls.push(["event", message]) },
      }),
    )
    const browser = newBrowser()
    await signIn(browser)
    const body = await read(browser)
    const token = expect.objectContaining({ name: "ada", sub: "7" })
    const session = { user: { name: "ada", email: undefined, image: undefined }, expires: body.expires }
    expect(calls).toEqual([
      ["jwt", { token, session: undefined }],
      ["session", { session, token }],
      ["event", { session: { ...session, sub: "7" }, token }],
    ])
    expect(Object.keys(Object(calls[0]?.[1])).sort()).toEqual(["session", "token"])
    expect(body.sub).toBe("7")
  })

  it("POST /session with the CSRF token updates the session", async () => {
    const calls: unknown[] = []
    const { browser: newBrowser } = await start(
      configOf({
        callbacks: {
          jwt: ({ token, trigger, session }) => {
            if (trigger !== "update") return token
            calls.push(session)
            return { ...token, name: session.name }
          },
        },
      }),
    )
    const browser = newBrowser()
    await signIn(browser)
    const body = { csrfToken: await browser.csrf(), data: { name: "Ada L." } }
    const page = await browser.postJson("/auth/session", body)
    expect([page.status, await page.json()]).toMatchObject([200, { user: { name: "Ada L." } }])
    expect([calls, await read(browser)]).toMatchObject([[{ name: "Ada L." }], { user: { name: "Ada L." } }])
  })

  it("POST /session without a valid CSRF token responds 400 and changes nothing", async () => {
    const { browser: newBrowser } = await start(configOf())
    const browser = newBrowser()
    await signIn(browser)
    const before = browser.cookie(NAME)
    for (const csrfToken of [undefined, "wrong", ["x"], {}, null]) {
      const page = await browser.postJson("/auth/session", { csrfToken, data: { name: "x" } })
      expect([page.status, await page.json(), page.headers.getSetCookie()]).toEqual([400, null, []])
    }
    expect(browser.cookie(NAME)).toBe(before)
  })

  it("stores the changes of the jwt callback", async () => {
    const { browser: newBrowser } = await start(
      configOf({
        callbacks: {
          jwt: ({ token }) => ({ ...token, reads: Number(token["reads"] ?? 0) + 1 }),
          session: ({ session, token }) => ({ ...session, reads: token["reads"] }),
        },
      }),
    )
    const browser = newBrowser()
    await signIn(browser)
    const reads = []
    for (const path of ["/me", "/me", "/auth/session", "/me"]) reads.push((await read(browser, path)).reads)
    expect(reads).toEqual([2, 3, 4, 5])
  })

  it("ends the session if the jwt callback returns null", async () => {
    let isBanned = false
    const { browser: newBrowser } = await start(
      configOf({ callbacks: { jwt: ({ token }) => (isBanned ? null : token) } }),
    )
    for (const path of ["/me", "/auth/session"]) {
      isBanned = false
      const browser = newBrowser()
      await signIn(browser)
      isBanned = true
      expect([await read(browser, path), browser.cookie(NAME)]).toEqual([null, undefined])
    }
  })

  it.each<[string, unknown]>([
    ["a boolean", true],
    ["a string", "ada"],
    ["an array", [{ sub: "7" }]],
    ["a function", () => ({ sub: "7" })],
  ])("responds 500 and keeps the cookie if the jwt callback returns %s", async (_what, odd) => {
    let isOdd = false
    const log = recordingLogger()
    const jwt = ({ token }: { token: JWT }) => (isOdd ? (odd as JWT) : token)
    const app = await start(configOf({ logger: log.logger, callbacks: { jwt } }))
    const browser = app.browser()
    await signIn(browser)
    const before = browser.cookie(NAME)
    isOdd = true
    for (const path of ["/me", "/auth/session"]) expect((await browser.get(path)).status).toBe(500)
    expect((await signIn(browser)).location).toContain("error=")
    expect(browser.cookie(NAME)).toBe(before)
    expect(log.text()).toContain("callbacks.jwt must return the token")
  })

  it("returns null and emits no event if the session callback returns nothing", async () => {
    const emitted: unknown[] = []
    const session = (() => undefined) as unknown as () => Session
    const config = configOf({ callbacks: { session }, events: { session: (message) => void emitted.push(message) } })
    const browser = (await start(config)).browser()
    await signIn(browser)
    const request = new Request("http://localhost/", { headers: { cookie: `${NAME}=${browser.cookie(NAME)}` } })
    expect(await getSession(request, config)).toBeNull()
    for (const path of ["/me", "/auth/session"]) expect(await (await browser.get(path)).text()).toBe("null")
    expect([emitted, browser.cookie(NAME)]).toEqual([[], expect.any(String)])
  })

  it.each(["jwt", "session"] as const)("responds 500 and keeps the cookie if the %s callback throws", async (name) => {
    let isBroken = false
    const log = recordingLogger()
    const failing = (value: unknown) => {
      if (isBroken) throw new Error("in our own code, at db.internal")
      return value as never
    }
    const app = await start(
      configOf({
        logger: log.logger,
        callbacks:
          name === "jwt" ? { jwt: ({ token }) => failing(token) } : { session: ({ session }) => failing(session) },
      }),
    )
    const browser = app.browser()
    await signIn(browser)
    const before = browser.cookie(NAME)
    isBroken = true
    for (const path of ["/me", "/auth/session"]) {
      const page = await browser.get(path)
      expect([page.status, page.headers.getSetCookie(), browser.cookie(NAME)]).toEqual([500, [], before])
      expect(await page.text()).not.toContain("db.internal")
    }
    if (stage !== "Auth()")
      expect(app.errors).toMatchObject(Array(2).fill({ type: "CallbackRouteError", status: 500, expose: false }))
    expect(log.text()).toContain("in our own code")
    isBroken = false
    expect(await read(browser, "/me")).toMatchObject({ user: { name: "ada" } })
  })

  it("responds 500 if the session callback returns a value that JSON cannot represent", async () => {
    const circle: { self?: unknown } = {}
    circle.self = circle
    for (const more of [{ count: 7n }, { circle }]) {
      const log = recordingLogger()
      const { browser: newBrowser } = await start(
        configOf({ callbacks: { session: ({ session }) => ({ ...session, ...more }) }, logger: log.logger }),
      )
      const browser = newBrowser()
      await signIn(browser)
      const had = browser.cookies()
      const answer = await browser.get("/auth/session")
      expect(answer.status).toBe(500)
      expect(log.records.map(({ level, code }) => [level, code])).toEqual([["error", "CallbackRouteError"]])
      expect(log.text()).toContain("callbacks.session")
      expect(browser.cookies()).toEqual(had)
    }
  })

  it("ADV-25: calls the jwt callback once for concurrent requests", async () => {
    let refreshes = 0
    const config = configOf({
      callbacks: {
        jwt: async ({ token, user }) => {
          if (user) return { ...token, access: "old", ends: 0 }
          if (token["access"] !== "old") return token
          refreshes++
          await new Promise((resolve) => setTimeout(resolve, 50))
          return { ...token, access: `new ${refreshes}` }
        },
        session: ({ session, token }) => ({ ...session, access: token["access"] }),
      },
    })
    const { browser: newBrowser } = await start(config)
    const browser = newBrowser()
    await signIn(browser)
    const tabs = Array.from({ length: 20 }, () => browser.clone())
    const accessTokens = await Promise.all(
      tabs.map(async (tab, i) => (await read(tab, i % 2 ? "/me" : "/auth/session")).access),
    )
    expect([refreshes, new Set(accessTokens)]).toEqual([1, new Set(["new 1"])])
    for (const tab of tabs.slice(0, 3)) expect((await read(tab)).access).toBe("new 1")
  })

  it("gives concurrent requests separate claims", async () => {
    const config = configOf({
      callbacks: {
        session: async ({ session, token }) => {
          token["seen"] = Number(token["seen"] ?? 0) + 1
          await new Promise((resolve) => setTimeout(resolve, 10))
          return { ...session, seen: token["seen"] }
        },
      },
    })
    const { browser: newBrowser } = await start(config)
    const browser = newBrowser()
    await signIn(browser)
    const tabs = Array.from({ length: 5 }, () => browser.clone())
    expect(await Promise.all(tabs.map(async (tab) => (await read(tab)).seen))).toEqual([1, 1, 1, 1, 1])
  })

  it("uses custom encode and decode functions", async () => {
    const encoded: unknown[] = []
    const { browser: newBrowser } = await start(
      configOf({
        jwt: {
          encode: ({ token, salt, maxAge }) => {
            encoded.push({ salt, maxAge })
            return Buffer.from(JSON.stringify(token)).toString("base64url")
          },
          decode: ({ token }) => JSON.parse(Buffer.from(token ?? "", "base64url").toString()),
        },
      }),
    )
    const browser = newBrowser()
    await signIn(browser)
    expect(await read(browser)).toMatchObject({ user: { name: "ada" } })
    expect(encoded[0]).toEqual({ salt: NAME, maxAge: 30 * 24 * 3600 })
    expect(JSON.parse(Buffer.from(browser.cookie(NAME) ?? "", "base64url").toString())).toMatchObject({ name: "ada" })
  })
})
