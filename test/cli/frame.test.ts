import { readFileSync, statSync } from "node:fs"
import { Project } from "./support/project.js"

let project: Project
beforeAll(() => {
  project = new Project([])
})
afterAll(() => project.remove())

const wrongUsage = (message: string) => ({ code: 2, out: "", err: `latchkey: ${message}\n` })
const { version, bin } = JSON.parse(readFileSync("package.json", "utf8"))

describe("npx latchkey", () => {
  it("is a command of the package", async () => {
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
    expect(out).toMatch(/^ {2}migrate +creates or updates the tables of SqlAdapter$/m)
  })

  it.each([
    [[], "which command? npx latchkey --help lists them"],
    [["migrat"], 'there is no command "migrat"; did you mean migrate?'],
    [["constructor"], 'there is no command "constructor": npx latchkey --help lists them'],
    [["eject", "--forse"], "there is no option --forse; did you mean --force?"],
    [["eject", "--toString"], "there is no option --toString: --help lists them"],
    [["eject", "-x"], "there is no option -x: --help lists them"],
  ])("%j is told in one line", async (args, message) => {
    expect(await project.latchkey(args)).toEqual(wrongUsage(message))
  })

  it("has a help for each command, made of the options that it takes", async () => {
    const { out } = await project.latchkey(["eject", "--help"])
    expect(out).toContain("Usage: npx latchkey eject [NAME ... | all] [OPTION ...]\n")
    expect(out).toMatch(/^ {2}--to FOLDER +where to; views\/auth when not given$/m)
    expect(out).toMatch(/^ {2}--json +gives the answer as JSON$/m)
  })
})

describe("npx latchkey with --json", () => {
  const json = async (...args: readonly string[]) => {
    const { code, out, err } = await project.latchkey([...args, "--json"])
    return { code, json: JSON.parse(out), err }
  }

  it("answers as data, help and version too", async () => {
    expect(await json("--version")).toEqual({ code: 0, json: { version }, err: "" })
    expect((await json("--help")).json.commands).toMatchObject({ migrate: expect.any(String) })
    expect((await json("migrate", "--help")).json).toMatchObject({
      command: "migrate",
      options: { sqlite: { type: "string", value: "FILE" } },
    })
    expect((await project.latchkey(["--json", "--version"])).out).toBe(`${JSON.stringify({ version }, null, 2)}\n`)
  })

  it("tells on standard output too what went wrong", async () => {
    expect(await json()).toEqual({
      code: 2,
      json: { error: { message: "which command? npx latchkey --help lists them" } },
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

  it("gives what each command has to say", async () => {
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

describe("docs/command-line.md", () => {
  it("has every command, and every option of each", async () => {
    const page = readFileSync("docs/command-line.md", "utf8")
    const { commands } = JSON.parse((await project.latchkey(["--help", "--json"])).out)
    expect(Object.keys(commands)).toContain("init")
    for (const name of Object.keys(commands)) {
      const [, section = ""] = page.split(`\n## \`${name}\`\n`)
      const { options } = JSON.parse((await project.latchkey([name, "--help", "--json"])).out)
      const { json, help, ...own } = options
      expect({ json, help }).toEqual({ json: expect.anything(), help: expect.anything() })
      for (const option of Object.keys(own))
        expect(section.split("\n## ")[0]).toMatch(new RegExp(`^\\| \`--${option}\\b`, "m"))
    }
  })
})
