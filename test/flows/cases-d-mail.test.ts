/**
 * RED-08: the token of a sign-in link stands in its own address, and goes nowhere from there.
 *
 * @module
 */
import type { AuthConfig } from "../../lib/types.js"
import { describeServers } from "../support/apps.js"
import type { Browser, Page } from "../support/browser.js"
import { guardProcess } from "./support/guard.js"
import { askForLink, confirmLink, errorOf, type MailSite, startMailSite } from "./support/mail.js"
import { param, sessionOf } from "./support/site.js"

guardProcess()

const ADA = "ada@example.com"
const REDIRECTS = 10

/** All of an answer: where it leads, what it sets and what it shows. */
async function wholeOf(page: Page): Promise<string> {
  const headers: string[] = []
  page.headers.forEach((value, name) => {
    headers.push(`${name}: ${value}`)
  })
  return [page.status, ...headers, ...page.headers.getSetCookie(), await page.clone().text()].join("\n")
}

/** A text as it is, and as addresses and cookies write it. */
const formsOf = (text: string) => [text, encodeURIComponent(text), encodeURIComponent(encodeURIComponent(text))]

async function expectWithout(token: string, page: Page): Promise<void> {
  const whole = await wholeOf(page)
  for (const form of formsOf(token)) expect(whole).not.toContain(form)
}

/** Follows to the end, and holds every answer on the way to be without the token; gives the last one. */
async function followWithout(token: string, first: Page, browser: Browser): Promise<Page> {
  let page = first
  for (let i = 0; i < REDIRECTS; i++) {
    await expectWithout(token, page)
    if (!page.location) break
    page = await browser.get(page.location, { from: new URL(page.url).origin })
  }
  for (const form of formsOf(token)) expect(browser.url).not.toContain(form)
  return page
}

describeServers("RED-08: the token of a link", (start) => {
  interface Asked {
    site: MailSite
    browser: Browser
    link: string
    token: string
  }

  /** Somebody who has asked for a link; `secret` has the letters that addresses write otherwise. */
  async function asked(config: Partial<AuthConfig> = {}, secret?: string): Promise<Asked> {
    const mail = secret === undefined ? {} : { generateVerificationToken: () => secret }
    const site = await startMailSite(start, { config: { rateLimit: false, ...config }, mail })
    const browser = site.browser()
    await askForLink(browser, ADA, { callbackUrl: "/me?from=mail" })
    const link = site.mail.linkTo(ADA)
    return { site, browser, link, token: param(link, "token") }
  }

  it.each([undefined, "a token/of + our=own&with?signs#%"])(
    "RED-08: is gone from the address at once in the browser that asked (%s)",
    async (secret) => {
      const { site, browser, link, token } = await asked({}, secret)
      const page = await browser.get(link, { from: "https://mail.example.net" })
      expect([page.status, page.location]).toEqual([302, `${site.app.origin}/me?from=mail`])
      const last = await followWithout(token, page, browser)
      expect(await last.json()).toMatchObject({ user: { email: ADA } })
      for (const { name, value } of browser.cookies())
        for (const form of formsOf(token)) expect([name, value]).not.toEqual([name, expect.stringContaining(form)])
    },
  )

  it("RED-08: stands on the page that asks in one hidden field, and the page tells no site of its address", async () => {
    const { site, link, token } = await asked()
    const other = site.browser()
    const page = await other.get(link, { from: "https://mail.example.net" })
    expect([page.status, page.headers.get("referrer-policy")]).toEqual([200, "no-referrer"])
    expect(page.headers.get("cache-control")).toContain("no-store")
    const html = await page.clone().text()
    expect(html.split(token)).toHaveLength(2)
    expect(html).toContain(`<input type="hidden" name="token" value="${token}">`)
    // No address on the page has it: not the form's own, and none that is loaded or pressed.
    for (const [, address = ""] of html.matchAll(/(?:href|src|action|content)="([^"]*)"/g))
      expect(address).not.toContain(token)
    page.headers.forEach((value, name) => {
      expect([name, value]).not.toEqual([name, expect.stringContaining(token)])
    })
    // An element of the page may overrule its header.
    expect(html).not.toMatch(/<meta[^>]*referrer|referrerpolicy=/i)
  })

  it("RED-08: is gone after the button of that page", async () => {
    const { site, link, token } = await asked()
    const other = site.browser()
    const page = await confirmLink(other, link)
    expect([page.status, page.location]).toEqual([302, `${site.app.origin}/me?from=mail`])
    await followWithout(token, page, other)
    expect(await sessionOf(other)).toMatchObject({ user: { email: ADA } })
  })

  it("RED-08: is gone for somebody who is new and sent to a page for that", async () => {
    const { browser, link, token } = await asked({ pages: { newUser: "/public" } })
    const page = await browser.get(link)
    expect(new URL(page.location).pathname).toBe("/public")
    await followWithout(token, page, browser)
  })

  it.each([
    ["is used already", async ({ browser, link }: Asked) => void (await browser.clone().get(link))],
    [
      "is too old",
      async ({ site }: Asked) => {
        site.time.now += 25 * 60 * 60 * 1000
      },
    ],
    ["is not known any more", async ({ site }: Asked) => void site.store.links.splice(0)],
  ])("RED-08: is gone from what is shown when the link %s", async (_name, spoil) => {
    const found = await asked()
    const twin = found.browser.clone()
    await spoil(found)
    const first = await twin.get(found.link)
    const page = first.status === 200 ? await twin.submit(twin.form(await first.text())) : first
    expect(errorOf(page)).toBe("Verification")
    const last = await followWithout(found.token, page, twin)
    expect(last.headers.get("referrer-policy")).toBe("no-referrer")
  })

  it.each<[string, AuthConfig["callbacks"]]>([
    ["refuses", { signIn: ({ email }) => email?.verificationRequest === true }],
    [
      "sends people elsewhere",
      { signIn: ({ email }) => (email?.verificationRequest ? true : "/public?reason=closed") },
    ],
    [
      "throws",
      {
        signIn: ({ email }) => {
          if (email?.verificationRequest) return true
          throw new Error("in our own code")
        },
      },
    ],
  ])("RED-08: is gone when the application's own callback %s", async (_name, callbacks = {}) => {
    const { browser, link, token } = await asked({ callbacks })
    const page = await browser.get(link)
    expect(page.status).toBe(302)
    await followWithout(token, page, browser)
    expect(await sessionOf(browser)).toBeNull()
  })

  it("RED-08: is told by no other answer at its address", async () => {
    const { site, browser, link, token } = await asked()
    const answers = [
      await browser.clone().request(link, { method: "HEAD" }),
      await browser.clone().request(link, { method: "PUT" }),
      await browser.clone().post(link, {}),
      await site.browser().post(link, { csrfToken: "x" }),
      await browser.clone().get(link.replace("/callback/mail", "/callback/nope")),
      await browser.clone().get(link.replace("/callback/mail", "/signin")),
      await browser.clone().get(link.replace("/callback/mail", "/error")),
      await browser.clone().get(link.replace("/callback/mail", "/verify-request")),
      await browser.clone().get(link, { headers: { "x-auth-return-redirect": "1" } }),
    ]
    for (const page of answers) await expectWithout(token, page)
  })
})
