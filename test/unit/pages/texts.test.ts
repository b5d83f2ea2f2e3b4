import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { catalogueProblems, createLanguages, type LanguagesConfig, localeProblem } from "../../../lib/pages/texts.js"
import { english, folderWith } from "./samples.js"

const viewsWith = (catalogues: Readonly<Record<string, object | string>>) =>
  folderWith(
    Object.fromEntries(
      Object.entries(catalogues).map(([tag, texts]) => [
        `locales/${tag}.json`,
        typeof texts === "string" ? texts : JSON.stringify(texts),
      ]),
    ),
  )

const langFor = (header: string, config: LanguagesConfig = {}) => createLanguages(config).for(header).lang

describe("t() and parts()", () => {
  const { t, parts } = createLanguages({
    views: viewsWith({ en: { one: "{a} and {b}, {a}", two: "{a}{b}", plain: "100 % of {} and { a }", none: "" } }),
  }).for("en")

  it("insert values for placeholders", () => {
    expect(t("one", { a: "A", b: 2 })).toBe("A and 2, A")
    expect(english.t("signin.with", { provider: "GitHub" })).toBe("Sign in with GitHub")
  })

  it("keep a placeholder without a value, and text that only looks like a placeholder", () => {
    expect(t("one", { a: "A" })).toBe("A and {b}, A")
    expect(t("one")).toBe("{a} and {b}, {a}")
    expect(t("plain", { a: "A" })).toBe("100 % of {} and { a }")
    expect(t("none")).toBe("")
  })

  it("insert values literally, including placeholders and replacement patterns", () => {
    expect(t("one", { a: "{b}", b: "$& $1 {a}" })).toBe("{b} and $& $1 {a}, {b}")
  })

  it.each(["constructor", "__proto__", "toString"])("ignore inherited object members: %s", (name) => {
    expect(t(name)).toBe(name)
    const own = createLanguages({ views: viewsWith({ en: { key: `[{${name}}]` } }) }).for("en")
    expect(own.t("key", {})).toBe(`[{${name}}]`)
  })

  it("return the key if no catalogue has it", () => expect(t("unknown.key")).toBe("unknown.key"))

  it("split a text into its parts for a view that marks up some of them", () => {
    expect(parts("one", { a: "A", b: "" })).toEqual([
      { placeholder: "a", text: "A" },
      { placeholder: undefined, text: " and " },
      { placeholder: "b", text: "" },
      { placeholder: undefined, text: ", " },
      { placeholder: "a", text: "A" },
    ])
    expect(parts("two", { a: "A", b: "B" })).toEqual([
      { placeholder: "a", text: "A" },
      { placeholder: "b", text: "B" },
    ])
  })

  it.each([
    ["en", "Added on March 1, 2026"],
    ["de", "Hinzugefügt am 1. März 2026"],
    ["ja", "2026年3月1日に追加"],
  ])("format dates in the language %s", (tag, expected) => {
    const { t } = createLanguages({}).for(tag)
    expect(t("passkeys.added", { date: new Date(2026, 2, 1, 12) })).toBe(expected)
  })
})

it("t() inserts nothing for an invalid date", () => {
  expect(english.t("passkeys.added", { date: new Date("never") })).toBe("Added on ")
})

describe("createLanguages", () => {
  it("chooses the language that the browser prefers, or English", () => {
    expect(["de-CH", "ar,en", "sv", "", "zh-CN"].map((header) => langFor(header))).toEqual([
      ...["de", "ar", "en", "en", "zh"],
    ])
    expect(createLanguages({}).for(null).lang).toBe("en")
  })

  it("sets the direction of the text", () => {
    expect(createLanguages({}).for("ar").dir).toBe("rtl")
    expect(createLanguages({}).for("de").dir).toBe("ltr")
  })

  it("uses only the theme's locale", () => {
    expect(["de", "fr", ""].map((header) => langFor(header, { theme: { locale: "fr" } }))).toEqual(["fr", "fr", "fr"])
    expect(langFor("de", { theme: { locale: "EN-gb" } })).toBe("en-GB")
    expect(
      createLanguages({ theme: { locale: "en-GB" } })
        .for("de")
        .t("signin.or"),
    ).toBe("or")
  })

  it("uses only the theme's locales; the default is English if it is one of them, and the first one otherwise", () => {
    const config = { theme: { locales: ["fr", "de"] } }
    expect(["de-AT", "fr", "en", "it", "*"].map((header) => langFor(header, config))).toEqual([
      ...["de", "fr", "fr", "fr", "fr"],
    ])
    expect(langFor("it", { theme: { locales: ["de", "en"] } })).toBe("en")
    expect(langFor("pt-PT", { theme: { locales: ["en", "pt-BR"] } })).toBe("pt-BR")
  })
})

