/** An address that was never proved keeps no owner out, and gives a new owner nothing that was attached to it before. */
import type { Adapter } from "../../lib/adapters/adapter.js"
import { MemoryAdapter } from "../../lib/adapters/memory.js"
import { changeEmail } from "../../lib/index.js"
import Passkey from "../../lib/providers/passkey.js"
import type { AuthConfig } from "../../lib/types.js"
import { describeServer, TEST_SECRET } from "../support/apps.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { describeStores, type OpenStore } from "../support/stores.js"
import { guardProcess } from "./support/guard.js"
import { askForLink, errorOf, mailbox } from "./support/mail.js"
import { register, startPasskeySite } from "./support/passkeys.js"
import { named, sessionOf, signIn } from "./support/site.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
beforeEach(() => op.reset())
afterAll(() => op.close())

const ADA = "ada@example.com"

const verified = (email_verified: boolean) =>
  op.set({ claims: (claims) => ({ ...claims, email: ADA, email_verified }) })

describeServer("An address that was never proved", "Auth()", (start) => {
  const mail = mailbox()
  const flagged = () => named(op.oidc({ allowDangerousEmailAccountLinking: true }), "flagged")

  /** A site on which a stranger has registered a passkey for Ada's address. */
  async function squatted(config: Partial<AuthConfig> = {}) {
    const providers = [Passkey, op.oidc(), flagged(), mail.provider]
    const site = await startPasskeySite(start, { providers, session: { strategy: "database" }, ...config })
    const stranger = site.app.browser()
    const { passkey } = await register(stranger, site.app.origin, { email: ADA })
    const [user] = [await site.adapter.getUserByEmail(ADA)]
    return { ...site, stranger, passkey, strangerId: String(user?.id), owner: site.app.browser() }
  }

  const emailAt = async (browser: Parameters<typeof sessionOf>[0]) => (await sessionOf(browser))?.user?.["email"]

  it("SEC-15: moves to the user of a provider that verified it, who starts without the stranger's user", async () => {
    const { owner, stranger, adapter, strangerId } = await squatted()
    verified(true)
    await signIn(owner, op)
    expect(await emailAt(owner)).toBe(ADA)
    expect((await adapter.getUserByEmail(ADA))?.id).not.toBe(strangerId)
    expect((await adapter.getUser(strangerId))?.email).toBeNull()
    expect(await emailAt(stranger)).toBeNull()
  })

  it("SEC-15: is the owner's by a provider that may link, which unlinks what the stranger made", async () => {
    const { owner, stranger, adapter, strangerId } = await squatted()
    verified(true)
    await signIn(owner, op, { id: "flagged" })
    expect([await emailAt(owner), await sessionOf(stranger)]).toEqual([ADA, null])
    const user = await adapter.getUserByEmail(ADA)
    expect([user?.id, user?.emailVerified]).toEqual([strangerId, expect.any(Date)])
    const accounts = await adapter.listAccountsByUserId(strangerId)
    expect(accounts.map(({ provider }) => provider)).toEqual(["flagged"])
    expect(await adapter.listAuthenticatorsByUserId(strangerId)).toEqual([])
  })

  it("SEC-15: keeps out no user of a provider that verifies none, who gets in without it", async () => {
    const { owner, adapter, strangerId } = await squatted()
    verified(false)
    await signIn(owner, op)
    const session = await sessionOf(owner)
    expect([session === null, session?.user?.["email"] ?? null]).toEqual([false, null])
    expect((await adapter.getUserByEmail(ADA))?.id).toBe(strangerId)
    // The same account finds the same user again.
    await signIn(owner, op)
    expect(await adapter.listAccountsByUserId(strangerId)).toHaveLength(1)
  })

  it("SEC-15: blocks and attracts once an account proves it", async () => {
    const { app, adapter } = await startPasskeySite(start, {
      providers: [op.oidc(), named(op.oidc(), "second"), mail.provider],
    })
    verified(true)
    await signIn(app.browser(), op)
    expect(errorOf(await signIn(app.browser(), op, { id: "second" }))).toBe("OAuthAccountNotLinked")
    expect(await adapter.getUserByEmail(ADA)).not.toBeNull()
  })

  it("SEC-12: an account of an own adapter without a record proves nothing, whatever its provider verifies", async () => {
    const providers = [op.oidc({ provesEmail: "always" }), mail.provider]
    const { app, adapter } = await startPasskeySite(start, { providers, session: { strategy: "database" } })
    const { id } = await adapter.createUser({ id: "", email: ADA, emailVerified: null })
    await adapter.linkAccount({ provider: "oidc", providerAccountId: "eve", type: "oidc", userId: id })
    const owner = app.browser()
    await askForLink(owner, ADA)
    await owner.get(mail.linkTo(ADA))
    expect([await emailAt(owner), await adapter.listAccountsByUserId(id)]).toEqual([ADA, []])
  })

  it("SEC-12: passkeys are removed on a store that can't list accounts, too", async () => {
    const { listAccountsByUserId: _, transaction: __, ...plain } = MemoryAdapter()
    const { app, records } = await startPasskeySite(start, {
      ...{ adapter: plain, providers: [Passkey, mail.provider] },
      session: { strategy: "database" },
    })
    const stranger = app.browser()
    await register(stranger, app.origin, { email: ADA })
    const user = await plain.getUserByEmail(ADA)
    const owner = app.browser()
    await askForLink(owner, ADA)
    await owner.get(mail.linkTo(ADA))
    expect([await emailAt(owner), await sessionOf(stranger)]).toEqual([ADA, null])
    expect(await plain.listAuthenticatorsByUserId(String(user?.id))).toEqual([])
    expect(records.map(({ code }) => code)).toContain("accounts-unchecked")
  })

  it("SEC-15: limits how many accounts and passkeys a user connects", async () => {
    const { stranger, app, adapter, strangerId } = await squatted({ maxAccountsPerUser: 2 })
    await register(stranger, app.origin)
    const { page } = await register(stranger, app.origin)
    expect(errorOf(page)).toBe("AccountNotLinked")
    expect(errorOf(await signIn(stranger, op))).toBe("OAuthAccountNotLinked")
    expect(await adapter.listAccountsByUserId(strangerId)).toHaveLength(2)
  })

  it("SEC-16: is what a changed address is, and its owner shares no user with the changer", async () => {
    const { app, adapter, stranger } = await squatted()
    await askForLink(stranger, ADA)
    await stranger.get(mail.linkTo(ADA))
    const user = await adapter.getUserByEmail(ADA)
    expect(user?.emailVerified).toBeInstanceOf(Date)
    await adapter.updateUser({ id: String(user?.id), email: "victim@example.com" })
    const victim = app.browser()
    await askForLink(victim, "victim@example.com")
    await victim.get(mail.linkTo("victim@example.com"))
    expect([await emailAt(victim), await sessionOf(stranger)]).toEqual(["victim@example.com", null])
    expect(await adapter.listAccountsByUserId(String(user?.id))).toEqual([])
  })

  it("SEC-16: changeEmail makes the address unproved on any adapter, and informs the application", async () => {
    const { updateUser, ...rest } = MemoryAdapter()
    const changes: unknown[] = []
    // An adapter of Auth.js keeps the proof.
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
    await expect(changeEmail(config, id, "no address")).rejects.toThrow("is no single address")
    await expect(changeEmail(config, "", "eve@example.com")).rejects.toThrow("changeEmail needs the user's id")
    expect(changes).toHaveLength(1)
  })

  it("SEC-17: asks callbacks.signIn about the user who is signed in, not about the provider's", async () => {
    const asked: unknown[] = []
    const callbacks: AuthConfig["callbacks"] = {
      signIn({ user, email }) {
        if (!email) asked.push(user.id)
        return user.name !== "banned"
      },
    }
    const site = await startPasskeySite(start, { providers: [flagged(), mail.provider], callbacks })
    const banned = { id: "7", name: "banned", email: ADA, emailVerified: new Date(0) }
    await site.adapter.createUser(banned)
    verified(true)
    const browser = site.app.browser()
    expect(errorOf(await signIn(browser, op, { id: "flagged" }))).toBe("AccessDenied")
    expect([await sessionOf(browser), asked]).toEqual([null, ["7"]])
    expect(await site.adapter.listAccountsByUserId("7")).toEqual([])
  })

  it("SEC-17: asks about the new user where there is none yet, and not about a refused sign-in", async () => {
    const asked: unknown[] = []
    const callbacks: AuthConfig["callbacks"] = { signIn: ({ user }) => asked.push(user.email) > 0 }
    const site = await startPasskeySite(start, { providers: [op.oidc(), named(op.oidc(), "second")], callbacks })
    verified(true)
    await signIn(site.app.browser(), op)
    await signIn(site.app.browser(), op, { id: "second" })
    expect(asked).toEqual([ADA])
  })
})

