import { readFileSync } from "node:fs"
import type { Adapter, AdapterUser } from "../../lib/adapters/adapter.js"
import type { AuthConfig } from "../../lib/types.js"
import { describeServers, recordingLogger, TEST_SECRET } from "../support/apps.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { deepFreeze, guardProcess } from "./support/guard.js"
import { memoryStore } from "./support/memory-adapter.js"
import { sessionCookies, sessionOf, signIn } from "./support/site.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
beforeEach(() => op.reset())
afterAll(() => op.close())

const VICTIM: AdapterUser = { id: "user-0", name: "Victim", email: "alice@example.com", emailVerified: null }
const PROVED = { ...VICTIM, emailVerified: new Date(0) }

describeServers("Accounts", (start) => {
  /** An application on a store, some of whose users are there already. */
  async function startWith({ user, flag = false, over = () => ({}), more = {} }: Setup = {}) {
    const store = memoryStore()
    if (user) store.users.set(user.id, user)
    Object.assign(store.adapter, over(store.adapter))
    const { logger } = recordingLogger()
    const providers = [op.oidc({ allowDangerousEmailAccountLinking: flag })]
    const config: AuthConfig = { secret: TEST_SECRET, logger, providers, ...more }
    const app = await start({ ...(deepFreeze(config) as AuthConfig), adapter: store.adapter })
    return { store, browser: app.browser(), visit: app.browser }
  }

  interface Setup {
    user?: AdapterUser
    flag?: boolean
    over?: (adapter: Adapter) => Partial<Adapter>
    more?: Partial<AuthConfig>
  }

  it.each([
    ["the row's address was never proved", VICTIM, true, true],
    ["nobody said that addresses link", PROVED, false, true],
    ["the provider says that the address is not proved", PROVED, true, false],
    ["the provider says so in words", PROVED, true, "false"],
    ["the provider says nothing", PROVED, true, undefined],
  ])("ADV-23, ACC-01: nobody gets another's account when %s", async (_name, user, flag, email_verified) => {
    const { store, browser } = await startWith({ user, flag })
    op.set({ claims: (claims) => ({ ...claims, email: VICTIM.email, email_verified }) })
    const page = await signIn(browser, op)
    expect(new URL(page.location).searchParams.get("error")).toBe("OAuthAccountNotLinked")
    expect([sessionCookies(browser), store.accounts, store.users.size]).toEqual([[], [], 1])
  })

  it("ADV-23: an address that both sides have proved links where the flag is set", async () => {
    const { store, browser } = await startWith({ user: PROVED, flag: true })
    op.set({ claims: (claims) => ({ ...claims, email: VICTIM.email, email_verified: true }) })
    await signIn(browser, op)
    expect(store.accounts).toMatchObject([{ userId: VICTIM.id, provider: "oidc" }])
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "Victim" } })
  })

  it("ACC-03: an account of somebody else is not linked to who is signed in", async () => {
    const { store, visit } = await startWith()
    const [alice, bob] = [visit(), visit()]
    await signIn(alice, op)
    op.set({ claims: (claims) => ({ ...claims, sub: "bob", email: "bob@example.com" }) })
    await signIn(bob, op)
    op.reset()
    const page = await signIn(bob, op)
    expect(new URL(page.location).searchParams.get("error")).toBe("OAuthAccountNotLinked")
    expect(store.accounts.map(({ userId }) => userId)).toEqual(["user-1", "user-2"])
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
