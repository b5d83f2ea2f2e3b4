import { setTimeout as pause } from "node:timers/promises"
import type { Adapter } from "../../lib/adapters/adapter.js"
import type { AuthConfig } from "../../lib/types.js"
import { describeServer } from "../support/apps.js"
import type { Page } from "../support/browser.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { guardProcess } from "./support/guard.js"
import { askForLink, errorOf, type MailSite, mailbox, signInByMail, startMailSite } from "./support/mail.js"
import { comeBack, goAndAgree, sessionCookies, sessionOf, signIn } from "./support/site.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
afterAll(() => op.close())

const ADA = "ada@example.com"
/** Longer than anybody waits. */
const LATE_MS = 10_500

interface Slow {
  /** Made slow when the link is opened, or the provider's answer comes. */
  readonly method?: keyof Adapter
  readonly callback?: "signIn" | "jwt"
  readonly strategy?: "jwt" | "database"
  readonly by: "link" | "provider"
}

interface Seen {
  readonly page: Page
  readonly seconds: number
  readonly site: MailSite
  /** After the work has come to its end. */
  readonly sessions: number
}

describeServer("A sign-in that takes too long", "Auth()", (start) => {
  /** Signs in while one thing is slow, waits for the end of the work, and signs in again when it is not. */
  async function live({ method, callback, strategy = "database", by }: Slow): Promise<Seen> {
    let isSlow = false
    const wait = async () => {
      if (isSlow) await pause(LATE_MS)
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
      const answer = await goAndAgree(browser, op)
      attempt = () => comeBack(browser, op, answer)
    }
    site.forget()
    isSlow = true
    const startedAt = performance.now()
    const page = await attempt()
    const seconds = (performance.now() - startedAt) / 1000
    expect([page.status, errorOf(page), sessionCookies(browser)]).toEqual([302, "Configuration", []])
    expect(site.failures()).toMatchObject([{ level: "error", code: "AuthError" }])
    expect(site.failures()[0]?.error?.message).toMatch(/^GET callback\/(mail|oidc) was not answered within 9\.5 s: /)
    isSlow = false
    await pause(LATE_MS - 9_500 + 300)
    const sessions = site.store.sessions.size
    // Nobody was signed in, and the log has said so once.
    expect([site.failures().length, site.events.filter(({ name }) => name === "signIn")]).toEqual([1, []])
    if (by === "link") await signInByMail(site, browser, ADA)
    else await signIn(browser, op)
    expect(await sessionOf(browser)).not.toBeNull()
    expect(site.store.users.size).toBe(1)
    expect(site.store.accounts).toHaveLength(by === "link" ? 0 : 1)
    return { page, seconds, site, sessions }
  }

  it("FLT-15: is answered within ten seconds, opens no session afterwards, and works again", async () => {
    const all = await Promise.all([
      live({ by: "link", method: "getUserByEmail" }),
      live({ by: "link", method: "createUser" }),
      live({ by: "link", callback: "signIn" }),
      live({ by: "link", method: "createUser", strategy: "jwt" }),
      live({ by: "link", callback: "jwt", strategy: "jwt" }),
      live({ by: "provider", method: "getUserByAccount" }),
      live({ by: "provider", method: "createUser" }),
      live({ by: "provider", callback: "signIn" }),
      live({ by: "provider", callback: "jwt", strategy: "jwt" }),
    ])
    for (const { seconds } of all) {
      expect(seconds).toBeGreaterThan(9)
      expect(seconds).toBeLessThan(10)
    }
    expect(all.map(({ sessions }) => sessions)).toEqual(all.map(() => 0))
  }, 60_000)

  it("tells the application of a sign-in only when somebody got its session", async () => {
    // The store opened it, too late for the answer.
    const { sessions, site } = await live({ by: "link", method: "createSession" })
    expect(sessions).toBeLessThanOrEqual(1)
    expect(site.events.map(({ name }) => name).filter((name) => name === "signIn")).toHaveLength(1)
  }, 40_000)
})
