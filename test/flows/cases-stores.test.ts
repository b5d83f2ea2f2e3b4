/**
 * Sections E and F on every store, each served by two processes that share the store and nothing else.
 *
 * @module
 */
import type { Adapter } from "../../lib/adapters/adapter.js"
import Passkey from "../../lib/providers/passkey.js"
import type { Profile } from "../../lib/types.js"
import { describeServer, type RunningApp, type StageName, type Start } from "../support/apps.js"
import { usePasskey } from "../support/authenticator.js"
import type { Browser, Page } from "../support/browser.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { describeStores, type OpenStore, type Store } from "../support/stores.js"
import { type Breakable, breakable } from "./support/breakable.js"
import { guardProcess } from "./support/guard.js"
import { askForLink, errorOf, type Mailbox, mailbox, openLink } from "./support/mail.js"
import { finish, optionsFor, register, signIn as signInByPasskey } from "./support/passkeys.js"
import { param, type Site, sessionCookies, sessionOf, signIn, startSite } from "./support/site.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
beforeEach(() => op.reset())
afterAll(() => op.close())

const ADA = "ada@example.com"
const NOBODY = { users: 0, accounts: 0, sessions: 0, links: 0 }

/** Each store is met by another server, so that each server meets one. */
const STAGES: Readonly<Record<string, StageName>> = {
  SQLite: "Express 4",
  PostgreSQL: "Express 5",
  MariaDB: "Connect",
  memory: "Auth()",
}

const whoIs = async (browser: Browser) => (await sessionOf(browser))?.user?.["email"]

