/**
 * SES-22: a passkey's answer comes without a CSRF token. What binds it to the browser and the site instead.
 *
 * @module
 */
import { describeServers } from "../support/apps.js"
import { createPasskey, usePasskey } from "../support/authenticator.js"
import type { Browser, Page, Visit } from "../support/browser.js"
import { guardProcess } from "./support/guard.js"
import { type Ceremony, optionsFor, register, startPasskeySite, toldOf } from "./support/passkeys.js"
import { sessionOf } from "./support/site.js"

guardProcess()

const EVIL = "https://evil.test"
const VICTIM = "vera@example.com"
const ATTACKER = "mallory@example.com"

/** How a browser says that a form stands on another site. */
const CROSS_SITE: [string, Visit][] = [
  ["Sec-Fetch-Site", { headers: { "sec-fetch-site": "cross-site" } }],
  ["Origin, where the browser knows no Sec-Fetch-Site", { headers: { "sec-fetch-site": "", origin: EVIL } }],
  ["an Origin that is no URL", { headers: { "sec-fetch-site": "", origin: "evil" } }],
  ["both, from a sandboxed frame", { headers: { "sec-fetch-site": "cross-site", origin: "null" } }],
]

describeServers("SES-22: a passkey's answer", (start) => {
  /** Somebody who is signed in, and somebody with a passkey and a plan. */
  async function site() {
    const { app, adapter, records } = await startPasskeySite(start)
    const [victim, attacker] = [app.browser(), app.browser()]
    await register(victim, app.origin, { email: VICTIM })
    const { passkey } = await register(attacker, app.origin, { email: ATTACKER })
    const owner = await adapter.getUserByEmail(VICTIM)
    const passkeys = async () => (await adapter.listAuthenticatorsByUserId(String(owner?.id))).length
    records.length = 0
    return { app, adapter, records, victim, attacker, passkey, passkeys }
  }
  type Site = Awaited<ReturnType<typeof site>>

  const answer = (browser: Browser, { action }: Ceremony, credential: unknown, init?: Visit): Promise<Page> =>
    browser.post("/auth/callback/passkey", { action, data: JSON.stringify(credential), callbackUrl: "/me" }, init)

  /** The attacker's challenge, in the victim's browser as a page of the attacker's would want it to be. */
  function plantChallenge({ attacker, victim }: Site): void {
    for (const cookie of attacker.cookies().filter(({ name }) => name.includes("authjs.challenge")))
      victim.setCookie(cookie.name, cookie.value, { sameSite: "none" })
  }

  async function expectNothing(page: Page, found: Site, error: string): Promise<void> {
    const { pathname, searchParams } = new URL(page.location)
    expect([page.status, pathname.startsWith("/auth/"), searchParams.get("error")]).toEqual([302, true, error])
    expect(page.headers.getSetCookie().join("\n")).not.toContain("session-token")
    expect(await sessionOf(found.victim)).toMatchObject({ user: { email: VICTIM } })
    expect(await found.passkeys()).toBe(1)
    expect(toldOf(found.records)).toEqual([["warn", error]])
  }

  it("SES-22: is taken without a token from the browser that asked, on this site", async () => {
    const { app, attacker, passkey } = await site()
    const ceremony = await optionsFor(attacker, { action: "authenticate" })
    const page = await answer(attacker, ceremony, usePasskey(passkey, ceremony.options, { origin: app.origin }))
    expect(page.location).toBe(`${app.origin}/me`)
    expect(await sessionOf(attacker)).toMatchObject({ user: { email: ATTACKER } })
  })

  it.each(CROSS_SITE)("SES-22: signs nobody in from another site, says %s", async (_name, init) => {
    const found = await site()
    const ceremony = await optionsFor(found.attacker, { action: "authenticate" })
    const credential = usePasskey(found.passkey, ceremony.options, { origin: found.app.origin })
    plantChallenge(found)
    await expectNothing(await answer(found.victim, ceremony, credential, init), found, "MissingCSRF")
  })

  it.each(CROSS_SITE)("SES-22: adds no passkey from another site, says %s", async (_name, init) => {
    const found = await site()
    // Even one that the victim's own browser has begun.
    const ceremony = await optionsFor(found.victim, { action: "register" })
    const { response } = createPasskey(ceremony.options, { origin: found.app.origin })
    await expectNothing(await answer(found.victim, ceremony, response, init), found, "MissingCSRF")
  })

  it("SES-22: is refused from another site in JSON mode too", async () => {
    const found = await site()
    const ceremony = await optionsFor(found.attacker, { action: "authenticate" })
    const credential = usePasskey(found.passkey, ceremony.options, { origin: found.app.origin })
    plantChallenge(found)
    const headers = { "sec-fetch-site": "cross-site", "x-auth-return-redirect": "1", accept: "application/json" }
    const page = await answer(found.victim, ceremony, credential, { headers })
    expect(await page.json()).toEqual({ url: `${found.app.origin}/auth/signin?error=MissingCSRF` })
    expect(await sessionOf(found.victim)).toMatchObject({ user: { email: VICTIM } })
  })

  it("SES-22: is worth nothing in a browser that did not ask", async () => {
    const found = await site()
    const ceremony = await optionsFor(found.attacker, { action: "authenticate" })
    const credential = usePasskey(found.passkey, ceremony.options, { origin: found.app.origin })
    await expectNothing(await answer(found.victim, ceremony, credential), found, "WebAuthnVerificationError")
  })

  it("SES-22: that was made on another site is refused, whoever sends it", async () => {
    const found = await site()
    for (const origin of [EVIL, `${found.app.origin}.evil.test`, "null", ""]) {
      const ceremony = await optionsFor(found.victim, { action: "register" })
      const { response } = createPasskey(ceremony.options, { origin, rpId: ceremony.options.rp.id })
      found.records.length = 0
      await expectNothing(await answer(found.victim, ceremony, response), found, "WebAuthnVerificationError")
    }
  })

  it("SES-22: adds no passkey to another account, planted by a neighbour on the same site", async () => {
    const found = await site()
    const ceremony = await optionsFor(found.attacker, { action: "register" })
    const { response } = createPasskey(ceremony.options, { origin: found.app.origin })
    plantChallenge(found)
    const page = await answer(found.victim, ceremony, response, { headers: { "sec-fetch-site": "same-site" } })
    await expectNothing(page, found, "WebAuthnVerificationError")
  })
})
