import type { Adapter } from "../../../lib/adapters/adapter.js"
import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import Passkey from "../../../lib/providers/passkey.js"
import WebAuthn from "../../../lib/providers/webauthn.js"
import { describeServer, describeServers, TEST_SECRET } from "../../support/apps.js"
import { createPasskey, usePasskey } from "../../support/authenticator.js"
import type { Browser } from "../../support/browser.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, mailbox } from "../support/mail.js"
import { finish, loggedLevels, optionsFor, register, signIn, startPasskeySite } from "../support/passkeys.js"
import { sessionCookies, sessionOf } from "../support/site.js"

guardProcess()

const VERIFICATION = "/auth/error?error=WebAuthnVerificationError"

describeServers("passkeys", (start) => {
  it("registers a new user, who can then sign in with the passkey", async () => {
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
    expect(loggedLevels(records)).toEqual([])
  })

  it("adds a passkey to the signed-in user", async () => {
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

  it("supports database sessions", async () => {
    const { app } = await startPasskeySite(start, { session: { strategy: "database" } })
    const browser = app.browser()
    const { passkey } = await register(browser, app.origin, { email: "ada@example.com" })
    const later = app.browser()
    await signIn(later, passkey, app.origin)
    expect(await sessionOf(later)).toMatchObject({ user: { email: "ada@example.com" } })
  })
})

describeServer("passkeys", "Auth()", (start) => {
  const startSite = (config = {}) => startPasskeySite(start, config)

  /** Expects the error page, no session, and one warning in the log. */
  async function expectRefused(
    page: { location: string },
    { app, records }: Awaited<ReturnType<typeof startSite>>,
    browser: Parameters<typeof sessionOf>[0],
  ): Promise<void> {
    expect(page.location).toBe(app.origin + VERIFICATION)
    expect(await sessionOf(browser)).toBeNull()
    expect(loggedLevels(records)).toEqual([["warn", "WebAuthnVerificationError"]])
  }

  /** Registers a user with a passkey and returns a signed-out browser. */
  async function registerAda(config = {}, email = "ada@example.com") {
    const site = await startSite(config)
    const { passkey } = await register(site.app.browser(), site.app.origin, { email })
    site.records.length = 0
    return { ...site, passkey, browser: site.app.browser() }
  }

  it("WAN-01: rejects an assertion that is sent twice", async () => {
    const site = await registerAda()
    const { options } = await optionsFor(site.browser, { action: "authenticate" })
    const credential = usePasskey(site.passkey, options, { origin: site.app.origin })
    const thief = site.browser.clone()
    expect((await finish(site.browser, "authenticate", credential)).location).toBe(`${site.app.origin}/me`)
    await expectRefused(await finish(thief, "authenticate", credential), site, thief)
  })

  it("WAN-01: accepts a challenge only once, even after a failed attempt", async () => {
    const site = await registerAda()
    const { options } = await optionsFor(site.browser, { action: "authenticate" })
    const cookies = site.browser.clone()
    const wrong = usePasskey(site.passkey, options, { origin: "https://evil.test" })
    await finish(site.browser, "authenticate", wrong)
    site.records.length = 0
    const right = usePasskey(site.passkey, options, { origin: site.app.origin })
    await expectRefused(await finish(cookies, "authenticate", right), site, cookies)
  })

  it("rejects a challenge of another browser", async () => {
    const site = await registerAda()
    const { options } = await optionsFor(site.browser, { action: "authenticate" })
    const other = site.app.browser()
    const credential = usePasskey(site.passkey, options, { origin: site.app.origin })
    await expectRefused(await finish(other, "authenticate", credential), site, other)
  })

  it("rejects a registration challenge at sign-in", async () => {
    const site = await registerAda()
    const { options } = await optionsFor(site.browser, { action: "register", email: "new@example.com" })
    const credential = usePasskey(site.passkey, options, { origin: site.app.origin, rpId: options.rp.id })
    await expectRefused(await finish(site.browser, "authenticate", credential), site, site.browser)
  })

  it("ADV-13: rejects a challenge of another provider", async () => {
    const providers = [Passkey(), WebAuthn({ enableConditionalUI: false })]
    const site = await registerAda({ providers })
    const { options } = await optionsFor(site.browser, { action: "authenticate" }, "webauthn")
    const credential = usePasskey(site.passkey, options, { origin: site.app.origin })
    await expectRefused(await finish(site.browser, "authenticate", credential), site, site.browser)
  })

  it("rejects a challenge after 15 minutes", async () => {
    let now = Date.now()
    const site = await registerAda({ clock: () => now })
    const { options } = await optionsFor(site.browser, { action: "authenticate" })
    now += 920_000
    const credential = usePasskey(site.passkey, options, { origin: site.app.origin })
    await expectRefused(await finish(site.browser, "authenticate", credential), site, site.browser)
  })

  it("accepts the challenge of the first of two tabs", async () => {
    const { app, passkey, browser } = await registerAda()
    const first = await optionsFor(browser, { action: "authenticate" })
    await optionsFor(browser, { action: "authenticate" })
    const credential = usePasskey(passkey, first.options, { origin: app.origin })
    expect((await finish(browser, "authenticate", credential)).location).toBe(`${app.origin}/me`)
  })

  it.each([
    ["from another site", { origin: "https://evil.test" }],
    ["from a subdomain", { origin: "http://login.app.test" }],
    ["from another scheme", { origin: "https://app.test" }],
    ["from a cross-origin frame", { crossOrigin: true }],
    ["for another domain", { rpId: "evil.test" }],
    ["with another challenge", { challenge: "bm90IHRoZSBjaGFsbGVuZ2U" }],
  ])("WAN-02: rejects a response %s", async (_, behaviour) => {
    const site = await registerAda()
    await expectRefused(await signIn(site.browser, site.passkey, site.app.origin, behaviour), site, site.browser)
    const stranger = site.app.browser()
    site.records.length = 0
    const { page } = await register(stranger, site.app.origin, { email: "new@example.com", behaviour })
    await expectRefused(page, site, stranger)
    expect(await site.adapter.getUserByEmail("new@example.com")).toBeNull()
  })

  it.each([9, 10])("WAN-04: rejects a counter of %d after 10, the sign of a cloned passkey", async (counter) => {
    const site = await registerAda()
    await signIn(site.browser, site.passkey, site.app.origin, { counter: 10 })
    const other = site.app.browser()
    await expectRefused(await signIn(other, site.passkey, site.app.origin, { counter }), site, other)
    expect(site.text()).toMatch(/counter/)
  })

  it("WAN-04: accepts a passkey whose counter stays at 0", async () => {
    const { app, passkey } = await registerAda()
    for (const browser of [app.browser(), app.browser()]) {
      await signIn(browser, passkey, app.origin, { counter: 0 })
      expect(await sessionOf(browser)).not.toBeNull()
    }
  })

  it("WAN-05: accepts only one of two concurrent assertions with the same counter", async () => {
    const { app, passkey } = await registerAda()
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

  it("WAN-05: rejects an assertion if another process updates the counter first", async () => {
    const site = await registerAda()
    const { getAuthenticator, updateAuthenticatorCounter } = site.adapter
    // Another process writes between the read and the write.
    const racing = {
      ...site.adapter,
      async updateAuthenticatorCounter(id: string, counter: number) {
        await updateAuthenticatorCounter(id, counter)
        return updateAuthenticatorCounter(id, counter)
      },
      getAuthenticator,
    }
    const { app, records } = await startPasskeySite(start, { adapter: racing })
    const browser = app.browser()
    const page = await signIn(browser, site.passkey, app.origin)
    await expectRefused(page, { ...site, app, records }, browser)
  })

  it("WAN-06: rejects an assertion without user verification", async () => {
    const site = await registerAda()
    const page = await signIn(site.browser, site.passkey, site.app.origin, { isVerified: false })
    await expectRefused(page, site, site.browser)
  })

  it("WAN-06: accepts an assertion without user verification if that is configured", async () => {
    const lax = { requireUserVerification: false }
    const provider = Passkey({ verifyAuthenticationOptions: lax, authenticationOptions: {} })
    const { app, passkey, browser } = await registerAda({ providers: [provider] })
    const { options } = await optionsFor(browser, { action: "authenticate" })
    expect(options.userVerification).toBe("preferred")
    await finish(browser, "authenticate", usePasskey(passkey, options, { origin: app.origin, isVerified: false }))
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it.each([{ action: "authenticate" }, { action: "register" }, {}])(
    "WAN-07: options for %j do not reveal whether an address has a user",
    async (query) => {
      const { app } = await registerAda({ providers: [WebAuthn({ id: "passkey" })] })
      const requestOptions = (email: string) => optionsFor(app.browser(), { ...query, email })
      const shapeOf = ({ status, action, options }: Awaited<ReturnType<typeof requestOptions>>) => ({
        status,
        action,
        members: Object.keys(options).sort(),
        allowed: options.allowCredentials?.map(({ id, ...rest }: { id: string }) => ({ length: id.length, ...rest })),
        excluded: options.excludeCredentials,
      })
      const [known, unknown] = [await requestOptions("ada@example.com"), await requestOptions("nobody@example.com")]
      expect(shapeOf(known)).toEqual(shapeOf(unknown))
    },
  )

  it("WAN-07: decoy credential ids are the same at each request", async () => {
    const { app } = await startSite({ providers: [WebAuthn({ id: "passkey" })] })
    const requestOptions = async (email: string) =>
      (await optionsFor(app.browser(), { action: "authenticate", email })).options.allowCredentials
    const once = await requestOptions("nobody@example.com")
    expect(new Set(once.map(({ id }: { id: string }) => id)).size).toBe(once.length)
    expect(await requestOptions("nobody@example.com")).toEqual(once)
    expect(await requestOptions("somebody@example.com")).not.toEqual(once)
  })

  it("SEC-22: credentials of any usual length, number and transport look like those of an unknown address", async () => {
    const { app } = await startSite({ providers: [WebAuthn({ id: "passkey" })], rateLimit: false })
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
    const requestOptions = async (email: string): Promise<{ id: string }[]> =>
      (await optionsFor(app.browser(), { action: "authenticate", email })).options.allowCredentials
    const shapeOf = (list: { id: string }[]) => list.map(({ id, ...rest }) => [id.length, rest])
    const unknown = await requestOptions("nobody@example.com")
    for (const [email, keys] of owners) {
      const list = await requestOptions(email)
      expect(shapeOf(list)).toEqual(shapeOf(unknown))
      const ids = list.map(({ id }) => id)
      expect(keys.filter(({ id }) => !ids.includes(id))).toEqual([])
    }
  })

  it("SEC-22: decoy credential ids stay the same when a new first secret is added", async () => {
    const requestOptions = async (secret: string | string[]): Promise<{ id: string }[]> => {
      const { app } = await startSite({ providers: [WebAuthn({ id: "passkey" })], secret })
      const { options } = await optionsFor(app.browser(), { action: "authenticate", email: "nobody@example.com" })
      return options.allowCredentials.map(({ id }: { id: string }) => id)
    }
    expect(await requestOptions([`new ${TEST_SECRET}`, TEST_SECRET])).toEqual(await requestOptions(TEST_SECRET))
    expect(await requestOptions(`new ${TEST_SECRET}`)).not.toEqual(await requestOptions(TEST_SECRET))
  })

  it("WAN-08: rejects a registration for an address that another user has verified", async () => {
    const site = await registerAda()
    const user = await site.adapter.getUserByEmail("ada@example.com")
    await site.adapter.updateUser({ id: String(user?.id), emailVerified: new Date() })
    const stranger = site.app.browser()
    const { page } = await register(stranger, site.app.origin, { email: "ada@example.com" })
    expect(page.location).toContain("/auth/signin?error=AccountNotLinked")
    expect(await sessionOf(stranger)).toBeNull()
    expect(await site.adapter.listAuthenticatorsByUserId(String(user?.id))).toHaveLength(1)
  })

  it("SEC-15: a registration for an unverified address creates a second user without the address", async () => {
    const site = await registerAda()
    const owner = site.app.browser()
    const { page } = await register(owner, site.app.origin, { email: "ada@example.com" })
    expect(page.location).not.toContain("error=")
    const session = await sessionOf(owner)
    expect([session?.user !== undefined, session?.user?.["email"] ?? null]).toEqual([true, null])
    const user = await site.adapter.getUserByEmail("ada@example.com")
    expect(await site.adapter.listAuthenticatorsByUserId(String(user?.id))).toHaveLength(1)
  })

  it.each([
    ["a signed-out visitor", (_: Browser) => ({ email: "eve@example.com" })],
    [
      "a signed-in user",
      async (browser: Browser) => {
        await register(browser, "http://app.test", { email: "eve@example.com" })
        return {}
      },
    ],
  ])("rejects a new key with the id of another user's passkey, from %s", async (_, prepare) => {
    const site = await registerAda()
    const eve = site.app.browser()
    const fields = await prepare(eve)
    site.records.length = 0
    const { passkey, page } = await register(eve, site.app.origin, { ...fields, behaviour: { id: site.passkey.id } })
    expect(page.location).toBe(site.app.origin + VERIFICATION)
    expect((await sessionOf(eve))?.user?.email).not.toBe("ada@example.com")
    expect(loggedLevels(site.records)).toEqual([["warn", "WebAuthnVerificationError"]])
    await signIn(site.app.browser(), passkey, site.app.origin, { counter: 100 })
    const owner = site.app.browser()
    await signIn(owner, site.passkey, site.app.origin)
    expect(await sessionOf(owner)).toMatchObject({ user: { email: "ada@example.com" } })
  })

  it("rejects a credential id that another process stores in the meantime", async () => {
    const site = await registerAda()
    const racing = { ...site.adapter, getAuthenticator: async () => null }
    const { app } = await startPasskeySite(start, { adapter: racing })
    const eve = app.browser()
    const behaviour = { id: site.passkey.id }
    const { page } = await register(eve, app.origin, { email: "eve@example.com", behaviour })
    expect(page.location).toContain("error=AccountNotLinked")
    expect(await sessionOf(eve)).toBeNull()
  })

  it("rejects a credential id that is registered with another provider", async () => {
    const providers = [Passkey(), WebAuthn({ enableConditionalUI: false })]
    const site = await registerAda({ providers })
    const eve = site.app.browser()
    const behaviour = { id: site.passkey.id }
    const { page } = await register(eve, site.app.origin, {
      email: "eve@example.com",
      behaviour,
      provider: "webauthn",
    })
    await expectRefused(page, site, eve)
    expect(await site.adapter.getUserByEmail("eve@example.com")).toBeNull()
  })

  describe("ACC-02: passkey of an unverified address", () => {
    const mail = mailbox()
    const providers = [Passkey, mail.provider]
    const strategies = ["jwt", "database"] as const

    /** Requests an email link for Ada's address in this browser, and opens it. */
    async function openLink(browser: Browser): Promise<void> {
      await askForLink(browser, "ada@example.com")
      await browser.get(mail.linkTo("ada@example.com"))
      expect(await sessionOf(browser)).toMatchObject({ user: { email: "ada@example.com" } })
    }

    it.each(strategies)("is deleted when the owner opens an email link in another browser (%s)", async (strategy) => {
      const site = await registerAda({ providers, session: { strategy } })
      await openLink(site.app.browser())
      const user = await site.adapter.getUserByEmail("ada@example.com")
      expect(await site.adapter.listAuthenticatorsByUserId(String(user?.id))).toEqual([])
      expect(loggedLevels(site.records)).toEqual([["warn", "accounts-unlinked"]])
      site.records.length = 0
      await expectRefused(await signIn(site.browser, site.passkey, site.app.origin), site, site.browser)
    })

    it.each(strategies)("is kept if the email link is opened in the signed-in browser (%s)", async (strategy) => {
      const site = await registerAda({ providers, session: { strategy } })
      await signIn(site.browser, site.passkey, site.app.origin)
      await openLink(site.browser)
      const later = site.app.browser()
      await signIn(later, site.passkey, site.app.origin)
      expect(await sessionOf(later)).toMatchObject({ user: { email: "ada@example.com" } })
      // The address is verified now, so a link in another browser keeps the passkey too.
      await openLink(site.app.browser())
      const again = site.app.browser()
      await signIn(again, site.passkey, site.app.origin)
      expect(await sessionOf(again)).not.toBeNull()
      expect(loggedLevels(site.records)).toEqual([])
    })
  })

  it("rejects a registration if another user signed in after its start", async () => {
    const { app, adapter } = await registerAda()
    const browser = app.browser()
    const { options } = await optionsFor(browser, { action: "register", email: "eve@example.com" })
    const { response } = createPasskey(options, { origin: app.origin })
    // Bob signs in in another tab.
    await register(browser, app.origin, { email: "bob@example.com" })
    const page = await finish(browser, "register", response)
    expect(page.location).toBe(app.origin + VERIFICATION)
    const bob = await adapter.getUserByEmail("bob@example.com")
    expect(await adapter.listAuthenticatorsByUserId(String(bob?.id))).toHaveLength(1)
  })

  describe("with a session of a user that the adapter does not know", () => {
    const session = { strategy: "jwt" } as const

    /** Registers Bob with a session that outlives his user in the adapter. */
    async function registerBob(config = {}) {
      const site = await startSite({ session, ...config })
      const browser = site.app.browser()
      await register(browser, site.app.origin, { email: "bob@example.com" })
      site.records.length = 0
      return { ...site, browser }
    }

    it("registers a new user", async () => {
      const { app, adapter, records, browser } = await registerBob()
      const before = await adapter.getUserByEmail("bob@example.com")
      await adapter.deleteUser(String(before?.id))
      const { page } = await register(browser, app.origin, { email: "bob@example.com" })
      expect(page.location).toBe(`${app.origin}/me`)
      const user = await adapter.getUserByEmail("bob@example.com")
      expect(user?.id).not.toBe(before?.id)
      expect(await adapter.listAuthenticatorsByUserId(String(user?.id))).toHaveLength(1)
      expect(loggedLevels(records)).toEqual([])
    })

    it("rejects a registration if the user was deleted after its start", async () => {
      const site = await registerBob()
      const { app, adapter, records, browser } = site
      const { options } = await optionsFor(browser, { action: "register" })
      const { response } = createPasskey(options, { origin: app.origin })
      const user = await adapter.getUserByEmail("bob@example.com")
      await adapter.deleteUser(String(user?.id))
      expect((await finish(browser, "register", response)).location).toBe(app.origin + VERIFICATION)
      expect(loggedLevels(records)).toEqual([["warn", "WebAuthnVerificationError"]])
    })

    it("registers a new user, and the passkey page asks for a sign-in, if the adapter cannot parse the user id", async () => {
      const adapter = MemoryAdapter()
      let isReplaced = false
      const getUser = async (id: string) => {
        if (isReplaced) throw new Error(`invalid input syntax for type uuid: "${id}"`)
        return adapter.getUser(id)
      }
      const { app, records, browser } = await registerBob({ adapter: { ...adapter, getUser } })
      isReplaced = true
      expect((await browser.get("/auth/passkeys")).location).toContain("error=SessionRequired")
      const { page } = await register(browser, app.origin, { email: "new@example.com" })
      expect(page.location).toBe(`${app.origin}/me`)
      expect(await adapter.getUserByEmail("new@example.com")).not.toBeNull()
      expect(new Set(loggedLevels(records).map(String))).toEqual(new Set(["warn,unreadable-user-id"]))
    })

    it("reports an adapter failure with database sessions", async () => {
      const adapter = MemoryAdapter()
      let isDown = false
      const getUser = async (id: string) => {
        if (isDown) throw new Error("the store is down")
        return adapter.getUser(id)
      }
      const session = { strategy: "database" }
      const { records, browser } = await registerBob({ session, adapter: { ...adapter, getUser } })
      isDown = true
      expect((await browser.get("/auth/passkeys")).location).toContain("error=Configuration")
      expect(loggedLevels(records)).toEqual([["error", "AdapterError"]])
    })
  })

  it("rejects another user's passkey if a user is signed in", async () => {
    const { app, passkey } = await registerAda()
    const bob = app.browser()
    await register(bob, app.origin, { email: "bob@example.com" })
    const page = await signIn(bob, passkey, app.origin)
    expect(page.location).toContain("error=AccountNotLinked")
    expect(await sessionOf(bob)).toMatchObject({ user: { email: "bob@example.com" } })
  })

  it("rejects a passkey that was removed", async () => {
    const site = await registerAda()
    const id = Buffer.from(site.passkey.id, "base64url").toString("base64")
    await site.adapter.unlinkAccount({ provider: "passkey", providerAccountId: id })
    await expectRefused(await signIn(site.browser, site.passkey, site.app.origin), site, site.browser)
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
  ])("responds 400 to a malformed form: %j", async (fields) => {
    const { app, records } = await startSite()
    const page = await app.browser().post("/auth/callback/passkey", fields as Record<string, string>)
    expect(page.status).toBe(400)
    expect(loggedLevels(records)).toEqual([["warn", "BadRequest"]])
  })

  it.each([
    { action: { toString: 1 }, data: "x" },
    { action: "register", data: { toString: 1 } },
    { action: ["register"], data: ["x"] },
  ])("responds 400 to malformed JSON: %j", async (fields) => {
    const { app, records } = await startSite()
    const page = await app.browser().postJson("/auth/callback/passkey", fields)
    expect(page.status).toBe(400)
    expect(loggedLevels(records)).toEqual([["warn", "BadRequest"]])
  })

  it("rejects a response with malformed members", async () => {
    const site = await registerAda()
    for (const response of [{}, { authenticatorData: 5 }, { authenticatorData: "AA", signature: [] }]) {
      const { options } = await optionsFor(site.browser, { action: "authenticate" })
      const valid = usePasskey(site.passkey, options, { origin: site.app.origin })
      const { clientDataJSON } = valid.response
      const malformed = { ...valid, response: { clientDataJSON, ...response } }
      site.records.length = 0
      await expectRefused(await finish(site.browser, "authenticate", malformed), site, site.browser)
    }
  })

  it.each([
    [{ action: "steal" }, "Invalid action"],
    [{ action: "register" }, "Invalid request"],
    [{ action: "register", email: "no address" }, "Invalid request"],
    [{ action: "register", email: `${"a".repeat(250)}@b.test` }, "Invalid request"],
    [{ action: "register", email: "ada\u200B@example.com" }, "Invalid request"],
    [{ action: "register", email: "ada\0@example.com" }, "Invalid request"],
  ])("responds 400 to a request for options with %j", async (query, error) => {
    const { app } = await startSite()
    expect(await optionsFor(app.browser(), query)).toEqual({ status: 400, error })
  })

  it("options require a discoverable passkey and user verification by default", async () => {
    const { app } = await startSite()
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

  it("options are not cacheable, and a HEAD request creates no challenge", async () => {
    const { app } = await startSite()
    const browser = app.browser()
    const page = await browser.get("/auth/webauthn-options/passkey")
    expect(page.headers.get("cache-control")).toContain("no-store")
    const head = await app.browser().request("/auth/webauthn-options/passkey", { method: "HEAD" })
    expect([head.status, head.headers.getSetCookie()]).toEqual([200, []])
    expect((await browser.post("/auth/webauthn-options/passkey")).status).toBe(405)
  })

  it("options exclude the existing passkeys of the signed-in user", async () => {
    const { app, passkey } = await registerAda()
    const browser = app.browser()
    await signIn(browser, passkey, app.origin)
    const { options } = await optionsFor(browser, { action: "register" })
    expect(options.excludeCredentials).toMatchObject([{ id: passkey.id }])
    expect(options.user.name).toBe("ada@example.com")
    expect(await optionsFor(browser)).toEqual({ status: 400, error: "Invalid request" })
  })

  it("uses the configured relying party", async () => {
    const relayingParty = { id: ["example.com"], name: "Example", origin: ["https://login.example.com"] }
    const { app } = await startSite({ providers: [Passkey({ relayingParty })] })
    const { options } = await optionsFor(app.browser(), { action: "register", email: "ada@example.com" })
    expect(options.rp).toEqual({ id: "example.com", name: "Example" })
    const browser = app.browser()
    const { page } = await register(browser, "https://login.example.com", { email: "ada@example.com" })
    expect(page.location).toBe(`${app.origin}/me`)
  })

  it("uses the user from getUserInfo and the decision of the signIn callback", async () => {
    const seen: string[] = []
    const { app } = await startSite({
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
    const registerAs = async (nick: string) => {
      const browser = app.browser()
      const { options } = await optionsFor(browser, { action: "register", nick })
      const { response } = createPasskey(options, { origin: app.origin })
      return (await finish(browser, "register", response)).location
    }
    expect(await registerAs("ada")).toBe(`${app.origin}/me`)
    expect(await registerAs("eve")).toContain("error=AccessDenied")
    expect(seen).toEqual(["ada by webauthn", "eve by webauthn"])
  })

  it("adds a passkey to a user with a large image and passes the user id to the signIn callback", async () => {
    const seen: unknown[] = []
    const callbacks = { signIn: ({ user }: { user: { id?: string } }) => seen.push(user.id) > 0 }
    const { app, adapter } = await startSite({ callbacks })
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
  ])("stores only the valid transports of %j", async (transports) => {
    const { app, adapter } = await startSite()
    const { page } = await register(app.browser(), app.origin, {
      email: "ada@example.com",
      behaviour: { transports },
    })
    expect(page.location).toBe(`${app.origin}/me`)
    const user = await adapter.getUserByEmail("ada@example.com")
    const [stored] = await adapter.listAuthenticatorsByUserId(String(user?.id))
    expect(stored?.transports ?? null).toBe(Array.isArray(transports) ? "usb,smart-card" : null)
  })

  it("rejects a credential id that is longer than WebAuthn allows", async () => {
    const site = await startSite()
    const browser = site.app.browser()
    const behaviour = { id: Buffer.alloc(1024).toString("base64url") }
    const { page } = await register(browser, site.app.origin, { email: "ada@example.com", behaviour })
    await expectRefused(page, site, browser)
  })

  it("emits createUser, linkAccount and signIn at a registration", async () => {
    const emitted: string[] = []
    const record = (name: string) => () => void emitted.push(name)
    const events = { createUser: record("createUser"), linkAccount: record("linkAccount"), signIn: record("signIn") }
    const { app } = await startSite({ events })
    await register(app.browser(), app.origin, { email: "ada@example.com" })
    expect(emitted).toEqual(["createUser", "linkAccount", "signIn"])
  })

  it("creates neither a user nor a session if the adapter fails during a registration", async () => {
    const { adapter } = await startSite()
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
