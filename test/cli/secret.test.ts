import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { readExplanation } from "../../lib/errors/explanation.js"
import { Project } from "./support/project.js"

let project: Project
let folder: string
beforeAll(() => {
  project = new Project([])
})
beforeEach(() => {
  folder = mkdtempSync(join(project.folder, "app-"))
})
afterAll(() => project.remove())

const secret = (...args: readonly string[]) => project.latchkey(["secret", ...args], { in: basename(folder) })
const at = (path: string) => join(folder, path)
const read = (path: string) => readFileSync(at(path), "utf8")
const modeOf = (path: string) => (statSync(at(path)).mode & 0o777).toString(8)

const SECRET = "[A-Za-z0-9+/]{44}"
const done = { code: 0, out: "latchkey: wrote AUTH_SECRET into .env\n", err: "" }

describe("npx latchkey secret", () => {
  it("prints a new secret each time and writes nothing", async () => {
    const [one, other] = await Promise.all([secret(), secret("--json")])
    expect(one).toEqual({ code: 0, out: expect.stringMatching(new RegExp(`^${SECRET}\n$`)), err: "" })
    const json = JSON.parse(other.out)
    expect(json).toEqual({ secret: expect.stringMatching(new RegExp(`^${SECRET}$`)) })
    expect(json.secret).not.toBe(one.out.trim())
    expect(readdirSync(folder)).not.toContain(".env")
  })

  it("writes it into a new .env with mode 600 and does not print it", async () => {
    expect(await secret("--write")).toEqual(done)
    expect(read(".env")).toMatch(new RegExp(`^AUTH_SECRET=${SECRET}\n$`))
    expect(modeOf(".env")).toBe("600")
  })

  it("keeps the rest of the file, its mode, its line ends and its link target", async () => {
    const [before, after] = ["# mine\r\nB='two words'\r\nAUTH_SECRET=", " # sealed with it\r\nC=3"]
    writeFileSync(at("shared.env"), before + after, { mode: 0o640 })
    symlinkSync("shared.env", at(".env"))
    expect(await secret("--write")).toEqual(done)
    const text = read("shared.env")
    expect([text.slice(0, before.length), text.slice(before.length + 44)]).toEqual([before, after])
    expect(modeOf("shared.env")).toBe("640")
    expect(read(".env")).toBe(text)
    expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([])
  })

  it("keeps an existing secret, and names the documentation for changing it", async () => {
    writeFileSync(at(".env"), "export AUTH_SECRET='mine'\n")
    const { code, out, err } = await secret("--write")
    expect({ code, out }).toEqual({ code: 1, out: "" })
    expect(err).toMatch(
      /^latchkey: AUTH_SECRET is already set in \.env .*"Changing the secret" in docs\/sessions\.md\n$/,
    )
    expect(read(".env")).toBe("export AUTH_SECRET='mine'\n")
    const docs = readFileSync("docs/sessions.md", "utf8")
    expect(docs).toContain("\n## Changing the secret\n")
  })

  it("the commands in the fix of secret-too-short work", async () => {
    writeFileSync(at(".env"), "AUTH_SECRET=short\n")
    const { fix } = readExplanation("secret-too-short")
    const commands = [...fix.matchAll(/^npx latchkey secret *([^#\n]*)/gm)].map(([, args = ""]) => args.split(/ +/))
    expect(commands).not.toEqual([])
    for (const args of commands) expect(await secret(...args.filter(Boolean))).toMatchObject({ code: 0 })
    // A list with a short secret is rejected in production too.
    expect(fix).not.toMatch(/secret: \[/)
  })

  it("warns if git would commit the file", async () => {
    execFileSync("git", ["init", "-q"], { cwd: folder })
    const { code, out } = await secret("--write", "--json")
    expect(code).toBe(0)
    expect(JSON.parse(out)).toEqual({
      file: ".env",
      variable: "AUTH_SECRET",
      warnings: ["git does not ignore .env: add it to .gitignore, because it contains a secret"],
    })
    writeFileSync(at(".gitignore"), "*.local\n")
    writeFileSync(at("shared.env"), "A=1\n", { mode: 0o644 })
    execFileSync("git", ["add", "shared.env"], { cwd: folder })
    expect(JSON.parse((await secret("--write", "--file", "shared.env", "--json")).out).warnings).toEqual([
      expect.stringContaining("run git rm --cached shared.env"),
      expect.stringContaining("chmod 600 shared.env"),
    ])
    expect((await secret("--write", "--file", "prod.local")).out).toBe("latchkey: wrote AUTH_SECRET into prod.local\n")
  })

  it.each([
    [["--file", "x.env"], "--file needs --write: npx latchkey secret --write --file PATH", 2],
    [["--write", "--file", "no/where/.env"], /^latchkey: ENOENT[^\n]*\n$/, 1],
    [["--write", "--file", "."], /^latchkey: EISDIR[^\n]*\n$/, 1],
  ])("%j prints a one-line error", async (args, message, code) => {
    const outcome = await secret(...args)
    expect(outcome).toMatchObject({ code, out: "" })
    expect(outcome.err).toMatch(message)
  })
})
