import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import connect from "connect"
import express from "express"
import express4 from "express4"
import request from "supertest"
import { MemoryAdapter } from "../../lib/adapters/memory.js"
import { authHandlers, authMiddleware, requireAuth } from "../../lib/index.js"
import { csrf, fetchAgent, frozenClock, type SignInAsOptions, sessionOf, signInAs, signOut } from "../../lib/testing.js"
import type { AuthConfig } from "../../lib/types.js"
import { recordingLogger, TEST_SECRET } from "../support/apps.js"
import { listen } from "../support/listen.js"
import { failOnUnhandled } from "../support/unhandled.js"

failOnUnhandled()

const ADA = { name: "Ada", email: "ada@example.com" }
const DAY = 24 * 60 * 60

const configOf = (over: Partial<AuthConfig> = {}): AuthConfig => ({
  secret: TEST_SECRET,
  logger: recordingLogger().logger,
  providers: [{ id: "password", name: "Password", type: "credentials", credentials: {}, authorize: () => null }],
  ...over,
})

/** An application with one guarded route, and a second that says who asks. */
function application(over: Partial<AuthConfig> = {}) {
  const config = configOf(over)
  const app = express().use(authMiddleware(config))
  app.get("/guarded", requireAuth, (req, res) => void res.json(req.auth.user))
  app.get("/who", async (req, res) => void res.json(await req.getSession()))
  return { app, config, agent: request.agent(app) }
}

const setCookiesOf = ({ headers }: { headers: Record<string, unknown> }) => [headers["set-cookie"] ?? []].flat()

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

  it("opens the guarded route, and signOut closes it again", async () => {
    const { agent } = start()
    await agent.get("/guarded").expect(401)
    await signInAs(agent, ADA)
    const { body } = await agent.get("/guarded").expect(200)
    expect(body).toMatchObject(ADA)
    await signOut(agent)
    await agent.get("/guarded").expect(401)
  })

  it("changes who somebody is, also after requests that have set cookies", async () => {
    const { agent } = start()
    await signInAs(agent, ADA, { age: 2 * DAY })
    // Renewed by the application itself.
    expect(setCookiesOf(await agent.get("/who"))).toHaveLength(1)
    await signInAs(agent, { name: "Bob" })
    expect((await agent.get("/who")).body.user.name).toBe("Bob")
    await signOut(agent)
    expect((await agent.get("/who")).body).toBeNull()
  })

  it("keeps agents apart", async () => {
    const { app } = start()
    const [ada, bob] = [request.agent(app), request.agent(app)]
    await Promise.all([signInAs(ada, ADA), signInAs(bob, { name: "Bob" })])
    expect((await ada.get("/who")).body.user.name).toBe("Ada")
    expect((await bob.get("/who")).body.user.name).toBe("Bob")
  })

  it("makes a session as old as it is told: young, due, ended", async () => {
    const { agent } = start()
    const cookiesAt = async (age: number) => {
      await signInAs(agent, ADA, { age })
      const answer = await agent.get("/who")
      return { isSignedIn: answer.body !== null, cookies: setCookiesOf(answer).length }
    }
    expect(await cookiesAt(60)).toEqual({ isSignedIn: true, cookies: 0 })
    expect(await cookiesAt(1 * DAY + 60)).toEqual({ isSignedIn: true, cookies: 1 })
    expect((await cookiesAt(30 * DAY + 60)).isSignedIn).toBe(false)
  })

  it("ages towards the end that no use puts off", async () => {
    const { agent } = start({ session: { strategy, absoluteMaxAge: DAY } })
    await signInAs(agent, ADA, { age: DAY - 60 })
    await agent.get("/guarded").expect(200)
    await signInAs(agent, ADA, { age: DAY + 60 })
    await agent.get("/guarded").expect(401)
  })

  it("goes with a clock that stands still", async () => {
    const clock = frozenClock()
    const { agent } = start({ clock, ...(strategy === "database" && { adapter: MemoryAdapter({ now: clock }) }) })
    await signInAs(agent, ADA)
    clock.advance({ days: 29 })
    await agent.get("/guarded").expect(200)
    clock.advance({ days: 31 })
    await agent.get("/guarded").expect(401)
  })

  it("tells the event signOut of a session that ends", async () => {
    const told: unknown[] = []
    const { agent } = start({ events: { signOut: (message) => void told.push(message) } })
    await signInAs(agent, ADA)
    await signOut(agent)
    expect(told).toHaveLength(1)
  })
})

