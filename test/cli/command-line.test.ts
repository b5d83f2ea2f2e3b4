import { readFileSync, statSync } from "node:fs"
import { markdownFiles, read } from "../docs/support/markdown.js"
import { Project } from "./support/project.js"

let project: Project
beforeAll(() => {
  project = new Project([])
})
afterAll(() => project.remove())

const wrongUsage = (message: string) => ({ code: 2, out: "", err: `latchkey: ${message}\n` })
const { version, bin } = JSON.parse(readFileSync("package.json", "utf8"))

describe("npx latchkey", () => {
  it("is an executable of the package", async () => {
    expect(bin).toEqual({ latchkey: "./dist/cli.js" })
    expect(readFileSync(bin.latchkey, "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/)
    expect(statSync(bin.latchkey).mode & 0o111).toBe(0o111)
    const { code, out } = await project.run("npx", ["--offline", "latchkey", "--version"])
    expect({ code, out }).toEqual({ code: 0, out: `${version}\n` })
  })

  it.each([["--help"], ["-h"], ["help"]])("lists its commands with %s", async (word) => {
    const { code, out, err } = await project.latchkey([word])
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(out).toContain("Usage: npx latchkey COMMAND")
    expect(out).toMatch(/^ {2}migrate +creates or updates the tables of SqlAdapter and SqlStore$/m)
  })

  it.each([
    [[], "no command is given: npx latchkey --help lists them"],
    [["migrat"], 'there is no command "migrat"; did you mean migrate?'],
    [["constructor"], 'there is no command "constructor": npx latchkey --help lists them'],
    [["eject", "--forse"], "there is no option --forse; did you mean --force?"],
    [["eject", "--toString"], "there is no option --toString: --help lists them"],
    [["eject", "-x"], "there is no option -x: --help lists them"],
  ])("%j prints a one-line error", async (args, message) => {
    expect(await project.latchkey(args)).toEqual(wrongUsage(message))
  })

  it("shows the options of each command in its help", async () => {
    const { out } = await project.latchkey(["eject", "--help"])
    expect(out).toContain("Usage: npx latchkey eject [NAME ... | all] [OPTION ...]\n")
    expect(out).toMatch(/^ {2}--to FOLDER +the target folder; default: views\/auth$/m)
    expect(out).toMatch(/^ {2}--json +print the result as JSON$/m)
  })
})

describe("npx latchkey with --json", () => {
  const json = async (...args: readonly string[]) => {
    const { code, out, err } = await project.latchkey([...args, "--json"])
    return { code, json: JSON.parse(out), err }
  }

  it("prints results, help and version as JSON", async () => {
    expect(await json("--version")).toEqual({ code: 0, json: { version }, err: "" })
    expect((await json("--help")).json.commands).toMatchObject({ migrate: expect.any(String) })
    expect((await json("migrate", "--help")).json).toMatchObject({
      command: "migrate",
      options: { sqlite: { type: "string", value: "FILE" } },
    })
    expect((await project.latchkey(["--json", "--version"])).out).toBe(`${JSON.stringify({ version }, null, 2)}\n`)
  })

  it("prints errors as JSON on standard output", async () => {
    expect(await json()).toEqual({
      code: 2,
      json: { error: { message: "no command is given: npx latchkey --help lists them" } },
      err: "",
    })
    expect(await json("providers", "githubb")).toEqual({
      code: 2,
      json: { error: { message: 'there is no provider "githubb"; did you mean github?' } },
      err: "",
    })
    const down = await json("migrate", "--sqlite", "no/where/auth.db")
    expect(down).toEqual({ code: 1, json: { error: { message: expect.any(String) } }, err: "" })
  })

  it("prints the result of each command as JSON", async () => {
    const { providers } = (await json("providers")).json
    expect(providers).toContainEqual({
      id: "hydra",
      name: expect.stringContaining("Hydra"),
      type: "oidc",
      module: "latchkey/providers/ory-hydra",
    })
    expect((await json("providers", "github")).json).toMatchObject({
      id: "github",
      redirectUri: "http://localhost:3000/auth/callback/github",
      environment: [
        { name: "AUTH_GITHUB_ID", isSet: false },
        { name: "AUTH_GITHUB_SECRET", isSet: false },
      ],
    })
    expect((await json("eject")).json.templates).toMatchObject({ signin: "signin.ejs" })
    expect((await json("eject", "error")).json).toEqual({ written: ["views/auth/error.ejs"], views: "./views/auth" })
  })
})

/** The calls of `npx latchkey` in a page, up to the end of the code, a comment or another program. */
const callsIn = (text: string): readonly string[] =>
  [...text.matchAll(/\bnpx latchkey ([^`\n#|>]+)/g)].map(({ 1: words = "" }) => words.trim())
const optionsIn = (text: string): readonly string[] =>
  [...text.matchAll(/(?<![\w-])--([a-z][\w-]*)/g)].map(({ 1: name = "" }) => name)

describe("the documentation", () => {
  const page = readFileSync("docs/command-line.md", "utf8")
  const sections = page.split(/^## /m).slice(1)
  /** The options of each command, including the common ones. */
  const options = new Map<string, readonly string[]>()

  beforeAll(async () => {
    const helpOf = async (...args: readonly string[]) =>
      JSON.parse((await project.latchkey([...args, "--help", "--json"])).out)
    for (const name of Object.keys((await helpOf()).commands))
      options.set(name, Object.keys((await helpOf(name)).options))
    expect(options.get("init")).toEqual(expect.arrayContaining(["provider", "json", "help"]))
  })

  it("lists exactly the commands of --help in docs/command-line.md, in the same order", () => {
    const listed = [...page.matchAll(/^\| \[`([^`]+)`\]\(#([^)]+)\) \|/gm)].map(({ 1: name, 2: anchor }) => [
      name,
      anchor,
    ])
    expect(listed).toEqual([...options.keys()].map((name) => [name, name]))
  })

  it("has a section for exactly these commands", () => {
    const named = sections.flatMap((section) => /^`([^`]+)`\n/.exec(section)?.[1] ?? [])
    expect(named).toEqual([...options.keys()])
  })

  it("has a table row for exactly the options of each command", () => {
    const rowsOf = (name: string) =>
      sections
        .filter((section) => section.startsWith(`\`${name}\`\n`))
        .flatMap((section) => [...section.matchAll(/^\| `--([\w-]+)\b/gm)].map(({ 1: option }) => option))
    const rows = Object.fromEntries([...options.keys()].map((name) => [name, ["json", "help", ...rowsOf(name)].sort()]))
    expect(rows).toEqual(Object.fromEntries([...options].map(([name, own]) => [name, [...own].sort()])))
  })

  it("mentions only existing options in each command's section", () => {
    const unknown = sections.flatMap((section) => {
      const own = options.get(/^`([^`]+)`\n/.exec(section)?.[1] ?? "")
      return own ? optionsIn(section).filter((option) => !own.includes(option)) : []
    })
    expect(unknown).toEqual([])
  })

  it("shows only valid calls on all pages", () => {
    const isKnown = (call: string) => {
      if (["--help", "--version"].includes(call)) return true
      const [command = ""] = /^[\w-]+/.exec(call) ?? []
      const own = command === "COMMAND" ? ["help"] : options.get(command)
      return own !== undefined && optionsIn(call).every((option) => own.includes(option))
    }
    const calls = markdownFiles().flatMap((file) => callsIn(read(file)).map((call) => ({ file, call })))
    expect(calls.length).toBeGreaterThan(40)
    expect(calls.filter(({ call }) => !isKnown(call))).toEqual([])
  })
})
