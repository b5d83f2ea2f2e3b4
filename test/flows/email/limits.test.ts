import { setTimeout as pause } from "node:timers/promises"
import { withEnv } from "../../express/support/servers.js"
import { describeServer, describeServers } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { sharedStore } from "../../support/shared-store.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, confirmLink, type MailSite, openLink, RESEND_MS, startMailSite } from "../support/mail.js"
import { sessionOf } from "../support/site.js"

guardProcess()

const ADA = "ada@example.com"
const MINUTE = 60_000

const sentTo = ({ mail }: MailSite, address: string) => mail.sent.filter(({ identifier }) => identifier === address)

/** Requests more emails to the address than the limit allows, from one browser. */
async function askOften(site: MailSite, browser: Browser): Promise<void> {
  for (let i = 0; i < 7; i++) {
    site.time.now += RESEND_MS
    await askForLink(browser, ADA)
  }
}

/** The response without encrypted and random values. */
const shape = (page: Response) => [
  page.status,
  [...page.headers].filter(([name]) => !["set-cookie", "date", "keep-alive"].includes(name)),
  page.headers.getSetCookie().map((cookie) => cookie.replace(/=[^;]*/, "=…").replace(/Expires=[^;]*/i, "")),
]

describeServers("EML-13: the limits on emails", (start, stage) => {
  it("allow five emails to one address in 15 minutes for all clients, and all responses are the same", async () => {
    const site = await startMailSite(start)
    const responses: unknown[] = []
    for (let i = 0; i < 12; i++) {
      const browser = site.browser()
      responses.push(shape(await askForLink(browser, i % 2 ? ADA : " ADA@Example.com ")))
      expect(browser.cookie("authjs.state.mail")).toBeDefined()
    }
    expect(sentTo(site, ADA)).toHaveLength(5)
    for (const response of responses) expect(response).toEqual(responses[0])
    expect(site.failures()).toHaveLength(7)
    expect(site.failures()[0]).toMatchObject({
      ...{ level: "warn", code: "TooManyAttempts" },
      error: {
        message: "too many sign-in emails: the limit emailsPerAddress is reached, so no email was sent",
        cause: { provider: "mail" },
      },
    })
    // The fifth link works, and other addresses get emails.
    expect((await confirmLink(site.browser(), site.mail.linkTo(ADA))).location).not.toContain("error")
    await askForLink(site.browser(), "bob@example.com")
    expect(sentTo(site, "bob@example.com")).toHaveLength(1)
    site.time.now += 15 * MINUTE
    await askForLink(site.browser(), ADA)
    expect(sentTo(site, ADA)).toHaveLength(6)
  })

  it("SEC-20: do not let an attacker block an address by requests for variants of it", async () => {
    const site = await startMailSite(start)
    for (let i = 0; i < 5; i++) await askForLink(site.browser(), "jdoe+00@example.com")
    for (let i = 0; i < 4; i++) await askForLink(site.browser(), "jd.oe@example.com")
    await askForLink(site.browser(), "j.doe@example.com")
    expect(sentTo(site, "j.doe@example.com")).toHaveLength(1)
  })

  it("SEC-20: allow five more emails to an address that has signed in from this browser", async () => {
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
    await askOften(site, browser)
    expect(sentTo(site, ADA)).toHaveLength(sent + 5)
    for (let i = 0; i < 7; i++) await askForLink(site.browser(), "bob@example.com")
    await askForLink(browser, "bob@example.com")
    expect(sentTo(site, "bob@example.com")).toHaveLength(1 + 5 + 1)
    await askForLink(browser, "carl@example.com")
    expect(sentTo(site, "carl@example.com")).toHaveLength(5)
    expect(browser.cookie("authjs.state.known")).not.toContain("ada")
  })

  it("SEC-20: allow no more emails to a browser that requested a link and did not open it", async () => {
    const site = await startMailSite(start)
    const browser = site.browser()
    await askOften(site, browser)
    await browser.get(site.mail.linkTo(ADA).replace("token=", "token=x"))
    await askForLink(browser, ADA)
    expect(sentTo(site, ADA)).toHaveLength(5)
  })

  it("ADV-22: count variants of an address with tags and dots as one mailbox", async () => {
    const site = await startMailSite(start, { config: { rateLimit: { emailsPerMailbox: 5 } } })
    const spellings = ["a.da+1", "ad.a+two", "ADA+news.letter", "a.d.a", "ada+", "ada+1+2", "ada"]
    for (const local of spellings) await askForLink(site.browser(), `${local}@example.com`)
    expect(site.mail.sent).toHaveLength(5)
    for (const another of ["+ada@example.com", "ada@app.example.com"]) await askForLink(site.browser(), another)
    expect(site.mail.sent).toHaveLength(7)
  })

  it("keep the last link valid when further requests of the browser are refused", async () => {
    const site = await startMailSite(start)
    const browser = site.browser()
    await askOften(site, browser)
    expect((await browser.get(site.mail.linkTo(ADA))).status).toBe(302)
    expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
  })

  if (stage === "Express 5" || stage === "Express 4") {
    const behindProxy = {
      setup: (app: { set?(name: string, value: unknown): unknown }) => void app.set?.("trust proxy", 1),
    }
    const browserAt = (site: MailSite, address: string) => site.browser({ headers: { "x-forwarded-for": address } })

    it("allow 60 emails for one client, while other clients are served", async () => {
      const site = await startMailSite(start, { start: behindProxy })
      const [flood, other] = [browserAt(site, "192.0.2.1"), browserAt(site, "192.0.2.2")]
      for (let i = 0; i < 64; i++) await askForLink(flood, `user-${i}@example.com`)
      expect(site.mail.sent).toHaveLength(60)
      expect(site.failures().map(({ error }) => error?.message)).toEqual(
        Array(4).fill("too many sign-in emails: the limit emailsPerClient is reached, so no email was sent"),
      )
      await askForLink(other, ADA)
      expect((await other.get(site.mail.linkTo(ADA))).status).toBe(302)
      expect(await sessionOf(other)).toMatchObject({ user: { email: ADA } })
      // Refused requests do not count against their addresses.
      await askForLink(other, "user-63@example.com")
      expect(sentTo(site, "user-63@example.com")).toHaveLength(1)
    })

    it.each([
      ["without AUTH_URL", undefined],
      ["with AUTH_URL", "http://app.test"],
    ])(
      "SEC-05: are not used up for all visitors by one of them if trust proxy is off behind a proxy, %s",
      async (_name, origin) => {
        const site = await withEnv({ AUTH_URL: origin }, () =>
          startMailSite(start, { start: origin ? { origin } : {} }),
        )
        for (let i = 0; i < 61; i++) await askForLink(browserAt(site, "192.0.2.1"), `user-${i}@example.com`)
        await askForLink(browserAt(site, "192.0.2.2"), ADA)
        expect(sentTo(site, ADA)).toHaveLength(1)
      },
    )

    it.each([
      ["an IPv6 network", ["2001:db8::1", "2001:db8::2", "2001:DB8:0:0:ffff::6"], "2001:db8:0:1::1"],
      ["an IPv4 address in several notations", ["192.0.2.1", "::ffff:192.0.2.1", "::FFFF:c000:201"], "192.0.2.2"],
    ])("ADV-22: count %s as one client", async (_name, addresses, another) => {
      const site = await startMailSite(start, { start: behindProxy, config: { rateLimit: { emailsPerClient: 2 } } })
      for (const [i, address] of addresses.entries())
        await askForLink(browserAt(site, address), `user-${i}@example.com`)
      expect(site.mail.sent).toHaveLength(2)
      await askForLink(browserAt(site, another), ADA)
      expect(sentTo(site, ADA)).toHaveLength(1)
    })
  }
})

