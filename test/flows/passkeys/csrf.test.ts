/**
 * SES-22: a passkey response has no CSRF token; the challenge and the headers bind it to the browser and the site.
 *
 * @module
 */
import { describeServers } from "../../support/apps.js"
import { createPasskey, usePasskey } from "../../support/authenticator.js"
import type { Browser, Page, Visit } from "../../support/browser.js"
import { guardProcess } from "../support/guard.js"
import { type Ceremony, loggedLevels, optionsFor, register, startPasskeySite } from "../support/passkeys.js"
import { sessionOf } from "../support/site.js"

guardProcess()

const EVIL = "https://evil.test"
const VICTIM = "vera@example.com"
const ATTACKER = "mallory@example.com"

/** Headers that a browser sends with a cross-site form. */
const CROSS_SITE: [string, Visit][] = [
  ["Sec-Fetch-Site", { headers: { "sec-fetch-site": "cross-site" } }],
  ["Origin, without Sec-Fetch-Site", { headers: { "sec-fetch-site": "", origin: EVIL } }],
  ["an invalid Origin", { headers: { "sec-fetch-site": "", origin: "evil" } }],
  ["both headers, from a sandboxed frame", { headers: { "sec-fetch-site": "cross-site", origin: "null" } }],
]

describeServers("SES-22: passkey response", (start) => {
  /** Starts a site with a signed-in victim and an attacker with a passkey. */
  async function startSite() {
    const { app, adapter, records } = await startPasskeySite(start)
    const [victim, attacker] = [app.browser(), app.browser()]
    await register(victim, app.origin, { email: VICTIM })
    const { passkey } = await register(attacker, app.origin, { email: ATTACKER })
    const owner = await adapter.getUserByEmail(VICTIM)
    const passkeys = async () => (await adapter.listAuthenticatorsByUserId(String(owner?.id))).length
    records.length = 0
    return { app, adapter, records, victim, attacker, passkey, passkeys }
  }
  type Site = Awaited<ReturnType<typeof startSite>>

  const answer = (browser: Browser, { action }: Ceremony, credential: unknown, init?: Visit): Promise<Page> =>
    browser.post("/auth/callback/passkey", { action, data: JSON.stringify(credential), callbackUrl: "/me" }, init)

  /** Copies the attacker's challenge cookie to the victim's browser. */
  function plantChallenge({ attacker, victim }: Site): void {
    for (const cookie of attacker.cookies().filter(({ name }) => name.includes("authjs.challenge")))
      victim.setCookie(cookie.name, cookie.value, { sameSite: "none" })
  }

  async function expectNoChange(page: Page, site: Site, error: string): Promise<void> {
    const { pathname, searchParams } = new URL(page.location)
    expect([page.status, pathname.startsWith("/auth/"), searchParams.get("error")]).toEqual([302, true, error])
    expect(page.headers.getSetCookie().join("\n")).not.toContain("session-token")
    expect(await sessionOf(site.victim)).toMatchObject({ user: { email: VICTIM } })
    expect(await site.passkeys()).toBe(1)
    expect(loggedLevels(site.records)).toEqual([["warn", error]])
  }

  it("SES-22: is accepted without a CSRF token from the browser that requested the challenge, on this site", async () => {
    const { app, attacker, passkey } = await startSite()
    const ceremony = await optionsFor(attacker, { action: "authenticate" })
    const page = await answer(attacker, ceremony, usePasskey(passkey, ceremony.options, { origin: app.origin }))
    expect(page.location).toBe(`${app.origin}/me`)
    expect(await sessionOf(attacker)).toMatchObject({ user: { email: ATTACKER } })
  })

  it.each(CROSS_SITE)("SES-22: is rejected at a cross-site sign-in, detected by %s", async (_name, init) => {
    const site = await startSite()
    const ceremony = await optionsFor(site.attacker, { action: "authenticate" })
    const credential = usePasskey(site.passkey, ceremony.options, { origin: site.app.origin })
    plantChallenge(site)
    await expectNoChange(await answer(site.victim, ceremony, credential, init), site, "MissingCSRF")
  })

  it.each(CROSS_SITE)("SES-22: is rejected at a cross-site registration, detected by %s", async (_name, init) => {
    const site = await startSite()
    // Even if the victim's own browser started the registration.
    const ceremony = await optionsFor(site.victim, { action: "register" })
    const { response } = createPasskey(ceremony.options, { origin: site.app.origin })
    await expectNoChange(await answer(site.victim, ceremony, response, init), site, "MissingCSRF")
  })

  it("SES-22: is rejected from another site in JSON mode too", async () => {
    const site = await startSite()
    const ceremony = await optionsFor(site.attacker, { action: "authenticate" })
    const credential = usePasskey(site.passkey, ceremony.options, { origin: site.app.origin })
    plantChallenge(site)
    const headers = { "sec-fetch-site": "cross-site", "x-auth-return-redirect": "1", accept: "application/json" }
    const page = await answer(site.victim, ceremony, credential, { headers })
    expect(await page.json()).toEqual({ url: `${site.app.origin}/auth/signin?error=MissingCSRF` })
    expect(await sessionOf(site.victim)).toMatchObject({ user: { email: VICTIM } })
  })

  it("SES-22: is rejected from a browser that did not request the challenge", async () => {
    const site = await startSite()
    const ceremony = await optionsFor(site.attacker, { action: "authenticate" })
    const credential = usePasskey(site.passkey, ceremony.options, { origin: site.app.origin })
    await expectNoChange(await answer(site.victim, ceremony, credential), site, "WebAuthnVerificationError")
  })

  it("SES-22: is rejected if it was created on another origin", async () => {
    const site = await startSite()
    for (const origin of [EVIL, `${site.app.origin}.evil.test`, "null", ""]) {
      const ceremony = await optionsFor(site.victim, { action: "register" })
      const { response } = createPasskey(ceremony.options, { origin, rpId: ceremony.options.rp.id })
      site.records.length = 0
      await expectNoChange(await answer(site.victim, ceremony, response), site, "WebAuthnVerificationError")
    }
  })

  it("SES-22: is rejected if a same-site attacker plants it in the victim's browser", async () => {
    const site = await startSite()
    const ceremony = await optionsFor(site.attacker, { action: "register" })
    const { response } = createPasskey(ceremony.options, { origin: site.app.origin })
    plantChallenge(site)
    const page = await answer(site.victim, ceremony, response, { headers: { "sec-fetch-site": "same-site" } })
    await expectNoChange(page, site, "WebAuthnVerificationError")
  })
})
