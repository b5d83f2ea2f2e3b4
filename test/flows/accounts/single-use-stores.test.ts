/**
 * Single-use responses on every database, with two processes behind one origin that share only the database.
 *
 * @module
 */
import Passkey from "../../../lib/providers/passkey.js"
import { describeServer, type RunningApp, type Start } from "../../support/apps.js"
import { usePasskey } from "../../support/authenticator.js"
import type { Browser } from "../../support/browser.js"
import { describeStores, type OpenStore, type Store } from "../../support/stores.js"
import { type Breakable, breakable } from "../support/breakable.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, errorOf, type Mailbox, mailbox } from "../support/mail.js"
import { finish, optionsFor, register, signIn as signInByPasskey } from "../support/passkeys.js"
import { openCallback, type Site, sessionCookies, signIn, startAndApprove, startSite } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()
beforeEach(() => {
  op.requests.length = 0
})

const ADA = "ada@example.com"
const ORIGIN = "http://app.test"
const ONE_USER = { users: 1, accounts: 1, sessions: 1, links: 0 }

describeStores("Single-use responses", (kind: Store) => {
  describeServer(kind.name, "Express 5", (start: Start, stage) => {
    let store: OpenStore
    let control: Breakable
    let mail: Mailbox
    let sites: readonly [Site, Site]
    let app: RunningApp
    let other: RunningApp

    const open = (): Promise<Site> => {
      const config = {
        ...{ providers: [op.oidc(), mail.provider, Passkey], adapter: control.adapter, rateLimit: false as const },
        session: { strategy: "database" as const },
        experimental: { enableWebAuthn: true },
      }
      // The provider accepts a code more than once.
      return startSite({ start, stage, op }, { config, sessions: "jwt", origin: ORIGIN, mode: { reusableCodes: true } })
    }

    beforeEach(async () => {
      store = await kind.create()
      control = breakable(store.adapter)
      mail = mailbox()
      sites = [await open(), await open()]
      ;[{ app }, { app: other }] = sites
    })
    afterEach(() => store.close())

    /** The most specific codes of the logged problems. */
    const failures = () =>
      sites.flatMap((site) => site.failures().map(({ code, error }) => Object(error).messageCode ?? code))

    /** A browser with the same cookies at the other process. */
    function copyToOther(browser: Browser): Browser {
      const copy = other.browser()
      for (const { name, value } of browser.cookies()) copy.setCookie(name, value)
      return copy
    }

    it("FLT-10: an authorization response is accepted once across processes, and its code is sent once", async () => {
      const browser = app.browser()
      const back = await startAndApprove(browser, op)
      const thief = copyToOther(browser)
      await openCallback(browser, op, back)
      expect(errorOf(await openCallback(thief, op, back))).toBe("OAuthCallbackError")
      expect([sessionCookies(browser).length, sessionCookies(thief), op.count("/token")]).toEqual([1, [], 1])
      expect([await store.counts(), failures()]).toEqual([ONE_USER, ["flow-finished"]])
    })

    it("FLT-10: an error response of the provider is accepted once across processes", async () => {
      op.set({ authorizationResponse: ({ state, iss }) => ({ state, iss, error: "access_denied" }) })
      const browser = app.browser()
      const back = await startAndApprove(browser, op)
      const thief = copyToOther(browser)
      await openCallback(browser, op, back)
      await openCallback(thief, op, back)
      expect([failures(), op.count("/token")]).toEqual([["sign-in-cancelled", "flow-finished"], 0])
    })

    it("WAN-01: a response of a passkey without a counter is accepted once across processes", async () => {
      const { passkey } = await register(app.browser(), ORIGIN, { email: ADA })
      const browser = app.browser()
      const { options } = await optionsFor(browser, { action: "authenticate" })
      const answer = usePasskey(passkey, options, { origin: ORIGIN, counter: 0 })
      const thief = copyToOther(browser)
      await finish(browser, "authenticate", answer)
      expect(errorOf(await finish(thief, "authenticate", answer))).toBe("WebAuthnVerificationError")
      expect([sessionCookies(browser).length, sessionCookies(thief)]).toEqual([1, []])
      expect([await store.counts(), failures()]).toEqual([{ ...ONE_USER, sessions: 2 }, ["passkey-refused"]])
      expect(sites[1].logText()).toContain("was already used")
    })

    it("FLT-10, FLT-14: a provider sign-in fails if the store fails, and the next attempt works", async () => {
      const browser = app.browser()
      const back = await startAndApprove(browser, op)
      control.fail("store.set")
      expect(errorOf(await openCallback(browser, op, back))).toBe("Configuration")
      expect([sessionCookies(browser), op.count("/token"), failures()]).toEqual([[], 0, ["adapter-failed"]])
      expect(await store.counts()).toEqual({ users: 0, accounts: 0, sessions: 0, links: 0 })
      await signIn(browser, op)
      expect([sessionCookies(browser).length, await store.counts()]).toEqual([1, ONE_USER])
    })

    it("WAN-01, FLT-14: a passkey sign-in fails if the store fails, and the next attempt works", async () => {
      const { passkey } = await register(app.browser(), ORIGIN, { email: ADA })
      const browser = app.browser()
      control.fail("store.set")
      expect(errorOf(await signInByPasskey(browser, passkey, ORIGIN))).toBe("Configuration")
      expect([sessionCookies(browser), failures(), await store.counts()]).toEqual([[], ["adapter-failed"], ONE_USER])
      await signInByPasskey(browser, passkey, ORIGIN)
      expect([sessionCookies(browser).length, await store.counts()]).toEqual([1, { ...ONE_USER, sessions: 2 }])
    })

    it("FLT-10: forged sign-in links do not remove the record of a used response", async () => {
      const browser = app.browser()
      const back = await startAndApprove(browser, op)
      const thief = copyToOther(browser)
      await openCallback(browser, op, back)
      const before = await store.dump()
      const stranger = app.browser()
      for (const email of ["once", ""]) {
        const link = `/auth/callback/mail?${new URLSearchParams({ token: "0".repeat(64), email })}`
        const page = await stranger.get(link)
        if (page.status === 200) await stranger.submit(stranger.form(await page.text()))
        await askForLink(stranger, email)
      }
      expect([mail.sent, await store.dump()]).toEqual([[], before])
      expect(errorOf(await openCallback(thief, op, back))).toBe("OAuthCallbackError")
      expect(op.count("/token")).toBe(1)
    })
  })
})
