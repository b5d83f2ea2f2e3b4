import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import { mysql, postgres, type Database as SqlDatabase, sqlite } from "../support/stores/sql.js"
import { describeStore } from "../support/stores.js"
import { Project } from "./support/project.js"

let project: Project
beforeAll(() => {
  project = new Project(["kysely", "better-sqlite3", "bindings", "file-uri-to-path", "mysql2", "pg"])
})
afterAll(() => project.remove())

const done = (address: string) => ({ code: 0, out: `latchkey: the tables in ${address} are up to date\n`, err: "" })
const wrongUsage = (message: string) => ({ code: 2, out: "", err: `latchkey: ${message}\n` })

describe("npx latchkey migrate with wrong usage", () => {
  it.each([
    [
      [],
      "no database is given. Use --sqlite, --postgres or --mysql, set DATABASE_URL, or name the module of the configuration",
    ],
    [
      ["auth.js", "--sqlite", "a.db"],
      "a module can't be combined with --sqlite, --postgres, --mysql or --tables: use only one of them",
    ],
    [["--sqlite", ""], "--sqlite is empty"],
    [["--sqlite", "a.db", "--mysql", "mysql://h/d"], "--sqlite and --mysql: use only one of them"],
    [["--sqlite", "a.db", "--tables", "users"], `--tables is not a JSON object: write --tables '{"users":"members"}'`],
    [
      ["--sqlite", "a.db", "--tables", '["users"]'],
      `--tables is not a JSON object: write --tables '{"users":"members"}'`,
    ],
  ])("prints the fix for %j", async (args, message) => {
    expect(await project.latchkey(["migrate", ...args])).toEqual(wrongUsage(message))
  })

  it.each([
    [["--sqllite", "a.db"], /there is no option --sqllite; did you mean --sqlite\?/],
    [["a.db"], /there is no file "a.db"/],
    [["--sqlite"], /--sqlite needs a value: --sqlite FILE/],
    [["--sqlite", "--print"], /--sqlite needs a value: --sqlite FILE/],
    [["--print=yes"], /--print takes no value/],
    [["postgres://me:hidden@host/db"], /there is no file "postgres:\/\/host\/db"/],
    [
      ["--sqlite", "a.db", "--tables", '{"user":"x"}'],
      /tables\.user is not a table of the adapter; the tables are users, accounts/,
    ],
    [["--postgres", "me:hidden@host/db"], /postgres has a URL with an invalid scheme/],
    [["--postgres", "mysql://me:hidden@host/db"], /postgres has a URL for mysql/],
  ])("prints one line for %j", async (args, message) => {
    const { code, out, err } = await project.latchkey(["migrate", ...args])
    expect({ code, out }).toEqual({ code: 2, out: "" })
    expect(err).toMatch(message)
    expect(err).toMatch(/^latchkey: [^\n]+\n$/)
    expect(err).not.toContain("hidden")
  })

  it("prints the fix for a DATABASE_URL of another database", async () => {
    const env = { DATABASE_URL: "mongodb://me:hidden@host/db" }
    const message = "DATABASE_URL must begin with postgres:, postgresql:, mysql:, mariadb:, file: or sqlite:"
    expect(await project.latchkey(["migrate"], { env })).toEqual(wrongUsage(message))
  })
})

describe("npx latchkey migrate with a failing connection", () => {
  it.each([
    [
      "that is unreachable",
      ["--postgres", "postgres://me:hi%40dden@127.0.0.1:1/db"],
      "connect ECONNREFUSED 127.0.0.1:1",
    ],
    ["that is unreachable", ["--mysql", "mysql://me:hi%40dden@127.0.0.1:1/db"], "connect ECONNREFUSED 127.0.0.1:1"],
    ["on an unknown host", ["--postgres", "postgres://me:hi%40dden@nowhere.invalid/db"], /ENOTFOUND|EAI_AGAIN/],
    ["in a missing folder", ["--sqlite", "no/where/auth.db"], /directory does not exist|unable to open/],
  ])("prints one line without the password for a database %s: %j", async (_, args, message) => {
    const { code, out, err } = await project.latchkey(["migrate", ...args])
    expect({ code, out }).toEqual({ code: 1, out: "" })
    expect(err).toMatch(message)
    expect(err).toMatch(/^latchkey: [^\n]+\n$/)
    expect(err).not.toMatch(/hi(%40|@)dden/)
  })
})

