import { setTimeout as pause } from "node:timers/promises"
import { MemoryAdapter } from "../../lib/adapters/memory.js"
import Credentials from "../../lib/providers/credentials.js"
import type { AuthConfig } from "../../lib/types.js"
import { guardProcess } from "../flows/support/guard.js"
import { askForLink, errorOf, type Mailbox, mailbox } from "../flows/support/mail.js"
import { openCallback, sessionCookies, sessionOf, signIn, startAndApprove } from "../flows/support/site.js"
import { describeServer, recordingLogger } from "../support/apps.js"
import type { Browser } from "../support/browser.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { until } from "../support/wait.js"
import { type BalancedSite, startBalanced } from "./support/balanced.js"

guardProcess()

const CLIENTS = 50
const OLD = "the old secret, which is removed at the end"
const NEW = "the new secret, which only the site knows"
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
afterAll(() => op.close())

const signInMethods = (mail: Mailbox) => [
  (browser: Browser) => signIn(browser, op),
  async (browser: Browser, address: string) => {
    await askForLink(browser, address)
    return browser.get(mail.linkTo(address))
  },
  async (browser: Browser, address: string) =>
    browser.post("/auth/callback/credentials", { csrfToken: await browser.csrf(), username: address }),
]

/** A visitor who repeatedly signs in, requests the session and signs out while the site is open. */
class Visitor {
  readonly #browser: Browser
  readonly #address: string
  readonly #signIn: (browser: Browser, address: string) => Promise<unknown>
  /** The number of session requests. */
  sessionReads = 0
  /** Observations that should not occur. */
  readonly complaints: string[] = []

  constructor(site: BalancedSite, index: number, mail: Mailbox) {
    this.#browser = site.browser()
    this.#address = `visitor-${index}@example.com`
    const all = signInMethods(mail)
    this.#signIn = all[index % all.length] as (typeof all)[number]
  }

