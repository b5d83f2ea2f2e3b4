import type { Adapter } from "../../../lib/adapters/adapter.js"
import type { EmailConfig } from "../../../lib/provider-kit/provider.js"
import type { AuthConfig } from "../../../lib/types.js"
import { describeServer, type RunningApp, type Start } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { recordingLogger } from "../../support/recording-logger.js"
import { describeStores, type OpenStore, type Store } from "../../support/stores.js"
import { until } from "../../support/wait.js"
import { type Breakable, breakable } from "../support/breakable.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, type Mailbox, mailbox } from "../support/mail.js"
import { openCallback, sessionCookies, sessionOf, signIn, startAndApprove, startSite } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

const CROWD = 20
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

/** Returns the result and the duration. */
async function timed<T>(work: Promise<T>): Promise<{ result: T; seconds: number }> {
  const startedAt = performance.now()
  return { result: await work, seconds: (performance.now() - startedAt) / 1000 }
}

const readEmail = async (browser: Browser) => (await sessionOf(browser))?.user?.["email"]

/** Starts an application. Two applications with the same adapter share nothing else, like two processes. */
async function open(start: Start, adapter: Adapter, mail: Mailbox): Promise<RunningApp> {
  const config: Partial<AuthConfig> = {
    ...{ providers: [op.oidc(), mail.provider], adapter, rateLimit: false },
    session: { strategy: "database" },
  }
  return (await startSite({ start, stage: "Express 5", op }, { config, sessions: "jwt" })).app
}

/** The databases that can be reached. */
const stores: Store[] = []

describeStores("Failures and concurrent sign-ins", (kind: Store) => {
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

    it(`${CROWD} links for one new user, opened concurrently in two processes, create one user`, async () => {
      // Without this method older links stay valid, as with the adapters of Auth.js.
      const { deleteVerificationTokens: _, ...adapter } = control.adapter
      const apps = [await open(start, adapter, mail), await open(start, adapter, mail)]
      const browsers = times(CROWD, (i) => apps[i % 2]?.browser() ?? app.browser())
      const links: string[] = []
      for (const browser of browsers) {
        await askForLink(browser, "ada@example.com")
        links.push(new URL(mail.linkTo("ada@example.com")).search)
      }
      await Promise.all(browsers.map((browser, i) => browser.get(`/auth/callback/mail${links[i]}`)))
      expect(await Promise.all(browsers.map(readEmail))).toEqual(times(CROWD, () => "ada@example.com"))
      expect(await store.counts()).toEqual({ users: 1, accounts: 0, sessions: CROWD, links: 0 })
    }, 40_000)

    it("ACC-05: an adapter failure after createUser leaves no user behind, and the next attempt succeeds", async () => {
      control.fail("linkAccount")
      const browser = app.browser()
      expect((await signIn(browser, op)).location).toContain("error=Configuration")
      expect([await store.counts(), sessionCookies(browser)]).toEqual([
        { users: 0, accounts: 0, sessions: 0, links: 0 },
        [],
      ])
      await signIn(browser, op)
      expect(await readEmail(browser)).toBe("alice@example.com")
      expect(await store.counts()).toEqual({ users: 1, accounts: 1, sessions: 1, links: 0 })
    })

    it("tokens in the error message of an adapter are not logged", async () => {
      const { logger, text } = recordingLogger()
      const failWithInput = (input: unknown) => {
        const json = JSON.stringify(input)
        throw Object.assign(new Error(`refused: ${json}`), { code: "E_FULL", sql: json, command: { args: [json] } })
      }
      const adapter = { ...store.adapter, linkAccount: failWithInput, transaction: undefined as never }
      const providers = [op.oidc()]
      const config = { providers, adapter, logger, session: { strategy: "database" } } as const
      const { app: site } = await startSite({ start, stage: "Express 5", op }, { config, sessions: "jwt" })
      expect((await signIn(site.browser(), op)).location).toContain("error=Configuration")
      expect(text()).toContain("E_FULL")
      expect(text()).toContain("adapter_linkAccount failed: refused: ")
      expect([...op.secrets].filter((secret) => text().includes(secret))).toEqual([])
    })

    it("FLT-14: while the database is down, session reads respond 503 and sign-ins fail; both work again afterwards", async () => {
      const [browser, other] = [app.browser(), app.browser()]
      await signIn(browser, op)
      const address = await startAndApprove(other, op)
      control.isDown = true
      expect((await browser.get("/auth/session")).status).toBe(503)
      expect((await browser.get("/me")).status).toBe(503)
      expect(sessionCookies(browser)).toHaveLength(1)
      expect((await openCallback(other, op, address)).location).toContain("error=Configuration")
      expect((await askForLink(other, "ada@example.com")).location).toContain("error=Configuration")
      expect(mail.sent).toEqual([])
      control.isDown = false
      expect(await readEmail(browser)).toBe("alice@example.com")
      await signIn(other, op)
      expect(await readEmail(other)).toBe("alice@example.com")
      expect(await store.counts()).toEqual({ users: 1, accounts: 1, sessions: 2, links: 0 })
    })

    it("a sign-out that fails in the adapter shows an error, and the next one succeeds", async () => {
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
      ["rejects the email", () => Promise.reject(new Error("550 no such mailbox"))],
      [
        "throws",
        () => {
          throw new Error("no transport")
        },
      ],
      ["hangs", () => new Promise<void>(() => {})],
    ])("EML-15, EML-16: the client gets an error when the mail server %s, and a retry works", async (how, fails) => {
      let isBroken = true
      const sent: string[] = []
      const send: EmailConfig["sendVerificationRequest"] = ({ url }) => (isBroken ? fails() : void sent.push(url))
      // The timeout includes storing the link, which can take long on a loaded machine.
      const timeout = how === "hangs" ? { sendTimeout: 0.3 } : {}
      app = await open(start, control.adapter, mailbox({ ...timeout, sendVerificationRequest: send }))
      const browser = app.browser()
      const { result, seconds } = await timed(askForLink(browser, "ada@example.com"))
      expect([new URL(result.location).searchParams.get("error"), seconds < 10]).toEqual(["EmailSignin", true])
      // After a timeout the email may still arrive, so the link stays valid.
      expect((await store.counts()).links).toBe(how === "hangs" ? 1 : 0)
      isBroken = false
      await askForLink(browser, "ada@example.com")
      await browser.get(sent[0] ?? "")
      expect(await readEmail(browser)).toBe("ada@example.com")
      expect(await store.counts()).toEqual({ users: 1, accounts: 0, sessions: 1, links: 0 })
    })
  })
})

