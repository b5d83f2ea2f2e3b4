import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { createMails, type SignInMailFacts } from "../../../lib/pages/mail.js"
import type { Theme } from "../../../lib/types.js"
import { fc } from "../../support/properties.js"
import { english, folderWith } from "./samples.js"

const URL_TEXT = "https://app.example.com/auth/callback/resend?callbackUrl=%2F&token=abc&email=ada%2B1%40example.com"

const facts = (more: Partial<SignInMailFacts> = {}): SignInMailFacts => ({
  url: URL_TEXT,
  host: "app.example.com",
  expires: new Date(86_400_000),
  maxAgeSeconds: 86_400,
  ...more,
})

const write = (more: Partial<SignInMailFacts> = {}, theme: Theme = {}) =>
  createMails({ theme }).signIn(facts(more), english)

/** What a person reads of an HTML mail. */
const visible = (html: string) =>
  html
    .replace(/<head>[\s\S]*<\/head>/, "")
    .replace(/<[^>]*>/g, " ")
    .replaceAll("&#39;", "'")
    .replace(/\s+/g, " ")

describe("the mail with a sign-in link", () => {
  it("says who asked for what, how long it is good, and that it can be ignored, in both of its parts", () => {
    const { text, html } = write()
    for (const part of [text.replace(/\s+/g, " "), visible(html)]) {
      expect(part).toMatch(/asked to sign in to app\u200B?\.example\u200B?\.com with this email address/)
      expect(part).toContain("The link works once, for 24 hours.")
      expect(part).toContain("If you didn't ask for this, you can ignore this email.")
    }
  })

  it("names the host in its subject", () => {
    expect(write().subject).toBe("Sign in to app.example.com")
    expect(write({ host: "bücher.example:8443" }).subject).toBe("Sign in to bücher.example:8443")
  })

  it("has the link in its text as it is", () => {
    expect(write().text.split("\n")).toContain(URL_TEXT)
  })

  it("has the link in its HTML on a button, and as text beside it", () => {
    const { html } = write()
    const escaped = URL_TEXT.replaceAll("&", "&amp;")
    expect([...html.matchAll(/<a href="([^"]*)"[^>]*>([^<]*)</g)].map(([, ...rest]) => rest)).toEqual([
      [escaped, "Sign in"],
      [escaped, escaped],
    ])
  })

  it("gives mail programs no bare host to make a link of", () => {
    const { html } = write({ url: "https://127.0.0.1/" })
    expect(html).toContain("app\u200B.example\u200B.com")
    expect(html).not.toContain("app.example.com")
  })

  it("loads nothing and names no other address", () => {
    const { html } = write({ url: "LINK" })
    expect(html).not.toMatch(/https?:|\bsrc=|url\(|<link|<img|@import/i)
  })

  it("asks for the colours of the mail program in the light and in the dark, or for the theme's", () => {
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
  ])("says of %i seconds that they are %s", (maxAgeSeconds, words) => {
    const { text, html } = write({ maxAgeSeconds })
    expect(text).toContain(`for ${words}.`)
    expect(html).toContain(`for ${words}.`)
  })
})

describe("ADV-05: the address that a mail goes to", () => {
  it("stands in it only within the link, encoded", () => {
    const { subject, text, html } = write()
    for (const part of [subject, text, html]) expect(part).not.toMatch(/ada(?:\+1)?@/)
  })
})

describe("the button", () => {
  const DEFAULT = "#346df1"

  /** Background and text as they apply: the last of their kind. */
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
  ])("of the theme %j is %s with %s on it", (theme, background, text) => {
    expect(colorsOf(theme)).toEqual([background, text])
  })

  it("stays a button in programs that don't know the colour", () => {
    expect(write({}, { brandColor: "oklch(45% 0.2 260)" }).html).toContain(
      "color:#fff;color:#fff;background-color:#346df1;background-color:oklch(45% 0.2 260)",
    )
  })
})

