import { execFileSync } from "node:child_process"
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { basename, join, resolve } from "node:path"
import Database from "better-sqlite3"
import { startMailServer } from "../contracts/support/smtp.js"
import { signInAtDevProvider } from "../examples/support/dev-person.js"
import { freePortPair } from "../examples/support/run-example.js"
import { Browser } from "../support/browser.js"
import { type Answer, hasTerminal, KEYS, runAtTerminal } from "./support/at-terminal.js"
import { Project } from "./support/project.js"
import { startServer } from "./support/started.js"

/** What the written applications may need: people install it as `init` tells them. */
const INSTALLED = [
  ...["cookie", "ejs", "jose", "oauth4webapi"],
  ...["express", "hono", "@hono/node-server", "fastify", "nodemailer", "@simplewebauthn/server"],
  ...["kysely", "better-sqlite3", "bindings", "file-uri-to-path", "pg", "typescript", "@types"],
]

let project: Project
beforeAll(() => {
  project = new Project(INSTALLED)
})
afterAll(() => project.remove())

let folder: string
/** Another folder of a user, with a package.json of its own. */
function createFolder(manifest: object = { private: true, type: "module" }): void {
  folder = mkdtempSync(join(project.folder, "app-"))
  write("package.json", JSON.stringify(manifest))
}
beforeEach(() => createFolder())

const at = (path: string) => join(folder, path)
const read = (path: string) => readFileSync(at(path), "utf8")
const write = (path: string, text: string) => writeFileSync(at(path), text)
const init = (args: readonly string[], env: Record<string, string> = {}) =>
  project.latchkey(["init", ...args], { in: basename(folder), env })

async function initJson(...args: readonly string[]) {
  const { code, out, err } = await init([...args, "--json"])
  expect({ code, err }).toEqual({ code: 0, err: "" })
  return JSON.parse(out)
}

/** The provider for development listens where no other test does. */
async function moveDevProvider(file: string): Promise<void> {
  write(file, read(file).replace("devProvider()", `devProvider({ port: ${await freePortPair()} })`))
}

