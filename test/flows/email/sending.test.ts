import { setTimeout as pause } from "node:timers/promises"
import type { EmailConfig } from "../../../lib/provider-kit/provider.js"
import { describeServer, describeServers, TEST_SECRET } from "../../support/apps.js"
import { until } from "../../support/wait.js"
import { folderWith } from "../../unit/pages/samples.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, errorOf, type MailSite, openLink, type Sent, startMailSite } from "../support/mail.js"
import { param, sessionOf, withParams } from "../support/site.js"

guardProcess()

const ADA = "ada@example.com"
const fail = (): never => {
  throw new Error("S3CRET!")
}
const refusal = () => new Error("550 mailbox unavailable")
type Sender = EmailConfig["sendVerificationRequest"]

/** Expects the log to contain no secret. */
const expectNoSecretLogged = (site: MailSite, tokens: readonly string[]) => {
  for (const secret of [TEST_SECRET, ...tokens]) expect(site.logText()).not.toContain(secret)
}

/** Expects one log record about an email that was not sent. */
function expectOneRecord(site: MailSite, message: string): void {
  expect(site.failures()).toMatchObject([{ level: "error", code: "EmailSendError" }])
  const [{ error } = {}] = site.failures()
  expect([error?.message, Object(error?.cause).provider]).toEqual([message, "mail"])
}

describeServers("An email that cannot be sent", (start) => {
  const tokens: string[] = []
  const sender =
    (send: Sender): Sender =>
    (params) => {
      tokens.push(params.token)
      return send(params)
    }

  it.each<[string, Sender]>([
    [
      "throws at once",
      () => {
        throw refusal()
      },
    ],
    ["rejects at once", () => Promise.reject(refusal())],
    [
      "rejects in an async function",
      async () => {
        throw refusal()
      },
    ],
    [
      "rejects later",
      async () => {
        await pause(30)
        throw refusal()
      },
    ],
    ["rejects with an object that is not an error", () => Promise.reject({ code: 550 })],
  ])("EML-15: leaves no link, and redirects to the sign-in page if the sender %s", async (_name, send) => {
    const site = await startMailSite(start, { mail: { sendVerificationRequest: sender(send) } })
    const browser = site.browser()
    const page = await askForLink(browser, "Ada@Example.com", { callbackUrl: "/cart" })
    expect(page.status).toBe(302)
    const { origin, pathname, searchParams } = new URL(page.location)
    expect([origin, pathname]).toEqual([site.app.origin, "/auth/signin"])
    expect([...searchParams]).toEqual([
      ["error", "EmailSignin"],
      ["callbackUrl", `${site.app.origin}/cart`],
    ])
    expect(site.store.links).toEqual([])
    expectOneRecord(site, "the sign-in email could not be sent")
    expectNoSecretLogged(site, tokens)
    // The form contains the address again, and the page explains the error.
    const html = await (await browser.get(page.location)).text()
    expect(html).toContain("We couldn&#39;t send the email.")
    expect(browser.form(html, "/signin/mail").fields["email"]).toBe("Ada@Example.com")
  })

  it("EML-17: is not passed to the sender if the link could not be stored", async () => {
    const site = await startMailSite(start, {
      over: () => ({ createVerificationToken: () => Promise.reject(new Error("the store is down")) }),
    })
    const browser = site.browser()
    const page = await askForLink(browser, ADA)
    expect([page.status, errorOf(page), site.mail.sent]).toEqual([302, "Configuration", []])
    expect(site.failures()).toMatchObject([{ level: "error", code: "AdapterError" }])
    expect(browser.cookie("authjs.state.mail")).toBeUndefined()
  })

  it("EML-16: leads to an error response after sendTimeout, and the link works if the email arrives later", async () => {
    const mails: Parameters<Sender>[0][] = []
    const site = await startMailSite(start, {
      mail: { sendTimeout: 0.2, sendVerificationRequest: (mail) => new Promise(() => mails.push(mail)) },
    })
    const browser = site.browser()
    const startedAt = performance.now()
    const page = await askForLink(browser, ADA)
    expect(performance.now() - startedAt).toBeLessThan(2_000)
    expect(errorOf(page)).toBe("EmailSignin")
    expectOneRecord(site, "the sign-in email was not sent within 0.2 s")
    const [mail] = mails
    expectNoSecretLogged(site, [mail?.token ?? ""])
    expect(mail?.signal.aborted).toBe(true)
    await openLink(site.browser(), mail?.url ?? "")
    expect([site.store.users.size, site.store.sessions.size, site.store.links]).toEqual([1, 1, []])
  })
})

