/** Lookups and decryptions of one callback: it decrypts a value once, and repeats a lookup only to detect changes. */
import crypto from "node:crypto"
import type { Adapter } from "../../../lib/adapters/adapter.js"
import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import Credentials from "../../../lib/providers/credentials.js"
import Passkey from "../../../lib/providers/passkey.js"
import type { AuthConfig } from "../../../lib/types.js"
import { describeServers, recordingLogger, type Start, TEST_SECRET } from "../../support/apps.js"
import { usePasskey } from "../../support/authenticator.js"
import { type FaultyProvider, startFaultyProvider } from "../../support/faulty-provider.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, confirmLink, mailbox } from "../support/mail.js"
import * as passkeys from "../support/passkeys.js"
import { openCallback, sessionOf, signIn, startAndApprove } from "../support/site.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
afterAll(() => op.close())

/** Wraps an adapter so that `calls` counts its calls by name. */
function countCalls(adapter: Adapter, calls: Map<string, number>): Adapter {
  const wrapped = Object.entries(adapter).map(([name, member]) => [
    name,
    typeof member !== "function"
      ? member
      : (...args: unknown[]) => {
          calls.set(name, (calls.get(name) ?? 0) + 1)
          return Reflect.apply(member, adapter, args)
        },
  ])
  return Object.fromEntries(wrapped) as Adapter
}

const LOOKUPS = ["getUser", "getUserByAccount", "getUserByEmail", "getSessionAndUser", "getAccount", "getAuthenticator"]

/** Starts a site and returns a function that counts the lookups and decryptions of one request. */
async function startCounting(start: Start, config: Partial<AuthConfig>) {
  const calls = new Map<string, number>()
  // Without transactions, so that every call is counted.
  const { transaction: _, ...adapter } = MemoryAdapter() as Adapter
  const { logger } = recordingLogger()
  const app = await start({
    secret: TEST_SECRET,
    logger,
    providers: [],
    session: { strategy: "jwt" },
    adapter: countCalls(adapter, calls),
    ...config,
  })
  async function count(request: () => Promise<{ status: number }>): Promise<Record<string, number>> {
    const decrypt = jest.spyOn(crypto, "createDecipheriv")
    calls.clear()
    try {
      expect((await request()).status).toBe(302)
      const lookups = [...calls].filter(([name]) => LOOKUPS.includes(name))
      return { ...Object.fromEntries(lookups), decryptions: decrypt.mock.calls.length }
    } finally {
      decrypt.mockRestore()
    }
  }
  return { app, count }
}

