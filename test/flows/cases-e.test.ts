/**
 * Section E: links in mails; and the cases of section A that are about them. What a row says in one line is looked at
 * more closely in `email-*.test.ts`.
 *
 * @module
 */
import { createHmac } from "node:crypto"
import { describeServer, describeServers, TEST_SECRET } from "../support/apps.js"
import type { Browser } from "../support/browser.js"
import { visibleText } from "../support/html.js"
import { guardProcess } from "./support/guard.js"
import {
  askForLink,
  confirmLink,
  errorOf,
  type MailSite,
  openLink,
  signInByMail,
  startMailSite,
} from "./support/mail.js"
import { param, sessionCookies, sessionOf, withParams } from "./support/site.js"

guardProcess()

const ADA = "ada@example.com"
const VICTIM = "v@app.test"

describeServers("Section E", (start, stage) => {
  it("EML-01, EML-02: a link that others look at stays good for the person who asked", async () => {
    const site = await startMailSite(start)
    const browser = site.browser()
    await askForLink(browser, VICTIM)
    const link = site.mail.linkTo(VICTIM)
    const looks: [Browser, Parameters<Browser["request"]>[1]][] = [
      [site.browser(), { headers: { "user-agent": "Mozilla/5.0 SafeLinks" } }],
      [site.browser(), { method: "HEAD" }],
      [browser, { method: "HEAD" }],
      [browser, { headers: { "sec-purpose": "prefetch" } }],
      [site.browser(), {}],
    ]
    for (const [who, init] of looks) {
      expect((await who.request(link, init)).status).toBe(200)
      expect(sessionCookies(who)).toEqual([])
    }
    expect((await browser.get(link)).status).toBe(302)
    expect(await sessionOf(browser)).toMatchObject({ user: { email: VICTIM } })
  })

  it("EML-01: a forwarded link signs nobody in to another's account without their saying so", async () => {
    const site = await startMailSite(start)
    const [attacker, victim] = [site.browser(), site.browser()]
    await askForLink(attacker, "attacker@evil.test")
    const page = await victim.get(site.mail.linkTo("attacker@evil.test"))
    expect([page.status, await sessionOf(victim)]).toEqual([200, null])
    expect(visibleText(await page.text())).toContain("attacker@evil.test")
  })

  it("EML-04, EML-05, EML-06: of four links the newest works, until its time is over, and the store can't rebuild it", async () => {
    const site = await startMailSite(start, { mail: { maxAge: 600 } })
    for (let i = 0; i < 4; i++) await askForLink(site.browser(), ADA)
    const links = site.mail.sent.map(({ url }) => url)
    for (const link of links.slice(0, 3)) expect(errorOf(await confirmLink(site.browser(), link))).toBe("Verification")
    const token = param(links[3] ?? "", "token")
    expect(Buffer.from(token, "hex")).toHaveLength(32)
    const [stored] = site.store.links
    expect(stored?.token).toBe(createHmac("sha256", TEST_SECRET).update(`latchkey.email-link ${token}`).digest("hex"))
    site.time.now += 601_000
    expect(errorOf(await confirmLink(site.browser(), links[3] ?? ""))).toBe("Verification")
    expect([site.store.users.size, site.store.sessions.size]).toEqual([0, 0])
  })

  it("EML-15, EML-16, EML-17: sending fails, hangs, and can't be stored: the person is told, and the process lives", async () => {
    const ways: [MailSite["mail"]["provider"]["sendVerificationRequest"], string, number][] = [
      [
        async () => {
          throw new Error("550")
        },
        "EmailSignin",
        0,
      ],
      [
        () => {
          throw new Error("550")
        },
        "EmailSignin",
        0,
      ],
      [() => new Promise(() => {}), "EmailSignin", 1],
    ]
    for (const [sendVerificationRequest, error, links] of ways) {
      const site = await startMailSite(start, { mail: { sendVerificationRequest, sendTimeout: 0.2 } })
      const browser = site.browser()
      expect([errorOf(await askForLink(browser, ADA)), site.store.links.length]).toEqual([error, links])
      expect(site.failures()).toHaveLength(1)
      expect((await browser.get("/auth/signin")).status).toBe(200)
    }
    const site = await startMailSite(start, {
      over: () => ({ createVerificationToken: () => Promise.reject(new Error("down")) }),
    })
    expect([errorOf(await askForLink(site.browser(), ADA)), site.mail.sent]).toEqual(["Configuration", []])
  })

  it("EML-20: a link takes the place of another person's session", async () => {
    for (const strategy of ["jwt", "database"] as const) {
      const site = await startMailSite(start, { config: { session: { strategy } } })
      const browser = site.browser()
      await signInByMail(site, browser, ADA)
      const old = browser.clone()
      await signInByMail(site, browser, VICTIM)
      expect(await sessionOf(browser)).toMatchObject({ user: { email: VICTIM } })
      expect(site.store.users.size).toBe(2)
      if (strategy === "database") expect(await sessionOf(old)).toBeNull()
    }
  })

  if (stage !== "Auth()") {
    it("ADV-01: the link is of the site's address, whatever the request says", async () => {
      const before = process.env["AUTH_URL"]
      process.env["AUTH_URL"] = "https://app.test/auth"
      try {
        const site = await startMailSite(start, { start: { origin: "https://app.test" } })
        const evil = { host: "evil.test", "x-forwarded-host": "evil.test", forwarded: "host=evil.test" }
        const browser = site.browser()
        const page = await askForLink(browser, VICTIM, {}, { headers: evil })
        expect(page.status).toBe(302)
        for (const { url, mail } of site.mail.sent) {
          expect(url).toMatch(/^https:\/\/app\.test\/auth\/callback\/mail\?/)
          for (const part of Object.values(mail)) expect(part).not.toContain("evil.test")
        }
        expect(site.mail.sent).toHaveLength(1)
        expect(page.location).toMatch(/^https:\/\/app\.test\//)
      } finally {
        if (before === undefined) delete process.env["AUTH_URL"]
        else process.env["AUTH_URL"] = before
      }
    })

    it("ADV-21: two hundred requests at once make two hundred right links", async () => {
      const site = await startMailSite(start, { config: { rateLimit: false } })
      const browser = site.browser()
      const csrfToken = await browser.csrf()
      const paths = ["/auth/a", "/auth/%73ignin", "/auth/providers", "/auth/session"]
      await Promise.all(
        Array.from({ length: 200 }, async (_, i) => [
          await browser.clone().post("/auth/signin/mail", { csrfToken, email: `p${i}@example.com` }),
          await browser.clone().get(paths[i % paths.length] ?? "/"),
        ]),
      )
      expect(site.mail.sent).toHaveLength(200)
      for (const { url, identifier } of site.mail.sent) {
        expect(url.startsWith(`${site.app.origin}/auth/callback/mail?`)).toBe(true)
        expect(param(url, "email")).toBe(identifier)
      }
    })
  }
})

describeServer("ADV-10", "Auth()", (start) => {
  it("a wrong token for the right address lets nobody in, and the right one is good once", async () => {
    const site = await startMailSite(start)
    const [browser, thief] = [site.browser(), site.browser()]
    await askForLink(browser, VICTIM)
    const link = site.mail.linkTo(VICTIM)
    const wrong = await openLink(thief, withParams(link, { token: "wrong" }))
    expect([wrong.location, await sessionOf(thief)]).toEqual(["http://app.test/auth/error?error=Verification", null])
    await browser.get(link)
    expect(await sessionOf(browser)).toMatchObject({ user: { email: VICTIM } })
    expect(errorOf(await openLink(thief, link))).toBe("Verification")
  })
})
