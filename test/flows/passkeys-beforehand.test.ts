/** ACC-02: a passkey that a stranger has made for somebody's address is what tells of it when the owner comes. */
import Passkey from "../../lib/providers/passkey.js"
import type { AuthConfig } from "../../lib/types.js"
import { describeServer } from "../support/apps.js"
import type { Browser } from "../support/browser.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { guardProcess } from "./support/guard.js"
import { askForLink, errorOf, mailbox } from "./support/mail.js"
import { type PasskeySite, register, signIn, startPasskeySite, toldOf } from "./support/passkeys.js"
import { sessionOf, signIn as signInAt } from "./support/site.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
beforeEach(() => {
  op.reset()
  op.set({ plainOAuth: true, userinfo: { id: "42", name: "Eve", email: "eve@evil.test" } })
})
afterAll(() => op.close())

const ADA = "ada@example.com"
const PAGE = "/auth/passkeys"

const idOf = ({ id }: { readonly id: string }) => Buffer.from(id, "base64url").toString("base64")

async function remove(browser: Browser, credentialID: string): Promise<string> {
  const { status } = await browser.post(PAGE, { csrfToken: await browser.csrf(), do: "remove", credentialID })
  expect(status).toBe(302)
  return (await browser.get(PAGE)).text()
}

describeServer("A passkey of an address that was never proved", "Auth()", (start) => {
  const mail = mailbox()

  /** Somebody with a passkey for Ada's address. */
  async function registered(config: Partial<AuthConfig> = {}) {
    const providers = [Passkey, mail.provider, op.oauth()]
    const site = await startPasskeySite(start, { providers, session: { strategy: "database" }, ...config })
    const browser = site.app.browser()
    const { passkey } = await register(browser, site.app.origin, { email: ADA })
    return { ...site, browser, passkey, credentialID: idOf(passkey) }
  }

  async function left({ adapter }: PasskeySite) {
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
    ["alone", false],
    ["and another account", true],
  ])("ACC-02: signs nobody in once the owner has come: with it %s", async (_name, hasOther) => {
    const site = await registered()
    const { browser: eve, credentialID } = site
    if (hasOther) await signInAt(eve, op, { id: "oauth" })
    await remove(eve, credentialID)
    const before = await left(site)

    const owner = site.app.browser()
    await openLink(owner)
    expect(await sessionOf(eve)).toBeNull()
    expect([before, await left(site)]).toEqual([
      // The last way to sign in stays.
      hasOther ? { accounts: ["oauth"], passkeys: 0 } : { accounts: ["passkey"], passkeys: 1 },
      { accounts: [], passkeys: 0 },
    ])
    expect(toldOf(site.records)).toEqual([["warn", "accounts-unlinked"]])
    expect(errorOf(await signIn(eve, site.passkey, site.app.origin))).toBe("WebAuthnVerificationError")
    expect(await sessionOf(owner)).toMatchObject({ user: { email: ADA } })
  })

  it("stays with the user who opens a link in the browser that is signed in", async () => {
    const site = await registered()
    const { browser, app } = site
    const { passkey: second } = await register(browser, app.origin)
    await openLink(browser)
    expect(await left(site)).toEqual({ accounts: ["passkey", "passkey"], passkeys: 2 })
    await remove(browser, site.credentialID)
    expect(await remove(browser, idOf(second))).toContain("You have no passkeys yet.")
    expect(await left(site)).toEqual({ accounts: [], passkeys: 0 })
    expect(toldOf(site.records)).toEqual([])
  })

  it("can be removed where no link will ever prove the address", async () => {
    const site = await registered({ providers: [Passkey, op.oauth()] })
    expect(await (await site.browser.get(PAGE)).text()).toContain("your only way")
    await signInAt(site.browser, op, { id: "oauth" })
    expect(await remove(site.browser, site.credentialID)).toContain("You have no passkeys yet.")
    expect(await left(site)).toEqual({ accounts: ["oauth"], passkeys: 0 })
  })

  it("can be removed by somebody without an address", async () => {
    op.set({ userinfo: { id: "42", name: "Ada" } })
    const site = await registered()
    const browser = site.app.browser()
    await signInAt(browser, op, { id: "oauth" })
    const { passkey } = await register(browser, site.app.origin)
    expect(await remove(browser, idOf(passkey))).toContain("You have no passkeys yet.")
  })
})
