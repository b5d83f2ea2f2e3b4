/** FLT-26: each sign-in attempt leads to exactly one event or one log record, for all methods and outcomes. */
import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import Credentials from "../../../lib/providers/credentials.js"
import Passkey from "../../../lib/providers/passkey.js"
import type { AuthConfig } from "../../../lib/types.js"
import { describeServers } from "../../support/apps.js"
import { usePasskey } from "../../support/authenticator.js"
import type { Browser } from "../../support/browser.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, type MailSite, mailbox, openLink, startMailSite } from "../support/mail.js"
import { finish, optionsFor, register, signIn as signInByPasskey } from "../support/passkeys.js"
import { expectNoSecret, openCallback, sessionCookies, signIn, startAndApprove, withParams } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

const ADA = "ada.lovelace@private.test"
const PASSWORD = "S3CRET-of-ada"
/** Personal data that must not be logged. */
const PERSONAL = ["ada.lovelace", "Lovelace", PASSWORD]

type Attempt = (site: MailSite, browser: Browser) => Promise<unknown>

const withPassword: (fields: Record<string, string>) => Attempt = (fields) => async (_site, browser) =>
  browser.post("/auth/callback/credentials", { csrfToken: await browser.csrf(), username: ADA, ...fields })

const withLink: Attempt = async (site, browser) => {
  await askForLink(browser, ADA)
  return browser.get(site.mail.linkTo(ADA))
}

const setProviderUser = () => op.set({ user: { sub: "ada", name: "Ada Lovelace", email: ADA } })

const SUCCESSES: [string, Attempt][] = [
  ["oidc", async (_site, browser) => signIn(browser, op)],
  ["mail", withLink],
  ["credentials", withPassword({ password: PASSWORD })],
  ["passkey", async (site, browser) => register(browser, site.app.origin, { email: ADA })],
]

const FAILURES: [string, string, Attempt][] = [
  [
    "oidc",
    "access_denied by the provider",
    async (_site, browser) => {
      const back = await startAndApprove(browser, op)
      const answer = { error: "access_denied", code: undefined, error_description: "The user refused" }
      return openCallback(browser, op, withParams(back, answer))
    },
  ],
  [
    "oidc",
    "an address that another user has verified",
    async (site, browser) => {
      await withLink(site, site.browser())
      site.forget()
      return signIn(browser, op)
    },
  ],
  [
    "oidc",
    "an unsolicited response",
    async (site, browser) => openCallback(browser, op, `${site.app.origin}/auth/callback/oidc?code=x&state=y`),
  ],
  [
    "oidc",
    "a provider that is down",
    async (_site, browser) => {
      op.set({ fault: { token: { status: 500, body: { error_description: ADA } } } })
      return signIn(browser, op)
    },
  ],
  ["mail", "an invalid address", async (_site, browser) => askForLink(browser, `${ADA},x`)],
  [
    "mail",
    "a wrong link",
    async (site, browser) =>
      openLink(browser, `${site.app.origin}/auth/callback/mail?token=wrong&email=${encodeURIComponent(ADA)}`),
  ],
  [
    "mail",
    "a used link",
    async (site, browser) => {
      await askForLink(browser, ADA)
      await openLink(site.browser(), site.mail.linkTo(ADA))
      site.forget()
      return openLink(browser, site.mail.linkTo(ADA))
    },
  ],
  [
    "mail",
    "too many attempts",
    async (site, browser) => {
      for (let i = 0; i < 5; i++) await askForLink(site.browser(), ADA)
      site.forget()
      return askForLink(browser, ADA)
    },
  ],
  ["credentials", "a wrong password", withPassword({ password: `${PASSWORD}!` })],
  ["credentials", "an exception in authorize", withPassword({ password: "broken" })],
  [
    "credentials",
    "too many attempts",
    async (site, browser) => {
      for (let i = 0; i < 10; i++) await withPassword({ password: "x" })(site, browser)
      site.forget()
      return withPassword({ password: PASSWORD })(site, browser)
    },
  ],
  [
    "credentials",
    "a form of another site",
    async (_site, browser) =>
      browser.post("/auth/callback/credentials", { username: ADA, password: PASSWORD }, { from: "https://evil.test" }),
  ],
  [
    "passkey",
    "an unknown passkey",
    async (site, browser) => {
      const { passkey } = await register(site.browser(), site.app.origin, { email: "x@example.com" })
      site.forget()
      return signInByPasskey(browser, { ...passkey, id: "bm9ib2R5" }, site.app.origin)
    },
  ],
  [
    "passkey",
    "a response for another site",
    async (site, browser) => {
      const { passkey } = await register(site.browser(), site.app.origin, { email: ADA })
      site.forget()
      return signInByPasskey(browser, passkey, "https://evil.test", { rpId: new URL(site.app.origin).hostname })
    },
  ],
  [
    "passkey",
    "an address that another user has verified",
    async (site, browser) => {
      await withLink(site, site.browser())
      site.forget()
      return register(browser, site.app.origin, { email: ADA })
    },
  ],
  [
    "passkey",
    "a challenge of another browser",
    async (site, browser) => {
      const { passkey } = await register(site.browser(), site.app.origin, { email: ADA })
      const { options } = await optionsFor(site.browser(), { action: "authenticate" })
      site.forget()
      return finish(browser, "authenticate", usePasskey(passkey, options, { origin: site.app.origin }))
    },
  ],
  ["passkey", "a malformed response", async (_site, browser) => finish(browser, "authenticate", { id: ADA })],
]

/** Attempts that `callbacks.signIn` refuses. */
const REFUSED: [string, Attempt][] = SUCCESSES

describeServers("FLT-26: a sign-in attempt", (start) => {
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
    // The first request logs that passkeys are enabled.
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

  it.each(SUCCESSES)("calls the signIn event once and logs nothing if it succeeds: %s", async (provider, attempt) => {
    setProviderUser()
    const site = await open()
    const browser = site.browser()
    await attempt(site, browser)
    expect(sessionCookies(browser)).toHaveLength(1)
    expect(signIns(site)).toMatchObject([{ message: { account: { provider } } }])
    expect(site.failures()).toEqual([])
    expectNothingPersonal(site)
  })

  it.each(FAILURES)(
    "is logged once and calls no event if it fails: %s, because of %s",
    async (provider, _why, attempt) => {
      setProviderUser()
      const site = await open()
      const browser = site.browser()
      await attempt(site, browser)
      expect([sessionCookies(browser), signIns(site)]).toEqual([[], []])
      expect(site.failures()).toMatchObject([{ error: { cause: { provider }, message: expect.stringMatching(/\w/) } }])
      expectNothingPersonal(site)
    },
  )

  it.each(REFUSED)("is logged once and calls no event if the application refuses it: %s", async (provider, attempt) => {
    setProviderUser()
    const signInCallback = ({ email }: { email?: unknown }) => email !== undefined
    const site = await open({ callbacks: { signIn: signInCallback } })
    const browser = site.browser()
    await attempt(site, browser)
    expect([sessionCookies(browser), site.events]).toEqual([[], []])
    expect(site.failures()).toMatchObject([{ code: "AccessDenied", error: { cause: { provider } } }])
    expectNothingPersonal(site)
  })
})
