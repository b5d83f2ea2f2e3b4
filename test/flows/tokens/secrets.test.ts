/** Provider tokens are in no reply, page, log record, trace or error, even if a provider repeats them in its errors. */
import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import { disconnectAccount } from "../../../lib/index.js"
import type { AuthorizedFetch } from "../../../lib/provider-access.js"
import { MemoryStore } from "../../../lib/store/memory.js"
import type { AuthConfig } from "../../../lib/types.js"
import { type AppRequest, describeServer, recordingLogger, TEST_SECRET } from "../../support/apps.js"
import type { Fault } from "../../support/faulty-provider.js"
import { allText } from "../../support/recording-logger.js"
import { until } from "../../support/wait.js"
import { guardProcess } from "../support/guard.js"
import { expectNoSecret, signIn } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

interface ApiRequest extends AppRequest {
  accessToken(provider: string): Promise<string>
  authorizedFetch(provider: string): AuthorizedFetch
}

const op = useProvider()
const HOUR_MS = 3_600_000

const findToken = (kind: "at" | "rt") => [...op.secrets].find((text) => text.startsWith(`${kind}-`)) ?? ""

/** A token in a response that the library refuses. */
const REFUSED = "at-of-a-refused-response"
/** The old tokens and the request, as a provider may repeat them in an error. */
const echo = (headers: object, body: string) =>
  `${findToken("at")} ${findToken("rt")} ${encodeURIComponent(findToken("rt"))} ${body} ${JSON.stringify(headers)}`

type Repeating = (request: Parameters<Extract<Fault, (...args: never[]) => unknown>>[0]) => {
  status: number
  body: unknown
  headers?: Record<string, string>
}

/** The failures of a renewal, and the status of the application's reply. */
const FAILURES: readonly [name: string, fault: Repeating, status: number][] = [
  [
    "the description of a rejection",
    ({ headers, body }) => ({ status: 400, body: { error: "invalid_grant", error_description: echo(headers, body) } }),
    401,
  ],
  ["the code of a rejection", ({ headers, body }) => ({ status: 400, body: { error: echo(headers, body) } }), 502],
  [
    "another member of a rejection",
    ({ headers, body }) => ({ status: 400, body: { error: "invalid_grant", request: echo(headers, body) } }),
    401,
  ],
  ["the text of an outage", ({ headers, body }) => ({ status: 503, body: echo(headers, body) }), 502],
  ["the JSON of an outage", ({ headers, body }) => ({ status: 500, body: { message: echo(headers, body) } }), 502],
  ["a page with status 200", ({ headers, body }) => ({ status: 200, body: `<p>${echo(headers, body)}</p>` }), 502],
  [
    "a header of a rejection",
    () => ({
      status: 401,
      body: {},
      headers: { "www-authenticate": `Bearer error="invalid_token", error_description="${findToken("rt")}"` },
    }),
    502,
  ],
  ["a redirect", () => ({ status: 302, body: "", headers: { location: `/?token=${findToken("rt")}` } }), 502],
  [
    "a response with an invalid type of token",
    () => ({
      status: 200,
      body: { access_token: REFUSED, token_type: `Bearer ${findToken("rt")}`, refresh_token: REFUSED },
    }),
    502,
  ],
  [
    "a response with an invalid id_token",
    () => ({
      status: 200,
      body: { access_token: REFUSED, token_type: "Bearer", id_token: `${findToken("rt")}.${REFUSED}` },
    }),
    502,
  ],
]

