/** The changes on this package's pages that require an authentication within the last ten minutes (ASVS 7.5.1). */
import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import Credentials from "../../../lib/providers/credentials.js"
import Passkey from "../../../lib/providers/passkey.js"
import type { AuthConfig } from "../../../lib/types.js"
import { describeServers, recordingLogger, type Start, TEST_SECRET } from "../../support/apps.js"
import { createPasskey, usePasskey } from "../../support/authenticator.js"
import type { Browser, Page } from "../../support/browser.js"
import { type FaultyProvider, startFaultyProvider } from "../../support/faulty-provider.js"
import { decodeEntities } from "../../support/html.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, mailbox } from "../support/mail.js"
import * as passkeys from "../support/passkeys.js"
import { param, signIn } from "../support/site.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
afterAll(() => op.close())
beforeEach(() => op.reset())

const ADA = "ada@example.com"
const STALE_MS = 11 * 60_000

async function startSite(start: Start, over: Partial<AuthConfig> = {}) {
  const time = { now: Date.now() }
  const [mail, adapter] = [mailbox(), MemoryAdapter()]
  const providers = [mail.provider, Passkey, op.oidc(), op.oauth()]
  const config = { secret: TEST_SECRET, logger: recordingLogger().logger, providers, adapter }
  const app = await start({ ...config, clock: () => time.now, ...over })
  const byMail = async () => {
    const browser = app.browser({ now: () => time.now })
    await askForLink(browser, ADA)
    await browser.get(mail.linkTo(ADA))
    return browser
  }
  const accounts = async () => {
    const user = await adapter.getUserByEmail(ADA)
    return (await adapter.listAccountsByUserId?.(user?.id ?? ""))?.map(({ provider }) => provider)
  }
  return { app, time, mail, adapter, byMail, accounts }
}

type Site = Awaited<ReturnType<typeof startSite>>

/** Expects the redirect to the page that states that nothing was changed. */
async function expectRefused(browser: Browser, page: Page, callbackUrl: string): Promise<void> {
  expect(new URL(page.location).pathname).toBe("/auth/reauthenticate")
  expect(param(page.location, "callbackUrl")).toBe(callbackUrl)
  const html = decodeEntities(await (await browser.get(page.location)).text())
  expect(html).toContain("Nothing was changed. Please confirm that it's you, then do it again.")
}

/** Confirms by the email link of the page. */
async function confirm(browser: Browser, page: Page, { mail }: Site): Promise<Page> {
  const html = await (await browser.get(page.location)).text()
  await browser.submit(browser.form(html, "/auth/signin/mail"))
  return browser.get(mail.linkTo(ADA))
}

const post = async (browser: Browser, path: string, fields: Record<string, string>) =>
  browser.post(path, { csrfToken: await browser.csrf(), ...fields })

