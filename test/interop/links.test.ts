/**
 * Links that Auth.js sent before a migration work in latchkey with the same store, secret and origin.
 *
 * @module
 */
import type { Browser } from "../support/browser.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { readEmail, requestLink, startBoth } from "./support/both.js"
import { SECRET } from "./support/case.js"
import type { Site } from "./support/sites.js"

failOnUnhandled()

type Both = Awaited<ReturnType<typeof startBoth>>

const open: Both[] = []
afterEach(() => Promise.all(open.splice(0).map((started) => started.close())))

/** Starts the same application on both packages, until the end of the test. */
async function startPair(...options: Parameters<typeof startBoth>): Promise<Both> {
  const started = await startBoth(...options)
  open.push(started)
  return started
}

/** Opens a link in another browser, and submits the confirmation form if there is one. */
async function openIn(site: Site, link: string): Promise<Browser> {
  const browser = site.browser()
  const page = await browser.get(link)
  if (page.status === 200) await browser.submit(browser.form(await page.text()))
  return browser
}

describe("a link from Auth.js opens in latchkey", () => {
  it.each<[string, object, object]>([
    ["with one secret", {}, {}],
    ["with the provider's own secret", {}, { secret: "of-the-mail" }],
    ["with the application's own token", {}, { generateVerificationToken: () => "own-token" }],
    ["with sessions in cookies", { session: { strategy: "jwt" } }, {}],
  ])("%s", async (_name, more, mail) => {
    const { store, mailbox, sites } = await startPair(more, mail)
    for (const email of ["ada@example.com", "first.last+tag@example.com"]) {
      await requestLink(sites.authjs, email)
      const browser = await openIn(sites.latchkey, mailbox.link())
      expect(await readEmail(browser)).toBe(email)
      expect(store.links).toEqual([])
      // The link was consumed for both packages.
      for (const site of [sites.authjs, sites.latchkey])
        expect(await readEmail(await openIn(site, mailbox.link()))).toBeUndefined()
    }
    expect(store.users).toHaveLength(2)
  })
})

it("a link from Auth.js with a list of secrets opens in latchkey, also after a new secret was added", async () => {
  const secret = [`first ${SECRET}`, `second ${SECRET}`]
  const { store, mailbox, sites } = await startPair({ secret })
  await requestLink(sites.authjs, "ada@example.com")
  expect(await readEmail(await openIn(sites.latchkey, mailbox.link()))).toBe("ada@example.com")
  expect(store.links).toEqual([])
})

it("a link from Auth.js to an international address opens in latchkey and finds the existing user", async () => {
  const { store, mailbox, sites } = await startPair()
  store.users.push({ id: "user-0", email: "ada@bücher.example", emailVerified: null })
  await requestLink(sites.authjs, "ada@bücher.example")
  expect(await readEmail(await openIn(sites.latchkey, mailbox.link()))).toBe("ada@bücher.example")
  await requestLink(sites.latchkey, "ada@bücher.example")
  expect(mailbox.sent.at(-1)?.identifier).toBe("ada@xn--bcher-kva.example")
  expect(await readEmail(await openIn(sites.latchkey, mailbox.link()))).toBe("ada@bücher.example")
  expect(store.users).toHaveLength(1)
})
