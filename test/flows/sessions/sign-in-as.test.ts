import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import connect from "connect"
import express from "express"
import express4 from "express4"
import request from "supertest"
import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import { authHandlers, authMiddleware, endSession, listSessions, requireAuth } from "../../../lib/index.js"
import { MemoryStore } from "../../../lib/store/memory.js"
import {
  csrf,
  fetchAgent,
  frozenClock,
  type SignInAsOptions,
  sessionOf,
  signInAs,
  signOut,
} from "../../../lib/testing.js"
import type { AuthConfig } from "../../../lib/types.js"
import { recordingLogger, TEST_SECRET } from "../../support/apps.js"
import { listen } from "../../support/listen.js"
import { failOnUnhandled } from "../../support/unhandled.js"

failOnUnhandled()

const ADA = { name: "Ada", email: "ada@example.com" }
const DAY = 24 * 60 * 60
const FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0"
const SAFARI =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1"

const createConfig = (over: Partial<AuthConfig> = {}): AuthConfig => ({
  secret: TEST_SECRET,
  logger: recordingLogger().logger,
  providers: [{ id: "password", name: "Password", type: "credentials", credentials: {}, authorize: () => null }],
  ...over,
})

/** An application with a guarded route, and a route that returns the session. */
function application(over: Partial<AuthConfig> = {}) {
  const config = createConfig(over)
  const app = express().use(authMiddleware(config))
  app.get("/guarded", requireAuth, (req, res) => void res.json(req.auth.user))
  app.get("/who", async (req, res) => void res.json(await req.getSession()))
  return { app, config, agent: request.agent(app) }
}

const readSetCookies = ({ headers }: { headers: Record<string, unknown> }) => [headers["set-cookie"] ?? []].flat()

async function withEnv<T>(env: Record<string, string>, work: () => Promise<T>): Promise<T> {
  const before = Object.keys(env).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, env)
  try {
    return await work()
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}

describe.each(["jwt", "database"] as const)("signInAs with supertest and the strategy %s", (strategy) => {
  const start = (over: Partial<AuthConfig> = {}) =>
    application({ session: { strategy }, ...(strategy === "database" && { adapter: MemoryAdapter() }), ...over })

  it("gives access to a guarded route until signOut", async () => {
    const { agent } = start()
    await agent.get("/guarded").expect(401)
    await signInAs(agent, ADA)
    const { body } = await agent.get("/guarded").expect(200)
    expect(body).toMatchObject(ADA)
    await signOut(agent)
    await agent.get("/guarded").expect(401)
  })

  it("replaces the current user, also after the application has renewed the cookie", async () => {
    const { agent } = start()
    await signInAs(agent, ADA, { age: 2 * DAY })
    // The application renews the cookie.
    expect(readSetCookies(await agent.get("/who"))).toHaveLength(1)
    await signInAs(agent, { name: "Bob" })
    expect((await agent.get("/who")).body.user.name).toBe("Bob")
    await signOut(agent)
    expect((await agent.get("/who")).body).toBeNull()
  })

  it("keeps the sessions of two agents separate", async () => {
    const { app } = start()
    const [ada, bob] = [request.agent(app), request.agent(app)]
    await Promise.all([signInAs(ada, ADA), signInAs(bob, { name: "Bob" })])
    expect((await ada.get("/who")).body.user.name).toBe("Ada")
    expect((await bob.get("/who")).body.user.name).toBe("Bob")
  })

  it("creates a session of the given age: fresh, due for renewal, expired", async () => {
    const { agent } = start()
    const cookiesAt = async (age: number) => {
      await signInAs(agent, ADA, { age })
      const answer = await agent.get("/who")
      return { isSignedIn: answer.body !== null, cookies: readSetCookies(answer).length }
    }
    expect(await cookiesAt(60)).toEqual({ isSignedIn: true, cookies: 0 })
    expect(await cookiesAt(1 * DAY + 60)).toEqual({ isSignedIn: true, cookies: 1 })
    expect((await cookiesAt(30 * DAY + 60)).isSignedIn).toBe(false)
  })

  it("counts the age towards the absolute timeout", async () => {
    const { agent } = start({ session: { strategy, absoluteMaxAge: DAY } })
    await signInAs(agent, ADA, { age: DAY - 60 })
    await agent.get("/guarded").expect(200)
    await signInAs(agent, ADA, { age: DAY + 60 })
    await agent.get("/guarded").expect(401)
  })

  it("creates a session whose cookie ends with the browser only with remember: false", async () => {
    for (const [remember, isPersistent] of [
      [undefined, true] as const,
      [true, true] as const,
      [false, false] as const,
    ]) {
      const { app, config } = application({ session: { remember: "ask" } })
      const { headers } = await signInAs(request.agent(app), ADA, {
        config,
        ...(remember !== undefined && { remember }),
      })
      const page = await request(app).get("/auth/session").set("cookie", headers.cookie)
      expect(readSetCookies(page).some((header) => /^authjs\.session-token=.*; Expires=/.test(String(header)))).toBe(
        isPersistent,
      )
      const hours = (Date.parse(page.body.expires) - Date.now()) / 3_600_000
      expect(Math.round(hours)).toBe(isPersistent ? 720 : 24)
    }
  })

  it("works with a frozen clock", async () => {
    const clock = frozenClock()
    const { agent } = start({ clock, ...(strategy === "database" && { adapter: MemoryAdapter({ now: clock }) }) })
    await signInAs(agent, ADA)
    clock.advance({ days: 29 })
    await agent.get("/guarded").expect(200)
    clock.advance({ days: 31 })
    await agent.get("/guarded").expect(401)
  })

  it("creates sessions with given devices and ages, which can be listed and ended", async () => {
    const clock = frozenClock()
    const store =
      strategy === "jwt" ? { store: MemoryStore({ now: clock }) } : { adapter: MemoryAdapter({ now: clock }) }
    const { app, config } = start({ clock, ...store })
    const [desktop, phone] = [request.agent(app), request.agent(app)]
    const ada = { ...ADA, id: "ada" }
    const old = await signInAs(desktop, ada, { age: 2 * DAY, userAgent: FIREFOX })
    const recent = await signInAs(phone, ada, { userAgent: SAFARI })
    const expected = [
      { id: recent.sessionId, browser: "Safari", platform: "iOS", createdAt: new Date(clock()) },
      { id: old.sessionId, browser: "Firefox", platform: "Windows", createdAt: new Date(clock() - 2 * DAY * 1000) },
    ]
    const { id: owner } = recent.user
    expect(await listSessions(config, owner)).toMatchObject(expected)
    expect(await endSession(config, old.sessionId)).toBe(true)
    await desktop.get("/guarded").expect(401)
    await phone.get("/guarded").expect(200)
    expect(await listSessions(config, owner)).toMatchObject(expected.slice(0, 1))
  })

  it("emits the signOut event at signOut", async () => {
    const emitted: unknown[] = []
    const { agent } = start({ events: { signOut: (message) => void emitted.push(message) } })
    await signInAs(agent, ADA)
    await signOut(agent)
    expect(emitted).toHaveLength(1)
  })
})

