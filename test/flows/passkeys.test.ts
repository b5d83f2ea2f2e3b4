import type { Adapter } from "../../lib/adapters/adapter.js"
import { MemoryAdapter } from "../../lib/adapters/memory.js"
import Passkey from "../../lib/providers/passkey.js"
import WebAuthn from "../../lib/providers/webauthn.js"
import { describeServer, describeServers, TEST_SECRET } from "../support/apps.js"
import { createPasskey, usePasskey } from "../support/authenticator.js"
import type { Browser } from "../support/browser.js"
import { guardProcess } from "./support/guard.js"
import { askForLink, mailbox } from "./support/mail.js"
import { finish, optionsFor, register, signIn, startPasskeySite, toldOf } from "./support/passkeys.js"
import { sessionCookies, sessionOf } from "./support/site.js"

guardProcess()

const VERIFICATION = "/auth/error?error=WebAuthnVerificationError"

describeServers("A passkey", (start) => {
  it("is made for somebody new, and signs in from then on", async () => {
    const { app, adapter, records } = await startPasskeySite(start)
    const browser = app.browser()
    const { passkey, page } = await register(browser, app.origin, { email: " Ada@Example.com" })
    expect(page.location).toBe(`${app.origin}/me`)
    expect(await sessionOf(browser)).toMatchObject({ user: { email: "ada@example.com" } })
    const user = await adapter.getUserByEmail("ada@example.com")
    expect(user).toMatchObject({ emailVerified: null })

    const later = app.browser()
    expect((await signIn(later, passkey, app.origin)).location).toBe(`${app.origin}/me`)
    expect(await sessionOf(later)).toMatchObject({ user: { email: "ada@example.com" } })
    const [stored] = await adapter.listAuthenticatorsByUserId(String(user?.id))
    expect(stored).toMatchObject({ counter: 1, transports: "internal,hybrid", credentialDeviceType: "multiDevice" })
    // Standard base64, as Auth.js stores it.
    expect(stored?.credentialID).toBe(Buffer.from(passkey.id, "base64url").toString("base64"))
    expect(stored?.providerAccountId).toBe(stored?.credentialID)
    expect(toldOf(records)).toEqual([])
  })

  it("is added to whoever is signed in", async () => {
    const { app, adapter } = await startPasskeySite(start)
    const browser = app.browser()
    await register(browser, app.origin, { email: "ada@example.com" })
    const { passkey, page } = await register(browser, app.origin)
    expect(page.location).toBe(`${app.origin}/me`)
    const user = await adapter.getUserByEmail("ada@example.com")
    expect(await adapter.listAuthenticatorsByUserId(String(user?.id))).toHaveLength(2)
    const later = app.browser()
    await signIn(later, passkey, app.origin)
    expect(await sessionOf(later)).toMatchObject({ user: { email: "ada@example.com" } })
  })

  it("keeps database sessions too", async () => {
    const { app } = await startPasskeySite(start, { session: { strategy: "database" } })
    const browser = app.browser()
    const { passkey } = await register(browser, app.origin, { email: "ada@example.com" })
    const later = app.browser()
    await signIn(later, passkey, app.origin)
    expect(await sessionOf(later)).toMatchObject({ user: { email: "ada@example.com" } })
  })
})

