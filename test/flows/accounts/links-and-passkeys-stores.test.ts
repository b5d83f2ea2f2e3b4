/**
 * Sign-in links, account linking and passkeys on every database, with two processes that share only the database.
 *
 * @module
 */
import type { Adapter } from "../../../lib/adapters/adapter.js"
import Passkey from "../../../lib/providers/passkey.js"
import type { Profile } from "../../../lib/types.js"
import { describeServer, type RunningApp, type StageName, type Start } from "../../support/apps.js"
import { usePasskey } from "../../support/authenticator.js"
import type { Browser, Page } from "../../support/browser.js"
import { describeStores, type OpenStore, type Store } from "../../support/stores.js"
import { type Breakable, breakable } from "../support/breakable.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, errorOf, type Mailbox, mailbox, openLink } from "../support/mail.js"
import { finish, optionsFor, register, signIn as signInByPasskey } from "../support/passkeys.js"
import { param, type Site, sessionCookies, sessionOf, signIn, startSite } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

const ADA = "ada@example.com"
const NO_ROWS = { users: 0, accounts: 0, sessions: 0, links: 0 }

/** Each database is tested with a different server, so that all servers are covered. */
const STAGES: Readonly<Record<string, StageName>> = {
  SQLite: "Express 4",
  PostgreSQL: "Express 5",
  MariaDB: "Connect",
  memory: "Auth()",
}