describe("signInAs with JWT sessions", () => {
  const callbacks: AuthConfig["callbacks"] = {
    jwt: ({ token, account }) =>
      account ? { ...token, role: "member", via: [account.provider, account.type] } : token,
    session: ({ session, token }) => ({ ...session, user: { ...session.user, ...token } }),
  }

  it("gives the given claims precedence over those of the jwt callback", async () => {
    const { agent } = application({ callbacks })
    await signInAs(agent, ADA, { claims: { role: "admin" } })
    expect(await sessionOf(agent)).toMatchObject({ user: { name: "Ada", role: "admin" } })
  })

  it("passes the given account to the jwt callback", async () => {
    const { agent } = application({ callbacks })
    await signInAs(agent, ADA, { account: { provider: "password" } })
    expect(await sessionOf(agent)).toMatchObject({ user: { via: ["password", "credentials"] } })
  })

  it("supports sessions that need several cookies", async () => {
    const { agent } = application({ callbacks })
    await signInAs(agent, ADA, { claims: { list: "x".repeat(4_000) } })
    await agent.get("/guarded").expect(200)
    await signInAs(agent, ADA)
    expect((await agent.get("/guarded")).body.list).toBeUndefined()
    await signOut(agent)
    await agent.get("/guarded").expect(401)
  })

  it("creates no session if the jwt callback returns null", async () => {
    const { agent } = application({ callbacks: { jwt: () => null } })
    await signInAs(agent, ADA, { claims: { role: "admin" } })
    await agent.get("/guarded").expect(401)
  })
})

