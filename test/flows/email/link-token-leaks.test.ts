/**
 * RED-08: the token of a sign-in link appears in the link only, and does not leak from there.
 *
 * @module
 */
import type { AuthConfig } from "../../../lib/types.js"
import { describeServers } from "../../support/apps.js"
import type { Browser, Page } from "../../support/browser.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, confirmLink, errorOf, type MailSite, startMailSite } from "../support/mail.js"
import { param, sessionOf } from "../support/site.js"

guardProcess()

const ADA = "ada@example.com"
const REDIRECTS = 10

/** Status, headers and body as text. */
async function readText(page: Page): Promise<string> {
  const headers: string[] = []
  page.headers.forEach((value, name) => {
    headers.push(`${name}: ${value}`)
  })
  return [page.status, ...headers, ...page.headers.getSetCookie(), await page.clone().text()].join("\n")
}

/** A text, and its URL-encoded forms. */
const urlEncodings = (text: string) => [text, encodeURIComponent(text), encodeURIComponent(encodeURIComponent(text))]

async function expectWithout(token: string, page: Page): Promise<void> {
  const text = await readText(page)
  for (const form of urlEncodings(token)) expect(text).not.toContain(form)
}

/** Follows redirects, expects no response to contain the token, and returns the last one. */
async function followWithout(token: string, first: Page, browser: Browser): Promise<Page> {
  let page = first
  for (let i = 0; i < REDIRECTS; i++) {
    await expectWithout(token, page)
    if (!page.location) break
    page = await browser.get(page.location, { from: new URL(page.url).origin })
  }
  for (const form of urlEncodings(token)) expect(browser.url).not.toContain(form)
  return page
}

describeServers("RED-08: the token of a sign-in link", (start) => {
  interface RequestedLink {
    site: MailSite
    browser: Browser
    link: string
    token: string
  }

  /** Requests a link. `token` replaces the generated token. */
  async function requestLink(config: Partial<AuthConfig> = {}, token?: string): Promise<RequestedLink> {
    const mail = token === undefined ? {} : { generateVerificationToken: () => token }
    const site = await startMailSite(start, { config: { rateLimit: false, ...config }, mail })
    const browser = site.browser()
    await askForLink(browser, ADA, { callbackUrl: "/me?from=mail" })
    const link = site.mail.linkTo(ADA)
    return { site, browser, link, token: param(link, "token") }
  }

  it.each([undefined, "a token/of + our=own&with?signs#%"])(
    "RED-08: is not in the redirects and cookies of the requesting browser (%s)",
    async (ownToken) => {
      const { site, browser, link, token } = await requestLink({}, ownToken)
      const page = await browser.get(link, { from: "https://mail.example.net" })
      expect([page.status, page.location]).toEqual([302, `${site.app.origin}/me?from=mail`])
      const last = await followWithout(token, page, browser)
      expect(await last.json()).toMatchObject({ user: { email: ADA } })
      for (const { name, value } of browser.cookies())
        for (const form of urlEncodings(token)) expect([name, value]).not.toEqual([name, expect.stringContaining(form)])
    },
  )

  it("RED-08: is only in one hidden field of the confirmation page, which sends no Referer", async () => {
    const { site, link, token } = await requestLink()
    const other = site.browser()
    const page = await other.get(link, { from: "https://mail.example.net" })
    expect([page.status, page.headers.get("referrer-policy")]).toEqual([200, "no-referrer"])
    expect(page.headers.get("cache-control")).toContain("no-store")
    const html = await page.clone().text()
    expect(html.split(token)).toHaveLength(2)
    expect(html).toContain(`<input type="hidden" name="token" value="${token}">`)
    // No URL on the page contains it: neither the form's action nor a resource or link.
    for (const [, address = ""] of html.matchAll(/(?:href|src|action|content)="([^"]*)"/g))
      expect(address).not.toContain(token)
    page.headers.forEach((value, name) => {
      expect([name, value]).not.toEqual([name, expect.stringContaining(token)])
    })
    // An element could override the header.
    expect(html).not.toMatch(/<meta[^>]*referrer|referrerpolicy=/i)
  })

  it("RED-08: is not in the redirects after the confirmation", async () => {
    const { site, link, token } = await requestLink()
    const other = site.browser()
    const page = await confirmLink(other, link)
    expect([page.status, page.location]).toEqual([302, `${site.app.origin}/me?from=mail`])
    await followWithout(token, page, other)
    expect(await sessionOf(other)).toMatchObject({ user: { email: ADA } })
  })

  it("RED-08: is not in the redirect to pages.newUser", async () => {
    const { browser, link, token } = await requestLink({ pages: { newUser: "/public" } })
    const page = await browser.get(link)
    expect(new URL(page.location).pathname).toBe("/public")
    await followWithout(token, page, browser)
  })

  it.each([
    ["was used before", async ({ browser, link }: RequestedLink) => void (await browser.clone().get(link))],
    [
      "has expired",
      async ({ site }: RequestedLink) => {
        site.time.now += 25 * 60 * 60 * 1000
      },
    ],
    ["was deleted", async ({ site }: RequestedLink) => void site.store.links.splice(0)],
  ])("RED-08: is not in the error page if the link %s", async (_name, invalidate) => {
    const requested = await requestLink()
    const twin = requested.browser.clone()
    await invalidate(requested)
    const first = await twin.get(requested.link)
    const page = first.status === 200 ? await twin.submit(twin.form(await first.text())) : first
    expect(errorOf(page)).toBe("Verification")
    const last = await followWithout(requested.token, page, twin)
    expect(last.headers.get("referrer-policy")).toBe("no-referrer")
  })

  it.each<[string, AuthConfig["callbacks"]]>([
    ["refuses the user", { signIn: ({ email }) => email?.verificationRequest === true }],
    ["redirects the user", { signIn: ({ email }) => (email?.verificationRequest ? true : "/public?reason=closed") }],
    [
      "throws",
      {
        signIn: ({ email }) => {
          if (email?.verificationRequest) return true
          throw new Error("in our own code")
        },
      },
    ],
  ])("RED-08: is not in the redirects if callbacks.signIn %s", async (_name, callbacks = {}) => {
    const { browser, link, token } = await requestLink({ callbacks })
    const page = await browser.get(link)
    expect(page.status).toBe(302)
    await followWithout(token, page, browser)
    expect(await sessionOf(browser)).toBeNull()
  })

  it("RED-08: is in no other response to its URL", async () => {
    const { site, browser, link, token } = await requestLink()
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