describeStores("An address that was never proved", (kind) => {
  describeServer(kind.name, "Express 5", (start) => {
    const mail = mailbox()
    let store: OpenStore
    beforeEach(async () => {
      store = await kind.create()
    })
    afterEach(() => store.close())

    /** A site on which a stranger has registered a passkey for Ada's address. */
    async function squatted() {
      const flagged = named(op.oidc({ allowDangerousEmailAccountLinking: true }), "flagged")
      const providers = [Passkey, op.oidc(), flagged, mail.provider]
      const { app } = await startPasskeySite(start, {
        ...{ providers, adapter: store.adapter },
        session: { strategy: "database" },
      })
      const stranger = app.browser()
      await register(stranger, app.origin, { email: ADA })
      const strangerId = String((await store.adapter.getUserByEmail(ADA))?.id)
      return { stranger, strangerId, owner: app.browser() }
    }

    it("SEC-15: moves to the user of a provider that verified it", async () => {
      const { owner, strangerId } = await squatted()
      verified(true)
      await signIn(owner, op)
      expect(await sessionOf(owner)).toMatchObject({ user: { email: ADA } })
      expect((await store.adapter.getUserByEmail(ADA))?.id).not.toBe(strangerId)
      expect((await store.adapter.getUser(strangerId))?.email ?? null).toBeNull()
    })

    it("SEC-15: is the owner's by a provider that may link, which unlinks what the stranger made", async () => {
      const { owner, stranger, strangerId } = await squatted()
      verified(true)
      await signIn(owner, op, { id: "flagged" })
      expect([await sessionOf(owner), await sessionOf(stranger)]).toMatchObject([{ user: { email: ADA } }, null])
      const accounts = await store.adapter.listAccountsByUserId(strangerId)
      expect(accounts.map(({ provider }) => provider)).toEqual(["flagged"])
      expect(await store.adapter.listAuthenticatorsByUserId(strangerId)).toEqual([])
    })

    it("SEC-15: keeps out no user of a provider that verifies none", async () => {
      const { owner, strangerId } = await squatted()
      verified(false)
      await signIn(owner, op)
      expect(await sessionOf(owner)).not.toBeNull()
      expect((await store.adapter.getUserByEmail(ADA))?.id).toBe(strangerId)
    })

    it("SEC-16: is what a changed address is, whose owner shares no user with the changer", async () => {
      const { owner, stranger, strangerId } = await squatted()
      await store.adapter.updateUser({ id: strangerId, emailVerified: new Date() })
      await store.adapter.updateUser({ id: strangerId, email: "victim@example.com" })
      await askForLink(owner, "victim@example.com")
      await owner.get(mail.linkTo("victim@example.com"))
      expect(await sessionOf(owner)).toMatchObject({ user: { email: "victim@example.com" } })
      expect([await sessionOf(stranger), await store.adapter.listAccountsByUserId(strangerId)]).toEqual([null, []])
    })
  })
})