describeStores("Links, accounts and passkeys", (kind: Store) => {
  describeServer(kind.name, STAGES[kind.name] ?? "Express 5", (start: Start, stage) => {
    const time = { now: 0 }
    let store: OpenStore
    let control: Breakable
    let mail: Mailbox
    let sites: [Site, Site]
    let app: RunningApp
    let other: RunningApp

    async function open(adapter: Adapter, strategy: "database" | "jwt" = "database"): Promise<Site> {
      const providers = [op.oidc({ allowDangerousEmailAccountLinking: true }), mail.provider, Passkey]
      const config = {
        ...{ providers, adapter, rateLimit: false as const, clock: () => time.now },
        session: { strategy },
        experimental: { enableWebAuthn: true },
      }
      return startSite({ start, stage, op }, { config, sessions: "jwt" })
    }

    beforeEach(async () => {
      time.now = Date.now()
      store = await kind.create({ now: () => time.now })
      control = breakable(store.adapter)
      mail = mailbox()
      sites = [await open(control.adapter), await open(control.adapter)]
      ;[{ app }, { app: other }] = sites
    })
    afterEach(() => store.close())

    /** The link as the other process serves it. */
    const atOther = (link: string) => other.origin + new URL(link).pathname + new URL(link).search

    const visit = (at: RunningApp) => at.browser({ now: () => time.now })

    async function byMail(browser: Browser, address: string): Promise<Page> {
      await askForLink(browser, address)
      return browser.get(mail.linkTo(address))
    }

    /** The second process is at an address of its own, which those behind one address are not. */
    const NOTICES = ["callback-url-elsewhere"]
    const failures = () =>
      sites.flatMap((site) => site.failures().map(({ code }) => code)).filter((code) => !NOTICES.includes(String(code)))

    it("EML-01, EML-02, EML-06: a link that others look at stays good, and the store can't rebuild it", async () => {
      const browser = visit(app)
      await askForLink(browser, ADA)
      const link = mail.linkTo(ADA)
      expect(await store.dump()).not.toContain(param(link, "token"))
      const looks: [Browser, string, object][] = [
        [visit(app), link, { headers: { "user-agent": "Mozilla/5.0 SafeLinks" } }],
        [visit(other), atOther(link), {}],
        [visit(other), atOther(link), { method: "HEAD" }],
        [browser, link, { method: "HEAD" }],
        [browser, link, { headers: { "sec-purpose": "prefetch;prerender" } }],
      ]
      for (const [who, address, init] of looks) {
        expect((await who.request(address, init)).status).toBe(200)
        expect([sessionCookies(who), await store.counts()]).toEqual([[], { ...NOBODY, links: 1 }])
      }
      expect((await browser.get(link)).location).toBe(`${app.origin}/`)
      expect([await whoIs(browser), await store.counts()]).toEqual([ADA, { ...NOBODY, users: 1, sessions: 1 }])
      expect(failures()).toEqual([])
    })

    it("EML-04: of four links the newest works, in either process, and none afterwards", async () => {
      const links: string[] = []
      for (let i = 0; i < 4; i++) {
        await askForLink(visit(i % 2 ? app : other), ADA)
        links.push(mail.linkTo(ADA))
      }
      for (const link of links.slice(0, 3))
        expect(errorOf(await openLink(visit(other), atOther(link)))).toBe("Verification")
      expect(await store.counts()).toEqual({ ...NOBODY, links: 1 })
      const browser = visit(other)
      await openLink(browser, atOther(links[3] ?? ""))
      expect(await whoIs(browser)).toBe(ADA)
      for (const link of links) expect(errorOf(await openLink(visit(other), atOther(link)))).toBe("Verification")
      expect(await store.counts()).toEqual({ ...NOBODY, users: 1, sessions: 1 })
    })

    it("EML-05: ends in time, and signs nobody in", async () => {
      const browser = visit(app)
      await askForLink(browser, ADA)
      time.now += 86_401_000
      expect(errorOf(await openLink(browser, mail.linkTo(ADA)))).toBe("Verification")
      expect([sessionCookies(browser), (await store.counts()).users, failures()]).toEqual([[], 0, ["Verification"]])
      await byMail(browser, ADA)
      expect(await whoIs(browser)).toBe(ADA)
    })

    it("EML-17: a link that can't be stored is not sent", async () => {
      const browser = visit(app)
      control.fail("createVerificationToken")
      expect(errorOf(await askForLink(browser, ADA))).toBe("Configuration")
      expect([mail.sent, await store.counts(), failures()]).toEqual([[], NOBODY, ["AdapterError"]])
      await byMail(browser, ADA)
      expect(await whoIs(browser)).toBe(ADA)
    })

    it.each(["database", "jwt"] as const)(
      "EML-20: a link takes the place of another person's session, and merges nobody (%s)",
      async (strategy) => {
        const site = await open(control.adapter, strategy)
        const browser = visit(site.app)
        await byMail(browser, "bob@example.com")
        const old = browser.clone()
        await byMail(browser, ADA)
        expect(await whoIs(browser)).toBe(ADA)
        expect(await whoIs(old)).toBe(strategy === "database" ? undefined : "bob@example.com")
        const sessions = strategy === "database" ? 1 : 0
        expect(await store.counts()).toEqual({ ...NOBODY, users: 2, sessions })
      },
    )

    it("ACC-01: an address that only one side has proved links nothing, and one that both have links", async () => {
      await byMail(visit(app), ADA)
      for (const email_verified of [false, "false", undefined, "true", 1]) {
        op.set({ claims: (claims) => ({ ...claims, email: ADA, email_verified }) })
        const browser = visit(other)
        expect(errorOf(await signIn(browser, op))).toBe("OAuthAccountNotLinked")
        expect([sessionCookies(browser), await store.counts()]).toEqual([[], { ...NOBODY, users: 1, sessions: 1 }])
      }
      op.set({ claims: (claims) => ({ ...claims, email: ADA, email_verified: true }) })
      const browser = visit(other)
      await signIn(browser, op)
      expect([await whoIs(browser), await store.counts()]).toEqual([
        ADA,
        { ...NOBODY, users: 1, accounts: 1, sessions: 2 },
      ])
    })

    it("ACC-02: the owner of an address that somebody else registered first loses the stranger by the first link", async () => {
      const stranger = visit(app)
      op.set({ claims: (claims) => ({ ...claims, email: ADA, email_verified: false }) })
      await signIn(stranger, op)
      expect(await whoIs(stranger)).toBe(ADA)
      const owner = visit(other)
      await askForLink(owner, ADA)
      await owner.get(mail.linkTo(ADA))
      expect([await whoIs(owner), await whoIs(stranger)]).toEqual([ADA, undefined])
      expect(await store.counts()).toEqual({ ...NOBODY, users: 1, sessions: 1 })
      expect(errorOf(await signIn(stranger, op))).toBe("OAuthAccountNotLinked")
      expect(failures()).toEqual(["OAuthAccountNotLinked", "accounts-unlinked"])
    })

    it("ACC-02: nor does a passkey that was made for it sign in any more", async () => {
      const { passkey } = await register(visit(app), app.origin, { email: ADA })
      await byMail(visit(other), ADA)
      const stranger = visit(app)
      await signInByPasskey(stranger, passkey, app.origin)
      expect([await whoIs(stranger), await store.counts()]).toEqual([undefined, { ...NOBODY, users: 1, sessions: 1 }])
    })

    it("ACC-03: an account of somebody else is not linked to who is signed in", async () => {
      await signIn(visit(app), op)
      const bob = visit(other)
      await byMail(bob, "bob@example.com")
      const before = await store.counts()
      expect(errorOf(await signIn(bob, op))).toBe("OAuthAccountNotLinked")
      expect([await whoIs(bob), await store.counts()]).toEqual(["bob@example.com", before])
    })

    it("ACC-07: capitals and the form of a domain make no second person", async () => {
      op.set({ claims: (claims: Profile) => ({ ...claims, email: "Ada@BÜCHER.example", email_verified: true }) })
      await signIn(visit(app), op)
      await byMailTyped("ADA@bücher.example")
      await byMailTyped("ada@XN--BCHER-kva.example")
      expect((await store.counts()).users).toBe(1)
    })

    async function byMailTyped(typed: string): Promise<void> {
      const browser = visit(other)
      await askForLink(browser, typed)
      await browser.get(mail.sent.at(-1)?.url ?? "")
      expect(await whoIs(browser)).toMatch(/^ada@/)
    }

    it("WAN-01, WAN-04, WAN-05: an answer, or a counter, is good once, whichever process gets it", async () => {
      const { passkey } = await register(visit(app), app.origin, { email: ADA })
      const owner = visit(app)
      const { options } = await optionsFor(owner, { action: "authenticate" })
      const answer = usePasskey(passkey, options, { origin: app.origin, counter: 10 })
      const thief = owner.clone()
      await finish(owner, "authenticate", answer)
      expect([await whoIs(owner), errorOf(await finish(thief, "authenticate", answer)), await whoIs(thief)]).toEqual([
        ADA,
        "WebAuthnVerificationError",
        undefined,
      ])
      for (const counter of [9, 10]) {
        const copy = visit(other)
        expect(errorOf(await signInByPasskey(copy, passkey, other.origin, { counter }))).toBe(
          "WebAuthnVerificationError",
        )
      }
      const pair = await Promise.all(
        [app, other].map(async (at) => {
          const browser = visit(at)
          const found = await optionsFor(browser, { action: "authenticate" })
          return { browser, answer: usePasskey(passkey, found.options, { origin: at.origin, counter: 11 }) }
        }),
      )
      await Promise.all(pair.map((one) => finish(one.browser, "authenticate", one.answer)))
      const signedIn = await Promise.all(pair.map(({ browser }) => whoIs(browser)))
      expect(signedIn.filter((email) => email === ADA)).toHaveLength(1)
    })

    it("WAN-08: a passkey is not made for the address of somebody else", async () => {
      await byMail(visit(app), ADA)
      const before = await store.counts()
      const stranger = visit(other)
      const { page, passkey } = await register(stranger, other.origin, { email: ADA })
      expect([errorOf(page), sessionCookies(stranger), await store.counts()]).toEqual(["AccountNotLinked", [], before])
      await signInByPasskey(stranger, passkey, other.origin)
      expect(await whoIs(stranger)).toBeUndefined()
    })
  })
})
