/**
 * EML-14: whether somebody is known here is told by no answer, and by no clock.
 *
 * @module
 */
import { setTimeout as pause } from "node:timers/promises"
import { describeServer } from "../support/apps.js"
import type { Page } from "../support/browser.js"
import { guardProcess } from "./support/guard.js"
import { mailbox, openLink, signInByMail, startMailSite } from "./support/mail.js"

guardProcess()

const ADA = "ada@example.com"

describeServer("EML-14: nobody learns who is known here", "Express 5", (start) => {
  const REQUESTS = 200
  /** Of each kind. */
  const AT_ONCE = 4
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

  /** Nobody is always first. */
  const shuffled = <T>(all: T[]): T[] =>
    all
      .map((one) => ({ one, at: Math.random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ one }) => one)

  const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

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
    const ask = async (kind: string, i: number) => {
      const one = browser.clone()
      const startedAt = performance.now()
      const page = await one.post("/auth/signin/mail", { csrfToken, email: `${kind}-${i}@example.com` })
      const took = performance.now() - startedAt
      expect(await page.text()).toBe("")
      return { took, shape: shape(page) }
    }
    const shapes = new Set<string>()
    const times = new Map(KINDS.map((kind) => [kind, [] as number[]]))
    /** How far the medians of the others are from that of the members, in parts of it, with all that was seen so far. */
    async function measure(): Promise<number> {
      for (let i = 0; i < REQUESTS; i += AT_ONCE)
        await Promise.all(
          shuffled(KINDS.flatMap((kind) => Array.from({ length: AT_ONCE }, (_, n) => ({ kind, n })))).map(
            async ({ kind, n }) => {
              const seen = await ask(kind, i + n)
              times.get(kind)?.push(seen.took)
              shapes.add(seen.shape)
            },
          ),
        )
      const [members = 0, ...others] = [...times.values()].map(median)
      return Math.max(...others.map((other) => Math.abs(other - members) / members))
    }
    // The first ones pay for what is made once.
    for (let i = 0; i < 12; i++) await Promise.all(KINDS.map((kind) => ask(kind, i)))
    // Other processes on this machine have their turn with one of the kinds or another; the more is seen, the less of that
    // is left, and all of a leak.
    let distance = 1
    for (let round = 0; round < 6 && distance >= 0.05; round++) distance = await measure()
    expect(shapes.size).toBe(1)
    expect(distance).toBeLessThan(0.05)
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