describe.each(["jwt", "database"] as const)("An older authentication (%s)", (strategy) => {
  const session = { strategy }

  describeServers("must be confirmed", (start) => {
    it("before all other sessions end", async () => {
      const site = await startSite(start, { session })
      const [browser, other] = [await site.byMail(), await site.byMail()]
      site.time.now += STALE_MS
      const end = () => post(browser, "/auth/sessions", { do: "end-others" })
      const refused = await end()
      await expectRefused(browser, refused, `${site.app.origin}/auth/sessions`)
      expect((await other.get("/me")).status).toBe(200)
      expect(await (await other.get("/me")).json()).not.toBeNull()
      expect((await confirm(browser, refused, site)).location).toBe(`${site.app.origin}/auth/sessions`)
      expect((await end()).location).toBe(`${site.app.origin}/auth/sessions`)
      expect(await (await other.get("/me")).json()).toBeNull()
    })

    it("before one other session ends", async () => {
      const site = await startSite(start, { session })
      const [browser, other] = [await site.byMail(), await site.byMail()]
      site.time.now += STALE_MS
      /** Submits the form that ends the first other session of the list. */
      const end = async () => {
        const form = browser.form(await (await browser.get("/auth/sessions")).text(), "/auth/sessions")
        expect(form.fields["do"]).toBe("end")
        return browser.submit(form)
      }
      const refused = await end()
      await expectRefused(browser, refused, `${site.app.origin}/auth/sessions`)
      expect(await (await other.get("/me")).json()).not.toBeNull()
      await confirm(browser, refused, site)
      expect((await end()).location).toBe(`${site.app.origin}/auth/sessions`)
      expect(await (await other.get("/me")).json()).toBeNull()
    })

    it("before the options for a new passkey are sent, and before the passkey is stored", async () => {
      const site = await startSite(start, { session })
      const browser = await site.byMail()
      // The options were requested in time, and the form was posted too late.
      const { options } = await passkeys.optionsFor(browser, { action: "register" })
      const { response } = createPasskey(options, { origin: site.app.origin })
      site.time.now += STALE_MS
      const answer = await browser.get("/auth/webauthn-options/passkey?action=register")
      expect([answer.status, new URL((await answer.json()).url).pathname]).toEqual([401, "/auth/reauthenticate"])
      expect(answer.headers.get("www-authenticate")).toBe(
        'Cookie realm="latchkey", error="insufficient_user_authentication", error_description="More recent authentication is required", max_age="600"',
      )
      const late = await post(browser, "/auth/callback/passkey", {
        ...{ action: "register", data: JSON.stringify(response), callbackUrl: "/auth/passkeys" },
      })
      await expectRefused(browser, late, `${site.app.origin}/auth/passkeys`)
      expect(await site.accounts()).toEqual([])
      await confirm(browser, late, site)
      await passkeys.register(browser, site.app.origin)
      expect(await site.accounts()).toEqual(["passkey"])
    })

    it("before a passkey is removed, but not before it is renamed", async () => {
      const site = await startSite(start, { session })
      const browser = await site.byMail()
      const { passkey } = await passkeys.register(browser, site.app.origin)
      site.time.now += STALE_MS
      const credentialID = Buffer.from(passkey.id, "base64url").toString("base64")
      const change = (fields: Record<string, string>) => post(browser, "/auth/passkeys", { credentialID, ...fields })
      expect((await change({ do: "rename", name: "Key" })).location).toBe(`${site.app.origin}/auth/passkeys`)
      await expectRefused(browser, await change({ do: "remove" }), `${site.app.origin}/auth/passkeys`)
      expect(await site.accounts()).toEqual(["passkey"])
      const request = await passkeys.optionsFor(browser, { action: "authenticate" })
      const data = JSON.stringify(usePasskey(passkey, request.options, { origin: site.app.origin }))
      const html = await (await browser.get("/auth/reauthenticate?callbackUrl=/auth/passkeys")).text()
      await browser.submit(browser.form(html, "/auth/callback/passkey"), { action: "authenticate", data })
      expect((await change({ do: "remove" })).location).toBe(`${site.app.origin}/auth/passkeys`)
      expect(await site.accounts()).toEqual([])
    })

    it("before another account is connected", async () => {
      const site = await startSite(start, { session })
      const browser = await site.byMail()
      site.time.now += STALE_MS
      const refused = await signIn(browser, op, { callbackUrl: "/there" })
      const { origin } = site.app
      await expectRefused(
        browser,
        refused,
        `${origin}/auth/signin?connect=true&callbackUrl=${encodeURIComponent(`${origin}/there`)}`,
      )
      expect(await site.accounts()).toEqual([])
      await confirm(browser, refused, site)
      await signIn(browser, op)
      expect(await site.accounts()).toEqual(["oidc"])
    })
  })
})

describeServers("An authentication that can't be confirmed", (start) => {
  it("does not lock out a user who has only an OAuth 2 account", async () => {
    const site = await startSite(start)
    op.set({ userinfo: { id: "42", name: "Ada", email: ADA } })
    const browser = site.app.browser({ now: () => site.time.now })
    // Without an email provider, this user has no way to confirm the session.
    const bare = await startSite(start, { providers: [op.oauth(), op.oidc()] })
    const own = bare.app.browser({ now: () => bare.time.now })
    await signIn(own, op, { id: "oauth" })
    bare.time.now += STALE_MS
    await signIn(own, op)
    expect(await bare.accounts()).toEqual(["oauth", "oidc"])
    await signIn(browser, op, { id: "oauth" })
    site.time.now += STALE_MS
    expect(new URL((await signIn(browser, op)).location).pathname).toBe("/auth/reauthenticate")
  })

  it("does not lock out a user who has only an OAuth 2 account and possibly no password", async () => {
    const password = Credentials({ credentials: { name: {} }, authorize: () => null })
    const site = await startSite(start, { providers: [op.oauth(), op.oidc(), password] })
    op.set({ userinfo: { id: "42", name: "Ada", email: ADA } })
    const browser = site.app.browser({ now: () => site.time.now })
    await signIn(browser, op, { id: "oauth" })
    site.time.now += STALE_MS
    await signIn(browser, op)
    expect(await site.accounts()).toEqual(["oauth", "oidc"])
  })

  it("does not lock out users of database sessions without a registry", async () => {
    const site = await startSite(start, { session: { strategy: "database", revocable: false } })
    const browser = await site.byMail()
    site.time.now += STALE_MS
    await signIn(browser, op)
    expect(await site.accounts()).toEqual(["oidc"])
  })
})
