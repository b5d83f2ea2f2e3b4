/**
 * EML-14: whether somebody is known here is told by no answer, and by no clock.
 *
 * @module
 */
import { setTimeout as pause } from "node:timers/promises"
import { distanceOf } from "../support/answer-times.js"
import { describeServer } from "../support/apps.js"
import type { Page } from "../support/browser.js"
import { guardProcess } from "./support/guard.js"
import { mailbox, openLink, signInByMail, startMailSite } from "./support/mail.js"

guardProcess()

const ADA = "ada@example.com"

describeServer("EML-14: nobody learns who is known here", "Express 5", (start) => {
  const REQUESTS = 200
  /** The medians, in parts of the least. */
  const CLOSE = 0.05
  /** Names of one length. */
  const KINDS = ["members", "unknown", "refused"] as const

  /** What an answer says, but for what is sealed or drawn by lot. */
  const shape = (page: Page) =>
    JSON.stringify([
      page.status,
      [...page.headers].filter(([name]) => !["set-cookie", "date"].includes(name)),
      page.headers.getSetCookie().map((cookie) => cookie.replace(/=[^;]*/, "").replace(/Expires=[^;]*/i, "")),
      // Sealed in the same length.
      page.headers.getSetCookie().map((cookie) => cookie.length),
    ])

  it(`known, unknown and refused addresses: ${REQUESTS} answers each are the same, and take as long`, async () => {
    const mail = mailbox({
      // Not always alike, as mail servers are.
      sendVerificationRequest: () => pause(30 + Math.random() * 20),
    })
    const site = await startMailSite(start, {
      config: {
        providers: [mail.provider],
        rateLimit: false,
        callbacks: { signIn: ({ user }) => !user.email?.startsWith("refused") },
      },
    })
    for (let i = 0; i < REQUESTS; i++) {
      const id = `user-${i}`
      site.store.users.set(id, { id, email: `members-${i}@example.com`, emailVerified: new Date(0) })
    }
    const browser = site.browser()
    const csrfToken = await browser.csrf()
    const shapes = new Set<string>()
    const ask = async (kind: string, number: number) => {
      const page = await browser
        .clone()
        .post("/auth/signin/mail", { csrfToken, email: `${kind}-${number}@example.com` })
      expect(await page.text()).toBe("")
      shapes.add(shape(page))
    }
    const distance = await distanceOf({ ask, kinds: KINDS, requests: REQUESTS, atOnce: 4, enough: CLOSE })
    expect(shapes.size).toBe(1)
    expect(distance).toBeLessThan(CLOSE)
  }, 180_000)

  it("a link says as much of an address that is known as of one that is not", async () => {
    const site = await startMailSite(start)
    await signInByMail(site, site.browser(), ADA)
    const asked = async (email: string) => {
      const link = `/auth/callback/mail?token=${"0".repeat(64)}&email=${email}`
      const browser = site.browser()
      const page = await browser.get(link)
      const html = (await page.text()).replace(/value="[0-9a-f]{64}"/g, "").replaceAll(email, "…")
      return [page.status, html, (await openLink(browser, link)).location]
    }
    expect(await asked("bob@example.com")).toEqual(await asked(ADA))
  })
})
