import { Auth, authMiddleware } from "../../lib/index.js"
import type { AuthConfig, Provider } from "../../lib/types.js"
import { describeServers, recordingLogger, TEST_SECRET } from "../support/apps.js"
import type { Browser } from "../support/browser.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { expectRefused } from "./support/expect-refused.js"
import { deepFreeze, guardProcess } from "./support/guard.js"
import {
  begin,
  comeBack,
  flowCookies,
  goAndAgree,
  named,
  param,
  type SiteOptions,
  sessionOf,
  signIn,
  startSite,
  withParams,
} from "./support/site.js"

guardProcess()

let op: FaultyProvider
let other: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
  other = await startFaultyProvider()
})
beforeEach(() => {
  op.reset()
  other.reset()
})
afterAll(() => Promise.all([op.close(), other.close()]))

describeServers("an attack that others fell to", (start, stage) => {
  const site = (options?: SiteOptions) => startSite({ start, stage, op }, options)

  it.each([
    "https://app.test.evil.test/",
    "//evil.test",
    "/\\evil.test",
    "https://evil.test",
    "javascript:alert(1)",
    "https:evil.test",
    "/\t/evil.test",
    " https://evil.test",
    "data:text/html,x",
  ])("ADV-03: lands on the own site after sign-out and sign-in, whatever callbackUrl says: %j", async (callbackUrl) => {
    const { app } = await site()
    const browser = app.browser()
    const page = await signIn(browser, op, { callbackUrl })
    const out = await browser.post("/auth/signout", { csrfToken: await browser.csrf(), callbackUrl })
    for (const { status, location } of [page, out]) {
      expect(status).toBe(302)
      expect(new URL(location).origin).toBe(app.origin)
      expect(new URL(location).pathname).not.toMatch(/^\/[/\\]/)
    }
    const [kept] = browser.cookies().filter(({ name }) => name.endsWith("callback-url"))
    expect(decodeURIComponent(kept?.value ?? app.origin)).toMatch(new RegExp(`^${app.origin}(/|$)`))
  })

  it("ADV-03: takes no origin that merely begins like the own one", async () => {
    const { app } = await site()
    for (const suffix of [".evil.test/", "@evil.test/", "1/", ":pw@evil.test"]) {
      const browser = app.browser()
      expect(new URL((await signIn(browser, op, { callbackUrl: app.origin + suffix })).location).origin).toBe(
        app.origin,
      )
    }
  })

  it("ADV-12: refuses a code in a browser that began nothing", async () => {
    const one = await site()
    const attempt = async (browser: Browser) => {
      const code = param(await goAndAgree(one.app.browser(), op), "code")
      return comeBack(browser, op, `${one.app.origin}/auth/callback/oidc?code=${code}`)
    }
    await expectRefused(one, { attempt, reason: /could not be checked/, tokenCalls: 0 })
  })

  it("ADV-12: refuses a code whose state was taken away, though the browser has begun", async () => {
    const attempt = async (browser: Browser) =>
      comeBack(browser, op, withParams(await goAndAgree(browser, op), { state: undefined, iss: undefined }))
    await expectRefused(await site(), { attempt, reason: /could not be checked/, tokenCalls: 0, flowsLeft: 1 })
  })

  it.each([["pkce"], ["state"], ["nonce"]] as const)(
    "ADV-12: refuses it also with %s as the only check",
    async (check) => {
      const providers = [op.oidc({ checks: [check] })]
      const one = await site({ providers })
      const attempt = async (browser: Browser) => {
        const code = param(await goAndAgree(one.app.browser(), op), "code")
        return comeBack(browser, op, `${one.app.origin}/auth/callback/oidc?code=${code}`)
      }
      await expectRefused(one, { attempt, reason: /could not be checked/, tokenCalls: 0 })
    },
  )

  it("ADV-12: refuses a code that was got without PKCE in an attempt with it", async () => {
    const attempt = async (browser: Browser) => {
      const { location } = await begin(browser)
      return comeBack(
        browser,
        op,
        await op.authorize(withParams(location, { code_challenge: undefined, code_challenge_method: undefined })),
      )
    }
    await expectRefused(await site(), { attempt, reason: /invalid_grant/ })
  })

  it("ADV-13: refuses A's attempt at B, with A's own state and its cookie there", async () => {
    const one = await site({ providers: [op.oidc(), named(other.oidc(), "b")] })
    const before = other.count("/token")
    const attempt = async (browser: Browser) => {
      const answer = new URL(await goAndAgree(browser, op))
      return comeBack(browser, op, `${one.app.origin}/auth/callback/b${answer.search}`)
    }
    await expectRefused(one, { attempt, provider: "b", reason: /could not be checked/, tokenCalls: 0 })
    expect(other.count("/token")).toBe(before)
  })

  it("ADV-13: refuses A's cookie under the name that B looks for", async () => {
    const one = await site({ providers: [op.oidc({ checks: ["pkce"] }), named(other.oidc({ checks: ["pkce"] }), "b")] })
    const attempt = async (browser: Browser) => {
      await begin(browser, { id: "b" })
      const [ofB] = flowCookies(browser)
      browser.jar.forget(({ name }) => name === ofB?.name)
      await begin(browser)
      const [ofA] = flowCookies(browser)
      browser.jar.forget(({ name }) => name === ofA?.name)
      browser.setCookie(ofB?.name ?? "", ofA?.value ?? "")
      return comeBack(browser, op, `${one.app.origin}/auth/callback/b?code=c`)
    }
    await expectRefused(one, { attempt, provider: "b", reason: /could not be checked/, tokenCalls: 0 })
  })

  it("ADV-21: serves two hundred requests at once from one frozen configuration", async () => {
    const one = await site()
    const text = JSON.stringify(op.oidc())
    const paths = ["/auth/a", "/auth/%73ignin", "/auth/signin/", "/auth//session", "/auth/providers"]
    const work = Array.from({ length: 200 }, async (_, i) => {
      const browser = one.app.browser()
      if (i % 2) return (await browser.get(paths[(i >> 1) % paths.length] ?? "")).status
      return param((await begin(browser)).location, "redirect_uri")
    })
    const answers = await Promise.all(work)
    const links = answers.filter((answer) => typeof answer === "string")
    expect(links).toHaveLength(100)
    for (const link of links) expect(link).toBe(`${one.app.origin}/auth/callback/oidc`)
    for (const status of answers.filter((answer) => typeof answer === "number")) expect(status).toBeLessThan(500)
    expect(JSON.stringify(op.oidc())).toBe(text)
    const browser = one.app.browser()
    await signIn(browser, op)
    expect(await sessionOf(browser)).not.toBeNull()
  })
})

describe("ADV-15: a configuration that can't work", () => {
  const broken = { id: "oidc", name: "Broken", type: "oidc", clientId: "a", clientSecret: "b" } as Provider
  const config = (log = recordingLogger()): AuthConfig =>
    deepFreeze({ providers: [broken], secret: TEST_SECRET, trustHost: true, logger: log.logger, basePath: "/auth" })

  it("lets nobody in: the session is an error, and no JSON that looks like one", async () => {
    const log = recordingLogger()
    const ready = config(log)
    for (const path of ["session", "signin", "callback/oidc?code=1", "csrf", "providers"]) {
      log.records.length = 0
      const response = await Auth(new Request(`http://app.test/auth/${path}`), ready)
      expect(response.status).toBe(500)
      expect(response.headers.getSetCookie()).toEqual([])
      const body = await response.text()
      expect(body).not.toMatch(/"user"|"expires"/)
      expect(log.records.filter(({ level }) => level === "error")).toHaveLength(1)
      expect(log.text()).toContain("issuer")
    }
  })

  it("does not start on Express", () => {
    expect(() => authMiddleware(config())).toThrow(/providers\[0\]\.issuer/)
  })
})