describeServers("One callback", (start) => {
  it("of OAuth decrypts its flow, the session, the finished sign-ins and the provider's tokens once", async () => {
    const { app, count } = await startCounting(start, { providers: [op.oidc()] })
    const browser = app.browser()
    const first = await startAndApprove(browser, op)
    // The second lookup of the account detects that it was unlinked before the session was created.
    expect(await count(() => openCallback(browser, op, first))).toEqual({
      ...{ getUserByAccount: 2, getUserByEmail: 1 },
      decryptions: 1,
    })
    const again = await startAndApprove(browser, op)
    expect(await count(() => openCallback(browser, op, again))).toEqual({
      ...{ getUser: 1, getUserByAccount: 2 },
      decryptions: 4,
    })
  })

  it("of OAuth looks the account up once if the user's address is verified", async () => {
    const mail = mailbox()
    const { app, count } = await startCounting(start, { providers: [op.oidc(), mail.provider] })
    const owner = app.browser()
    await askForLink(owner, "alice@example.com")
    await owner.get(mail.linkTo("alice@example.com"))
    await signIn(owner, op)
    const other = app.browser()
    const known = await startAndApprove(other, op)
    expect(await count(() => openCallback(other, op, known))).toEqual({ getUserByAccount: 1, decryptions: 2 })
  })

  it("SEC-13: of OAuth looks the account up again, and is refused if the account was unlinked since the decision", async () => {
    const [mail, adapter] = [mailbox(), MemoryAdapter()]
    const meanwhile: (() => Promise<unknown>)[] = []
    const { app } = await startCounting(start, {
      adapter,
      providers: [op.oidc(), mail.provider],
      // The registry would refuse the session too.
      session: { strategy: "jwt", revocable: false },
      callbacks: {
        // Called after the decision, while the session is created.
        async jwt({ token }) {
          await meanwhile.pop()?.()
          return token
        },
      },
    })
    op.set({ claims: (claims) => ({ ...claims, email: "ada@example.com", email_verified: false }) })
    await signIn(app.browser(), op)
    const [attacker, owner] = [app.browser(), app.browser()]
    await askForLink(owner, "ada@example.com")
    meanwhile.push(() => owner.get(mail.linkTo("ada@example.com")))
    expect((await signIn(attacker, op)).location).toContain("error=OAuthAccountNotLinked")
    expect([await sessionOf(attacker), meanwhile]).toEqual([null, []])
    expect(await sessionOf(owner)).toMatchObject({ user: { email: "ada@example.com" } })
    op.reset()
  })

  it("of OAuth reads a database session once", async () => {
    const { app, count } = await startCounting(start, { providers: [op.oidc()], session: { strategy: "database" } })
    const browser = app.browser()
    await signIn(browser, op)
    const again = await startAndApprove(browser, op)
    expect(await count(() => openCallback(browser, op, again))).toEqual({
      ...{ getUser: 1, getUserByAccount: 2, getSessionAndUser: 1 },
      decryptions: 4,
    })
  })

  it("of form_post decrypts the posted response once", async () => {
    const provider = op.oidc({ authorization: { params: { response_mode: "form_post" } } })
    const { app, count } = await startCounting(start, { providers: [provider] })
    const browser = app.browser()
    const csrfToken = await browser.csrf()
    const { location } = await browser.post("/auth/signin/oidc", { csrfToken })
    const { action, fields } = await op.authorizeByForm(location)
    const posted = await browser.post(action, fields, { from: op.issuer })
    expect(await count(() => browser.get(posted.location, { from: op.issuer }))).toMatchObject({ decryptions: 2 })
  })

  it("of an email link decrypts the cookie of the requesting browser and the return URL once", async () => {
    const mail = mailbox()
    const { app, count } = await startCounting(start, { providers: [mail.provider] })
    const browser = app.browser()
    await askForLink(browser, "ada@example.com")
    expect(await count(() => browser.get(mail.linkTo("ada@example.com")))).toEqual({
      ...{ getUserByEmail: 1 },
      decryptions: 2,
    })
    await askForLink(browser, "ada@example.com")
    const other = app.browser()
    // The second lookup is made while the user is locked, because the address may have changed since the first.
    expect(await count(() => confirmLink(other, mail.linkTo("ada@example.com")))).toMatchObject({ getUserByEmail: 2 })
  })

  it("of credentials decrypts nothing for a new browser, and the session for a known one", async () => {
    const authorize = () => ({ id: "1", name: "ada" })
    const { app, count } = await startCounting(start, { providers: [Credentials({ authorize })] })
    const browser = app.browser()
    const post = async () => browser.post("/auth/callback/credentials", { csrfToken: await browser.csrf() })
    expect(await count(post)).toMatchObject({ decryptions: 0 })
    expect(await count(post)).toMatchObject({ decryptions: 1 })
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "ada" } })
  })

  it("of a passkey decrypts its challenge once and looks its owner up once", async () => {
    const { app, count } = await startCounting(start, { providers: [Passkey] })
    const { passkey } = await passkeys.register(app.browser(), app.origin, { email: "ada@example.com" })
    const later = app.browser()
    const { options } = await passkeys.optionsFor(later, { action: "authenticate" })
    const credential = usePasskey(passkey, options, { origin: app.origin })
    // The account is looked up once, after the session was created.
    expect(await count(() => passkeys.finish(later, "authenticate", credential))).toEqual({
      ...{ getAuthenticator: 1, getAccount: 1, getUser: 1, getUserByAccount: 1 },
      decryptions: 1,
    })
  })
})
