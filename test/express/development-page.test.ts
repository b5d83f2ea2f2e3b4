import type { Express } from "express"
import express from "express"
import { authMiddleware } from "../../lib/index.js"
import type { AuthConfig } from "../../lib/types.js"
import type { Browser, Visit } from "../support/browser.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { recordingLogger } from "../support/recording-logger.js"
import { configOf, people, servers, signIn, withEnv } from "./support/servers.js"

const serve = servers()
let provider: FaultyProvider
beforeAll(async () => {
  provider = await startFaultyProvider()
})
afterEach(() => provider.reset())
afterAll(() => provider.close())

const PANEL = /<aside class="developer"[\s\S]*<\/aside>/

interface SiteOptions {
  readonly nodeEnv?: string | undefined
  readonly over?: Partial<AuthConfig>
  readonly setup?: (app: Express) => void
  /** The origin at which browsers reach the site. */
  readonly origin?: string
}

/** A site whose `jwt` callback throws, unless `over` replaces it. */
async function start({ nodeEnv, over = {}, setup, origin }: SiteOptions) {
  const log = recordingLogger()
  const app = express()
  setup?.(app)
  const failing = () => {
    throw new Error("the directory is down: password=hunter2")
  }
  const config = configOf({
    providers: [provider.oidc(), people()],
    callbacks: { jwt: failing },
    logger: log.logger,
    ...over,
  })
  app.use(withEnv({ NODE_ENV: nodeEnv, AUTH_URL: undefined }, () => authMiddleware(config)))
  const { browser } = await serve(app)
  return { log, visitor: browser({ ...(origin && { origin }) }) }
}

/** Signs in, and returns the text of the page that reports the failure. */
async function pageAfterFailure(visitor: Browser, headers: Record<string, string> = {}) {
  const { location } = await visitor.post("/auth/callback/credentials", await fieldsOf(visitor), { headers })
  return textOf(visitor, location, { headers })
}

const fieldsOf = async (visitor: Browser) => ({
  csrfToken: await visitor.csrf("/auth"),
  username: "ada",
  password: "right",
})

const textOf = async (visitor: Browser, url: string, options: Visit = {}) => (await visitor.get(url, options)).text()
const panelOf = (page: string): string => PANEL.exec(page)?.[0] ?? ""

describe("the developer panel in development on the same machine", () => {
  it.each([undefined, "", "development"])("shows the log record of the failure with NODE_ENV=%s", async (nodeEnv) => {
    const { visitor, log } = await start({ nodeEnv })
    const page = await pageAfterFailure(visitor)
    const panel = panelOf(page)
    const [{ error } = {}] = log.records
    expect(panel).toContain("<code>callback-failed</code>")
    expect(panel).toContain("CallbackRouteError: callbacks.jwt threw an error")
    expect(panel).toContain("Error: the directory is down: password=[masked]")
    expect(page).toContain(String(Reflect.get(Object(error?.cause), "reference")))
    expect(page).not.toContain("hunter2")
  })

  it("is shown once", async () => {
    const { visitor } = await start({})
    await pageAfterFailure(visitor)
    expect(await textOf(visitor, "/auth/error?error=Configuration")).not.toMatch(PANEL)
  })

  it("shows the fix for a provider's error, and escapes the provider's text", async () => {
    provider.set({
      fault: {
        token: {
          status: 400,
          body: { error: "invalid_client", error_description: "<script>alert(1)</script> client_secret=oops" },
        },
      },
    })
    const { visitor } = await start({})
    const started = await visitor.post("/auth/signin/oidc", { csrfToken: await visitor.csrf("/auth") })
    const back = await visitor.get(await provider.authorize(started.location))
    const response = await visitor.get(back.location)
    const panel = panelOf(await response.text())
    expect(back.location).toMatch(/\/auth\/signin\?error=OAuthCallbackError/)
    expect(panel).toContain("<code>client-refused</code>")
    expect(panel).toContain("&lt;script&gt;")
    expect(panel).not.toMatch(/<script|oops/)
    expect(panel).toContain("<dt>hint</dt>")
    expect(response.headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'self';/)
  })

  it("shows why a form was rejected", async () => {
    const { visitor } = await start({})
    const { location } = await visitor.post("/auth/signout", {})
    expect(panelOf(await textOf(visitor, location))).toContain("<code>csrf-cookie-missing</code>")
  })

  it("is part of an error page that is the direct response", async () => {
    const { visitor } = await start({})
    const page = await textOf(visitor, "/auth/signin/gihtub", { headers: { accept: "text/html" } })
    expect(panelOf(page)).toContain("<code>provider-unknown</code>")
  })

  it("is not shown for a mistake of the user", async () => {
    const { visitor } = await start({})
    const { location } = await signIn(visitor, "/auth", { password: "wrong" })
    expect(await textOf(visitor, location)).not.toMatch(PANEL)
  })

  it("is in English on a page in another language", async () => {
    const { visitor } = await start({})
    const page = await pageAfterFailure(visitor, { "accept-language": "ar" })
    expect(page).toContain('<html lang="ar" dir="rtl"')
    expect(panelOf(page)).toContain('lang="en" dir="ltr"')
  })
})

describe("the developer panel", () => {
  const trusting = (app: Express) => void app.set("trust proxy", 1)

  const none = {}
  it.each<[string, SiteOptions, Record<string, string>]>([
    ["in production", { nodeEnv: "production", over: { trustHost: true } }, none],
    ["in tests", { nodeEnv: "test" }, none],
    ["with another NODE_ENV", { nodeEnv: "staging" }, none],
    ["at another host", { origin: "http://shop.example" }, none],
    ["at a host name that resolves to this machine", { origin: "http://127.0.0.1.nip.io" }, none],
    ["behind a proxy", {}, { "x-forwarded-for": "203.0.113.7" }],
    ["behind a proxy that forwards a loopback address", { setup: trusting }, { "x-forwarded-for": "127.0.0.1" }],
    ["behind a proxy that sends Via", {}, { via: "1.1 cache" }],
    [
      "for a client with another IP address",
      {
        setup: (app) =>
          void app.use((req, _res, next) => {
            Object.defineProperty(req, "ip", { value: "203.0.113.7" })
            next()
          }),
      },
      none,
    ],
  ])("is not shown %s", async (_where, site, headers) => {
    const { visitor } = await start(site)
    const page = await pageAfterFailure(visitor, headers)
    expect(page).toMatch(/<h1>/)
    expect(page).not.toMatch(/developer|callback-failed|directory/)
  })
})