describe("npx latchkey migrate without a driver", () => {
  it.each([
    [["pg", "mysql2"], ["--postgres", "postgres://h/d"], "kysely is not installed: npm install kysely pg"],
    [["kysely"], ["--postgres", "postgres://h/d"], "pg is not installed: npm install pg"],
    [["kysely"], ["--mysql", "mysql://h/d"], "mysql2 is not installed: npm install mysql2"],
  ])("with only %j installed, names the package to install: %j", async (installed, args, message) => {
    const bare = new Project(installed)
    expect(await bare.latchkey(["migrate", ...args])).toEqual({
      code: 1,
      out: "",
      err: `latchkey: the package ${message}\n`,
    })
    bare.remove()
  })

  it("needs no package for SQLite if Node.js has a driver, else names the package", async () => {
    const bare = new Project(["kysely"])
    const outcome = await bare.latchkey(["migrate", "--sqlite", "auth.db"])
    const err = "latchkey: the package better-sqlite3 is not installed: npm install better-sqlite3\n"
    const hasOwn = process.getBuiltinModule?.("node:sqlite") !== undefined
    // The experimental warning of Node.js is not printed either.
    expect(outcome).toEqual(hasOwn ? done("auth.db") : { code: 1, out: "", err })
    bare.remove()
  })
})

const SCHEMES = {
  sqlite: { scheme: (file: string) => `file:${file}`, other: (file: string) => `sqlite:${file}` },
  postgres: { scheme: (url: string) => url, other: (url: string) => url.replace("postgres:", "postgresql:") },
  mysql: { scheme: (url: string) => url, other: (url: string) => url.replace("mysql:", "mariadb:") },
}

for (const each of [sqlite, postgres, mysql])
  describeStore(`npx latchkey migrate on ${each.name}`, each, ({ dialect, createDatabase }) => {
    let database: SqlDatabase
    beforeEach(async () => {
      database = await createDatabase()
    })
    afterEach(() => database.drop())

    const versions = () => database.raw.query("SELECT store, version FROM latchkey_migrations ORDER BY version")
    const expectShown = (out: string) => expect(out).toMatch(/^latchkey: the tables in \S+ are up to date\n$/)

    it("creates the tables, and does nothing the second time", async () => {
      const args = ["migrate", `--${dialect}`, database.address]
      const first = await project.latchkey(args)
      expect(first).toMatchObject({ code: 0, err: "" })
      expectShown(first.out)
      expect(await project.latchkey(args)).toEqual(first)
      expect(await database.raw.query("SELECT * FROM users")).toEqual([])
      expect(await versions()).toEqual([1, 2].map((version) => ({ store: "users", version })))
    })

    it("accepts DATABASE_URL with each scheme", async () => {
      const { scheme, other } = SCHEMES[dialect]
      for (const toAddress of [scheme, other]) {
        const env = { DATABASE_URL: toAddress(database.address) }
        const { code, out, err } = await project.latchkey(["migrate"], { env })
        expect({ code, err }).toEqual({ code: 0, err: "" })
        expectShown(out)
      }
      expect(await versions()).toHaveLength(2)
    })

    it("accepts other table names", async () => {
      const tables = JSON.stringify({ users: "members" })
      const { code } = await project.latchkey(["migrate", `--${dialect}`, database.address, "--tables", tables])
      expect(code).toBe(0)
      expect(await database.raw.query("SELECT * FROM members")).toEqual([])
      await expect(database.raw.query("SELECT * FROM users")).rejects.toThrow()
    })

    it("prints the SQL with --print, which can be run instead", async () => {
      const args = ["migrate", `--${dialect}`, database.address]
      const { code, out, err } = await project.latchkey([...args, "--print"])
      expect({ code, err }).toEqual({ code: 0, err: "" })
      await expect(versions()).rejects.toThrow()
      await database.raw.query(out)
      const before = await versions()
      expect(await project.latchkey(args)).toMatchObject({ code: 0 })
      expect(await versions()).toEqual(before)
    })

    it("can be run by several processes concurrently", async () => {
      const args = ["migrate", `--${dialect}`, database.address]
      const outcomes = await Promise.all(Array.from({ length: 3 }, () => project.latchkey(args)))
      for (const outcome of outcomes) expect(outcome).toMatchObject({ code: 0, err: "" })
      expect(await versions()).toHaveLength(2)
    })
  })

describe("the output of npx latchkey migrate", () => {
  it("names the database without user and password", async () => {
    const file = "with a name.db"
    expect(await project.latchkey(["migrate", "--sqlite", file])).toEqual(done(file))
    expect(existsSync(join(project.folder, file))).toBe(true)
  })
})

