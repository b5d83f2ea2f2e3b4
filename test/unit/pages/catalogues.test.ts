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
const placeholdersOf = (text = "") => [...text.matchAll(/\{\w+\}/g)].map(([place]) => place).sort()

/** Texts that are the same word as in English, or that contain no word. */
const SAME_AS_ENGLISH: Readonly<Record<string, readonly string[]>> = { es: ["error.title"] }

it("the package has catalogues in fourteen languages", () => {
  expect(readdirSync(LOCALES).sort()).toEqual(TAGS.map((tag) => `${tag}.json`))
})

describe.each(TAGS)("the catalogue %s", (tag) => {
  const texts = catalogues.get(tag) ?? {}

  it("has every key of the English one, in the same order, and no other", () => {
    expect(Object.keys(texts)).toEqual(Object.keys(english))
  })

  it("has the placeholders of each text, and no text that is empty or padded", () => {
    for (const [key, text] of Object.entries(texts)) {
      expect([key, placeholdersOf(text)]).toEqual([key, placeholdersOf(english[key])])
      expect([key, text.trim()]).toEqual([key, text])
      expect(text).not.toBe("")
    }
  })

  it("contains plain text without markup, entities, invisible characters or unmatched braces", () => {
    for (const text of Object.values(texts)) {
      expect(text).not.toMatch(/[<>]|&\w+;|[\p{Cc}\u200B\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/u)
      expect(text.replace(/\{\w+\}/g, "")).not.toMatch(/[{}]/)
    }
  })

  it("translates every text", () => {
    if (tag === "en") return
    const same = Object.keys(english).filter((key) => texts[key] === english[key])
    expect(same).toEqual(SAME_AS_ENGLISH[tag] ?? [])
  })

  it("ends a text with punctuation where the English one does", () => {
    const endsSentence = (text = "") => /[.?!:。？！：؟।]$/u.test(text)
    const different = Object.keys(english).filter((key) => endsSentence(texts[key]) !== endsSentence(english[key]))
    expect(different).toEqual([])
  })

  it("uses the script of its language", () => {
    const SCRIPTS: Readonly<Record<string, RegExp>> = {
      ...{ ar: /\p{Script=Arabic}/u, hi: /\p{Script=Devanagari}/u, ko: /\p{Script=Hangul}/u },
      ...{ ja: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u, zh: /\p{Script=Han}/u },
    }
    const script = SCRIPTS[tag] ?? /\p{Script=Latin}/u
    const foreign = Object.keys(texts).filter((key) => !script.test((texts[key] ?? "").replace(/\{\w+\}/g, "")))
    // The placeholder of the email field is a reserved example address.
    expect(foreign.filter((key) => key !== "signin.email.placeholder")).toEqual([])
  })
})

const LETTER = /\p{L}/u
/** Attributes that browsers display or screen readers announce. */
const DISPLAYED =
  /\s(?:placeholder|alt|title|aria-label|aria-description|aria-roledescription|aria-valuetext|label|content|summary)="([^"]*)"/g
/** Matches an attribute also where a view contains only a part of a tag. */
const ATTRIBUTE = /[\w-]+="[^"]*"/g
const CODE = /<%[\s\S]*?%>/g

/** Returns the literal text of a view: the text between its tags, and the values of displayed attributes. */
function wordsOf(view: string): string[] {
  const bare = view.replace(CODE, "")
  const displayed = [...bare.matchAll(DISPLAYED)].map(([, value = ""]) => value)
  const between = bare.replace(/<!doctype html>/i, "").split(/<[^>]*>/)
  return [...between, ...displayed]
    .map((text) => text.replace(ATTRIBUTE, "").trim())
    .filter((text) => LETTER.test(text))
}

/**
 * Returns the texts in a view's code: a string with a space or a capital is a sentence or a label, other strings are
 * names.
 */
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

describe("the check that views contain no text of their own", () => {
  // The developer page is in English, as the log is.
  const views = filesIn(VIEWS, ".ejs").filter((file) => file !== "developer.ejs")

  /** Strings that are not text: values that a program reads, and names that are compared. */
  const NO_TEXT = new Set(["width=device-width, initial-scale=1", "noindex", "light dark", " webauthn", "Credentials"])

  it.each(views)("finds no text in %s", (file) => {
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
  ])("finds the text in %s", (view) => expect([...wordsOf(view), ...stringsOf(view)]).not.toEqual([]))

  it("finds no text in the code that builds the props", () => {
    const sources = ["build-props.ts", "messages.ts", "mail.ts", "passkeys-props.ts", "sessions-props.ts", "inputs.ts"]
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

describe("catalogue keys", () => {
  /** The sources in which a key, or the beginning of one, can be used. */
  const sources = [
    ...filesIn(VIEWS, ".ejs").map((file) => join(VIEWS, file)),
    ...filesIn(join(ROOT, "lib/pages"), ".ts").map((file) => join(ROOT, "lib/pages", file)),
    join(ROOT, "lib/methods/webauthn/default-name.ts"),
  ].map((path) => readFileSync(path, "utf8"))

  it("exist if a view or the code of a page uses them", () => {
    const used = sources.flatMap((text) => [...text.matchAll(/\b(?:t|parts)\("([\w.]+)"/g)].map(([, key = ""]) => key))
    expect(used.length).toBeGreaterThan(40)
    expect(used.filter((key) => !(key in english))).toEqual([])
  })

  it("are all used", () => {
    const all = sources.join("\n")
    const generated = [
      /^(?:signin|verifyRequest|reauthenticate)\.error\./,
      /^error\.\w+\.(?:heading|message)$/,
      /^\w+\.title$/,
      /^confirm\.question/,
    ]
    const unused = Object.keys(english).filter(
      (key) => !all.includes(`"${key}"`) && !generated.some((form) => form.test(key)),
    )
    expect(unused).toEqual([])
  })
})