describeServer("EML-16: a slow mail server", "Express 5", (start) => {
  it("delays the response by less than ten seconds, and other requests are served meanwhile", async () => {
    const site = await startMailSite(start, { mail: { sendVerificationRequest: () => new Promise(() => {}) } })
    const [waiting, other] = [site.browser(), site.browser()]
    const startedAt = performance.now()
    const page = askForLink(waiting, ADA)
    expect((await other.get("/public")).status).toBe(200)
    expect(performance.now() - startedAt).toBeLessThan(2_000)
    expect(errorOf(await page)).toBe("EmailSignin")
    expect(performance.now() - startedAt).toBeGreaterThan(7_900)
    expect(performance.now() - startedAt).toBeLessThan(10_000)
    expectOneRecord(site, "the sign-in email was not sent within 8 s")
  }, 30_000)
})

describeServer("Sending an email", "Auth()", (start) => {
  it("logs one failure after sendTimeout, regardless of what the sender does later, and keeps the link", async () => {
    const endings: { resolve(): void; reject(reason: unknown): void }[] = []
    const site = await startMailSite(start, {
      mail: {
        sendTimeout: 0.05,
        sendVerificationRequest: () => new Promise<void>((resolve, reject) => void endings.push({ resolve, reject })),
      },
    })
    for (const address of [ADA, "bob@example.com"])
      expect(errorOf(await askForLink(site.browser(), address))).toBe("EmailSignin")
    const [one, two] = endings
    one?.resolve()
    two?.reject(refusal())
    await pause(20)
    expect(site.failures()).toHaveLength(2)
    // The mail server may have accepted the email: a link without an email does no harm, an email without a link does.
    expect(site.store.links).toHaveLength(2)
  })

  it("keeps the link if the sender rejects when its signal is aborted, because the email may arrive", async () => {
    const site = await startMailSite(start, {
      mail: {
        sendTimeout: 0.05,
        sendVerificationRequest: ({ signal }) =>
          new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted")))),
      },
    })
    expect(errorOf(await askForLink(site.browser(), ADA))).toBe("EmailSignin")
    await pause(20)
    expect(site.store.links).toHaveLength(1)
    expectOneRecord(site, "the sign-in email was not sent within 0.05 s")
  })

  it("stores the link before it calls the sender", async () => {
    const order: string[] = []
    const site: MailSite = await startMailSite(start, {
      mail: { sendVerificationRequest: () => void order.push(`sent, ${site.store.links.length} stored`) },
      over: ({ createVerificationToken, deleteVerificationTokens }) => ({
        async deleteVerificationTokens(identifier) {
          await pause(10)
          order.push("old ones deleted")
          return deleteVerificationTokens?.(identifier)
        },
        async createVerificationToken(link) {
          await pause(10)
          order.push("stored")
          return createVerificationToken?.(link)
        },
      }),
    })
    await askForLink(site.browser(), ADA)
    expect(order).toEqual(["old ones deleted", "stored", "sent, 1 stored"])
  })

  it("passes the parameters of Auth.js, the rendered email and a signal to the sender", async () => {
    const site = await startMailSite(start, {
      mail: { from: "a@x.test", options: { from: "b@x.test", apiKey: "key" } },
      config: { theme: { brandColor: "#123456" } },
    })
    const browser = site.browser({ headers: { "accept-language": "de" } })
    await askForLink(browser, "Ada@Example.com", { callbackUrl: "/cart" })
    const [sent] = site.mail.sent
    expect(Object.keys(sent ?? {}).sort()).toEqual([
      "code",
      "expires",
      "identifier",
      "mail",
      "provider",
      "request",
      "signal",
      "theme",
      "token",
      "url",
    ])
    expect(sent).toMatchObject({
      identifier: ADA,
      theme: { brandColor: "#123456" },
      provider: { id: "mail", type: "email", from: "b@x.test", apiKey: "key" },
      mail: { subject: "Anmeldung bei app.test", text: expect.stringContaining(sent?.url ?? "-") },
    })
    expect(sent?.signal.aborted).toBe(false)
    expect(sent?.request.headers.get("accept-language")).toBe("de")
    const body = new URLSearchParams(await sent?.request.text())
    expect([body.get("email"), body.get("callbackUrl")]).toEqual(["Ada@Example.com", "/cart"])
  })

  it("ADV-05: puts no text of the requester into the email except in the link", async () => {
    const site = await startMailSite(start)
    await askForLink(site.browser(), "o'brien&co+x@example.com")
    const { mail, url } = site.mail.sent[0] ?? { mail: undefined, url: "" }
    const escaped = url.replaceAll("&", "&amp;")
    for (const part of [mail?.subject, mail?.text.replaceAll(url, ""), mail?.html.replaceAll(escaped, "")])
      expect(part).not.toMatch(/brien|example\.com/)
    expect(mail?.html).toContain(`href="${escaped}"`)
  })

  it.each([0.001, 0.0333, 2.01, 1.001])("accepts a sendTimeout of %d seconds", async (sendTimeout) => {
    const site = await startMailSite(start, { mail: { sendTimeout } })
    const browser = site.browser()
    await askForLink(browser, ADA)
    await browser.get(site.mail.linkTo(ADA))
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it("includes the time for storing the link in sendTimeout", async () => {
    const site = await startMailSite(start, {
      mail: { sendTimeout: 0.05 },
      over: ({ createVerificationToken }) => ({
        async createVerificationToken(link) {
          await pause(100)
          return createVerificationToken?.(link)
        },
      }),
    })
    expect(errorOf(await askForLink(site.browser(), ADA))).toBe("EmailSignin")
    expect(site.store.links).toHaveLength(1)
  })

  it("does not apply sendTimeout to the opening of the link", async () => {
    let isSlow = false
    const site = await startMailSite(start, {
      mail: { sendTimeout: 0.05 },
      over: ({ getUserByEmail }) => ({
        async getUserByEmail(email) {
          if (isSlow) await pause(900)
          return getUserByEmail?.(email) ?? null
        },
      }),
    })
    const browser = site.browser()
    await askForLink(browser, ADA)
    isSlow = true
    expect((await browser.get(site.mail.linkTo(ADA))).location).toBe("http://app.test/")
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it("accepts a maxAge with fractions of a second", async () => {
    const site = await startMailSite(start, { mail: { maxAge: 90.5 } })
    const browser = site.browser()
    await askForLink(browser, ADA)
    await browser.get(site.mail.linkTo(ADA))
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it.each([
    ["sendTimeout", 0],
    ["sendTimeout", -1],
    ["sendTimeout", Number.NaN],
    ["sendTimeout", Number.POSITIVE_INFINITY],
    ["sendTimeout", "8"],
    ["sendTimeout", 8_000],
    ["maxAge", 0],
    ["maxAge", Number.POSITIVE_INFINITY],
    ["maxAge", "1d"],
    ["maxAge", null],
  ])("rejects a configuration with a %s of %j", async (name, value) => {
    const site = await startMailSite(start, { mail: { [name]: value } })
    const page = await site.browser().get("/auth/csrf")
    expect(page.status).toBe(500)
    const most = name === "maxAge" ? 315_360_000 : 600
    expect(site.logText()).toContain(`providers[0].${name} is ${value}. Write seconds above 0, and at most ${most}`)
  })

  it("logs the failed deletion of the link and the failed email", async () => {
    const site = await startMailSite(start, {
      mail: { sendVerificationRequest: () => Promise.reject(refusal()) },
      over: () => ({ useVerificationToken: () => Promise.reject(new Error("the store is down")) }),
    })
    expect(errorOf(await askForLink(site.browser(), ADA))).toBe("EmailSignin")
    expect(site.failures().map(({ code }) => code)).toEqual(["AdapterError", "EmailSendError"])
  })

  it.each<[string, (mail: Sent) => unknown]>([
    ["its message", ({ url, token }) => new Error(`could not send ${url}, ${encodeURIComponent(url)} (${token})`)],
    [
      "its properties",
      ({ mail, token }) => Object.assign(new Error("422"), { config: { data: JSON.stringify(mail) }, token }),
    ],
    ["its cause", ({ mail }) => new Error("422", { cause: new Error(mail.text) })],
    ["its stack", ({ url }) => Object.assign(new Error("422"), { stack: `Error: 422\n    at ${url}\n    at x (y)` })],
    ["its name", ({ token }) => Object.assign(new Error("422"), { name: token })],
    ["a string that is thrown", ({ url }) => url],
    [
      "a message that is an object",
      ({ url, token, mail }) => Object.assign(new Error(), { message: { url, tokens: [token], mail } }),
    ],
  ])("does not log the link if the sender's error contains it in %s", async (_name, errorWith) => {
    const tokens: string[] = []
    const site = await startMailSite(start, {
      mail: {
        sendVerificationRequest(mail) {
          tokens.push(mail.token)
          throw errorWith(mail)
        },
      },
    })
    await askForLink(site.browser(), ADA)
    expectOneRecord(site, "the sign-in email could not be sent")
    expectNoSecretLogged(site, tokens)
    expect(Object(site.failures()[0]?.error?.cause).err.stack).toMatch(/\n\s+at /)
  })

  it("logs the message of the sender's error", async () => {
    const site = await startMailSite(start, {
      mail: {
        sendVerificationRequest() {
          throw new TypeError("535 authentication failed")
        },
      },
    })
    await askForLink(site.browser(), ADA)
    expect(String(Object(site.failures()[0]?.error?.cause).err)).toBe("TypeError: 535 authentication failed")
  })

  const throwingError = Object.defineProperty(new Error(), "message", {
    get() {
      throw new Error("S3CRET!")
    },
  })

  it.each<[string, object, string]>([
    [
      "an object as its message",
      { message: { code: 5, why: "no such mailbox", more: { a: 1 } } },
      "Error: { code: 5, why: 'no such mailbox', more: [Object] }",
    ],
    ["a list as its message", { message: ["no such mailbox", 5] }, "Error: [ 'no such mailbox', 5 ]"],
    ["a number as its message", { message: 550 }, "Error: 550"],
    ["no message", { message: undefined }, "Error"],
    ["null as its message", { message: null }, "Error: null"],
    ["an object as its name", { name: { of: 7 }, message: "x" }, "{ of: 7 }: x"],
    ["no name", { name: undefined, message: "x" }, "Error: x"],
    ["a list as its stack", { stack: [{ line: 5 }], message: "x" }, "Error: x"],
  ])("logs the available details if the sender's error has %s", async (_name, members, logged) => {
    const site = await startMailSite(start, {
      mail: { sendVerificationRequest: () => Promise.reject(Object.assign(new Error("x"), members)) },
    })
    expect(errorOf(await askForLink(site.browser(), ADA))).toBe("EmailSignin")
    expectOneRecord(site, "the sign-in email could not be sent")
    expect(String(Object(site.failures()[0]?.error?.cause).err)).toBe(logged)
    expect(site.store.links).toEqual([])
  })

  it.each<[string, unknown]>([
    ["throws when it is read", throwingError],
    [
      "is a proxy whose traps throw",
      new Proxy(new Error("S3CRET!"), { get: () => fail(), getPrototypeOf: () => fail() }),
    ],
  ])("logs a failure if the sender's error %s", async (_name, thrown) => {
    const site = await startMailSite(start, { mail: { sendVerificationRequest: () => Promise.reject(thrown) } })
    expect(errorOf(await askForLink(site.browser(), ADA))).toBe("EmailSignin")
    expectOneRecord(site, "the sign-in email could not be sent")
    expect(String(Object(site.failures()[0]?.error?.cause).err)).toMatch(/can't be (read|looked at|inspected)/)
    expect(site.logText()).not.toContain("S3CRET!")
  })

  it("works at the next attempt after a failure", async () => {
    let isDown = true
    const site: MailSite = await startMailSite(start, {
      mail: {
        sendVerificationRequest(params) {
          if (isDown) throw refusal()
          site.mail.sent.push(params)
        },
      },
    })
    const browser = site.browser()
    await askForLink(browser, ADA)
    isDown = false
    await askForLink(browser, ADA)
    await browser.get(site.mail.linkTo(ADA))
    expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
  })

  it("reports a configuration error and stores no link if a custom template fails", async () => {
    const views = folderWith({ "mail/sign-in.text.ejs": "<%= page.nothing.there %>" })
    const site = await startMailSite(start, { config: { views } })
    expect(errorOf(await askForLink(site.browser(), ADA))).toBe("Configuration")
    expect([site.mail.sent, site.store.links]).toEqual([[], []])
    expect(site.failures()).toMatchObject([{ level: "error" }])
    expect(site.logText()).toContain("mail/sign-in.text.ejs")
  })

  it("responds with JSON to a client that requests it", async () => {
    const site = await startMailSite(start)
    const script = { headers: { "x-auth-return-redirect": "1", accept: "*/*" } }
    const page = await askForLink(site.browser(), ADA, {}, script)
    expect([page.status, await page.json()]).toEqual([
      200,
      { url: "http://app.test/auth/verify-request?provider=mail&type=email" },
    ])
    const refused = await askForLink(site.browser(), "no address", {}, script)
    expect(await refused.json()).toEqual({ url: "http://app.test/auth/signin?error=EmailSignInError" })
  })

  it("uses the provider's id in every URL", async () => {
    const site = await startMailSite(start, { mail: { id: "post.office~1" } })
    const browser = site.browser()
    const csrfToken = await browser.csrf()
    const page = await browser.post("/auth/signin/post.office~1", { csrfToken, email: ADA })
    expect(page.location).toBe("http://app.test/auth/verify-request?provider=post.office~1&type=email")
    expect(site.mail.linkTo(ADA)).toContain("http://app.test/auth/callback/post.office~1?")
    await until(() => site.store.links.length === 1)
    expect((await openLink(site.browser(), withParams(site.mail.linkTo(ADA), {}))).location).toBe("http://app.test/")
    expect(param(page.location, "type")).toBe("email")
  })
})
