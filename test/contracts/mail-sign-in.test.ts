/**
 * Complete sign-ins with our email providers: the email is sent and parsed, and its link is opened.
 *
 * @module
 */
import Nodemailer from "../../lib/providers/nodemailer.js"
import Resend from "../../lib/providers/resend.js"
import { customFetch } from "../../lib/symbols.js"
import type { AuthConfig } from "../../lib/types.js"
import { errorOf, startMailSite } from "../flows/support/mail.js"
import { describeServer, type Start } from "../support/apps.js"
import type { Browser, Page } from "../support/browser.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { API_KEY, FROM, startMailApi } from "./support/mail.js"
import { type MailServer, readMail, refusal, startMailServer } from "./support/smtp.js"

failOnUnhandled()

async function requestLink(browser: Browser, id: string, email: string): Promise<Page> {
  return browser.post(`/auth/signin/${id}`, { csrfToken: await browser.csrf(), email })
}

/** The link, which is equal in both parts of the single email. */
function linkIn({ delivered }: MailServer): string {
  const [text, html] = readMail(delivered.at(-1)?.raw ?? "").parts
  const link = text?.body.split("\n").find((line) => line.startsWith("http")) ?? ""
  expect(html?.body).toContain(`href="${link.replaceAll("&", "&amp;")}"`)
  return link
}

const withProviders = (start: Start, providers: AuthConfig["providers"], more: Partial<AuthConfig> = {}) =>
  startMailSite(start, { config: { providers, ...more } })

describeServer("a sign-in by email", "Express 5", (start) => {
  let smtp: MailServer
  beforeAll(async () => {
    smtp = await startMailServer()
  })
  afterAll(() => smtp.close())

  it("works with a real mail server", async () => {
    const site = await withProviders(start, [Nodemailer({ server: smtp.url, from: FROM })])
    const browser = site.browser()
    const asked = await requestLink(browser, "nodemailer", " Ada@Example.NET ")
    expect(new URL(asked.location).pathname).toBe("/auth/verify-request")
    expect(smtp.delivered.at(-1)).toMatchObject({ from: "no-reply@mg.example.com", to: ["ada@example.net"] })
    const { host } = new URL(site.app.origin)
    expect(readMail(smtp.delivered.at(-1)?.raw ?? "").headers["subject"]).toBe(`Sign in to ${host}`)
    await browser.get(linkIn(smtp))
    expect(await (await browser.get("/me")).json()).toMatchObject({ user: { email: "ada@example.net" } })
    expect(site.failures()).toEqual([])
  })

  it("works with only the environment and the provider's name", async () => {
    const kept = { ...process.env }
    Object.assign(process.env, { AUTH_NODEMAILER_SERVER: smtp.url, AUTH_NODEMAILER_FROM: "no-reply@example.com" })
    try {
      const site = await withProviders(start, [Nodemailer])
      await requestLink(site.browser(), "nodemailer", "bob@example.net")
      expect(smtp.delivered.at(-1)).toMatchObject({ from: "no-reply@example.com", to: ["bob@example.net"] })
    } finally {
      process.env = kept
    }
  })

  it("uses the application's theme and templates", async () => {
    const site = await withProviders(start, [Nodemailer({ server: smtp.url, from: FROM })], {
      theme: { brandColor: "#123456" },
    })
    await requestLink(site.browser(), "nodemailer", "carol@example.net")
    expect(readMail(smtp.delivered.at(-1)?.raw ?? "").parts[1]?.body).toContain("background-color:#123456")
  })

  it("ADV-06: never sends the email to two mailboxes", async () => {
    const site = await withProviders(start, [Nodemailer({ server: smtp.url, from: FROM })])
    const before = smtp.delivered.length
    for (const email of ["a@evil.test,victim@app.test", '"e@evil.test"@app.test', "a@evil.test＠app.test"])
      expect(errorOf(await requestLink(site.browser(), "nodemailer", email))).toBe("EmailSignInError")
    expect(smtp.delivered).toHaveLength(before)
  })

  it("returns to the sign-in page if the mail server rejects the recipient, and logs the reason", async () => {
    const refusing = await startMailServer({
      onRcptTo: (_address, _session, done) => done(refusal(550, "No such user here")),
    })
    const site = await withProviders(start, [Nodemailer({ server: refusing.url, from: FROM })])
    const page = await requestLink(site.browser(), "nodemailer", "nobody@example.net")
    await refusing.close()
    expect([new URL(page.location).pathname, errorOf(page)]).toEqual(["/auth/signin", "EmailSignin"])
    expect(site.logText()).toContain("550 No such user here")
  })

  it("returns to the sign-in page if the service rejects the email, and logs its message without link and key", async () => {
    const api = await startMailApi()
    let mail = ""
    api.answer((_request, response, { body }) => {
      mail = body.toString()
      response.writeHead(422, { "content-type": "application/json" }).end(`{"message":"not verified",${mail.slice(1)}`)
    })
    const provider = Resend({ apiKey: API_KEY, from: FROM, [customFetch]: api.fetch })
    const site = await withProviders(start, [provider])
    const page = await requestLink(site.browser(), "resend", "ada@example.net")
    await api.close()
    expect(errorOf(page)).toBe("EmailSignin")
    const token = /token=(\w+)/.exec(JSON.parse(mail).text)?.[1] ?? "no token"
    expect(site.logText()).toContain('Resend answered 422: {"message":"not verified"')
    for (const secret of [API_KEY, token]) expect(site.logText()).not.toContain(secret)
  })
})
