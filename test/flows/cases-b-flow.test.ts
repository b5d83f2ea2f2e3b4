import { authMiddleware } from "../../lib/index.js"
import type { AuthConfig } from "../../lib/types.js"
import { describeServers, recordingLogger, TEST_SECRET } from "../support/apps.js"
import type { Browser } from "../support/browser.js"
import { type Claims, type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { expectRefused } from "./support/expect-refused.js"
import { guardProcess } from "./support/guard.js"
import {
  begin,
  comeBack,
  expectNoSecret,
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

const HOUR_MS = 60 * 60 * 1000

describeServers("an attempt to sign in", (start, stage) => {
  const site = (options?: SiteOptions) => startSite({ start, stage, op }, options)

  it("OID-25: does not begin where the metadata names another issuer", async () => {
    let now = Date.now()
    for (const issuer of ["https://evil.test", `${op.issuer}/tenant`, undefined, 1]) {
      const one = await site({ config: { clock: () => now } })
      op.set({ discovery: (document) => ({ ...document, issuer }) })
      const browser = one.app.browser()
      const page = await begin(browser)
      expect(page.location).toBe(`${one.app.origin}/auth/signin?error=OAuthCallbackError`)
      expect(one.failures().map(({ error }) => Object(error?.cause).provider)).toEqual(["oidc"])
      expect(one.logText()).toContain("says that its issuer is")
      expect([op.count("/authorize"), flowCookies(browser)]).toEqual([0, []])
      op.reset()
      // A failure is held for a second.
      now += 1001
      await signIn(browser, op)
      expect(await sessionOf(browser)).not.toBeNull()
    }
  })

  it("OID-26: takes endpoints and keys from discovery", async () => {
    const one = await site()
    const browser = one.app.browser()
    await signIn(browser, op)
    expect(await sessionOf(browser)).not.toBeNull()
    expect([op.count("discovery"), op.count(op.jwksPath), op.count("/token")]).toEqual([1, 1, 1])
    const moved = await startFaultyProvider({ issuerPath: "/tenant" })
    const there = await startSite({ start, stage, op: moved })
    const visitor = there.app.browser()
    await signIn(visitor, moved)
    expect(await sessionOf(visitor)).not.toBeNull()
    expect(moved.count(moved.jwksPath)).toBe(1)
    await moved.close()
  })

  it("OID-27: reads discovery once in an hour, however many come at once", async () => {
    let now = Date.now()
    const { app } = await site({ config: { clock: () => now } })
    const pages = await Promise.all(Array.from({ length: 100 }, () => begin(app.browser())))
    for (const page of pages) expect(page.location).toContain(`${op.base}/authorize?`)
    for (let i = 0; i < 5; i++) await signIn(app.browser(), op)
    expect([op.count("discovery"), op.count("/jwks")]).toEqual([1, 1])
    now += HOUR_MS + 1000
    await Promise.all(Array.from({ length: 5 }, () => begin(app.browser())))
    expect(op.count("discovery")).toBe(2)
  })

  it("OID-28: form-encodes the client's id and secret for client_secret_basic", async () => {
    const client = { clientId: "a:b c%d+é~*'()!", clientSecret: "p:ss w%rd+é/?&=~*'()!" }
    const strange = await startFaultyProvider(client)
    const one = await startSite({ start, stage, op: strange })
    const browser = one.app.browser()
    await signIn(browser, strange)
    expect(await sessionOf(browser)).not.toBeNull()
    expect(strange.last("/token").clientAuth).toMatchObject({ method: "client_secret_basic", ...client })
    const formEncoded = (text: string) => new URLSearchParams({ "": text }).toString().slice(1)
    expect(strange.last("/token").clientAuth?.basic).toBe(
      `${formEncoded(client.clientId)}:${formEncoded(client.clientSecret)}`,
    )
    expect(strange.last("/token").form).not.toHaveProperty("client_secret")
    await strange.close()
  })

  it("OID-29: sends the access token to userinfo in a header and in no address", async () => {
    const { app } = await site({ providers: [op.oidc({ idToken: false })] })
    const browser = app.browser()
    await signIn(browser, op)
    expect(await sessionOf(browser)).not.toBeNull()
    const { headers, query, body } = op.last("/userinfo")
    expect([headers.authorization, query, body]).toEqual([expect.stringMatching(/^Bearer at-/), {}, ""])
  })

  it("OID-30: asks for openid, profile and email and for no more", async () => {
    const { app } = await site()
    const { location } = await begin(app.browser())
    expect(param(location, "scope")).toBe("openid profile email")
    expect([...new URL(location).searchParams.keys()].sort()).toEqual(
      "client_id code_challenge code_challenge_method nonce redirect_uri response_type scope state".split(" "),
    )
  })

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

  it("OID-35: has a state and a nonce also where the provider does not know PKCE", async () => {
    const discovery = (document: Claims) => ({ ...document, code_challenge_methods_supported: undefined })
    const { app } = await site({ mode: { discovery, checkPkce: false } })
    const browser = app.browser()
    const { location } = await begin(browser)
    expect(param(location, "state").length).toBeGreaterThanOrEqual(22)
    expect(param(location, "nonce").length).toBeGreaterThanOrEqual(22)
    await comeBack(browser, op, await op.authorize(location))
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it("OID-36: makes a new S256 challenge each time, and shows the verifier to the token endpoint alone", async () => {
    const one = await site({ config: { debug: true } })
    const challenges: string[] = []
    for (let i = 0; i < 3; i++) {
      const browser = one.app.browser()
      const { location } = await begin(browser)
      challenges.push(param(location, "code_challenge"))
      expect(param(location, "code_challenge_method")).toBe("S256")
      const back = await op.authorize(location)
      const page = await comeBack(browser, op, back)
      const { code_verifier: verifier = "" } = op.last("/token").form
      expect(verifier).toMatch(/^[\w.~-]{43,128}$/)
      expect(location + back + page.location).not.toContain(verifier)
    }
    expect(new Set(challenges).size).toBe(3)
    expectNoSecret(one, one.logText())
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

  it("OID-42: takes no protocol parameter from a link, and passes those that are the person's", async () => {
    const { app } = await site()
    const reserved = {
      ...{ client_id: "o", redirect_uri: "https://evil.test/cb", response_type: "token", response_mode: "fragment" },
      ...{ state: "evil", nonce: "evil", code_challenge: "evil", code_challenge_method: "plain", scope: "admin" },
      ...{ request: "evil", request_uri: "https://evil.test/r", registration: "evil", client_secret: "evil" },
    }
    const wanted = { login_hint: "a@b.test", prompt: "login", ui_locales: "de", max_age: "60", acr_values: "1" }
    const browser = app.browser()
    const { location } = await begin(browser, { query: `?${new URLSearchParams({ ...reserved, ...wanted })}` })
    const params = Object.fromEntries(new URL(location).searchParams)
    expect(location.startsWith(`${op.base}/authorize?`)).toBe(true)
    expect(params).toMatchObject({
      ...wanted,
      ...{ client_id: op.client.clientId, redirect_uri: `${app.origin}/auth/callback/oidc`, response_type: "code" },
      ...{ code_challenge_method: "S256", scope: "openid profile email" },
    })
    expect(JSON.stringify(params)).not.toContain("evil")
    for (const name of ["request", "request_uri", "registration", "client_secret", "response_mode", "csrfToken"])
      expect(params).not.toHaveProperty(name)
    await comeBack(browser, op, await op.authorize(location))
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it("OID-42: takes none of them in other letters, nor twice", async () => {
    const { app } = await site()
    const { location } = await begin(app.browser(), {
      query: "?redirect_uri=https://evil.test/a&redirect_uri=https://evil.test/b&redirect%5Furi=https://evil.test/c",
    })
    expect(new URL(location).searchParams.getAll("redirect_uri")).toEqual([`${app.origin}/auth/callback/oidc`])
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

describe("where tokens may travel", () => {
  const problemsOf = (overrides: Partial<AuthConfig>) => {
    const config = {
      secret: TEST_SECRET,
      logger: recordingLogger().logger,
      trustHost: true,
      providers: [],
      ...overrides,
    }
    try {
      authMiddleware(config)
      return ""
    } catch (error) {
      return String(error)
    }
  }

  describe.each(["production", "development"])("OID-46: in %s", (mode) => {
    const before = process.env["NODE_ENV"]
    beforeAll(() => {
      process.env["NODE_ENV"] = mode
    })
    afterAll(() => {
      process.env["NODE_ENV"] = before
    })

    it.each([
      ["issuer", { issuer: "http://op.test" }],
      ["issuer", { issuer: "http://127.0.0.1.evil.test" }],
      ["issuer", { issuer: "http://localhost.evil.test" }],
      ["issuer", { issuer: "http://10.0.0.1" }],
      ["issuer", { issuer: "http://0.0.0.0" }],
      ["issuer", { issuer: "http://localhost." }],
      ["issuer", { issuer: "http://[::ffff:127.0.0.1]" }],
      ["issuer", { issuer: "http://localhost@op.test" }],
      ["issuer", { issuer: "//op.test" }],
      ["token", { token: "http://op.test/token" }],
      ["userinfo", { userinfo: "http://op.test/userinfo" }],
      ["authorization", { authorization: "http://op.test/authorize" }],
      ["issuer", { issuer: "ftp://op.test" }],
      ["wellKnown", { wellKnown: "http://op.test/metadata" }],
    ])("does not start with a plain http %s: %j", (option, overrides) => {
      expect(problemsOf({ providers: [{ ...op.oidc({ issuer: "https://op.test" }), ...overrides }] })).toContain(
        `providers[0].${option}`,
      )
    })

    it.each(["http://localhost:4000", "http://127.0.0.1:4000", "http://[::1]:4000", "https://op.test"])(
      "starts with %s",
      (issuer) => expect(problemsOf({ providers: [op.oidc({ issuer })] })).toBe(""),
    )

    it("starts with another where the provider allows it", () =>
      expect(problemsOf({ providers: [op.oidc({ issuer: "http://op.test", allowInsecure: true })] })).toBe(""))
  })

  describeServers("OID-46: with metadata that name plain http", (start, stage) => {
    it.each(["authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri"])(
      "sends nobody and nothing to %s",
      async (name) => {
        const discovery = (document: Claims) => ({ ...document, [name]: "http://op.test/x" })
        const providers = [op.oidc({ idToken: name !== "userinfo_endpoint" })]
        const one = await startSite({ start, stage, op }, { mode: { discovery }, providers })
        const browser = one.app.browser()
        const begun = await begin(browser)
        const page =
          name === "authorization_endpoint" ? begun : await comeBack(browser, op, await op.authorize(begun.location))
        expect(page.location).toBe(`${one.app.origin}/auth/signin?error=OAuthCallbackError`)
        expect(one.failures()).toHaveLength(1)
        expect(one.logText()).toContain("http://op.test/x is not https")
      },
    )
  })
})
