/**
 * Secrets that are rotated, missing or weak. SES-35: a GET request does not start a sign-in.
 *
 * @module
 */
import { decode, encode } from "../../../lib/jwt.js"
import type { AuthConfig } from "../../../lib/types.js"
import { configOf, signIn } from "../../express/support/servers.js"
import { describeServers, recordingLogger, TEST_SECRET } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { failOnUnhandled } from "../../support/unhandled.js"
import { useProvider } from "../support/use-provider.js"

failOnUnhandled()

const NAME = "authjs.session-token"
const CALLBACK = "/auth/callback/credentials"
const OLD = "the old secret of this test, forty-one letters"
const read = async (browser: Browser, path = "/auth/session") => (await browser.get(path)).json()
const names = (browser: Browser) => browser.cookies().map(({ name }) => name)

describeServers("secret rotation", (start) => {
  it("SES-25: accepts sessions of the old secret and renews them with the new one", async () => {
    const before = (await start(configOf({ secret: OLD }))).browser()
    await signIn(before)
    const browser = (await start(configOf({ secret: [TEST_SECRET, OLD] }))).browser()
    const old = before.cookie(NAME) ?? ""
    browser.setCookie(NAME, old)
    expect(await read(browser)).toMatchObject({ user: { name: "ada" } })
    const renewed = browser.cookie(NAME) ?? ""
    const kid = (token: string) => JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString()).kid
    expect(kid(renewed)).not.toBe(kid(old))
    expect(await decode({ token: renewed, secret: TEST_SECRET, salt: NAME })).toMatchObject({ name: "ada" })
  })

  it("SES-26: accepts a form that was opened before the rotation", async () => {
    const before = (await start(configOf({ secret: OLD }))).browser()
    const csrfToken = await before.csrf()
    const browser = (await start(configOf({ secret: [TEST_SECRET, OLD] }))).browser()
    browser.setCookie("authjs.csrf-token", before.cookie("authjs.csrf-token") ?? "")
    await browser.post(CALLBACK, { csrfToken, username: "ada", password: "right" })
    expect(await read(browser)).toMatchObject({ user: { name: "ada" } })
  })

  it("SES-27: ends the sessions of a removed secret without an error", async () => {
    const before = (await start(configOf({ secret: [OLD, TEST_SECRET] }))).browser()
    await signIn(before)
    const browser = (await start(configOf())).browser()
    browser.setCookie(NAME, before.cookie(NAME) ?? "")
    const page = await browser.get("/me")
    expect([page.status, await page.json(), browser.cookie(NAME)]).toEqual([200, null, undefined])
    browser.setCookie("authjs.csrf-token", before.cookie("authjs.csrf-token") ?? "")
    expect(await browser.csrf()).toMatch(/^[\da-f]{64}$/)
  })

  it("rejects a session that is encrypted with another salt", async () => {
    const { browser: newBrowser } = await start(configOf())
    for (const salt of ["__Secure-authjs.session-token", "authjs.state", "authjs.pkce.code_verifier", "encodedState"]) {
      const browser = newBrowser()
      browser.setCookie(NAME, await encode({ token: { name: "mallory" }, secret: TEST_SECRET, salt }))
      expect([salt, await read(browser)]).toEqual([salt, null])
    }
  })

  it("reads sessions of Auth.js, and Auth.js reads the renewed sessions", async () => {
    const authjs = await import("@auth/core/jwt")
    const browser = (await start(configOf())).browser()
    browser.setCookie(NAME, await authjs.encode({ token: { name: "ada" }, secret: TEST_SECRET, salt: NAME }))
    expect(await read(browser)).toMatchObject({ user: { name: "ada" } })
    const renewed = browser.cookie(NAME) ?? ""
    expect(await authjs.decode({ token: renewed, secret: TEST_SECRET, salt: NAME })).toMatchObject({ name: "ada" })
  })
})

describeServers("OAuth sign-in", (start) => {
  const op = useProvider()

  it("SES-26: can be finished after a rotation of the secret", async () => {
    const origin = "http://app.test"
    const before = (await start(configOf({ providers: [op.oidc()], secret: OLD }), { origin })).browser()
    const page = await before.post(`/auth/signin/${op.oidc().id}`, { csrfToken: await before.csrf() })
    const back = await op.authorize(page.location)
    const after = (await start(configOf({ providers: [op.oidc()], secret: [TEST_SECRET, OLD] }), { origin })).browser()
    for (const cookie of before.jar.all()) after.jar.put(cookie)
    await after.get(back, { from: op.issuer })
    expect(await read(after)).toMatchObject({ user: { name: expect.any(String) } })
  })

  it("SES-35: does not start with a GET, so an image or a link cannot start it", async () => {
    const log = recordingLogger()
    const app = await start(configOf({ providers: [op.oidc()], logger: log.logger }))
    op.requests.length = 0
    const browser = app.browser()
    const page = await browser.get(`/auth/signin/${op.oidc().id}`)
    expect([200, 405]).toContain(page.status)
    expect(page.location).toBe("")
    expect(op.requests).toEqual([])
    expect(names(browser).filter((name) => /state|pkce|nonce/.test(name))).toEqual([])
  })
})

describe("SES-28: missing and weak secrets", () => {
  const start = async (secret: AuthConfig["secret"], NODE_ENV: string) => {
    const { authMiddleware } = await import("../../../lib/index.js")
    const { withEnv } = await import("../../express/support/servers.js")
    const log = recordingLogger()
    const config = configOf({ logger: log.logger, trustHost: ["app.test"], ...(secret !== undefined && { secret }) })
    if (secret === undefined) delete config.secret
    withEnv({ NODE_ENV, AUTH_SECRET: undefined }, () => authMiddleware(config))
    return log.records.map(({ code }) => code)
  }

  it.each([undefined, "", [], [""]])("%j is rejected in every environment", async (secret) => {
    for (const env of ["production", "development", "test"])
      await expect(start(secret, env)).rejects.toThrow(/secret: is missing and AUTH_SECRET is not set/)
  })

  it.each(["secret", "x".repeat(31), ["x".repeat(32), "short"]])(
    "%j is rejected in production and reported as weak in development",
    async (secret) => {
      await expect(start(secret, "production")).rejects.toThrow(/secret: has \d+ characters, but needs at least 32/)
      expect(await start(secret, "development")).toContain("secret-too-short")
    },
  )

  it("a secret of 32 characters is accepted", async () => {
    expect(await start("x".repeat(32), "production")).toEqual([])
  })
})
