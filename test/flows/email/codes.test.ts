/** The code in a sign-in email, which the user can enter in the requesting browser instead of opening the link. */
import type { EmailConfig } from "../../../lib/provider-kit/provider.js"
import Loops from "../../../lib/providers/loops.js"
import Resend from "../../../lib/providers/resend.js"
import { customFetch } from "../../../lib/symbols.js"
import { describeServer, describeServers } from "../../support/apps.js"
import type { Browser, Page, Visit } from "../../support/browser.js"
import { decodeEntities, visibleText } from "../../support/html.js"
import { sharedStore } from "../../support/shared-store.js"
import { guardProcess } from "../support/guard.js"
import {
  askForLink,
  confirmLink,
  enterCode,
  errorOf,
  type MailSiteOptions,
  RESEND_MS,
  startMailSite,
  wrongCode,
} from "../support/mail.js"
import { memoryStore } from "../support/memory-adapter.js"
import { sessionCookies, sessionOf } from "../support/site.js"

guardProcess()

const ADA = "ada@example.com"
const BOB = "bob@example.com"
const MINUTE = 60_000
const MAIL_COOKIE = "authjs.state.mail"
const TRIES = 5

/** The path and the error of a redirect. */
const redirectTarget = ({ location }: Page) => {
  const { pathname, searchParams } = new URL(location)
  return `${pathname} ${searchParams.get("error")}`
}
const WRONG = "/auth/verify-request EmailCode"
const OVER = "/auth/verify-request EmailCodeExpired"

/** A different wrong code for each number. */
const guess = (code: string, index: number): string =>
  code.slice(0, 7) +
  [..."CDFHJKMNPRTVWXY3479"].filter((letter) => letter !== code.at(7) && letter !== code.at(8))[index] +
  code.slice(8)