describe("whatever text it is made of", () => {
  const anyText = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom(..."<>&\"'`=/\r\n\0\t\u2028\u0085\u202E. a%-") }),
    fc.constantFrom("\r\nBcc: victim@example.com", "<script>alert(1)</script>", '" onload="alert(1)', "<%= 1 %>"),
  )
  const anyMail = fc.record({ host: anyText, url: anyText, brandColor: anyText, buttonText: anyText })
  const made = ({ host, url, ...theme }: { host: string; url: string } & Theme) => write({ host, url }, theme)
  const count = (text: string, what: RegExp) => text.match(what)?.length ?? 0
  const plain = made({ host: "h", url: "u" })

  it("EML-08: has a subject of one line", () => {
    fc.assert(
      fc.property(anyMail, (given) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
        expect(made(given).subject).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u2028\u2029]/)
      }),
    )
  })

  it("has a text whose lines are all its own", () => {
    fc.assert(
      fc.property(anyMail, (given) => {
        const { text } = made(given)
        expect(text.split("\n")).toHaveLength(plain.text.split("\n").length)
        expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u)
      }),
    )
  })

  it("has HTML whose tags and attributes are all its own", () => {
    fc.assert(
      fc.property(anyMail, (given) => {
        const { html } = made(given)
        for (const mark of [/</g, />/g, /"/g, /'/g]) expect(count(html, mark)).toBe(count(plain.html, mark))
        expect(html).not.toMatch(/&(?!(?:amp|lt|gt|#34|#39|quot);)/)
      }),
    )
  })

  it("has styles that end where they should", () => {
    const stylesOf = (html: string) =>
      [...html.matchAll(/style="([^"]*)"/g)].map(([, style = ""]) => style.split(/[;{}]/))
    fc.assert(
      fc.property(anyMail, (given) => {
        expect(stylesOf(made(given).html).map((parts) => parts.length)).toEqual(
          stylesOf(plain.html).map((parts) => parts.length),
        )
      }),
    )
  })
})

describe("an application's own templates", () => {
  const withViews = (files: Record<string, string>) =>
    createMails({ views: folderWith(files) }).signIn(facts(), english)
  const ours = write()

  it.each([
    ["subject", "subject"],
    ["text", "text"],
    ["html", "html"],
  ] as const)("replace the %s alone", (part, kind) => {
    const mail = withViews({ [`mail/sign-in.${kind}.ejs`]: "Your link to <%= page.host %>" })
    expect(mail).toEqual({ ...ours, [part]: "Your link to app.example.com" })
  })

  it("escape in HTML, and not in text or subject", () => {
    const template = "<%= page.url %>"
    const mail = withViews({
      "mail/sign-in.subject.ejs": template,
      "mail/sign-in.text.ejs": template,
      "mail/sign-in.html.ejs": template,
    })
    expect(mail).toEqual({ subject: URL_TEXT, text: URL_TEXT, html: URL_TEXT.replaceAll("&", "&amp;") })
  })

  it("see what the mail is about, and nothing else", () => {
    const mail = withViews({ "mail/sign-in.text.ejs": "<%= JSON.stringify(page) %>" })
    expect(JSON.parse(mail.text)).toEqual({
      url: URL_TEXT,
      host: "app.example.com",
      hostText: "app\u200B.example\u200B.com",
      expires: "1970-01-02T00:00:00.000Z",
      maxAgeSeconds: 86_400,
      maxAgeText: "24 hours",
      lang: "en",
      dir: "ltr",
      colorScheme: "auto",
      brandColor: "#346df1",
      buttonText: "#fff",
    })
  })

  it("include others", () => {
    const files = {
      "mail/sign-in.html.ejs": '<%- include("mail/foot", { by: "A&B" }) %>',
      "mail/foot.ejs": "by <%= page.by %>",
    }
    expect(withViews(files).html).toBe("by A&amp;B")
  })

  it("make one line of a subject that has several", () => {
    expect(withViews({ "mail/sign-in.subject.ejs": "\n Sign in\r\n to  <%= page.host %>\n" }).subject).toBe(
      "Sign in to app.example.com",
    )
  })

  it("fail with the name of their file and the line", () => {
    expect(() => withViews({ "mail/sign-in.text.ejs": "one\n<%= page.nobody.name %>" })).toThrow(
      /mail\/sign-in\.text\.ejs:2/,
    )
    expect(() => withViews({ "mail/sign-in.html.ejs": "one\n\n<% if ( %>" })).toThrow(/mail\/sign-in\.html\.ejs:3/)
  })

  it("are found in the folder only", () => {
    expect(() => withViews({ "mail/sign-in.html.ejs": '<%- include("mail/../../secret") %>' })).toThrow("no view")
  })
})

it("reads a template once", () => {
  const views = folderWith({ "mail/sign-in.subject.ejs": "first" })
  const mails = createMails({ views })
  const before = mails.signIn(facts(), english).subject
  writeFileSync(join(views, "mail/sign-in.subject.ejs"), "second")
  expect([
    before,
    mails.signIn(facts(), english).subject,
    createMails({ views }).signIn(facts(), english).subject,
  ]).toEqual(["first", "first", "second"])
})
