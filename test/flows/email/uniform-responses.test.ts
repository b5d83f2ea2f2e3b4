import WebAuthn from "../../../lib/providers/webauthn.js"
import { configOf } from "../../express/support/servers.js"
import { describeServer, describeServers } from "../../support/apps.js"
import type { Browser, Page } from "../../support/browser.js"
import { describeStores, type OpenStore } from "../../support/stores.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, mailbox, startMailSite } from "../support/mail.js"
import { optionsFor, register } from "../support/passkeys.js"
import { sessionOf, startSite } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

const MEMBER = "members@example.com"
/** Addresses of equal length. The application refuses the last one. */
const ADDRESSES = [MEMBER, "unknown@example.com", "refused@example.com"]
const refuseSome = ({ user }: { user: { email?: string | null | undefined } }) => !user.email?.startsWith("refused")

/** The response without encrypted and random values. */
const shapeOf = (page: Page) => [
  page.status,
  [...page.headers].filter(([name]) => !["set-cookie", "date"].includes(name)),
  page.headers.getSetCookie().map((cookie) => [cookie.replace(/=[^;]*|Expires=[^;]*/gi, ""), cookie.length]),
]

/** A page of this browser without its CSRF token and the requested address. */
const withoutNames = (text: string, email: string) =>
  text.replaceAll(email, "ADDRESS").replace(/(name="csrfToken" value=")\w+/g, "$1")

async function expectSameResponses(newBrowser: () => Browser): Promise<void> {
  const responses: unknown[] = []
  for (const email of ADDRESSES) {
    const browser = newBrowser()
    const requested = await askForLink(browser, email)
    const nextPage = await browser.get(requested.location)
    const json = await askForLink(newBrowser(), email, {}, { headers: { "x-auth-return-redirect": "1" } })
    const session = JSON.stringify(await sessionOf(browser))
    responses.push([
      shapeOf(requested),
      await requested.text(),
      withoutNames(await nextPage.text(), email),
      shapeOf(json),
      await json.json(),
      session,
    ])
  }
  expect(responses).toEqual(ADDRESSES.map(() => responses[0]))
}

describeServers("A request for a sign-in link", (start) => {
  it.each([false, true])(
    "EML-14: gets the same response for a known, unknown or refused address (code: %s)",
    async (emailCode) => {
      const site = await startMailSite(start, { config: { callbacks: { signIn: refuseSome } }, mail: { emailCode } })
      site.store.users.set("1", { id: "1", email: MEMBER, emailVerified: new Date(0) })
      await expectSameResponses(site.browser)
      expect(site.mail.sent.map(({ identifier }) => identifier)).toEqual([
        ...[MEMBER, MEMBER],
        ...["unknown@example.com", "unknown@example.com"],
      ])
    },
  )
})

describeStores("User enumeration", (kind) => {
  let store: OpenStore
  beforeEach(async () => {
    store = await kind.create()
    await store.adapter.createUser({ id: "", email: MEMBER, emailVerified: new Date(0) })
  })
  afterEach(() => store.close())

  describeServer(kind.name, "Auth()", (start, stage) => {
    it("EML-14: is not possible by requests for a sign-in link", async () => {
      const mail = mailbox({ emailCode: true })
      const config = { providers: [mail.provider], adapter: store.adapter, callbacks: { signIn: refuseSome } }
      const { app } = await startSite({ start, stage, op }, { config, sessions: "jwt" })
      await expectSameResponses(() => app.browser())
      expect(mail.sent.length).toBe(4)
    })

    it.each([{ action: "authenticate" }, { action: "register" }, {}])(
      "WAN-07: is not possible by the options of a passkey request, %j",
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
          // The decoy passkeys of an unknown user are the same each time.
          expect(again.options.allowCredentials).toEqual(allowCredentials)
          const allowed = allowCredentials?.map(({ id, ...rest }: { id: string }) => ({ length: id.length, ...rest }))
          shapes.push([once.status, once.action, Object.keys(once.options).sort(), allowed, excludeCredentials])
        }
        expect(shapes).toEqual(shapes.map(() => shapes[0]))
      },
    )
  })
})
