import express, { type Express } from "express"
import express4 from "express4"
import { MemoryAdapter } from "../../lib/adapters/memory.js"
import { Auth, authHandlers, authMiddleware } from "../../lib/index.js"
import type { AuthConfig } from "../../lib/types.js"
import { blocksOf, read } from "../docs/support/markdown.js"
import { mailbox } from "../flows/support/mail.js"
import { recordingLogger, TEST_SECRET } from "../support/apps.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { configOf, servers, withEnv } from "./support/servers.js"

failOnUnhandled()
const serve = servers()

const VERSIONS: [string, () => Express][] = [
  ["Express 5", express],
  ["Express 4", express4],
]
const PRODUCTION = { NODE_ENV: "production" }
const HOSTS = ["example.com", "*.shop.example", "localhost:8443"]

describe.each(VERSIONS)("a list of trusted hosts on %s", (_version, create) => {
  async function start(over: Partial<AuthConfig> = {}, env: Record<string, string> = PRODUCTION) {
    const mail = mailbox()
    const { logger, records } = recordingLogger()
    const app = create()
    app.set("trust proxy", 1)
    const config = configOf({
      adapter: MemoryAdapter(),
      providers: [mail.provider],
      trustHost: HOSTS,
      session: { strategy: "jwt" },
      logger,
      ...over,
    })
    app.use(withEnv(env, () => authMiddleware(config)))
    app.get("/address", (_req, res) => void res.send(res.locals["auth"].signInUrl))
    app.use(((error, _req, res, _next) => {
      res.status(error.status ?? 500).send(error.type)
    }) as express.ErrorRequestHandler)
    const server = await serve(app)
    /** A browser behind a proxy that forwards `X-Forwarded-Host`. */
    const through = (host: string, protocol = "https") =>
      server.browser({
        origin: `${protocol}://${host}`,
        headers: { "x-forwarded-host": host, "x-forwarded-proto": protocol },
      })
    return { through, mail, records }
  }

  it("prevents a sign-in link to a host that a visitor chooses", async () => {
    const { through, mail, records } = await start()
    const honest = through("example.com")
    const csrfToken = await honest.csrf("/auth")
    const headers = { "x-forwarded-host": "evil.example", origin: "https://evil.example", accept: "text/html" }
    const page = await honest.post("/auth/signin/mail", { csrfToken, email: "ada@example.com" }, { headers })
    expect([page.status, page.headers.getSetCookie(), mail.sent]).toEqual([400, [], []])
    expect(await page.text()).not.toContain("evil.example")
    expect(records.map(({ error }) => error)).toMatchObject([{ messageCode: "host-not-listed" }])
    const { status } = await honest.post("/auth/signin/mail", { csrfToken, email: "ada@example.com" })
    expect([status, new URL(mail.linkTo("ada@example.com")).origin]).toEqual([302, "https://example.com"])
  })

  it.each(["example.com", "EXAMPLE.com", "a.shop.example", "localhost:8443"])("allows %s", async (host) => {
    const { through } = await start()
    const browser = through(host.toLowerCase())
    const headers = { "x-forwarded-host": host }
    expect((await browser.get("/auth/csrf", { headers })).status).toBe(200)
    const page = await browser.get("/address", { headers })
    expect(await page.text()).toBe(`https://${host.toLowerCase()}/auth/signin`)
  })

  it.each([
    "evil.example",
    "example.com.evil.example",
    "a.example.com",
    "shop.example",
    "a.b.shop.example",
    "evilshop.example",
    "example.com:8443",
    "example.com.",
    "localhost",
    "127.0.0.1",
  ])("rejects %s with 400", async (host) => {
    const { through } = await start()
    for (const path of ["/auth/csrf", "/auth/session", "/auth/providers", "/auth/signin", "/address"])
      expect([path, (await through(host).get(path)).status]).toEqual([path, 400])
  })

  it("allows loopback hosts outside production", async () => {
    const { through } = await start({}, { NODE_ENV: "development" })
    expect((await through("localhost:3000", "http").get("/auth/csrf")).status).toBe(200)
    expect((await through("evil.example").get("/auth/csrf")).status).toBe(400)
  })

  it("is not used if AUTH_URL is set", async () => {
    const { through } = await start({}, { ...PRODUCTION, AUTH_URL: "https://main.example" })
    expect(await (await through("evil.example").get("/address")).text()).toBe("https://main.example/auth/signin")
  })
})

describe("a list of trusted hosts", () => {
  const config = (): AuthConfig => ({ ...configOf(), secret: TEST_SECRET, trustHost: ["example.com"] })

  it("is enforced by Auth()", async () => {
    const ready = { ...config(), basePath: "/auth" }
    const statuses = await Promise.all(
      ["https://example.com", "https://evil.example"].map(
        async (origin) => (await Auth(new Request(`${origin}/auth/csrf`), ready)).status,
      ),
    )
    expect(statuses).toEqual([200, 400])
  })

  it("is enforced by authHandlers", async () => {
    const { GET } = withEnv(PRODUCTION, () => authHandlers(config()))
    const statuses = await Promise.all(
      ["https://example.com", "https://evil.example"].map(
        async (origin) => (await GET(new Request(`${origin}/api/auth/csrf`)))?.status,
      ),
    )
    expect(statuses).toEqual([200, 400])
  })

  it.each([
    [["https://example.com"], /trustHost\[0\]: is "https:\/\/example.com".*Write a host: "example.com"/],
    [["example.com", "*"], /trustHost\[1\]: is "\*"/],
    [["example.com/auth"], /trustHost\[0\]/],
    [["a.*.example.com"], /trustHost\[0\]/],
    [[""], /trustHost\[0\]/],
    [[7], /trustHost\[0\]: is a number/],
    [[], /trustHost: is an empty list/],
    ["example.com", /trustHost: is .*\["example.com"\]/],
  ])("is rejected at start-up as %j", (trustHost, expected) => {
    // The types forbid these values, but JavaScript allows them.
    const wrong = { ...config(), trustHost } as AuthConfig
    expect(() => withEnv(PRODUCTION, () => authMiddleware(wrong))).toThrow(expected)
  })
})

describe("the warning about any-host-trusted", () => {
  const warningsWith = (trustHost: AuthConfig["trustHost"], env: Record<string, string>) => {
    const { logger, records } = recordingLogger()
    withEnv(env, () => authMiddleware(configOf({ logger, trustHost })))
    return records.map(({ code }) => code)
  }

  it.each([
    ["trustHost: true", true, PRODUCTION, ["any-host-trusted"]],
    ["AUTH_TRUST_HOST", undefined, { ...PRODUCTION, AUTH_TRUST_HOST: "true" }, ["any-host-trusted"]],
    ["trustHost: true and AUTH_URL", true, { ...PRODUCTION, AUTH_URL: "https://example.com" }, []],
    ["a list", ["example.com"], PRODUCTION, []],
    ["a platform that checks the host", undefined, { ...PRODUCTION, VERCEL: "1" }, []],
    ["trustHost: true in development", true, { NODE_ENV: "development" }, []],
  ])("is logged only if any request can choose the host: %s", (_name, trustHost, env, expected) => {
    expect(warningsWith(trustHost, env)).toEqual(expected)
  })
})

it("the nginx recipe of docs/deployment.md removes a visitor's X-Forwarded-Host", () => {
  const recipes = blocksOf(read("docs/deployment.md")).filter(({ code }) => code.includes("proxy_pass"))
  expect(recipes).not.toEqual([])
  for (const { code } of recipes) expect(code).toContain('proxy_set_header X-Forwarded-Host "";')
})
