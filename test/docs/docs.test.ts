import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import ts from "typescript"
import { OPTIONS } from "../../lib/config/check-options.js"
import { ERRORS } from "../../lib/errors.js"

const ROOT = join(__dirname, "../..")
const read = (file: string) => readFileSync(join(ROOT, file), "utf8")

const DOCS = readdirSync(join(ROOT, "docs"))
  .filter((file) => file.endsWith(".md"))
  .map((file) => `docs/${file}`)
const FILES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", ...DOCS]

interface Block {
  readonly language: string
  readonly code: string
  readonly line: number
}

/** The fenced blocks of a page, those that stand in a list too. */
function blocksOf(text: string): Block[] {
  return [...text.matchAll(/^([ \t]*)```(\w*)\n([\s\S]*?)^\1```$/gm)].map(
    ({ index, 2: language = "", 3: code = "" }) => ({
      language,
      code,
      line: text.slice(0, index).split("\n").length,
    }),
  )
}

/** The page without its code: what looks like a heading or a link in there is none. */
const proseOf = (text: string) => text.replace(/^([ \t]*)```\w*\n[\s\S]*?^\1```$/gm, "").replace(/`[^`\n]*`/g, "`code`")

/** The anchors that GitHub makes of a page's headings. */
function anchorsOf(text: string): Set<string> {
  const headings = text.replace(/^([ \t]*)```\w*\n[\s\S]*?^\1```$/gm, "").matchAll(/^#+ (.+)$/gm)
  const slugs = [...headings].map(({ 1: heading = "" }) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replace(/ /g, "-"),
  )
  return new Set(slugs.map((slug, index) => slug + suffixOf(slugs.slice(0, index).filter((s) => s === slug).length)))
}

const suffixOf = (earlier: number) => (earlier === 0 ? "" : `-${earlier}`)

/** Links to other pages and within one; addresses elsewhere are not followed. */
const linksOf = (text: string): string[] =>
  [...proseOf(text).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(({ 1: target = "" }) =>
    /^[a-z]+:/i.test(target) ? [] : [target],
  )

/** What is wrong with a link, or undefined. */
function faultOf(link: string, from: string): string | undefined {
  const [path = "", anchor] = link.split("#")
  const file = path === "" ? join(ROOT, from) : resolve(ROOT, dirname(from), path)
  if (relative(ROOT, file).startsWith("..")) return `${link} leads out of the repository`
  if (!existsSync(file)) return `${link} leads to no file`
  if (anchor !== undefined && !anchorsOf(readFileSync(file, "utf8")).has(anchor)) return `${link} leads to no heading`
  return undefined
}

const LANGUAGES: Readonly<Record<string, ts.ScriptKind>> = { js: ts.ScriptKind.JS, ts: ts.ScriptKind.TS }

/** What a parser says of a snippet; it may begin with imports and may await. */
function syntaxErrorsOf({ code, language }: Block): string[] {
  const { diagnostics = [] } = ts.transpileModule(code, {
    reportDiagnostics: true,
    fileName: `snippet.${language}`,
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, allowJs: true },
  })
  return diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "))
}

describe.each(FILES)("%s", (file) => {
  const text = read(file)
  const snippets = blocksOf(text).filter(({ language }) => Object.hasOwn(LANGUAGES, language))

  it("links only to what is there", () => {
    expect(linksOf(text).flatMap((link) => faultOf(link, file) ?? [])).toEqual([])
  })

  it("has code that parses", () => {
    const faults = snippets.flatMap((block) => syntaxErrorsOf(block).map((error) => `line ${block.line}: ${error}`))
    expect(faults).toEqual([])
  })

  it("writes code without semicolons and with double quotes", () => {
    const odd = snippets.flatMap(({ code, line }) =>
      code.split("\n").flatMap((row, index) => (/;\s*$|= '|\('/.test(row) ? [`${line + index + 1}: ${row}`] : [])),
    )
    expect(odd).toEqual([])
  })
})

describe("every page is in the index", () => {
  const linked = linksOf(read("docs/README.md")).map((link) => link.split("#")[0])

  it.each(DOCS.filter((file) => file !== "docs/README.md"))("%s", (file) => {
    expect(linked).toContain(file.replace("docs/", ""))
  })
})

describe("docs/configuration.md", () => {
  const text = read("docs/configuration.md")
  const members = Object.entries(OPTIONS).flatMap(([name, known]) => known?.map((member) => `${name}.${member}`) ?? [])

  it.each(Object.keys(OPTIONS))("has a heading and a row for the option %s", (option) => {
    expect(text).toMatch(new RegExp(`^### .*\`${option}\``, "m"))
    expect(text).toMatch(new RegExp(`^\\| \\[\`${option}\`\\]\\(#`, "m"))
  })

  it.each(members)("names %s", (member) => {
    expect(text).toContain(`\`${member}\``)
  })

  it("names no option that is not there", () => {
    const listed = [...text.matchAll(/^\| \[`(\w+)`\]\(#/gm)].map(({ 1: option }) => option)
    expect(listed.sort()).toEqual(Object.keys(OPTIONS).sort())
  })

  // Variables stand in the source as text: env["AUTH_URL"], `${prefix}_ID`.
  const source = read("lib/config/env.ts").replace(/\/\*[\s\S]*?\*\//g, "")
  const variables = [...source.matchAll(/"([A-Z][A-Z0-9_]{3,})"/g)].map(({ 1: name = "" }) => name)
  const suffixes = [...source.matchAll(/\$\{prefix\}(_[A-Z]+)/g)].map(({ 1: suffix = "" }) => `AUTH_<ID>${suffix}`)

  it.each([...new Set([...variables, ...suffixes])])("has the variable %s", (variable) => {
    expect(text).toContain(`\`${variable}\``)
  })

  it("was held against all variables", () => {
    expect(variables).toEqual(expect.arrayContaining(["AUTH_SECRET", "AUTH_URL", "AUTH_TRUST_HOST", "NODE_ENV"]))
    expect(suffixes).toContain("AUTH_<ID>_ID")
  })
})

describe("docs/errors.md", () => {
  const text = read("docs/errors.md")

  it.each(Object.keys(ERRORS))("explains %s", (type) => {
    expect(text).toContain(`\`${type}\``)
  })

  it.each([...new Set(Object.values(ERRORS).map(({ shown }) => shown))])("explains the value error=%s", (shown) => {
    expect(text).toContain(`\`${shown}\``)
  })
})
