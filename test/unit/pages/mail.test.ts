import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { createEmails, type SignInMailFacts } from "../../../lib/pages/mail.js"
import type { Theme } from "../../../lib/types.js"
import { fc } from "../../support/properties.js"
import { english, folderWith } from "./samples.js"

const URL_TEXT = "https://app.example.com/auth/callback/resend?callbackUrl=%2F&token=abc&email=ada%2B1%40example.com"

const facts = (more: Partial<SignInMailFacts> = {}): SignInMailFacts => ({
  url: URL_TEXT,
  host: "app.example.com",
  expires: new Date(86_400_000),
  maxAgeSeconds: 86_400,
  code: "CDFH-J479",
  codeMaxAgeSeconds: 600,
  ...more,
})

const write = (more: Partial<SignInMailFacts> = {}, theme: Theme = {}) =>
  createEmails({ theme }).signIn(facts(more), english)

/** Returns the visible text of an HTML email. */
const visible = (html: string) =>
  html
    .replace(/<head>[\s\S]*<\/head>/, "")
    .replace(/<[^>]*>/g, " ")
    .replaceAll("&#39;", "'")
    .replace(/\s+/g, " ")

describe("createEmails().signIn", () => {
  it("names the site, the lifetime of the link and what to do if it was not requested, in text and HTML", () => {
    const { text, html } = write()
    for (const part of [text.replace(/\s+/g, " "), visible(html)]) {
      expect(part).toMatch(/asked to sign in to app\u200B?\.example\u200B?\.com with this email address/)
      expect(part).toContain("The link works once, for 24 hours.")
      expect(part).toContain("If you didn't ask for this, you can ignore this email.")
    }
  })

  it("names the host in the subject", () => {
    expect(write().subject).toBe("Sign in to app.example.com")
    expect(write({ host: "bücher.example:8443" }).subject).toBe("Sign in to bücher.example:8443")
  })

  it("contains the site's name instead of the host if the theme has one", () => {
    const { subject, text, html } = write({}, { siteName: "Acme & Sons" })
    expect(subject).toBe("Sign in to Acme & Sons")
    expect(text).toContain("asked to sign in to Acme & Sons with")
    expect(html).toContain(">Acme &amp; Sons</strong>")
    expect(visible(html)).not.toMatch(/to app\u200B?\.example/)
  })

  it("begins with a hidden preheader, which inboxes show after the subject", () => {
    expect(write().html).toMatch(
      /<body[^>]*>\s*<div style="display:none[^>]*>Your sign-in link is ready\. It works for 24/,
    )
  })

  it("contains the link in the text on a line of its own", () => {
    expect(write().text.split("\n")).toContain(URL_TEXT)
  })

  it("contains the link in the HTML as a button and as text", () => {
    const { html } = write()
    const escaped = URL_TEXT.replaceAll("&", "&amp;")
    expect([...html.matchAll(/<a href="([^"]*)"[^>]*>([^<]*)</g)].map(([, ...rest]) => rest)).toEqual([
      [escaped, "Sign in"],
      [escaped, escaped],
    ])
  })

  it("contains the code after the link, on a line of its own, with its lifetime", () => {
    const { subject, text, html } = write({ codeMaxAgeSeconds: 120 })
    expect(subject).not.toContain("CDFH")
    expect(text.split("\n")).toContain("CDFH-J479")
    for (const part of [text.replace(/\s+/g, " "), visible(html)]) {
      expect(part).toMatch(/It works for 2 minutes\. Never give it to anyone: CDFH-J479 /)
      expect(part.indexOf("Sign in")).toBeLessThan(part.indexOf("CDFH-J479"))
    }
    expect(text.indexOf(URL_TEXT)).toBeLessThan(text.indexOf("CDFH-J479"))
  })

  it("does not mention a code if there is none", () => {
    const { text, html } = write({ code: undefined })
    for (const part of [text, visible(html)]) expect(part).not.toMatch(/code|undefined/)
    expect(text).not.toMatch(/\n{3}/)
  })

  it("contains no host name that email programs would turn into a link", () => {
    const { html } = write({ url: "https://127.0.0.1/" })
    expect(html).toContain("app\u200B.example\u200B.com")
    expect(html).not.toContain("app.example.com")
  })

  it("loads nothing and contains no other URL", () => {
    const { html } = write({ url: "LINK" })
    expect(html).not.toMatch(/https?:|\bsrc=|url\(|<link|<img|@import/i)
  })

  it("keeps to the HTML that email programs share: tables, inline styles and no script", () => {
    const { html } = write()
    expect(html).toMatch(/^<!doctype html>\s*<html[^>]*>\s*<head>\s*<meta charset="utf-8">/)
    const tags = new Set([...html.matchAll(/<([a-z]\w*)/g)].map(([, tag]) => tag))
    const known = ["html", "head", "meta", "title", "body", "div", "main", "table", "tr", "td", "h1", "p", "a"]
    expect([...tags].filter((tag) => ![...known, "strong", "span"].includes(tag ?? ""))).toEqual([])
    const tables = html.match(/<table[^>]*>/g) ?? []
    expect(tables.filter((tag) => !tag.includes('role="presentation" '))).toEqual([])
    // Some programs remove the style sheet, and some the rules of newer layouts.
    expect(html).not.toMatch(/\sclass=|position:|float:|display:(?:flex|grid)|var\(|calc\(/)
    // Gmail clips an email of more than 102 kB.
    expect(Buffer.byteLength(html)).toBeLessThan(20_000)
  })

  it("follows the colour scheme of the email program, or that of the theme", () => {
    const meta = (colorScheme?: Theme["colorScheme"]) =>
      /<meta name="color-scheme" content="([^"]*)">/.exec(write({}, colorScheme ? { colorScheme } : {}).html)?.[1]
    expect([meta(), meta("auto"), meta("light"), meta("dark")]).toEqual(["light dark", "light dark", "light", "dark"])
  })

  it.each([
    [1, "1 second"],
    [90, "90 seconds"],
    [600, "10 minutes"],
    [3_600, "60 minutes"],
    [7_199, "119 minutes"],
    [10_800, "3 hours"],
    [86_400, "24 hours"],
    [604_800, "7 days"],
  ])('for %i seconds writes "%s"', (maxAgeSeconds, words) => {
    const { text, html } = write({ maxAgeSeconds })
    expect(text).toContain(`for ${words}.`)
    expect(html).toContain(`for ${words}.`)
  })
})

