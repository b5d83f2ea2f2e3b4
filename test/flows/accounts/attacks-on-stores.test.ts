/**
 * Attacks whose outcome depends on the adapter, run against every database.
 *
 * @module
 */
import type { AuthConfig } from "../../../lib/types.js"
import { describeServer, recordingLogger, type Start } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import type { ProviderMode } from "../../support/faulty-provider.js"
import { describeStores, type OpenStore, type Store } from "../../support/stores.js"
import { documentedConfig } from "../support/documented.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, confirmLink, errorOf, type Mailbox, mailbox } from "../support/mail.js"
import { flowCookies, named, param, sessionCookies, sessionOf, signIn, startSite, withParams } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()
const otherOp = useProvider()

const COOKIE = "authjs.session-token"
const DAY = 24 * 60 * 60 * 1000
const NOTHING = { users: 0, accounts: 0, sessions: 0, links: 0 }

const readEmail = async (browser: Browser) => (await sessionOf(browser))?.user?.["email"]

describeStores("Attacks on accounts and sessions", (kind: Store) => {
  describeServer(kind.name, "Express 5", (start: Start) => {
    let store: OpenStore
    let mail: Mailbox
    let time: { now: number }

    beforeEach(async () => {
      time = { now: Date.now() }
      store = await kind.create({ now: () => time.now })
      mail = mailbox()
    })
    afterEach(() => {
      jest.restoreAllMocks()
      return store.close()
    })

    /** An application with two providers and sign-in links. */
    async function open({ linking = false, ...more }: Partial<AuthConfig> & { linking?: boolean } = {}) {
      const flag = { allowDangerousEmailAccountLinking: linking }
      const providers = [op.oidc(flag), named(otherOp.oidc(flag), "b"), mail.provider]
      const log = recordingLogger()
      const config: Partial<AuthConfig> = {
        ...{ providers, adapter: store.adapter, logger: log.logger, clock: () => time.now, rateLimit: false },
        session: { strategy: "database" },
        ...more,
      }
      const site = await startSite({ start, stage: "Express 5", op }, { config, sessions: "jwt" })
      const failures = () => [...log.records]
      return { ...site, failures, browser: () => site.app.browser({ now: () => time.now }) }
    }

    it("ADV-10: rejects a link with a wrong token, and accepts the right token once", async () => {
      const site = await open()
      const [browser, thief] = [site.browser(), site.browser()]
      await askForLink(browser, "v@app.test")
      const link = mail.linkTo("v@app.test")
      const right = param(link, "token")
      const wrong = ["wrong", right.toUpperCase(), `${right} `, right.slice(0, -1), `${right}%`, "%", "_".repeat(64)]
      for (const token of wrong)
        expect(errorOf(await confirmLink(thief, withParams(link, { token })))).toBe("Verification")
      expect([sessionCookies(thief), await store.counts()]).toEqual([[], { ...NOTHING, links: 1 }])
      await browser.get(link)
      expect(await readEmail(browser)).toBe("v@app.test")
      expect(errorOf(await confirmLink(thief, link))).toBe("Verification")
      expect(await store.counts()).toEqual({ ...NOTHING, users: 1, sessions: 1 })
    })

    it("ADV-17: creates a new session at every sign-in and ends the session that the browser sent", async () => {
      const site = await open()
      const [victim, attacker] = [site.browser(), site.browser()]
      otherOp.set({ user: { sub: "eve", name: "Eve", email: "eve@example.com" } })
      await signIn(attacker, otherOp, { id: "b" })
      const planted = attacker.cookie(COOKIE) ?? ""
      victim.setCookie(COOKIE, planted)
      victim.setCookie(`${COOKIE}.0`, planted)
      await askForLink(victim, "v@app.test")
      await victim.get(mail.linkTo("v@app.test"))
      expect(victim.cookie(COOKIE)).not.toBe(planted)
      expect([await readEmail(victim), await sessionOf(attacker)]).toEqual(["v@app.test", null])
      // A token that was never issued does not become a session.
      const another = site.browser()
      another.setCookie(COOKIE, "chosen-by-an-attacker-and-long-enough")
      await signIn(another, op)
      expect(await store.dump()).not.toContain("chosen-by-an-attacker")
      const before = another.clone()
      await signIn(another, op)
      expect(another.cookie(COOKIE)).not.toBe(before.cookie(COOKIE))
      expect([await sessionOf(before), await readEmail(another)]).toEqual([null, "alice@example.com"])
      expect((await store.counts()).sessions).toBe(2)
    })

    it.each<[string, (owner: Browser) => Promise<unknown>]>([
      ["a sign-in with a provider that verifies it", (owner) => signIn(owner, op)],
      [
        "a sign-in link",
        async (owner) => {
          await askForLink(owner, "alice@example.com")
          return owner.get(mail.linkTo("alice@example.com"))
        },
      ],
    ])(
      "ADV-23: an account with an unverified address is removed when the owner verifies the address by %s",
      async (_way, prove) => {
        const site = await open({ linking: true })
        const attacker = site.browser()
        const unverified = { sub: "eve", name: "Eve", email: "alice@example.com", email_verified: false }
        otherOp.set({ user: unverified })
        await signIn(attacker, otherOp, { id: "b" })
        expect(await readEmail(attacker)).toBe("alice@example.com")
        // The owner verifies the address: the unverified account and its sessions are gone.
        const owner = site.browser()
        await prove(owner)
        expect([await readEmail(owner), await sessionOf(attacker)]).toEqual(["alice@example.com", null])
        expect(errorOf(await signIn(site.browser(), otherOp, { id: "b" }))).toBe("OAuthAccountNotLinked")
        await signIn(owner, op)
        expect(await store.counts()).toEqual({ users: 1, accounts: 1, sessions: 1, links: 0 })
      },
    )

    it("ADV-26: a deleted user is signed out at once", async () => {
      const site = await open()
      const [browser, elsewhere] = [site.browser(), site.browser()]
      await signIn(browser, op)
      await signIn(elsewhere, op)
      const session = await store.adapter.getSessionAndUser?.(browser.cookie(COOKIE) ?? "")
      expect(session?.user.email).toBe("alice@example.com")
      await store.adapter.deleteUser?.(session?.user.id ?? "")
      for (const one of [browser, elsewhere]) {
        expect([await sessionOf(one), await (await one.get("/auth/session")).json()]).toEqual([null, null])
        expect(sessionCookies(one)).toEqual([])
      }
      expect(await store.counts()).toEqual(NOTHING)
      await signIn(browser, op)
      expect(await readEmail(browser)).toBe("alice@example.com")
    })

    it("ADV-26: with the documented callbacks, a deleted user's JWT session ends within five minutes", async () => {
      const { adapter } = store
      const { callbacks = {}, session } = documentedConfig("docs/accounts.md", "adapter.getUser", { adapter })
      const site = await open({ callbacks, ...(session && { session }) })
      const [browser, staying] = [site.browser(), site.browser()]
      await signIn(browser, op)
      otherOp.set({ user: { sub: "bob", name: "Bob", email: "bob@example.com" } })
      await signIn(staying, otherOp, { id: "b" })
      const thief = browser.clone()
      await adapter.deleteUser?.((await adapter.getUserByEmail?.("alice@example.com"))?.id ?? "")
      const realNow = Date.now
      jest.spyOn(Date, "now").mockImplementation(() => realNow() + 5 * 60_000)
      for (const one of [browser, thief]) expect([await sessionOf(one), sessionCookies(one)]).toEqual([null, []])
      expect(await readEmail(staying)).toBe("bob@example.com")
    })

    it("ADV-30: deletes an expired session and does not extend it", async () => {
      const site = await open({ session: { strategy: "database", maxAge: 30 * 24 * 3600, updateAge: 0 } })
      const browser = site.browser()
      await signIn(browser, op)
      const token = browser.cookie(COOKIE) ?? ""
      time.now += 30 * DAY + 1000
      const thief = site.browser()
      thief.setCookie(COOKIE, token)
      const page = await thief.get("/auth/session")
      expect([await page.json(), thief.cookie(COOKIE)]).toEqual([null, undefined])
      expect((await store.counts()).sessions).toBe(0)
    })

    it("OID-01, OID-08, OID-11, OID-16: writes nothing to the database for a rejected id_token", async () => {
      const site = await open()
      const browser = site.browser()
      const modes: ProviderMode[] = [
        { sig: "other-key" },
        { claims: (claims) => ({ ...claims, aud: "other" }) },
        { claims: ({ sub: _, ...claims }) => claims },
        { claims: (claims) => ({ ...claims, nonce: "n".repeat(43) }) },
      ]
      for (const [i, mode] of modes.entries()) {
        op.reset()
        op.set(mode)
        expect(errorOf(await signIn(browser, op))).toBe("OAuthCallbackError")
        expect([sessionCookies(browser), flowCookies(browser), site.failures().length]).toEqual([[], [], i + 1])
        expect(await store.counts()).toEqual(NOTHING)
      }
      op.reset()
      await signIn(browser, op)
      expect(await store.counts()).toEqual({ users: 1, accounts: 1, sessions: 1, links: 0 })
    })

    it("OID-51: keeps users apart whose subs differ only in case, spaces or accents", async () => {
      const site = await open()
      const subs = ["alice", "Alice", "ALICE", "alice ", " alice", "\u00e1lice", "a\u0301lice", "alice\u200b", "al%ce"]
      const users = subs.map((sub, i) => ({ sub, name: `Person ${i}`, email: `person-${i}@example.com` }))
      for (const _ of [1, 2])
        for (const user of users) {
          op.set({ user })
          const browser = site.browser()
          await signIn(browser, op)
          expect(await readEmail(browser)).toBe(user.email)
        }
      // The same sub at another provider is another user.
      otherOp.set({ user: { sub: "alice", name: "Another", email: "another@example.com" } })
      const browser = site.browser()
      await signIn(browser, otherOp, { id: "b" })
      expect(await readEmail(browser)).toBe("another@example.com")
      const counts = await store.counts()
      expect([counts.users, counts.accounts]).toEqual([subs.length + 1, subs.length + 1])
      expect(site.failures()).toEqual([])
    })
  })
})
