import { readFileSync } from "node:fs"
import type { Adapter, AdapterUser } from "../../../lib/adapters/adapter.js"
import type { AuthConfig, Profile } from "../../../lib/types.js"
import { describeServers } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import type { FaultyProvider } from "../../support/faulty-provider.js"
import { guardProcess } from "../support/guard.js"
import { type MemoryStore, memoryStore } from "../support/memory-adapter.js"
import {
  begin,
  expectNoSecret,
  flowCookies,
  JUST_AUTHENTICATED,
  openCallback,
  sessionCookies,
  sessionOf,
  signIn,
  startAndApprove,
  startSite,
} from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

const VICTIM: AdapterUser = { id: "user-0", name: "Victim", email: "alice@example.com", emailVerified: null }
const VERIFIED = { ...VICTIM, emailVerified: new Date(0) }

interface Setup {
  user?: AdapterUser
  provider?: Parameters<FaultyProvider["oidc"]>[0]
  over?: (adapter: Adapter) => Partial<Adapter>
  more?: Partial<AuthConfig>
}

describeServers("Account linking", (start, stage) => {
  /** Starts an application whose adapter may already contain a user. */
  async function startWith({ user, provider = {}, over = () => ({}), more = {} }: Setup = {}) {
    const store = memoryStore()
    if (user) store.users.set(user.id, user)
    const site = await startSite(
      { start, stage, op },
      { providers: [op.oidc(provider)], sessions: "jwt", config: { adapter: withOverrides(store, over), ...more } },
    )
    return { ...site, store, browser: site.app.browser(), newBrowser: site.app.browser }
  }

  const withOverrides = ({ adapter }: MemoryStore, over: NonNullable<Setup["over"]>) => ({
    ...adapter,
    ...over(adapter),
  })

  /** Expects unchanged cookies and data, no event, and one log record. Another user can still sign in. */
  async function expectNotLinked(site: Awaited<ReturnType<typeof startWith>>, browser: Browser): Promise<void> {
    const before = [sessionCookies(browser), [...site.store.users.values()], [...site.store.accounts]]
    site.forget()
    const page = await signIn(browser, op)
    expect([page.status, page.location]).toEqual([302, `${site.app.origin}/auth/signin?error=OAuthAccountNotLinked`])
    expect([sessionCookies(browser), [...site.store.users.values()], site.store.accounts]).toEqual(before)
    expect([site.events, flowCookies(browser)]).toEqual([[], []])
    expect(site.failures()).toMatchObject([{ code: "OAuthAccountNotLinked", error: { cause: { provider: "oidc" } } }])
    expectNoSecret(site, `${site.logText()}\n${await page.text()}\n${page.headers.getSetCookie().join("\n")}`)
    op.set({ claims: undefined, user: { sub: "carol", name: "Carol", email: "carol@example.com" } })
    const other = site.newBrowser()
    await signIn(other, op)
    expect(await sessionOf(other)).toMatchObject({ user: { name: "Carol" } })
  }

  const setClaims = (claims: object) => op.set({ claims: (own) => ({ ...own, email: VICTIM.email, ...claims }) })

  it.each([
    ["the flag is not set", VERIFIED, false, true],
    ["email_verified is false", VERIFIED, true, false],
    ['email_verified is the string "false"', VERIFIED, true, "false"],
    ["email_verified is missing", VERIFIED, true, undefined],
    ["email_verified is null", VERIFIED, true, null],
    ['email_verified is the string "true"', VERIFIED, true, "true"],
    ["email_verified is the number 1", VERIFIED, true, 1],
    ["email_verified is a list", VERIFIED, true, [true]],
    ["email_verified is a date", VERIFIED, true, "2024-01-01T00:00:00Z"],
  ])("ADV-23, ACC-01: does not link an account by email address if %s", async (_name, user, flag, email_verified) => {
    const site = await startWith({ user, provider: { allowDangerousEmailAccountLinking: flag } })
    setClaims({ email_verified })
    await expectNotLinked(site, site.browser)
  })

  it("ACC-01: does not link if profile() returns another address than the verified one", async () => {
    const profile = ({ sub, name = null, email, preferred_username }: Profile) => ({
      ...{ id: String(sub), name },
      email: String(preferred_username ?? email),
    })
    const site = await startWith({ user: VERIFIED, provider: { allowDangerousEmailAccountLinking: true, profile } })
    setClaims({ email: "attacker@evil.test", email_verified: true, preferred_username: "Alice@Example.com" })
    await expectNotLinked(site, site.browser)
  })

  it.each([undefined, null])(
    "ACC-01: does not link by the address of profile() if the email claim is %s",
    async (email) => {
      const profile = ({ sub, name = null, preferred_username }: Profile) => ({
        ...{ id: String(sub), name },
        email: String(preferred_username),
      })
      const site = await startWith({ user: VERIFIED, provider: { allowDangerousEmailAccountLinking: true, profile } })
      setClaims({ email, email_verified: true, preferred_username: VICTIM.email })
      await expectNotLinked(site, site.browser)
    },
  )

  it("ADV-23: links by an address that both sides have verified if the flag is set", async () => {
    const site = await startWith({ user: VERIFIED, provider: { allowDangerousEmailAccountLinking: true } })
    setClaims({ email: "Alice@EXAMPLE.com", email_verified: true })
    await signIn(site.browser, op)
    expect(site.store.accounts).toMatchObject([{ userId: VICTIM.id, provider: "oidc" }])
    expect(await sessionOf(site.browser)).toMatchObject({ user: { name: "Victim" } })
  })

  it("ACC-01: isEmailVerified of the provider decides whether the address is verified", async () => {
    const provider = {
      allowDangerousEmailAccountLinking: true,
      isEmailVerified: (profile: Profile) => profile["ok"] === "yes",
    }
    const site = await startWith({ user: VERIFIED, provider })
    setClaims({ email_verified: true, ok: "no" })
    await expectNotLinked(site, site.browser)
    op.reset()
    setClaims({ email_verified: undefined, ok: "yes" })
    const browser = site.newBrowser()
    await signIn(browser, op)
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "Victim" } })
  })

  it("ACC-01: does not treat a promise from isEmailVerified as true", async () => {
    const isEmailVerified = (async () => true) as unknown as () => boolean
    const site = await startWith({
      user: VERIFIED,
      provider: { allowDangerousEmailAccountLinking: true, isEmailVerified },
    })
    setClaims({ email_verified: true })
    await expectNotLinked(site, site.browser)
  })

  it.each(["jwt", "database"] as const)(
    "ACC-03: does not link another user's account to the current user (%s)",
    async (strategy) => {
      const site = await startWith({ more: { session: { strategy } } })
      const [alice, bob] = [site.newBrowser(), site.newBrowser()]
      await signIn(alice, op)
      op.set({ claims: (claims) => ({ ...claims, sub: "bob", email: "bob@example.com" }) })
      await signIn(bob, op)
      op.reset()
      await expectNotLinked(site, bob)
      expect(site.store.accounts.map(({ userId }) => userId)).toEqual(["user-1", "user-2", "user-3"])
    },
  )

  it.each(["jwt", "database"] as const)(
    "ACC-03: an attacker's authorization response links nothing in the victim's browser (%s)",
    async (strategy) => {
      const site = await startWith({ more: { session: { strategy } } })
      const [attacker, victim] = [site.newBrowser(), site.newBrowser()]
      await signIn(victim, op)
      const cookies = sessionCookies(victim)
      op.set({ user: { sub: "mallory", name: "Mallory", email: "mallory@evil.test" } })
      const answer = await startAndApprove(attacker, op)
      // Once without a pending sign-in of the victim, once with one.
      for (const prepare of [async () => {}, () => begin(victim)]) {
        await prepare()
        site.forget()
        const page = await openCallback(victim, op, answer)
        expect(page.location).toBe(`${site.app.origin}/auth/signin?error=OAuthCallbackError`)
        expect([site.store.accounts.length, site.events, sessionCookies(victim)]).toEqual([1, [], cookies])
        expect(site.failures()).toMatchObject([{ error: { cause: { provider: "oidc" } } }])
      }
      expect(await sessionOf(victim)).toMatchObject({ user: { name: "Alice" } })
    },
  )

  it.each(["jwt", "database"] as const)(
    "ACC-03: an attacker's response links nothing with the attacker's flow cookie, which a sibling domain can set (%s)",
    async (strategy) => {
      const site = await startWith({ more: { session: { strategy } } })
      const [attacker, victim] = [site.newBrowser(), site.newBrowser()]
      await signIn(victim, op)
      const cookies = sessionCookies(victim)
      op.set({ user: { sub: "mallory", name: "Mallory", email: "mallory@evil.test" } })
      // Once with the attacker signed out, once signed in.
      for (const prepare of [async () => {}, () => signIn(attacker, op)]) {
        await prepare()
        op.set({ user: { sub: "second", name: "Mallory", email: "second@evil.test" } })
        const before = [...site.store.accounts]
        const answer = await startAndApprove(attacker, op)
        for (const { name, value } of flowCookies(attacker)) victim.setCookie(name, value)
        site.forget()
        const page = await openCallback(victim, op, answer)
        expect(page.location).toBe(`${site.app.origin}/auth/signin?error=OAuthAccountNotLinked`)
        expect([site.store.accounts, site.events, sessionCookies(victim)]).toEqual([before, [], cookies])
        expect(site.failures()).toMatchObject([
          { code: "OAuthAccountNotLinked", error: { cause: { provider: "oidc" } } },
        ])
        op.set({ user: { sub: "mallory", name: "Mallory", email: "mallory@evil.test" } })
      }
      expect(await sessionOf(victim)).toMatchObject({ user: { name: "Alice" } })
    },
  )

  it.each(["jwt", "database"] as const)(
    "ACC-03: an account is not linked to a user who signed in after the flow started (%s)",
    async (strategy) => {
      const site = await startWith({ more: { session: { strategy } } })
      op.set({ user: { sub: "bob", name: "Bob", email: "bob@example.com" } })
      const answer = await startAndApprove(site.browser, op)
      op.reset()
      op.set(JUST_AUTHENTICATED)
      await signIn(site.browser, op)
      op.set({ user: { sub: "bob", name: "Bob", email: "bob@example.com" } })
      const page = await openCallback(site.browser, op, answer)
      expect(page.location).toBe(`${site.app.origin}/auth/signin?error=OAuthAccountNotLinked`)
      expect(site.store.accounts.length).toBe(1)
      // A new flow links the account.
      await signIn(site.browser, op)
      expect(site.store.accounts.map(({ userId }) => userId)).toEqual(["user-1", "user-1"])
    },
  )

  it("ACC-03: an unsolicited response links nothing, even for a provider without checks", async () => {
    const checks = ["none" as const]
    const site = await startWith({ provider: { checks }, more: { session: { strategy: "jwt" } } })
    op.set(JUST_AUTHENTICATED)
    await signIn(site.browser, op)
    const cookies = sessionCookies(site.browser)
    op.set({ user: { sub: "mallory", name: "Mallory", email: "mallory@evil.test" } })
    const page = await openCallback(site.browser, op, await startAndApprove(site.newBrowser(), op))
    expect(page.location).toBe(`${site.app.origin}/auth/signin?error=OAuthAccountNotLinked`)
    expect([site.store.accounts.length, sessionCookies(site.browser)]).toEqual([1, cookies])
    // In a signed-out browser, the response signs in, as configured. A flow that the user starts links the account.
    const signedOut = site.newBrowser()
    await openCallback(signedOut, op, await startAndApprove(site.newBrowser(), op))
    expect(await sessionOf(signedOut)).toMatchObject({ user: { name: "Mallory" } })
    op.set({ user: { sub: "second", name: "Alice", email: "other@example.com" } })
    await signIn(site.browser, op)
    expect(site.store.accounts.map(({ userId }) => userId)).toEqual(["user-1", "user-2", "user-1"])
  })

  it("ACC-03: a session that the jwt callback has ended links nothing", async () => {
    const ended = new Set<unknown>()
    const jwt: NonNullable<AuthConfig["callbacks"]>["jwt"] = ({ token, trigger }) =>
      trigger === undefined && ended.has(token.sub) ? null : token
    const site = await startWith({ more: { session: { strategy: "jwt" }, callbacks: { jwt } } })
    const thief = site.newBrowser()
    await signIn(site.browser, op)
    for (const { name, value } of sessionCookies(site.browser)) thief.setCookie(name, value)
    ended.add("user-1")
    op.set({ user: { sub: "mallory", name: "Mallory", email: "mallory@evil.test" } })
    await signIn(thief, op)
    expect(site.store.accounts.map(({ userId }) => userId)).toEqual(["user-1", "user-2"])
    expect(await sessionOf(thief)).toMatchObject({ user: { name: "Mallory" } })
    // The ended session does not prevent another user from signing in.
    op.set({ user: { sub: "bob", name: "Bob", email: "bob@example.com" } })
    await signIn(site.browser, op)
    expect(await sessionOf(site.browser)).toMatchObject({ user: { name: "Bob" } })
    expect(site.failures()).toEqual([])
  })

  it("ACC-03: if the jwt callback fails, nothing is linked and the session continues", async () => {
    let fails = false
    const jwt: NonNullable<AuthConfig["callbacks"]>["jwt"] = ({ token }) => {
      if (fails) throw new Error("the list of revoked sessions is down")
      return token
    }
    const site = await startWith({ more: { session: { strategy: "jwt" }, callbacks: { jwt } } })
    op.set(JUST_AUTHENTICATED)
    await signIn(site.browser, op)
    const cookies = sessionCookies(site.browser)
    op.set({ user: { sub: "second", name: "Alice", email: "other@example.com" } })
    const answer = await startAndApprove(site.browser, op)
    site.forget()
    fails = true
    expect((await openCallback(site.browser, op, answer)).location).toBe(
      `${site.app.origin}/auth/error?error=Configuration`,
    )
    fails = false
    expect([site.store.accounts.length, site.events, sessionCookies(site.browser)]).toEqual([1, [], cookies])
    expect(site.failures()).toMatchObject([{ level: "error", code: "CallbackRouteError" }])
    await signIn(site.browser, op)
    expect(site.store.accounts.map(({ userId }) => userId)).toEqual(["user-1", "user-1"])
  })

  it("ACC-03: if the jwt callback fails for the old session, the user can still sign in to the same account", async () => {
    const jwt: NonNullable<AuthConfig["callbacks"]>["jwt"] = ({ token, trigger }) => {
      if (trigger === undefined) throw new Error("the list of revoked sessions is down")
      return token
    }
    const site = await startWith({ more: { session: { strategy: "jwt" }, callbacks: { jwt } } })
    await signIn(site.browser, op)
    expect((await signIn(site.browser, op)).location).toBe(`${site.app.origin}/`)
    expect([site.store.accounts.length, site.failures()]).toEqual([1, []])
  })

  it("sign-in and sign-out work if deleteSession throws for an unknown session", async () => {
    const { store, browser } = await startWith({
      over: ({ deleteSession }) => ({
        async deleteSession(token) {
          if (!store.sessions.has(token)) throw new Error("no such row")
          await deleteSession?.(token)
        },
      }),
    })
    browser.setCookie("authjs.session-token", "a token of a row that is gone")
    expect((await signIn(browser, op)).location).not.toContain("error")
    expect(store.sessions.size).toBe(1)
    store.sessions.clear()
    const csrfToken = await browser.csrf()
    expect((await browser.post("/auth/signout", { csrfToken })).location).not.toContain("error")
    expect(sessionCookies(browser)).toEqual([])
  })

  it.each([
    ["database", null],
    ["jwt", { user: { name: "Alice" } }],
  ] as const)(
    "SES-03: after sign-out, a copied cookie of a %s session behaves as documented",
    async (strategy, expected) => {
      const { browser } = await startWith({ more: { session: { strategy } } })
      await signIn(browser, op)
      const thief = browser.clone()
      const csrfToken = await browser.csrf()
      await browser.post("/auth/signout", { csrfToken })
      expect(await sessionOf(browser)).toBeNull()
      const session = await sessionOf(thief)
      expect(session && { user: { name: session.user?.["name"] } }).toEqual(expected)
      expect(readFileSync("docs/security.md", "utf8")).toMatch(
        /Without a \[store\]\(.*an encrypted cookie cannot be revoked: .* a copy is valid until it expires/,
      )
    },
  )
})
