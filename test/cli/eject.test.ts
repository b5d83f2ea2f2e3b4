import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Project } from "./support/project.js"

let project: Project
beforeEach(() => {
  project = new Project([])
})
afterEach(() => project.remove())

const eject = (...args: readonly string[]) => project.latchkey(["eject", ...args])
const read = (path: string) => readFileSync(join(project.folder, path), "utf8")
const builtIn = (file: string) => readFileSync(join("views", file), "utf8")
const wrongUsage = (message: string) => ({ code: 2, out: "", err: `latchkey: ${message}\n` })

describe("npx latchkey eject", () => {
  it("lists the templates and copies nothing", async () => {
    const { code, out, err } = await eject()
    expect({ code, err }).toEqual({ code: 0, err: "" })
    for (const name of ["signin", "layout", "methods/oauth", "mail/sign-in.html"])
      expect(out).toMatch(new RegExp(`^  ${name} +${name}\\.ejs$`, "m"))
    expect(out).toMatch(/^ {2}styles\.css +styles\.css$/m)
    expect(out).toMatch(/^ {2}locales\/de\.json +locales\/de\.json$/m)
    // The built script is not a template, and custom icons have their own names.
    expect(out).not.toMatch(/\.js$|\.svg$/m)
    expect(() => read("views/auth/signin.ejs")).toThrow("ENOENT")
  })

  it("copies a page unchanged and shows the line for the configuration", async () => {
    expect(await eject("signin")).toEqual({
      code: 0,
      out: 'latchkey: wrote views/auth/signin.ejs\n\nAdd this to the configuration:\n\n  views: "./views/auth"\n',
      err: "",
    })
    expect(read("views/auth/signin.ejs")).toBe(builtIn("signin.ejs"))
    expect(() => read("views/auth/methods/oauth.ejs")).toThrow("ENOENT")
  })

  it("copies several templates and parts, with or without their extension", async () => {
    const { code } = await eject("error", "methods/oauth", "styles.css", "layout.ejs", "error.ejs")
    expect(code).toBe(0)
    for (const file of ["error.ejs", "methods/oauth.ejs", "styles.css", "layout.ejs"])
      expect(read(`views/auth/${file}`)).toBe(builtIn(file))
  })

  it("copies every listed template with `all`", async () => {
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
  ])("copies into the folder of --to %s", async (to, option) => {
    mkdirSync(join(project.folder, "app"))
    const { code, out } = await project.latchkey(["eject", "signin", "--to", to], { in: "app" })
    expect(code).toBe(0)
    expect(out).toContain(`  views: ${JSON.stringify(option)}\n`)
    expect(read(join("app", to, "signin.ejs"))).toBe(builtIn("signin.ejs"))
  })

  it("writes nothing if a file exists, unless --force is given", async () => {
    await eject("signin")
    writeFileSync(join(project.folder, "views/auth/signin.ejs"), "mine")
    expect(await eject("error", "signin")).toEqual({
      code: 1,
      out: "",
      err: "latchkey: views/auth/signin.ejs already exists, so nothing was written. Use --force to overwrite\n",
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
  ])("%j prints a one-line error and copies nothing", async (args, message) => {
    expect(await eject(...args)).toEqual(wrongUsage(message))
    expect(() => read("views/auth/signin.ejs")).toThrow("ENOENT")
  })

  it("prints a one-line error if it cannot write", async () => {
    writeFileSync(join(project.folder, "taken"), "a file")
    const { code, out, err } = await eject("signin", "--to", "taken")
    expect({ code, out }).toEqual({ code: 1, out: "" })
    expect(err).toMatch(/^latchkey: E\w+: [^\n]*taken[^\n]*\n$/)
  })

  it("has its own help and is in the list of commands", async () => {
    expect((await eject("--help")).out).toContain("Usage: npx latchkey eject [NAME ... | all]")
    expect((await project.latchkey(["--help"])).out).toMatch(/^ {2}eject +copies built-in templates/m)
  })
})

describe("a template that was copied and changed", () => {
  /** An application with the views option that the command prints; prints its pages. */
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

  it("is used by the middleware together with the built-in parts and pages", async () => {
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
