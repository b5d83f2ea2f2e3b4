/** FLT-26: of each attempt to sign in the application hears once, of whatever kind it is and however it ends. */

import { MemoryAdapter } from "../../lib/adapters/memory.js"
import Credentials from "../../lib/providers/credentials.js"
import Passkey from "../../lib/providers/passkey.js"
import type { AuthConfig } from "../../lib/types.js"
import { describeServers } from "../support/apps.js"
import { usePasskey } from "../support/authenticator.js"
import type { Browser } from "../support/browser.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { guardProcess } from "./support/guard.js"
import { askForLink, type MailSite, mailbox, openLink, startMailSite } from "./support/mail.js"
import { finish, optionsFor, register, signIn as signInByPasskey } from "./support/passkeys.js"
import { comeBack, expectNoSecret, goAndAgree, sessionCookies, signIn, withParams } from "./support/site.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
beforeEach(() => op.reset())
afterAll(() => op.close())

const ADA = "ada.lovelace@private.test"
const PASSWORD = "S3CRET-of-ada"
/** What a log must not hold of a person: who reads it need not know who came. */
const PERSONAL = ["ada.lovelace", "Lovelace", PASSWORD]

type Attempt = (site: MailSite, browser: Browser) => Promise<unknown>

const byPassword: (fields: Record<string, string>) => Attempt = (fields) => async (_site, browser) =>
  browser.post("/auth/callback/credentials", { csrfToken: await browser.csrf(), username: ADA, ...fields })

const byLink: Attempt = async (site, browser) => {
  await askForLink(browser, ADA)
  return browser.get(site.mail.linkTo(ADA))
}

const asAda = () => op.set({ user: { sub: "ada", name: "Ada Lovelace", email: ADA } })

const SUCCESSES: [string, Attempt][] = [
  ["oidc", async (_site, browser) => signIn(browser, op)],
  ["mail", byLink],
  ["credentials", byPassword({ password: PASSWORD })],
  ["passkey", async (site, browser) => register(browser, site.app.origin, { email: ADA })],
]

const FAILURES: [string, string, Attempt][] = [
  [
    "oidc",
    "the provider says no",
    async (_site, browser) => {
      const back = await goAndAgree(browser, op)
      const answer = { error: "access_denied", code: undefined, error_description: "The person said no" }
      return comeBack(browser, op, withParams(back, answer))
    },
  ],
  [
    "oidc",
    "another user has proved the address",
    async (site, browser) => {
      await byLink(site, site.browser())
      site.forget()
      return signIn(browser, op)
    },
  ],
  [
    "oidc",
    "the answer is nobody's",
    async (site, browser) => comeBack(browser, op, `${site.app.origin}/auth/callback/oidc?code=x&state=y`),
  ],
  [
    "oidc",
    "the provider is down",
    async (_site, browser) => {
      op.set({ fault: { token: { status: 500, body: { error_description: ADA } } } })
      return signIn(browser, op)
    },
  ],
  ["mail", "the address is none", async (_site, browser) => askForLink(browser, `${ADA},x`)],
  [
    "mail",
    "the link is wrong",
    async (site, browser) =>
      openLink(browser, `${site.app.origin}/auth/callback/mail?token=wrong&email=${encodeURIComponent(ADA)}`),
  ],
  [
    "mail",
    "the link was used",
    async (site, browser) => {
      await askForLink(browser, ADA)
      await openLink(site.browser(), site.mail.linkTo(ADA))
      site.forget()
      return openLink(browser, site.mail.linkTo(ADA))
    },
  ],
  [
    "mail",
    "there were too many",
    async (site, browser) => {
      for (let i = 0; i < 5; i++) await askForLink(browser, ADA)
      site.forget()
      return askForLink(browser, ADA)
    },
  ],
  ["credentials", "the password is wrong", byPassword({ password: `${PASSWORD}!` })],
  ["credentials", "authorize fails", byPassword({ password: "broken" })],
  [
    "credentials",
    "there were too many",
    async (site, browser) => {
      for (let i = 0; i < 10; i++) await byPassword({ password: "x" })(site, browser)
      site.forget()
      return byPassword({ password: PASSWORD })(site, browser)
    },
  ],
  [
    "credentials",
    "the form is another site's",
    async (_site, browser) =>
      browser.post("/auth/callback/credentials", { username: ADA, password: PASSWORD }, { from: "https://evil.test" }),
  ],
  [
    "passkey",
    "nobody has it",
    async (site, browser) => {
      const { passkey } = await register(site.browser(), site.app.origin, { email: "x@example.com" })
      site.forget()
      return signInByPasskey(browser, { ...passkey, id: "bm9ib2R5" }, site.app.origin)
    },
  ],
  [
    "passkey",
    "it comes from another site",
    async (site, browser) => {
      const { passkey } = await register(site.browser(), site.app.origin, { email: ADA })
      site.forget()
      return signInByPasskey(browser, passkey, "https://evil.test", { rpId: new URL(site.app.origin).hostname })
    },
  ],
  [
    "passkey",
    "another user has proved the address",
    async (site, browser) => {
      await byLink(site, site.browser())
      site.forget()
      return register(browser, site.app.origin, { email: ADA })
    },
  ],
  [
    "passkey",
    "the challenge is another browser's",
    async (site, browser) => {
      const { passkey } = await register(site.browser(), site.app.origin, { email: ADA })
      const { options } = await optionsFor(site.browser(), { action: "authenticate" })
      site.forget()
      return finish(browser, "authenticate", usePasskey(passkey, options, { origin: site.app.origin }))
    },
  ],
  ["passkey", "the answer can't be read", async (_site, browser) => finish(browser, "authenticate", { id: ADA })],
]

