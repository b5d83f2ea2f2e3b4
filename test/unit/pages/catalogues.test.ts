import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import ts from "typescript"

const ROOT = join(__dirname, "../../..")
const VIEWS = join(ROOT, "views")
const LOCALES = join(VIEWS, "locales")

const filesIn = (folder: string, ending: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(ending))

const TAGS = "ar de en es fr hi it ja ko nl pl pt tr zh".split(" ")
const catalogues = new Map(
  TAGS.map((tag): [string, Record<string, string>] => [
    tag,
    JSON.parse(readFileSync(join(LOCALES, `${tag}.json`), "utf8")),
  ]),
)
const english = catalogues.get("en") ?? {}
const placesOf = (text = "") => [...text.matchAll(/\{\w+\}/g)].map(([place]) => place).sort()

/** In these a language has the same word as English, or nothing that is a word. */
const ALIKE: Readonly<Record<string, readonly string[]>> = { es: ["error.title"] }

it("speaks fourteen languages", () => {
  expect(readdirSync(LOCALES).sort()).toEqual(TAGS.map((tag) => `${tag}.json`))
})

describe.each(TAGS)("the catalogue %s", (tag) => {
  const texts = catalogues.get(tag) ?? {}

  it("has every key, in the order of the English one, and no other", () => {
    expect(Object.keys(texts)).toEqual(Object.keys(english))
  })

  it("has each text's places, and no text that is empty or padded", () => {
    for (const [key, text] of Object.entries(texts)) {
      expect([key, placesOf(text)]).toEqual([key, placesOf(english[key])])
      expect([key, text.trim()]).toEqual([key, text])
      expect(text).not.toBe("")
    }
  })

  it("holds plain text: neither markup nor entities, no invisible characters, no brace but a place's", () => {
    for (const text of Object.values(texts)) {
      expect(text).not.toMatch(/[<>]|&\w+;|[\p{Cc}\u200B\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/u)
      expect(text.replace(/\{\w+\}/g, "")).not.toMatch(/[{}]/)
    }
  })

  it("says everything in its own words", () => {
    if (tag === "en") return
    const same = Object.keys(english).filter((key) => texts[key] === english[key])
    expect(same).toEqual(ALIKE[tag] ?? [])
  })

  it("ends a sentence where English does, and nothing that is none", () => {
    const endsSentence = (text = "") => /[.?!:。？！：؟।]$/u.test(text)
    const unlike = Object.keys(english).filter((key) => endsSentence(texts[key]) !== endsSentence(english[key]))
    expect(unlike).toEqual([])
  })

  it("is written in its own script", () => {
    const SCRIPTS: Readonly<Record<string, RegExp>> = {
      ...{ ar: /\p{Script=Arabic}/u, hi: /\p{Script=Devanagari}/u, ko: /\p{Script=Hangul}/u },
      ...{ ja: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u, zh: /\p{Script=Han}/u },
    }
    const script = SCRIPTS[tag] ?? /\p{Script=Latin}/u
    const foreign = Object.keys(texts).filter((key) => !script.test((texts[key] ?? "").replace(/\{\w+\}/g, "")))
    // The example of an address is one that nobody can own.
    expect(foreign.filter((key) => key !== "signin.email.placeholder")).toEqual([])
  })
})

const LETTER = /\p{L}/u
/** Attributes that people read or hear. */
const SPOKEN =
  /\s(?:placeholder|alt|title|aria-label|aria-description|aria-roledescription|aria-valuetext|label|content|summary)="([^"]*)"/g
/** Also where a view is a part of a tag. */
const ATTRIBUTE = /[\w-]+="[^"]*"/g
const CODE = /<%[\s\S]*?%>/g

