/**
 * Invalid email addresses are refused: EML-08 to EML-10, and ADV-05 to ADV-08.
 *
 * @module
 */
import addressparser from "nodemailer/lib/addressparser"
import type { AuthConfig } from "../../../lib/types.js"
import { describeServer, describeServers } from "../../support/apps.js"
import { visibleText } from "../../support/html.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, errorOf, signInByMail, startMailSite } from "../support/mail.js"
import { param, sessionCookies, sessionOf } from "../support/site.js"

guardProcess()

const ADA = "ada@example.com"
const VICTIM = "v@app.test"

/** A site that records the calls of its adapter. */
async function startRecorded(start: Parameters<typeof startMailSite>[0], config: Partial<AuthConfig> = {}) {
  const calls: string[] = []
  const site = await startMailSite(start, {
    config,
    over: (adapter) =>
      Object.fromEntries(
        Object.entries(adapter).map(([name, method]) => [
          name,
          (...args: unknown[]) => {
            calls.push(name)
            return (method as (...args: unknown[]) => unknown)(...args)
          },
        ]),
      ),
  })
  return { site, calls }
}

/** Expects a redirect to the sign-in page with an error, and that nothing was looked up, stored or sent. */
async function expectRefused(start: Parameters<typeof startMailSite>[0], email: string): Promise<void> {
  const { site, calls } = await startRecorded(start)
  const browser = site.browser()
  const page = await askForLink(browser, email, { callbackUrl: "/cart" })
  const { origin, pathname, searchParams } = new URL(page.location)
  expect([page.status, origin, pathname]).toEqual([302, site.app.origin, "/auth/signin"])
  expect(searchParams.get("error")).toBe("EmailSignInError")
  expect(searchParams.get("callbackUrl")).toBe(`${site.app.origin}/cart`)
  expect([calls, site.mail.sent, site.store.links]).toEqual([[], [], []])
  expect([sessionCookies(browser), site.events]).toEqual([[], []])
  expect(site.failures()).toMatchObject([{ level: "warn", code: "EmailSignInError" }])
  const html = await (await browser.get(page.location)).text()
  expect(visibleText(html)).toContain("Please check that it is spelled correctly.")
  expect(browser.form(html, "/signin/mail").fields).toMatchObject({ callbackUrl: `${site.app.origin}/cart` })
  expect(html).not.toContain("<a href=//evil>")
  // A sign-in with a valid address works.
  await signInByMail(site, browser, ADA)
  expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
}

const REFUSED: [string, string][] = [
  ["ADV-05", "a@b.c, <a href=//evil>x</a>"],
  ["ADV-06", "a@evil.test,victim@app.test"],
  ["ADV-06", "x,victim@app.test"],
  ["ADV-07", '"e@evil.test"@app.test'],
  ["ADV-07", "%22e@evil.test%22@app.test"],
  ["ADV-07", "\uff02e@evil.test\uff02@app.test"],
  ["ADV-08", "a@evil.test\uff20app.test"],
  ["ADV-08", "a@evil.test\ufe6bapp.test"],
  ["EML-08", "a@b.test\r\nX-Injected: 1"],
  ["EML-08", "a@b.test\nfoo"],
  ["EML-08", "a\u0000@b.test"],
  ["EML-08", "a\u001b[2J@b.test"],
  ["EML-09", "a@evil.test;app.test"],
  ["EML-09", "a@evil.test app.test"],
  ["EML-09", "a@evil.test>app.test"],
  ["EML-09", "<v@app.test"],
  ["EML-09", "(c)v@app.test"],
  ["EML-09", "g:v@app.test"],
  ["EML-10", `${"a".repeat(20_000)}@app.test`],
  ["EML-10", `a@${"b".repeat(20_000)}.test`],
  ["EML-10", ""],
]

describeServers("A request for a sign-in link", (start) => {
  it.each(REFUSED)("%s: is refused for the address %j", (_id, email) => expectRefused(start, email))

  it.each([
    ["no email", {}],
    ["a list", { email: [ADA, VICTIM] }],
    ["an object", { email: { address: ADA } }],
    ["a number", { email: 42 }],
    ["null", { email: null }],
  ])("EML-09: is refused for JSON with %s as the address", async (_name, body) => {
    const { site, calls } = await startRecorded(start)
    const browser = site.browser()
    const page = await browser.postJson("/auth/signin/mail", { csrfToken: await browser.csrf(), ...body })
    expect([errorOf(page), calls, site.mail.sent]).toEqual(["EmailSignInError", [], []])
  })
})

describeServer("EML-09: an accepted address", "Auth()", (start) => {
  it("is the same for the mail library, the link, the adapter and the session", async () => {
    for (const typed of ["O'Brien+x@Example.COM", "ada@bücher.example", "ＡＤＡ@example.com", "用户@例子.广告"]) {
      const site = await startMailSite(start)
      const browser = site.browser()
      await askForLink(browser, typed)
      const [{ identifier, url } = { identifier: "", url: "" }] = site.mail.sent
      expect(addressparser(identifier)).toEqual([{ address: identifier, name: "" }])
      expect(param(url, "email")).toBe(identifier)
      expect(site.store.links.map((link) => link.identifier)).toEqual([identifier])
      await browser.get(url)
      expect(await sessionOf(browser)).toMatchObject({ user: { email: identifier } })
    }
  })
})
