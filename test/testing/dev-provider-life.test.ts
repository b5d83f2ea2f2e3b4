import { createServer } from "node:http"
import { authMiddleware, getSession } from "../../lib/index.js"
import { type DevProvider, devProvider, signInAs } from "../../lib/testing.js"
import type { AuthConfig } from "../../lib/types.js"
import { describeServer, recordingLogger, TEST_SECRET } from "../support/apps.js"
import type { Browser } from "../support/browser.js"
import { listen } from "../support/listen.js"
import { failOnUnhandled } from "../support/unhandled.js"

failOnUnhandled()

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()))
})

function create(options?: Parameters<typeof devProvider>[0]): DevProvider {
  const dev = devProvider(options)
  open.push(dev)
  return dev
}

/** A port that is in use, or one that was free a moment ago. */
async function portOf({ isTaken }: { isTaken: boolean }): Promise<number> {
  const server = await listen(createServer())
  if (isTaken) open.push(server)
  else await server.close()
  return Number(new URL(server.origin).port)
}

/** Creates the middleware, and returns its warnings or its error. */
function complaintsOf(config: AuthConfig): { warnings: string[]; error: string } {
  const { logger, records } = recordingLogger()
  try {
    authMiddleware({ logger, ...config })
    return { warnings: records.map(({ code }) => String(code)), error: "" }
  } catch (error) {
    return { warnings: [], error: String(error) }
  }
}

async function withEnv<T>(env: Record<string, string>, run: () => Promise<T> | T): Promise<T> {
  const before = { ...process.env }
  Object.assign(process.env, env)
  try {
    return await run()
  } finally {
    for (const name of Object.keys(env)) delete process.env[name]
    Object.assign(process.env, before)
  }
}

describe("devProvider() in production", () => {
  const PRODUCTION = { NODE_ENV: "production", AUTH_TRUST_HOST: "true" }
  const LINE = 'providers: process.env.NODE_ENV === "production" ? [Google] : [devProvider()]'

  it("does not start, and names the line to write", async () => {
    await withEnv(PRODUCTION, () => {
      expect(() => devProvider()).toThrow(LINE)
      expect(() => devProvider()).toThrow(expect.objectContaining({ type: "ConfigurationError" }))
    })
  })

  it("is rejected by the configuration if NODE_ENV was set after it was created", async () => {
    const dev = create({ port: await portOf({ isTaken: false }) })
    const config = { providers: [dev], secret: TEST_SECRET }
    expect(complaintsOf(config).error).toBe("")
    await withEnv(PRODUCTION, async () => {
      expect(complaintsOf({ ...config }).error).toContain(
        `providers[0]: is the development provider, which lets anyone sign in`,
      )
      expect(complaintsOf({ ...config, providers: [{ ...dev, name: "A copy" }] }).error).toContain(LINE)
      await expect(dev.listen()).rejects.toThrow(LINE)
    })
  })

  it("provides no temporary secret", async () => {
    const dev = create()
    const { error } = await withEnv(PRODUCTION, () => complaintsOf({ providers: [dev] }))
    expect(error).toContain("secret: is missing")
  })
})

describe("the temporary secret", () => {
  it("is created with one warning if there is a devProvider() and no other secret", () => {
    expect(complaintsOf({ providers: [create()] })).toEqual({ warnings: ["secret-missing"], error: "" })
    expect(complaintsOf({ providers: [create()], secret: TEST_SECRET })).toEqual({ warnings: [], error: "" })
  })

  it("belongs to its provider: sessions are valid with copies of the configuration, and not with another one", async () => {
    const config = { providers: [create()] }
    const { headers } = await signInAs("http://localhost:3000", { name: "Ada" }, { config })
    const read = (other: AuthConfig) => getSession(new Request("http://localhost:3000/me", { headers }), other)
    expect(await read(config)).toMatchObject({ user: { name: "Ada" } })
    expect(await read({ ...config, providers: [Object.assign({}, config.providers[0])] })).not.toBeNull()
    expect(await read({ providers: [create()], logger: { error() {} } })).toBeNull()
  })

  it("is not created for other providers", () => {
    const providers = [{ ...create(), id: "other" }]
    for (const symbol of Object.getOwnPropertySymbols(providers[0]))
      Reflect.deleteProperty(Object(providers[0]), symbol)
    expect(complaintsOf({ providers }).error).toContain("secret: is missing")
  })

  it("is not used if AUTH_SECRET is set", async () => {
    const { warnings } = await withEnv({ AUTH_SECRET: TEST_SECRET }, () => complaintsOf({ providers: [create()] }))
    expect(warnings).toEqual([])
  })
})

