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

describe("a text", () => {
  const { t, parts } = createLanguages({
    views: viewsWith({ en: { one: "{a} and {b}, {a}", two: "{a}{b}", plain: "100 % of {} and { a }", none: "" } }),
  }).for("en")

  it("has its values in their places", () => {
    expect(t("one", { a: "A", b: 2 })).toBe("A and 2, A")
    expect(english.t("signin.with", { provider: "GitHub" })).toBe("Sign in with GitHub")
  })

  it("keeps a place that has no value, and what looks like one and is none", () => {
    expect(t("one", { a: "A" })).toBe("A and {b}, A")
    expect(t("one")).toBe("{a} and {b}, {a}")
    expect(t("plain", { a: "A" })).toBe("100 % of {} and { a }")
    expect(t("none")).toBe("")
  })

  it("takes nothing out of a value: neither places nor patterns of a replacement", () => {
    expect(t("one", { a: "{b}", b: "$& $1 {a}" })).toBe("{b} and $& $1 {a}, {b}")
  })

  it.each(["constructor", "__proto__", "toString"])("is not found among an object's own members: %s", (name) => {
    expect(t(name)).toBe(name)
    const own = createLanguages({ views: viewsWith({ en: { key: `[{${name}}]` } }) }).for("en")
    expect(own.t("key", {})).toBe(`[{${name}}]`)
  })

  it("is its key where no catalogue has it", () => expect(t("nobody.has.this")).toBe("nobody.has.this"))

  it("comes in pieces for a view that marks some up", () => {
    expect(parts("one", { a: "A", b: "" })).toEqual([
      { place: "a", text: "A" },
      { place: undefined, text: " and " },
      { place: "b", text: "" },
      { place: undefined, text: ", " },
      { place: "a", text: "A" },
    ])
    expect(parts("two", { a: "A", b: "B" })).toEqual([
      { place: "a", text: "A" },
      { place: "b", text: "B" },
    ])
  })

  it.each([
    ["en", "Added on March 1, 2026"],
    ["de", "Hinzugefügt am 1. März 2026"],
    ["ja", "2026年3月1日に追加"],
  ])("has dates as they are written in %s", (tag, expected) => {
    const { t } = createLanguages({}).for(tag)
    expect(t("passkeys.added", { date: new Date(2026, 2, 1, 12) })).toBe(expected)
  })
})

it("has nothing in the place of a date that is none", () => {
  expect(english.t("passkeys.added", { date: new Date("never") })).toBe("Added on ")
})

describe("the languages", () => {
  it("are chosen by what the browser asks for, and are English else", () => {
    expect(["de-CH", "ar,en", "sv", "", "zh-CN"].map((header) => langFor(header))).toEqual([
      ...["de", "ar", "en", "en", "zh"],
    ])
    expect(createLanguages({}).for(null).lang).toBe("en")
  })

  it("say in which direction they are written", () => {
    expect(createLanguages({}).for("ar").dir).toBe("rtl")
    expect(createLanguages({}).for("de").dir).toBe("ltr")
  })

  it("are one where the theme says which", () => {
    expect(["de", "fr", ""].map((header) => langFor(header, { theme: { locale: "fr" } }))).toEqual(["fr", "fr", "fr"])
    expect(langFor("de", { theme: { locale: "EN-gb" } })).toBe("en-GB")
    expect(
      createLanguages({ theme: { locale: "en-GB" } })
        .for("de")
        .t("signin.or"),
    ).toBe("or")
  })

  it("are some where the theme says which; the first of them, or English, is for everybody else", () => {
    const some = { theme: { locales: ["fr", "de"] } }
    expect(["de-AT", "fr", "en", "it", "*"].map((header) => langFor(header, some))).toEqual([
      ...["de", "fr", "fr", "fr", "fr"],
    ])
    expect(langFor("it", { theme: { locales: ["de", "en"] } })).toBe("en")
    expect(langFor("pt-PT", { theme: { locales: ["en", "pt-BR"] } })).toBe("pt-BR")
  })
})