describe("signInAs with database sessions", () => {
  it("creates the user once and reuses it", async () => {
    const adapter = MemoryAdapter()
    const { agent, app } = application({ adapter })
    const { user } = await signInAs(agent, ADA)
    expect(await adapter.getUserByEmail(ADA.email)).toEqual(user)
    expect((await signInAs(request.agent(app), { email: ADA.email })).user.id).toBe(user.id)
  })

  it("deletes the session at signOut and at the next signInAs of the agent", async () => {
    const adapter = MemoryAdapter()
    const { agent, config } = application({ adapter })
    const first = await signInAs(agent, ADA)
    await signInAs(agent, { name: "Bob" })
    const second = await signInAs(agent, ADA)
    await signOut(agent)
    const tokens = [first, second].map(({ headers }) => headers.cookie.split("session-token=")[1] ?? "")
    expect(await Promise.all(tokens.map((token) => adapter.getSessionAndUser(token)))).toEqual([null, null])
    expect(await sessionOf(agent, { config })).toBeNull()
  })

  it("rejects claims, which only JWT sessions have", async () => {
    const { agent } = application({ adapter: MemoryAdapter() })
    await expect(signInAs(agent, ADA, { claims: { role: "admin" } })).rejects.toThrow(
      'claims (role) are part of an encrypted cookie, but session.strategy is "database"',
    )
  })
})

describe("the application behind a supertest agent", () => {
  const guarded: RequestListener = async (req, res) => {
    const session = await (req as IncomingMessage & { getSession(): Promise<unknown> }).getSession()
    res.writeHead(session ? 200 : 401).end()
  }

  it.each<[string, () => unknown]>([
    ["Express 5", () => express().use(authMiddleware(createConfig())).get("/guarded", guarded)],
    ["Express 4", () => express4().use(authMiddleware(createConfig())).get("/guarded", guarded)],
    ["Connect", () => connect().use(authMiddleware(createConfig())).use("/guarded", guarded)],
    ["a server", () => createServer(express().use(authMiddleware(createConfig())).get("/guarded", guarded))],
    ["a router", () => express().use(express.Router().use(authMiddleware(createConfig())), guarded)],
    ["a router of Express 4", () => express4().use(express4.Router().use(authMiddleware(createConfig())), guarded)],
    ["a route", () => express().all("/*path", authMiddleware(createConfig()), guarded)],
  ])("can be %s", async (_, create) => {
    const agent = request.agent(create() as RequestListener)
    await agent.get("/guarded").expect(401)
    await signInAs(agent, ADA)
    await agent.get("/guarded").expect(200)
  })

  it.each<[string, () => RequestListener]>([
    ["Express 5 without any handler", () => express()],
    ["Express 4 without any handler", () => express4()],
    ["an application mounted in another", () => express().use(express().use(authMiddleware(createConfig())))],
  ])("requires { config } if it is %s", async (_, create) => {
    await expect(signInAs(request.agent(create()), ADA)).rejects.toThrow(
      /^signInAs: no authMiddleware\(…\) was found .* signInAs\(agent, …, \{ config \}\)/,
    )
  })

  it("requires { config } if it has two configurations", async () => {
    const [one, other] = [createConfig(), createConfig({ cookies: { sessionToken: { name: "other" } } })]
    const app = express().use("/a", authMiddleware(one)).use("/b", authMiddleware(other))
    app.get("/b/guarded", requireAuth, (_req, res) => void res.end())
    const agent = request.agent(app)
    await expect(sessionOf(agent)).rejects.toThrow("sessionOf: the application contains 2 different authMiddleware(…)")
    await signInAs(agent, ADA, { config: other })
    await agent.get("/b/guarded").expect(200)
    // Later calls with this agent do not need `config`.
    await signOut(agent)
    await agent.get("/b/guarded").expect(401)
  })
})

describe("cookies for https", () => {
  it("have the names that AUTH_URL requires and are sent in a test over http", () =>
    withEnv({ AUTH_URL: "https://app.test" }, async () => {
      const { agent } = application()
      const { headers } = await signInAs(agent, ADA)
      expect(headers.cookie).toMatch(/^__Secure-authjs\.session-token=/)
      await agent.get("/guarded").expect(200)
    }))

  it("have the names that the given origin requires behind a proxy", async () => {
    const { app } = application()
    app.set("trust proxy", true)
    const agent = request.agent(app)
    await signInAs(agent, ADA, { origin: "https://127.0.0.1" })
    const behind = (path: string) => agent.get(path).set("X-Forwarded-Proto", "https")
    // superagent sends these cookies only over https, so the request adds them itself.
    const { headers } = await signInAs(agent, ADA)
    await behind("/guarded").set("Cookie", headers.cookie).expect(200)
  })
})

