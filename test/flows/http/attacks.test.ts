import { describeServers } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { expectRefused } from "../support/expect-refused.js"
import { guardProcess } from "../support/guard.js"
import {
  begin,
  flowCookies,
  named,
  openCallback,
  param,
  type SiteOptions,
  sessionOf,
  signIn,
  startAndApprove,
  startSite,
  withParams,
} from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()
const other = useProvider()

describeServers("Known attacks", (start, stage) => {
  const createSite = (options?: SiteOptions) => startSite({ start, stage, op }, options)

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
  ])("ADV-03: sign-in and sign-out redirect to this site for the callbackUrl %j", async (callbackUrl) => {
    const { app } = await createSite()
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

  it("ADV-03: refuses an origin that begins with this site's origin", async () => {
    const { app } = await createSite()
    for (const suffix of [".evil.test/", "@evil.test/", "1/", ":pw@evil.test"]) {
      const browser = app.browser()
      expect(new URL((await signIn(browser, op, { callbackUrl: app.origin + suffix })).location).origin).toBe(
        app.origin,
      )
    }
  })

  it("ADV-12: refuses a code in a browser without a pending flow", async () => {
    const site = await createSite()
    const attempt = async (browser: Browser) => {
      const code = param(await startAndApprove(site.app.browser(), op), "code")
      return openCallback(browser, op, `${site.app.origin}/auth/callback/oidc?code=${code}`)
    }
    await expectRefused(site, { attempt, reason: /could not be checked/, tokenCalls: 0 })
  })

  it("ADV-12: refuses a response without state in a browser with a pending flow", async () => {
    const attempt = async (browser: Browser) =>
      openCallback(browser, op, withParams(await startAndApprove(browser, op), { state: undefined, iss: undefined }))
    await expectRefused(await createSite(), { attempt, reason: /could not be checked/, tokenCalls: 0, flowsLeft: 1 })
  })

  it.each([["pkce"], ["state"], ["nonce"]] as const)(
    "ADV-12: refuses a code in a browser without a pending flow if %s is the only check",
    async (check) => {
      const providers = [op.oidc({ checks: [check] })]
      const site = await createSite({ providers })
      const attempt = async (browser: Browser) => {
        const code = param(await startAndApprove(site.app.browser(), op), "code")
        return openCallback(browser, op, `${site.app.origin}/auth/callback/oidc?code=${code}`)
      }
      await expectRefused(site, { attempt, reason: /could not be checked/, tokenCalls: 0 })
    },
  )

  it("ADV-12: refuses a code that was issued without PKCE for a flow with PKCE", async () => {
    const attempt = async (browser: Browser) => {
      const { location } = await begin(browser)
      return openCallback(
        browser,
        op,
        await op.authorize(withParams(location, { code_challenge: undefined, code_challenge_method: undefined })),
      )
    }
    await expectRefused(await createSite(), { attempt, reason: /invalid_grant/ })
  })

  it("ADV-13: refuses a response of provider A at the callback of provider B", async () => {
    const site = await createSite({ providers: [op.oidc(), named(other.oidc(), "b")] })
    const before = other.count("/token")
    const attempt = async (browser: Browser) => {
      const answer = new URL(await startAndApprove(browser, op))
      return openCallback(browser, op, `${site.app.origin}/auth/callback/b${answer.search}`)
    }
    await expectRefused(site, { attempt, provider: "b", reason: /could not be checked/, tokenCalls: 0 })
    expect(other.count("/token")).toBe(before)
  })

  it("ADV-13: refuses the flow cookie of provider A under the cookie name of provider B", async () => {
    const site = await createSite({
      providers: [op.oidc({ checks: ["pkce"] }), named(other.oidc({ checks: ["pkce"] }), "b")],
    })
    const attempt = async (browser: Browser) => {
      await begin(browser, { id: "b" })
      const [ofB] = flowCookies(browser)
      browser.jar.forget(({ name }) => name === ofB?.name)
      await begin(browser)
      const [ofA] = flowCookies(browser)
      browser.jar.forget(({ name }) => name === ofA?.name)
      browser.setCookie(ofB?.name ?? "", ofA?.value ?? "")
      return openCallback(browser, op, `${site.app.origin}/auth/callback/b?code=c`)
    }
    await expectRefused(site, { attempt, provider: "b", reason: /could not be checked/, tokenCalls: 0 })
  })

  it("ADV-21: serves 200 concurrent requests from one frozen configuration", async () => {
    const site = await createSite()
    const text = JSON.stringify(op.oidc())
    const paths = ["/auth/a", "/auth/%73ignin", "/auth/signin/", "/auth//session", "/auth/providers"]
    const work = Array.from({ length: 200 }, async (_, i) => {
      const browser = site.app.browser()
      if (i % 2) return (await browser.get(paths[(i >> 1) % paths.length] ?? "")).status
      return param((await begin(browser)).location, "redirect_uri")
    })
    const results = await Promise.all(work)
    const links = results.filter((result) => typeof result === "string")
    expect(links).toHaveLength(100)
    for (const link of links) expect(link).toBe(`${site.app.origin}/auth/callback/oidc`)
    for (const status of results.filter((result) => typeof result === "number")) expect(status).toBeLessThan(500)
    expect(JSON.stringify(op.oidc())).toBe(text)
    const browser = site.app.browser()
    await signIn(browser, op)
    expect(await sessionOf(browser)).not.toBeNull()
  })
})
