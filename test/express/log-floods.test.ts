import express from "express"
import { MemoryAdapter } from "../../lib/adapters/memory.js"
import { authMiddleware, requireAuth } from "../../lib/index.js"
import type { EmailConfig, OAuth2Config } from "../../lib/provider-kit/provider.js"
import Passkey from "../../lib/providers/passkey.js"
import type { Browser } from "../support/browser.js"
import { rawRequest } from "../support/raw-request.js"
import { type LogRecord, recordingLogger } from "../support/recording-logger.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { configOf, people, servers } from "./support/servers.js"

failOnUnhandled()
const serve = servers()

/** More than the log's limit for one code in a minute. */
const REQUESTS = 25

const SECRETS = { clientId: "a", clientSecret: "b" }
/** A provider at whose addresses no server listens. */
const DEAD: OAuth2Config<object> = {
  ...{ id: "dead", name: "Dead", type: "oauth", ...SECRETS },
  ...{ authorization: "http://127.0.0.1:9/a", token: "http://127.0.0.1:9/t", userinfo: "http://127.0.0.1:9/u" },
}
const DEAD_OIDC = { id: "dead-oidc", name: "Dead", type: "oidc", issuer: "http://127.0.0.1:9", ...SECRETS } as const
const MAIL: EmailConfig = {
  ...{ id: "email", type: "email", name: "Email", from: "us@app.test", maxAge: 3600 },
  sendVerificationRequest: () => Promise.reject(new Error("the server refused the address")),
}

/** Posts these fields with a CSRF token, so that the request reaches the action. */
const posted = (path: string, fields: (i: number) => Record<string, string>) => async (browser: Browser, i: number) =>
  browser.post(path, { csrfToken: await browser.csrf(), ...fields(i) })

/** Starts a sign-in, and returns to the callback in the same browser. */
async function returnFromProvider(browser: Browser, query: string) {
  const { location } = await browser.post("/auth/signin/dead", { csrfToken: await browser.csrf() })
  const state = new URL(location).searchParams.get("state") ?? ""
  return browser.get(`/auth/callback/dead?${query}&state=${encodeURIComponent(state)}`)
}

const FLOODS: Readonly<Record<string, (browser: Browser, i: number) => Promise<unknown>>> = {
  "forms without a token": (browser) => browser.post("/auth/signin/credentials"),
  "forms with a wrong token": (browser) => posted("/auth/signout", () => ({ csrfToken: "wrong" }))(browser, 0),
  "forms of another site": (browser) => browser.post("/auth/signout", {}, { from: "https://evil.test" }),
  "bodies that are not JSON": (browser) =>
    browser.request("/auth/session", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{",
    }),
  "methods that are not allowed": (browser) => browser.request("/auth/csrf", { method: "DELETE" }),
  "providers that are unknown": (browser, i) => browser.get(`/auth/callback/unknown-${i}`),
  "assets that are unknown": (browser, i) => browser.get(`/auth/assets/styles.${String(i).padStart(22, "A")}.css`),
  "callback URLs that are invalid": (browser, i) => browser.get(`/auth/signin?callbackUrl=no-url-${i}`),
  "callback URLs of other sites": (browser, i) => browser.get(`/auth/signin?callbackUrl=https://evil-${i}.test`),
  "session cookies that are invalid": (browser, i) =>
    browser.get("/guarded", { headers: { cookie: `authjs.session-token=${i}` } }),
  "wrong passwords": posted("/auth/callback/credentials", (i) => ({ username: `u${i}`, password: "wrong" })),
  "invalid email addresses": posted("/auth/signin/email", (i) => ({ email: `not an address ${i}` })),
  "email addresses that the mail server refuses": posted("/auth/signin/email", (i) => ({ email: `u${i}@app.test` })),
  "unknown sign-in links": (browser, i) => browser.post(`/auth/callback/email?token=${i}&email=a@b.test`),
  "invalid passkeys": (browser, i) =>
    browser.postJson("/auth/callback/passkey", { action: "authenticate", data: JSON.stringify({ id: String(i) }) }),
  "callbacks without a flow": (browser, i) => browser.get(`/auth/callback/dead?code=${i}&state=${i}`),
  "errors of a provider": (browser) => returnFromProvider(browser, "error=server_error"),
  "invalid codes": (browser, i) => returnFromProvider(browser, `code=${i}`),
  "sign-ins with a provider that is down": posted("/auth/signin/dead-oidc", () => ({})),
  "requests with X-Forwarded headers": (browser, i) =>
    browser.get("/auth/session", { headers: { "x-forwarded-for": `10.0.0.${i}`, "x-forwarded-host": `${i}.test` } }),
}

async function site() {
  const log = recordingLogger()
  const providers = [people(), DEAD, DEAD_OIDC, MAIL, Passkey]
  // On a slow machine the test can take more than a minute.
  const now = Date.now()
  const clock = () => now
  const session = { strategy: "jwt" } as const
  const config = configOf({ adapter: MemoryAdapter(), session, providers, clock, logger: log.logger })
  const app = express().use(authMiddleware(config))
  app.get("/guarded", requireAuth, (_req, res) => void res.send("in"))
  return { log, server: await serve(app) }
}

/** Expects at least one record, and at most ten of each code. */
function expectBounded(records: readonly LogRecord[]): void {
  const counts: Record<string, number> = {}
  for (const { error, code } of records) {
    const name = String(Reflect.get(error ?? {}, "messageCode") ?? code)
    counts[name] = (counts[name] ?? 0) + 1
  }
  expect(Object.values(counts)).not.toEqual([])
  expect(Object.entries(counts).filter(([, count]) => count > 10)).toEqual([])
}

describe("the log during a flood", () => {
  it.each(Object.entries(FLOODS))("SEC-07: has a bounded number of records for %s", async (_name, flood) => {
    const { log, server } = await site()
    for (let i = 0; i < REQUESTS; i++) await flood(server.browser(), i)
    expectBounded(log.records)
  })

  it("SEC-07: has a bounded number of records for invalid hosts", async () => {
    const { log, server } = await site()
    for (let i = 0; i < REQUESTS; i++)
      await rawRequest(server.address, { path: "/auth/csrf", headers: { host: `no host ${i}` } })
    expectBounded(log.records)
  })
})