describe("devProvider() with invalid values", () => {
  it("names the existing users and modes", () => {
    const dev = create()
    expect(() => dev.next({ as: "carol" })).toThrow(
      /the user "carol" does not exist; the users are alice, bob\. Write dev\.users\.set\(/,
    )
    // Violates the type, as JavaScript callers may.
    const wrong = { mode: "denied" } as object
    expect(() => dev.always(wrong)).toThrow(/the mode "denied" does not exist\. Write one of deny, /)
    dev.users.set("carol", { name: "Carol" })
    expect(() => dev.next({ as: "carol" })).not.toThrow()
  })

  it("has no address with port 0 before it listens, and the error explains how to wait", async () => {
    const dev = create({ port: 0 })
    expect(complaintsOf({ providers: [dev] }).error).toContain("await devProvider({ port: 0 }).listen()")
    await dev.listen()
    expect(dev.issuer).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/)
    expect(complaintsOf({ providers: [dev] }).error).toBe("")
  })
})

describeServer("devProvider() listens", "Express 5", (start) => {
  async function begin(browser: Browser) {
    const form = browser.form(await (await browser.get("/auth/signin")).text(), "/auth/signin/dev")
    return browser.submit(form)
  }

  it("at its fixed address from the first sign-in on", async () => {
    const port = await portOf({ isTaken: false })
    const dev = create({ port })
    expect(dev.issuer).toBe(`http://127.0.0.1:${port}`)
    const { browser } = await start({ providers: [dev], logger: recordingLogger().logger })
    await expect(fetch(dev.issuer)).rejects.toThrow()
    const { location } = await begin(browser())
    expect(location).toContain(`${dev.issuer}/authorize?`)
    expect((await fetch(location)).status).toBe(200)
  })

  it("not on a port in use: the log names the port, and the next sign-in retries", async () => {
    const port = await portOf({ isTaken: true })
    const dev = devProvider({ port })
    let now = Date.now()
    const { logger, text } = recordingLogger()
    const { browser } = await start({ providers: [dev], logger, clock: () => now })
    const failed = new URL((await begin(browser())).location)
    expect([failed.pathname, failed.searchParams.get("error")]).toEqual(["/auth/signin", "OAuthCallbackError"])
    const hint = `port ${port} of 127.0.0.1 is in use. Stop the program that uses it, or write devProvider({ port: ${port + 1} })`
    expect(text()).toContain(hint)
    await expect(dev.listen()).rejects.toMatchObject({ code: "EADDRINUSE", message: expect.stringContaining(hint) })
    await Promise.all(open.splice(0).map((each) => each.close()))
    open.push(dev)
    now += 2_000
    expect((await begin(browser())).location).toContain(`${dev.issuer}/authorize?`)
  })

  it("on a free port if another application uses the default one, and both sign in users", async () => {
    const [first, second] = [create({}), create({})]
    const locations: string[] = []
    for (const dev of [first, second]) {
      dev.always({ as: "alice" })
      const { browser } = await start({ providers: [dev], logger: recordingLogger().logger })
      const person = browser()
      const { location } = await begin(person)
      locations.push(new URL(location).origin)
      await person.get((await person.get(location)).location)
      expect(await (await person.get("/me")).json()).toMatchObject({ user: { name: "Alice" } })
    }
    expect(first.issuer).toBe(second.issuer)
    expect(new Set(locations).size).toBe(2)
  })

  it("until it is closed; then a sign-in fails as with an unreachable provider", async () => {
    const dev = await create({ port: 0, slowSeconds: 60 }).listen()
    const { logger, text } = recordingLogger()
    const { browser } = await start({ providers: [dev], logger })
    dev.next({ mode: "slow" })
    const person = browser()
    const { location } = await person.get((await begin(person)).location)
    const waiting = person.get(location)
    await Promise.all([dev.close(), dev.close()])
    expect((await waiting).location).toContain("error=OAuthCallbackError")
    expect(text()).toContain(`${dev.issuer}/token`)
    const { issuer } = dev
    await expect(fetch(issuer)).rejects.toThrow()
    await dev.listen()
    expect(dev.issuer).toBe(issuer)
    expect((await fetch(issuer)).status).toBe(200)
  })
})
