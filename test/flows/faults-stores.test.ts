import type { Adapter } from "../../lib/adapters/adapter.js"
import type { EmailConfig } from "../../lib/providers/provider.js"
import type { AuthConfig } from "../../lib/types.js"
import { describeServer, type RunningApp, type Start } from "../support/apps.js"
import type { Browser } from "../support/browser.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { recordingLogger } from "../support/recording-logger.js"
import { describeStores, type OpenStore, type Store } from "../support/stores.js"
import { until } from "../support/wait.js"
import { type Breakable, breakable } from "./support/breakable.js"
import { guardProcess } from "./support/guard.js"
import { askForLink, type Mailbox, mailbox } from "./support/mail.js"
import { comeBack, goAndAgree, sessionCookies, sessionOf, signIn, startSite } from "./support/site.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
afterAll(() => op.close())

const CROWD = 20
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

/** Runs something and gives how long it took. */
async function timed<T>(work: Promise<T>): Promise<{ result: T; seconds: number }> {
  const startedAt = performance.now()
  return { result: await work, seconds: (performance.now() - startedAt) / 1000 }
}

const whoIs = async (browser: Browser) => (await sessionOf(browser))?.user?.["email"]

/** An application on a store; another one on the same adapter shares nothing else with it, as another process. */
async function open(start: Start, adapter: Adapter, mail: Mailbox): Promise<RunningApp> {
  const config: Partial<AuthConfig> = {
    ...{ providers: [op.oidc(), mail.provider], adapter, rateLimit: false },
    session: { strategy: "database" },
  }
  return (await startSite({ start, stage: "Express 5", op }, { config, sessions: "jwt" })).app
}

/** Those that are here. */
const stores: Store[] = []

describeStores("When things fail", (kind: Store) => {
  stores.push(kind)
  describeServer(kind.name, "Express 5", (start: Start) => {
    let store: OpenStore
    let control: Breakable
    let mail: Mailbox
    let app: RunningApp

    beforeEach(async () => {
      store = await kind.create()
      control = breakable(store.adapter)
      mail = mailbox()
      app = await open(start, control.adapter, mail)
    })
    afterEach(() => store.close())

    it(`${CROWD} first sign-ins of one person at the same moment end in one user and one account`, async () => {
      const apps = [app, await open(start, control.adapter, mail)]
      const browsers = times(CROWD, (i) => apps[i % apps.length]?.browser() ?? app.browser())
      const addresses = await Promise.all(browsers.map((browser) => goAndAgree(browser, op)))
      await Promise.all(browsers.map((browser, i) => comeBack(browser, op, addresses[i] ?? "")))
      expect(await Promise.all(browsers.map(whoIs))).toEqual(times(CROWD, () => "alice@example.com"))
      expect(await store.counts()).toEqual({ users: 1, accounts: 1, sessions: CROWD, links: 0 })
    }, 40_000)

    it("ADV-24: a link that is opened twice at once signs in once, 50 of 50 times", async () => {
      const signedIn = await Promise.all(
        times(50, async (i) => {
          const [one, two] = [app.browser(), app.browser()]
          const address = `person-${i}@example.com`
          await askForLink(one, address)
          for (const cookie of one.cookies()) two.setCookie(cookie.name, cookie.value)
          const link = mail.linkTo(address)
          await Promise.all([one.get(link), two.get(link)])
          return [one, two].filter((browser) => sessionCookies(browser).length > 0).length
        }),
      )
      expect(signedIn).toEqual(times(50, () => 1))
      expect(await store.counts()).toEqual({ users: 50, accounts: 0, sessions: 50, links: 0 })
    }, 40_000)

    it(`${CROWD} links to one new person, opened at the same moment in two processes, end in one user`, async () => {
      // Without it older links stay good, as on the adapters of Auth.js.
      const { deleteVerificationTokens: _, ...adapter } = control.adapter
      const apps = [await open(start, adapter, mail), await open(start, adapter, mail)]
      const browsers = times(CROWD, (i) => apps[i % 2]?.browser() ?? app.browser())
      const links: string[] = []
      for (const browser of browsers) {
        await askForLink(browser, "ada@example.com")
        links.push(new URL(mail.linkTo("ada@example.com")).search)
      }
      await Promise.all(browsers.map((browser, i) => browser.get(`/auth/callback/mail${links[i]}`)))
      expect(await Promise.all(browsers.map(whoIs))).toEqual(times(CROWD, () => "ada@example.com"))
      expect(await store.counts()).toEqual({ users: 1, accounts: 0, sessions: CROWD, links: 0 })
    }, 40_000)

    it("ACC-05: a store that fails between user and account leaves nobody behind, and the next attempt succeeds", async () => {
      control.fail("linkAccount")
      const browser = app.browser()
      expect((await signIn(browser, op)).location).toContain("error=Configuration")
      expect([await store.counts(), sessionCookies(browser)]).toEqual([
        { users: 0, accounts: 0, sessions: 0, links: 0 },
        [],
      ])
      await signIn(browser, op)
      expect(await whoIs(browser)).toBe("alice@example.com")
      expect(await store.counts()).toEqual({ users: 1, accounts: 1, sessions: 1, links: 0 })
    })

    it("a store whose error repeats what it was given puts no token into the log", async () => {
      const { logger, text } = recordingLogger()
      const repeats = (given: unknown) => {
        const said = JSON.stringify(given)
        throw Object.assign(new Error(`refused: ${said}`), { code: "E_FULL", sql: said, command: { args: [said] } })
      }
      const adapter = { ...store.adapter, linkAccount: repeats, transaction: undefined as never }
      const providers = [op.oidc()]
      const config = { providers, adapter, logger, session: { strategy: "database" } } as const
      const { app: site } = await startSite({ start, stage: "Express 5", op }, { config, sessions: "jwt" })
      expect((await signIn(site.browser(), op)).location).toContain("error=Configuration")
      expect(text()).toContain("E_FULL")
      expect(text()).toContain("alice")
      expect([...op.secrets].filter((secret) => text().includes(secret))).toEqual([])
    })

    it("FLT-14: a store that is down signs nobody out, lets nobody in, and is used again when it is back", async () => {
      const [browser, other] = [app.browser(), app.browser()]
      await signIn(browser, op)
      const address = await goAndAgree(other, op)
      control.isDown = true
      expect((await browser.get("/auth/session")).status).toBe(503)
      expect((await browser.get("/me")).status).toBe(503)
      expect(sessionCookies(browser)).toHaveLength(1)
      expect((await comeBack(other, op, address)).location).toContain("error=Configuration")
      expect((await askForLink(other, "ada@example.com")).location).toContain("error=Configuration")
      expect(mail.sent).toEqual([])
      control.isDown = false
      expect(await whoIs(browser)).toBe("alice@example.com")
      await signIn(other, op)
      expect(await whoIs(other)).toBe("alice@example.com")
      expect(await store.counts()).toEqual({ users: 1, accounts: 1, sessions: 2, links: 0 })
    })

    it("a sign-out that the store can't do says so, and the next one does it", async () => {
      const browser = app.browser()
      await signIn(browser, op)
      const copy = browser.clone()
      control.fail("deleteSession")
      const page = await browser.post("/auth/signout", { csrfToken: await browser.csrf() })
      expect(page.location).toContain("error=SignOutError")
      expect((await store.counts()).sessions).toBe(1)
      await copy.post("/auth/signout", { csrfToken: await copy.csrf() })
      expect((await store.counts()).sessions).toBe(0)
    })

    it.each([
      ["refuses at once", () => Promise.reject(new Error("550 no such mailbox"))],
      [
        "throws",
        () => {
          throw new Error("no transport")
        },
      ],
      ["hangs", () => new Promise<void>(() => {})],
    ])("EML-15, EML-16: a mail server that %s is told of, and the retry works", async (how, fails) => {
      let isBroken = true
      const sent: string[] = []
      const send: EmailConfig["sendVerificationRequest"] = ({ url }) => (isBroken ? fails() : void sent.push(url))
      // The time covers storing the link too, which takes longer on a loaded machine than a short timeout.
      const timeout = how === "hangs" ? { sendTimeout: 0.3 } : {}
      app = await open(start, control.adapter, mailbox({ ...timeout, sendVerificationRequest: send }))
      const browser = app.browser()
      const { result, seconds } = await timed(askForLink(browser, "ada@example.com"))
      expect([new URL(result.location).searchParams.get("error"), seconds < 10]).toEqual(["EmailSignin", true])
      // What only is late may still arrive.
      expect((await store.counts()).links).toBe(how === "hangs" ? 1 : 0)
      isBroken = false
      await askForLink(browser, "ada@example.com")
      await browser.get(sent[0] ?? "")
      expect(await whoIs(browser)).toBe("ada@example.com")
      expect(await store.counts()).toEqual({ users: 1, accounts: 0, sessions: 1, links: 0 })
    })
  })
})