describe("ADV-05: the email address of the recipient", () => {
  it("appears only in the link, encoded", () => {
    const { subject, text, html } = write()
    for (const part of [subject, text, html]) expect(part).not.toMatch(/ada(?:\+1)?@/)
  })
})

describe("the button of the email", () => {
  const DEFAULT = "#346df1"

  /** Returns the effective background and text colour, which are the last ones of their kind. */
  function colorsOf(theme: Theme) {
    const style = /<a href="[^"]*" style="([^"]*)">Sign in</.exec(write({}, theme).html)?.[1] ?? ""
    const last = (name: string) =>
      style
        .split(";")
        .filter((text) => text.startsWith(`${name}:`))
        .at(-1)
        ?.split(":")[1]
    return [last("background-color"), last("color")]
  }

  it.each<[Theme, string, string]>([
    [{}, DEFAULT, "#fff"],
    [{ brandColor: "#0a0a0a" }, "#0a0a0a", "#fff"],
    [{ brandColor: "#ffd700" }, "#ffd700", "#000"],
    [{ brandColor: "#ffd700", buttonText: "#333" }, "#ffd700", "#333333"],
    [{ brandColor: "rgb(10 20 30 / 50%)" }, "#858a8f", "#000"],
    [{ brandColor: "rebeccapurple", buttonText: "ivory" }, "rebeccapurple", "ivory"],
    [{ brandColor: "oklch(45% 0.2 260)" }, "oklch(45% 0.2 260)", "#fff"],
    [{ buttonText: "#eee" }, DEFAULT, "#eeeeee"],
    [{ brandColor: "url(//evil.test)", buttonText: "red;display:none" }, DEFAULT, "#fff"],
    [{ brandColor: '"><script>', buttonText: "" }, DEFAULT, "#fff"],
  ])("for the theme %j has the background %s and the text %s", (theme, background, text) => {
    expect(colorsOf(theme)).toEqual([background, text])
  })

  it("keeps a fallback colour for programs that don't know the colour", () => {
    expect(write({}, { brandColor: "oklch(45% 0.2 260)" }).html).toContain(
      "color:#fff;color:#fff;background-color:#346df1;background-color:oklch(45% 0.2 260)",
    )
  })
})

describe("createEmails().signIn with random texts", () => {
  const anyText = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom(..."<>&\"'`=/\r\n\0\t\u2028\u0085\u202E. a%-") }),
    fc.constantFrom("\r\nBcc: victim@example.com", "<script>alert(1)</script>", '" onload="alert(1)', "<%= 1 %>"),
  )
  const anyMail = fc.record({ host: anyText, url: anyText, brandColor: anyText, buttonText: anyText })
  const mailFor = ({ host, url, ...theme }: { host: string; url: string } & Theme) => write({ host, url }, theme)
  const count = (text: string, what: RegExp) => text.match(what)?.length ?? 0
  const plain = mailFor({ host: "h", url: "u" })

  it("EML-08: creates a subject of one line", () => {
    fc.assert(
      fc.property(anyMail, (given) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for them
        expect(mailFor(given).subject).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u2028\u2029]/)
      }),
    )
  })

  it("creates a text with the same number of lines", () => {
    fc.assert(
      fc.property(anyMail, (given) => {
        const { text } = mailFor(given)
        expect(text.split("\n")).toHaveLength(plain.text.split("\n").length)
        expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u)
      }),
    )
  })

  it("creates HTML with the same tags and attributes", () => {
    fc.assert(
      fc.property(anyMail, (given) => {
        const { html } = mailFor(given)
        for (const mark of [/</g, />/g, /"/g, /'/g]) expect(count(html, mark)).toBe(count(plain.html, mark))
        expect(html).not.toMatch(/&(?!(?:amp|lt|gt|#34|#39|quot);)/)
      }),
    )
  })

  it("creates styles with the same declarations", () => {
    const stylesOf = (html: string) =>
      [...html.matchAll(/style="([^"]*)"/g)].map(([, style = ""]) => style.split(/[;{}]/))
    fc.assert(
      fc.property(anyMail, (given) => {
        expect(stylesOf(mailFor(given).html).map((parts) => parts.length)).toEqual(
          stylesOf(plain.html).map((parts) => parts.length),
        )
      }),
    )
  })
})

describe("createEmails with the application's templates", () => {
  const withViews = (files: Record<string, string>) =>
    createEmails({ views: folderWith(files) }).signIn(facts(), english)
  const builtIn = write()

  it.each([
    ["subject", "subject"],
    ["text", "text"],
    ["html", "html"],
  ] as const)("replaces only the %s", (part, kind) => {
    const mail = withViews({ [`mail/sign-in.${kind}.ejs`]: "Your link to <%= page.host %>" })
    expect(mail).toEqual({ ...builtIn, [part]: "Your link to app.example.com" })
  })

  it("escapes values in HTML, and not in the text or the subject", () => {
    const template = "<%= page.url %>"
    const mail = withViews({
      "mail/sign-in.subject.ejs": template,
      "mail/sign-in.text.ejs": template,
      "mail/sign-in.html.ejs": template,
    })
    expect(mail).toEqual({ subject: URL_TEXT, text: URL_TEXT, html: URL_TEXT.replaceAll("&", "&amp;") })
  })

  it("passes only the documented props to a template", () => {
    const mail = withViews({ "mail/sign-in.text.ejs": "<%= JSON.stringify(page) %>" })
    expect(JSON.parse(mail.text)).toEqual({
      url: URL_TEXT,
      host: "app.example.com",
      hostText: "app\u200B.example\u200B.com",
      siteName: "app.example.com",
      siteNameText: "app\u200B.example\u200B.com",
      expires: "1970-01-02T00:00:00.000Z",
      maxAgeSeconds: 86_400,
      maxAgeText: "24 hours",
      code: "CDFH-J479",
      codeMaxAgeText: "10 minutes",
      lang: "en",
      dir: "ltr",
      colorScheme: "auto",
      brandColor: "#346df1",
      buttonText: "#fff",
    })
  })

  it("lets a template include another", () => {
    const files = {
      "mail/sign-in.html.ejs": '<%- include("mail/foot", { by: "A&B" }) %>',
      "mail/foot.ejs": "by <%= page.by %>",
    }
    expect(withViews(files).html).toBe("by A&amp;B")
  })

  it("joins a subject of several lines into one", () => {
    expect(withViews({ "mail/sign-in.subject.ejs": "\n Sign in\r\n to  <%= page.host %>\n" }).subject).toBe(
      "Sign in to app.example.com",
    )
  })

  it("throws an error with the file and line of a faulty template", () => {
    expect(() => withViews({ "mail/sign-in.text.ejs": "one\n<%= page.user.name %>" })).toThrow(
      /mail\/sign-in\.text\.ejs:2/,
    )
    expect(() => withViews({ "mail/sign-in.html.ejs": "one\n\n<% if ( %>" })).toThrow(/mail\/sign-in\.html\.ejs:3/)
  })

  it("finds templates in the views folder only", () => {
    expect(() => withViews({ "mail/sign-in.html.ejs": '<%- include("mail/../../secret") %>' })).toThrow(
      "does not exist in the view folders",
    )
  })
})

it("createEmails reads a template once", () => {
  const views = folderWith({ "mail/sign-in.subject.ejs": "first" })
  const mails = createEmails({ views })
  const before = mails.signIn(facts(), english).subject
  writeFileSync(join(views, "mail/sign-in.subject.ejs"), "second")
  expect([
    before,
    mails.signIn(facts(), english).subject,
    createEmails({ views }).signIn(facts(), english).subject,
  ]).toEqual(["first", "first", "second"])
})