describeServer("Passkeys", "Auth()", (start) => {
  const site = (config = {}) => startPasskeySite(start, config)

  /** Nobody is signed in, and the operator reads why. */
  async function expectRefused(
    page: { location: string },
    { app, records }: Awaited<ReturnType<typeof site>>,
    browser: Parameters<typeof sessionOf>[0],
  ): Promise<void> {
    expect(page.location).toBe(app.origin + VERIFICATION)
    expect(await sessionOf(browser)).toBeNull()
    expect(toldOf(records)).toEqual([["warn", "WebAuthnVerificationError"]])
  }

  /** Somebody with a passkey, and a browser of theirs that is signed out. */
  async function ada(config = {}, email = "ada@example.com") {
    const found = await site(config)
    const { passkey } = await register(found.app.browser(), found.app.origin, { email })
    found.records.length = 0
    return { ...found, passkey, browser: found.app.browser() }
  }

  it("WAN-01: an answer that is sent twice is refused", async () => {
    const found = await ada()
    const { options } = await optionsFor(found.browser, { action: "authenticate" })
    const credential = usePasskey(found.passkey, options, { origin: found.app.origin })
    const thief = found.browser.clone()
    expect((await finish(found.browser, "authenticate", credential)).location).toBe(`${found.app.origin}/me`)
    await expectRefused(await finish(thief, "authenticate", credential), found, thief)
  })

  it("WAN-01: a challenge is good for one answer, whatever came of it", async () => {
    const found = await ada()
    const { options } = await optionsFor(found.browser, { action: "authenticate" })
    const cookies = found.browser.clone()
    const wrong = usePasskey(found.passkey, options, { origin: "https://evil.test" })
    await finish(found.browser, "authenticate", wrong)
    found.records.length = 0
    const right = usePasskey(found.passkey, options, { origin: found.app.origin })
    await expectRefused(await finish(cookies, "authenticate", right), found, cookies)
  })

  it("a challenge is of the browser that asked for it", async () => {
    const found = await ada()
    const { options } = await optionsFor(found.browser, { action: "authenticate" })
    const other = found.app.browser()
    const credential = usePasskey(found.passkey, options, { origin: found.app.origin })
    await expectRefused(await finish(other, "authenticate", credential), found, other)
  })

  it("a challenge is for its purpose: one to register with signs nobody in", async () => {
    const found = await ada()
    const { options } = await optionsFor(found.browser, { action: "register", email: "new@example.com" })
    const credential = usePasskey(found.passkey, options, { origin: found.app.origin, rpId: options.rp.id })
    await expectRefused(await finish(found.browser, "authenticate", credential), found, found.browser)
  })

  it("ADV-13: a challenge is for its provider", async () => {
    const providers = [Passkey(), WebAuthn({ enableConditionalUI: false })]
    const found = await ada({ providers })
    const { options } = await optionsFor(found.browser, { action: "authenticate" }, "webauthn")
    const credential = usePasskey(found.passkey, options, { origin: found.app.origin })
    await expectRefused(await finish(found.browser, "authenticate", credential), found, found.browser)
  })

  it("a challenge is good for 15 minutes", async () => {
    let now = Date.now()
    const found = await ada({ clock: () => now })
    const { options } = await optionsFor(found.browser, { action: "authenticate" })
    now += 920_000
    const credential = usePasskey(found.passkey, options, { origin: found.app.origin })
    await expectRefused(await finish(found.browser, "authenticate", credential), found, found.browser)
  })

  it("several tabs can be at it at once", async () => {
    const { app, passkey, browser } = await ada()
    const first = await optionsFor(browser, { action: "authenticate" })
    await optionsFor(browser, { action: "authenticate" })
    const credential = usePasskey(passkey, first.options, { origin: app.origin })
    expect((await finish(browser, "authenticate", credential)).location).toBe(`${app.origin}/me`)
  })

  it.each([
    ["of another site", { origin: "https://evil.test" }],
    ["of a subdomain", { origin: "http://login.app.test" }],
    ["of another scheme", { origin: "https://app.test" }],
    ["in a frame of another site", { crossOrigin: true }],
    ["for another domain", { rpId: "evil.test" }],
    ["with another challenge", { challenge: "bm90IHRoZSBjaGFsbGVuZ2U" }],
  ])("WAN-02: an answer %s is refused", async (_, behaviour) => {
    const found = await ada()
    await expectRefused(await signIn(found.browser, found.passkey, found.app.origin, behaviour), found, found.browser)
    const stranger = found.app.browser()
    found.records.length = 0
    const { page } = await register(stranger, found.app.origin, { email: "new@example.com", behaviour })
    await expectRefused(page, found, stranger)
    expect(await found.adapter.getUserByEmail("new@example.com")).toBeNull()
  })

  it.each([9, 10])("WAN-04: a counter of %d after 10 is refused: there is a copy", async (counter) => {
    const found = await ada()
    await signIn(found.browser, found.passkey, found.app.origin, { counter: 10 })
    const other = found.app.browser()
    await expectRefused(await signIn(other, found.passkey, found.app.origin, { counter }), found, other)
    expect(found.text()).toMatch(/counter/)
  })

  it("WAN-04: a passkey that does not count goes on", async () => {
    const { app, passkey } = await ada()
    for (const browser of [app.browser(), app.browser()]) {
      await signIn(browser, passkey, app.origin, { counter: 0 })
      expect(await sessionOf(browser)).not.toBeNull()
    }
  })

  it("WAN-05: of two answers at once with one counter one wins", async () => {
    const { app, passkey } = await ada()
    const browsers = [app.browser(), app.browser()]
    const answers = await Promise.all(
      browsers.map(async (browser) => {
        const { options } = await optionsFor(browser, { action: "authenticate" })
        return usePasskey(passkey, options, { origin: app.origin, counter: 11 })
      }),
    )
    await Promise.all(browsers.map((browser, i) => finish(browser, "authenticate", answers[i])))
    const sessions = await Promise.all(browsers.map(sessionOf))
    expect(sessions.filter((session) => session !== null)).toHaveLength(1)
  })

  it("WAN-05: another process may have counted first", async () => {
    const found = await ada()
    const { getAuthenticator, updateAuthenticatorCounter } = found.adapter
    // Between our look and our write somebody else writes.
    const racing = {
      ...found.adapter,
      async updateAuthenticatorCounter(id: string, counter: number) {
        await updateAuthenticatorCounter(id, counter)
        return updateAuthenticatorCounter(id, counter)
      },
      getAuthenticator,
    }
    const { app, records } = await startPasskeySite(start, { adapter: racing })
    const browser = app.browser()
    const page = await signIn(browser, found.passkey, app.origin)
    await expectRefused(page, { ...found, app, records }, browser)
  })

  it("WAN-06: nobody is signed in whom the authenticator did not ask for a finger or a PIN", async () => {
    const found = await ada()
    const page = await signIn(found.browser, found.passkey, found.app.origin, { isVerified: false })
    await expectRefused(page, found, found.browser)
  })

  it("WAN-06: but where the application asks for none", async () => {
    const lax = { requireUserVerification: false }
    const provider = Passkey({ verifyAuthenticationOptions: lax, authenticationOptions: {} })
    const { app, passkey, browser } = await ada({ providers: [provider] })
    const { options } = await optionsFor(browser, { action: "authenticate" })
    expect(options.userVerification).toBe("preferred")
    await finish(browser, "authenticate", usePasskey(passkey, options, { origin: app.origin, isVerified: false }))
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it.each([{ action: "authenticate" }, { action: "register" }, {}])(
    "WAN-07: %j says nothing of whether an address has a user",
    async (query) => {
      const { app } = await ada({ providers: [WebAuthn({ id: "passkey" })] })
      const ask = (email: string) => optionsFor(app.browser(), { ...query, email })
      const shapeOf = ({ status, action, options }: Awaited<ReturnType<typeof ask>>) => ({
        status,
        action,
        members: Object.keys(options).sort(),
        allowed: options.allowCredentials?.map(({ id, ...rest }: { id: string }) => ({ length: id.length, ...rest })),
        excluded: options.excludeCredentials,
      })
      const [known, unknown] = [await ask("ada@example.com"), await ask("nobody@example.com")]
      expect(shapeOf(known)).toEqual(shapeOf(unknown))
    },
  )

  it("WAN-07: what stands in for passkeys that are not there is the same each time", async () => {
    const { app } = await site({ providers: [WebAuthn({ id: "passkey" })] })
    const ask = async (email: string) =>
      (await optionsFor(app.browser(), { action: "authenticate", email })).options.allowCredentials
    const once = await ask("nobody@example.com")
    expect(new Set(once.map(({ id }: { id: string }) => id)).size).toBe(once.length)
    expect(await ask("nobody@example.com")).toEqual(once)
    expect(await ask("somebody@example.com")).not.toEqual(once)
  })

  it("SEC-22: keys of every usual length, count and transport look like those of an address without a user", async () => {
    const { app } = await site({ providers: [WebAuthn({ id: "passkey" })], rateLimit: false })
    const key = (bytes: number) => Buffer.alloc(bytes, bytes).toString("base64url")
    const owners: [string, { id: string; transports: unknown }[]][] = [
      ["one@example.com", [{ id: key(16), transports: ["usb", "nfc"] }]],
      ["two@example.com", [20, 64].map((bytes) => ({ id: key(bytes), transports: [] }))],
      [
        "three@example.com",
        [
          { id: key(32), transports: ["internal", "hybrid"] },
          { id: Buffer.alloc(32, 1).toString("base64url"), transports: ["internal"] },
          { id: key(48), transports: null },
        ],
      ],
    ]
    for (const [email, keys] of owners) {
      const browser = app.browser()
      for (const [i, behaviour] of keys.entries())
        await register(browser, app.origin, { ...(i === 0 && { email }), behaviour })
    }
    const ask = async (email: string): Promise<{ id: string }[]> =>
      (await optionsFor(app.browser(), { action: "authenticate", email })).options.allowCredentials
    const shapeOf = (list: { id: string }[]) => list.map(({ id, ...rest }) => [id.length, rest])
    const unknown = await ask("nobody@example.com")
    for (const [email, keys] of owners) {
      const list = await ask(email)
      expect(shapeOf(list)).toEqual(shapeOf(unknown))
      const ids = list.map(({ id }) => id)
      expect(keys.filter(({ id }) => !ids.includes(id))).toEqual([])
    }
  })

  it("SEC-22: what stands for keys that are not there stays the same when a new secret is put first", async () => {
    const ask = async (secret: string | string[]): Promise<{ id: string }[]> => {
      const { app } = await site({ providers: [WebAuthn({ id: "passkey" })], secret })
      const { options } = await optionsFor(app.browser(), { action: "authenticate", email: "nobody@example.com" })
      return options.allowCredentials.map(({ id }: { id: string }) => id)
    }
    expect(await ask([`new ${TEST_SECRET}`, TEST_SECRET])).toEqual(await ask(TEST_SECRET))
    expect(await ask(`new ${TEST_SECRET}`)).not.toEqual(await ask(TEST_SECRET))
  })

  it("WAN-08: a passkey is not made for an address that another user has proved", async () => {
    const found = await ada()
    const user = await found.adapter.getUserByEmail("ada@example.com")
    await found.adapter.updateUser({ id: String(user?.id), emailVerified: new Date() })
    const stranger = found.app.browser()
    const { page } = await register(stranger, found.app.origin, { email: "ada@example.com" })
    expect(page.location).toContain("/auth/signin?error=AccountNotLinked")
    expect(await sessionOf(stranger)).toBeNull()
    expect(await found.adapter.listAuthenticatorsByUserId(String(user?.id))).toHaveLength(1)
  })

  it("SEC-15: a passkey for an address that was never proved makes a second user, without the address", async () => {
    const found = await ada()
    const owner = found.app.browser()
    const { page } = await register(owner, found.app.origin, { email: "ada@example.com" })
    expect(page.location).not.toContain("error=")
    const session = await sessionOf(owner)
    expect([session?.user !== undefined, session?.user?.["email"] ?? null]).toEqual([true, null])
    const user = await found.adapter.getUserByEmail("ada@example.com")
    expect(await found.adapter.listAuthenticatorsByUserId(String(user?.id))).toHaveLength(1)
  })

  it.each([
    ["a stranger", (_: Browser) => ({ email: "eve@example.com" })],
    [
      "somebody who is signed in",
      async (browser: Browser) => {
        await register(browser, "http://app.test", { email: "eve@example.com" })
        return {}
      },
    ],
  ])("a new key with the id of another's passkey gets %s nothing", async (_, prepare) => {
    const found = await ada()
    const eve = found.app.browser()
    const person = await prepare(eve)
    found.records.length = 0
    const { passkey, page } = await register(eve, found.app.origin, { ...person, behaviour: { id: found.passkey.id } })
    expect(page.location).toBe(found.app.origin + VERIFICATION)
    expect((await sessionOf(eve))?.user?.email).not.toBe("ada@example.com")
    expect(toldOf(found.records)).toEqual([["warn", "WebAuthnVerificationError"]])
    await signIn(found.app.browser(), passkey, found.app.origin, { counter: 100 })
    const owner = found.app.browser()
    await signIn(owner, found.passkey, found.app.origin)
    expect(await sessionOf(owner)).toMatchObject({ user: { email: "ada@example.com" } })
  })

  it("nor where another process has stored that id since we looked", async () => {
    const found = await ada()
    const late = { ...found.adapter, getAuthenticator: async () => null }
    const { app } = await startPasskeySite(start, { adapter: late })
    const eve = app.browser()
    const behaviour = { id: found.passkey.id }
    const { page } = await register(eve, app.origin, { email: "eve@example.com", behaviour })
    expect(page.location).toContain("error=AccountNotLinked")
    expect(await sessionOf(eve)).toBeNull()
  })

  it("nor does another provider take such a key", async () => {
    const providers = [Passkey(), WebAuthn({ enableConditionalUI: false })]
    const found = await ada({ providers })
    const eve = found.app.browser()
    const behaviour = { id: found.passkey.id }
    const { page } = await register(eve, found.app.origin, {
      email: "eve@example.com",
      behaviour,
      provider: "webauthn",
    })
    await expectRefused(page, found, eve)
    expect(await found.adapter.getUserByEmail("eve@example.com")).toBeNull()
  })

  describe("ACC-02: made for an address that is not one's own", () => {
    const mail = mailbox()
    const providers = [Passkey, mail.provider]
    const strategies = ["jwt", "database"] as const

    /** Opens a link for Ada's address that the browser asked for. */
    async function openLink(browser: Browser): Promise<void> {
      await askForLink(browser, "ada@example.com")
      await browser.get(mail.linkTo("ada@example.com"))
      expect(await sessionOf(browser)).toMatchObject({ user: { email: "ada@example.com" } })
    }

    it.each(strategies)("signs nobody in once the owner has opened a link (%s)", async (strategy) => {
      const found = await ada({ providers, session: { strategy } })
      await openLink(found.app.browser())
      const user = await found.adapter.getUserByEmail("ada@example.com")
      expect(await found.adapter.listAuthenticatorsByUserId(String(user?.id))).toEqual([])
      expect(toldOf(found.records)).toEqual([["warn", "accounts-unlinked"]])
      found.records.length = 0
      await expectRefused(await signIn(found.browser, found.passkey, found.app.origin), found, found.browser)
    })

    it.each(strategies)("stays with whoever is signed in when the link is opened (%s)", async (strategy) => {
      const found = await ada({ providers, session: { strategy } })
      await signIn(found.browser, found.passkey, found.app.origin)
      await openLink(found.browser)
      const later = found.app.browser()
      await signIn(later, found.passkey, found.app.origin)
      expect(await sessionOf(later)).toMatchObject({ user: { email: "ada@example.com" } })
      // From then on the address is theirs, wherever a link is opened.
      await openLink(found.app.browser())
      const again = found.app.browser()
      await signIn(again, found.passkey, found.app.origin)
      expect(await sessionOf(again)).not.toBeNull()
      expect(toldOf(found.records)).toEqual([])
    })
  })

  it("a registration that was begun by one person does not end with another", async () => {
    const { app, adapter } = await ada()
    const browser = app.browser()
    const { options } = await optionsFor(browser, { action: "register", email: "eve@example.com" })
    const { response } = createPasskey(options, { origin: app.origin })
    // Meanwhile somebody signs in, in another tab.
    await register(browser, app.origin, { email: "bob@example.com" })
    const page = await finish(browser, "register", response)
    expect(page.location).toBe(app.origin + VERIFICATION)
    const bob = await adapter.getUserByEmail("bob@example.com")
    expect(await adapter.listAuthenticatorsByUserId(String(bob?.id))).toHaveLength(1)
  })

  describe("with a session of somebody whom the store does not know", () => {
    const session = { strategy: "jwt" } as const

    /** Somebody whose token outlives what the store has of them. */
    async function forgotten(config = {}) {
      const found = await site({ session, ...config })
      const browser = found.app.browser()
      await register(browser, found.app.origin, { email: "bob@example.com" })
      found.records.length = 0
      return { ...found, browser }
    }

    it("is made as for anybody new", async () => {
      const { app, adapter, records, browser } = await forgotten()
      const before = await adapter.getUserByEmail("bob@example.com")
      await adapter.deleteUser(String(before?.id))
      const { page } = await register(browser, app.origin, { email: "bob@example.com" })
      expect(page.location).toBe(`${app.origin}/me`)
      const user = await adapter.getUserByEmail("bob@example.com")
      expect(user?.id).not.toBe(before?.id)
      expect(await adapter.listAuthenticatorsByUserId(String(user?.id))).toHaveLength(1)
      expect(toldOf(records)).toEqual([])
    })

    it("is not made for whom the store has lost since it was begun", async () => {
      const found = await forgotten()
      const { app, adapter, records, browser } = found
      const { options } = await optionsFor(browser, { action: "register" })
      const { response } = createPasskey(options, { origin: app.origin })
      const user = await adapter.getUserByEmail("bob@example.com")
      await adapter.deleteUser(String(user?.id))
      expect((await finish(browser, "register", response)).location).toBe(app.origin + VERIFICATION)
      expect(toldOf(records)).toEqual([["warn", "WebAuthnVerificationError"]])
    })

    it("is made, and its page asks for a sign-in, where the store can't even read the id", async () => {
      const adapter = MemoryAdapter()
      let isOther = false
      const getUser = async (id: string) => {
        if (isOther) throw new Error(`invalid input syntax for type uuid: "${id}"`)
        return adapter.getUser(id)
      }
      const { app, records, browser } = await forgotten({ adapter: { ...adapter, getUser } })
      isOther = true
      expect((await browser.get("/auth/passkeys")).location).toContain("error=SessionRequired")
      const { page } = await register(browser, app.origin, { email: "new@example.com" })
      expect(page.location).toBe(`${app.origin}/me`)
      expect(await adapter.getUserByEmail("new@example.com")).not.toBeNull()
      expect(new Set(toldOf(records).map(String))).toEqual(new Set(["warn,unreadable-user-id"]))
    })

    it("fails as a store does that fails, where sessions are kept in it", async () => {
      const adapter = MemoryAdapter()
      let isDown = false
      const getUser = async (id: string) => {
        if (isDown) throw new Error("the store is down")
        return adapter.getUser(id)
      }
      const session = { strategy: "database" }
      const { records, browser } = await forgotten({ session, adapter: { ...adapter, getUser } })
      isDown = true
      expect((await browser.get("/auth/passkeys")).location).toContain("error=Configuration")
      expect(toldOf(records)).toEqual([["error", "AdapterError"]])
    })
  })

  it("a passkey of one person does not sign in over another", async () => {
    const { app, passkey } = await ada()
    const bob = app.browser()
    await register(bob, app.origin, { email: "bob@example.com" })
    const page = await signIn(bob, passkey, app.origin)
    expect(page.location).toContain("error=AccountNotLinked")
    expect(await sessionOf(bob)).toMatchObject({ user: { email: "bob@example.com" } })
  })

  it("a passkey that was removed signs nobody in", async () => {
    const found = await ada()
    const id = Buffer.from(found.passkey.id, "base64url").toString("base64")
    await found.adapter.unlinkAccount({ provider: "passkey", providerAccountId: id })
    await expectRefused(await signIn(found.browser, found.passkey, found.app.origin), found, found.browser)
  })

  it.each([
    { action: "authenticate" },
    { action: "authenticate", data: "" },
    { action: "authenticate", data: "{" },
    { action: "authenticate", data: "[]" },
    { action: "authenticate", data: '{"id":5}' },
    { action: "authenticate", data: '{"id":"x"}' },
    { action: "authenticate", data: '{"id":"x","response":{"clientDataJSON":"bm8"}}' },
    { action: "steal", data: '{"id":"x","response":{"clientDataJSON":"eyJjaGFsbGVuZ2UiOiJ4In0"}}' },
    { data: '{"id":"x","response":{"clientDataJSON":"eyJjaGFsbGVuZ2UiOiJ4In0"}}' },
    {},
  ])("what can't be understood is a 400: %j", async (fields) => {
    const { app, records } = await site()
    const page = await app.browser().post("/auth/callback/passkey", fields as Record<string, string>)
    expect(page.status).toBe(400)
    expect(toldOf(records)).toEqual([["warn", "BadRequest"]])
  })

  it.each([
    { action: { toString: 1 }, data: "x" },
    { action: "register", data: { toString: 1 } },
    { action: ["register"], data: ["x"] },
  ])("what can't be understood is a 400, posted as JSON too: %j", async (fields) => {
    const { app, records } = await site()
    const page = await app.browser().postJson("/auth/callback/passkey", fields)
    expect(page.status).toBe(400)
    expect(toldOf(records)).toEqual([["warn", "BadRequest"]])
  })

  it("an answer with members that are none of WebAuthn's is refused, not a crash", async () => {
    const found = await ada()
    for (const response of [{}, { authenticatorData: 5 }, { authenticatorData: "AA", signature: [] }]) {
      const { options } = await optionsFor(found.browser, { action: "authenticate" })
      const good = usePasskey(found.passkey, options, { origin: found.app.origin })
      const { clientDataJSON } = good.response
      const bad = { ...good, response: { clientDataJSON, ...response } }
      found.records.length = 0
      await expectRefused(await finish(found.browser, "authenticate", bad), found, found.browser)
    }
  })

  it.each([
    [{ action: "steal" }, "Invalid action"],
    [{ action: "register" }, "Invalid request"],
    [{ action: "register", email: "no address" }, "Invalid request"],
    [{ action: "register", email: `${"a".repeat(250)}@b.test` }, "Invalid request"],
    [{ action: "register", email: "ada\u200B@example.com" }, "Invalid request"],
    [{ action: "register", email: "ada\0@example.com" }, "Invalid request"],
  ])("options for %j are a 400", async (query, error) => {
    const { app } = await site()
    expect(await optionsFor(app.browser(), query)).toEqual({ status: 400, error })
  })

  it("options ask for what the application demands", async () => {
    const { app } = await site()
    const { action, options } = await optionsFor(app.browser(), { action: "register", email: "ada@example.com" })
    expect(action).toBe("register")
    expect(options).toMatchObject({
      rp: { id: "app.test", name: "app.test" },
      user: { name: "ada@example.com" },
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      excludeCredentials: [],
      attestation: "none",
      timeout: 300_000,
    })
    const { options: request } = await optionsFor(app.browser())
    expect(request).toMatchObject({ rpId: "app.test", userVerification: "required" })
    expect(request).not.toHaveProperty("allowCredentials")
  })

  it("options are not kept by anybody, and a HEAD begins nothing", async () => {
    const { app } = await site()
    const browser = app.browser()
    const page = await browser.get("/auth/webauthn-options/passkey")
    expect(page.headers.get("cache-control")).toContain("no-store")
    const head = await app.browser().request("/auth/webauthn-options/passkey", { method: "HEAD" })
    expect([head.status, head.headers.getSetCookie()]).toEqual([200, []])
    expect((await browser.post("/auth/webauthn-options/passkey")).status).toBe(405)
  })

  it("a signed-in person's passkeys are left out of what can be made again", async () => {
    const { app, passkey } = await ada()
    const browser = app.browser()
    await signIn(browser, passkey, app.origin)
    const { options } = await optionsFor(browser, { action: "register" })
    expect(options.excludeCredentials).toMatchObject([{ id: passkey.id }])
    expect(options.user.name).toBe("ada@example.com")
    expect(await optionsFor(browser)).toEqual({ status: 400, error: "Invalid request" })
  })

  it("the site is the configured one", async () => {
    const relayingParty = { id: ["example.com"], name: "Example", origin: ["https://login.example.com"] }
    const { app } = await site({ providers: [Passkey({ relayingParty })] })
    const { options } = await optionsFor(app.browser(), { action: "register", email: "ada@example.com" })
    expect(options.rp).toEqual({ id: "example.com", name: "Example" })
    const browser = app.browser()
    const { page } = await register(browser, "https://login.example.com", { email: "ada@example.com" })
    expect(page.location).toBe(`${app.origin}/me`)
  })

  it("the application says who a request is about, and who may sign in", async () => {
    const seen: string[] = []
    const { app } = await site({
      providers: [
        Passkey({
          getUserInfo: async (_options, { query }) => ({
            user: { email: `${query.nick}@example.com`, name: query.nick },
            exists: false,
          }),
        }),
      ],
      callbacks: {
        signIn: ({ user, account }: { user: { name?: string | null }; account: { type: string } }) => {
          seen.push(`${user.name} by ${account.type}`)
          return user.name !== "eve"
        },
      },
    })
    const ask = async (nick: string) => {
      const browser = app.browser()
      const { options } = await optionsFor(browser, { action: "register", nick })
      const { response } = createPasskey(options, { origin: app.origin })
      return (await finish(browser, "register", response)).location
    }
    expect(await ask("ada")).toBe(`${app.origin}/me`)
    expect(await ask("eve")).toContain("error=AccessDenied")
    expect(seen).toEqual(["ada by webauthn", "eve by webauthn"])
  })

  it("is added by somebody whom the application knows by id, however large their picture is", async () => {
    const seen: unknown[] = []
    const callbacks = { signIn: ({ user }: { user: { id?: string } }) => seen.push(user.id) > 0 }
    const { app, adapter } = await site({ callbacks })
    const browser = app.browser()
    await register(browser, app.origin, { email: "ada@example.com" })
    const user = await adapter.getUserByEmail("ada@example.com")
    const id = String(user?.id)
    await adapter.updateUser({ id, image: `data:image/png;base64,${"A".repeat(6_000)}` })
    const { page } = await register(browser, app.origin)
    expect(page.location).toBe(`${app.origin}/me`)
    expect(seen.at(-1)).toBe(id)
    expect(await adapter.listAuthenticatorsByUserId(id)).toHaveLength(2)
  })

  it.each([
    ["usb"],
    [5],
    [["usb", 5, "x,y", "a".repeat(40), "smart-card"]],
    [["usb", { toString: 1 }, ["nfc"], "smart-card"]],
  ])("takes of %j what names a transport", async (transports) => {
    const { app, adapter } = await site()
    const { page } = await register(app.browser(), app.origin, {
      email: "ada@example.com",
      behaviour: { transports },
    })
    expect(page.location).toBe(`${app.origin}/me`)
    const user = await adapter.getUserByEmail("ada@example.com")
    const [stored] = await adapter.listAuthenticatorsByUserId(String(user?.id))
    expect(stored?.transports ?? null).toBe(Array.isArray(transports) ? "usb,smart-card" : null)
  })

  it("an id that is longer than WebAuthn has them is refused", async () => {
    const found = await site()
    const browser = found.app.browser()
    const behaviour = { id: Buffer.alloc(1024).toString("base64url") }
    const { page } = await register(browser, found.app.origin, { email: "ada@example.com", behaviour })
    await expectRefused(page, found, browser)
  })

  it("tells the application of the user, the account and the sign-in", async () => {
    const told: string[] = []
    const tell = (name: string) => () => void told.push(name)
    const events = { createUser: tell("createUser"), linkAccount: tell("linkAccount"), signIn: tell("signIn") }
    const { app } = await site({ events })
    await register(app.browser(), app.origin, { email: "ada@example.com" })
    expect(told).toEqual(["createUser", "linkAccount", "signIn"])
  })

  it("leaves nothing behind when the store fails in the middle", async () => {
    const { adapter } = await site()
    const createAuthenticator = () => Promise.reject(new Error("the disk is full"))
    const { transaction, ...withoutTransactions } = adapter
    const within: Adapter["transaction"] = (work) => transaction((inner) => work({ ...inner, createAuthenticator }))
    for (const store of [
      { ...adapter, createAuthenticator, transaction: within },
      { ...withoutTransactions, createAuthenticator },
    ]) {
      const { app } = await startPasskeySite(start, { adapter: store })
      const browser = app.browser()
      await register(browser, app.origin, { email: "ada@example.com" })
      expect(await sessionOf(browser)).toBeNull()
      expect(sessionCookies(browser)).toEqual([])
      expect(await adapter.getUserByEmail("ada@example.com")).toBeNull()
    }
  })
})
