/** An unverified address does not lock out its owner, who does not inherit accounts that were linked before. */
import type { Adapter } from "../../../lib/adapters/adapter.js"
import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import { changeEmail } from "../../../lib/index.js"
import Passkey from "../../../lib/providers/passkey.js"
import type { AuthConfig } from "../../../lib/types.js"
import { describeServer, TEST_SECRET } from "../../support/apps.js"
import { describeStores, type OpenStore } from "../../support/stores.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, errorOf, mailbox } from "../support/mail.js"
import { register, startPasskeySite } from "../support/passkeys.js"
import { named, sessionOf, signIn } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

const ADA = "ada@example.com"

const claimAddress = (email_verified: boolean) =>
  op.set({ claims: (claims) => ({ ...claims, email: ADA, email_verified }) })

describeServer("An unverified address", "Auth()", (start) => {
  const mail = mailbox()
  const linkingProvider = () => named(op.oidc({ allowDangerousEmailAccountLinking: true }), "flagged")

  /** A site on which an attacker has registered a passkey for Ada's address. */
  async function startSquatted(config: Partial<AuthConfig> = {}) {
    const providers = [Passkey, op.oidc(), linkingProvider(), mail.provider]
    const site = await startPasskeySite(start, { providers, session: { strategy: "database" }, ...config })
    const attacker = site.app.browser()
    const { passkey } = await register(attacker, site.app.origin, { email: ADA })
    const [user] = [await site.adapter.getUserByEmail(ADA)]
    return { ...site, attacker, passkey, attackerId: String(user?.id), owner: site.app.browser() }
  }

  const readEmail = async (browser: Parameters<typeof sessionOf>[0]) => (await sessionOf(browser))?.user?.["email"]

  it("SEC-15: is no longer unverified once an account verifies it, and blocks sign-ins by other accounts", async () => {
    const { app, adapter } = await startPasskeySite(start, {
      providers: [op.oidc(), named(op.oidc(), "second"), mail.provider],
    })
    claimAddress(true)
    await signIn(app.browser(), op)
    expect(errorOf(await signIn(app.browser(), op, { id: "second" }))).toBe("OAuthAccountNotLinked")
    expect(await adapter.getUserByEmail(ADA)).not.toBeNull()
  })

  it("SEC-12: an account that a custom adapter linked without emailVerified does not verify the address", async () => {
    const providers = [op.oidc({ verifiesEmail: "always" }), mail.provider]
    const { app, adapter } = await startPasskeySite(start, { providers, session: { strategy: "database" } })
    const { id } = await adapter.createUser({ id: "", email: ADA, emailVerified: null })
    await adapter.linkAccount({ provider: "oidc", providerAccountId: "eve", type: "oidc", userId: id })
    const owner = app.browser()
    await askForLink(owner, ADA)
    await owner.get(mail.linkTo(ADA))
    expect([await readEmail(owner), await adapter.listAccountsByUserId(id)]).toEqual([ADA, []])
  })

  it("SEC-12: the attacker's passkeys are removed on an adapter that cannot list accounts", async () => {
    const { listAccountsByUserId: _, transaction: __, ...plain } = MemoryAdapter()
    const { app, records } = await startPasskeySite(start, {
      ...{ adapter: plain, providers: [Passkey, mail.provider] },
      session: { strategy: "database" },
    })
    const attacker = app.browser()
    await register(attacker, app.origin, { email: ADA })
    const user = await plain.getUserByEmail(ADA)
    const owner = app.browser()
    await askForLink(owner, ADA)
    await owner.get(mail.linkTo(ADA))
    expect([await readEmail(owner), await sessionOf(attacker)]).toEqual([ADA, null])
    expect(await plain.listAuthenticatorsByUserId(String(user?.id))).toEqual([])
    expect(records.map(({ code }) => code)).toContain("accounts-unchecked")
  })

  it("SEC-15: maxAccountsPerUser limits the accounts and passkeys of a user", async () => {
    const { attacker, app, adapter, attackerId } = await startSquatted({ maxAccountsPerUser: 2 })
    await register(attacker, app.origin)
    const { page } = await register(attacker, app.origin)
    expect(errorOf(page)).toBe("AccountNotLinked")
    expect(errorOf(await signIn(attacker, op))).toBe("OAuthAccountNotLinked")
    expect(await adapter.listAccountsByUserId(attackerId)).toHaveLength(2)
  })

  it("SEC-16: results from changeEmail with any adapter, which emits the updateUser event", async () => {
    const { updateUser, ...rest } = MemoryAdapter()
    const changes: unknown[] = []
    // Adapters of Auth.js keep emailVerified.
    const adapter: Adapter = {
      ...rest,
      updateUser: async (change) => {
        changes.push(change)
        return updateUser({ emailVerified: new Date(0), ...change })
      },
    }
    const updates: unknown[] = []
    const events = { updateUser: (message: unknown) => void updates.push(message) }
    const config = { adapter, providers: [mail.provider], secret: TEST_SECRET, events }
    const { id } = await rest.createUser({ id: "", email: ADA, emailVerified: new Date(0) })
    const changed = await changeEmail(config, id, " Eve@Bücher.Example ")
    expect(changed).toMatchObject({ id, email: "eve@xn--bcher-kva.example", emailVerified: null })
    expect(updates).toEqual([{ user: changed }])
    await expect(changeEmail(config, id, "no address")).rejects.toThrow("is not a single address")
    await expect(changeEmail(config, "", "eve@example.com")).rejects.toThrow("changeEmail needs the user's id")
    expect(changes).toHaveLength(1)
  })

  it("CVE-2026-32700: two concurrent changes never mark an address as verified by a link to another one", async () => {
    const adapter = MemoryAdapter()
    const site = await startPasskeySite(start, { adapter, providers: [mail.provider] })
    const { id } = await adapter.createUser({ id: "", email: "eve@example.com", emailVerified: new Date(0) })
    const config = { adapter, providers: [mail.provider], secret: TEST_SECRET }
    const browser = site.app.browser()
    // The link is sent to the attacker's address, and the last change sets the victim's address.
    await askForLink(browser, "eve2@example.com")
    await Promise.all([changeEmail(config, id, "eve2@example.com"), changeEmail(config, id, ADA)])
    await browser.get(mail.linkTo("eve2@example.com"))
    const owner = await adapter.getUserByEmail(ADA)
    expect(owner).toMatchObject({ id, emailVerified: null })
    expect(await sessionOf(browser)).toMatchObject({ user: { email: "eve2@example.com" } })
  })

  it("SEC-17: callbacks.signIn gets the stored user, not the user of the provider's profile", async () => {
    const calls: unknown[] = []
    const callbacks: AuthConfig["callbacks"] = {
      signIn({ user, email }) {
        if (!email) calls.push(user.id)
        return user.name !== "banned"
      },
    }
    const site = await startPasskeySite(start, { providers: [linkingProvider(), mail.provider], callbacks })
    const banned = { id: "7", name: "banned", email: ADA, emailVerified: new Date(0) }
    await site.adapter.createUser(banned)
    claimAddress(true)
    const browser = site.app.browser()
    expect(errorOf(await signIn(browser, op, { id: "flagged" }))).toBe("AccessDenied")
    expect([await sessionOf(browser), calls]).toEqual([null, ["7"]])
    expect(await site.adapter.listAccountsByUserId("7")).toEqual([])
  })

  it("SEC-17: callbacks.signIn gets the new user, and is not called for a refused sign-in", async () => {
    const calls: unknown[] = []
    const callbacks: AuthConfig["callbacks"] = { signIn: ({ user }) => calls.push(user.email) > 0 }
    const site = await startPasskeySite(start, { providers: [op.oidc(), named(op.oidc(), "second")], callbacks })
    claimAddress(true)
    await signIn(site.app.browser(), op)
    await signIn(site.app.browser(), op, { id: "second" })
    expect(calls).toEqual([ADA])
  })
})

