import { createHash, createHmac } from "node:crypto"
import type { Adapter, VerificationToken } from "../../../lib/adapters/adapter.js"
import { describeServer, TEST_SECRET } from "../../support/apps.js"
import { describeStores, type OpenStore } from "../../support/stores.js"
import { guardProcess } from "../support/guard.js"
import {
  askForLink,
  confirmLink,
  errorOf,
  type MailSite,
  mailbox,
  openLink,
  signInByMail,
  startMailSite,
} from "../support/mail.js"
import { memoryStore } from "../support/memory-adapter.js"
import { param, sessionCookies, sessionOf, withParams } from "../support/site.js"

guardProcess()

const ADA = "ada@example.com"
const SECONDS = 1000
const HOME = "http://app.test/"
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
/** The hash that the adapter stores for a token. */
const storedHash = (token: string, secret = TEST_SECRET) =>
  createHmac("sha256", secret).update(`latchkey.email-link ${token}`).digest("hex")

/** The numbers of users, sessions and valid links. */
const rowCounts = ({ store }: MailSite) => [store.users.size, store.sessions.size, store.links.length]

describeServer("A sign-in link", "Auth()", (start) => {
  /** Starts a site and requests a link. */
  async function requestLink(options: Parameters<typeof startMailSite>[1] = {}) {
    const site = await startMailSite(start, options)
    const browser = site.browser()
    await askForLink(browser, ADA)
    return { site, browser, link: site.mail.linkTo(ADA) }
  }

  it("EML-06: has a token of 256 random bits, of which only a keyed hash is stored", async () => {
    const { site } = await requestLink()
    for (let i = 0; i < 4; i++) await askForLink(site.browser(), `user-${i}@example.com`)
    const tokens = site.mail.sent.map(({ token }) => token)
    expect(new Set(tokens).size).toBe(5)
    for (const token of tokens) expect(token).toMatch(/^[0-9a-f]{64}$/)
    expect(site.store.links.map(({ token }) => token)).toEqual(tokens.map((token) => storedHash(token)))
    expect(site.store.links.map(({ identifier }) => identifier)).toEqual(site.mail.sent.map((sent) => sent.identifier))
  })

  it("contains the encrypted return URL, the token and the address, in this order", async () => {
    const site = await startMailSite(start)
    await askForLink(site.browser(), ADA, { callbackUrl: "/cart?a=1&b=ü" })
    const [sent] = site.mail.sent
    const { origin, pathname, searchParams } = new URL(sent?.url ?? "")
    expect(origin + pathname).toBe("http://app.test/auth/callback/mail")
    expect([...searchParams]).toEqual([
      ["state", expect.stringMatching(/^eyJ[\w.-]+$/)],
      ["token", sent?.token],
      ["email", ADA],
    ])
    expect(sent?.expires).toEqual(site.store.links[0]?.expires)
  })

  it("has the token of generateVerificationToken, synchronous or asynchronous", async () => {
    let count = 0
    for (const generateVerificationToken of [() => `own-${++count}`, async () => `own-${++count}`]) {
      const { site, browser, link } = await requestLink({ mail: { generateVerificationToken } })
      expect(param(link, "token")).toBe(`own-${count}`)
      expect(site.store.links).toMatchObject([{ token: storedHash(`own-${count}`) }])
      await browser.get(link)
      expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
    }
  })

  it("has a random token if generateVerificationToken returns nothing", async () => {
    for (const generateVerificationToken of [() => "", async () => undefined as unknown as string]) {
      const { link } = await requestLink({ mail: { generateVerificationToken } })
      expect(param(link, "token")).toMatch(/^[0-9a-f]{64}$/)
    }
  })

  it.each<[string, () => unknown]>([
    ["an object", () => ({ token: Math.random() })],
    ["a function", () => () => "own"],
    ["true", async () => true],
  ])(
    "is not sent if generateVerificationToken returns %s, which would be the same string for all users",
    async (_, generate) => {
      const site = await startMailSite(start, { mail: { generateVerificationToken: generate as () => string } })
      const page = await askForLink(site.browser(), ADA)
      expect(page.location).toMatch(/\/auth\/error\?error=Configuration$/)
      expect([site.mail.sent, site.store.links]).toEqual([[], []])
      expect(site.failures()).toMatchObject([
        { error: { cause: { err: { message: expect.stringContaining("must return a string or a number") } } } },
      ])
    },
  )

  it.each([
    ["the secret of the provider", { mail: { secret: "of-the-mail" } }, "of-the-mail"],
    [
      "the first of several secrets",
      { config: { secret: [`fresh ${TEST_SECRET}`, TEST_SECRET] } },
      `fresh ${TEST_SECRET}`,
    ],
  ])("is hashed with %s", async (_name, options, secret) => {
    const { site, browser, link } = await requestLink(options)
    expect(site.store.links).toMatchObject([{ token: storedHash(param(link, "token"), secret) }])
    await browser.get(link)
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it.each([
    ["with the only secret", storedHash("a-token")],
    ["by Auth.js with the only secret", sha256(`a-token${TEST_SECRET}`)],
    ["by Auth.js with a list of secrets", sha256(`a-tokennew ${TEST_SECRET},${TEST_SECRET}`)],
    ["with the first of the secrets", storedHash("a-token", `new ${TEST_SECRET}`)],
  ])("works after a secret was added if it was stored %s", async (_name, token) => {
    const site = await startMailSite(start, { config: { secret: [`new ${TEST_SECRET}`, TEST_SECRET] } })
    const expires = new Date(site.time.now + 60 * SECONDS)
    site.store.links.push({ identifier: ADA, token, expires })
    const browser = site.browser()
    const landed = await confirmLink(browser, `/auth/callback/mail?token=a-token&email=${ADA}`)
    expect([landed.location, site.store.links]).toEqual([HOME, []])
    expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
  })

  it("SEC-22: cannot be forged by storing the hash of a browser's CSRF cookie", async () => {
    const site = await startMailSite(start)
    const browser = site.browser()
    const token = await browser.csrf()
    const [, hash = ""] = decodeURIComponent(browser.cookie("authjs.csrf-token") ?? "").split("|")
    expect(hash).toBe(sha256(token + TEST_SECRET))
    site.store.links.push({ identifier: ADA, token: hash, expires: new Date(site.time.now + 60 * SECONDS) })
    const landed = await confirmLink(browser, `/auth/callback/mail?token=${token}&email=${ADA}`)
    expect(errorOf(landed)).toBe("Verification")
    expect([await sessionOf(browser), site.store.users.size]).toEqual([null, 0])
  })

  it("SEC-22: works if Auth.js stored it, until the last such link has expired", async () => {
    const site = await startMailSite(start)
    const open = () => {
      const expires = new Date(site.time.now + 60 * SECONDS)
      site.store.links.push({ identifier: ADA, token: sha256(`${"0".repeat(64)}${TEST_SECRET}`), expires })
      return confirmLink(site.browser(), `/auth/callback/mail?token=${"0".repeat(64)}&email=${ADA}`)
    }
    expect((await open()).location).toBe(HOME)
    site.time.now += (86_400 + 3_600) * SECONDS
    expect((await open()).location).toBe(HOME)
    site.time.now += SECONDS
    expect(errorOf(await open())).toBe("Verification")
  })

  it("does not work with a secret that is no longer in the list", async () => {
    const { link, site } = await requestLink()
    const other = await startMailSite(start, { store: site.store, config: { secret: `new ${TEST_SECRET}` } })
    expect(errorOf(await confirmLink(other.browser(), link))).toBe("Verification")
    expect(rowCounts(site)).toEqual([0, 0, 1])
  })

  it("EML-05: is valid for exactly maxAge, one day by default", async () => {
    for (const [mail, seconds] of [
      [{}, 86_400],
      [{ maxAge: 600 }, 600],
      [{ options: { maxAge: 90 } }, 90],
    ] as const) {
      const { site, browser, link } = await requestLink({ mail })
      expect(site.mail.sent[0]?.expires.getTime()).toBe(site.time.now + seconds * SECONDS)
      site.time.now += seconds * SECONDS
      await openLink(browser, link)
      expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
      const late = site.browser()
      await askForLink(late, ADA)
      site.time.now += seconds * SECONDS + 1
      site.forget()
      const page = await confirmLink(late, site.mail.linkTo(ADA))
      expect([page.location, sessionCookies(late)]).toEqual(["http://app.test/auth/error?error=Verification", []])
      expect(site.failures().map(({ level, code }) => [level, code])).toEqual([["warn", "Verification"]])
      expect(site.failures()[0]?.error?.message).toBe("a sign-in link is expired")
      expect(site.store.links).toEqual([])
    }
  })

  it.each([
    ["an ISO date", (expires: Date) => expires.toISOString()],
    ["a number", (expires: Date) => expires.getTime()],
  ])("EML-05: expires if the adapter returns %s as its expiry", async (_name, formatExpiry) => {
    const site = await startMailSite(start, {
      over: readingLinks((link) => ({ ...link, expires: formatExpiry(link.expires) })),
    })
    expect((await signInByMail(site, site.browser(), ADA)).location).toBe(HOME)
    const late = site.browser()
    await askForLink(late, ADA)
    site.time.now += 86_400 * SECONDS + 1
    expect(errorOf(await confirmLink(late, site.mail.linkTo(ADA)))).toBe("Verification")
  })

  it.each([undefined, null, "soon", Number.NaN, {}])("EML-05: is invalid if its expiry is %j", async (expires) => {
    const site = await startMailSite(start, { over: readingLinks((link) => ({ ...link, expires })) })
    expect(errorOf(await signInByMail(site, site.browser(), ADA))).toBe("Verification")
    expect(rowCounts(site)).toEqual([0, 0, 0])
  })

  it("works once", async () => {
    const { site, browser, link } = await requestLink()
    await browser.get(link)
    expect(await sessionOf(browser)).not.toBeNull()
    const [session] = sessionCookies(browser)
    site.forget()
    const used = site.browser()
    for (const { name, value } of browser.cookies()) if (!name.includes("session")) used.setCookie(name, value)
    for (const other of [used, site.browser()]) {
      const page = await confirmLink(other, link)
      expect(page.location).toBe("http://app.test/auth/error?error=Verification")
    }
    expect(sessionCookies(browser)).toEqual([session])
    expect(site.events).toEqual([])
    expect(site.failures().map(({ code }) => code)).toEqual(["Verification", "Verification"])
    expect(site.store.sessions.size).toBe(1)
  })

  it("ADV-24: creates one session for two concurrent requests, in each of 50 attempts", async () => {
    const site = await startMailSite(start, { config: { rateLimit: false } })
    for (let i = 0; i < 50; i++) {
      const [browser, address] = [site.browser(), `user-${i}@example.com`]
      await askForLink(browser, address)
      const [clone, link] = [browser.clone(), site.mail.linkTo(address)]
      const pages = await Promise.all([browser.get(link), clone.get(link)])
      expect(pages.map((page) => errorOf(page)).sort()).toEqual(["", "Verification"])
      expect([...sessionCookies(browser), ...sessionCookies(clone)]).toHaveLength(1)
    }
    expect(rowCounts(site)).toEqual([50, 50, 0])
  })

  it.each<[string, (link: string) => string, message: string]>([
    [
      "another token",
      (link) => withParams(link, { token: "0".repeat(64) }),
      "a sign-in link is unknown or already used",
    ],
    [
      "the stored hash as the token",
      (link) => withParams(link, { token: storedHash(param(link, "token")) }),
      "a sign-in link is unknown or already used",
    ],
    [
      "another address",
      (link) => withParams(link, { email: "bob@example.com" }),
      "a sign-in link is unknown or already used",
    ],
    [
      "the address in another case",
      (link) => withParams(link, { email: "ADA@example.com" }),
      "a sign-in link is unknown or already used",
    ],
    [
      "a NUL in the address",
      (link) => withParams(link, { email: `${ADA}\0` }),
      "a sign-in link has an address with invisible characters",
    ],
    ["no token", (link) => withParams(link, { token: undefined }), "a sign-in link has no token"],
    ["an empty token", (link) => withParams(link, { token: "" }), "a sign-in link has no token"],
    [
      "neither token nor address",
      (link) => withParams(link, { token: undefined, email: undefined }),
      "a sign-in link has no token",
    ],
  ])("is invalid with %s, and the stored link is not used", async (_name, change, message) => {
    const { site, browser, link } = await requestLink()
    site.forget()
    const landed = await openLink(browser, change(link))
    expect(landed.location).toBe("http://app.test/auth/error?error=Verification")
    expect(site.failures()).toMatchObject([{ level: "warn", error: { message, cause: { provider: "mail" } } }])
    expect([rowCounts(site), sessionCookies(browser), site.events]).toEqual([[0, 0, 1], [], []])
    await openLink(browser, link)
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it("is invalid at another provider", async () => {
    const second = mailbox({ id: "second", secret: "another secret than the first provider's" })
    const first = mailbox()
    const site = await startMailSite(start, { config: { providers: [first.provider, second.provider] } })
    const browser = site.browser()
    await askForLink(browser, ADA)
    const link = first.linkTo(ADA)
    // The browser requested a link of the other provider.
    expect(errorOf(await confirmLink(browser, link.replace("/callback/mail", "/callback/second")))).toBe("Verification")
    expect((await browser.get(link)).location).toBe(HOME)
  })

  it("works without an address if the adapter looks up only the token, like some adapters of Auth.js", async () => {
    const calls: unknown[] = []
    const store = memoryStore()
    const site = await startMailSite(start, {
      store,
      over: () => ({
        useVerificationToken({ identifier, token }) {
          calls.push({ identifier, token })
          const at = store.links.findIndex(
            (link) => link.token === token && (identifier ?? link.identifier) === link.identifier,
          )
          return at < 0 ? null : (store.links.splice(at, 1)[0] ?? null)
        },
      }),
    })
    const browser = site.browser()
    await askForLink(browser, ADA)
    await browser.get(withParams(site.mail.linkTo(ADA), { email: undefined }))
    expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
    expect(calls).toEqual([{ identifier: undefined, token: expect.any(String) }])
    await askForLink(browser, ADA)
    await confirmLink(site.browser(), withParams(site.mail.linkTo(ADA), { email: undefined }))
    expect(store.links).toEqual([])
  })

  it("is invalid if the adapter returns another address for it", async () => {
    const site = await startMailSite(start, {
      over: readingLinks((link) => ({ ...link, identifier: "victim@example.com" })),
    })
    expect(errorOf(await signInByMail(site, site.browser(), ADA))).toBe("Verification")
    expect(rowCounts(site)).toEqual([0, 0, 0])
  })

  it("ADV-10: is invalid with a wrong token even if the adapter ignores the token", async () => {
    const store = memoryStore()
    const ignoringToken: Partial<Adapter> = {
      useVerificationToken({ identifier }) {
        const at = store.links.findIndex((link) => link.identifier === identifier)
        return at < 0 ? null : (store.links.splice(at, 1)[0] ?? null)
      },
    }
    for (const secret of [TEST_SECRET, [TEST_SECRET, `old ${TEST_SECRET}`]]) {
      const site = await startMailSite(start, { store, over: () => ignoringToken, config: { secret } })
      const [browser, thief] = [site.browser(), site.browser()]
      await askForLink(browser, ADA)
      const link = site.mail.linkTo(ADA)
      site.forget()
      for (const token of ["wrong", "0".repeat(64)]) {
        const page = await confirmLink(thief, withParams(link, { token }))
        expect(page.location).toBe("http://app.test/auth/error?error=Verification")
      }
      expect([sessionCookies(thief), site.events, store.links.length]).toEqual([[], [], 1])
      await browser.get(link)
      expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
      expect(errorOf(await confirmLink(thief, link))).toBe("Verification")
    }
  })

  it("EML-04: is invalid if it is not the newest, and no link is left after its use", async () => {
    const { site, browser } = await requestLink()
    for (let i = 0; i < 3; i++) await askForLink(site.browser(), ADA)
    await askForLink(browser, "bob@example.com")
    const links = site.mail.sent.filter(({ identifier }) => identifier === ADA).map(({ url }) => url)
    expect(site.store.links.map(({ identifier }) => identifier)).toEqual([ADA, "bob@example.com"])
    for (const old of links.slice(0, 3)) expect(errorOf(await confirmLink(site.browser(), old))).toBe("Verification")
    await confirmLink(site.browser(), links[3] ?? "")
    expect(rowCounts(site)).toEqual([1, 1, 1])
  })

  it("EML-04: is deleted when another link for the address is used, even if another server stored it", async () => {
    const { site, browser, link } = await requestLink()
    site.store.links.push({
      identifier: ADA,
      token: storedHash("other"),
      expires: new Date(site.time.now + 60_000),
    })
    await browser.get(link)
    expect(site.store.links).toEqual([])
    expect(errorOf(await confirmLink(site.browser(), withParams(link, { token: "other" })))).toBe("Verification")
  })

  it("EML-04: signs in if the other links cannot be deleted, and the failure is logged", async () => {
    const { site, browser, link } = await requestLink({
      over: ({ deleteVerificationTokens }) => {
        let count = 0
        return {
          // The first call is the deletion of older links at the request.
          async deleteVerificationTokens(identifier) {
            if (++count > 1) throw new Error("the store is down")
            return deleteVerificationTokens?.(identifier)
          },
        }
      },
    })
    site.forget()
    expect((await browser.get(link)).location).toBe(HOME)
    expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
    const cause = { method: "deleteVerificationTokens" }
    expect(site.failures()).toMatchObject([{ level: "error", code: "AdapterError", error: { cause } }])
    expect(errorOf(await confirmLink(site.browser(), link))).toBe("Verification")
  })

  it("EML-04: works once, even if a newer one was sent, on an adapter without deleteVerificationTokens", async () => {
    const { site } = await requestLink({ isPlain: true })
    for (let i = 0; i < 3; i++) await askForLink(site.browser(), ADA)
    expect(site.store.links).toHaveLength(4)
    for (const { url } of site.mail.sent) {
      expect((await confirmLink(site.browser(), url)).location).toBe(HOME)
      expect(errorOf(await confirmLink(site.browser(), url))).toBe("Verification")
    }
    expect(rowCounts(site)).toEqual([1, 4, 0])
  })

  it("is used up by a sign-in that callbacks.signIn refuses", async () => {
    const { site, browser, link } = await requestLink({
      config: { callbacks: { signIn: ({ email }) => email?.verificationRequest === true } },
    })
    const page = await browser.get(link)
    expect(page.location).toBe("http://app.test/auth/error?error=AccessDenied")
    expect([rowCounts(site), sessionCookies(browser)]).toEqual([[0, 0, 0], []])
  })

  it("does not appear in the log at any level, nor do its token and the secret", async () => {
    const { site, browser, link } = await requestLink({ config: { debug: true } })
    for (const address of [withParams(link, { token: "wrong" }), link, link]) {
      await openLink(browser, address)
    }
    expect(site.failures().length).toBeGreaterThan(1)
    for (const secret of [TEST_SECRET, param(link, "token"), storedHash(param(link, "token")), link])
      expect(site.logText()).not.toContain(secret)
  })
})

describeStores("A sign-in link whose address was changed", (kind) => {
  let store: OpenStore
  beforeEach(async () => {
    store = await kind.create()
  })
  afterEach(() => store.close())

  describeServer(kind.name, "Auth()", (start) => {
    it.each(["\0", "ada\0@example.com", `${ADA}\n`, `${ADA}\u200b`, "\u202e"])(
      "EML-08: is invalid for the address %j, and the stored link is not used",
      async (email) => {
        const site = await startMailSite(start, { config: { adapter: store.adapter } })
        const browser = site.browser()
        await askForLink(browser, ADA)
        const link = site.mail.linkTo(ADA)
        site.forget()
        for (const visitor of [browser.clone(), site.browser()]) {
          const page = await openLink(visitor, withParams(link, { email }))
          expect(page.location).toBe("http://app.test/auth/error?error=Verification")
        }
        expect(site.failures().map(({ level, code }) => [level, code])).toEqual(
          [1, 2].map(() => ["warn", "Verification"]),
        )
        expect((await store.counts()).links).toBe(1)
        await browser.get(link)
        expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
      },
    )
  })
})

/** An adapter that returns each link as `change` returns it. */
const readingLinks =
  (change: (link: VerificationToken) => object) =>
  ({ useVerificationToken }: Adapter): Partial<Adapter> => ({
    async useVerificationToken(params) {
      const found = await useVerificationToken?.(params)
      return found ? (change(found) as VerificationToken) : null
    },
  })
