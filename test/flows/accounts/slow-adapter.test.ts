import { setTimeout as pause } from "node:timers/promises"
import type { Adapter } from "../../../lib/adapters/adapter.js"
import type { AuthConfig } from "../../../lib/types.js"
import { describeServer } from "../../support/apps.js"
import type { Page } from "../../support/browser.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, errorOf, type MailSite, mailbox, signInByMail, startMailSite } from "../support/mail.js"
import { openCallback, sessionCookies, sessionOf, signIn, startAndApprove } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

const ADA = "ada@example.com"
/** Longer than the request timeout. */
const DELAY_MS = 10_500

interface SlowSignIn {
  /** The adapter method that is slow during the callback request. */
  readonly method?: keyof Adapter
  readonly callback?: "signIn" | "jwt"
  readonly strategy?: "jwt" | "database"
  readonly by: "link" | "provider"
}

interface Outcome {
  readonly page: Page
  readonly seconds: number
  readonly site: MailSite
  /** The number of sessions after the work has ended. */
  readonly sessions: number
}

describeServer("A sign-in that exceeds the timeout", "Auth()", (start) => {
  /** Signs in while one function is slow, waits until the work has ended, and signs in again at normal speed. */
  async function signInSlowly({ method, callback, strategy = "database", by }: SlowSignIn): Promise<Outcome> {
    let isSlow = false
    const wait = async () => {
      if (isSlow) await pause(DELAY_MS)
    }
    const mail = mailbox()
    const slowCallback = (name: "signIn" | "jwt") => async (params: { token?: unknown }) => {
      if (callback === name) await wait()
      return name === "jwt" ? params.token : true
    }
    const opened = await startMailSite(start, {
      over: (adapter) => {
        if (!method) return {}
        const run = adapter[method] as (...args: unknown[]) => unknown
        return {
          async [method](...args: unknown[]) {
            await wait()
            return run(...args)
          },
        } as Partial<Adapter>
      },
      config: {
        providers: [op.oidc(), mail.provider],
        session: { strategy },
        callbacks: { signIn: slowCallback("signIn"), jwt: slowCallback("jwt") } as NonNullable<AuthConfig["callbacks"]>,
      },
    })
    const site = { ...opened, mail }
    const browser = site.browser()
    let attempt: () => Promise<Page>
    if (by === "link") {
      await askForLink(browser, ADA)
      attempt = () => browser.get(mail.linkTo(ADA))
    } else {
      const answer = await startAndApprove(browser, op)
      attempt = () => openCallback(browser, op, answer)
    }
    site.forget()
    isSlow = true
    const startedAt = performance.now()
    const page = await attempt()
    const seconds = (performance.now() - startedAt) / 1000
    expect([page.status, errorOf(page), sessionCookies(browser)]).toEqual([302, "Configuration", []])
    expect(site.failures()).toMatchObject([{ level: "error", code: "AuthError" }])
    expect(site.failures()[0]?.error?.message).toMatch(/^GET callback\/(mail|oidc) timed out after 9\.5 s: /)
    isSlow = false
    await pause(DELAY_MS - 9_500 + 300)
    const sessions = site.store.sessions.size
    // No user was signed in, and one failure was logged.
    expect([site.failures().length, site.events.filter(({ name }) => name === "signIn")]).toEqual([1, []])
    if (by === "link") await signInByMail(site, browser, ADA)
    else await signIn(browser, op)
    expect(await sessionOf(browser)).not.toBeNull()
    expect(site.store.users.size).toBe(1)
    expect(site.store.accounts).toHaveLength(by === "link" ? 0 : 1)
    return { page, seconds, site, sessions }
  }

  it("FLT-15: is answered within ten seconds, creates no session afterwards, and a retry works", async () => {
    const all = await Promise.all([
      signInSlowly({ by: "link", method: "getUserByEmail" }),
      signInSlowly({ by: "link", method: "createUser" }),
      signInSlowly({ by: "link", callback: "signIn" }),
      signInSlowly({ by: "link", method: "createUser", strategy: "jwt" }),
      signInSlowly({ by: "link", callback: "jwt", strategy: "jwt" }),
      signInSlowly({ by: "provider", method: "getUserByAccount" }),
      signInSlowly({ by: "provider", method: "createUser" }),
      signInSlowly({ by: "provider", callback: "signIn" }),
      signInSlowly({ by: "provider", callback: "jwt", strategy: "jwt" }),
    ])
    for (const { seconds } of all) {
      expect(seconds).toBeGreaterThan(9)
      expect(seconds).toBeLessThan(10)
    }
    expect(all.map(({ sessions }) => sessions)).toEqual(all.map(() => 0))
  }, 60_000)

  it("calls the signIn event only for a sign-in whose response carried the session", async () => {
    // The store created the session too late for the response.
    const { sessions, site } = await signInSlowly({ by: "link", method: "createSession" })
    expect(sessions).toBeLessThanOrEqual(1)
    expect(site.events.map(({ name }) => name).filter((name) => name === "signIn")).toHaveLength(1)
  }, 40_000)
})
