/** ACC-02: account pre-hijacking with a passkey that an attacker registers for the address of the victim. */
import Passkey from "../../../lib/providers/passkey.js"
import type { AuthConfig } from "../../../lib/types.js"
import { describeServer } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, errorOf, mailbox } from "../support/mail.js"
import { loggedLevels, type PasskeySite, register, signIn, startPasskeySite } from "../support/passkeys.js"
import { sessionOf, signIn as signInAt } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()
beforeEach(() => {
  op.set({ plainOAuth: true, userinfo: { id: "42", name: "Eve", email: "eve@evil.test" } })
})

const ADA = "ada@example.com"
const PAGE = "/auth/passkeys"

const toCredentialId = ({ id }: { readonly id: string }) => Buffer.from(id, "base64url").toString("base64")

async function remove(browser: Browser, credentialID: string): Promise<string> {
  const { status } = await browser.post(PAGE, { csrfToken: await browser.csrf(), do: "remove", credentialID })
  expect(status).toBe(302)
  return (await browser.get(PAGE)).text()
}

describeServer("passkey of an unverified address", "Auth()", (start) => {
  const mail = mailbox()

  /** Registers a passkey for Ada's address, which stays unverified. */
  async function registerPasskey(config: Partial<AuthConfig> = {}) {
    const providers = [Passkey, mail.provider, op.oauth()]
    const site = await startPasskeySite(start, { providers, session: { strategy: "database" }, ...config })
    const browser = site.app.browser()
    const { passkey } = await register(browser, site.app.origin, { email: ADA })
    return { ...site, browser, passkey, credentialID: toCredentialId(passkey) }
  }

  async function readRemaining({ adapter }: PasskeySite) {
    const id = String((await adapter.getUserByEmail(ADA))?.id)
    const [accounts, passkeys] = [adapter.listAccountsByUserId(id), adapter.listAuthenticatorsByUserId(id)]
    return { accounts: (await accounts).map(({ provider }) => provider).sort(), passkeys: (await passkeys).length }
  }

  async function openLink(browser: Browser): Promise<void> {
    await askForLink(browser, ADA)
    await browser.get(mail.linkTo(ADA))
    expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
  }

  it.each([
    ["passkey", false],
    ["other account", true],
  ])(
    "ACC-02: an email link of the owner ends the attacker's session and unlinks the attacker's %s",
    async (_name, hasOther) => {
      const site = await registerPasskey()
      const { browser: eve, credentialID } = site
      if (hasOther) await signInAt(eve, op, { id: "oauth" })
      await remove(eve, credentialID)
      const before = await readRemaining(site)

      const owner = site.app.browser()
      await openLink(owner)
      expect(await sessionOf(eve)).toBeNull()
      expect([before, await readRemaining(site)]).toEqual([
        // The attacker cannot remove the last way to sign in.
        hasOther ? { accounts: ["oauth"], passkeys: 0 } : { accounts: ["passkey"], passkeys: 1 },
        { accounts: [], passkeys: 0 },
      ])
      expect(loggedLevels(site.records)).toEqual([["warn", "accounts-unlinked"]])
      expect(errorOf(await signIn(eve, site.passkey, site.app.origin))).toBe("WebAuthnVerificationError")
      expect(await sessionOf(owner)).toMatchObject({ user: { email: ADA } })
    },
  )

  it("is kept if the user opens an email link in the signed-in browser, and can then be removed", async () => {
    const site = await registerPasskey()
    const { browser, app } = site
    const { passkey: second } = await register(browser, app.origin)
    await openLink(browser)
    expect(await readRemaining(site)).toEqual({ accounts: ["passkey", "passkey"], passkeys: 2 })
    await remove(browser, site.credentialID)
    expect(await remove(browser, toCredentialId(second))).toContain("You have no passkeys yet.")
    expect(await readRemaining(site)).toEqual({ accounts: [], passkeys: 0 })
    expect(loggedLevels(site.records)).toEqual([])
  })

  it("can be removed if the site has no email links and another account is linked", async () => {
    const site = await registerPasskey({ providers: [Passkey, op.oauth()] })
    expect(await (await site.browser.get(PAGE)).text()).toContain("your only way")
    await signInAt(site.browser, op, { id: "oauth" })
    expect(await remove(site.browser, site.credentialID)).toContain("You have no passkeys yet.")
    expect(await readRemaining(site)).toEqual({ accounts: ["oauth"], passkeys: 0 })
  })

  it("can be removed by a user without an email address", async () => {
    op.set({ userinfo: { id: "42", name: "Ada" } })
    const site = await registerPasskey()
    const browser = site.app.browser()
    await signInAt(browser, op, { id: "oauth" })
    const { passkey } = await register(browser, site.app.origin)
    // The removal requires a recent authentication, and OAuth 2 provides no time of authentication.
    await signIn(browser, passkey, site.app.origin)
    expect(await remove(browser, toCredentialId(passkey))).toContain("You have no passkeys yet.")
  })
})
