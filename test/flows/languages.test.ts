import { requireAuth } from "../../lib/index.js"
import { describeServers, recordingLogger, TEST_SECRET } from "../support/apps.js"
import type { Page } from "../support/browser.js"
import { visibleText } from "../support/html.js"
import { folderWith } from "../unit/pages/samples.js"
import { guardProcess } from "./support/guard.js"
import { askForLink, openLink, startMailSite } from "./support/mail.js"

guardProcess()

const ADA = "ada@example.com"
const SIGN_IN: Readonly<Record<string, string>> = {
  ...{ ar: "تسجيل الدخول", de: "Anmelden", en: "Sign in", es: "Iniciar sesión", fr: "Connexion" },
  ...{ hi: "साइन इन करें", it: "Accedi", ja: "ログイン", ko: "로그인", nl: "Inloggen", pl: "Logowanie" },
  ...{ pt: "Entrar", tr: "Oturum aç", zh: "登录" },
}

const reads = (language: string) => ({ headers: { "accept-language": language, accept: "text/html" } })
const heading = (html: string) => /<h1>(.*?)<\/h1>/.exec(html)?.[1]
const rootOf = (html: string) => /<html lang="([^"]*)" dir="([^"]*)"/.exec(html)?.slice(1)

async function facts(page: Page) {
  const html = await page.clone().text()
  const language = page.headers.get("content-language")
  return { status: page.status, heading: heading(html), root: rootOf(html), language }
}

describeServers("The language of pages and mails", (start, stage) => {
  const startSite = (config: Parameters<typeof startMailSite>[1] = {}) => startMailSite(start, config)

  it("is the one that the browser asks for, on every page", async () => {
    const site = await startSite()
    const browser = site.browser()
    for (const [tag, words] of Object.entries(SIGN_IN)) {
      const page = await browser.get("/auth/signin", reads(`${tag}, en;q=0.5`))
      const root = [tag, tag === "ar" ? "rtl" : "ltr"]
      expect(await facts(page)).toEqual({ status: 200, heading: words, root, language: tag })
      expect(page.headers.get("vary")).toContain("Accept-Language")
    }
    const pages = ["signout", "error", "verify-request", "error?error=AccessDenied", "signin?error=CredentialsSignin"]
    for (const path of pages) {
      const [german, english] = await Promise.all(
        ["de", "en"].map(async (tag) => visibleText(await (await browser.get(`/auth/${path}`, reads(tag))).text())),
      )
      expect(german).not.toBe(english)
      // Of one page's words no sentence is the other's.
      const sentences = (text = "") => text.split(/[.?!] /).filter((sentence) => sentence.includes(" "))
      expect(sentences(german).filter((sentence) => sentences(english).includes(sentence))).toEqual([])
    }
  })

  it("is English for whoever asks for none that there is, or sends nonsense", async () => {
    const browser = (await startSite()).browser()
    const nonsense = ["sv", "*", "", ";;;,,,q=", "de;q=9", "../../../etc/passwd", "__proto__", "x".repeat(6_000)]
    for (const header of nonsense) {
      const page = await browser.get("/auth/signin", reads(header))
      expect([header.slice(0, 20), await facts(page)]).toEqual([
        header.slice(0, 20),
        { status: 200, heading: "Sign in", root: ["en", "ltr"], language: "en" },
      ])
    }
  })

  it("says what went wrong, too: at wrong addresses, and where a form is refused", async () => {
    const browser = (await startSite()).browser()
    const lost = await browser.get("/auth/signin/nobody", reads("de"))
    expect(await facts(lost)).toMatchObject({
      status: 404,
      heading: "Diese Adresse funktioniert nicht",
      language: "de",
    })
    const refused = await browser.post("/auth/signin/mail", { email: ADA }, { ...reads("ar"), follow: true })
    expect(await facts(refused)).toMatchObject({ root: ["ar", "rtl"], heading: SIGN_IN["ar"] })
    expect(await refused.text()).toMatch(/role="alert">[^<]*ملفات تعريف الارتباط/)
  })

  it("says what is wrong with the site itself", async () => {
    const { logger } = recordingLogger()
    const app = await start({ providers: [], secret: TEST_SECRET, logger, trustHost: false }, {})
    const page = await app.browser().get("/auth/signin", reads("fr"))
    const heading = "La connexion ne fonctionne pas pour le moment"
    expect(await facts(page)).toMatchObject({ status: 500, heading, language: "fr" })
  })

  it("is that of the mail for whoever asks for the link, and of the page that it opens", async () => {
    const site = await startSite({ mail: { maxAge: 7_200 } })
    const { host } = new URL(site.app.origin)
    await askForLink(site.browser(), ADA, {}, { headers: { "accept-language": "de-AT,de;q=0.9" } })
    const [german] = site.mail.sent
    expect(german?.mail.subject).toBe(`Anmeldung bei ${host}`)
    expect(german?.mail.text).toContain("Der Link gilt einmal und nur 2 Stunden.")
    expect(german?.mail.html).toContain('<html lang="de" dir="ltr">')
    expect(german?.mail.html).toContain(">Anmelden</a>")
    expect(german?.mail.html).not.toMatch(/Sign in|minutes/)
    const elsewhere = await site.browser().get(site.mail.linkTo(ADA), reads("ja"))
    expect(await facts(elsewhere)).toMatchObject({ heading: "ログイン", language: "ja" })
    expect(visibleText(await elsewhere.text())).toContain(`${host} に ${ADA} としてログインしますか？`)
  })

  it("has mails from right to left, with the site's name as it is", async () => {
    const site = await startSite()
    const { host } = new URL(site.app.origin)
    await askForLink(site.browser(), ADA, {}, { headers: { "accept-language": "ar" } })
    const html = site.mail.sent[0]?.mail.html ?? ""
    expect(html).toContain('<html lang="ar" dir="rtl">')
    expect(html).toContain(`<strong dir="ltr" style="display:inline-block">${host.replaceAll(".", "\u200B.")}</strong>`)
  })

  it("is the one that the theme names, whatever browsers ask for", async () => {
    const site = await startSite({ config: { theme: { locale: "nl" } } })
    expect(await facts(await site.browser().get("/auth/signin", reads("de")))).toMatchObject({ language: "nl" })
    await askForLink(site.browser(), ADA, {}, { headers: { "accept-language": "de" } })
    expect(site.mail.sent[0]?.mail.subject).toMatch(/^Inloggen bij /)
  })

  it("is one of those that the theme names", async () => {
    const browser = (await startSite({ config: { theme: { locales: ["fr", "de"] } } })).browser()
    const languages = await Promise.all(
      ["de", "it", "en"].map(async (tag) => (await facts(await browser.get("/auth/signin", reads(tag)))).language),
    )
    expect(languages).toEqual(["de", "fr", "fr"])
  })

  it("may be one that the application brings, and says what the application says", async () => {
    const views = folderWith({
      "locales/sv.json": JSON.stringify({ "signin.heading": "Logga in <här>", "mail.signIn.subject": "Logga in" }),
      "locales/de.json": JSON.stringify({ "signin.heading": "Willkommen" }),
    })
    const site = await startSite({ config: { views } })
    const swedish = await site.browser().get("/auth/signin", reads("sv-SE"))
    expect(await facts(swedish)).toMatchObject({ heading: "Logga in &lt;här&gt;", language: "sv" })
    expect(await facts(await site.browser().get("/auth/signin", reads("de")))).toMatchObject({ heading: "Willkommen" })
    await askForLink(site.browser(), ADA, {}, { headers: { "accept-language": "sv" } })
    expect(site.mail.sent[0]?.mail.subject).toBe("Logga in")
  })

  it("leaves views that know of none as they are", async () => {
    const views = folderWith({
      "signout.ejs": "<h1>Bye</h1>",
      "layout.ejs": "<title><%= page.title %></title><%- include(page.view) %>",
    })
    const browser = (await startSite({ config: { views } })).browser()
    const page = await browser.get("/auth/signout", reads("de"))
    expect(await page.text()).toBe("<title>Abmelden</title><h1>Bye</h1>")
  })

  if (stage === "Auth()") return

  it("is that of the page which refuses somebody, beside what others say the answer varies by", async () => {
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
    const refused = await browser.get("/admin", reads("pl"))
    expect(await facts(refused)).toEqual({ status: 403, heading: "Brak dostępu", root: ["pl", "ltr"], language: "pl" })
    const signIn = await browser.get("/auth/signin", reads("pl"))
    for (const page of [refused, signIn]) {
      const vary = page.headers.get("vary")?.split(/, */)
      expect(vary).toEqual(expect.arrayContaining(["Origin", "Accept-Language"]))
    }
  })
})
