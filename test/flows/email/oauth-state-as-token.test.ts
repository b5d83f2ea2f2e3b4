/**
 * CVE-2026-110862 (Better Auth): the `state` of an OAuth sign-in, started with a victim's email address, was accepted as
 * the token of an email link for that address.
 *
 * @module
 */
import { describeServers } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, errorOf, type MailSite, openLink } from "../support/mail.js"
import { startMailAndProvider } from "../support/mail-and-provider.js"
import { param, sessionCookies, sessionOf } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()
const VICTIM = "victim@example.com"

describeServers("CVE-2026-110862: values of a sign-in that is not by email", (start) => {
  async function startSite(): Promise<MailSite> {
    const site = await startMailAndProvider({ start, op }, { mail: { emailCode: true }, config: { rateLimit: false } })
    site.store.users.set("7", { id: "7", email: VICTIM, emailVerified: new Date(0) })
    return site
  }

  /** Starts an OAuth sign-in with the victim's address in each place where a request can name it. */
  async function startOAuth(browser: Browser) {
    const query = new URLSearchParams({ email: VICTIM, login_hint: VICTIM })
    const csrfToken = await browser.csrf()
    const { location } = await browser.post(`/auth/signin/oidc?${query}`, { csrfToken, email: VICTIM, token: VICTIM })
    return { state: param(location, "state"), nonce: param(location, "nonce") }
  }

  async function expectRefused(site: MailSite, browser: Browser, token: string) {
    const link = `${site.app.origin}/auth/callback/mail?${new URLSearchParams({ token, email: VICTIM })}`
    for (const client of [browser.clone(), site.browser()]) {
      expect(errorOf(await openLink(client, link))).toBe("Verification")
      const csrfToken = await client.csrf()
      const posted = await client.post("/auth/callback/mail", { csrfToken, token, email: VICTIM })
      expect(errorOf(posted)).toBe("Verification")
      const code = await client.post("/auth/callback/mail", { csrfToken, code: token })
      expect(errorOf(code)).toMatch(/^EmailCode/)
      expect([sessionCookies(client), await sessionOf(client)]).toEqual([[], null])
    }
  }

  it("SEC-25, CVE-2026-110862: the state and the nonce of an OAuth sign-in are not accepted as the token of a link", async () => {
    const site = await startSite()
    const browser = site.browser()
    const { state, nonce } = await startOAuth(browser)
    expect([state.length > 20, nonce.length > 20]).toEqual([true, true])
    for (const token of [state, nonce]) await expectRefused(site, browser, token)
  })

  it("SEC-25, CVE-2026-110862: the cookies of an OAuth sign-in and of a request for another address are not accepted as the token of a link", async () => {
    const site = await startSite()
    const browser = site.browser()
    await startOAuth(browser)
    await askForLink(browser, "attacker@example.com")
    const values = browser.cookies().map(({ value }) => value)
    expect(values.length).toBeGreaterThan(3)
    for (const token of values) await expectRefused(site, browser, token)
  })

  it("SEC-25, CVE-2026-110862: the encrypted state of a link is not accepted as the token of a link", async () => {
    const site = await startSite()
    const browser = site.browser()
    await askForLink(browser, VICTIM)
    await expectRefused(site, browser, param(site.mail.linkTo(VICTIM), "state"))
  })

  it("SEC-25, CVE-2026-110862: the token and the code of a link are not accepted as the state of an OAuth sign-in", async () => {
    const site = await startSite()
    const browser = site.browser()
    await startOAuth(browser)
    await askForLink(browser, "attacker@example.com")
    for (const state of [
      param(site.mail.linkTo("attacker@example.com"), "token"),
      site.mail.codeFor("attacker@example.com"),
    ]) {
      const page = await browser.get(`/auth/callback/oidc?${new URLSearchParams({ state, code: "a-code" })}`)
      expect(errorOf(page)).toBe("OAuthCallbackError")
    }
    expect(await sessionOf(browser)).toBeNull()
  })
})
