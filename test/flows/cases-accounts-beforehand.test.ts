/**
 * ACC-02: an account that somebody made beforehand for an address of another, and its owner comes later.
 *
 * @module
 */
import type { Adapter } from "../../lib/adapters/adapter.js"
import type { Profile } from "../../lib/types.js"
import { describeServer, type Start } from "../support/apps.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { guardProcess } from "./support/guard.js"
import { askForLink, errorOf, type MailSite, openLink, signInByMail } from "./support/mail.js"
import { type BothOptions, startMailAndProvider } from "./support/mail-and-provider.js"
import { sessionCookies, sessionOf, signIn } from "./support/site.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
beforeEach(() => op.reset())
afterAll(() => op.close())

const ADA = "ada@example.com"

const startBoth = (start: Start, options?: BothOptions): Promise<MailSite> =>
  startMailAndProvider({ start, op }, options)

const eventsOf = ({ events }: MailSite) => events.map(({ name }) => name).filter((name) => name !== "session")

describeServer("ACC-02: an address that somebody else registered first", "Auth()", (start) => {
  const unproved = (more: object = {}) =>
    op.set({ claims: (claims) => ({ ...claims, email: ADA, email_verified: false, ...more }) })

  /** Somebody has signed in here with the victim's address at a careless provider, and waits. */
  async function registered(options: Parameters<typeof startBoth>[1] = {}) {
    const site = await startBoth(start, { config: { session: { strategy: "database" } }, ...options })
    unproved()
    const attacker = site.browser()
    await signIn(attacker, op)
    expect(await sessionOf(attacker)).toMatchObject({ user: { email: ADA } })
    op.reset()
    site.forget()
    return { site, attacker, owner: site.browser() }
  }

  it("is its owner's after the first link: the attacker's account is unlinked and the sessions end", async () => {
    const { site, attacker, owner } = await registered()
    const twin = attacker.clone()
    await signInByMail(site, owner, ADA)
    expect(await sessionOf(owner)).toMatchObject({ user: { email: ADA } })
    expect([await sessionOf(attacker), await sessionOf(twin), site.store.accounts]).toEqual([null, null, []])
    expect(site.failures()).toMatchObject([{ level: "warn", code: "accounts-unlinked" }])
    expect(eventsOf(site)).toEqual(["updateUser", "signIn"])
    unproved()
    const again = site.browser()
    expect(errorOf(await signIn(again, op))).toBe("OAuthAccountNotLinked")
    expect([sessionCookies(again), site.store.sessions.size, site.store.users.size]).toEqual([[], 1, 1])
  })

  it("loses what the attacker has linked besides, and keeps what proves the address", async () => {
    const { site, owner } = await registered()
    const [user] = [...site.store.users.keys()]
    const tokenOf = (claims: object) => `a.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c`
    const link = (providerAccountId: string, id_token?: string) =>
      site.store.accounts.push({
        ...{ provider: "second", providerAccountId, type: "oidc", userId: user ?? "" },
        ...(id_token && { id_token }),
      })
    link("own address", tokenOf({ email: "attacker@evil.test", email_verified: true }))
    link("plain")
    link("proof", tokenOf({ email: ADA.toUpperCase(), email_verified: true }))
    await signInByMail(site, owner, ADA)
    expect(site.store.accounts.map(({ providerAccountId }) => providerAccountId)).toEqual(["proof"])
  })

  it("keeps an account whose provider has its own way to say that the address is proved, and no other text", async () => {
    const oidc = { isEmailVerified: (profile: Profile) => String(profile.email_verified) === "true" }
    const { site, owner } = await registered({ oidc })
    const [user] = [...site.store.users.keys()]
    const tokenOf = (claims: object) => `a.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c`
    const id_token = tokenOf({ email: ADA, email_verified: "true" })
    for (const provider of ["oidc", "second", "gone"])
      site.store.accounts.push({ provider, providerAccountId: "x", type: "oidc", userId: user ?? "", id_token })
    await signInByMail(site, owner, ADA)
    expect(site.store.accounts.map(({ provider }) => provider)).toEqual(["oidc"])
  })

  it("is its owner's, too, where a provider's own way to say so fails on an id_token", async () => {
    let isOfUserinfo = true
    const isEmailVerified = () => {
      if (!isOfUserinfo) throw new TypeError("what userinfo has is not there")
      return true
    }
    const { site, owner } = await registered({ oidc: { isEmailVerified } })
    isOfUserinfo = false
    await signInByMail(site, owner, ADA)
    expect([(await sessionOf(owner))?.user?.["email"], site.store.accounts]).toEqual([ADA, []])
  })

  it.each([
    ["false as text", { email_verified: "false" }],
    ["false", { email_verified: false }],
  ])("loses accounts whose id_token says %s", async (_name, claims) => {
    const site = await startBoth(start, { config: { session: { strategy: "database" } } })
    unproved(claims)
    await signIn(site.browser(), op)
    await signInByMail(site, site.browser(), ADA)
    expect(site.store.accounts).toEqual([])
  })

  it("keeps accounts whose id_token says true, and ends the sessions, which prove nothing", async () => {
    const site = await startBoth(start, { config: { session: { strategy: "database" } } })
    unproved({ email_verified: true })
    const browser = site.browser()
    await signIn(browser, op)
    await signInByMail(site, site.browser(), ADA)
    expect([site.store.accounts.length, site.store.sessions.size, site.failures()]).toEqual([1, 1, []])
    expect(await sessionOf(browser)).toBeNull()
  })

  it.each([
    ["an id_token that does not say whether the address is verified", { email_verified: undefined }, undefined],
    ["no id_token", {}, { id_token: undefined }],
    ["an id_token that is none", {}, { id_token: "garbage" }],
    ["an id_token of other text", {}, { id_token: "a.b.c" }],
    ["an id_token of null", {}, { id_token: `a.${Buffer.from("null").toString("base64url")}.c` }],
  ])("SEC-12: loses accounts with %s", async (_name, claims, change) => {
    const site = await startBoth(start, { config: { session: { strategy: "database" } } })
    unproved(claims)
    const attacker = site.browser()
    await signIn(attacker, op)
    Object.assign(site.store.accounts[0] ?? {}, change)
    await signInByMail(site, site.browser(), ADA)
    expect([site.store.accounts, await sessionOf(attacker)]).toEqual([[], null])
  })

  it.each([
    ["keeps the account of a vendor that verifies every address", "always", false, ["oidc"]],
    ["loses it beside an account that is in doubt", "always", true, []],
    ["loses the account of a vendor that verifies none", "never", false, []],
  ] as const)("SEC-12: where nothing was stored of the proof, it %s", async (_name, provesEmail, hasOther, left) => {
    const { site } = await registered({ oidc: { provesEmail } })
    const [account] = site.store.accounts
    Object.assign(account ?? {}, { id_token: undefined })
    const other = { provider: "second", providerAccountId: "x", type: "oauth", userId: account?.userId ?? "" } as const
    if (hasOther) site.store.accounts.push(other)
    await signInByMail(site, site.browser(), ADA)
    expect(site.store.accounts.map(({ provider }) => provider)).toEqual(left)
  })

  it("SEC-12: shows the user what was removed, and informs the application", async () => {
    const confirmed: unknown[] = []
    const events = { confirmEmailOwner: (message: unknown) => void confirmed.push(message) }
    const { site, owner } = await registered({ config: { events, session: { strategy: "database" } } })
    await askForLink(owner, ADA)
    const page = await owner.get(site.mail.linkTo(ADA))
    const html = await page.text()
    expect(page.status).toBe(200)
    expect(html).toMatch(/You&#39;re signed in[\s\S]*<li>Test provider<\/li>[\s\S]*href="http[^>]*>Continue/)
    expect(await sessionOf(owner)).toMatchObject({ user: { email: ADA } })
    expect(confirmed).toMatchObject([{ user: { email: ADA }, removed: [{ provider: "oidc" }] }])
  })

  describe("with sessions of a user who has no account", () => {
    /** Somebody was signed in by an account that is gone, or by what is no account, as a password is. */
    async function withoutAccounts(emailVerified: Date | null = null) {
      const found = await registered()
      const { store } = found.site
      store.accounts.length = 0
      for (const user of store.users.values()) store.users.set(user.id, { ...user, emailVerified })
      return found
    }

    it("is its owner's after the first link: the sessions end", async () => {
      const { site, attacker, owner } = await withoutAccounts()
      await signInByMail(site, owner, ADA)
      expect(await sessionOf(attacker)).toBeNull()
      expect([(await sessionOf(owner))?.user?.["email"], site.store.sessions.size]).toEqual([ADA, 1])
      // Nothing was unlinked, and nobody need look.
      expect(site.failures()).toEqual([])
    })

    it("keeps them when the link is opened in a browser that is signed in as this very user", async () => {
      const { site, attacker: person } = await withoutAccounts()
      const [session] = site.store.sessions.values()
      if (session) site.store.sessions.set("phone", { ...session, sessionToken: "phone" })
      await signInByMail(site, person, ADA)
      expect([(await sessionOf(person))?.user?.["email"], site.store.sessions.has("phone")]).toEqual([ADA, true])
    })

    it("keeps them when the address was proved before", async () => {
      const { site, attacker: person, owner } = await withoutAccounts(new Date(0))
      await signInByMail(site, owner, ADA)
      expect(await sessionOf(person)).toMatchObject({ user: { email: ADA } })
    })
  })

  it("keeps everything when the address was proved before", async () => {
    const { site, attacker } = await registered()
    const [user] = site.store.users.values()
    if (user) site.store.users.set(user.id, { ...user, emailVerified: new Date(0) })
    await signInByMail(site, site.browser(), ADA)
    expect([site.store.accounts.length, (await sessionOf(attacker))?.user?.["email"]]).toEqual([1, ADA])
  })

  it("is its owner's on a store that can't unlink, too, and signs in", async () => {
    const { site, owner } = await registered({ isPlain: true })
    await signInByMail(site, owner, ADA)
    expect(await sessionOf(owner)).toMatchObject({ user: { email: ADA } })
    expect(site.store.users.size).toBe(1)
  })

  it("lets nobody in when the store fails to unlink, and the next link does", async () => {
    let isDown = true
    const { site, attacker, owner } = await registered({
      over: ({ unlinkAccount }: Adapter) => ({
        async unlinkAccount(account) {
          if (isDown) throw new Error("the store is down")
          await unlinkAccount?.(account)
        },
      }),
    })
    expect(errorOf(await signInByMail(site, owner, ADA))).toBe("Configuration")
    expect([sessionCookies(owner), eventsOf(site)]).toEqual([[], []])
    isDown = false
    await openLink(owner, site.mail.linkTo(ADA))
    await signInByMail(site, owner, ADA)
    expect([(await sessionOf(owner))?.user?.["email"], await sessionOf(attacker)]).toEqual([ADA, null])
  })
})
