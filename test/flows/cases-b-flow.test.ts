import { describeServers } from "../support/apps.js"
import type { Browser } from "../support/browser.js"
import { type Claims, type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { expectRefused } from "./support/expect-refused.js"
import { guardProcess } from "./support/guard.js"
import {
  begin,
  comeBack,
  flowCookies,
  goAndAgree,
  named,
  param,
  type SiteOptions,
  sessionCookies,
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
  other = await startFaultyProvider({ clientId: "latchkey-elsewhere" })
})
beforeEach(() => {
  op.reset()
  other.reset()
})
afterAll(() => Promise.all([op.close(), other.close()]))

describeServers("an attempt to sign in", (start, stage) => {
  const site = (options?: SiteOptions) => startSite({ start, stage, op }, options)

  it("OID-34: refuses an answer without the state, with another, and with another browser's", async () => {
    const one = await site()
    const withState = (state: string | undefined) => async (browser: Browser) =>
      comeBack(browser, op, withParams(await goAndAgree(browser, op), { state }))
    // Whose attempt it is can't be known then: it stays, and may still be finished.
    const unknown = { reason: /no such sign-in under way/, tokenCalls: 0, flowsLeft: 1 }
    await expectRefused(one, { attempt: withState(undefined), ...unknown })
    await expectRefused(one, { attempt: withState(""), ...unknown })
    await expectRefused(one, { attempt: withState("x".repeat(43)), ...unknown })
    const stolen = async (browser: Browser) => comeBack(browser, op, await goAndAgree(one.app.browser(), op))
    await expectRefused(one, { attempt: stolen, ...unknown, flowsLeft: 0 })
  })

  it("OID-34: lets the person finish after somebody else has tried to", async () => {
    const { app } = await site()
    const browser = app.browser()
    const back = await goAndAgree(browser, op)
    await comeBack(browser, op, withParams(back, { state: "of an attacker", code: "of an attacker" }))
    await comeBack(browser, op, back)
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it("OID-37: refuses an attacker's code in a victim's own attempt, and does not go round in circles", async () => {
    const one = await site()
    const attempt = async (victim: Browser) => {
      const code = param(await goAndAgree(one.app.browser(), op), "code")
      return comeBack(victim, op, withParams(await goAndAgree(victim, op), { code }))
    }
    await expectRefused(one, { attempt, reason: /invalid_grant/, tokenCalls: 1 })
  })

  it.each([
    ["another server's", "https://evil.test"],
    ["one with a slash more", "slash"],
  ])("OID-38: refuses an answer whose iss is %s before the code is sent anywhere", async (_, iss) => {
    const value = iss === "slash" ? `${op.issuer}/` : iss
    const attempt = async (browser: Browser) =>
      comeBack(browser, op, withParams(await goAndAgree(browser, op), { iss: value }))
    await expectRefused(await site(), { attempt, reason: /"iss"/, tokenCalls: 0 })
  })

  it("OID-38: refuses an error of another server just so", async () => {
    const attempt = async (browser: Browser) =>
      comeBack(
        browser,
        op,
        withParams(await goAndAgree(browser, op), {
          iss: "https://evil.test",
          code: undefined,
          error: "access_denied",
        }),
      )
    await expectRefused(await site(), { attempt, reason: /"iss"/, tokenCalls: 0 })
  })

  it("OID-39: refuses an answer without iss where the provider says that it sends one", async () => {
    const discovery = (document: Claims) => ({ ...document, authorization_response_iss_parameter_supported: true })
    const authorizationResponse = (params: Claims) => ({ ...params, iss: undefined })
    const one = await site({ mode: { discovery } })
    for (const response of [authorizationResponse, (params: Claims) => ({ ...params, iss: "" })])
      await expectRefused(one, {
        mode: { authorizationResponse: response },
        reason: /\(issuer\) missing/,
        tokenCalls: 0,
      })
    const { app } = await site({ mode: { authorizationResponse } })
    const browser = app.browser()
    await signIn(browser, op)
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it("OID-41: gives each provider a redirect URI of its own, and takes no code of A at B", async () => {
    const one = await site({ providers: [op.oidc(), named(other.oidc(), "b")] })
    const browser = one.app.browser()
    const [a, b] = [await begin(browser), await begin(browser, { id: "b" })]
    expect(param(a.location, "redirect_uri")).toBe(`${one.app.origin}/auth/callback/oidc`)
    expect(param(b.location, "redirect_uri")).toBe(`${one.app.origin}/auth/callback/b`)
    const attempt = async (victim: Browser) => {
      const answer = new URL(await goAndAgree(victim, op))
      return comeBack(victim, op, `${one.app.origin}/auth/callback/b${answer.search}`)
    }
    const before = other.count("/token")
    await expectRefused(one, { attempt, provider: "b", reason: /no such sign-in/, tokenCalls: 0 })
    // With B's own state and A's code: the issuer that A names gives it away.
    const mixed = async (victim: Browser) => {
      const code = param(await goAndAgree(victim, op), "code")
      const answer = await goAndAgree(victim, other, { id: "b" })
      return comeBack(victim, op, withParams(answer, { code, iss: op.issuer }))
    }
    await expectRefused(one, { attempt: mixed, provider: "b", reason: /"iss"/, tokenCalls: 0, flowsLeft: 1 })
    expect(other.count("/token")).toBe(before)
  })

  it("OID-41: takes no answer to a sign-in that was begun below another base path", async () => {
    const origin = "https://app.test"
    const [honest, hostile] = [
      await site({ origin, config: { basePath: "/honest" }, sessions: "jwt" }),
      await site({ origin, providers: [other.oidc()], sessions: "jwt" }),
    ]
    const [browser, here] = [hostile.app.browser(), honest.app.browser()]
    const asked = (await begin(browser)).location
    // The provider of the one goes to that of the other itself, with what this browser has a cookie for.
    const redirect_uri = `${origin}/honest/callback/oidc`
    const question = withParams(`${op.base}/authorize${new URL(asked).search}`, {
      redirect_uri,
      client_id: op.client.clientId,
    })
    const answer = await op.authorize(question)
    for (const { name, value } of flowCookies(browser)) here.setCookie(name, value)
    const page = await comeBack(here, op, answer)
    expect(page.location).toBe(`${origin}/honest/signin?error=OAuthCallbackError`)
    expect([op.count("/token"), sessionCookies(here)]).toEqual([0, []])
    expect(honest.failures()).toMatchObject([{ code: "InvalidCheck", error: { cause: { provider: "oidc" } } }])
    // Below its own it is good still.
    expect((await comeBack(browser, other, await other.authorize(asked))).location).toBe(`${origin}/`)
  })

  it("OID-44: brings a person who cancelled back to the sign-in page, and warns", async () => {
    const authorizationResponse = ({ state, iss }: Claims) => ({ state, iss, error: "access_denied" })
    const reason = /access_denied/
    await expectRefused(await site(), { mode: { authorizationResponse }, reason, tokenCalls: 0, level: "warn" })
  })

  it("OID-44: keeps where they wanted to go", async () => {
    const { app } = await site()
    op.set({ authorizationResponse: ({ state }) => ({ state, error: "access_denied" }) })
    const page = await signIn(app.browser(), op, { callbackUrl: "/cart?step=2" })
    expect(param(page.location, "callbackUrl")).toBe(`${app.origin}/cart?step=2`)
  })

  it("OID-44: says an outage of the provider louder", async () => {
    const authorizationResponse = ({ state }: Claims) => ({ state, error: "server_error", error_description: "down" })
    await expectRefused(await site(), { mode: { authorizationResponse }, reason: /server_error/, level: "error" })
  })

  it("OID-45: leaves session and attempts alone when an error comes that nobody asked for", async () => {
    const one = await site()
    const attempt = (state?: string) => async (browser: Browser) => {
      await begin(browser)
      return browser.get(`/auth/callback/oidc?error=server_error${state ? `&state=${state}` : ""}`, {
        from: "https://evil.test",
      })
    }
    const unknown = { reason: /no such sign-in under way/, flowsLeft: 1 }
    await expectRefused(one, { attempt: attempt(), ...unknown })
    await expectRefused(one, { attempt: attempt("of-an-attacker"), ...unknown })
    const browser = one.app.browser()
    const back = await goAndAgree(browser, op)
    await browser.get("/auth/callback/oidc?error=server_error", { from: "https://evil.test" })
    await comeBack(browser, op, back)
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it("OID-50: shows no token to the browser", async () => {
    const { app } = await site()
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

  it("OID-51: keeps people of two providers apart, whatever sub and address they share", async () => {
    const providers = [op.oidc(), named(other.oidc(), "b")]
    const one = await site({ providers, sessions: stage === "Express 4" ? "jwt with adapter" : "database" })
    await signIn(one.app.browser(), op)
    // The same sub, another address.
    other.set({ user: { sub: "alice", name: "Another Alice", email: "alice@elsewhere.test", email_verified: true } })
    const second = one.app.browser()
    await signIn(second, other, { id: "b" })
    expect(await sessionOf(second)).toMatchObject({ user: { name: "Another Alice" } })
    expect(one.store?.users.size).toBe(2)
    const owners = one.store?.accounts.map(({ provider, providerAccountId, userId }) => [
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
    one.forget()
    const third = one.app.browser()
    const page = await signIn(third, other, { id: "b" })
    expect(page.location).toContain("/auth/signin?error=OAuthAccountNotLinked")
    expect(sessionCookies(third)).toEqual([])
    expect([one.store?.users.size, one.store?.accounts.length]).toEqual([2, 2])
    expect(one.failures()).toHaveLength(1)
    expect(flowCookies(third)).toEqual([])
  })
})