  async visit(isOpen: () => boolean): Promise<void> {
    while (isOpen()) {
      await this.#signIn(this.#browser, this.#address)
      for (let i = 0; i < 4 && isOpen(); i++) await this.#readSession()
      const csrfToken = await this.#browser.csrf()
      await this.#browser.post("/auth/signout", { csrfToken })
      if (await sessionOf(this.#browser)) this.complaints.push("still signed in after signing out")
    }
  }

  async #readSession(): Promise<void> {
    const session = await sessionOf(this.#browser)
    if (!session) this.complaints.push(`signed out at session read ${this.sessionReads + 1}`)
    this.sessionReads += 1
    await pause(100)
  }
}

/** Browsers that pause during the rotation and return in the middle or at the end. */
async function openPausedBrowsers(site: BalancedSite, mail: Mailbox) {
  const [idle, renewed, returning, reading, typing] = times(5, () => site.browser()) as [
    ...[Browser, Browser, Browser, Browser, Browser],
  ]
  await signIn(idle, op)
  await signIn(renewed, op)
  const back = await startAndApprove(returning, op)
  await askForLink(reading, "reader@example.com")
  const csrfToken = await typing.csrf()
  return {
    /** Returns while both secrets are valid. */
    async returnDuringRotation() {
      expect(await sessionOf(renewed)).not.toBeNull()
      await openCallback(returning, op, back)
      await reading.get(mail.linkTo("reader@example.com"))
      await typing.post("/auth/callback/credentials", { csrfToken, username: "typist@example.com" })
      for (const browser of [returning, reading, typing]) expect(await sessionOf(browser)).not.toBeNull()
    },
    /** Returns after the old secret was removed. */
    async returnAfterRotation() {
      for (const browser of [renewed, returning, reading, typing]) expect(await sessionOf(browser)).not.toBeNull()
      expect([await sessionOf(idle), sessionCookies(idle)]).toEqual([null, []])
      await signIn(idle, op)
      expect(await sessionOf(idle)).not.toBeNull()
    },
  }
}

const PLANS = [
  { name: "in two processes, by three steps", processes: 2, steps: [[OLD, NEW], [NEW, OLD], [NEW]] },
  { name: "in one process, by two steps", processes: 1, steps: [[NEW, OLD], [NEW]] },
]

describeServer("secret rotation under load", "Express 5", (start) => {
  it.each(PLANS)(
    "$name: active sessions remain valid, and no request fails",
    async ({ processes, steps }) => {
      const mail = mailbox()
      const { logger } = recordingLogger()
      const people = Credentials({ authorize: ({ username }) => ({ id: String(username), email: String(username) }) })
      const shared = {
        ...{ providers: [op.oidc(), mail.provider, people], adapter: MemoryAdapter(), logger },
        ...{ rateLimit: false, session: { strategy: "jwt", updateAge: 0 } },
      } as const satisfies Partial<AuthConfig>
      const site = await startBalanced(start, { ...shared, secret: [OLD] }, processes)
      const visitors = times(CLIENTS, (index) => new Visitor(site, index, mail))
      const paused = await openPausedBrowsers(site, mail)
      let isOpen = true
      const visiting = Promise.all(visitors.map((visitor) => visitor.visit(() => isOpen)))
      /** Waits until each visitor has requested the session twice more. */
      const allReadSessions = async () => {
        const before = visitors.map(({ sessionReads }) => sessionReads)
        await until(
          () => visitors.every(({ sessionReads }, index) => sessionReads >= (before[index] ?? 0) + 2),
          120_000,
        )
      }
      await allReadSessions()
      for (const secret of steps) {
        // Cookies and links that must survive are used while both secrets are valid.
        if (secret.length === 1) await paused.returnDuringRotation()
        await site.deploy({ ...shared, secret }, allReadSessions)
      }
      isOpen = false
      await visiting
      await paused.returnAfterRotation()
      expect([visitors.flatMap(({ complaints }) => complaints), site.failures]).toEqual([[], []])
    },
    300_000,
  )

  it("a CSRF token remains valid while both secrets are valid, and then with the new secret alone", async () => {
    const people = Credentials({ authorize: () => ({ id: "1", name: "Ada" }) })
    const shared = { providers: [people], logger: recordingLogger().logger }
    const site = await startBalanced(start, { ...shared, secret: [OLD] }, 1)
    const browser = site.browser()
    const csrfToken = await browser.csrf()
    await site.deploy({ ...shared, secret: [NEW, OLD] }, async () => {})
    expect(await browser.csrf()).toBe(csrfToken)
    await site.deploy({ ...shared, secret: [NEW] }, async () => {})
    await browser.post("/auth/callback/credentials", { csrfToken })
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "Ada" } })
  })

  it.each([
    ["in encrypted cookies end", "jwt", null],
    ["in a store remain valid", "database", expect.objectContaining({ user: expect.anything() })],
  ] as const)("without the old secret, sessions %s", async (_, strategy, expected) => {
    const { logger } = recordingLogger()
    const shared = { providers: [op.oidc()], adapter: MemoryAdapter(), session: { strategy }, logger }
    const site = await startBalanced(start, { ...shared, secret: [OLD] }, 1)
    const browser = site.browser()
    await signIn(browser, op)
    expect(await sessionOf(browser)).not.toBeNull()
    await site.deploy({ ...shared, secret: [NEW] }, async () => {})
    expect([await sessionOf(browser), site.failures]).toEqual([expected, []])
  })

  it("a link that was requested under the old secret is rejected with the error Verification under the new one", async () => {
    const mail = mailbox()
    const { logger } = recordingLogger()
    const shared = { providers: [mail.provider], adapter: MemoryAdapter(), logger }
    const site = await startBalanced(start, { ...shared, secret: [OLD] }, 1)
    const browser = site.browser()
    await askForLink(browser, "reader@example.com")
    await site.deploy({ ...shared, secret: [NEW] }, async () => {})
    const page = await browser.get(mail.linkTo("reader@example.com"))
    const landed = page.status === 200 ? await browser.submit(browser.form(await page.text())) : page
    expect([errorOf(landed), site.failures]).toEqual(["Verification", []])
  })
})
