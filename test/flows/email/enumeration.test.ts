/**
 * EML-14: neither responses nor response times reveal which email addresses have a user.
 *
 * @module
 */
import { setTimeout as pause } from "node:timers/promises"
import { distanceOf } from "../../support/answer-times.js"
import { describeServer } from "../../support/apps.js"
import type { Page } from "../../support/browser.js"
import { guardProcess } from "../support/guard.js"
import { mailbox, openLink, signInByMail, startMailSite } from "../support/mail.js"

guardProcess()

const ADA = "ada@example.com"

describeServer("EML-14: user enumeration", "Express 5", (start) => {
  const REQUESTS = 200
  /** The maximum difference of the median times, relative to the smallest. */
  const MAX_DISTANCE = 0.05
  /** Names of equal length. */
  const KINDS = ["members", "unknown", "refused"] as const
  /** Addresses have equal lengths, because the length of the cookie depends on it. */
  const addressFor = (kind: string, number: number) => `${kind}-${String(number).padStart(5, "0")}@example.com`

  /** The response without encrypted and random values. */
  const shape = (page: Page) =>
    JSON.stringify([
      page.status,
      [...page.headers].filter(([name]) => !["set-cookie", "date"].includes(name)),
      page.headers.getSetCookie().map((cookie) => cookie.replace(/=[^;]*/, "").replace(/Expires=[^;]*/i, "")),
      // Encrypted values must have the same length.
      page.headers.getSetCookie().map((cookie) => cookie.length),
    ])

  it(`is not possible by responses or response times for known, unknown and refused addresses (${REQUESTS} each)`, async () => {
    const mail = mailbox({
      // The duration varies, as with real mail servers.
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
      site.store.users.set(id, { id, email: addressFor("members", i), emailVerified: new Date(0) })
    }
    const browser = site.browser()
    const csrfToken = await browser.csrf()
    const shapes = new Set<string>()
    const ask = async (kind: string, number: number) => {
      const page = await browser.clone().post("/auth/signin/mail", { csrfToken, email: addressFor(kind, number) })
      expect(await page.text()).toBe("")
      shapes.add(shape(page))
    }
    const distance = await distanceOf({ ask, kinds: KINDS, requests: REQUESTS, atOnce: 4, enough: MAX_DISTANCE })
    expect(shapes.size).toBe(1)
    expect(distance).toBeLessThan(MAX_DISTANCE)
  }, 180_000)

  it("is not possible by the pages of a link with an invalid token", async () => {
    const site = await startMailSite(start)
    await signInByMail(site, site.browser(), ADA)
    const pagesFor = async (email: string) => {
      const link = `/auth/callback/mail?token=${"0".repeat(64)}&email=${email}`
      const browser = site.browser()
      const page = await browser.get(link)
      const html = (await page.text()).replace(/value="[0-9a-f]{64}"/g, "").replaceAll(email, "…")
      return [page.status, html, (await openLink(browser, link)).location]
    }
    expect(await pagesFor("bob@example.com")).toEqual(await pagesFor(ADA))
  })
})