describe("What npx latchkey init writes", () => {
  it.each([
    ["Express, with import", ["--yes"], { type: "module" }, ["auth.js", "server.js"]],
    ["Express, with require", ["--dev"], {}, ["auth.js", "server.js"]],
    [
      "Express, with require among modules",
      ["--dev", "--language", "commonjs"],
      { type: "module" },
      ["auth.cjs", "server.cjs"],
    ],
    ["Hono", ["--dev", "--language", "esm"], { dependencies: { hono: "4" } }, ["auth.mjs", "server.mjs"]],
    ["Fastify", ["--dev", "--session", "sqlite"], { dependencies: { fastify: "5" } }, ["auth.js", "server.js"]],
  ] as const)("for %s, starts and signs in, with no account anywhere", async (_, args, manifest, files) => {
    createFolder(manifest)
    const told = await initJson(...args)
    expect(told.files).toEqual([...files, ".env", ".gitignore"].map((path) => ({ path, status: "new" })))
    expect(told).toMatchObject({
      run: `node --env-file=.env ${files[1]}`,
      open: "http://localhost:3000/me",
      unfilled: [],
    })
    await moveDevProvider(files[0])
    const server = await startServer(folder, files[1])
    const browser = new Browser({ origin: server.origin })
    const page = await signInAtDevProvider(browser, { path: "/me", as: "bob" })
    expect(page.url).toBe(`${server.origin}/me`)
    expect(await page.json()).toMatchObject({ name: "Bob" })
    expect(await (await browser.get("/")).json()).toMatchObject({ signedInAs: { name: "Bob" } })
    await server.stop()
  })

  it.each(["express", "express4"])("answers 503 and goes on without its tables, with %s", async (version) => {
    createFolder({ type: "module", dependencies: { express: "*" } })
    mkdirSync(at("node_modules"))
    symlinkSync(resolve("node_modules", version), at("node_modules/express"))
    await initJson("--credentials", "--session", "sqlite")
    const server = await startServer(folder, "server.js")
    new Database(at("auth.db")).exec("DROP TABLE sessions").close()
    const cookie = "authjs.session-token=5f1c8e2a-0000-4000-8000-000000000000"
    for (const path of ["/", "/me", "/"])
      expect((await fetch(server.origin + path, { headers: { cookie } })).status).toBe(503)
    await server.stop()
  })

  it("with links by e-mail signs in by one, and keeps people in SQLite", async () => {
    const told = await initJson("--email")
    expect(told.unfilled).toEqual(["AUTH_NODEMAILER_SERVER", "AUTH_NODEMAILER_FROM"])
    expect(told.install.join(" ")).toMatch(/^npm install latchkey express kysely .*\bnodemailer\b/)
    const mails = await startMailServer()
    const from = "Example <no-reply@example.com>"
    // As somebody fills it in.
    write(".env", read(".env").replace("SERVER=", `SERVER=${mails.url}`).replace("FROM=", `FROM="${from}"`))
    const server = await startServer(folder, "server.js")
    const browser = new Browser({ origin: server.origin })
    const page = await browser.get("/me", { follow: true })
    await browser.submit(browser.form(await page.text(), "/signin/nodemailer"), { email: "ada@example.com" })
    const raw = (mails.delivered[0]?.raw ?? "").replace(/=\r?\n/g, "").replace(/=3D/g, "=")
    const [link = ""] = /http:\/\/localhost:\d+\/auth\/callback\/nodemailer\?[^\s"<]+/.exec(raw) ?? []
    const landed = await browser.get(link, { follow: true })
    expect(await landed.json()).toMatchObject({ email: "ada@example.com" })
    expect(statSync(at("auth.db")).size).toBeGreaterThan(0)
    await Promise.all([server.stop(), mails.close()])
  })

  it("in TypeScript compiles strictly for each framework, and starts", async () => {
    const ways = ["keycloak,apple,loops,netsuite,microsoft-entra-id", "github"]
    const outcomes = [
      ["express", "--provider", `${ways[0]}`, "--session", "postgres"],
      ["hono", "--provider", `${ways[1]}`, "--email", "--dev"],
      ["fastify", "--passkeys", "--credentials", "--session", "sqlite"],
    ].map(async ([framework = "", ...args]) => {
      mkdirSync(at(framework))
      writeFileSync(join(folder, framework, "package.json"), `{ "type": "module" }`)
      const words = ["init", "--framework", framework, "--language", "typescript", ...args, "--json"]
      return project.latchkey(words, { in: join(basename(folder), framework) })
    })
    for (const { code, out } of await Promise.all(outcomes)) {
      expect(code).toBe(0)
      expect(JSON.parse(out)).toMatchObject({
        run: "npx tsx --env-file=.env server.ts",
        install: [expect.any(String), expect.stringMatching(/^npm install --save-dev tsx typescript @types\/node/)],
      })
    }
    const options = { strict: true, noUnusedLocals: true, noUnusedParameters: true, skipLibCheck: true, rootDir: "." }
    write(
      "tsconfig.json",
      JSON.stringify({ compilerOptions: { ...options, module: "nodenext", target: "es2022", types: ["node"] } }),
    )
    const compiled = await project.run(process.execPath, [resolve("node_modules/typescript/bin/tsc")], {
      in: basename(folder),
    })
    expect(compiled).toMatchObject({ code: 0, out: "" })
    const server = await startServer(at("fastify"), "server.js")
    const browser = new Browser({ origin: server.origin })
    const html = await (await browser.get("/me", { follow: true })).text()
    expect(html).toContain('type="password"')
    // Nobody gets in before somebody says who may.
    const form = browser.form(html, "/callback/credentials")
    const refused = await browser.submit(form, { email: "a@example.com", password: "x" }, { follow: true })
    expect(new URL(refused.url).searchParams.get("error")).toBe("CredentialsSignin")
    await server.stop()
  }, 90_000)

  it("has in .env what is to be filled in, where to get it, and a secret", async () => {
    const told = await initJson("--provider", "github,keycloak", "--session", "mysql")
    expect(read(".env")).toMatch(
      /^# Seals sessions\..*\nAUTH_SECRET=[\w+/]{44}\n\n# GitHub: https:\/\/github\.com\/settings/,
    )
    expect(read(".env")).toContain(
      "# Redirect URI to register: http://localhost:3000/auth/callback/github\nAUTH_GITHUB_ID=\nAUTH_GITHUB_SECRET=\n",
    )
    expect(read(".env")).toMatch(/\n# The database: mysql:\/\/.*\nDATABASE_URL=\n$/)
    expect(statSync(at(".env")).mode & 0o777).toBe(0o600)
    expect(read(".gitignore")).toBe("node_modules\n.env\n")
    expect(told.redirectUris).toEqual([
      expect.objectContaining({ id: "github", uri: "http://localhost:3000/auth/callback/github" }),
      expect.objectContaining({ id: "keycloak", uri: "http://localhost:3000/auth/callback/keycloak" }),
    ])
    expect(told.unfilled).toContain("DATABASE_URL")
    expect(JSON.stringify(told)).not.toContain(/AUTH_SECRET=(.*)/.exec(read(".env"))?.[1])
  })
})

describe("npx latchkey init", () => {
  it("writes over nothing: it shows the lines for what is there, and adds names to .env that it lacks", async () => {
    createFolder({ type: "module", dependencies: { express: "5" } })
    mkdirSync(at("src"))
    const [mine, env] = ["// mine\n", "AUTH_SECRET=mine\r\nAUTH_GITHUB_ID=abc"]
    for (const path of ["src/app.js", "src/auth.js"]) write(path, mine)
    write(".env", env)
    write(".gitignore", "node_modules\n/.env")
    const { code, out } = await init(["--provider", "github", "--session", "sqlite"], {
      AUTH_URL: "https://example.com",
    })
    expect(code).toBe(0)
    expect([read("src/app.js"), read("src/auth.js")]).toEqual([mine, mine])
    expect(out).toContain("latchkey: src/auth.js is there already and stays as it is. This would have been written:")
    expect(out).toContain(`  export const adapter = SqlAdapter({ sqlite: "auth.db" })\n`)
    expect(out).toContain(
      'Add to src/app.js:\n\n  import { authMiddleware, optionalAuth, requireAuth } from "latchkey"\n',
    )
    expect(out).toContain("  app.use(authMiddleware(authConfig))\n")
    expect(out).toContain("https://example.com/auth/callback/github")
    expect(out).toContain("node --env-file=.env src/app.js\n")
    expect(read(".env").startsWith(`${env}\r\n\r\n# GitHub`)).toBe(true)
    expect(read(".env").endsWith("\r\nAUTH_GITHUB_SECRET=")).toBe(true)
    expect(read(".env").match(/AUTH_GITHUB_ID/g)).toHaveLength(1)
    expect(read(".gitignore")).toBe("node_modules\n/.env\nauth.db*\n")
    // And all is there when it is run again.
    const before = readdirSync(folder).map((name) => (name === "src" ? "" : read(name)))
    await init(["--provider", "github", "--session", "sqlite"], { AUTH_URL: "https://example.com" })
    expect(readdirSync(folder).map((name) => (name === "src" ? "" : read(name)))).toEqual(before)
  })

  it("has the tables made before an application of CommonJS listens", async () => {
    write("package.json", "{}")
    write("server.js", "")
    const told = await initJson("--provider", "github", "--session", "sqlite", "--language", "commonjs")
    expect(told.addTo.text).toContain("adapter.migrate().then(() => app.listen(3000))")
  })

  it("shows the handlers for a framework that it does not know", async () => {
    const told = await initJson("--framework", "other", "--dev")
    expect(told).toMatchObject({ run: null, open: "http://localhost:3000/api/auth/signin" })
    expect(told.addTo.text).toContain("const { GET, POST } = authHandlers(authConfig)")
    expect(readdirSync(folder).sort()).toEqual([".env", ".gitignore", "auth.js", "package.json"])
  })

  it("writes nothing with --dry-run, and shows all of it", async () => {
    const told = await initJson("--yes", "--dry-run")
    expect(told.isDryRun).toBe(true)
    expect(told.files.map(({ path }: { path: string }) => path)).toEqual(["auth.js", "server.js", ".env", ".gitignore"])
    expect(told.files[0].text).toContain("export const authConfig = {")
    const { out } = await init(["--yes", "--dry-run"])
    expect(out).toContain('latchkey: would write server.js:\n\n  import express from "express"\n')
    expect(readdirSync(folder)).toEqual(["package.json"])
  })

  it("shows of an .env only the lines that it would add, and no value", async () => {
    write(".env", "DATABASE_PASSWORD=hunter2\nAUTH_SECRET=\n")
    write(".gitignore", "private-customers\n")
    const args = ["--provider", "github", "--dry-run"]
    const [{ out }, json] = [await init(args), await initJson(...args)]
    const [, env, ignore] = json.files.map(({ text }: { text: string }) => text).slice(-3)
    expect(env).toContain("AUTH_SECRET=[masked]\n")
    expect(env).toContain("AUTH_GITHUB_ID=\n")
    expect(ignore).toBe(".env\n")
    for (const text of [out, JSON.stringify(json)]) expect(text).not.toMatch(/hunter2|DATABASE_PASSWORD|customers/)
  })

  it("warns of an .env that git tracks, and of one that others can read", async () => {
    write(".env", "A=1\n")
    chmodSync(at(".env"), 0o644)
    execFileSync("git", ["init", "-q"], { cwd: folder })
    execFileSync("git", ["add", ".env"], { cwd: folder })
    const { warnings } = await initJson("--yes")
    expect(warnings).toEqual([
      expect.stringMatching(/^git tracks \.env, so the secret would be committed: run git rm --cached \.env/),
      expect.stringMatching(/^\.env has the mode 0644, .*: chmod 600 \.env$/),
    ])
    write("auth.js", "")
    expect((await init(["--yes"])).out).toContain("latchkey: git tracks .env")
  })

  it("warns of nothing where .env is new: it is ignored, and readable by its owner alone", async () => {
    execFileSync("git", ["init", "-q"], { cwd: folder })
    expect((await initJson("--yes")).warnings).toEqual([])
  })

  it("writes all or nothing", async () => {
    // A link to nowhere, found when two files are written already.
    symlinkSync("no/where", at(".env"))
    const { code, err } = await init(["--yes"])
    expect(code).toBe(1)
    expect(err).toMatch(/^latchkey: EEXIST[^\n]*\.env[^\n]*\n$/)
    expect(readdirSync(folder).sort()).toEqual([".env", "package.json"])
  })

  it.each([
    [[], 2, /how do people sign in\? Give --provider ID,ID, --email, --passkeys, --credentials or --dev; --yes/],
    [["--email", "--session", "cookie"], 2, /kept in a database: give --session sqlite, postgres or mysql/],
    [["--provider", "githubb"], 2, /there is no provider "githubb"; did you mean github\?/],
    [["--dev", "--session", "sqllite"], 2, /--session has no "sqllite"; did you mean sqlite\?/],
    [["--dev", "--framework", "koa"], 2, /--framework has no "koa"; there are express, hono, fastify, other/],
  ])("%j is told in one line, and nothing is written", async (args, code, message) => {
    const outcome = await init(args)
    expect(outcome).toMatchObject({ code, out: "" })
    expect(outcome.err).toMatch(message)
    expect(outcome.err).toMatch(/^latchkey: [^\n]+\n$/)
    expect(readdirSync(folder)).toEqual(["package.json"])
  })

  it("says what to do where there is no package.json", async () => {
    folder = mkdtempSync(join(project.folder, "bare-"))
    expect(await init(["--yes"])).toEqual({
      code: 1,
      out: "",
      err: "latchkey: there is no package.json in this folder: run npm init -y, then npx latchkey init again\n",
    })
  })
})

describe("npx latchkey init at a terminal", () => {
  const COMMAND = "../node_modules/.bin/latchkey init"
  const { enter, space, down, tab, ctrlC } = KEYS
  const FIRST: readonly Answer[] = [
    ["Which framework?", enter],
    ["Which language?", enter],
  ]

  const withTerminal = hasTerminal || process.env["CI"] === "true" ? it : it.skip

  withTerminal("asks, and writes what was answered", async () => {
    const { code, out } = await runAtTerminal(COMMAND, folder, [
      ...FIRST,
      // The second and the third of the list.
      ["How do people sign in?", down, space, down, space, enter],
      ["Which providers?", ..."github", tab, enter],
      ["Where are users, links and sessions kept?", enter],
    ])
    expect(out).toContain("wrote auth.js")
    expect(code).toBe(0)
    expect(read("auth.js")).toContain("providers: [\n    GitHub,\n    Nodemailer,\n  ],")
    expect(read("auth.js")).toContain(`SqlAdapter({ sqlite: "auth.db" })`)
    expect(out).not.toContain("In an encrypted cookie")
  })

  withTerminal("writes nothing when it is stopped", async () => {
    const { code, out } = await runAtTerminal(COMMAND, folder, [...FIRST, ["How do people sign in?", ctrlC]])
    expect(out).toContain("latchkey: stopped, and nothing was written")
    expect(code).toBe(1)
    expect(readdirSync(folder)).toEqual(["package.json"])
  })
})