describe("csrf", () => {
  it("returns a token with which a POST is accepted", async () => {
    const { agent } = application()
    await signInAs(agent, ADA)
    await agent.post("/auth/signout").type("form").send({ csrfToken: "wrong" }).expect(302)
    await agent.get("/guarded").expect(200)
    const csrfToken = await csrf(agent)
    await agent.post("/auth/signout").type("form").send({ csrfToken }).expect(302)
    await agent.get("/guarded").expect(401)
  })

  it("reuses the token that the agent has", async () => {
    const { agent } = application()
    expect(await csrf(agent)).toBe(await csrf(agent))
    expect((await agent.get("/auth/csrf")).body.csrfToken).toBe(await csrf(agent))
  })
})

describe("plain fetch", () => {
  let site: Awaited<ReturnType<typeof listen>>
  const { app, config } = application({ adapter: MemoryAdapter() })
  beforeAll(async () => {
    site = await listen(createServer(app))
  })
  afterAll(() => site.close())

  it("can use the headers that signInAs returns", async () => {
    const { headers } = await signInAs(site.origin, ADA, { config })
    expect((await fetch(`${site.origin}/guarded`, { headers })).status).toBe(200)
  })

  it("keeps cookies and can sign out with fetchAgent", async () => {
    const agent = fetchAgent(site.origin)
    await signInAs(agent, ADA, { config })
    expect(await (await agent.fetch("/guarded")).json()).toMatchObject(ADA)
    const body = new URLSearchParams({ csrfToken: await csrf(agent) })
    expect((await agent.fetch("/auth/signout", { method: "POST", body })).status).toBe(302)
    expect([(await agent.fetch("/guarded")).status, await sessionOf(agent)]).toEqual([401, null])
    await signInAs(agent, ADA)
    await signOut(agent)
    expect(agent.cookie).not.toContain("session-token")
  })

  it("sends cookies only to their own site", async () => {
    const sentCookies: (string | null)[] = []
    const agent = fetchAgent("http://app.test", {
      fetch: (request) => {
        sentCookies.push(request.headers.get("cookie"))
        return new Response()
      },
    })
    agent.setCookie("a=1; Path=/; HttpOnly")
    await agent.fetch("/x")
    await agent.fetch("http://elsewhere.test/")
    expect(sentCookies).toEqual(["a=1", null])
  })

  it("stores cookies only from responses of their own site, also if it follows a redirect", async () => {
    const other = await listen(createServer((_req, res) => res.setHeader("set-cookie", "other=1").end()))
    const own = await listen(
      createServer(({ url }, res) =>
        res
          .writeHead(url === "/away" ? 302 : 200, {
            "set-cookie": "own=1",
            location: url === "/away" ? other.origin : "",
          })
          .end(),
      ),
    )
    const agent = fetchAgent(own.origin)
    await agent.fetch(other.origin)
    await agent.fetch("/away", { redirect: "follow" })
    expect(agent.cookie).toBe("")
    await agent.fetch("/")
    expect(agent.cookie).toBe("own=1")
    await Promise.all([own.close(), other.close()])
  })

  it("can call web-standard handlers without a server", async () => {
    const { GET } = authHandlers(config)
    const agent = fetchAgent("http://app.test", { fetch: async (request) => (await GET(request)) ?? new Response() })
    await signInAs(agent, ADA, { config })
    expect(await (await agent.fetch("/api/auth/session")).json()).toMatchObject({ user: ADA })
  })
})

describe("invalid use", () => {
  it.each<[string, SignInAsOptions, string]>([
    ["an age below 0", { age: -1 }, "age is -1"],
    ["an age of NaN", { age: Number.NaN }, "age is NaN"],
    ["an age with a custom jwt.encode", { age: 1, config: createConfig({ jwt: { encode: () => "x" } }) }, "jwt.encode"],
  ])("rejects %s", async (_, options, message) => {
    await expect(signInAs(application().agent, ADA, options)).rejects.toThrow(message)
  })

  it("rejects a target that is neither an agent nor a URL", async () => {
    // JavaScript has no type check for this.
    await expect(signInAs({} as ReturnType<typeof fetchAgent>, ADA)).rejects.toThrow(
      "the first argument is not an agent with cookies",
    )
    await expect(signInAs("localhost", ADA)).rejects.toThrow('"localhost" is not a URL')
  })

  it("every helper refuses to run in production", () =>
    withEnv({ NODE_ENV: "production", AUTH_URL: "https://app.test" }, async () => {
      const { agent } = application()
      for (const use of [() => signInAs(agent, ADA), () => signOut(agent), () => csrf(agent), () => sessionOf(agent)])
        await expect(use()).rejects.toThrow("refuses to run with NODE_ENV=production")
    }))
})