describeServer("When a store is slow", "Express 5", (start: Start) => {
  /** What answers within 10 s while each call takes 5, and what is there afterwards. */
  async function livesThrough(kind: Store) {
    const store = await kind.create()
    const control = breakable(store.adapter)
    const mail = mailbox()
    const app = await open(start, control.adapter, mail)
    const [atProvider, atLink] = [app.browser(), app.browser()]
    const address = await goAndAgree(atProvider, op)
    await askForLink(atLink, "ada@example.com")
    control.delayMs = 5_000
    const answers = await Promise.all([
      timed(comeBack(atProvider, op, address)),
      timed(atLink.get(mail.linkTo("ada@example.com"))),
      timed(atLink.get("/me")),
    ])
    control.delayMs = 0
    const late = answers.filter(({ seconds }) => seconds > 10)
    const errors = answers.map(({ result }) => result.location && new URL(result.location).searchParams.get("error"))
    const cookies = [...sessionCookies(atProvider), ...sessionCookies(atLink)]
    // What was begun goes on to its own end.
    await until(() => control.underWay === 0, 20_000)
    const { sessions } = await store.counts()
    await signIn(atProvider, op)
    await askForLink(atLink, "ada@example.com")
    await atLink.get(mail.linkTo("ada@example.com"))
    const retry = [await whoIs(atProvider), await whoIs(atLink), await store.counts()]
    await store.close()
    return { late, errors, cookies, sessions, retry }
  }

  const begun = new Map<string, ReturnType<typeof livesThrough>>()
  beforeAll(() => {
    for (const kind of stores) {
      const seen = livesThrough(kind)
      // Told by the store's own test.
      seen.catch(() => {})
      begun.set(kind.name, seen)
    }
  })

  it.each(stores.map(({ name }) => name))(
    "FLT-15: 5 s for each call are answered for within 10 s on %s, and nothing is left half done",
    async (name) => {
      expect(await begun.get(name)).toEqual({
        late: [],
        errors: ["Configuration", "Configuration", ""],
        cookies: [],
        sessions: 0,
        retry: ["alice@example.com", "ada@example.com", { users: 2, accounts: 1, sessions: 2, links: 0 }],
      })
    },
    60_000,
  )
})
