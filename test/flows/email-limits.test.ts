import { setTimeout as pause } from "node:timers/promises"
import type { RateLimit, RateLimiter } from "../../lib/security/rate-limit.js"
import { withEnv } from "../express/support/servers.js"
import { describeServer, describeServers } from "../support/apps.js"
import { guardProcess } from "./support/guard.js"
import { askForLink, confirmLink, type MailSite, openLink, startMailSite } from "./support/mail.js"
import { sessionOf } from "./support/site.js"

guardProcess()

const ADA = "ada@example.com"
const MINUTE = 60_000

const sentTo = ({ mail }: MailSite, address: string) => mail.sent.filter(({ identifier }) => identifier === address)

/** All that an answer says, but for what is drawn by lot or sealed. */
const shape = (page: Response) => [
  page.status,
  [...page.headers].filter(([name]) => !["set-cookie", "date", "keep-alive"].includes(name)),
  page.headers.getSetCookie().map((cookie) => cookie.replace(/=[^;]*/, "=…").replace(/Expires=[^;]*/i, "")),
]

describeServers("EML-13: the limits on mails", (start, stage) => {
  it("send five mails to one address in a quarter of an hour, whoever asks, and answer all alike", async () => {
    const site = await startMailSite(start)
    const answers: unknown[] = []
    for (let i = 0; i < 12; i++) {
      const browser = site.browser()
      answers.push(shape(await askForLink(browser, i % 2 ? ADA : " ADA@Example.com ")))
      expect(browser.cookie("authjs.state.mail")).toBeDefined()
    }
    expect(sentTo(site, ADA)).toHaveLength(5)
    for (const answer of answers) expect(answer).toEqual(answers[0])
    expect(site.failures()).toHaveLength(7)
    expect(site.failures()[0]).toMatchObject({
      ...{ level: "warn", code: "TooManyAttempts" },
      error: {
        message: "too many sign-in emails: the limit emailsPerAddress is reached, and none was sent",
        cause: { provider: "mail" },
      },
    })
    // The fifth is good, and somebody else is served.
    expect((await confirmLink(site.browser(), site.mail.linkTo(ADA))).location).not.toContain("error")
    await askForLink(site.browser(), "bob@example.com")
    expect(sentTo(site, "bob@example.com")).toHaveLength(1)
    site.time.now += 15 * MINUTE
    await askForLink(site.browser(), ADA)
    expect(sentTo(site, ADA)).toHaveLength(6)
  })

  it("SEC-20: keep a stranger who uses variants of an address from blocking the address itself", async () => {
    const site = await startMailSite(start)
    for (let i = 0; i < 5; i++) await askForLink(site.browser(), "jdoe+00@example.com")
    for (let i = 0; i < 4; i++) await askForLink(site.browser(), "jd.oe@example.com")
    await askForLink(site.browser(), "j.doe@example.com")
    expect(sentTo(site, "j.doe@example.com")).toHaveLength(1)
  })

  it("SEC-20: have a reserve for an address that has signed in from this browser, and no other", async () => {
    const site = await startMailSite(start)
    const browser = site.browser()
    for (const address of ["bob@example.com", ADA]) {
      await askForLink(browser, address)
      await browser.get(site.mail.linkTo(address))
      expect(await sessionOf(browser)).toMatchObject({ user: { email: address } })
    }
    site.time.now += 30 * 24 * 60 * MINUTE
    for (let i = 0; i < 7; i++) await askForLink(site.browser(), ADA)
    for (let i = 0; i < 7; i++) await askForLink(site.browser(), "carl@example.com")
    const sent = sentTo(site, ADA).length
    for (let i = 0; i < 7; i++) await askForLink(browser, ADA)
    expect(sentTo(site, ADA)).toHaveLength(sent + 5)
    for (let i = 0; i < 7; i++) await askForLink(site.browser(), "bob@example.com")
    await askForLink(browser, "bob@example.com")
    expect(sentTo(site, "bob@example.com")).toHaveLength(1 + 5 + 1)
    await askForLink(browser, "carl@example.com")
    expect(sentTo(site, "carl@example.com")).toHaveLength(5)
    expect(browser.cookie("authjs.state.known")).not.toContain("ada")
  })

  it("SEC-20: give no reserve to a browser that requested a link and did not open it", async () => {
    const site = await startMailSite(start)
    const browser = site.browser()
    for (let i = 0; i < 7; i++) await askForLink(browser, ADA)
    await browser.get(site.mail.linkTo(ADA).replace("token=", "token=x"))
    await askForLink(browser, ADA)
    expect(sentTo(site, ADA)).toHaveLength(5)
  })

  it("ADV-22: count a mailbox once, with whatever tag and dots its address is written", async () => {
    const site = await startMailSite(start, { config: { rateLimit: { emailsPerMailbox: 5 } } })
    const spellings = ["a.da+1", "ad.a+two", "ADA+news.letter", "a.d.a", "ada+", "ada+1+2", "ada"]
    for (const local of spellings) await askForLink(site.browser(), `${local}@example.com`)
    expect(site.mail.sent).toHaveLength(5)
    for (const another of ["+ada@example.com", "ada@app.example.com"]) await askForLink(site.browser(), another)
    expect(site.mail.sent).toHaveLength(7)
  })

  it("leave a browser the link that it asked for, however often it asks again", async () => {
    const site = await startMailSite(start)
    const browser = site.browser()
    for (let i = 0; i < 9; i++) await askForLink(browser, ADA)
    expect((await browser.get(site.mail.linkTo(ADA))).status).toBe(302)
    expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
  })

  if (stage === "Express 5" || stage === "Express 4") {
    const behindProxy = {
      setup: (app: { set?(name: string, value: unknown): unknown }) => void app.set?.("trust proxy", 1),
    }
    const from = (site: MailSite, address: string) => site.browser({ headers: { "x-forwarded-for": address } })

    it("send 60 mails for one client, and then none to anybody, while others are served", async () => {
      const site = await startMailSite(start, { start: behindProxy })
      const [flood, other] = [from(site, "192.0.2.1"), from(site, "192.0.2.2")]
      for (let i = 0; i < 64; i++) await askForLink(flood, `person-${i}@example.com`)
      expect(site.mail.sent).toHaveLength(60)
      expect(site.failures().map(({ error }) => error?.message)).toEqual(
        Array(4).fill("too many sign-in emails: the limit emailsPerClient is reached, and none was sent"),
      )
      await askForLink(other, ADA)
      expect((await other.get(site.mail.linkTo(ADA))).status).toBe(302)
      expect(await sessionOf(other)).toMatchObject({ user: { email: ADA } })
      // What was refused did not count against the addresses.
      await askForLink(other, "person-63@example.com")
      expect(sentTo(site, "person-63@example.com")).toHaveLength(1)
    })

    it.each([
      ["SEC-05: one visitor behind a proxy that is not declared", undefined],
      ["SEC-05: one visitor behind a proxy that is not declared, with AUTH_URL", "http://app.test"],
    ])("%s does not use up the emails of all", async (_name, origin) => {
      const site = await withEnv({ AUTH_URL: origin }, () => startMailSite(start, { start: origin ? { origin } : {} }))
      for (let i = 0; i < 61; i++) await askForLink(from(site, "192.0.2.1"), `person-${i}@example.com`)
      await askForLink(from(site, "192.0.2.2"), ADA)
      expect(sentTo(site, ADA)).toHaveLength(1)
    })

    it.each([
      ["an IPv6 network", ["2001:db8::1", "2001:db8::2", "2001:DB8:0:0:ffff::6"], "2001:db8:0:1::1"],
      ["an IPv4 address, however it is written", ["192.0.2.1", "::ffff:192.0.2.1", "::FFFF:c000:201"], "192.0.2.2"],
    ])("ADV-22: count %s as one client", async (_name, addresses, another) => {
      const site = await startMailSite(start, { start: behindProxy, config: { rateLimit: { emailsPerClient: 2 } } })
      for (const [i, address] of addresses.entries()) await askForLink(from(site, address), `person-${i}@example.com`)
      expect(site.mail.sent).toHaveLength(2)
      await askForLink(from(site, another), ADA)
      expect(sentTo(site, ADA)).toHaveLength(1)
    })
  }
})