describeServer("The limits on emails", "Auth()", (start) => {
  it("do not treat all clients as one if their IP addresses are unknown", async () => {
    const site = await startMailSite(start, { config: { rateLimit: { emailsPerClient: 2 } } })
    for (let i = 0; i < 5; i++) await askForLink(site.browser(), `user-${i}@example.com`)
    expect(site.mail.sent).toHaveLength(5)
    expect(site.failures()).toEqual([])
  })

  it("can be configured", async () => {
    const site = await startMailSite(start, { config: { rateLimit: { emailsPerAddress: 2, windowSeconds: 60 } } })
    for (let i = 0; i < 4; i++) await askForLink(site.browser(), ADA)
    expect(site.mail.sent).toHaveLength(2)
    site.time.now += MINUTE
    await askForLink(site.browser(), ADA)
    expect(site.mail.sent).toHaveLength(3)
  })

  it("are disabled by rateLimit: false", async () => {
    const site = await startMailSite(start, { config: { rateLimit: false } })
    for (let i = 0; i < 70; i++) await askForLink(site.browser(), ADA)
    expect(site.mail.sent).toHaveLength(70)
  })

  it("count requests whose email could not be sent", async () => {
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

  it("do not count requests with an invalid address", async () => {
    const site = await startMailSite(start, { config: { rateLimit: { emailsPerAddress: 1, emailsPerClient: 1 } } })
    for (let i = 0; i < 3; i++) await askForLink(site.browser(), "no address")
    await askForLink(site.browser(), ADA)
    expect(site.mail.sent).toHaveLength(1)
  })

  it("are counted in the store, each under a key without the address", async () => {
    const { store, counters } = sharedStore()
    const site = await startMailSite(start, { config: { store, rateLimit: { emailsPerAddress: 2 } } })
    for (let i = 0; i < 4; i++) await askForLink(site.browser(), ADA)
    await askForLink(site.browser(), "bob@example.com")
    expect([sentTo(site, ADA), sentTo(site, "bob@example.com")].map(({ length }) => length)).toEqual([2, 1])
    const names = [...counters.keys()].map((key) => key.replace(/:[\w-]{43}$/, ""))
    expect(new Set(names)).toEqual(new Set(["emailsPerClient", "emailsPerAddress", "emailsPerMailbox"]))
    expect(names.filter((name) => name === "emailsPerAddress")).toHaveLength(2)
  })

  it.each([
    ["rejects", () => Promise.reject(new Error("redis is down"))],
    [
      "throws",
      () => {
        throw new Error("redis is down")
      },
    ],
    ["rejects with a string", () => Promise.reject("redis is down")],
  ])("do not refuse emails if the store %s, and the failure is logged", async (_name, increment) => {
    const { store } = sharedStore({ increment })
    const site = await startMailSite(start, { config: { store } })
    const browser = site.browser()
    await askForLink(browser, ADA)
    expect(site.failures().map(({ level, error }) => [level, error?.message])).toEqual([
      ["error", "the store failed to count attempts, so this process counted in memory"],
    ])
    await openLink(browser, site.mail.linkTo(ADA))
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it("do not refuse emails if the store hangs", async () => {
    const { store } = sharedStore({ increment: () => pause(60_000, undefined, { ref: false }) as Promise<never> })
    const site = await startMailSite(start, { config: { store } })
    const startedAt = performance.now()
    const page = await askForLink(site.browser(), ADA)
    expect(new URL(page.location).pathname).toBe("/auth/verify-request")
    expect(performance.now() - startedAt).toBeLessThan(4_000)
    expect(site.failures()).toHaveLength(1)
    expect(site.mail.sent).toHaveLength(1)
  })

  it("are counted separately for each application in a process", async () => {
    const config = { rateLimit: { emailsPerAddress: 1 } }
    const [first, second] = [await startMailSite(start, { config }), await startMailSite(start, { config })]
    for (const site of [first, second, first, second]) await askForLink(site.browser(), ADA)
    expect([first.mail.sent.length, second.mail.sent.length]).toEqual([1, 1])
  })
})
