import { execFileSync } from "node:child_process"
import {
  chmodSync,
  cpSync,
  existsSync,
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
import { startServer } from "./support/start-server.js"

/** The packages that the written applications may need; `init` tells the user to install them. */
const INSTALLED = [
  ...["express", "hono", "@hono/node-server", "fastify", "nodemailer", "@simplewebauthn/server"],
  ...["kysely", "better-sqlite3", "bindings", "file-uri-to-path", "pg", "typescript", "@types"],
]

let project: Project
beforeAll(() => {
  project = new Project(INSTALLED)
})
afterAll(() => project.remove())

let folder: string
/** Creates another folder with its own package.json. */
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

/** Gives the development provider a port that no other test uses. */
async function moveDevProvider(file: string): Promise<void> {
  write(file, read(file).replace("devProvider()", `devProvider({ port: ${await freePortPair()} })`))
}

describe("an application written by npx latchkey init", () => {
  it.each([
    ["Express with import", ["--yes"], { type: "module" }, ["auth.js", "server.js"]],
    ["Express with require", ["--dev"], {}, ["auth.js", "server.js"]],
    [
      "Express with require in a module package",
      ["--dev", "--language", "commonjs"],
      { type: "module" },
      ["auth.cjs", "server.cjs"],
    ],
    ["Hono", ["--dev", "--language", "esm"], { dependencies: { hono: "4" } }, ["auth.mjs", "server.mjs"]],
    ["Fastify", ["--dev", "--session", "sqlite"], { dependencies: { fastify: "5" } }, ["auth.js", "server.js"]],
  ] as const)("for %s starts and signs in without any external account", async (_, args, manifest, files) => {
    createFolder(manifest)
    const result = await initJson(...args)
    expect(result.files).toEqual([...files, ".env", ".gitignore"].map((path) => ({ path, status: "new" })))
    expect(result).toMatchObject({
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

  it.each(["express", "express4"])("responds 503 and keeps running without its tables, on %s", async (version) => {
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

  it("with --email signs in by an email link and stores users in SQLite", async () => {
    const result = await initJson("--email")
    expect(result.unfilled).toEqual(["AUTH_NODEMAILER_SERVER", "AUTH_NODEMAILER_FROM"])
    expect(result.install.join(" ")).toMatch(/^npm install latchkey express kysely .*\bnodemailer\b/)
    const mails = await startMailServer()
    const from = "Example <no-reply@example.com>"
    // As a user fills it in.
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

  it("in TypeScript compiles in strict mode for each framework, and starts", async () => {
    const providerLists = ["keycloak,apple,loops,netsuite,microsoft-entra-id", "github"]
    const outcomes = [
      ["express", "--provider", `${providerLists[0]}`, "--session", "postgres"],
      ["hono", "--provider", `${providerLists[1]}`, "--email", "--dev"],
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
    // The generated authorize function rejects every user.
    const form = browser.form(html, "/callback/credentials")
    const refused = await browser.submit(form, { email: "a@example.com", password: "x" }, { follow: true })
    expect(new URL(refused.url).searchParams.get("error")).toBe("CredentialsSignin")
    await server.stop()
  }, 90_000)

  it("has a .env with a secret, and with instructions for each missing value", async () => {
    const result = await initJson("--provider", "github,keycloak", "--session", "mysql")
    expect(read(".env")).toMatch(
      /^# Encrypts sessions\..*\nAUTH_SECRET=[\w+/]{44}\n\n# GitHub: https:\/\/github\.com\/settings/,
    )
    expect(read(".env")).toContain(
      "# Redirect URI to register: http://localhost:3000/auth/callback/github\nAUTH_GITHUB_ID=\nAUTH_GITHUB_SECRET=\n",
    )
    expect(read(".env")).toMatch(/\n# The database: mysql:\/\/.*\nDATABASE_URL=\n$/)
    expect(statSync(at(".env")).mode & 0o777).toBe(0o600)
    expect(read(".gitignore")).toBe("node_modules\n.env\n")
    expect(result.redirectUris).toEqual([
      expect.objectContaining({ id: "github", uri: "http://localhost:3000/auth/callback/github" }),
      expect.objectContaining({ id: "keycloak", uri: "http://localhost:3000/auth/callback/keycloak" }),
    ])
    expect(result.unfilled).toContain("DATABASE_URL")
    expect(JSON.stringify(result)).not.toContain(/AUTH_SECRET=(.*)/.exec(read(".env"))?.[1])
  })
})

describe("npx latchkey init", () => {
  it("overwrites nothing: it shows the lines to add, and appends missing names to .env", async () => {
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
    expect(out).toContain("latchkey: src/auth.js already exists and was not changed. The command would have written:")
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
    // A second run changes nothing.
    const before = readdirSync(folder).map((name) => (name === "src" ? "" : read(name)))
    await init(["--provider", "github", "--session", "sqlite"], { AUTH_URL: "https://example.com" })
    expect(readdirSync(folder).map((name) => (name === "src" ? "" : read(name)))).toEqual(before)
  })

  it("creates the tables before a CommonJS application listens", async () => {
    write("package.json", "{}")
    write("server.js", "")
    const result = await initJson("--provider", "github", "--session", "sqlite", "--language", "commonjs")
    expect(result.addTo.text).toContain("adapter.migrate().then(() => app.listen(3000))")
  })

  it("shows the handlers for an unknown framework", async () => {
    const result = await initJson("--framework", "other", "--dev")
    expect(result).toMatchObject({ run: null, open: "http://localhost:3000/api/auth/signin" })
    expect(result.addTo.text).toContain("const { GET, POST } = authHandlers(authConfig)")
    expect(readdirSync(folder).sort()).toEqual([".env", ".gitignore", "auth.js", "package.json"])
  })

  it("writes a configuration that the doctor loads and accepts", async () => {
    await initJson("--dev", "--framework", "hono")
    const { code, out } = await project.latchkey(["doctor"], { in: basename(folder) })
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^latchkey doctor checked auth\.js\n/) })
    expect(out).toContain("  ok       dev: http://localhost:3000/api/auth/callback/dev\n")
  })

  it("shows everything and writes nothing with --dry-run", async () => {
    const result = await initJson("--yes", "--dry-run")
    expect(result.isDryRun).toBe(true)
    expect(result.files.map(({ path }: { path: string }) => path)).toEqual([
      "auth.js",
      "server.js",
      ".env",
      ".gitignore",
    ])
    expect(result.files[0].text).toContain("export const authConfig = {")
    const { out } = await init(["--yes", "--dry-run"])
    expect(out).toContain('latchkey: would write server.js:\n\n  import express from "express"\n')
    expect(readdirSync(folder)).toEqual(["package.json"])
  })

  it("shows only the added lines of an existing .env, and no values", async () => {
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

  it("warns about an .env that git tracks and one that others can read", async () => {
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

  it("does not warn about a new .env, which is ignored and readable only by its owner", async () => {
    execFileSync("git", ["init", "-q"], { cwd: folder })
    expect((await initJson("--yes")).warnings).toEqual([])
  })

  describe("the shown install command", () => {
    const npmEnv = () => ({ npm_config_offline: "true", npm_config_cache: at("npm-cache") })
    const NO_DEPENDENCIES = { type: "module", dependencies: { express: "5" } }

    it("names the tarball that npx used, and works", async () => {
      createFolder({ type: "module", dependencies: {} })
      const packed = { ...JSON.parse(readFileSync("package.json", "utf8")), dependencies: {}, devDependencies: {} }
      mkdirSync(at("a package/latchkey"), { recursive: true })
      for (const part of ["dist", "views"]) cpSync(part, at(`a package/latchkey/${part}`), { recursive: true })
      write("a package/latchkey/package.json", JSON.stringify(packed))
      const run = (command: string, args: readonly string[]) =>
        project.run(command, args, { in: basename(folder), env: npmEnv() })
      await run("npm", ["pack", "--ignore-scripts", "--pack-destination", "a package", "./a package/latchkey"])
      const tarball = at(`a package/latchkey-${packed.version}.tgz`)
      const words = ["init", "--dev", "--framework", "other", "--json"]
      const { out } = await run("npx", ["--yes", `--package=${tarball}`, "latchkey", ...words])
      const { install } = JSON.parse(out)
      expect(install).toEqual([`npm install "${tarball}"`])
      expect(await run("sh", ["-c", install[0]])).toMatchObject({ code: 0 })
      expect(existsSync(at("node_modules/latchkey/dist/index.js"))).toBe(true)
      expect((await initJson(...words.slice(1, -1))).install).toEqual([])
    }, 60_000)

    it("names the folder of the running package if it is not installed", async () => {
      createFolder(NO_DEPENDENCIES)
      const { out } = await project.run(process.execPath, [resolve("dist/cli.js"), "init", "--dev", "--json"], {
        in: basename(folder),
      })
      expect(JSON.parse(out).install).toEqual([`npm install ${resolve(".")}`])
    })

    it.each([
      ["^0.1.0", "latchkey"],
      ["git+ssh://git@example.com/a/latchkey.git#v0.1.0", "git+ssh://git@example.com/a/latchkey.git#v0.1.0"],
    ])("names the version of the project: %s", async (range, expected) => {
      createFolder(NO_DEPENDENCIES)
      writeFileSync(join(project.folder, "package.json"), JSON.stringify({ devDependencies: { latchkey: range } }))
      const { install } = await initJson("--dev")
      writeFileSync(join(project.folder, "package.json"), JSON.stringify({ private: true }))
      expect(install).toEqual([`npm install ${expected}`])
    })
  })

  it("writes all files or none", async () => {
    // A dangling link makes the third file fail.
    symlinkSync("no/where", at(".env"))
    const { code, err } = await init(["--yes"])
    expect(code).toBe(1)
    expect(err).toMatch(/^latchkey: EEXIST[^\n]*\.env[^\n]*\n$/)
    expect(readdirSync(folder).sort()).toEqual([".env", "package.json"])
  })

  it.each([
    [[], 2, /no sign-in method is given\. Use --provider ID,ID, --email, --passkeys, --credentials or --dev; --yes/],
    [["--email", "--session", "cookie"], 2, /need a database: use --session sqlite, postgres or mysql/],
    [["--provider", "githubb"], 2, /there is no provider "githubb"; did you mean github\?/],
    [["--dev", "--session", "sqllite"], 2, /--session does not accept "sqllite"; did you mean sqlite\?/],
    [["--dev", "--framework", "koa"], 2, /--framework does not accept "koa"; use express, hono, fastify, other/],
  ])("%j prints a one-line error and writes nothing", async (args, code, message) => {
    const outcome = await init(args)
    expect(outcome).toMatchObject({ code, out: "" })
    expect(outcome.err).toMatch(message)
    expect(outcome.err).toMatch(/^latchkey: [^\n]+\n$/)
    expect(readdirSync(folder)).toEqual(["package.json"])
  })

  it("reports a missing package.json with the command to create it", async () => {
    folder = mkdtempSync(join(project.folder, "bare-"))
    expect(await init(["--yes"])).toEqual({
      code: 1,
      out: "",
      err: "latchkey: there is no package.json in this folder: run npm init -y, then npx latchkey init again\n",
    })
  })
})

describe("npx latchkey init in a terminal", () => {
  const COMMAND = "../node_modules/.bin/latchkey init"
  const { enter, space, down, tab, ctrlC } = KEYS
  const FIRST: readonly Answer[] = [
    ["Which framework?", enter],
    ["Which language?", enter],
  ]

  const withTerminal = hasTerminal || process.env["CI"] === "true" ? it : it.skip

  withTerminal("asks questions and writes the answers", async () => {
    const { code, out } = await runAtTerminal(COMMAND, folder, [
      ...FIRST,
      // Selects the second and the third entry. Tab selects in both lists; Space selects in lists without search.
      ["How do users sign in? Select with Space or Tab, confirm with Enter", down, tab, down, space, enter],
      ["Which providers? Type to search, select with Tab, confirm with Enter", ..."github", tab, enter],
      ["Where are users, links and sessions stored?", enter],
    ])
    expect(out).toContain("wrote auth.js")
    expect(code).toBe(0)
    expect(read("auth.js")).toContain("providers: [\n    GitHub,\n    Nodemailer,\n  ],")
    expect(read("auth.js")).toContain(`SqlAdapter({ sqlite: "auth.db" })`)
    expect(out).not.toContain("In an encrypted cookie")
  })

  withTerminal("writes nothing if it is interrupted", async () => {
    const { code, out } = await runAtTerminal(COMMAND, folder, [...FIRST, ["How do users sign in?", ctrlC]])
    expect(out).toContain("latchkey: stopped, and nothing was written")
    expect(code).toBe(1)
    expect(readdirSync(folder)).toEqual(["package.json"])
  })
})
