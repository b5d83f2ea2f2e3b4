import { createHash, createHmac } from "node:crypto"
import type { Adapter, VerificationToken } from "../../lib/adapters/adapter.js"
import { describeServer, TEST_SECRET } from "../support/apps.js"
import { describeStores, type OpenStore } from "../support/stores.js"
import { guardProcess } from "./support/guard.js"
import {
  askForLink,
  confirmLink,
  errorOf,
  type MailSite,
  mailbox,
  openLink,
  signInByMail,
  startMailSite,
} from "./support/mail.js"
import { memoryStore } from "./support/memory-adapter.js"
import { param, sessionCookies, sessionOf, withParams } from "./support/site.js"

guardProcess()

const ADA = "ada@example.com"
const SECONDS = 1000
const FRONT = "http://app.test/"
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
/** What the store has of a link. */
const stored = (token: string, secret = TEST_SECRET) =>
  createHmac("sha256", secret).update(`latchkey.email-link ${token}`).digest("hex")

/** Everybody who is there, and every link that still works. */
const rowsOf = ({ store }: MailSite) => [store.users.size, store.sessions.size, store.links.length]

describeServer("The link in a mail", "Auth()", (start) => {
  /** Asks for a link in one browser; it is opened in others. */
  async function asked(options: Parameters<typeof startMailSite>[1] = {}) {
    const site = await startMailSite(start, options)
    const browser = site.browser()
    await askForLink(browser, ADA)
    return { site, browser, link: site.mail.linkTo(ADA) }
  }

  it("EML-06: has 256 random bits, and the store a hash of them with the secret", async () => {
    const { site } = await asked()
    for (let i = 0; i < 4; i++) await askForLink(site.browser(), `person-${i}@example.com`)
    const tokens = site.mail.sent.map(({ token }) => token)
    expect(new Set(tokens).size).toBe(5)
    for (const token of tokens) expect(token).toMatch(/^[0-9a-f]{64}$/)
    expect(site.store.links.map(({ token }) => token)).toEqual(tokens.map((token) => stored(token)))
    expect(site.store.links.map(({ identifier }) => identifier)).toEqual(site.mail.sent.map((sent) => sent.identifier))
  })

  it("has the sealed return URL, token and address, in this order, and the sender gets the same", async () => {
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

  it("takes tokens of the application's own, made at once or later", async () => {
    let count = 0
    for (const generateVerificationToken of [() => `own-${++count}`, async () => `own-${++count}`]) {
      const { site, browser, link } = await asked({ mail: { generateVerificationToken } })
      expect(param(link, "token")).toBe(`own-${count}`)
      expect(site.store.links).toMatchObject([{ token: stored(`own-${count}`) }])
      await browser.get(link)
      expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
    }
  })

  it("has a random token where the application's own function gives none", async () => {
    for (const generateVerificationToken of [() => "", async () => undefined as unknown as string]) {
      const { link } = await asked({ mail: { generateVerificationToken } })
      expect(param(link, "token")).toMatch(/^[0-9a-f]{64}$/)
    }
  })

  it.each<[string, () => unknown]>([
    ["an object", () => ({ token: Math.random() })],
    ["a function", () => () => "own"],
    ["true", async () => true],
  ])(
    "is not sent where the application's own function gives %s: as text it would be one for everybody",
    async (_, own) => {
      const site = await startMailSite(start, { mail: { generateVerificationToken: own as () => string } })
      const page = await askForLink(site.browser(), ADA)
      expect(page.location).toMatch(/\/auth\/error\?error=Configuration$/)
      expect([site.mail.sent, site.store.links]).toEqual([[], []])
      expect(site.failures()).toMatchObject([
        { error: { cause: { err: { message: expect.stringContaining("gave no text") } } } },
      ])
    },
  )

  it.each([
    ["a secret of the provider's own", { mail: { secret: "of-the-mail" } }, "of-the-mail"],
    ["the first of several", { config: { secret: [`fresh ${TEST_SECRET}`, TEST_SECRET] } }, `fresh ${TEST_SECRET}`],
  ])("is hashed with %s", async (_name, options, secret) => {
    const { site, browser, link } = await asked(options)
    expect(site.store.links).toMatchObject([{ token: stored(param(link, "token"), secret) }])
    await browser.get(link)
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it.each([
    ["with the one secret that there was", stored("a-token")],
    ["by Auth.js with the one secret that there was", sha256(`a-token${TEST_SECRET}`)],
    ["by Auth.js with a list of secrets", sha256(`a-tokennew ${TEST_SECRET},${TEST_SECRET}`)],
    ["with any of the list", stored("a-token", `new ${TEST_SECRET}`)],
  ])("works after the secret was changed, when it was stored %s", async (_name, token) => {
    const site = await startMailSite(start, { config: { secret: [`new ${TEST_SECRET}`, TEST_SECRET] } })
    const expires = new Date(site.time.now + 60 * SECONDS)
    site.store.links.push({ identifier: ADA, token, expires })
    const browser = site.browser()
    const landed = await confirmLink(browser, `/auth/callback/mail?token=a-token&email=${ADA}`)
    expect([landed.location, site.store.links]).toEqual([FRONT, []])
    expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
  })

  it("SEC-22: is not made of a browser's CSRF cookie whose hash was written into the store", async () => {
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

  it("SEC-22: works when it was stored as Auth.js does, until the last such link has expired", async () => {
    const site = await startMailSite(start)
    const open = () => {
      const expires = new Date(site.time.now + 60 * SECONDS)
      site.store.links.push({ identifier: ADA, token: sha256(`${"0".repeat(64)}${TEST_SECRET}`), expires })
      return confirmLink(site.browser(), `/auth/callback/mail?token=${"0".repeat(64)}&email=${ADA}`)
    }
    expect((await open()).location).toBe(FRONT)
    site.time.now += (86_400 + 3_600) * SECONDS
    expect((await open()).location).toBe(FRONT)
    site.time.now += SECONDS
    expect(errorOf(await open())).toBe("Verification")
  })

  it("does not work with a secret that is no longer in the list", async () => {
    const { link, site } = await asked()
    const other = await startMailSite(start, { store: site.store, config: { secret: `new ${TEST_SECRET}` } })
    expect(errorOf(await confirmLink(other.browser(), link))).toBe("Verification")
    expect(rowsOf(site)).toEqual([0, 0, 1])
  })

  it("EML-05: is good to the second for maxAge, a day by default", async () => {
    for (const [mail, seconds] of [
      [{}, 86_400],
      [{ maxAge: 600 }, 600],
      [{ options: { maxAge: 90 } }, 90],
    ] as const) {
      const { site, browser, link } = await asked({ mail })
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
      expect(site.failures()[0]?.error?.message).toBe("a sign-in link is too old")
      expect(site.store.links).toEqual([])
    }
  })

  it.each([
    ["the text of a date", (expires: Date) => expires.toISOString()],
    ["a number", (expires: Date) => expires.getTime()],
  ])("EML-05: ends in time when the store gives %s", async (_name, written) => {
    const site = await startMailSite(start, {
      over: readingLinks((link) => ({ ...link, expires: written(link.expires) })),
    })
    expect((await signInByMail(site, site.browser(), ADA)).location).toBe(FRONT)
    const late = site.browser()
    await askForLink(late, ADA)
    site.time.now += 86_400 * SECONDS + 1
    expect(errorOf(await confirmLink(late, site.mail.linkTo(ADA)))).toBe("Verification")
  })

  it.each([undefined, null, "soon", Number.NaN, {}])(
    "EML-05: whose end nobody can read, %j, is no link",
    async (expires) => {
      const site = await startMailSite(start, { over: readingLinks((link) => ({ ...link, expires })) })
      expect(errorOf(await signInByMail(site, site.browser(), ADA))).toBe("Verification")
      expect(rowsOf(site)).toEqual([0, 0, 0])
    },
  )

  it("works once", async () => {
    const { site, browser, link } = await asked()
    await browser.get(link)
    expect(await sessionOf(browser)).not.toBeNull()
    const [session] = sessionCookies(browser)
    site.forget()
    for (const other of [browser, browser.clone(), site.browser()]) {
      const page = await confirmLink(other, link)
      expect(page.location).toBe("http://app.test/auth/error?error=Verification")
    }
    expect(sessionCookies(browser)).toEqual([session])
    expect(site.events).toEqual([])
    expect(site.failures().map(({ code }) => code)).toEqual(["Verification", "Verification", "Verification"])
    expect(site.store.sessions.size).toBe(1)
  })

  it("ADV-24: two clicks at once make one session, 50 of 50 times", async () => {
    const site = await startMailSite(start, { config: { rateLimit: false } })
    for (let i = 0; i < 50; i++) {
      const [one, address] = [site.browser(), `person-${i}@example.com`]
      await askForLink(one, address)
      const [two, link] = [one.clone(), site.mail.linkTo(address)]
      const pages = await Promise.all([one.get(link), two.get(link)])
      expect(pages.map((page) => errorOf(page)).sort()).toEqual(["", "Verification"])
      expect([...sessionCookies(one), ...sessionCookies(two)]).toHaveLength(1)
    }
    expect(rowsOf(site)).toEqual([50, 50, 0])
  })

  it.each<[string, (link: string) => string, message: string]>([
    [
      "another token",
      (link) => withParams(link, { token: "0".repeat(64) }),
      "a sign-in link is unknown, or was used before",
    ],
    [
      "what the store has",
      (link) => withParams(link, { token: stored(param(link, "token")) }),
      "a sign-in link is unknown, or was used before",
    ],
    [
      "another address",
      (link) => withParams(link, { email: "bob@example.com" }),
      "a sign-in link is unknown, or was used before",
    ],
    [
      "the address in capitals",
      (link) => withParams(link, { email: "ADA@example.com" }),
      "a sign-in link is unknown, or was used before",
    ],
    [
      "NUL in the address",
      (link) => withParams(link, { email: `${ADA}\0` }),
      "a sign-in link has an address with characters that can't be seen",
    ],
    ["no token", (link) => withParams(link, { token: undefined }), "a sign-in link came without its token"],
    ["an empty token", (link) => withParams(link, { token: "" }), "a sign-in link came without its token"],
    [
      "neither",
      (link) => withParams(link, { token: undefined, email: undefined }),
      "a sign-in link came without its token",
    ],
  ])("with %s is none, and uses nothing up", async (_name, change, message) => {
    const { site, browser, link } = await asked()
    site.forget()
    const landed = await openLink(browser, change(link))
    expect(landed.location).toBe("http://app.test/auth/error?error=Verification")
    expect(site.failures()).toMatchObject([{ level: "warn", error: { message, cause: { provider: "mail" } } }])
    expect([rowsOf(site), sessionCookies(browser), site.events]).toEqual([[0, 0, 1], [], []])
    await openLink(browser, link)
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it("of one provider is none of another's", async () => {
    const second = mailbox({ id: "second", secret: "another secret than the first provider's" })
    const first = mailbox()
    const site = await startMailSite(start, { config: { providers: [first.provider, second.provider] } })
    const browser = site.browser()
    await askForLink(browser, ADA)
    const link = first.linkTo(ADA)
    // The browser asked, but not this provider.
    expect(errorOf(await confirmLink(browser, link.replace("/callback/mail", "/callback/second")))).toBe("Verification")
    expect((await browser.get(link)).location).toBe(FRONT)
  })

  it("that leaves the address out is found by a store that looks for the token, as the stores of Auth.js may", async () => {
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

  it("of whom a store finds another address than the link says is none", async () => {
    const site = await startMailSite(start, {
      over: readingLinks((link) => ({ ...link, identifier: "victim@example.com" })),
    })
    expect(errorOf(await signInByMail(site, site.browser(), ADA))).toBe("Verification")
    expect(rowsOf(site)).toEqual([0, 0, 0])
  })

  it("ADV-10: a store that ignores the token lets no other in, and the right one stays good", async () => {
    const store = memoryStore()
    const ignoresTheToken: Partial<Adapter> = {
      useVerificationToken({ identifier }) {
        const at = store.links.findIndex((link) => link.identifier === identifier)
        return at < 0 ? null : (store.links.splice(at, 1)[0] ?? null)
      },
    }
    for (const secret of [TEST_SECRET, [TEST_SECRET, `old ${TEST_SECRET}`]]) {
      const site = await startMailSite(start, { store, over: () => ignoresTheToken, config: { secret } })
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

  it("EML-04: only the newest one works, and when it is used none is left", async () => {
    const { site, browser } = await asked()
    for (let i = 0; i < 3; i++) await askForLink(browser, ADA)
    await askForLink(browser, "bob@example.com")
    const links = site.mail.sent.filter(({ identifier }) => identifier === ADA).map(({ url }) => url)
    expect(site.store.links.map(({ identifier }) => identifier)).toEqual([ADA, "bob@example.com"])
    for (const old of links.slice(0, 3)) expect(errorOf(await confirmLink(site.browser(), old))).toBe("Verification")
    await confirmLink(site.browser(), links[3] ?? "")
    expect(rowsOf(site)).toEqual([1, 1, 1])
  })

  it("EML-04: a link that another server stored meanwhile ends with the one that is used", async () => {
    const { site, browser, link } = await asked()
    site.store.links.push({
      identifier: ADA,
      token: stored("other"),
      expires: new Date(site.time.now + 60_000),
    })
    await browser.get(link)
    expect(site.store.links).toEqual([])
    expect(errorOf(await confirmLink(site.browser(), withParams(link, { token: "other" })))).toBe("Verification")
  })

  it("EML-04: signs in though the others can't be deleted, and says so", async () => {
    const { site, browser, link } = await asked({
      over: ({ deleteVerificationTokens }) => {
        let count = 0
        return {
          // When a link is asked for the older ones are deleted too.
          async deleteVerificationTokens(identifier) {
            if (++count > 1) throw new Error("the store is down")
            return deleteVerificationTokens?.(identifier)
          },
        }
      },
    })
    site.forget()
    expect((await browser.get(link)).location).toBe(FRONT)
    expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
    const cause = { method: "deleteVerificationTokens", err: { message: "the store is down" } }
    expect(site.failures()).toMatchObject([{ level: "error", code: "AdapterError", error: { cause } }])
    expect(errorOf(await confirmLink(site.browser(), link))).toBe("Verification")
  })

  it("EML-04: on an adapter without deleteVerificationTokens each works once, until its time is over", async () => {
    const { site } = await asked({ isPlain: true })
    for (let i = 0; i < 3; i++) await askForLink(site.browser(), ADA)
    expect(site.store.links).toHaveLength(4)
    for (const { url } of site.mail.sent) {
      expect((await confirmLink(site.browser(), url)).location).toBe(FRONT)
      expect(errorOf(await confirmLink(site.browser(), url))).toBe("Verification")
    }
    expect(rowsOf(site)).toEqual([1, 4, 0])
  })

  it("is used up by a sign-in that the application refuses, and signs nobody in", async () => {
    const { site, browser, link } = await asked({
      config: { callbacks: { signIn: ({ email }) => email?.verificationRequest === true } },
    })
    const page = await browser.get(link)
    expect(page.location).toBe("http://app.test/auth/error?error=AccessDenied")
    expect([rowsOf(site), sessionCookies(browser)]).toEqual([[0, 0, 0], []])
  })

  it("keeps its secret and its token out of the log, at every level", async () => {
    const { site, browser, link } = await asked({ config: { debug: true } })
    for (const address of [withParams(link, { token: "wrong" }), link, link]) {
      await openLink(browser, address)
    }
    expect(site.failures().length).toBeGreaterThan(1)
    for (const secret of [TEST_SECRET, param(link, "token"), stored(param(link, "token")), link])
      expect(site.logText()).not.toContain(secret)
  })
})

describeStores("A link whose address was changed", (kind) => {
  let store: OpenStore
  beforeEach(async () => {
    store = await kind.create()
  })
  afterEach(() => store.close())

  describeServer(kind.name, "Auth()", (start) => {
    it.each(["\0", "ada\0@example.com", `${ADA}\n`, `${ADA}\u200b`, "\u202e"])(
      "EML-08: to %j is none, and uses nothing up",
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

/** A store that gives links in another form than it took them. */
const readingLinks =
  (change: (link: VerificationToken) => object) =>
  ({ useVerificationToken }: Adapter): Partial<Adapter> => ({
    async useVerificationToken(params) {
      const found = await useVerificationToken?.(params)
      return found ? (change(found) as VerificationToken) : null
    },
  })
