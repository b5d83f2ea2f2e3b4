import { existsSync, readdirSync } from "node:fs"
import ts from "typescript"
import { OPTIONS } from "../../lib/config/check-options.js"
import { ERRORS } from "../../lib/errors/errors.js"
import { type Block, blocksOf, linkProblem, linksOf, markdownFiles, read, targetOf } from "./support/markdown.js"

const FILES = markdownFiles()
/** The API reference, whose examples are not whole programs. */
const isReference = (file: string) => file.startsWith("docs/api/")

const LANGUAGES: Readonly<Record<string, ts.ScriptKind>> = { js: ts.ScriptKind.JS, ts: ts.ScriptKind.TS }

/** The syntax errors of a snippet, which may contain imports and top-level await. */
function findSyntaxErrors({ code, language }: Block): string[] {
  const { diagnostics = [] } = ts.transpileModule(code, {
    reportDiagnostics: true,
    fileName: `snippet.${language}`,
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, allowJs: true },
  })
  return diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "))
}

it.each(FILES)("%s has no broken links", (file) => {
  expect(linksOf(read(file)).flatMap((link) => linkProblem(link, file) ?? [])).toEqual([])
})

it.each(FILES)("%s names tests that exist", (file) => {
  const named = [...read(file).matchAll(/`(test\/[\w./-]+)`/g)].map(({ 1: path = "" }) => path)
  expect(named.filter((path) => !existsSync(path))).toEqual([])
})

it("docs/security.md has a row for each requirement of ASVS 5.0 V7, with its test", () => {
  const [, table = ""] =
    /\n## OWASP ASVS 5\.0: session management\n([\s\S]*?)\n## /.exec(read("docs/security.md")) ?? []
  const rows = [...table.matchAll(/^\| (7\.\d\.\d) \| .* \| (.*) \| .* \| (.*) \|$/gm)]
  const sizes = [3, 4, 2, 5, 3, 2]
  const expected = sizes.flatMap((size, index) => Array.from({ length: size }, (_, row) => `7.${index + 1}.${row + 1}`))
  expect(rows.map(({ 1: id }) => id)).toEqual(expected)
  const untested = rows.filter(({ 3: tests = "" }) => !tests.startsWith("`test/"))
  expect(untested.map(({ 1: id }) => id)).toEqual([])
})

it("docs/security.md names a test in each row of ASVS 5.0 V6", () => {
  const [, table = ""] = /\n## OWASP ASVS 5\.0: authentication\n([\s\S]*?)\n## /.exec(read("docs/security.md")) ?? []
  const rows = [...table.matchAll(/^\| (6\.\d\.\d) \| .* \| .* \| .* \| (.*) \|$/gm)]
  expect(rows.length).toBeGreaterThan(15)
  expect(rows.filter(({ 2: tests = "" }) => !tests.startsWith("`test/")).map(({ 1: id }) => id)).toEqual([])
})

describe.each(FILES.filter((file) => !isReference(file)))("%s", (file) => {
  const snippets = blocksOf(read(file)).filter(({ language }) => Object.hasOwn(LANGUAGES, language))

  it("has code without syntax errors", () => {
    const faults = snippets.flatMap((block) => findSyntaxErrors(block).map((error) => `line ${block.line}: ${error}`))
    expect(faults).toEqual([])
  })

  it("has code without semicolons and with double quotes", () => {
    const violations = snippets.flatMap(({ code, line }) =>
      code.split("\n").flatMap((row, index) => (/;\s*$|= '|\('/.test(row) ? [`${line + index + 1}: ${row}`] : [])),
    )
    expect(violations).toEqual([])
  })
})