describeServer("provider tokens", "Express 5", (start) => {
  async function open() {
    op.secrets.clear()
    op.requests.length = 0
    op.set({
      token: (json) => ({ ...json, expires_in: 3600 }),
      discovery: (document) => ({ ...document, revocation_endpoint: `${op.issuer}/revoke` }),
    })
    const time = { now: Date.now() }
    // The logger's debug lines are those of DEBUG=latchkey:*.
    const { logger, records, text } = recordingLogger()
    const events: unknown[] = []
    const record = (message: unknown) => void events.push(message)
    const adapter = MemoryAdapter()
    const config: AuthConfig = {
      providers: [op.oidc({ apiOrigins: [] })],
      secret: TEST_SECRET,
      debug: true,
      logger,
      store: MemoryStore(),
      adapter,
      session: { strategy: "jwt" },
      clock: () => time.now,
      rateLimit: false,
      events: { session: record, signOut: record },
    }
    const app = await start(config, {
      routes(application) {
        application.use("/token", (req, res, next) =>
          (req as ApiRequest).accessToken("oidc").then(() => res.end("a token"), next),
        )
        application.use("/fetch", (req, _, next) =>
          (req as ApiRequest).authorizedFetch("oidc")("https://other.test/").then(next, next),
        )
      },
    })
    const browser = app.browser()
    await signIn(browser, op)
    const pages = async () => {
      const paths = ["/me", "/auth/session", "/auth/sessions", "/auth/signin", "/auth/providers", "/auth/signout"]
      return Promise.all(paths.map(async (path) => (await browser.get(path)).text()))
    }
    /** Expects that the application, its log and its users see no token. */
    const expectNoToken = async (...replies: string[]) => {
      const everything = [text(), allText(app.errors), allText(events), ...(await pages()), ...replies].join("\n")
      expectNoSecret({ op }, everything)
      expect(everything).not.toContain(REFUSED)
      return everything
    }
    return { app, browser, config, adapter, time, text, records, expectNoToken }
  }

  it("are not in pages, the session, events or the log while they are used", async () => {
    const { browser, expectNoToken } = await open()
    expect(await (await browser.get("/token")).text()).toBe("a token")
    expect([findToken("at"), findToken("rt")].every(Boolean)).toBe(true)
    const everything = await expectNoToken()
    expect(everything).toContain("alice@example.com")
  })

  it("are not in the log of a renewal", async () => {
    const { browser, time, text, expectNoToken } = await open()
    time.now += HOUR_MS
    op.set({ clockOffsetSeconds: 3_600 })
    expect(await (await browser.get("/token")).text()).toBe("a token")
    expect(op.to("/token").map(({ form }) => form["grant_type"])).toEqual(["authorization_code", "refresh_token"])
    expect(text()).toContain("store_set")
    await expectNoToken()
  })

  it.each(FAILURES)("are not in an error if the provider repeats them in %s", async (_, fault, status) => {
    const { app, browser, time, expectNoToken } = await open()
    op.set({ fault: { token: fault } })
    time.now += HOUR_MS
    const reply = await browser.get("/token")
    expect(reply.status).toBe(status)
    expect(app.errors).toHaveLength(1)
    await expectNoToken(await reply.text())
  })

  it("are not in the log of a renewal in the background that fails", async () => {
    const { browser, time, text, expectNoToken } = await open()
    const [[, fault] = []] = FAILURES
    op.set({ fault: { token: fault as Repeating } })
    time.now += HOUR_MS - 300_000
    expect(await (await browser.get("/token")).text()).toBe("a token")
    await until(() => text().includes("ReauthenticationRequired"))
    expect(await expectNoToken()).toContain("[masked]")
  })

  it("are not in the log if the provider repeats them in its refusal to revoke them", async () => {
    const { config, adapter, records, expectNoToken } = await open()
    op.set({ fault: { other: ({ headers, body }) => ({ status: 400, body: { error: echo(headers, body) } }) } })
    const owner = (await adapter.getUserByEmail("alice@example.com"))?.id ?? ""
    // A second account, because the only account of a user cannot be disconnected.
    await adapter.linkAccount({ userId: owner, provider: "oidc", providerAccountId: "2", type: "oidc" })
    await disconnectAccount(config, owner, { provider: "oidc", providerAccountId: "alice" })
    expect(op.count("/revoke")).toBe(2)
    expect(records.filter(({ level }) => level === "error")).toHaveLength(1)
    await expectNoToken()
  })

  it("are not in the error about an address that does not belong to the provider's API", async () => {
    const { app, browser, expectNoToken } = await open()
    const reply = await browser.get("/fetch")
    expect([reply.status, String(app.errors[0])]).toEqual([500, expect.stringContaining("https://other.test")])
    await expectNoToken(await reply.text())
  })
})