describe("sessions in an encrypted cookie", () => {
  const callbacks: AuthConfig["callbacks"] = {
    jwt: ({ token, account }) =>
      account ? { ...token, role: "member", via: [account.provider, account.type] } : token,
    session: ({ session, token }) => ({ ...session, user: { ...session.user, ...token } }),
  }

  it("have the claims that are asked for, over those of the jwt callback", async () => {
    const { agent } = application({ callbacks })
    await signInAs(agent, ADA, { claims: { role: "admin" } })
    expect(await sessionOf(agent)).toMatchObject({ user: { name: "Ada", role: "admin" } })
  })

  it("tell the jwt callback how the person has signed in", async () => {
    const { agent } = application({ callbacks })
    await signInAs(agent, ADA, { account: { provider: "password" } })
    expect(await sessionOf(agent)).toMatchObject({ user: { via: ["password", "credentials"] } })
  })

  it("are as large as the application makes them", async () => {
    const { agent } = application({ callbacks })
    await signInAs(agent, ADA, { claims: { list: "x".repeat(4_000) } })
    await agent.get("/guarded").expect(200)
    await signInAs(agent, ADA)
    expect((await agent.get("/guarded")).body.list).toBeUndefined()
    await signOut(agent)
    await agent.get("/guarded").expect(401)
  })

  it("are not opened for whom the jwt callback ends them", async () => {
    const { agent } = application({ callbacks: { jwt: () => null } })
    await signInAs(agent, ADA, { claims: { role: "admin" } })
    await agent.get("/guarded").expect(401)
  })
})