describeServer("The limits on mails", "Auth()", (start) => {
  it("do not take all clients for one where nobody knows their addresses", async () => {
    const site = await startMailSite(start, { config: { rateLimit: { emailsPerClient: 2 } } })
    for (let i = 0; i < 5; i++) await askForLink(site.browser(), `person-${i}@example.com`)
    expect(site.mail.sent).toHaveLength(5)
    expect(site.failures()).toEqual([])
  })

  it("are those of the configuration", async () => {
    const site = await startMailSite(start, { config: { rateLimit: { emailsPerAddress: 2, windowSeconds: 60 } } })
    for (let i = 0; i < 4; i++) await askForLink(site.browser(), ADA)
    expect(site.mail.sent).toHaveLength(2)
    site.time.now += MINUTE
    await askForLink(site.browser(), ADA)
    expect(site.mail.sent).toHaveLength(3)
  })

  it("are none with rateLimit: false", async () => {
    const site = await startMailSite(start, { config: { rateLimit: false } })
    for (let i = 0; i < 70; i++) await askForLink(site.browser(), ADA)
    expect(site.mail.sent).toHaveLength(70)
  })

  it("count what was asked for, whatever came of it", async () => {
    const site = await startMailSite(start, {
      mail: { sendVerificationRequest: () => Promise.reject(new Error("no")) },
      config: { rateLimit: { emailsPerAddress: 2 } },
    })
    const pages = []
    for (let i = 0; i < 3; i++) pages.push(await askForLink(site.browser(), ADA))
    expect(pages.map((page) => new URL(page.location).pathname)).toEqual([
      "/auth/signin",
      "/auth/signin",
      "/auth/verify-request",
    ])
  })

  it("do not count what is no address", async () => {
    const site = await startMailSite(start, { config: { rateLimit: { emailsPerAddress: 1, emailsPerClient: 1 } } })
    for (let i = 0; i < 3; i++) await askForLink(site.browser(), "no address")
    await askForLink(site.browser(), ADA)
    expect(site.mail.sent).toHaveLength(1)
  })

  it("are counted by limiters that the application makes, each for its own kind, and no address is a key", async () => {
    const made: RateLimit[] = []
    const keys: [string, string][] = []
    const limiter = (limit: RateLimit): RateLimiter => {
      made.push(limit)
      const counts = new Map<string, number>()
      return {
        async consume(key) {
          keys.push([limit.name, key])
          counts.set(key, (counts.get(key) ?? 0) + 1)
          // As rate-limiter-flexible refuses: with what is no error.
          if ((counts.get(key) ?? 0) > limit.points) throw { msBeforeNext: 1000, remainingPoints: 0 }
        },
      }
    }
    const site = await startMailSite(start, { config: { rateLimit: { limiter, emailsPerAddress: 2 } } })
    for (let i = 0; i < 4; i++) await askForLink(site.browser(), ADA)
    await askForLink(site.browser(), "bob@example.com")
    expect(made).toEqual([
      { name: "attempts", points: 10, windowSeconds: 900 },
      { name: "failuresPerClient", points: 100, windowSeconds: 900 },
      { name: "failuresPerSite", points: 1_000, windowSeconds: 900 },
      { name: "emailsPerAddress", points: 2, windowSeconds: 900 },
      { name: "emailsPerMailbox", points: 20, windowSeconds: 900 },
      { name: "emailsPerClient", points: 60, windowSeconds: 900 },
      { name: "passkeySignUpsPerAddress", points: 5, windowSeconds: 900 },
      { name: "passkeySignUpsPerClient", points: 60, windowSeconds: 900 },
      { name: "oauthSignInsPerClient", points: 300, windowSeconds: 900 },
    ])
    expect([sentTo(site, ADA), sentTo(site, "bob@example.com")].map(({ length }) => length)).toEqual([2, 1])
    for (const [name, key] of keys) expect(key).toMatch(new RegExp(`^${name}:[\\w-]{43}$`))
    const [first, ...rest] = keys.filter(([name]) => name === "emailsPerAddress").map(([, key]) => key)
    expect(rest).toEqual([first, first, first, expect.not.stringMatching(first ?? "")])
  })

  it("are counted in memory where the limiter is one for attempts", async () => {
    const keys: string[] = []
    const limiter: RateLimiter = { consume: async (key) => keys.push(key) }
    const site = await startMailSite(start, { config: { rateLimit: { limiter } } })
    for (let i = 0; i < 7; i++) await askForLink(site.browser(), ADA)
    expect([site.mail.sent.length, keys]).toEqual([5, []])
  })

  it.each([
    ["rejects", () => Promise.reject(new Error("redis is down"))],
    [
      "throws",
      () => {
        throw new Error("redis is down")
      },
    ],
    ["rejects with what is no error", () => Promise.reject("redis is down")],
  ])("stop nobody when the application's limiter %s, and the operator is told", async (_name, consume) => {
    const site = await startMailSite(start, { config: { rateLimit: { limiter: () => ({ consume }) } } })
    const browser = site.browser()
    await askForLink(browser, ADA)
    expect(site.failures().map(({ level, error }) => [level, error?.message])).toEqual([
      ["error", "the rate limiter failed, and this process counted by itself"],
    ])
    await openLink(browser, site.mail.linkTo(ADA))
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it("stop nobody when the application's limiter hangs", async () => {
    const limiter = () => ({ consume: () => pause(60_000, undefined, { ref: false }) })
    const site = await startMailSite(start, { config: { rateLimit: { limiter } } })
    const startedAt = performance.now()
    const page = await askForLink(site.browser(), ADA)
    expect(new URL(page.location).pathname).toBe("/auth/verify-request")
    expect(performance.now() - startedAt).toBeLessThan(4_000)
    expect(site.failures()).toHaveLength(1)
    expect(site.mail.sent).toHaveLength(1)
  })

  it("are of one application: another one in the process counts for itself", async () => {
    const config = { rateLimit: { emailsPerAddress: 1 } }
    const [one, two] = [await startMailSite(start, { config }), await startMailSite(start, { config })]
    for (const site of [one, two, one, two]) await askForLink(site.browser(), ADA)
    expect([one.mail.sent.length, two.mail.sent.length]).toEqual([1, 1])
  })
})
