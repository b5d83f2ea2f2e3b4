/**
 * What sections E and F ask of every host and every store, where a case of theirs is looked at more closely on one: who
 * is known here, and who comes first.
 *
 * @module
 */
import { setTimeout as pause } from "node:timers/promises"
import type { Adapter } from "../../lib/adapters/adapter.js"
import WebAuthn from "../../lib/providers/webauthn.js"
import { configOf } from "../express/support/servers.js"
import { describeServer, describeServers } from "../support/apps.js"
import type { Browser, Page } from "../support/browser.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { describeStores, type OpenStore } from "../support/stores.js"
import { guardProcess } from "./support/guard.js"
import { askForLink, mailbox, startMailSite } from "./support/mail.js"
import { optionsFor, register } from "./support/passkeys.js"
import { comeBack, goAndAgree, sessionOf, startSite } from "./support/site.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
beforeEach(() => op.reset())
afterAll(() => op.close())

const MEMBER = "members@example.com"
/** Of one length; the last one is refused by the application. */
const ADDRESSES = [MEMBER, "unknown@example.com", "refused@example.com"]
const onlyWelcome = ({ user }: { user: { email?: string | null | undefined } }) => !user.email?.startsWith("refused")

/** What an answer says, but for what is sealed or drawn by lot. */
const shapeOf = (page: Page) => [
  page.status,
  [...page.headers].filter(([name]) => !["set-cookie", "date"].includes(name)),
  page.headers.getSetCookie().map((cookie) => [cookie.replace(/=[^;]*|Expires=[^;]*/gi, ""), cookie.length]),
]

async function expectOneAnswer(visit: () => Browser): Promise<void> {
  const seen: unknown[] = []
  for (const email of ADDRESSES) {
    const browser = visit()
    const asked = await askForLink(browser, email)
    const shown = await browser.get(asked.location)
    const json = await askForLink(browser, email, {}, { headers: { "x-auth-return-redirect": "1" } })
    const session = JSON.stringify(await sessionOf(browser))
    seen.push([shapeOf(asked), await asked.text(), await shown.text(), shapeOf(json), await json.json(), session])
  }
  expect(seen).toEqual(ADDRESSES.map(() => seen[0]))
}

describeServers("whoever asks for a link", (start) => {
  it("EML-14: gets one answer, be they known, unknown or refused", async () => {
    const site = await startMailSite(start, { config: { callbacks: { signIn: onlyWelcome } } })
    site.store.users.set("1", { id: "1", email: MEMBER, emailVerified: new Date(0) })
    await expectOneAnswer(site.browser)
    expect(site.mail.sent.map(({ identifier }) => identifier)).toEqual([
      ...[MEMBER, MEMBER],
      ...["unknown@example.com", "unknown@example.com"],
    ])
  })
})

describeServers("first sign-ins of one person at the same moment", (start, stage) => {
  it("ACC-06: make one user with one account, who are told of once", async () => {
    const slowly = ({ createUser }: Adapter): Partial<Adapter> => ({
      async createUser(user) {
        await pause(30)
        return (createUser as NonNullable<typeof createUser>)(user)
      },
    })
    const site = await startMailSite(start, {
      over: slowly,
      config: { providers: [op.oidc()], session: { strategy: stage === "Connect" ? "jwt" : "database" } },
    })
    const browsers = Array.from({ length: 10 }, () => site.browser())
    const backs = await Promise.all(browsers.map((browser) => goAndAgree(browser, op)))
    const pages = await Promise.all(browsers.map((browser, i) => comeBack(browser, op, backs[i] ?? "")))
    expect(pages.map(({ location }) => location)).toEqual(browsers.map(() => `${site.app.origin}/`))
    for (const browser of browsers) expect(await sessionOf(browser)).toMatchObject({ user: { name: "Alice" } })
    expect([site.store.users.size, site.store.accounts.length]).toEqual([1, 1])
    const told = site.events.map(({ name }) => name).filter((name) => name !== "session" && name !== "signIn")
    expect([told.sort(), site.failures()]).toEqual([["createUser", "linkAccount"], []])
  })
})

describeStores("Who is known", (kind) => {
  let store: OpenStore
  beforeEach(async () => {
    store = await kind.create()
    await store.adapter.createUser({ id: "", email: MEMBER, emailVerified: new Date(0) })
  })
  afterEach(() => store.close())

  describeServer(kind.name, "Auth()", (start, stage) => {
    it("EML-14: is not told by what is answered to whoever asks for a link", async () => {
      const mail = mailbox()
      const config = { providers: [mail.provider], adapter: store.adapter, callbacks: { signIn: onlyWelcome } }
      const { app } = await startSite({ start, stage, op }, { config, sessions: "jwt" })
      await expectOneAnswer(() => app.browser())
      expect(mail.sent.length).toBe(4)
    })

    it.each([{ action: "authenticate" }, { action: "register" }, {}])(
      "WAN-07: is not told by the options of a passkey, %j",
      async (query) => {
        const app = await start({
          ...configOf({ adapter: store.adapter, experimental: { enableWebAuthn: true } }),
          providers: [WebAuthn({ id: "passkey" })],
        })
        const owner = "owners1@example.com"
        await register(app.browser(), app.origin, { email: owner })
        const shapes: unknown[] = []
        for (const email of [owner, MEMBER, "unknown@example.com"]) {
          const ask = () => optionsFor(app.browser(), { ...query, email })
          const [once, again] = [await ask(), await ask()]
          const { allowCredentials, excludeCredentials } = once.options
          // What stands in for a passkey is the same each time, as a passkey is.
          expect(again.options.allowCredentials).toEqual(allowCredentials)
          const allowed = allowCredentials?.map(({ id, ...rest }: { id: string }) => ({ length: id.length, ...rest }))
          shapes.push([once.status, once.action, Object.keys(once.options).sort(), allowed, excludeCredentials])
        }
        expect(shapes).toEqual(shapes.map(() => shapes[0]))
      },
    )
  })
})
