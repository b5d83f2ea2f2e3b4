/**
 * Operations that exceed the timeout. They run concurrently, because each takes ten seconds or more.
 */
import { setTimeout as pause } from "node:timers/promises"
import type { Adapter } from "../../../lib/adapters/adapter.js"
import { describeServer, type Start } from "../../support/apps.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, errorOf, signInByMail, startMailSite } from "../support/mail.js"
import { sessionOf } from "../support/site.js"

guardProcess()

const ADA = "ada@example.com"
const database = { session: { strategy: "database" } } as const

/** Requests a link. The sender takes ten seconds and has a timeout of twelve. Returns the path of the next page. */
async function slowSender(start: Start): Promise<string> {
  const mail = { sendTimeout: 12, sendVerificationRequest: () => pause(10_000) }
  const site = await startMailSite(start, { mail })
  return new URL((await askForLink(site.browser(), ADA)).location).pathname
}

/** Stores a session after the response. Only the previous session must remain. */
async function lateSession(start: Start) {
  let isSlow = false
  const over = ({ createSession }: Adapter): Partial<Adapter> => ({
    async createSession(session) {
      if (isSlow) await pause(10_500)
      if (!createSession) throw new Error("the adapter has no createSession")
      return createSession(session)
    },
  })
  const site = await startMailSite(start, { config: database, over })
  const browser = site.browser()
  await signInByMail(site, browser, ADA)
  await askForLink(browser, ADA)
  isSlow = true
  const error = errorOf(await browser.get(site.mail.linkTo(ADA)))
  await pause(1_500)
  return { error, email: (await sessionOf(browser))?.user?.["email"], rows: site.store.sessions.size }
}

/** Requests a link while the redirect callback hangs. Returns whether the response came within 10.5 s. */
async function hangingRedirect(start: Start): Promise<boolean> {
  let hangs = false
  const redirect = async ({ url }: { url: string }) => (hangs ? pause(12_000, url) : url)
  const site = await startMailSite(start, { config: { callbacks: { redirect } } })
  const browser = site.browser()
  const csrfToken = await browser.csrf()
  hangs = true
  const startedAt = performance.now()
  await browser.post("/auth/signin/mail", { csrfToken, email: ADA, callbackUrl: "/x" })
  return performance.now() - startedAt < 10_500
}

/** Reads a session so slowly that the read times out. Returns the maximum number of concurrent queries. */
async function hangingRead(start: Start): Promise<number> {
  let [pending, maximum, isSlow] = [0, 0, false]
  const over = ({ getSessionAndUser }: Adapter): Partial<Adapter> => ({
    async getSessionAndUser(token) {
      maximum = Math.max(maximum, ++pending)
      if (isSlow) await pause(9_000)
      pending--
      return (await getSessionAndUser?.(token)) ?? null
    },
  })
  const site = await startMailSite(start, { config: database, over })
  const browser = site.browser()
  await signInByMail(site, browser, ADA)
  isSlow = true
  maximum = 0
  const ask = async (_: unknown, i: number) => {
    await pause(i * 500)
    await browser.clone().get("/auth/session")
  }
  await Promise.all(Array.from({ length: 16 }, ask))
  return maximum
}

describeServer("Timeouts", "Auth()", (start) => {
  it("EML-16, FLT-15: respect sendTimeout, keep the previous session, end a hanging callback, and allow a new query after an abandoned one", async () => {
    const [path, session, isInTime, queries] = await Promise.all([
      slowSender(start),
      lateSession(start),
      hangingRedirect(start),
      hangingRead(start),
    ])
    expect({ path, session, isInTime, queries }).toEqual({
      path: "/auth/verify-request",
      session: { error: "Configuration", email: ADA, rows: 1 },
      isInTime: true,
      // The second query starts 5 s after the first, which was abandoned.
      queries: 2,
    })
  }, 40_000)
})