describe("createLanguages with the application's catalogues", () => {
  it("override the built-in catalogue key by key", () => {
    const views = viewsWith({ de: { "signin.heading": "Hallo!" } })
    const { t } = createLanguages({ views }).for("de")
    expect([t("signin.heading"), t("signin.or")]).toEqual(["Hallo!", "oder"])
    expect(createLanguages({ views }).for("fr").t("signin.heading")).toBe("Connexion")
    expect(createLanguages({}).for("de").t("signin.heading")).toBe("Anmelden")
  })

  it("add a language, with English texts for the keys that it lacks", () => {
    const views = viewsWith({ sv: { "signin.or": "eller" }, en: { "signin.heading": "Hello!" } })
    const { lang, t } = createLanguages({ views }).for("sv-SE, de;q=0.5")
    expect([lang, t("signin.or"), t("signin.heading"), t("signin.button")]).toEqual([
      ...["sv", "eller", "Hello!", "Sign in"],
    ])
  })

  it("add a region, with the texts of the built-in language for the keys that it lacks", () => {
    const views = viewsWith({ "de-at": { "signin.heading": "Servus!" } })
    const [austrian, german] = ["de-AT", "de-CH"].map((header) => createLanguages({ views }).for(header))
    expect([austrian?.lang, austrian?.t("signin.heading"), austrian?.t("signin.or")]).toEqual([
      ...["de-AT", "Servus!", "oder"],
    ])
    expect([german?.lang, german?.t("signin.heading")]).toEqual(["de", "Anmelden"])
  })

  it("do not fall back to another script", () => {
    const views = viewsWith({ "zh-TW": { "signin.or": "或是" } })
    const { lang, t } = createLanguages({ views }).for("zh-HK")
    expect([lang, t("signin.or"), t("signin.button")]).toEqual(["zh-TW", "或是", "Sign in"])
  })

  it("can contain texts for the application's views", () => {
    const views = viewsWith({ en: { "acme.greeting": "Hi {name}" } })
    expect(createLanguages({ views }).for("en").t("acme.greeting", { name: "Ada" })).toBe("Hi Ada")
  })

  it("are read once", () => {
    const views = viewsWith({ en: { x: "before" } })
    const languages = createLanguages({ views })
    expect(languages.for("en").t("x")).toBe("before")
    writeFileSync(join(views, "locales/en.json"), '{"x":"after"}')
    expect(languages.for("en").t("x")).toBe("before")
    expect(createLanguages({ views }).for("en").t("x")).toBe("after")
  })

  it("can begin with a byte order mark", () => {
    expect(
      createLanguages({ views: viewsWith({ en: '\uFEFF{"x":"y"}' }) })
        .for("en")
        .t("x"),
    ).toBe("y")
    expect(catalogueProblems(viewsWith({ en: '\uFEFF{"x":"y"}' }))).toEqual([])
  })

  it.each([
    ["{", /de\.json, which can't be read as JSON: /],
    ["[]", /de\.json, which is not a JSON object$/],
    ["null", /de\.json, which is not a JSON object$/],
    ['{"a":"b","signin":{"title":"x"}}', /de\.json, which has the key "signin", whose value is not a string$/],
  ])("are ignored and reported by catalogueProblems if invalid: %s", (text, message) => {
    const views = viewsWith({ de: text, fr: { "signin.or": "OU" } })
    expect(catalogueProblems(views)).toEqual([expect.stringMatching(message)])
    expect(createLanguages({ views }).for("de").t("signin.or")).toBe("oder")
    expect(createLanguages({ views }).for("fr").t("signin.or")).toBe("OU")
  })

  it("are read only from files that are named by a language tag", () => {
    const views = viewsWith({ "not a tag": "{", de_AT: "{" })
    writeFileSync(join(views, "locales/README.md"), "")
    expect(catalogueProblems(views)).toEqual([])
    expect(langFor("de-AT", { views })).toBe("de")
  })

  it("are optional", () => {
    expect(catalogueProblems(undefined)).toEqual([])
    expect(catalogueProblems(folderWith({ "signin.ejs": "" }))).toEqual([])
    const views = folderWith({ locales: "a file" })
    mkdirSync(join(views, "mail"))
    expect(langFor("de", { views })).toBe("de")
  })
})

describe("localeProblem", () => {
  it.each(["de", "de-AT", "EN", "zh-CN", "zh-Hans"])("accepts %s", (tag) =>
    expect(localeProblem(tag, undefined)).toBeUndefined(),
  )

  it.each([
    ["sv", /^is "sv", which has no catalogue$/],
    ["zh-TW", /which has no catalogue/],
    ["de_DE", /is "de_DE", which is not a language tag/],
    ["", /is "", which is not a language tag/],
    [5, /is 5, which is not a language tag/],
    [null, /is null, which is not a language tag/],
  ])("reports %j", (tag, seen) =>
    expect(localeProblem(tag, undefined)).toEqual({
      seen: expect.stringMatching(seen),
      fix: expect.stringMatching(/^Write one of ar, de, en, .*, zh, or add locales\/<tag>\.json/),
    }),
  )

  it("accepts a language of the application's catalogues", () => {
    expect(localeProblem("sv", viewsWith({ sv: {} }))).toBeUndefined()
  })
})
