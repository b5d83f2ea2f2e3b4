import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import type { JWT } from "../../../lib/jwt.js"
import Passkey from "../../../lib/providers/passkey.js"
import { MemoryStore } from "../../../lib/store/memory.js"
import type { Store } from "../../../lib/store/store.js"
import type { Session } from "../../../lib/types.js"
import { describeServer, describeServers } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { guardProcess } from "../support/guard.js"
import { mailbox } from "../support/mail.js"
import { loggedLevels, optionsFor, type PasskeySite, register, signIn, startPasskeySite } from "../support/passkeys.js"
import { sessionCookies, sessionOf } from "../support/site.js"

guardProcess()

const PAGE = "/auth/passkeys"

/** Registers a user with a passkey, who is then signed in. */
async function registerUser({ app }: Pick<PasskeySite, "app">, email = "ada@example.com") {
  const browser = app.browser()
  const { passkey } = await register(browser, app.origin, { email })
  return { browser, passkey, credentialID: Buffer.from(passkey.id, "base64url").toString("base64") }
}

const change = async (browser: Browser, fields: Record<string, string>) =>
  browser.post(PAGE, { csrfToken: await browser.csrf(), ...fields })

const read = async (browser: Browser) => (await browser.get(PAGE)).text()

describeServers("passkey page", (start) => {
  it("lists, renames and removes passkeys", async () => {
    const site = await startPasskeySite(start)
    const { browser, credentialID } = await registerUser(site)
    const second = await register(browser, site.app.origin)
    expect((await browser.get(PAGE)).status).toBe(200)

    const renamed = await change(browser, { do: "rename", credentialID, name: " Work \u202E phone " })
    expect([renamed.status, renamed.location]).toEqual([302, site.app.origin + PAGE])
    expect(await read(browser)).toContain('value="Work phone"')

    await change(browser, { do: "remove", credentialID })
    const html = await read(browser)
    expect(html).not.toContain("Work phone")
    expect(html).toContain("This is your only way to sign in")
    const later = site.app.browser()
    await signIn(later, second.passkey, site.app.origin)
    expect(await sessionOf(later)).not.toBeNull()
  })

  it("shows when each passkey was last used", async () => {
    const site = await startPasskeySite(start)
    const { browser, passkey } = await registerUser(site)
    expect(await read(browser)).not.toContain("Last used")
    await signIn(site.app.browser(), passkey, site.app.origin)
    expect((await read(browser)).match(/Last used: <time datetime="[^"]+">now</g)).toHaveLength(1)
  })

  it("accepts a passkey even if its last use can't be stored, and logs the failure", async () => {
    const memory = MemoryStore()
    const set: Store["set"] = async (kind, ...rest) => {
      if (kind === "passkey-use") throw new Error("full")
      return memory.set(kind, ...rest)
    }
    const site = await startPasskeySite(start, { store: { ...memory, set } })
    const { passkey } = await registerUser(site)
    const later = site.app.browser()
    await signIn(later, passkey, site.app.origin)
    expect(await sessionOf(later)).not.toBeNull()
    expect(loggedLevels(site.records)).toEqual([["error", "AdapterError"]])
  })

  it("asks for confirmation before a removal, and the sign-up form has a field of type email", async () => {
    const site = await startPasskeySite(start)
    const { browser } = await registerUser(site)
    await register(browser, site.app.origin)
    const removal =
      /<details[^>]*>\s*<summary[^>]*>Remove<\/summary>\s*<form[\s\S]*?Do you want to remove this passkey\?/g
    expect((await read(browser)).match(removal)).toHaveLength(2)
    const stranger = site.app.browser()
    const create = stranger.forms(await (await stranger.get("/auth/signin")).text()).at(-1)
    const { type, attributes } = create?.inputs.find(({ name }) => name === "email") ?? {}
    expect([type, attributes?.["autocomplete"]]).toEqual(["email", "username webauthn"])
  })

  it("redirects a signed-out visitor to the sign-in page with this page as the return URL", async () => {
    const { app } = await startPasskeySite(start)
    const { status, location } = await app.browser().get(PAGE)
    const target = new URL(location)
    expect([status, target.pathname]).toEqual([302, "/auth/signin"])
    expect(target.searchParams.get("callbackUrl")).toBe(app.origin + PAGE)
    expect(target.searchParams.get("error")).toBe("SessionRequired")
  })
})

describeServer("passkey page", "Auth()", (start) => {
  it("does not remove the only way to sign in", async () => {
    const site = await startPasskeySite(start)
    const { browser, credentialID, passkey } = await registerUser(site)
    expect(await read(browser)).not.toContain('value="remove"')
    await change(browser, { do: "remove", credentialID })
    const later = site.app.browser()
    await signIn(later, passkey, site.app.origin)
    expect(await sessionOf(later)).not.toBeNull()
  })

  it("keeps one passkey if two are removed concurrently", async () => {
    const site = await startPasskeySite(start)
    const { browser, credentialID } = await registerUser(site)
    const { passkey } = await register(browser, site.app.origin)
    const other = Buffer.from(passkey.id, "base64url").toString("base64")
    await Promise.all([credentialID, other].map((id) => change(browser, { do: "remove", credentialID: id })))
    const user = await site.adapter.getUserByEmail("ada@example.com")
    expect(await site.adapter.listAuthenticatorsByUserId(String(user?.id))).toHaveLength(1)
  })

  it("removes the last passkey if the user can sign in by email", async () => {
    const site = await startPasskeySite(start, { providers: [Passkey, mailbox().provider] })
    const { browser, credentialID, passkey } = await registerUser(site)
    const { id = "" } = (await site.adapter.getUserByEmail("ada@example.com")) ?? {}
    await site.adapter.updateUser({ id, emailVerified: new Date() })
    await change(browser, { do: "remove", credentialID })
    expect(await read(browser)).toContain("passkeys")
    const later = site.app.browser()
    await signIn(later, passkey, site.app.origin)
    expect(await sessionOf(later)).toBeNull()
    expect(await site.adapter.listAccountsByUserId(id)).toEqual([])
  })

  it.each(["rename", "remove"])("does not %s the passkey of another user", async (what) => {
    const site = await startPasskeySite(start)
    const ada = await registerUser(site)
    const eve = await registerUser(site, "eve@example.com")
    await register(eve.browser, site.app.origin)
    const page = await change(eve.browser, { do: what, credentialID: ada.credentialID, name: "mine" })
    expect(page.status).toBe(400)
    expect(await read(ada.browser)).not.toContain("mine")
    const unknown = await change(eve.browser, { do: what, credentialID: "bm9uZQ==", name: "x" })
    expect(unknown.status).toBe(400)
    expect(loggedLevels(site.records)).toEqual([
      ["warn", "BadRequest"],
      ["warn", "BadRequest"],
    ])
  })

  it("changes nothing without a valid CSRF token or without a session", async () => {
    const site = await startPasskeySite(start)
    const { browser, credentialID } = await registerUser(site)
    await register(browser, site.app.origin)
    const forged = await browser.post(PAGE, { do: "remove", credentialID, csrfToken: "x" })
    expect(forged.location).toContain("error=MissingCSRF")
    const stranger = await change(site.app.browser(), { do: "remove", credentialID })
    expect(stranger.location).toContain("/auth/signin")
    expect((await read(browser)).match(/value="remove"/g)).toHaveLength(2)
  })

  it("rejects a session that the jwt callback has ended, also for new passkeys", async () => {
    let isEnded = false
    const callbacks = { jwt: ({ token }: { token: JWT }) => (isEnded ? null : token) }
    const site = await startPasskeySite(start, { callbacks, session: { strategy: "jwt" } })
    const { browser, credentialID } = await registerUser(site)
    await register(browser, site.app.origin)
    isEnded = true
    const thieves = [browser.clone(), browser.clone(), browser.clone()] as const
    expect((await thieves[0].get(PAGE)).location).toContain("/auth/signin")
    expect((await change(thieves[1], { do: "remove", credentialID })).location).toContain("/auth/signin")
    const options = await optionsFor(thieves[2], { action: "register" })
    expect(options).toEqual({ status: 400, error: "Invalid request" })
    for (const thief of thieves) expect(sessionCookies(thief)).toEqual([])
    isEnded = false
    expect((await read(browser)).match(/value="remove"/g)).toHaveLength(2)
  })

  it("stores the session changes that the jwt callback makes", async () => {
    const callbacks = {
      jwt: ({ token }: { token: JWT }) => ({ ...token, reads: Number(token["reads"] ?? 0) + 1 }),
      session: ({ session, token }: { session: Session; token: JWT }) => ({
        ...session,
        user: { name: String(token["reads"]) },
      }),
    }
    const site = await startPasskeySite(start, { callbacks, session: { strategy: "jwt" } })
    const { browser } = await registerUser(site)
    const before = Number((await sessionOf(browser))?.user?.name)
    await browser.request(PAGE, { method: "HEAD" })
    await read(browser)
    await optionsFor(browser, { action: "register" })
    expect((await sessionOf(browser))?.user?.name).toBe(String(before + 3))
  })

  it("responds 400 to an unknown action and 405 to another method", async () => {
    const site = await startPasskeySite(start)
    const { browser, credentialID } = await registerUser(site)
    expect((await change(browser, { do: "steal", credentialID })).status).toBe(400)
    expect((await browser.request(PAGE, { method: "PUT" })).status).toBe(405)
  })

  it.each([
    [{ do: { toString: 1 } }],
    [{ do: "rename", name: { toString: 1 } }],
    [{ do: "rename", name: ["Laptop"] }],
    [{ do: "rename", name: "Laptop", credentialID: { toString: 1 } }],
    [{ do: "remove", credentialID: { toString: 1 } }],
  ])("rejects JSON fields that are not strings: %j", async (fields) => {
    const site = await startPasskeySite(start)
    const { browser, credentialID } = await registerUser(site)
    const page = await browser.postJson(PAGE, { csrfToken: await browser.csrf(), credentialID, ...fields })
    expect(page.status).toBe(400)
    expect(loggedLevels(site.records)).toEqual([["warn", "BadRequest"]])
    expect(await read(browser)).toContain('value=""')
  })

  it("truncates a long name and deletes an empty one", async () => {
    const site = await startPasskeySite(start)
    const { browser, credentialID } = await registerUser(site)
    await change(browser, { do: "rename", credentialID, name: "x".repeat(500) })
    const user = await site.adapter.getUserByEmail("ada@example.com")
    const stored = async () => (await site.adapter.listAuthenticatorsByUserId(String(user?.id)))[0]?.name
    expect(await stored()).toBe("x".repeat(64))
    await change(browser, { do: "rename", credentialID, name: " " })
    expect(await stored()).toBeNull()
  })

  it("only lists passkeys if the adapter cannot rename or delete them", async () => {
    const { renameAuthenticator: _, deleteAuthenticator: __, ...adapter } = MemoryAdapter()
    const site = await startPasskeySite(start, { adapter })
    const { browser, credentialID } = await registerUser(site)
    await register(browser, site.app.origin)
    expect(await read(browser)).not.toMatch(/value="(?:rename|remove)"/)
    await change(browser, { do: "rename", credentialID, name: "x" })
    await change(browser, { do: "remove", credentialID })
    expect(loggedLevels(site.records)).toEqual([])
  })

  it("responds 404 without a passkey provider", async () => {
    const { app } = await startPasskeySite(start, { providers: [mailbox().provider] })
    expect((await app.browser().get(PAGE)).status).toBe(404)
  })
})