describe("sessions in a store", () => {
  it("belong to the store's user, who is made once", async () => {
    const adapter = MemoryAdapter()
    const { agent, app } = application({ adapter })
    const { user } = await signInAs(agent, ADA)
    expect(await adapter.getUserByEmail(ADA.email)).toEqual(user)
    expect((await signInAs(request.agent(app), { email: ADA.email })).user.id).toBe(user.id)
  })

  it("are deleted by signOut, and by the next signInAs of the agent", async () => {
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

  it("say that they have no claims", async () => {
    const { agent } = application({ adapter: MemoryAdapter() })
    await expect(signInAs(agent, ADA, { claims: { role: "admin" } })).rejects.toThrow(
      'claims (role) are part of an encrypted cookie, and session.strategy is "database"',
    )
  })
})

describe("the application behind a supertest agent", () => {
  const guarded: RequestListener = async (req, res) => {
    const session = await (req as IncomingMessage & { getSession(): Promise<unknown> }).getSession()
    res.writeHead(session ? 200 : 401).end()
  }

  it.each<[string, () => unknown]>([
    ["Express 5", () => express().use(authMiddleware(configOf())).get("/guarded", guarded)],
    ["Express 4", () => express4().use(authMiddleware(configOf())).get("/guarded", guarded)],
    ["Connect", () => connect().use(authMiddleware(configOf())).use("/guarded", guarded)],
    ["a server", () => createServer(express().use(authMiddleware(configOf())).get("/guarded", guarded))],
    ["a router", () => express().use(express.Router().use(authMiddleware(configOf())), guarded)],
    ["a router of Express 4", () => express4().use(express4.Router().use(authMiddleware(configOf())), guarded)],
    ["a route", () => express().all("/*path", authMiddleware(configOf()), guarded)],
  ])("may be %s", async (_, create) => {
    const agent = request.agent(create() as RequestListener)
    await agent.get("/guarded").expect(401)
    await signInAs(agent, ADA)
    await agent.get("/guarded").expect(200)
  })

  it.each<[string, () => RequestListener]>([
    ["Express 5 without any handler", () => express()],
    ["Express 4 without any handler", () => express4()],
    ["an application mounted in another", () => express().use(express().use(authMiddleware(configOf())))],
  ])("is told by its configuration when it is %s", async (_, create) => {
    await expect(signInAs(request.agent(create()), ADA)).rejects.toThrow(
      /^signInAs: no authMiddleware\(…\) was found .* signInAs\(agent, …, \{ config \}\)/,
    )
  })

  it("is told by its configuration when there are two", async () => {
    const [one, other] = [configOf(), configOf({ cookies: { sessionToken: { name: "other" } } })]
    const app = express().use("/a", authMiddleware(one)).use("/b", authMiddleware(other))
    app.get("/b/guarded", requireAuth, (_req, res) => void res.end())
    const agent = request.agent(app)
    await expect(sessionOf(agent)).rejects.toThrow("sessionOf: 2 different authMiddleware(…) are in the application")
    await signInAs(agent, ADA, { config: other })
    await agent.get("/b/guarded").expect(200)
    // Said once.
    await signOut(agent)
    await agent.get("/b/guarded").expect(401)
  })
})

describe("cookies for https", () => {
  it("are named as AUTH_URL says, and travel in a test over http all the same", () =>
    withEnv({ AUTH_URL: "https://app.test" }, async () => {
      const { agent } = application()
      const { headers } = await signInAs(agent, ADA)
      expect(headers.cookie).toMatch(/^__Secure-authjs\.session-token=/)
      await agent.get("/guarded").expect(200)
    }))

  it("are those of the origin behind a proxy", async () => {
    const { app } = application()
    app.set("trust proxy", true)
    const agent = request.agent(app)
    await signInAs(agent, ADA, { origin: "https://127.0.0.1" })
    const behind = (path: string) => agent.get(path).set("X-Forwarded-Proto", "https")
    // The jar of superagent keeps them to https: a request with the header brings them itself.
    const { headers } = await signInAs(agent, ADA)
    await behind("/guarded").set("Cookie", headers.cookie).expect(200)
  })
})

describe("csrf", () => {
  it("makes a POST of the application's own test one that is let in", async () => {
    const { agent } = application()
    await signInAs(agent, ADA)
    await agent.post("/auth/signout").type("form").send({ csrfToken: "wrong" }).expect(302)
    await agent.get("/guarded").expect(200)
    const csrfToken = await csrf(agent)
    await agent.post("/auth/signout").type("form").send({ csrfToken }).expect(302)
    await agent.get("/guarded").expect(401)
  })

  it("keeps the token that the agent has", async () => {
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

  it("gets the headers of a session", async () => {
    const { headers } = await signInAs(site.origin, ADA, { config })
    expect((await fetch(`${site.origin}/guarded`, { headers })).status).toBe(200)
  })

  it("becomes an agent that keeps cookies, and can be signed out", async () => {
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

  it("sends cookies to their own site alone", async () => {
    const seen: (string | null)[] = []
    const agent = fetchAgent("http://app.test", {
      fetch: (request) => {
        seen.push(request.headers.get("cookie"))
        return new Response()
      },
    })
    agent.setCookie("a=1; Path=/; HttpOnly")
    await agent.fetch("/x")
    await agent.fetch("http://elsewhere.test/")
    expect(seen).toEqual(["a=1", null])
  })

  it("speaks with handlers for web-standard requests without a server", async () => {
    const { GET } = authHandlers(config)
    const agent = fetchAgent("http://app.test", { fetch: async (request) => (await GET(request)) ?? new Response() })
    await signInAs(agent, ADA, { config })
    expect(await (await agent.fetch("/api/auth/session")).json()).toMatchObject({ user: ADA })
  })
})

describe("what is said wrongly", () => {
  it.each<[string, SignInAsOptions, string]>([
    ["an age below 0", { age: -1 }, "age is -1"],
    ["an age that is none", { age: Number.NaN }, "age is NaN"],
    [
      "an age where the application seals itself",
      { age: 1, config: configOf({ jwt: { encode: () => "x" } }) },
      "jwt.encode",
    ],
  ])("is %s", async (_, options, message) => {
    await expect(signInAs(application().agent, ADA, options)).rejects.toThrow(message)
  })

  it("is no agent, or no address", async () => {
    // As in JavaScript, where nobody looks.
    await expect(signInAs({} as ReturnType<typeof fetchAgent>, ADA)).rejects.toThrow("this keeps no cookies")
    await expect(signInAs("localhost", ADA)).rejects.toThrow('"localhost" is no address')
  })

  it("is production, for everything that lets somebody in", () =>
    withEnv({ NODE_ENV: "production", AUTH_URL: "https://app.test" }, async () => {
      const { agent } = application()
      for (const use of [() => signInAs(agent, ADA), () => signOut(agent), () => csrf(agent), () => sessionOf(agent)])
        await expect(use()).rejects.toThrow("refuses to work with NODE_ENV=production")
    }))
})
