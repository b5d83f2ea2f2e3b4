/**
 * Attacks on sign-in links, on every server: Host headers, concurrent requests, and expired or replaced links.
 *
 * @module
 */
import { createHmac } from "node:crypto"
import { describeServers, TEST_SECRET } from "../../support/apps.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, confirmLink, errorOf, startMailSite } from "../support/mail.js"
import { param } from "../support/site.js"

guardProcess()

const ADA = "ada@example.com"
const VICTIM = "v@app.test"

describeServers("A sign-in link", (start, stage) => {
  it("EML-04, EML-05, EML-06: is refused if it is not the newest or has expired, and only a keyed hash of its token is stored", async () => {
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

  if (stage !== "Auth()") {
    it("ADV-01: has the origin of AUTH_URL, regardless of the request headers", async () => {
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

    it("ADV-21: has the right origin and address for each of 200 concurrent requests", async () => {
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