// Express 4 and Connect ignore the promise of a handler, so a rejection would end the process.
const asyncHandlersIn = (code: string) => code.match(/\b(?:app|router)\.\w+\(.*\basync \(_?req\b.*/g) ?? []

it.each(FILES)(`%s passes no async handler to an application, except in a migration's "before" code`, (file) => {
  const samples = blocksOf(read(file)).filter(({ code }) => !code.includes("@auth/express"))
  expect(samples.flatMap(({ code }) => asyncHandlersIn(code))).toEqual([])
})

it(`no example passes an async handler to an application, except in a migration's "before" code`, () => {
  const programs = readdirSync("examples", { recursive: true, encoding: "utf8" }).filter((file) =>
    /(?<!\/before)\.c?[jt]s$/.test(file),
  )
  expect(programs.length).toBeGreaterThan(20)
  expect(programs.flatMap((file) => asyncHandlersIn(read(`examples/${file}`)))).toEqual([])
})

describe("the package's modules", () => {
  const names = Object.keys(JSON.parse(read("package.json")).exports).map((name: string) => name.slice(2))
  const isProvider = (name: string) =>
    name.startsWith("providers/") &&
    existsSync(`lib/${name}.ts`) &&
    /^export .*\bdefault\b/m.test(read(`lib/${name}.ts`))
  const isAdapter = (name: string) => name.startsWith("adapters/") && existsSync(`docs/api/latchkey/${name}.md`)
  const isStore = (name: string) => name.startsWith("stores/") && existsSync(`lib/store/${name.slice(7)}.ts`)
  const isModule = (name: string) =>
    [isProvider, isAdapter, isStore].some((matches) => matches(name)) || names.includes(name)

  it.each(FILES)("%s names only existing modules", (file) => {
    const named = [...read(file).matchAll(/(?<![\w/-])latchkey\/([\w/-]*\w)(?![\w/-])/g)].map(([, name = ""]) => name)
    expect(named.filter((name) => !isModule(name))).toEqual([])
  })
})

describe("docs/README.md", () => {
  /** All pages that are reachable by links from a page. */
  function reachableFrom(page: string, found = new Set<string>()): Set<string> {
    if (found.has(page) || !page.endsWith(".md") || linkProblem(page, "README.md")) return found
    found.add(page)
    for (const link of linksOf(read(page))) reachableFrom(targetOf(link, page), found)
    return found
  }
  const linked = linksOf(read("docs/README.md")).map((link) => targetOf(link, "docs/README.md"))

  it.each(FILES.filter((file) => /^docs\/(?!README)[^/]+$/.test(file)))("links to %s", (file) => {
    expect(linked).toContain(file)
  })

  it("leads to every page of docs/ and every example", () => {
    const found = reachableFrom("docs/README.md")
    expect(FILES.filter((file) => /^(docs|examples)\//.test(file) && !found.has(file))).toEqual([])
  })
})

describe("docs/configuration.md", () => {
  const text = read("docs/configuration.md")
  const members = Object.entries(OPTIONS).flatMap(([name, known]) => known?.map((member) => `${name}.${member}`) ?? [])

  it.each(Object.keys(OPTIONS))("has a heading and a table row for the option %s", (option) => {
    expect(text).toMatch(new RegExp(`^### .*\`${option}\``, "m"))
    expect(text).toMatch(new RegExp(`^\\| \\[\`${option}\`\\]\\(#`, "m"))
  })

  it.each(members)("names %s", (member) => {
    expect(text).toContain(`\`${member}\``)
  })

  const rows = [...text.matchAll(/^\| \[?`([\w.]+)`(?:\]\(#[\w-]+\))? \| (.+) \|$/gm)]
  const findRow = (name: string) => rows.find(([, option]) => option === name)?.[2]?.split(" | ") ?? []

  it.each([...Object.keys(OPTIONS), ...members])("has the type, default and an example of %s", (name) => {
    const cells = findRow(name)
    expect(cells).toEqual([expect.stringMatching(/\S/), expect.stringMatching(/\S/), expect.stringMatching(/\S/)])
    const code = `const example = ${/^`(.+)`$/.exec(cells[2] ?? "")?.[1] ?? "undefined"}`
    expect(findSyntaxErrors({ code, language: "js", line: 0 })).toEqual([])
  })

  it("names no unknown option", () => {
    const listed = [...text.matchAll(/^\| \[`(\w+)`\]\(#/gm)].map(({ 1: option }) => option)
    expect(listed.sort()).toEqual(Object.keys(OPTIONS).sort())
  })

  // Variables occur in the source as text: env["AUTH_URL"], `${prefix}_ID`.
  const source = read("lib/config/env.ts").replace(/\/\*[\s\S]*?\*\//g, "")
  const variables = [...source.matchAll(/"([A-Z][A-Z0-9_]{3,})"/g)].map(({ 1: name = "" }) => name)
  const suffixes = [...source.matchAll(/\$\{prefix\}(_[A-Z]+)/g)].map(({ 1: suffix = "" }) => `AUTH_<ID>${suffix}`)

  it.each([...new Set([...variables, ...suffixes])])("has the variable %s", (variable) => {
    expect(text).toContain(`\`${variable}\``)
  })

  it("is compared with the variables of lib/config/env.ts", () => {
    expect(variables).toEqual(expect.arrayContaining(["AUTH_SECRET", "AUTH_URL", "AUTH_TRUST_HOST", "NODE_ENV"]))
    expect(suffixes).toContain("AUTH_<ID>_ID")
  })
})

describe("docs/errors.md", () => {
  const text = read("docs/errors.md")

  it.each(Object.keys(ERRORS))("explains %s", (type) => {
    expect(text).toContain(`\`${type}\``)
  })

  it.each([...new Set(Object.values(ERRORS).map(({ clientCode }) => clientCode))])(
    "explains the value error=%s",
    (clientCode) => {
      expect(text).toContain(`\`${clientCode}\``)
    },
  )
})
