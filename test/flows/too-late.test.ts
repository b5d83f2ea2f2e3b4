/**
 * What takes longer than anybody waits. All at once: each is a wait of ten seconds and more.
 */
import { setTimeout as pause } from "node:timers/promises"
import type { Adapter } from "../../lib/adapters/adapter.js"
import { describeServer, type Start } from "../support/apps.js"
import { guardProcess } from "./support/guard.js"
import { askForLink, errorOf, signInByMail, startMailSite } from "./support/mail.js"
import { sessionOf } from "./support/site.js"

guardProcess()

const ADA = "ada@example.com"
const database = { session: { strategy: "database" } } as const

/** A sender that may take twelve seconds, and takes ten. */
async function slowSender(start: Start): Promise<string> {
  const mail = { sendTimeout: 12, sendVerificationRequest: () => pause(10_000) }
  const site = await startMailSite(start, { mail })
  return new URL((await askForLink(site.browser(), ADA)).location).pathname
}

/** A session whose row is written after the answer: the one of before has to stay, and no other. */
async function lateSession(start: Start) {
  let isSlow = false
  const over = ({ createSession }: Adapter): Partial<Adapter> => ({
    async createSession(session) {
      if (isSlow) await pause(10_500)
      if (!createSession) throw new Error("the store keeps no sessions")
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

/** A callback of the application that hangs; gives whether the answer came within ten seconds and a half. */
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

/** A store that takes longer than anybody waits for a session; gives how many queries there were at once, at most. */
async function hangingRead(start: Start): Promise<number> {
  let [underWay, most, isSlow] = [0, 0, false]
  const over = ({ getSessionAndUser }: Adapter): Partial<Adapter> => ({
    async getSessionAndUser(token) {
      most = Math.max(most, ++underWay)
      if (isSlow) await pause(9_000)
      underWay--
      return (await getSessionAndUser?.(token)) ?? null
    },
  })
  const site = await startMailSite(start, { config: database, over })
  const browser = site.browser()
  await signInByMail(site, browser, ADA)
  isSlow = true
  most = 0
  const ask = async (_: unknown, i: number) => {
    await pause(i * 500)
    await browser.clone().get("/auth/session")
  }
  await Promise.all(Array.from({ length: 16 }, ask))
  return most
}

describeServer("What is too late", "Auth()", (start) => {
  it("EML-16, FLT-15: leaves time to a sender that asks for it, sessions as they were, and a new query once one was given up", async () => {
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
      // The second one begins 5 s after the first, which nothing waits for any more.
      queries: 2,
    })
  }, 40_000)
})
