import { setTimeout as pause } from "node:timers/promises"
import { MemoryAdapter } from "../../lib/adapters/memory.js"
import Credentials from "../../lib/providers/credentials.js"
import type { AuthConfig } from "../../lib/types.js"
import { guardProcess } from "../flows/support/guard.js"
import { askForLink, errorOf, type Mailbox, mailbox } from "../flows/support/mail.js"
import { comeBack, goAndAgree, sessionCookies, sessionOf, signIn } from "../flows/support/site.js"
import { describeServer, recordingLogger } from "../support/apps.js"
import type { Browser } from "../support/browser.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { until } from "../support/wait.js"
import { type BalancedSite, startBalanced } from "./support/balanced.js"

guardProcess()

const CLIENTS = 50
const OLD = "the old secret, which is to be forgotten in the end"
const FRESH = "the fresh secret, which nobody but the site has seen"
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
afterAll(() => op.close())

const ways = (mail: Mailbox) => [
  (browser: Browser) => signIn(browser, op),
  async (browser: Browser, address: string) => {
    await askForLink(browser, address)
    return browser.get(mail.linkTo(address))
  },
  async (browser: Browser, address: string) =>
    browser.post("/auth/callback/credentials", { csrfToken: await browser.csrf(), username: address }),
]

/** Somebody who signs in, looks around, signs out and comes back, for as long as the site is open. */
class Visitor {
  readonly #browser: Browser
  readonly #address: string
  readonly #signIn: (browser: Browser, address: string) => Promise<unknown>
  /** How often they have looked around. */
  looks = 0
  /** What should not have happened. */
  readonly complaints: string[] = []

  constructor(site: BalancedSite, index: number, mail: Mailbox) {
    this.#browser = site.browser()
    this.#address = `visitor-${index}@example.com`
    const all = ways(mail)
    this.#signIn = all[index % all.length] as (typeof all)[number]
  }

  async visit(isOpen: () => boolean): Promise<void> {
    while (isOpen()) {
      await this.#signIn(this.#browser, this.#address)
      for (let i = 0; i < 4 && isOpen(); i++) await this.#look()
      const csrfToken = await this.#browser.csrf()
      await this.#browser.post("/auth/signout", { csrfToken })
      if (await sessionOf(this.#browser)) this.complaints.push("still signed in after signing out")
    }
  }

  async #look(): Promise<void> {
    const session = await sessionOf(this.#browser)
    if (!session) this.complaints.push(`signed out at the ${this.looks + 1}. look`)
    this.looks += 1
    await pause(100)
  }
}

/** Those who are away for a while, and come back in the middle or at the end. */
async function travellers(site: BalancedSite, mail: Mailbox) {
  const [idle, renewed, returning, reading, typing] = times(5, () => site.browser()) as [
    ...[Browser, Browser, Browser, Browser, Browser],
  ]
  await signIn(idle, op)
  await signIn(renewed, op)
  const back = await goAndAgree(returning, op)
  await askForLink(reading, "reader@example.com")
  const csrfToken = await typing.csrf()
  return {
    /** While both secrets are good. */
    async comeBackInTime() {
      expect(await sessionOf(renewed)).not.toBeNull()
      await comeBack(returning, op, back)
      await reading.get(mail.linkTo("reader@example.com"))
      await typing.post("/auth/callback/credentials", { csrfToken, username: "typist@example.com" })
      for (const browser of [returning, reading, typing]) expect(await sessionOf(browser)).not.toBeNull()
    },
    /** When the old secret is gone. */
    async comeBackAtLast() {
      for (const browser of [renewed, returning, reading, typing]) expect(await sessionOf(browser)).not.toBeNull()
      expect([await sessionOf(idle), sessionCookies(idle)]).toEqual([null, []])
      await signIn(idle, op)
      expect(await sessionOf(idle)).not.toBeNull()
    },
  }
}

const PLANS = [
  { name: "in two processes, by three steps", processes: 2, steps: [[OLD, FRESH], [FRESH, OLD], [FRESH]] },
  { name: "in one process, by two steps", processes: 1, steps: [[FRESH, OLD], [FRESH]] },
]

describeServer("A secret is changed while people come and go", "Express 5", (start) => {
  it.each(PLANS)(
    "$name: nobody who was here meanwhile is signed out, and no request fails",
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
      const away = await travellers(site, mail)
      let isOpen = true
      const visits = Promise.all(visitors.map((visitor) => visitor.visit(() => isOpen)))
      /** Until everybody has looked around twice more. */
      const everybodyLooks = async () => {
        const before = visitors.map(({ looks }) => looks)
        await until(() => visitors.every(({ looks }, index) => looks >= (before[index] ?? 0) + 2), 60_000)
      }
      await everybodyLooks()
      for (const secret of steps) {
        // Everybody and everything that is to last has been seen under the new secret before.
        if (secret.length === 1) await away.comeBackInTime()
        await site.deploy({ ...shared, secret }, everybodyLooks)
      }
      isOpen = false
      await visits
      await away.comeBackAtLast()
      expect([visitors.flatMap(({ complaints }) => complaints), site.failures]).toEqual([[], []])
    },
    120_000,
  )

  it("a form's token is kept while both secrets are good, and then under the fresh one alone", async () => {
    const people = Credentials({ authorize: () => ({ id: "1", name: "Ada" }) })
    const shared = { providers: [people], logger: recordingLogger().logger }
    const site = await startBalanced(start, { ...shared, secret: [OLD] }, 1)
    const browser = site.browser()
    const csrfToken = await browser.csrf()
    await site.deploy({ ...shared, secret: [FRESH, OLD] }, async () => {})
    expect(await browser.csrf()).toBe(csrfToken)
    await site.deploy({ ...shared, secret: [FRESH] }, async () => {})
    await browser.post("/auth/callback/credentials", { csrfToken })
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "Ada" } })
  })

  it.each([
    ["in encrypted cookies end", "jwt", null],
    ["in a store go on", "database", expect.objectContaining({ user: expect.anything() })],
  ] as const)("under the fresh one alone sessions %s", async (_, strategy, left) => {
    const { logger } = recordingLogger()
    const shared = { providers: [op.oidc()], adapter: MemoryAdapter(), session: { strategy }, logger }
    const site = await startBalanced(start, { ...shared, secret: [OLD] }, 1)
    const browser = site.browser()
    await signIn(browser, op)
    expect(await sessionOf(browser)).not.toBeNull()
    await site.deploy({ ...shared, secret: [FRESH] }, async () => {})
    expect([await sessionOf(browser), site.failures]).toEqual([left, []])
  })

  it("a link that was asked for under the old secret is no good under the fresh one alone, and says so", async () => {
    const mail = mailbox()
    const { logger } = recordingLogger()
    const shared = { providers: [mail.provider], adapter: MemoryAdapter(), logger }
    const site = await startBalanced(start, { ...shared, secret: [OLD] }, 1)
    const browser = site.browser()
    await askForLink(browser, "late@example.com")
    await site.deploy({ ...shared, secret: [FRESH] }, async () => {})
    const page = await browser.get(mail.linkTo("late@example.com"))
    const landed = page.status === 200 ? await browser.submit(browser.form(await page.text())) : page
    expect([errorOf(landed), site.failures]).toEqual(["Verification", []])
  })
})