/** What of a view is text of its own: between its tags, and in attributes that are read aloud. */
function wordsOf(view: string): string[] {
  const bare = view.replace(CODE, "")
  const spoken = [...bare.matchAll(SPOKEN)].map(([, value = ""]) => value)
  const between = bare.replace(/<!doctype html>/i, "").split(/<[^>]*>/)
  return [...between, ...spoken].map((text) => text.replace(ATTRIBUTE, "").trim()).filter((text) => LETTER.test(text))
}

/** Texts within a view's code: strings with a space or a capital are sentences or labels, names of things have neither. */
function stringsOf(view: string): string[] {
  const code = [...view.matchAll(/<%[-_=]?([\s\S]*?)[-_]?%>/g)].map(([, text]) => text).join(";\n")
  const tree = ts.createSourceFile("view.js", code, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS)
  const found: string[] = []
  const look = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      found.push(node.text)
    ts.forEachChild(node, look)
  }
  look(tree)
  return found.filter((text) => /\p{L}.*\s|\s.*\p{L}|^\p{Lu}/u.test(text))
}

describe("no text stands outside the catalogues", () => {
  // What developers read is in the language of the log.
  const views = filesIn(VIEWS, ".ejs").filter((file) => file !== "developer.ejs")

  /** What is no language: values that a program reads, and names that are compared. */
  const NO_TEXT = new Set(["width=device-width, initial-scale=1", "noindex", "light dark", " webauthn", "Credentials"])

  it.each(views)("%s", (file) => {
    const view = readFileSync(join(VIEWS, file), "utf8")
    expect([...wordsOf(view), ...stringsOf(view)].filter((text) => !NO_TEXT.has(text))).toEqual([])
  })

  it.each([
    "<p>Hello</p>",
    "Hello",
    '<img alt="A house">',
    '<input placeholder="you@example.com">',
    '<a title="Go" href="/x">',
    '<%= page.x ? "Hello there" : page.t("y") %>',
    "<% const x = `Hello \u{24}{page.name}` %>",
  ])("is seen in %s", (view) => expect([...wordsOf(view), ...stringsOf(view)]).not.toEqual([]))

  it("is in no props either: what the pages are made of has keys", () => {
    const sources = ["build-props.ts", "messages.ts", "mail.ts", "passkeys-props.ts", "inputs.ts"]
    const sentences = sources.flatMap((file) => {
      const tree = ts.createSourceFile(
        file,
        readFileSync(join(ROOT, "lib/pages", file), "utf8"),
        ts.ScriptTarget.Latest,
      )
      const found: string[] = []
      const look = (node: ts.Node): void => {
        if (ts.isStringLiteralLike(node) && /\p{L}\s+\p{L}/u.test(node.text)) found.push(`${file}: ${node.text}`)
        ts.forEachChild(node, look)
      }
      look(tree)
      return found
    })
    expect(sentences).toEqual([])
  })
})

describe("the keys", () => {
  /** Every piece of text in the views' code and in the pages' sources that may be a key, or the beginning of one. */
  const sources = [
    ...filesIn(VIEWS, ".ejs").map((file) => join(VIEWS, file)),
    ...filesIn(join(ROOT, "lib/pages"), ".ts").map((file) => join(ROOT, "lib/pages", file)),
    join(ROOT, "lib/methods/webauthn/default-name.ts"),
  ].map((path) => readFileSync(path, "utf8"))

  it("that views ask for are there", () => {
    const asked = sources.flatMap((text) => [...text.matchAll(/\b(?:t|parts)\("([\w.]+)"/g)].map(([, key = ""]) => key))
    expect(asked.length).toBeGreaterThan(40)
    expect(asked.filter((key) => !(key in english))).toEqual([])
  })

  it("are all asked for", () => {
    const all = sources.join("\n")
    const made = [/^signin\.error\./, /^error\.\w+\.(?:heading|message)$/, /^\w+\.title$/, /^confirm\.question/]
    const idle = Object.keys(english).filter((key) => !all.includes(`"${key}"`) && !made.some((form) => form.test(key)))
    expect(idle).toEqual([])
  })
})
