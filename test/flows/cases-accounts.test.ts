import { readFileSync } from "node:fs"
import type { Adapter, AdapterUser } from "../../lib/adapters/adapter.js"
import type { AuthConfig, Profile } from "../../lib/types.js"
import { describeServers } from "../support/apps.js"
import type { Browser } from "../support/browser.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { guardProcess } from "./support/guard.js"
import { type MemoryStore, memoryStore } from "./support/memory-adapter.js"
import {
  begin,
  comeBack,
  expectNoSecret,
  flowCookies,
  goAndAgree,
  sessionCookies,
  sessionOf,
  signIn,
  startSite,
} from "./support/site.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
beforeEach(() => op.reset())
afterAll(() => op.close())

const VICTIM: AdapterUser = { id: "user-0", name: "Victim", email: "alice@example.com", emailVerified: null }
const PROVED = { ...VICTIM, emailVerified: new Date(0) }

interface Setup {
  user?: AdapterUser
  provider?: Parameters<FaultyProvider["oidc"]>[0]
  over?: (adapter: Adapter) => Partial<Adapter>
  more?: Partial<AuthConfig>
}

describeServers("Accounts", (start, stage) => {
  /** An application on a store, some of whose users are there already. */
  async function startWith({ user, provider = {}, over = () => ({}), more = {} }: Setup = {}) {
    const store = memoryStore()
    if (user) store.users.set(user.id, user)
    const site = await startSite(
      { start, stage, op },
      { providers: [op.oidc(provider)], sessions: "jwt", config: { adapter: withOver(store, over), ...more } },
    )
    return { ...site, store, browser: site.app.browser(), visit: site.app.browser }
  }

  const withOver = ({ adapter }: MemoryStore, over: NonNullable<Setup["over"]>) => ({ ...adapter, ...over(adapter) })

  /** Nobody is let in or told of, nothing is stored, and the log says once why; afterwards a sign-in works. */
  async function expectNotLinked(site: Awaited<ReturnType<typeof startWith>>, browser: Browser): Promise<void> {
    const before = [sessionCookies(browser), [...site.store.users.values()], [...site.store.accounts]]
    site.forget()
    const page = await signIn(browser, op)
    expect([page.status, page.location]).toEqual([302, `${site.app.origin}/auth/signin?error=OAuthAccountNotLinked`])
    expect([sessionCookies(browser), [...site.store.users.values()], site.store.accounts]).toEqual(before)
    expect([site.events, flowCookies(browser)]).toEqual([[], []])
    expect(site.failures()).toMatchObject([{ code: "OAuthAccountNotLinked", error: { cause: { provider: "oidc" } } }])
    expectNoSecret(site, `${site.logText()}\n${await page.text()}\n${page.headers.getSetCookie().join("\n")}`)
    op.set({ claims: undefined, user: { sub: "somebody", name: "Somebody", email: "somebody@example.com" } })
    const other = site.visit()
    await signIn(other, op)
    expect(await sessionOf(other)).toMatchObject({ user: { name: "Somebody" } })
  }

  const claiming = (claims: object) => op.set({ claims: (own) => ({ ...own, email: VICTIM.email, ...claims }) })

  it.each([
    ["nobody said that addresses link", PROVED, false, true],
    ["the provider says that the address is not proved", PROVED, true, false],
    ["the provider says so in words", PROVED, true, "false"],
    ["the provider says nothing", PROVED, true, undefined],
    ["the provider says null", PROVED, true, null],
    ["the provider says that it is, in words", PROVED, true, "true"],
    ["the provider says that it is, in a number", PROVED, true, 1],
    ["the provider says that it is, in a list", PROVED, true, [true]],
    ["the provider says when it was", PROVED, true, "2024-01-01T00:00:00Z"],
  ])("ADV-23, ACC-01: nobody gets another's account when %s", async (_name, user, flag, email_verified) => {
    const site = await startWith({ user, provider: { allowDangerousEmailAccountLinking: flag } })
    claiming({ email_verified })
    await expectNotLinked(site, site.browser)
  })

  it("ACC-01: a proved address proves no other one that profile() makes the user's", async () => {
    const profile = ({ sub, name = null, email, preferred_username }: Profile) => ({
      ...{ id: String(sub), name },
      email: String(preferred_username ?? email),
    })
    const site = await startWith({ user: PROVED, provider: { allowDangerousEmailAccountLinking: true, profile } })
    claiming({ email: "attacker@evil.test", email_verified: true, preferred_username: "Alice@Example.com" })
    await expectNotLinked(site, site.browser)
  })

  it.each([undefined, null])("ACC-01: nor does a proof of no address at all: %s", async (email) => {
    const profile = ({ sub, name = null, preferred_username }: Profile) => ({
      ...{ id: String(sub), name },
      email: String(preferred_username),
    })
    const site = await startWith({ user: PROVED, provider: { allowDangerousEmailAccountLinking: true, profile } })
    claiming({ email, email_verified: true, preferred_username: VICTIM.email })
    await expectNotLinked(site, site.browser)
  })

  it("ADV-23: an address that both sides have proved links where the flag is set", async () => {
    const site = await startWith({ user: PROVED, provider: { allowDangerousEmailAccountLinking: true } })
    claiming({ email: "Alice@EXAMPLE.com", email_verified: true })
    await signIn(site.browser, op)
    expect(site.store.accounts).toMatchObject([{ userId: VICTIM.id, provider: "oidc" }])
    expect(await sessionOf(site.browser)).toMatchObject({ user: { name: "Victim" } })
  })

  it("ACC-01: a provider's definition may say how it tells that an address is proved", async () => {
    const provider = {
      allowDangerousEmailAccountLinking: true,
      isEmailVerified: (profile: Profile) => profile["ok"] === "yes",
    }
    const site = await startWith({ user: PROVED, provider })
    claiming({ email_verified: true, ok: "no" })
    await expectNotLinked(site, site.browser)
    op.reset()
    claiming({ email_verified: undefined, ok: "yes" })
    const browser = site.visit()
    await signIn(browser, op)
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "Victim" } })
  })

  it("ACC-01: a promise is no yes", async () => {
    const isEmailVerified = (async () => true) as unknown as () => boolean
    const site = await startWith({
      user: PROVED,
      provider: { allowDangerousEmailAccountLinking: true, isEmailVerified },
    })
    claiming({ email_verified: true })
    await expectNotLinked(site, site.browser)
  })

  it.each(["jwt", "database"] as const)(
    "ACC-03: an account of somebody else is not linked to who is signed in (%s)",
    async (strategy) => {
      const site = await startWith({ more: { session: { strategy } } })
      const [alice, bob] = [site.visit(), site.visit()]
      await signIn(alice, op)
      op.set({ claims: (claims) => ({ ...claims, sub: "bob", email: "bob@example.com" }) })
      await signIn(bob, op)
      op.reset()
      await expectNotLinked(site, bob)
      expect(site.store.accounts.map(({ userId }) => userId)).toEqual(["user-1", "user-2", "user-3"])
    },
  )

  it.each(["jwt", "database"] as const)(
    "ACC-03: an attacker's answer, delivered to who is signed in, links nothing (%s)",
    async (strategy) => {
      const site = await startWith({ more: { session: { strategy } } })
      const [attacker, victim] = [site.visit(), site.visit()]
      await signIn(victim, op)
      const cookies = sessionCookies(victim)
      op.set({ user: { sub: "mallory", name: "Mallory", email: "mallory@evil.test" } })
      const answer = await goAndAgree(attacker, op)
      // Once as it is, once while the victim has a sign-in of their own under way.
      for (const prepare of [async () => {}, () => begin(victim)]) {
        await prepare()
        site.forget()
        const page = await comeBack(victim, op, answer)
        expect(page.location).toBe(`${site.app.origin}/auth/signin?error=OAuthCallbackError`)
        expect([site.store.accounts.length, site.events, sessionCookies(victim)]).toEqual([1, [], cookies])
        expect(site.failures()).toMatchObject([{ error: { cause: { provider: "oidc" } } }])
      }
      expect(await sessionOf(victim)).toMatchObject({ user: { name: "Alice" } })
    },
  )

  it.each(["jwt", "database"] as const)(
    "ACC-03: nor does it with the attacker's cookie of that sign-in, which a neighbouring host can set (%s)",
    async (strategy) => {
      const site = await startWith({ more: { session: { strategy } } })
      const [attacker, victim] = [site.visit(), site.visit()]
      await signIn(victim, op)
      const cookies = sessionCookies(victim)
      op.set({ user: { sub: "mallory", name: "Mallory", email: "mallory@evil.test" } })
      // Once as nobody, once as somebody else.
      for (const prepare of [async () => {}, () => signIn(attacker, op)]) {
        await prepare()
        op.set({ user: { sub: "second", name: "Mallory", email: "second@evil.test" } })
        const before = [...site.store.accounts]
        const answer = await goAndAgree(attacker, op)
        for (const { name, value } of flowCookies(attacker)) victim.setCookie(name, value)
        site.forget()
        const page = await comeBack(victim, op, answer)
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
    "ACC-03: an account lands with nobody who has signed in to the browser since (%s)",
    async (strategy) => {
      const site = await startWith({ more: { session: { strategy } } })
      op.set({ user: { sub: "bob", name: "Bob", email: "bob@example.com" } })
      const answer = await goAndAgree(site.browser, op)
      op.reset()
      await signIn(site.browser, op)
      op.set({ user: { sub: "bob", name: "Bob", email: "bob@example.com" } })
      const page = await comeBack(site.browser, op, answer)
      expect(page.location).toBe(`${site.app.origin}/auth/signin?error=OAuthAccountNotLinked`)
      expect(site.store.accounts.length).toBe(1)
      // Whoever wants that begins once more.
      await signIn(site.browser, op)
      expect(site.store.accounts.map(({ userId }) => userId)).toEqual(["user-1", "user-1"])
    },
  )

  it("ACC-03: an answer that nobody asked for links nothing, though the provider has no checks", async () => {
    const checks = ["none" as const]
    const site = await startWith({ provider: { checks }, more: { session: { strategy: "jwt" } } })
    await signIn(site.browser, op)
    const cookies = sessionCookies(site.browser)
    op.set({ user: { sub: "mallory", name: "Mallory", email: "mallory@evil.test" } })
    const page = await comeBack(site.browser, op, await goAndAgree(site.visit(), op))
    expect(page.location).toBe(`${site.app.origin}/auth/signin?error=OAuthAccountNotLinked`)
    expect([site.store.accounts.length, sessionCookies(site.browser)]).toEqual([1, cookies])
    // Where nobody is signed in it signs in, as that provider is set; and who asks has the account linked.
    const elsewhere = site.visit()
    await comeBack(elsewhere, op, await goAndAgree(site.visit(), op))
    expect(await sessionOf(elsewhere)).toMatchObject({ user: { name: "Mallory" } })
    op.set({ user: { sub: "second", name: "Alice", email: "other@example.com" } })
    await signIn(site.browser, op)
    expect(site.store.accounts.map(({ userId }) => userId)).toEqual(["user-1", "user-2", "user-1"])
  })

  it("ACC-03: a session that the application's jwt callback has ended links nothing", async () => {
    const ended = new Set<unknown>()
    const jwt: NonNullable<AuthConfig["callbacks"]>["jwt"] = ({ token, trigger }) =>
      trigger === undefined && ended.has(token.sub) ? null : token
    const site = await startWith({ more: { session: { strategy: "jwt" }, callbacks: { jwt } } })
    const thief = site.visit()
    await signIn(site.browser, op)
    for (const { name, value } of sessionCookies(site.browser)) thief.setCookie(name, value)
    ended.add("user-1")
    op.set({ user: { sub: "mallory", name: "Mallory", email: "mallory@evil.test" } })
    await signIn(thief, op)
    expect(site.store.accounts.map(({ userId }) => userId)).toEqual(["user-1", "user-2"])
    expect(await sessionOf(thief)).toMatchObject({ user: { name: "Mallory" } })
    // Nor does it stand in the way of who signs in to an account of their own.
    op.set({ user: { sub: "bob", name: "Bob", email: "bob@example.com" } })
    await signIn(site.browser, op)
    expect(await sessionOf(site.browser)).toMatchObject({ user: { name: "Bob" } })
    expect(site.failures()).toEqual([])
  })

  it("ACC-03: when that callback fails nothing is linked, and the session stays", async () => {
    let fails = false
    const jwt: NonNullable<AuthConfig["callbacks"]>["jwt"] = ({ token }) => {
      if (fails) throw new Error("the list of revoked sessions is down")
      return token
    }
    const site = await startWith({ more: { session: { strategy: "jwt" }, callbacks: { jwt } } })
    await signIn(site.browser, op)
    const cookies = sessionCookies(site.browser)
    op.set({ user: { sub: "second", name: "Alice", email: "other@example.com" } })
    const answer = await goAndAgree(site.browser, op)
    site.forget()
    fails = true
    expect((await comeBack(site.browser, op, answer)).location).toBe(
      `${site.app.origin}/auth/error?error=Configuration`,
    )
    fails = false
    expect([site.store.accounts.length, site.events, sessionCookies(site.browser)]).toEqual([1, [], cookies])
    expect(site.failures()).toMatchObject([{ level: "error", code: "CallbackRouteError" }])
    await signIn(site.browser, op)
    expect(site.store.accounts.map(({ userId }) => userId)).toEqual(["user-1", "user-1"])
  })

  it("ACC-03: nor does it keep people from signing in to their own account again", async () => {
    const jwt: NonNullable<AuthConfig["callbacks"]>["jwt"] = ({ token, trigger }) => {
      if (trigger === undefined) throw new Error("the list of revoked sessions is down")
      return token
    }
    const site = await startWith({ more: { session: { strategy: "jwt" }, callbacks: { jwt } } })
    await signIn(site.browser, op)
    expect((await signIn(site.browser, op)).location).toBe(`${site.app.origin}/`)
    expect([site.store.accounts.length, site.failures()]).toEqual([1, []])
  })

  it("ACC-05: a store that fails between user and account leaves nobody behind, and the next attempt succeeds", async () => {
    let fails = true
    const { store, browser } = await startWith({
      over: ({ linkAccount }) => ({
        async linkAccount(account) {
          if (fails) throw new Error("the store is down")
          await linkAccount?.(account)
        },
      }),
    })
    expect((await signIn(browser, op)).location).toContain("error=Configuration")
    expect([store.users.size, sessionCookies(browser)]).toEqual([0, []])
    fails = false
    expect((await signIn(browser, op)).location).not.toContain("error")
    expect([store.users.size, store.accounts.length]).toEqual([1, 1])
  })

  it("are let in and out by a store that throws on a row it does not have", async () => {
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
    "SES-03: after signing out a copied cookie of kind %s is what the documentation says",
    async (strategy, then) => {
      const { browser } = await startWith({ more: { session: { strategy } } })
      await signIn(browser, op)
      const thief = browser.clone()
      const csrfToken = await browser.csrf()
      await browser.post("/auth/signout", { csrfToken })
      expect(await sessionOf(browser)).toBeNull()
      const seen = await sessionOf(thief)
      expect(seen && { user: { name: seen.user?.["name"] } }).toEqual(then)
      expect(readFileSync("docs/security.md", "utf8")).toMatch(
        /a copy stays good until it expires\. Database sessions end everywhere/,
      )
    },
  )
})
