import { describeServers } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import type { Claims } from "../../support/faulty-provider.js"
import { expectRefused } from "../support/expect-refused.js"
import { guardProcess } from "../support/guard.js"
import {
  begin,
  flowCookies,
  named,
  openCallback,
  param,
  type SiteOptions,
  sessionCookies,
  sessionOf,
  signIn,
  startAndApprove,
  startSite,
  withParams,
} from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()
const other = useProvider({ clientId: "latchkey-elsewhere" })

describeServers("OAuth callback", (start, stage) => {
  const createSite = (options?: SiteOptions) => startSite({ start, stage, op }, options)

  it("OID-34: rejects a callback whose state is missing, unknown or from another browser", async () => {
    const site = await createSite()
    const withState = (state: string | undefined) => async (browser: Browser) =>
      openCallback(browser, op, withParams(await startAndApprove(browser, op), { state }))
    // The sign-in in progress cannot be identified, so it stays and can still be finished.
    const unknown = { reason: /no sign-in in progress with this provider/, tokenCalls: 0, flowsLeft: 1 }
    await expectRefused(site, { attempt: withState(undefined), ...unknown })
    await expectRefused(site, { attempt: withState(""), ...unknown })
    await expectRefused(site, { attempt: withState("x".repeat(43)), ...unknown })
    const stolen = async (browser: Browser) => openCallback(browser, op, await startAndApprove(site.app.browser(), op))
    await expectRefused(site, { attempt: stolen, ...unknown, flowsLeft: 0 })
  })

  it("OID-34: a forged callback does not prevent the user from finishing the sign-in", async () => {
    const { app } = await createSite()
    const browser = app.browser()
    const back = await startAndApprove(browser, op)
    await openCallback(browser, op, withParams(back, { state: "of an attacker", code: "of an attacker" }))
    await openCallback(browser, op, back)
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it("OID-37: rejects an attacker's code in the victim's sign-in without a redirect loop", async () => {
    const site = await createSite()
    const attempt = async (victim: Browser) => {
      const code = param(await startAndApprove(site.app.browser(), op), "code")
      return openCallback(victim, op, withParams(await startAndApprove(victim, op), { code }))
    }
    await expectRefused(site, { attempt, reason: /invalid_grant/, tokenCalls: 1 })
  })

  it.each([
    ["another server", "https://evil.test"],
    ["the issuer with a trailing slash", "slash"],
  ])("OID-38: rejects a callback whose iss is %s before it sends the code to the token endpoint", async (_, iss) => {
    const value = iss === "slash" ? `${op.issuer}/` : iss
    const attempt = async (browser: Browser) =>
      openCallback(browser, op, withParams(await startAndApprove(browser, op), { iss: value }))
    await expectRefused(await createSite(), { attempt, reason: /"iss"/, tokenCalls: 0 })
  })

  it("OID-38: rejects an error response whose iss is another server", async () => {
    const attempt = async (browser: Browser) =>
      openCallback(
        browser,
        op,
        withParams(await startAndApprove(browser, op), {
          iss: "https://evil.test",
          code: undefined,
          error: "access_denied",
        }),
      )
    await expectRefused(await createSite(), { attempt, reason: /"iss"/, tokenCalls: 0 })
  })

  it("OID-39: rejects a callback without iss only if the metadata announces the parameter", async () => {
    const discovery = (document: Claims) => ({ ...document, authorization_response_iss_parameter_supported: true })
    const authorizationResponse = (params: Claims) => ({ ...params, iss: undefined })
    const site = await createSite({ mode: { discovery } })
    for (const response of [authorizationResponse, (params: Claims) => ({ ...params, iss: "" })])
      await expectRefused(site, {
        mode: { authorizationResponse: response },
        reason: /\(issuer\) missing/,
        tokenCalls: 0,
      })
    const { app } = await createSite({ mode: { authorizationResponse } })
    const browser = app.browser()
    await signIn(browser, op)
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it("OID-41: gives each provider its own redirect URI and rejects A's code at B's callback", async () => {
    const site = await createSite({ providers: [op.oidc(), named(other.oidc(), "b")] })
    const browser = site.app.browser()
    const [a, b] = [await begin(browser), await begin(browser, { id: "b" })]
    expect(param(a.location, "redirect_uri")).toBe(`${site.app.origin}/auth/callback/oidc`)
    expect(param(b.location, "redirect_uri")).toBe(`${site.app.origin}/auth/callback/b`)
    const attempt = async (victim: Browser) => {
      const answer = new URL(await startAndApprove(victim, op))
      return openCallback(victim, op, `${site.app.origin}/auth/callback/b${answer.search}`)
    }
    const before = other.count("/token")
    await expectRefused(site, { attempt, provider: "b", reason: /no sign-in in progress/, tokenCalls: 0 })
    // A's code with B's state: A's iss reveals the mix-up.
    const mixed = async (victim: Browser) => {
      const code = param(await startAndApprove(victim, op), "code")
      const answer = await startAndApprove(victim, other, { id: "b" })
      return openCallback(victim, op, withParams(answer, { code, iss: op.issuer }))
    }
    await expectRefused(site, { attempt: mixed, provider: "b", reason: /"iss"/, tokenCalls: 0, flowsLeft: 1 })
    expect(other.count("/token")).toBe(before)
  })

  it("OID-41: rejects a callback for a sign-in that was started under another base path", async () => {
    const origin = "https://app.test"
    const [honest, hostile] = [
      await createSite({ origin, config: { basePath: "/honest" }, sessions: "jwt" }),
      await createSite({ origin, providers: [other.oidc()], sessions: "jwt" }),
    ]
    const [browser, here] = [hostile.app.browser(), honest.app.browser()]
    const authorizationUrl = (await begin(browser)).location
    // The hostile provider starts a sign-in at the honest one, with the state of this browser's cookie.
    const redirect_uri = `${origin}/honest/callback/oidc`
    const forgedUrl = withParams(`${op.base}/authorize${new URL(authorizationUrl).search}`, {
      redirect_uri,
      client_id: op.client.clientId,
    })
    const answer = await op.authorize(forgedUrl)
    for (const { name, value } of flowCookies(browser)) here.setCookie(name, value)
    const page = await openCallback(here, op, answer)
    expect(page.location).toBe(`${origin}/honest/signin?error=OAuthCallbackError`)
    expect([op.count("/token"), sessionCookies(here)]).toEqual([0, []])
    expect(honest.failures()).toMatchObject([{ code: "InvalidCheck", error: { cause: { provider: "oidc" } } }])
    // Under its own base path, the sign-in can still be finished.
    expect((await openCallback(browser, other, await other.authorize(authorizationUrl))).location).toBe(`${origin}/`)
  })

  it("OID-44: redirects a user who cancelled to the sign-in page and logs a warning", async () => {
    const authorizationResponse = ({ state, iss }: Claims) => ({ state, iss, error: "access_denied" })
    const reason = /access_denied/
    await expectRefused(await createSite(), { mode: { authorizationResponse }, reason, tokenCalls: 0, level: "warn" })
  })

  it("OID-44: keeps the return URL if the user cancels", async () => {
    const { app } = await createSite()
    op.set({ authorizationResponse: ({ state }) => ({ state, error: "access_denied" }) })
    const page = await signIn(app.browser(), op, { callbackUrl: "/cart?step=2" })
    expect(param(page.location, "callbackUrl")).toBe(`${app.origin}/cart?step=2`)
  })

  it("OID-44: logs a server_error of the provider as an error", async () => {
    const authorizationResponse = ({ state }: Claims) => ({ state, error: "server_error", error_description: "down" })
    await expectRefused(await createSite(), { mode: { authorizationResponse }, reason: /server_error/, level: "error" })
  })

  it("OID-45: an unsolicited error response changes neither the session nor a sign-in in progress", async () => {
    const site = await createSite()
    const attempt = (state?: string) => async (browser: Browser) => {
      await begin(browser)
      return browser.get(`/auth/callback/oidc?error=server_error${state ? `&state=${state}` : ""}`, {
        from: "https://evil.test",
      })
    }
    const unknown = { reason: /no sign-in in progress with this provider/, flowsLeft: 1 }
    await expectRefused(site, { attempt: attempt(), ...unknown })
    await expectRefused(site, { attempt: attempt("of-an-attacker"), ...unknown })
    const browser = site.app.browser()
    const back = await startAndApprove(browser, op)
    await browser.get("/auth/callback/oidc?error=server_error", { from: "https://evil.test" })
    await openCallback(browser, op, back)
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it("OID-50: exposes no token of the provider in the session or in a page", async () => {
    const { app } = await createSite()
    const browser = app.browser()
    await signIn(browser, op)
    const session = await sessionOf(browser)
    expect(Object.keys(session ?? {}).sort()).toEqual(["expires", "user"])
    for (const name of Object.keys(session?.user ?? {})) expect(["name", "email", "image"]).toContain(name)
    const tokens = [...op.secrets].filter((secret) => /^(at-|rt-|code-|eyJ)/.test(secret))
    expect(tokens).toHaveLength(4)
    for (const page of ["/auth/session", "/auth/signin", "/auth/signout", "/auth/error", "/auth/providers"]) {
      const text = await (await browser.get(page)).text()
      for (const token of tokens) expect(text).not.toContain(token)
    }
  })

  it("OID-51: does not merge users of two providers that share a sub or an email address", async () => {
    const providers = [op.oidc(), named(other.oidc(), "b")]
    const site = await createSite({ providers, sessions: stage === "Express 4" ? "jwt with adapter" : "database" })
    await signIn(site.app.browser(), op)
    // The same sub, another address.
    other.set({ user: { sub: "alice", name: "Another Alice", email: "alice@elsewhere.test", email_verified: true } })
    const second = site.app.browser()
    await signIn(second, other, { id: "b" })
    expect(await sessionOf(second)).toMatchObject({ user: { name: "Another Alice" } })
    expect(site.store?.users.size).toBe(2)
    const owners = site.store?.accounts.map(({ provider, providerAccountId, userId }) => [
      provider,
      providerAccountId,
      userId,
    ])
    expect(owners).toEqual([
      ["oidc", "alice", "user-1"],
      ["b", "alice", "user-2"],
    ])
    // The same address, another sub.
    other.set({ user: { sub: "carol", name: "Carol", email: "alice@example.com", email_verified: true } })
    site.forget()
    const third = site.app.browser()
    const page = await signIn(third, other, { id: "b" })
    expect(page.location).toContain("/auth/signin?error=OAuthAccountNotLinked")
    expect(sessionCookies(third)).toEqual([])
    expect([site.store?.users.size, site.store?.accounts.length]).toEqual([2, 2])
    expect(site.failures()).toHaveLength(1)
    expect(flowCookies(third)).toEqual([])
  })
})