describeServers("The code of an email", (start) => {
  async function request({ mail, ...options }: MailSiteOptions = {}, more: Record<string, string> = {}) {
    const site = await startMailSite(start, { ...options, mail: { emailCode: true, ...mail } })
    const browser = site.browser()
    const asked = await askForLink(browser, ADA, more)
    site.forget()
    return { site, browser, asked, code: site.mail.codeFor(ADA), link: site.mail.linkTo(ADA) }
  }

  const post = async (browser: Browser, code: string, init: Visit = {}) =>
    browser.post("/auth/callback/mail", { csrfToken: await browser.csrf(), code }, init)

  it("signs in once on the page of the requesting browser, and redirects to the return URL", async () => {
    const { site, browser, code } = await request({}, { callbackUrl: "/cart" })
    expect(code).toMatch(/^[CDFHJKMNPRTVWXY3479]{4}-[CDFHJKMNPRTVWXY3479]{4}$/)
    const before = browser.clone()
    const page = await enterCode(browser, code)
    expect([page.status, page.location]).toEqual([302, `${site.app.origin}/cart`])
    expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
    expect(browser.cookie(MAIL_COOKIE)).toBeUndefined()
    expect(site.store.links).toEqual([])
    expect(site.events.map(({ name }) => name).filter((name) => name !== "session")).toEqual(["createUser", "signIn"])
    expect([...site.store.users.values()]).toMatchObject([{ email: ADA, emailVerified: expect.any(Date) }])
    expect(redirectTarget(await enterCode(before, code))).toBe(OVER)
    expect(site.failures().at(-1)?.error?.message).toBe(
      "a sign-in code can't be used: a sign-in link is unknown or already used",
    )
    expect(await sessionOf(before)).toBeNull()
  })

  it.each([
    ["in lower case", (code: string) => code.toLowerCase()],
    ["without its hyphen", (code: string) => code.replace("-", "")],
    ["with spaces", (code: string) => ` ${code.replace("-", " - ")}\t`],
    ["with another dash", (code: string) => code.replace("-", "–")],
    [
      "in full-width letters",
      (code: string) => code.replace(/\w/g, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0)),
    ],
  ])("is accepted %s", async (_name, spell) => {
    const { browser, code } = await request()
    await enterCode(browser, spell(code))
    expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
  })

  it("differs in each email", async () => {
    const { site, browser } = await request({ config: { rateLimit: false } })
    for (let i = 0; i < 20; i++) {
      site.time.now += RESEND_MS
      await askForLink(browser, ADA)
    }
    expect(new Set(site.mail.sent.map(({ code }) => code)).size).toBe(21)
  })

  it("follows the choice to stay signed in", async () => {
    const config = { session: { remember: "ask" } } as const
    for (const [more, expires] of [
      [{}, undefined],
      [{ remember: "true" }, expect.any(Number)],
    ] as const) {
      const { browser, code } = await request({ config }, more)
      await enterCode(browser, code)
      expect(sessionCookies(browser).map((cookie) => cookie.expiresAt)).toEqual([expires])
    }
  })

  it("uses up the link, which then redirects in the signed-in browser and is refused in other browsers", async () => {
    const { site, browser, code, link } = await request({}, { callbackUrl: "/cart" })
    await enterCode(browser, code)
    expect((await browser.get(link)).location).toBe(`${site.app.origin}/cart`)
    const other = site.browser()
    expect(errorOf(await confirmLink(other, link))).toBe("Verification")
    expect(await sessionOf(other)).toBeNull()
  })

  it("is used up when the link is used", async () => {
    const { site, browser, code, link } = await request()
    const other = site.browser()
    await confirmLink(other, link)
    expect(await sessionOf(other)).toMatchObject({ user: { email: ADA } })
    const spent = await enterCode(browser, code)
    expect(redirectTarget(spent)).toBe(OVER)
    const html = await (await browser.get(spent.location)).text()
    expect(browser.forms(html).map(({ action }) => new URL(action).pathname)).toEqual(["/auth/signin/mail"])
    await askForLink(browser, ADA)
    const twin = browser.clone()
    await twin.get(site.mail.linkTo(ADA))
    expect(redirectTarget(await post(twin, site.mail.codeFor(ADA)))).toBe(OVER)
    expect(await sessionOf(browser)).toBeNull()
  })

  it("is replaced by the code of a later email to the same address", async () => {
    const { site, browser, code } = await request()
    const other = site.browser()
    await askForLink(other, ADA)
    expect(redirectTarget(await enterCode(browser, code))).toBe(OVER)
    await enterCode(other, site.mail.codeFor(ADA))
    expect([await sessionOf(browser), await sessionOf(other)]).toMatchObject([null, { user: { email: ADA } }])
  })

  it("is requested again, with an error message at the field, if it is wrong; the link stays valid", async () => {
    const { site, browser, code, link } = await request()
    const refused = await enterCode(browser, wrongCode(code))
    expect([refused.status, redirectTarget(refused)]).toEqual([302, WRONG])
    const html = await (await browser.get(refused.location)).text()
    expect(html).toMatch(/<input id="input-code" [^>]*aria-invalid="true" aria-describedby="error">/)
    expect(html).toContain('<p class="error" id="error" role="alert">This code isn&#39;t right.')
    expect(site.failures()).toMatchObject([
      { level: "warn", error: { message: "a sign-in code is wrong", cause: { provider: "mail" } } },
    ])
    expect(await sessionOf(browser)).toBeNull()
    expect((await browser.get(link)).location).toBe(`${site.app.origin}/`)
    expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
  })

  it("SEC-26: has five tries, even without rateLimit; a new email has five more", async () => {
    const { site, browser, code } = await request({ config: { rateLimit: false } })
    for (let i = 0; i < TRIES; i++) expect(redirectTarget(await enterCode(browser, guess(code, i)))).toBe(WRONG)
    const refused = await enterCode(browser, code)
    expect(redirectTarget(refused)).toBe(OVER)
    const html = await (await browser.get(refused.location)).text()
    expect(visibleText(html)).toMatch(/This code no longer works here\. Please open the link from the email, or ask/)
    expect(browser.forms(html).map(({ action }) => new URL(action).pathname)).toEqual(["/auth/signin/mail"])
    expect(site.failures().at(-1)?.error?.message).toBe("a sign-in code was refused after five tries")
    site.time.now += RESEND_MS
    await browser.submit(browser.form(html))
    await enterCode(browser, wrongCode(site.mail.codeFor(ADA)))
    await enterCode(browser, site.mail.codeFor(ADA))
    expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
  })

  it("SEC-26: leaves the link valid after five tries", async () => {
    const { browser, code, link } = await request()
    for (let i = 0; i < TRIES + 2; i++) await enterCode(browser, guess(code, i))
    await browser.get(link)
    expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
  })

  it("does not count texts that can't be a code as tries", async () => {
    const { browser, code } = await request()
    for (const text of ["", "CDFH", "ILO0-1258", code.slice(1), `${code}C`, "x".repeat(101), "x".repeat(5_000)])
      expect(redirectTarget(await enterCode(browser, text))).toBe(WRONG)
    await enterCode(browser, code)
    expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
  })

  it("has five tries in all processes together", async () => {
    const { store } = sharedStore()
    const users = memoryStore()
    const options = { store: users, config: { store }, start: { origin: "http://app.test" } }
    const { browser, code } = await request(options)
    const second = await startMailSite(start, { ...options, mail: { emailCode: true } })
    const other = second.browser()
    for (const { name, value } of browser.cookies()) other.setCookie(name, value)
    for (let i = 0; i < TRIES; i++)
      expect(redirectTarget(await enterCode(i % 2 === 0 ? browser : other, guess(code, i)))).toBe(WRONG)
    expect([redirectTarget(await enterCode(browser, code)), redirectTarget(await enterCode(other, code))]).toEqual([
      OVER,
      OVER,
    ])
  })

  it("has five tries in a process whose store fails", async () => {
    const { store } = sharedStore({ increment: () => Promise.reject(new Error("the store is down")) })
    const { site, browser, code } = await request({ config: { store, rateLimit: false } })
    for (let i = 0; i < TRIES; i++) expect(redirectTarget(await enterCode(browser, guess(code, i)))).toBe(WRONG)
    expect(redirectTarget(await enterCode(browser, code))).toBe(OVER)
    expect(site.failures().filter(({ level }) => level === "error")).toHaveLength(1)
  })

  it("expires after ten minutes, but the link does not", async () => {
    const { site, browser, code, link } = await request()
    const earlier = browser.clone()
    site.time.now += 10 * MINUTE + 1
    const html = await (await browser.get("/auth/verify-request")).text()
    expect(browser.forms(html).map(({ action }) => new URL(action).pathname)).toEqual(["/auth/signin/mail"])
    expect(visibleText(html)).toContain("This code no longer works here.")
    expect(redirectTarget(await post(browser, code))).toBe(OVER)
    await browser.get(link)
    expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
    site.time.now -= 1
    expect(redirectTarget(await post(earlier, wrongCode(code)))).toBe(WRONG)
  })

  it("expires with a link of a shorter lifetime, which the email states", async () => {
    const { site, browser, code } = await request({ mail: { maxAge: 120 } })
    expect(site.mail.sent[0]?.mail.text).toContain("It works for 2 minutes.")
    site.time.now += 2 * MINUTE + 1
    expect(redirectTarget(await post(browser, code))).toBe(OVER)
  })

  it("works only in the requesting browser, and only this browser shows the address", async () => {
    const { site, browser, code } = await request()
    const other = site.browser()
    const [own, foreign] = await Promise.all(
      [browser, other].map(async (client) => (await client.get("/auth/verify-request")).text()),
    )
    expect(visibleText(own ?? "")).toContain(ADA)
    expect(foreign).not.toMatch(/example\.com|name="code"/)
    expect(redirectTarget(await post(other, code))).toBe(OVER)
    expect(site.failures()).toMatchObject([
      { error: { message: "a sign-in code was submitted in a browser that did not request it" } },
    ])
    expect(await sessionOf(other)).toBeNull()
    await enterCode(browser, code)
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it("is replaced when the browser requests an email to another address", async () => {
    const { site, browser, code } = await request()
    await askForLink(browser, BOB)
    expect(visibleText(await (await browser.get("/auth/verify-request")).text())).toContain(BOB)
    expect(redirectTarget(await enterCode(browser, code))).toBe(WRONG)
    await enterCode(browser, site.mail.codeFor(BOB))
    expect(await sessionOf(browser)).toMatchObject({ user: { email: BOB } })
  })

  it("is refused by another email provider", async () => {
    const other = { id: "other", name: "Other", type: "email", sendVerificationRequest: () => {} } as const
    const site = await startMailSite(start, { mail: { emailCode: true } })
    const both = await startMailSite(start, { store: site.store, config: { providers: [site.mail.provider, other] } })
    const browser = both.browser()
    await askForLink(browser, ADA)
    const csrfToken = await browser.csrf()
    const page = await browser.post("/auth/callback/other", { csrfToken, code: site.mail.codeFor(ADA) })
    expect(redirectTarget(page)).toBe(OVER)
    expect(await sessionOf(browser)).toBeNull()
  })

  it.each<[string, Record<string, string>, Visit]>([
    ["without the CSRF token", { csrfToken: "" }, {}],
    ["from another site", {}, { from: "https://evil.test" }],
    ["with Sec-Fetch-Site: cross-site", {}, { headers: { "sec-fetch-site": "cross-site" } }],
  ])(
    "is refused %s, is not counted as a try, and the response does not reveal whether it is right",
    async (_name, fields, init) => {
      const { browser, code } = await request()
      const submit = async (text: string) => {
        const form = { csrfToken: await browser.csrf(), code: text, ...fields }
        return browser.clone().post("/auth/callback/mail", form, init)
      }
      const shape = (page: Page) => [
        ...[page.status, errorOf(page)],
        page.headers.getSetCookie().map((cookie) => [cookie.split("=")[0], cookie.length]),
      ]
      const right = shape(await submit(code))
      expect(right.slice(0, 2)).toEqual([302, "MissingCSRF"])
      for (let i = 0; i < TRIES + 1; i++) expect(shape(await submit(guess(code, i)))).toEqual(right)
      await enterCode(browser, code)
      expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
    },
  )

  it("EML-14, SEC-27: of a refused address has as many tries as any other code, also after a new request", async () => {
    const callbacks = { signIn: ({ user }: { user: { email?: string | null | undefined } }) => user.email !== BOB }
    const { site } = await request({ config: { callbacks } })
    const results = await Promise.all(
      [ADA, BOB].map(async (address) => {
        const browser = site.browser()
        const answers: string[] = []
        for (let round = 0; round < 2; round++) {
          await askForLink(browser, address)
          for (let i = 0; i < TRIES + 1; i++)
            answers.push(redirectTarget(await enterCode(browser, guess("CCCC-CCCC", i))))
          answers.push(redirectTarget(await post(browser, "CCCC-CCCC")))
        }
        return answers
      }),
    )
    expect(results[1]).toEqual(results[0])
    expect(results[0]).toContain(WRONG)
    expect(site.mail.sent.map(({ identifier }) => identifier)).not.toContain(BOB)
  })

  it("EML-14, SEC-27: stays the same after a second request within 30 seconds, which sends no email, even for a refused address", async () => {
    const callbacks = { signIn: ({ user }: { user: { email?: string | null | undefined } }) => user.email !== BOB }
    const results: unknown[] = []
    for (const address of [ADA, BOB]) {
      const site = await startMailSite(start, { mail: { emailCode: true }, config: { callbacks } })
      const browser = site.browser()
      const cookieLengths: unknown[] = []
      const ask = async (from: Browser, callbackUrl = "/there") => {
        const page = await askForLink(from, address, { callbackUrl })
        cookieLengths.push(page.headers.getSetCookie().find((cookie) => cookie.startsWith(MAIL_COOKIE))?.length)
      }
      const isDelayed = async () => (await (await browser.get("/auth/verify-request")).text()).includes(" data-delayed")
      await ask(browser)
      for (let i = 0; i < TRIES; i++) await enterCode(browser, guess("CCCC-CCCC", i))
      site.time.now += 29_999
      const answers: unknown[] = [await isDelayed()]
      await ask(browser)
      // The tries of the first request still count.
      answers.push(redirectTarget(await post(browser, "CCCC-CCCC")))
      const counts = [site.mail.sent.length]
      await ask(site.browser())
      counts.push(site.mail.sent.length)
      site.time.now += 1
      answers.push(await isDelayed())
      await ask(browser)
      answers.push(redirectTarget(await post(browser, "CCCC-CCCC")), new Set(cookieLengths).size)
      results.push(answers)
      expect([...counts, site.mail.sent.length]).toEqual(address === ADA ? [1, 2, 3] : [0, 0, 0])
    }
    expect(results).toEqual(results.map(() => [true, OVER, false, WRONG, 1]))
  })

  it("signs in with the return URL of a second request within 30 seconds", async () => {
    const { site, browser, code } = await request({}, { callbackUrl: "/early" })
    await askForLink(browser, ADA, { callbackUrl: "/later" })
    expect(site.mail.sent).toHaveLength(1)
    expect((await enterCode(browser, code)).location).toBe(`${site.app.origin}/later`)
  })

  it("EML-14, SEC-27: of a refused address behaves like any other code when requests exceed the limit", async () => {
    const callbacks = { signIn: ({ user }: { user: { email?: string | null | undefined } }) => user.email !== BOB }
    const results: unknown[] = []
    for (const address of [ADA, BOB]) {
      const site = await startMailSite(start, { mail: { emailCode: true }, config: { callbacks } })
      const browser = site.browser()
      const ask = async () => {
        site.time.now += MINUTE
        await askForLink(browser, address)
      }
      for (let i = 0; i < 5; i++) await ask()
      for (let i = 0; i < TRIES; i++) await enterCode(browser, guess("CCCC-CCCC", i))
      await ask()
      const answers = [redirectTarget(await post(browser, "CCCC-CCCC"))]
      // The field for the code disappears ten minutes after the last request that was not limited.
      for (let i = 0; i < 12; i++) {
        const html = await (await browser.get("/auth/verify-request")).text()
        answers.push(...browser.forms(html).map(({ action }) => new URL(action).pathname))
        site.time.now += MINUTE
      }
      // A request within the limit replaces the cookie, so the new code has five tries.
      site.time.now += 15 * MINUTE
      await ask()
      answers.push(redirectTarget(await post(browser, "CCCC-CCCC")))
      results.push(answers)
      expect(site.mail.sent).toHaveLength(address === ADA ? 6 : 0)
    }
    expect(results[1]).toEqual(results[0])
    expect(results[0]).toEqual(expect.arrayContaining([OVER, WRONG, "/auth/callback/mail"]))
  })

  it("EML-14: of an earlier email is not accepted after a refused request for another address", async () => {
    const callbacks = { signIn: ({ user }: { user: { email?: string | null | undefined } }) => user.email !== BOB }
    const { browser, code, link } = await request({ config: { callbacks } })
    await askForLink(browser, BOB)
    expect(visibleText(await (await browser.get("/auth/verify-request")).text())).toContain(BOB)
    expect(redirectTarget(await enterCode(browser, code))).toBe(WRONG)
    // As after any request for another address, the earlier link asks for confirmation.
    expect((await browser.get(link)).status).toBe(200)
  })

  it("of the last email stays valid when further requests of the browser are refused", async () => {
    const { site, browser } = await request()
    const lengths: (number | undefined)[] = []
    for (let i = 0; i < 8; i++) {
      site.time.now += RESEND_MS
      const asked = await askForLink(browser, ADA, { callbackUrl: i < 6 ? "/early" : "/later" })
      lengths.push(asked.headers.getSetCookie().find((cookie) => cookie.startsWith(MAIL_COOKIE))?.length)
    }
    expect(lengths).toEqual(lengths.map(() => lengths[0]))
    expect(site.mail.sent).toHaveLength(5)
    const page = await enterCode(browser, site.mail.codeFor(ADA))
    expect(page.location).toBe(`${site.app.origin}/later`)
    expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
  })

  it("does not sign in a user whom callbacks.signIn refuses", async () => {
    const { browser, code } = await request({
      config: { callbacks: { signIn: ({ email }) => email?.verificationRequest === true } },
    })
    expect(errorOf(await enterCode(browser, code))).toBe("AccessDenied")
    expect(await sessionOf(browser)).toBeNull()
  })

  it("redirects to pages.verifyRequest with the error if it is wrong, and is accepted from a form on that page", async () => {
    const { site, browser, code, asked } = await request({ config: { pages: { verifyRequest: "/public" } } })
    const landed = await browser.get(asked.location, { follow: true })
    expect(new URL(landed.url || browser.url).pathname).toBe("/public")
    const refused = await post(browser, wrongCode(code))
    const page = await browser.get(refused.location)
    expect(page.location).toBe(`${site.app.origin}/public?provider=mail&type=email&error=EmailCode`)
    await post(browser, code)
    expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
  })

  it("responds with JSON to a script", async () => {
    const { site, browser, code } = await request()
    const headers = { "x-auth-return-redirect": "1", accept: "application/json" }
    const wrong = await post(browser, wrongCode(code), { headers })
    expect(await wrong.json()).toEqual({
      url: `${site.app.origin}/auth/verify-request?provider=mail&type=email&error=EmailCode`,
    })
    const right = await post(browser, code, { headers })
    expect([right.status, await right.json()]).toEqual([200, { url: site.app.origin }])
  })

  it("is not accepted in a URL", async () => {
    const { browser, code } = await request()
    for (const page of [
      await browser.get(`/auth/callback/mail?code=${code}`),
      await browser.post(`/auth/callback/mail?code=${code}`, { csrfToken: await browser.csrf() }),
    ])
      expect(errorOf(page)).toBe("Verification")
    expect(await sessionOf(browser)).toBeNull()
  })

  it("can be requested again with the same return URL and choice to stay signed in, or for another address", async () => {
    const config = { session: { remember: "ask" } } as const
    const { site, browser } = await request({ config }, { callbackUrl: "/cart", remember: "true" })
    const html = await (await browser.get("/auth/verify-request")).text()
    expect(decodeEntities(html)).toContain(`<a href="${site.app.origin}/auth/signin">Wrong address?</a>`)
    site.time.now += RESEND_MS
    await browser.submit(browser.form(html, "/auth/signin/mail"))
    expect(site.mail.sent).toHaveLength(2)
    const page = await enterCode(browser, site.mail.codeFor(ADA))
    expect(page.location).toBe(`${site.app.origin}/cart`)
    expect(sessionCookies(browser).map(({ expiresAt }) => typeof expiresAt)).toEqual(["number"])
  })

  it.each<[string, MailSiteOptions["mail"]]>([
    ["with emailCode: false", { emailCode: false }],
    ["by default with the application's own sender, which may ignore it", {}],
  ])("is off %s", async (_name, mail = {}) => {
    const site = await startMailSite(start, { mail })
    const browser = site.browser()
    await askForLink(browser, ADA)
    const [sent] = site.mail.sent
    expect(sent?.code).toBeUndefined()
    expect(sent?.mail.text).not.toContain("code")
    const html = await (await browser.get("/auth/verify-request")).text()
    expect(visibleText(html)).toContain(`A sign-in link is on its way to ${ADA}`)
    expect(html).not.toContain('name="code"')
    expect(redirectTarget(await post(browser, "CDFH-J479"))).toBe(OVER)
  })

  it("is in no response, cookie, log record or trace", async () => {
    const { site, browser, asked, code } = await request({ config: { debug: true } })
    const refused = await enterCode(browser, wrongCode(code))
    const pages = [asked, refused, await browser.get(refused.location)]
    const cookies = browser.cookies().map(({ value }) => value)
    const last = await enterCode(browser, code)
    const texts = await Promise.all(
      [...pages, last].map(async (page) => [page.location, [...page.headers].join(), await page.text()].join("\n")),
    )
    for (const form of [code, code.replace("-", "")])
      for (const text of [...texts, ...cookies, site.logText()]) expect(text).not.toContain(form)
    expect(site.logText()).toContain("the code is valid")
  })

  it("ADV-16: is masked in the log, in both spellings, if the sender's error contains it", async () => {
    const site = await startMailSite(start, {
      mail: {
        emailCode: true,
        sendVerificationRequest({ code, mail }) {
          codes.push(code ?? "")
          throw new Error(`550 ${code} / ${code?.replace("-", "")} ${mail.text}`)
        },
      },
    })
    const codes: string[] = []
    expect(errorOf(await askForLink(site.browser(), ADA))).toBe("EmailSignin")
    const [code = ""] = codes
    expect(code).toHaveLength(9)
    expect(site.logText()).toContain("550 [masked] / [masked]")
    for (const form of [code, code.replace("-", "")]) expect(site.logText()).not.toContain(form)
  })
})

describeServer("emailCode", "Auth()", (start) => {
  /** Sends the requests of a provider to a list instead of the email service. */
  function recordRequests() {
    const bodies: string[] = []
    const record: typeof fetch = async (_url, init) => {
      bodies.push(Buffer.from(init?.body as Uint8Array).toString())
      return Response.json({})
    }
    return {
      bodies,
      options: { apiKey: "key", from: "a@app.test", transactionalId: "template", [customFetch]: record },
    }
  }

  /** Returns the sent request, and whether the page has a field for the code. */
  async function requestFrom(provider: EmailConfig, bodies: readonly string[]) {
    const site = await startMailSite(start, { config: { providers: [provider] } })
    const browser = site.browser()
    await browser.post(`/auth/signin/${provider.id}`, { csrfToken: await browser.csrf(), email: ADA })
    const html = await (await browser.get("/auth/verify-request")).text()
    return { body: bodies.at(-1) ?? "", hasField: html.includes('name="code"'), isNamed: html.includes(ADA) }
  }

  const CODE = /\b[CDFHJKMNPRTVWXY3479]{4}-[CDFHJKMNPRTVWXY3479]{4}\b/

  it("is on by default for a provider of this package, and can be turned off", async () => {
    const { bodies, options } = recordRequests()
    const on = await requestFrom(Resend(options), bodies)
    expect(on).toMatchObject({ body: expect.stringMatching(CODE), hasField: true, isNamed: true })
    const off = await requestFrom(Resend({ ...options, emailCode: false }), bodies)
    expect(off).toMatchObject({ body: expect.not.stringMatching(CODE), hasField: false, isNamed: true })
  })

  it("is off by default where the application's own sender or template may not contain it", async () => {
    const { bodies, options } = recordRequests()
    const sent: (string | undefined)[] = []
    const sendVerificationRequest: EmailConfig["sendVerificationRequest"] = ({ code }) => void sent.push(code)
    expect((await requestFrom(Resend({ ...options, sendVerificationRequest }), bodies)).hasField).toBe(false)
    const on = Resend({ ...options, sendVerificationRequest, emailCode: true })
    expect((await requestFrom(on, bodies)).hasField).toBe(true)
    expect(sent).toEqual([undefined, expect.stringMatching(CODE)])
    const loops = await requestFrom(Loops(options), bodies)
    expect([loops.hasField, Object.keys(JSON.parse(loops.body).dataVariables)]).toEqual([false, ["url"]])
    const loopsWithCode = await requestFrom(Loops({ ...options, emailCode: true }), bodies)
    expect([loopsWithCode.hasField, JSON.parse(loopsWithCode.body).dataVariables.code]).toEqual([
      true,
      expect.stringMatching(CODE),
    ])
  })

  it("must be a boolean", async () => {
    const site = await startMailSite(start, { mail: { emailCode: "yes" as unknown as boolean } })
    expect((await site.browser().get("/auth/signin")).status).toBe(500)
    expect(site.logText()).toContain("providers[0].emailCode is a string. Write true or false")
  })

  it("needs a cookie of at most 4096 bytes for the longest address and return URL", async () => {
    const site = await startMailSite(start, { mail: { emailCode: true } })
    const browser = site.browser()
    const address = `${"a".repeat(64)}@${`${"b".repeat(61)}.`.repeat(3)}cd`
    await askForLink(browser, address, { callbackUrl: `/${"c".repeat(990)}` })
    const [cookie] = browser.cookies().filter(({ name }) => name === MAIL_COOKIE)
    expect((cookie?.value.length ?? 0) + MAIL_COOKIE.length).toBeLessThan(4_096)
    await enterCode(browser, site.mail.codeFor(address))
    expect(await sessionOf(browser)).toMatchObject({ user: { email: address } })
  })
})
