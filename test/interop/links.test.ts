/**
 * Links that Auth.js sent before a move open after it: the same store, the same secret, the same address.
 *
 * @module
 */
import type { AuthConfig as AuthjsConfig } from "@auth/core"
import type { AuthConfig } from "../../lib/types.js"
import type { Browser } from "../support/browser.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { SECRET } from "./support/case.js"
import { createMailbox } from "./support/mailbox.js"
import { type Site, startAuthjs, startLatchkey } from "./support/sites.js"
import { createStore } from "./support/store.js"

failOnUnhandled()

const SILENT = { error() {}, warn() {}, debug() {} }
const open: Site[] = []
afterEach(() => Promise.all(open.splice(0).map((site) => site.close())))

/** The same application on both packages, over one store and one mailbox. */
async function both(more: object = {}, mail: object = {}) {
  const store = createStore([])
  const mailbox = createMailbox([])
  const config = {
    ...{ trustHost: true, secret: SECRET, logger: SILENT, adapter: store.adapter },
    providers: [mailbox.provider(mail)],
    ...more,
  }
  // One configuration fits both.
  const authjs = await startAuthjs(config as unknown as AuthjsConfig)
  const latchkey = await startLatchkey(config as unknown as AuthConfig)
  open.push(authjs, latchkey)
  return { store, mailbox, sites: { authjs, latchkey } }
}

async function ask(site: Site, email: string): Promise<void> {
  const browser = site.browser()
  await browser.post("/auth/signin/mail", { csrfToken: await browser.csrf(), email })
}

/** Opens a link in a browser that knows nothing of it, and presses the button where there is one. */
async function openIn(site: Site, link: string): Promise<Browser> {
  const browser = site.browser()
  const page = await browser.get(link)
  if (page.status === 200) await browser.submit(browser.form(await page.text()))
  return browser
}

const whoIs = async (browser: Browser): Promise<unknown> => {
  const session: unknown = await (await browser.get("/auth/session")).json()
  return Object(Object(session).user).email
}

describe("a link that Auth.js has sent opens here", () => {
  it.each<[string, object, object]>([
    ["with one secret", {}, {}],
    ["with a secret of the provider's own", {}, { secret: "of-the-mail" }],
    ["with a token of the application's own", {}, { generateVerificationToken: () => "own-token" }],
    ["with sessions in cookies", { session: { strategy: "jwt" } }, {}],
  ])("%s", async (_name, more, mail) => {
    const { store, mailbox, sites } = await both(more, mail)
    for (const email of ["ada@example.com", "first.last+tag@example.com"]) {
      await ask(sites.authjs, email)
      const browser = await openIn(sites.latchkey, mailbox.link())
      expect(await whoIs(browser)).toBe(email)
      expect(store.links).toEqual([])
      // It was used up for both.
      for (const site of [sites.authjs, sites.latchkey])
        expect(await whoIs(await openIn(site, mailbox.link()))).toBeUndefined()
    }
    expect(store.users).toHaveLength(2)
  })
})

it("a link that Auth.js has sent with a list of secrets opens here, and so it does when the list has a new one", async () => {
  const secret = [`first ${SECRET}`, `second ${SECRET}`]
  const { store, mailbox, sites } = await both({ secret })
  await ask(sites.authjs, "ada@example.com")
  expect(await whoIs(await openIn(sites.latchkey, mailbox.link()))).toBe("ada@example.com")
  expect(store.links).toEqual([])
})

it("a link that Auth.js has sent to an international address opens here, to the user who was there", async () => {
  const { store, mailbox, sites } = await both()
  store.users.push({ id: "user-0", email: "ada@bücher.example", emailVerified: null })
  await ask(sites.authjs, "ada@bücher.example")
  expect(await whoIs(await openIn(sites.latchkey, mailbox.link()))).toBe("ada@bücher.example")
  await ask(sites.latchkey, "ada@bücher.example")
  expect(mailbox.sent.at(-1)?.identifier).toBe("ada@xn--bcher-kva.example")
  expect(await whoIs(await openIn(sites.latchkey, mailbox.link()))).toBe("ada@bücher.example")
  expect(store.users).toHaveLength(1)
})
