import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Project } from "./support/project.js"

/** What the package needs to serve a page. */
const DEPENDENCIES = ["cookie", "ejs", "jose", "oauth4webapi"]

let project: Project
beforeEach(() => {
  project = new Project(DEPENDENCIES)
})
afterEach(() => project.remove())

const eject = (...args: readonly string[]) => project.latchkey(["eject", ...args])
const read = (path: string) => readFileSync(join(project.folder, path), "utf8")
const builtIn = (file: string) => readFileSync(join("views", file), "utf8")
const wrongUsage = (message: string) => ({ code: 2, out: "", err: `latchkey: ${message}\n` })

describe("npx latchkey eject", () => {
  it("lists what can be copied, and copies nothing", async () => {
    const { code, out, err } = await eject()
    expect({ code, err }).toEqual({ code: 0, err: "" })
    for (const name of ["signin", "layout", "methods/oauth", "mail/sign-in.html"])
      expect(out).toMatch(new RegExp(`^  ${name} +${name}\\.ejs$`, "m"))
    expect(out).toMatch(/^ {2}styles\.css +styles\.css$/m)
    expect(out).toMatch(/^ {2}locales\/de\.json +locales\/de\.json$/m)
    // Our script is built, and an icon of one's own has a name of its own.
    expect(out).not.toMatch(/\.js$|\.svg$/m)
    expect(() => read("views/auth/signin.ejs")).toThrow("ENOENT")
  })

  it("copies a page as it is, and says what to write into the configuration", async () => {
    expect(await eject("signin")).toEqual({
      code: 0,
      out: 'latchkey: wrote views/auth/signin.ejs\n\nIn the configuration:\n\n  views: "./views/auth"\n',
      err: "",
    })
    expect(read("views/auth/signin.ejs")).toBe(builtIn("signin.ejs"))
    expect(() => read("views/auth/methods/oauth.ejs")).toThrow("ENOENT")
  })

  it("copies several, parts too, with or without their ending", async () => {
    const { code } = await eject("error", "methods/oauth", "styles.css", "layout.ejs", "error.ejs")
    expect(code).toBe(0)
    for (const file of ["error.ejs", "methods/oauth.ejs", "styles.css", "layout.ejs"])
      expect(read(`views/auth/${file}`)).toBe(builtIn(file))
  })

  it("copies everything that it lists", async () => {
    const listed = [...(await eject()).out.matchAll(/^ {2}\S+ +(\S+)$/gm)].map(([, file = ""]) => file)
    expect((await eject("all")).code).toBe(0)
    expect(listed.length).toBeGreaterThan(20)
    for (const file of listed) expect(read(`views/auth/${file}`)).toBe(builtIn(file))
  })

  it.each([
    ["pages", "./pages"],
    ["./pages/", "./pages"],
    ["views/../pages", "./pages"],
    [".", "."],
    ["../beside", "../beside"],
  ])("copies into the folder --to %s", async (to, option) => {
    mkdirSync(join(project.folder, "app"))
    const { code, out } = await project.latchkey(["eject", "signin", "--to", to], { in: "app" })
    expect(code).toBe(0)
    expect(out).toContain(`  views: ${JSON.stringify(option)}\n`)
    expect(read(join("app", to, "signin.ejs"))).toBe(builtIn("signin.ejs"))
  })

  it("leaves what is there alone, all of it, until it is forced", async () => {
    await eject("signin")
    writeFileSync(join(project.folder, "views/auth/signin.ejs"), "mine")
    expect(await eject("error", "signin")).toEqual({
      code: 1,
      out: "",
      err: "latchkey: views/auth/signin.ejs: there already, and nothing was written; --force writes over what is there\n",
    })
    expect(read("views/auth/signin.ejs")).toBe("mine")
    expect(() => read("views/auth/error.ejs")).toThrow("ENOENT")
    expect((await eject("error", "signin", "--force")).code).toBe(0)
    expect(read("views/auth/signin.ejs")).toBe(builtIn("signin.ejs"))
  })

  it.each([
    [["sigin"], 'there is no template "sigin"; did you mean signin?'],
    [["../package.json"], 'there is no template "../package.json": npx latchkey eject lists them'],
    [["../views/signin"], 'there is no template "../views/signin": npx latchkey eject lists them'],
    [["/etc/passwd"], 'there is no template "/etc/passwd": npx latchkey eject lists them'],
    [["methods/../signin"], 'there is no template "methods/../signin": npx latchkey eject lists them'],
    [["passkeys.js"], 'there is no template "passkeys.js": npx latchkey eject lists them'],
    [["signin", "nothing"], 'there is no template "nothing": npx latchkey eject lists them'],
    [["signin", "--to", ""], "--to is empty"],
  ])("%j is told in one line, and nothing is copied", async (args, message) => {
    expect(await eject(...args)).toEqual(wrongUsage(message))
    expect(() => read("views/auth/signin.ejs")).toThrow("ENOENT")
  })

  it("says in one line that it can't write", async () => {
    writeFileSync(join(project.folder, "taken"), "a file")
    const { code, out, err } = await eject("signin", "--to", "taken")
    expect({ code, out }).toEqual({ code: 1, out: "" })
    expect(err).toMatch(/^latchkey: E\w+: [^\n]*taken[^\n]*\n$/)
  })

  it("has a help of its own, and is in the list of commands", async () => {
    expect((await eject("--help")).out).toContain("Usage: npx latchkey eject [NAME ... | all]")
    expect((await project.latchkey(["--help"])).out).toMatch(/^ {2}eject +copies built-in templates/m)
  })
})

describe("A template that was copied and changed", () => {
  /** An application with the option as the command says it; shows its pages. */
  const SERVER = `
    import { createServer } from "node:http"
    import { authMiddleware } from "latchkey"
    import Credentials from "latchkey/providers/credentials"

    const auth = authMiddleware({
      providers: [Credentials({ credentials: { name: {} }, authorize: () => null })],
      secret: "a secret for tests alone, of forty-eight letters",
      views: process.argv[2],
    })
    const server = createServer((req, res) => auth(req, res, () => res.end()))
    await new Promise((done) => server.listen(0, "127.0.0.1", done))
    const site = "http://127.0.0.1:" + server.address().port
    for (const page of ["signin", "error?error=AccessDenied"])
      console.log(await (await fetch(site + "/auth/" + page, { headers: { accept: "text/html" } })).text())
    server.close()
  `

  it("is what the middleware shows, with built-in parts and pages beside it", async () => {
    const option = /views: "(.+)"/.exec((await eject("signin")).out)?.[1] ?? ""
    const path = join(project.folder, "views/auth/signin.ejs")
    writeFileSync(path, read("views/auth/signin.ejs").replace("<h1>", '<h1 class="ours">'))
    const { code, out, err } = await project.node(SERVER, [option])
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(out).toContain('<h1 class="ours">Sign in</h1>')
    expect(out).toMatch(/<form [^>]*action="[^"]*\/auth\/callback\/credentials"/)
    expect(out).toContain("<h1>You don&#39;t have access</h1>")
  })
})