describe("an application's catalogue", () => {
  it("is laid over ours key by key", () => {
    const views = viewsWith({ de: { "signin.heading": "Hallo!" } })
    const { t } = createLanguages({ views }).for("de")
    expect([t("signin.heading"), t("signin.or")]).toEqual(["Hallo!", "oder"])
    expect(createLanguages({ views }).for("fr").t("signin.heading")).toBe("Connexion")
    expect(createLanguages({}).for("de").t("signin.heading")).toBe("Anmelden")
  })

  it("brings a language of its own; what it lacks is said in English, in the application's where it has some", () => {
    const views = viewsWith({ sv: { "signin.or": "eller" }, en: { "signin.heading": "Hello!" } })
    const { lang, t } = createLanguages({ views }).for("sv-SE, de;q=0.5")
    expect([lang, t("signin.or"), t("signin.heading"), t("signin.button")]).toEqual([
      ...["sv", "eller", "Hello!", "Sign in"],
    ])
  })

  it("may be of a region, over the language that we have", () => {
    const views = viewsWith({ "de-at": { "signin.heading": "Servus!" } })
    const [austrian, german] = ["de-AT", "de-CH"].map((header) => createLanguages({ views }).for(header))
    expect([austrian?.lang, austrian?.t("signin.heading"), austrian?.t("signin.or")]).toEqual([
      ...["de-AT", "Servus!", "oder"],
    ])
    expect([german?.lang, german?.t("signin.heading")]).toEqual(["de", "Anmelden"])
  })

  it("in another script does not fall back to what its readers can't read", () => {
    const views = viewsWith({ "zh-TW": { "signin.or": "或是" } })
    const { lang, t } = createLanguages({ views }).for("zh-HK")
    expect([lang, t("signin.or"), t("signin.button")]).toEqual(["zh-TW", "或是", "Sign in"])
  })

  it("may have texts for the application's own views", () => {
    const views = viewsWith({ en: { "acme.greeting": "Hi {name}" } })
    expect(createLanguages({ views }).for("en").t("acme.greeting", { name: "Ada" })).toBe("Hi Ada")
  })

  it("is read once", () => {
    const views = viewsWith({ en: { x: "before" } })
    const languages = createLanguages({ views })
    expect(languages.for("en").t("x")).toBe("before")
    writeFileSync(join(views, "locales/en.json"), '{"x":"after"}')
    expect(languages.for("en").t("x")).toBe("before")
    expect(createLanguages({ views }).for("en").t("x")).toBe("after")
  })

  it("may begin with a byte order mark", () => {
    expect(
      createLanguages({ views: viewsWith({ en: '\uFEFF{"x":"y"}' }) })
        .for("en")
        .t("x"),
    ).toBe("y")
    expect(catalogueProblems(viewsWith({ en: '\uFEFF{"x":"y"}' }))).toEqual([])
  })

  it.each([
    ["{", /de\.json that is no JSON: /],
    ["[]", /de\.json that is no JSON object$/],
    ["null", /de\.json that is no JSON object$/],
    ['{"a":"b","signin":{"title":"x"}}', /de\.json that has no text at "signin"$/],
  ])("that is %s is told of at start-up, and leaves ours as it is", (text, message) => {
    const views = viewsWith({ de: text, fr: { "signin.or": "OU" } })
    expect(catalogueProblems(views)).toEqual([expect.stringMatching(message)])
    expect(createLanguages({ views }).for("de").t("signin.or")).toBe("oder")
    expect(createLanguages({ views }).for("fr").t("signin.or")).toBe("OU")
  })

  it("is looked for in files alone that are named by a tag", () => {
    const views = viewsWith({ "not a tag": "{", de_AT: "{" })
    writeFileSync(join(views, "locales/README.md"), "")
    expect(catalogueProblems(views)).toEqual([])
    expect(langFor("de-AT", { views })).toBe("de")
  })

  it("need not be there", () => {
    expect(catalogueProblems(undefined)).toEqual([])
    expect(catalogueProblems(folderWith({ "signin.ejs": "" }))).toEqual([])
    const views = folderWith({ locales: "a file" })
    mkdirSync(join(views, "mail"))
    expect(langFor("de", { views })).toBe("de")
  })
})

describe("a tag in the theme", () => {
  it.each(["de", "de-AT", "EN", "zh-CN", "zh-Hans"])("may be %s", (tag) =>
    expect(localeProblem(tag, undefined)).toBeUndefined(),
  )

  it.each([
    ["sv", /is "sv", a language without a catalogue\. Write one of ar, de, en, .*, zh, or add locales\/<tag>\.json/],
    ["zh-TW", /a language without a catalogue/],
    ["de_DE", /is "de_DE", no tag of a language/],
    ["", /is "", no tag/],
    [5, /is 5, no tag/],
    [null, /is null, no tag/],
  ])("can't be %j", (tag, message) => expect(localeProblem(tag, undefined)).toMatch(message))

  it("may be a language that the application brings", () => {
    expect(localeProblem("sv", viewsWith({ sv: {} }))).toBeUndefined()
  })
})
