import { requireAuth } from "../../../lib/index.js"
import { describeServers, recordingLogger, TEST_SECRET } from "../../support/apps.js"
import type { Page } from "../../support/browser.js"
import { visibleText } from "../../support/html.js"
import { folderWith } from "../../unit/pages/samples.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, openLink, startMailSite } from "../support/mail.js"

guardProcess()

const ADA = "ada@example.com"
const SIGN_IN: Readonly<Record<string, string>> = {
  ...{ ar: "تسجيل الدخول", de: "Anmelden", en: "Sign in", es: "Iniciar sesión", fr: "Connexion" },
  ...{ hi: "साइन इन करें", it: "Accedi", ja: "ログイン", ko: "로그인", nl: "Inloggen", pl: "Logowanie" },
  ...{ pt: "Entrar", tr: "Oturum aç", zh: "登录" },
}

const acceptLanguage = (language: string) => ({ headers: { "accept-language": language, accept: "text/html" } })
const heading = (html: string) => /<h1>(.*?)<\/h1>/.exec(html)?.[1]
const readRoot = (html: string) => /<html lang="([^"]*)" dir="([^"]*)"/.exec(html)?.slice(1)

async function readPage(page: Page) {
  const html = await page.clone().text()
  const language = page.headers.get("content-language")
  return { status: page.status, heading: heading(html), root: readRoot(html), language }
}

describeServers("language of pages and emails", (start, stage) => {
  const startSite = (config: Parameters<typeof startMailSite>[1] = {}) => startMailSite(start, config)

  it("follows Accept-Language on every page", async () => {
    const site = await startSite()
    const browser = site.browser()
    for (const [tag, words] of Object.entries(SIGN_IN)) {
      const page = await browser.get("/auth/signin", acceptLanguage(`${tag}, en;q=0.5`))
      const root = [tag, tag === "ar" ? "rtl" : "ltr"]
      expect(await readPage(page)).toEqual({ status: 200, heading: words, root, language: tag })
      expect(page.headers.get("vary")).toContain("Accept-Language")
    }
    const pages = ["signout", "error", "verify-request", "error?error=AccessDenied", "signin?error=CredentialsSignin"]
    for (const path of pages) {
      const [german, english] = await Promise.all(
        ["de", "en"].map(async (tag) =>
          visibleText(await (await browser.get(`/auth/${path}`, acceptLanguage(tag))).text()),
        ),
      )
      expect(german).not.toBe(english)
      // The two translations have no sentence in common.
      const sentences = (text = "") => text.split(/[.?!] /).filter((sentence) => sentence.includes(" "))
      expect(sentences(german).filter((sentence) => sentences(english).includes(sentence))).toEqual([])
    }
  })

  it("is English for an unsupported language or an invalid header", async () => {
    const browser = (await startSite()).browser()
    const nonsense = ["sv", "*", "", ";;;,,,q=", "de;q=9", "../../../etc/passwd", "__proto__", "x".repeat(6_000)]
    for (const header of nonsense) {
      const page = await browser.get("/auth/signin", acceptLanguage(header))
      expect([header.slice(0, 20), await readPage(page)]).toEqual([
        header.slice(0, 20),
        { status: 200, heading: "Sign in", root: ["en", "ltr"], language: "en" },
      ])
    }
  })

  it("applies to error messages for unknown URLs and rejected forms", async () => {
    const browser = (await startSite()).browser()
    const unknown = await browser.get("/auth/signin/nobody", acceptLanguage("de"))
    expect(await readPage(unknown)).toMatchObject({
      status: 404,
      heading: "Diese Adresse funktioniert nicht",
      language: "de",
    })
    const refused = await browser.post("/auth/signin/mail", { email: ADA }, { ...acceptLanguage("ar"), follow: true })
    expect(await readPage(refused)).toMatchObject({ root: ["ar", "rtl"], heading: SIGN_IN["ar"] })
    expect(await refused.text()).toMatch(/role="alert">[^<]*ملفات تعريف الارتباط/)
  })

  it("applies to the page about an invalid configuration", async () => {
    const { logger } = recordingLogger()
    const app = await start({ providers: [], secret: TEST_SECRET, logger, trustHost: false }, {})
    const page = await app.browser().get("/auth/signin", acceptLanguage("fr"))
    const heading = "La connexion ne fonctionne pas pour le moment"
    expect(await readPage(page)).toMatchObject({ status: 500, heading, language: "fr" })
  })

  it("applies to the sign-in email and to the page that its link opens", async () => {
    const site = await startSite({ mail: { maxAge: 7_200 } })
    const { host } = new URL(site.app.origin)
    await askForLink(site.browser(), ADA, {}, { headers: { "accept-language": "de-AT,de;q=0.9" } })
    const [german] = site.mail.sent
    expect(german?.mail.subject).toBe(`Anmeldung bei ${host}`)
    expect(german?.mail.text).toContain("Der Link gilt einmal und nur 2 Stunden.")
    expect(german?.mail.html).toContain('<html lang="de" dir="ltr">')
    expect(german?.mail.html).toContain(">Anmelden</a>")
    expect(german?.mail.html).not.toMatch(/Sign in|minutes/)
    const elsewhere = await site.browser().get(site.mail.linkTo(ADA), acceptLanguage("ja"))
    expect(await readPage(elsewhere)).toMatchObject({ heading: "ログイン", language: "ja" })
    expect(visibleText(await elsewhere.text())).toContain(`${host} に ${ADA} としてログインしますか？`)
  })

  it("writes right-to-left emails with the host name left to right", async () => {
    const site = await startSite()
    const { host } = new URL(site.app.origin)
    await askForLink(site.browser(), ADA, {}, { headers: { "accept-language": "ar" } })
    const html = site.mail.sent[0]?.mail.html ?? ""
    expect(html).toContain('<html lang="ar" dir="rtl">')
    expect(html).toContain(
      `<strong dir="auto" style="display:inline-block">${host.replaceAll(".", "\u200B.")}</strong>`,
    )
  })

  it("is always theme.locale if that is set", async () => {
    const site = await startSite({ config: { theme: { locale: "nl" } } })
    expect(await readPage(await site.browser().get("/auth/signin", acceptLanguage("de")))).toMatchObject({
      language: "nl",
    })
    await askForLink(site.browser(), ADA, {}, { headers: { "accept-language": "de" } })
    expect(site.mail.sent[0]?.mail.subject).toMatch(/^Inloggen bij /)
  })

  it("is one of theme.locales if that is set", async () => {
    const browser = (await startSite({ config: { theme: { locales: ["fr", "de"] } } })).browser()
    const languages = await Promise.all(
      ["de", "it", "en"].map(
        async (tag) => (await readPage(await browser.get("/auth/signin", acceptLanguage(tag)))).language,
      ),
    )
    expect(languages).toEqual(["de", "fr", "fr"])
  })

  it("can be added or overridden with locale files of the application", async () => {
    const views = folderWith({
      "locales/sv.json": JSON.stringify({ "signin.heading": "Logga in <här>", "mail.signIn.subject": "Logga in" }),
      "locales/de.json": JSON.stringify({ "signin.heading": "Willkommen" }),
    })
    const site = await startSite({ config: { views } })
    const swedish = await site.browser().get("/auth/signin", acceptLanguage("sv-SE"))
    expect(await readPage(swedish)).toMatchObject({ heading: "Logga in &lt;här&gt;", language: "sv" })
    expect(await readPage(await site.browser().get("/auth/signin", acceptLanguage("de")))).toMatchObject({
      heading: "Willkommen",
    })
    await askForLink(site.browser(), ADA, {}, { headers: { "accept-language": "sv" } })
    expect(site.mail.sent[0]?.mail.subject).toBe("Logga in")
  })

  it("does not affect custom views without translations", async () => {
    const views = folderWith({
      "signout.ejs": "<h1>Bye</h1>",
      "layout.ejs": "<title><%= page.title %></title><%- include(page.view) %>",
    })
    const browser = (await startSite({ config: { views } })).browser()
    const page = await browser.get("/auth/signout", acceptLanguage("de"))
    expect(await page.text()).toBe("<title>Abmelden</title><h1>Bye</h1>")
  })

  if (stage === "Auth()") return

  it("applies to the 403 page, and keeps other Vary headers", async () => {
    const site = await startSite({
      start: {
        setup: (app) =>
          app.use((_, res, next) => {
            res.setHeader("Vary", "Origin")
            next()
          }),
        routes: (app) => app.use("/admin", requireAuth({ authorize: () => false })),
      },
    })
    const browser = site.browser()
    await askForLink(browser, ADA)
    await openLink(browser, site.mail.linkTo(ADA))
    const refused = await browser.get("/admin", acceptLanguage("pl"))
    expect(await readPage(refused)).toEqual({
      status: 403,
      heading: "Brak dostępu",
      root: ["pl", "ltr"],
      language: "pl",
    })
    const signIn = await browser.get("/auth/signin", acceptLanguage("pl"))
    for (const page of [refused, signIn]) {
      const vary = page.headers.get("vary")?.split(/, */)
      expect(vary).toEqual(expect.arrayContaining(["Origin", "Accept-Language"]))
    }
  })
})