describeServer("A slow database", "Express 5", (start: Start) => {
  /** Signs in while each call takes 5 s. Returns the late responses, the errors, and the state afterwards. */
  async function signInSlowly(kind: Store) {
    const store = await kind.create()
    const control = breakable(store.adapter)
    const mail = mailbox()
    const app = await open(start, control.adapter, mail)
    const [atProvider, atLink] = [app.browser(), app.browser()]
    const address = await startAndApprove(atProvider, op)
    await askForLink(atLink, "ada@example.com")
    control.delayMs = 5_000
    const answers = await Promise.all([
      timed(openCallback(atProvider, op, address)),
      timed(atLink.get(mail.linkTo("ada@example.com"))),
      timed(atLink.get("/me")),
    ])
    control.delayMs = 0
    const late = answers.filter(({ seconds }) => seconds > 10)
    const errors = answers.map(({ result }) => result.location && new URL(result.location).searchParams.get("error"))
    const cookies = [...sessionCookies(atProvider), ...sessionCookies(atLink)]
    // Pending calls continue until they end.
    await until(() => control.underWay === 0, 20_000)
    const { sessions } = await store.counts()
    await signIn(atProvider, op)
    await askForLink(atLink, "ada@example.com")
    await atLink.get(mail.linkTo("ada@example.com"))
    const retry = [await readEmail(atProvider), await readEmail(atLink), await store.counts()]
    await store.close()
    return { late, errors, cookies, sessions, retry }
  }

  const outcomes = new Map<string, ReturnType<typeof signInSlowly>>()
  beforeAll(() => {
    for (const kind of stores) {
      const outcome = signInSlowly(kind)
      // The test of this store reports the rejection.
      outcome.catch(() => {})
      outcomes.set(kind.name, outcome)
    }
  })

  it.each(stores.map(({ name }) => name))(
    "FLT-15: requests are answered within 10 s if each call of %s takes 5 s, and no partial data is left",
    async (name) => {
      expect(await outcomes.get(name)).toEqual({
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