const readEmail = async (browser: Browser) => (await sessionOf(browser))?.user?.["email"]

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

    /** The link with the origin of the other process. */
    const atOther = (link: string) => other.origin + new URL(link).pathname + new URL(link).search

    const browserAt = (at: RunningApp) => at.browser({ now: () => time.now })

    async function signInByLink(browser: Browser, address: string): Promise<Page> {
      await askForLink(browser, address)
      return browser.get(mail.linkTo(address))
    }

    /** Warnings of this test setup: the two processes have different origins, unlike processes behind one origin. */
    const EXPECTED_WARNINGS = ["callback-url-other-site"]
    const failures = () =>
      sites
        .flatMap((site) => site.failures().map(({ code }) => code))
        .filter((code) => !EXPECTED_WARNINGS.includes(String(code)))

    it("EML-01, EML-02, EML-06: a link stays valid when scanners or other browsers open it, and its token is not stored in plain text", async () => {
      const browser = browserAt(app)
      await askForLink(browser, ADA)
      const link = mail.linkTo(ADA)
      expect(await store.dump()).not.toContain(param(link, "token"))
      const previews: [Browser, string, object][] = [
        [browserAt(app), link, { headers: { "user-agent": "Mozilla/5.0 SafeLinks" } }],
        [browserAt(other), atOther(link), {}],
        [browserAt(other), atOther(link), { method: "HEAD" }],
        [browser, link, { method: "HEAD" }],
        [browser, link, { headers: { "sec-purpose": "prefetch;prerender" } }],
      ]
      for (const [opener, address, init] of previews) {
        expect((await opener.request(address, init)).status).toBe(200)
        expect([sessionCookies(opener), await store.counts()]).toEqual([[], { ...NO_ROWS, links: 1 }])
      }
      expect((await browser.get(link)).location).toBe(`${app.origin}/`)
      expect([await readEmail(browser), await store.counts()]).toEqual([ADA, { ...NO_ROWS, users: 1, sessions: 1 }])
      expect(failures()).toEqual([])
    })

    it("EML-04: only the newest of four links works, in either process, and only once", async () => {
      const links: string[] = []
      for (let i = 0; i < 4; i++) {
        await askForLink(browserAt(i % 2 ? app : other), ADA)
        links.push(mail.linkTo(ADA))
      }
      for (const link of links.slice(0, 3))
        expect(errorOf(await openLink(browserAt(other), atOther(link)))).toBe("Verification")
      expect(await store.counts()).toEqual({ ...NO_ROWS, links: 1 })
      const browser = browserAt(other)
      await openLink(browser, atOther(links[3] ?? ""))
      expect(await readEmail(browser)).toBe(ADA)
      for (const link of links) expect(errorOf(await openLink(browserAt(other), atOther(link)))).toBe("Verification")
      expect(await store.counts()).toEqual({ ...NO_ROWS, users: 1, sessions: 1 })
    })

    it("EML-05: an expired link does not sign in", async () => {
      const browser = browserAt(app)
      await askForLink(browser, ADA)
      time.now += 86_401_000
      expect(errorOf(await openLink(browser, mail.linkTo(ADA)))).toBe("Verification")
      expect([sessionCookies(browser), (await store.counts()).users, failures()]).toEqual([[], 0, ["Verification"]])
      await signInByLink(browser, ADA)
      expect(await readEmail(browser)).toBe(ADA)
    })

    it("EML-17: a link that can't be stored is not sent", async () => {
      const browser = browserAt(app)
      control.fail("createVerificationToken")
      expect(errorOf(await askForLink(browser, ADA))).toBe("Configuration")
      expect([mail.sent, await store.counts(), failures()]).toEqual([[], NO_ROWS, ["AdapterError"]])
      await signInByLink(browser, ADA)
      expect(await readEmail(browser)).toBe(ADA)
    })

    it.each(["database", "jwt"] as const)(
      "EML-20: a link replaces another user's session and does not merge the users (%s)",
      async (strategy) => {
        const site = await open(control.adapter, strategy)
        const browser = browserAt(site.app)
        await signInByLink(browser, "bob@example.com")
        const old = browser.clone()
        await signInByLink(browser, ADA)
        expect(await readEmail(browser)).toBe(ADA)
        expect(await readEmail(old)).toBeUndefined()
        const sessions = strategy === "database" ? 1 : 0
        expect(await store.counts()).toEqual({ ...NO_ROWS, users: 2, sessions })
      },
    )

    it("ACC-01: links accounts by email address only if both sides have verified it", async () => {
      await signInByLink(browserAt(app), ADA)
      for (const email_verified of [false, "false", undefined, "true", 1]) {
        op.set({ claims: (claims) => ({ ...claims, email: ADA, email_verified }) })
        const browser = browserAt(other)
        expect(errorOf(await signIn(browser, op))).toBe("OAuthAccountNotLinked")
        expect([sessionCookies(browser), await store.counts()]).toEqual([[], { ...NO_ROWS, users: 1, sessions: 1 }])
      }
      op.set({ claims: (claims) => ({ ...claims, email: ADA, email_verified: true }) })
      const browser = browserAt(other)
      await signIn(browser, op)
      expect([await readEmail(browser), await store.counts()]).toEqual([
        ADA,
        { ...NO_ROWS, users: 1, accounts: 1, sessions: 2 },
      ])
    })

    it("ACC-02: the owner's first link removes the account and sessions of an attacker who registered the address first", async () => {
      const stranger = browserAt(app)
      op.set({ claims: (claims) => ({ ...claims, email: ADA, email_verified: false }) })
      await signIn(stranger, op)
      expect(await readEmail(stranger)).toBe(ADA)
      const owner = browserAt(other)
      await askForLink(owner, ADA)
      await owner.get(mail.linkTo(ADA))
      expect([await readEmail(owner), await readEmail(stranger)]).toEqual([ADA, undefined])
      expect(await store.counts()).toEqual({ ...NO_ROWS, users: 1, sessions: 1 })
      expect(errorOf(await signIn(stranger, op))).toBe("OAuthAccountNotLinked")
      expect(failures()).toEqual(["OAuthAccountNotLinked", "accounts-unlinked"])
    })

    it("ACC-02: the owner's first link disables a passkey that an attacker registered for the address", async () => {
      const { passkey } = await register(browserAt(app), app.origin, { email: ADA })
      await signInByLink(browserAt(other), ADA)
      const stranger = browserAt(app)
      await signInByPasskey(stranger, passkey, app.origin)
      expect([await readEmail(stranger), await store.counts()]).toEqual([
        undefined,
        { ...NO_ROWS, users: 1, sessions: 1 },
      ])
    })

    it("ACC-03: an account of another user is not linked to the current user", async () => {
      await signIn(browserAt(app), op)
      const bob = browserAt(other)
      await signInByLink(bob, "bob@example.com")
      const before = await store.counts()
      expect(errorOf(await signIn(bob, op))).toBe("OAuthAccountNotLinked")
      expect([await readEmail(bob), await store.counts()]).toEqual(["bob@example.com", before])
    })

    it("ACC-07: an address in another case or another domain encoding belongs to the same user", async () => {
      op.set({ claims: (claims: Profile) => ({ ...claims, email: "Ada@BÜCHER.example", email_verified: true }) })
      await signIn(browserAt(app), op)
      await signInWithTyped("ADA@bücher.example")
      await signInWithTyped("ada@XN--BCHER-kva.example")
      expect((await store.counts()).users).toBe(1)
    })

    async function signInWithTyped(typed: string): Promise<void> {
      const browser = browserAt(other)
      await askForLink(browser, typed)
      await browser.get(mail.sent.at(-1)?.url ?? "")
      expect(await readEmail(browser)).toMatch(/^ada@/)
    }

    it("WAN-01, WAN-04, WAN-05: accepts a passkey response and a signature counter once across processes", async () => {
      const { passkey } = await register(browserAt(app), app.origin, { email: ADA })
      const owner = browserAt(app)
      const { options } = await optionsFor(owner, { action: "authenticate" })
      const answer = usePasskey(passkey, options, { origin: app.origin, counter: 10 })
      const thief = owner.clone()
      await finish(owner, "authenticate", answer)
      expect([
        await readEmail(owner),
        errorOf(await finish(thief, "authenticate", answer)),
        await readEmail(thief),
      ]).toEqual([ADA, "WebAuthnVerificationError", undefined])
      for (const counter of [9, 10]) {
        const copy = browserAt(other)
        expect(errorOf(await signInByPasskey(copy, passkey, other.origin, { counter }))).toBe(
          "WebAuthnVerificationError",
        )
      }
      const pair = await Promise.all(
        [app, other].map(async (at) => {
          const browser = browserAt(at)
          const found = await optionsFor(browser, { action: "authenticate" })
          return { browser, answer: usePasskey(passkey, found.options, { origin: at.origin, counter: 11 }) }
        }),
      )
      await Promise.all(pair.map((copy) => finish(copy.browser, "authenticate", copy.answer)))
      const signedIn = await Promise.all(pair.map(({ browser }) => readEmail(browser)))
      expect(signedIn.filter((email) => email === ADA)).toHaveLength(1)
    })

    it("WAN-08: a passkey is not registered for another user's address", async () => {
      await signInByLink(browserAt(app), ADA)
      const before = await store.counts()
      const stranger = browserAt(other)
      const { page, passkey } = await register(stranger, other.origin, { email: ADA })
      expect([errorOf(page), sessionCookies(stranger), await store.counts()]).toEqual(["AccountNotLinked", [], before])
      await signInByPasskey(stranger, passkey, other.origin)
      expect(await readEmail(stranger)).toBeUndefined()
    })
  })
})
