/**
 * ACC-02: account pre-hijacking. An attacker registers the victim's email address before the victim signs in.
 *
 * @module
 */
import { createHash } from "node:crypto"
import type { Adapter } from "../../../lib/adapters/adapter.js"
import { MemoryStore } from "../../../lib/store/memory.js"
import type { Profile } from "../../../lib/types.js"
import { describeServer, type Start } from "../../support/apps.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, errorOf, type MailSite, openLink, signInByMail } from "../support/mail.js"
import { type BothOptions, startMailAndProvider } from "../support/mail-and-provider.js"
import { sessionCookies, sessionOf, signIn } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

const ADA = "ada@example.com"

const startBoth = (start: Start, options?: BothOptions): Promise<MailSite> =>
  startMailAndProvider({ start, op }, options)

const listEvents = ({ events }: MailSite) => events.map(({ name }) => name).filter((name) => name !== "session")

describeServer("ACC-02: the first sign-in link for an address that an attacker has registered", "Auth()", (start) => {
  const claimAddress = (more: object = {}) =>
    op.set({ claims: (claims) => ({ ...claims, email: ADA, email_verified: false, ...more }) })

  /** Starts a site on which an attacker has signed in with the victim's address, unverified by the provider. */
  async function startRegistered(options: Parameters<typeof startBoth>[1] = {}) {
    const site = await startBoth(start, { config: { session: { strategy: "database" } }, ...options })
    claimAddress()
    const attacker = site.browser()
    await signIn(attacker, op)
    expect(await sessionOf(attacker)).toMatchObject({ user: { email: ADA } })
    op.reset()
    site.forget()
    return { site, attacker, owner: site.browser() }
  }

  it("signs in the owner, unlinks the attacker's account and ends the attacker's sessions", async () => {
    const { site, attacker, owner } = await startRegistered()
    const twin = attacker.clone()
    await signInByMail(site, owner, ADA)
    expect(await sessionOf(owner)).toMatchObject({ user: { email: ADA } })
    expect([await sessionOf(attacker), await sessionOf(twin), site.store.accounts]).toEqual([null, null, []])
    expect(site.failures()).toMatchObject([{ level: "warn", code: "accounts-unlinked" }])
    expect(listEvents(site)).toEqual(["updateUser", "signIn"])
    claimAddress()
    const again = site.browser()
    expect(errorOf(await signIn(again, op))).toBe("OAuthAccountNotLinked")
    expect([sessionCookies(again), site.store.sessions.size, site.store.users.size]).toEqual([[], 1, 1])
  })

  it("deletes the tokens of the attacker's account, so that the owner never uses the attacker's tokens", async () => {
    const store = MemoryStore()
    const config = { session: { strategy: "database" }, store } as const
    const { site, owner } = await startRegistered({ config })
    const [user = ""] = site.store.users.keys()
    const listTokens = () => store.list("token", createHash("sha256").update(user).digest("base64url"))
    expect(await listTokens()).toHaveLength(1)
    await signInByMail(site, owner, ADA)
    expect([await listTokens(), site.store.accounts]).toEqual([[], []])
  })

  it("unlinks the attacker's other accounts, and keeps an account whose id_token verifies the address", async () => {
    const { site, owner } = await startRegistered()
    const [user] = [...site.store.users.keys()]
    const encodeIdToken = (claims: object) => `a.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c`
    const link = (providerAccountId: string, id_token?: string) =>
      site.store.accounts.push({
        ...{ provider: "second", providerAccountId, type: "oidc", userId: user ?? "" },
        ...(id_token && { id_token }),
      })
    link("own address", encodeIdToken({ email: "attacker@evil.test", email_verified: true }))
    link("plain")
    link("proof", encodeIdToken({ email: ADA.toUpperCase(), email_verified: true }))
    await signInByMail(site, owner, ADA)
    expect(site.store.accounts.map(({ providerAccountId }) => providerAccountId)).toEqual(["proof"])
  })

  it("keeps an account that isEmailVerified of its provider accepts, and unlinks the others", async () => {
    const oidc = { isEmailVerified: (profile: Profile) => String(profile.email_verified) === "true" }
    const { site, owner } = await startRegistered({ oidc })
    const [user] = [...site.store.users.keys()]
    const encodeIdToken = (claims: object) => `a.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c`
    const id_token = encodeIdToken({ email: ADA, email_verified: "true" })
    for (const provider of ["oidc", "second", "gone"])
      site.store.accounts.push({ provider, providerAccountId: "x", type: "oidc", userId: user ?? "", id_token })
    await signInByMail(site, owner, ADA)
    expect(site.store.accounts.map(({ provider }) => provider)).toEqual(["oidc"])
  })

  it("unlinks the account if isEmailVerified throws for the id_token", async () => {
    let isOfUserinfo = true
    const isEmailVerified = () => {
      if (!isOfUserinfo) throw new TypeError("the id_token lacks a claim of userinfo")
      return true
    }
    const { site, owner } = await startRegistered({ oidc: { isEmailVerified } })
    isOfUserinfo = false
    await signInByMail(site, owner, ADA)
    expect([(await sessionOf(owner))?.user?.["email"], site.store.accounts]).toEqual([ADA, []])
  })

  it.each([
    ["false as a string", { email_verified: "false" }],
    ["false", { email_verified: false }],
  ])("unlinks accounts whose email_verified claim is %s", async (_name, claims) => {
    const site = await startBoth(start, { config: { session: { strategy: "database" } } })
    claimAddress(claims)
    await signIn(site.browser(), op)
    await signInByMail(site, site.browser(), ADA)
    expect(site.store.accounts).toEqual([])
  })

  it("keeps accounts whose email_verified claim is true, and ends their sessions", async () => {
    const site = await startBoth(start, { config: { session: { strategy: "database" } } })
    claimAddress({ email_verified: true })
    const browser = site.browser()
    await signIn(browser, op)
    await signInByMail(site, site.browser(), ADA)
    expect([site.store.accounts.length, site.store.sessions.size, site.failures()]).toEqual([1, 1, []])
    expect(await sessionOf(browser)).toBeNull()
  })

  it.each([
    ["an id_token without email_verified", { email_verified: undefined }, undefined],
    ["no id_token", {}, { id_token: undefined }],
    ["a malformed id_token", {}, { id_token: "garbage" }],
    ["an id_token that is not JSON", {}, { id_token: "a.b.c" }],
    ["an id_token of null", {}, { id_token: `a.${Buffer.from("null").toString("base64url")}.c` }],
  ])("SEC-12: unlinks accounts with %s", async (_name, claims, change) => {
    const site = await startBoth(start, { config: { session: { strategy: "database" } } })
    claimAddress(claims)
    const attacker = site.browser()
    await signIn(attacker, op)
    Object.assign(site.store.accounts[0] ?? {}, change)
    await signInByMail(site, site.browser(), ADA)
    expect([site.store.accounts, await sessionOf(attacker)]).toEqual([[], null])
  })

  it.each([
    ["keeps the account of a vendor that verifies every address", "always", false, ["oidc"]],
    [
      "unlinks the account of a vendor that verifies every address if the user has another unverified account",
      "always",
      true,
      [],
    ],
    ["unlinks the account of a vendor that verifies no address", "never", false, []],
  ] as const)("SEC-12: without a stored id_token, %s", async (_name, verifiesEmail, hasOther, left) => {
    const { site } = await startRegistered({ oidc: { verifiesEmail } })
    const [account] = site.store.accounts
    Object.assign(account ?? {}, { id_token: undefined })
    const other = { provider: "second", providerAccountId: "x", type: "oauth", userId: account?.userId ?? "" } as const
    if (hasOther) site.store.accounts.push(other)
    await signInByMail(site, site.browser(), ADA)
    expect(site.store.accounts.map(({ provider }) => provider)).toEqual(left)
  })

  it("SEC-12: lists the removed accounts to the user, and calls the confirmEmailOwner event", async () => {
    const confirmed: unknown[] = []
    const events = { confirmEmailOwner: (message: unknown) => void confirmed.push(message) }
    const { site, owner } = await startRegistered({ config: { events, session: { strategy: "database" } } })
    await askForLink(owner, ADA)
    const { location } = await owner.get(site.mail.linkTo(ADA))
    const html = await (await owner.get(location)).text()
    expect(html).toMatch(/You&#39;re signed in[\s\S]*<li>Test provider<\/li>[\s\S]*href="http[^>]*>Continue/)
    // A forged list of accounts leads to the front page.
    const [address] = location.split("?")
    expect((await owner.get(`${address}?removed=forged`)).location).toBe(`${site.app.origin}/`)
    expect(await sessionOf(owner)).toMatchObject({ user: { email: ADA } })
    expect(confirmed).toMatchObject([{ user: { email: ADA }, removed: [{ provider: "oidc" }] }])
  })

  describe("if the user has sessions and no account", () => {
    /** The user has a session without an account, as after a sign-in with a password. */
    async function startWithoutAccounts(emailVerified: Date | null = null) {
      const found = await startRegistered()
      const { store } = found.site
      store.accounts.length = 0
      for (const user of store.users.values()) store.users.set(user.id, { ...user, emailVerified })
      return found
    }

    it("ends the sessions", async () => {
      const { site, attacker, owner } = await startWithoutAccounts()
      await signInByMail(site, owner, ADA)
      expect(await sessionOf(attacker)).toBeNull()
      expect([(await sessionOf(owner))?.user?.["email"], site.store.sessions.size]).toEqual([ADA, 1])
      // Nothing was unlinked, so nothing is logged.
      expect(site.failures()).toEqual([])
    })

    it("keeps the sessions if the link is opened in a browser that is signed in as this user", async () => {
      const { site, attacker: user } = await startWithoutAccounts()
      const [session] = site.store.sessions.values()
      if (session) site.store.sessions.set("phone", { ...session, sessionToken: "phone" })
      await signInByMail(site, user, ADA)
      expect([(await sessionOf(user))?.user?.["email"], site.store.sessions.has("phone")]).toEqual([ADA, true])
    })

    it("keeps the sessions if the address was verified before", async () => {
      const { site, attacker: user, owner } = await startWithoutAccounts(new Date(0))
      await signInByMail(site, owner, ADA)
      expect(await sessionOf(user)).toMatchObject({ user: { email: ADA } })
    })
  })

  it("keeps accounts and sessions if the address was verified before", async () => {
    const { site, attacker } = await startRegistered()
    const [user] = site.store.users.values()
    if (user) site.store.users.set(user.id, { ...user, emailVerified: new Date(0) })
    await signInByMail(site, site.browser(), ADA)
    expect([site.store.accounts.length, (await sessionOf(attacker))?.user?.["email"]]).toEqual([1, ADA])
  })

  it("signs in the owner on an adapter that cannot unlink accounts", async () => {
    const { site, owner } = await startRegistered({ isPlain: true })
    await signInByMail(site, owner, ADA)
    expect(await sessionOf(owner)).toMatchObject({ user: { email: ADA } })
    expect(site.store.users.size).toBe(1)
  })

  it("does not sign in if unlinkAccount fails, and the next link does", async () => {
    let isDown = true
    const { site, attacker, owner } = await startRegistered({
      over: ({ unlinkAccount }: Adapter) => ({
        async unlinkAccount(account) {
          if (isDown) throw new Error("the store is down")
          await unlinkAccount?.(account)
        },
      }),
    })
    expect(errorOf(await signInByMail(site, owner, ADA))).toBe("Configuration")
    expect([sessionCookies(owner), listEvents(site)]).toEqual([[], []])
    isDown = false
    await openLink(owner, site.mail.linkTo(ADA))
    await signInByMail(site, owner, ADA)
    expect([(await sessionOf(owner))?.user?.["email"], await sessionOf(attacker)]).toEqual([ADA, null])
  })
})