describe("npx latchkey migrate with the module of the configuration", () => {
  const INSTALLED = ["kysely", "better-sqlite3"]
  const STORE = `import { SqlStore } from "latchkey/stores/sql"
export const authConfig = { providers: [], store: SqlStore({ sqlite: process.env.FILE ?? "store.db", table: "shared" }) }`
  const tablesIn = (file: string) =>
    new Database(file, { readonly: true })
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .pluck()
      .all()
  let application: Project
  beforeEach(() => {
    application = new Project(INSTALLED)
  })
  afterEach(() => application.remove())
  const write = (file: string, text: string) => writeFileSync(join(application.folder, file), text)

  it("creates only the table of a store without an adapter of this package", async () => {
    write("auth.mjs", STORE)
    // The module takes precedence over the variable.
    write(".env", "FILE=named.db\nDATABASE_URL=sqlite:other.db\n")
    const outcome = { code: 0, out: "latchkey: the tables of the store in auth.mjs are up to date\n", err: "" }
    expect(await application.latchkey(["migrate"])).toEqual(outcome)
    expect(await application.latchkey(["migrate"])).toEqual(outcome)
    expect(tablesIn(join(application.folder, "named.db"))).toEqual(["shared"])
    expect(existsSync(join(application.folder, "other.db"))).toBe(false)
  })

  it("creates the tables of an adapter with its own options", async () => {
    write(
      "config.cjs",
      `const { SqlAdapter } = require("latchkey/adapters/sql")
module.exports = { adapter: SqlAdapter({ sqlite: "auth.db", tables: { users: "members" } }), providers: [] }`,
    )
    const { out } = await application.latchkey(["migrate", "config.cjs", "--json"])
    expect(JSON.parse(out)).toEqual({ module: "config.cjs", migrated: ["adapter"] })
    expect(tablesIn(join(application.folder, "auth.db"))).toContain("members")
  })

  it("prints the SQL with --print", async () => {
    write("auth.mjs", STORE)
    const { code, out } = await application.latchkey(["migrate", "--print"])
    expect(code).toBe(0)
    expect(out).toMatch(/CREATE TABLE IF NOT EXISTS "shared"/i)
    expect(existsSync(join(application.folder, "store.db"))).toBe(false)
  })

  it.each([
    [
      "export const authConfig = { providers: [], adapter: {} }",
      "auth.mjs has no adapter and no store with tables of this package",
    ],
    [
      `export const authConfig = { providers: [], store: { migrate() { throw new Error("no permission for secret-word") } } }`,
      "auth.mjs: The adapter failed: no permission for ***",
    ],
    [
      `throw new Error("no variable")`,
      "auth.mjs: The module of the configuration could not be loaded: no variable. Fix: export only the configuration from this module: export const authConfig = { providers: […] } or in CommonJS: module.exports = { authConfig: { providers: […] } }; or name the database: --sqlite, --postgres or --mysql",
    ],
  ])("prints one line for %s", async (text, message) => {
    write("auth.mjs", text)
    const env = { DATABASE_PASSWORD: "secret-word" }
    expect(await application.latchkey(["migrate"], { env })).toEqual({
      code: 1,
      out: "",
      err: `latchkey: ${message}\n`,
    })
  })

  it("prints how to load a TypeScript module that Node.js can't load", async () => {
    // No version of Node.js supports enums by default.
    write("auth.ts", "enum Mode { A }\nexport const authConfig = { providers: [], mode: Mode.A }")
    const { code, err } = await application.latchkey(["migrate"])
    expect(code).toBe(1)
    expect(err).toMatch(/^latchkey: auth\.ts: Node\.js \S+ can't load this TypeScript module: [^\n]+\n$/)
    expect(err).toContain(
      ". Fix: npm install --save-dev tsx and run the command with NODE_OPTIONS=--import=tsx or with the compiled module, such as dist/auth.js; or name the database: --sqlite, --postgres or --mysql\n",
    )
  })

  it("uses DATABASE_URL if the module exports no configuration, unless the module is given", async () => {
    write("auth.mjs", "export const other = 1")
    const env = { DATABASE_URL: "sqlite:auth.db" }
    expect(await application.latchkey(["migrate"], { env })).toEqual(done("sqlite:auth.db"))
    expect(await application.latchkey(["migrate", "auth.mjs"], { env })).toEqual(
      wrongUsage("auth.mjs exports no configuration with providers"),
    )
  })
})

describe("npx latchkey migrate in a project without a driver", () => {
  let bare: Project
  beforeAll(() => {
    bare = new Project([])
  })
  afterAll(() => bare.remove())

  it.each(["mysql", "postgres"])("prints the SQL for %s", async (kind) => {
    const { code, out, err } = await bare.latchkey(["migrate", `--${kind}`, `${kind}://h/d`, "--print"])
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(out).toMatch(/CREATE TABLE/i)
  })

  it("reads DATABASE_URL from .env", async () => {
    writeFileSync(join(bare.folder, ".env"), "DATABASE_URL=mysql://h/d\n")
    expect(await bare.latchkey(["migrate", "--print"])).toMatchObject({ code: 0, err: "" })
  })
})