describeStores("An unverified address", (kind) => {
  describeServer(kind.name, "Express 5", (start) => {
    const mail = mailbox()
    let store: OpenStore
    beforeEach(async () => {
      store = await kind.create()
    })
    afterEach(() => store.close())

    /** A site on which an attacker has registered a passkey for Ada's address. */
    async function startSquatted() {
      const linkingProvider = named(op.oidc({ allowDangerousEmailAccountLinking: true }), "flagged")
      const providers = [Passkey, op.oidc(), linkingProvider, mail.provider]
      const { app } = await startPasskeySite(start, {
        ...{ providers, adapter: store.adapter },
        session: { strategy: "database" },
      })
      const attacker = app.browser()
      await register(attacker, app.origin, { email: ADA })
      const attackerId = String((await store.adapter.getUserByEmail(ADA))?.id)
      return { attacker, attackerId, owner: app.browser() }
    }

    it("SEC-15: moves to a new user whose provider has verified it", async () => {
      const { owner, attacker, attackerId } = await startSquatted()
      claimAddress(true)
      await signIn(owner, op)
      expect(await sessionOf(owner)).toMatchObject({ user: { email: ADA } })
      expect((await store.adapter.getUserByEmail(ADA))?.id).not.toBe(attackerId)
      expect((await store.adapter.getUser(attackerId))?.email ?? null).toBeNull()
      expect((await sessionOf(attacker))?.user?.["email"] ?? null).toBeNull()
    })

    it("SEC-15: goes to the owner if the provider may link by email, and the attacker's passkey is removed", async () => {
      const { owner, attacker, attackerId } = await startSquatted()
      claimAddress(true)
      await signIn(owner, op, { id: "flagged" })
      expect([await sessionOf(owner), await sessionOf(attacker)]).toMatchObject([{ user: { email: ADA } }, null])
      const user = await store.adapter.getUserByEmail(ADA)
      expect([user?.id, user?.emailVerified]).toEqual([attackerId, expect.any(Date)])
      const accounts = await store.adapter.listAccountsByUserId(attackerId)
      expect(accounts.map(({ provider }) => provider)).toEqual(["flagged"])
      expect(await store.adapter.listAuthenticatorsByUserId(attackerId)).toEqual([])
    })

    it("SEC-15: a user whose provider has not verified it signs in without an email address", async () => {
      const { owner, attackerId } = await startSquatted()
      claimAddress(false)
      await signIn(owner, op)
      const session = await sessionOf(owner)
      expect([session === null, session?.user?.["email"] ?? null]).toEqual([false, null])
      expect((await store.adapter.getUserByEmail(ADA))?.id).toBe(attackerId)
      // The same account finds the same user again.
      await signIn(owner, op)
      expect(await store.adapter.listAccountsByUserId(attackerId)).toHaveLength(1)
    })

    it("SEC-16: results from a change of the address, and the owner's link ends the sessions of the user who changed it", async () => {
      const { owner, attacker, attackerId } = await startSquatted()
      await store.adapter.updateUser({ id: attackerId, emailVerified: new Date() })
      await store.adapter.updateUser({ id: attackerId, email: "victim@example.com" })
      await askForLink(owner, "victim@example.com")
      await owner.get(mail.linkTo("victim@example.com"))
      expect(await sessionOf(owner)).toMatchObject({ user: { email: "victim@example.com" } })
      expect([await sessionOf(attacker), await store.adapter.listAccountsByUserId(attackerId)]).toEqual([null, []])
    })
  })
})