/** The application says no to everybody. */
const REFUSED: [string, Attempt][] = SUCCESSES

describeServers("FLT-26: of an attempt to sign in", (start) => {
  async function open(more: Partial<AuthConfig> = {}): Promise<MailSite> {
    const mail = mailbox()
    const credentials = Credentials({
      credentials: { username: {}, password: { type: "password" } },
      authorize: ({ username, password }) => {
        if (password === "broken") throw new Error("SELECT failed")
        return password === PASSWORD ? { id: "7", name: "Ada Lovelace", email: String(username) } : null
      },
    })
    const site = await startMailSite(start, {
      config: {
        providers: [op.oidc(), mail.provider, credentials, Passkey],
        adapter: MemoryAdapter(),
        session: { strategy: "jwt" },
        experimental: { enableWebAuthn: true },
        debug: true,
        ...more,
      },
    })
    // The first request makes the core say that passkeys are on.
    await site.browser().get("/auth/session")
    site.forget()
    return { ...site, mail }
  }

  const signIns = ({ events }: MailSite) => events.filter(({ name }) => name === "signIn")

  function expectNothingPersonal(site: MailSite): void {
    const text = site.logText()
    expect(PERSONAL.filter((word) => text.includes(word))).toEqual([])
    expectNoSecret({ op }, text)
  }

  it.each(SUCCESSES)("by %s that succeeds there is one event, and nothing in the log", async (provider, attempt) => {
    asAda()
    const site = await open()
    const browser = site.browser()
    await attempt(site, browser)
    expect(sessionCookies(browser)).toHaveLength(1)
    expect(signIns(site)).toMatchObject([{ message: { account: { provider } } }])
    expect(site.failures()).toEqual([])
    expectNothingPersonal(site)
  })

  it.each(FAILURES)("by %s that fails, for %s, there is one record and no event", async (provider, _why, attempt) => {
    asAda()
    const site = await open()
    const browser = site.browser()
    await attempt(site, browser)
    expect([sessionCookies(browser), signIns(site)]).toEqual([[], []])
    expect(site.failures()).toMatchObject([{ error: { cause: { provider }, message: expect.stringMatching(/\w/) } }])
    expectNothingPersonal(site)
  })

  it.each(REFUSED)("by %s that the application refuses there is one record and no event", async (provider, attempt) => {
    asAda()
    const signInCallback = ({ email }: { email?: unknown }) => email !== undefined
    const site = await open({ callbacks: { signIn: signInCallback } })
    const browser = site.browser()
    await attempt(site, browser)
    expect([sessionCookies(browser), site.events]).toEqual([[], []])
    expect(site.failures()).toMatchObject([{ code: "AccessDenied", error: { cause: { provider } } }])
    expectNothingPersonal(site)
  })
})
