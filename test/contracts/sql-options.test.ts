import { once } from "node:events"
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { connect, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createPool } from "mysql2"
import { createPool as createPromisePool } from "mysql2/promise"
import { Pool } from "pg"
import { SqlAdapter, type SqlAdapterOptions } from "../../lib/adapters/sql.js"
import { mysql, postgres } from "../support/stores/sql.js"
import { describeStore } from "../support/stores.js"

const newUser = () => ({ id: crypto.randomUUID(), email: `${crypto.randomUUID()}@example.test`, emailVerified: null })

describe("SqlAdapter rejects with the fix in the error", () => {
  // Values that JavaScript callers may pass; the types reject most of them.
  const WRONG: Readonly<Record<string, readonly [unknown, string]>> = {
    "an address that is not set": [
      { postgres: process.env["NO_SUCH_VARIABLE"] },
      "SqlAdapter: postgres is undefined: is the environment variable set? " +
        'Write SqlAdapter({ postgres: "postgres://user:password@localhost:5432/app" })',
    ],
    "an empty address": [
      { mysql: "" },
      "SqlAdapter: mysql is empty: is the environment variable set? " +
        'Write SqlAdapter({ mysql: "mysql://user:password@localhost:3306/app" })',
    ],
    "a file without a name": [
      { sqlite: "" },
      'SqlAdapter: sqlite is empty: is the environment variable set? Write SqlAdapter({ sqlite: "auth.db" })',
    ],
    null: [
      { sqlite: null },
      'SqlAdapter: sqlite is null: is the environment variable set? Write SqlAdapter({ sqlite: "auth.db" })',
    ],
    "the address of another database": [
      { postgres: "mysql://root:hidden@localhost/app" },
      "SqlAdapter: postgres has a URL for mysql. " +
        'Write SqlAdapter({ postgres: "postgres://user:password@localhost:5432/app" })',
    ],
    "a server's URL as a file": [
      { sqlite: "postgres://root:hidden@localhost/app" },
      'SqlAdapter: sqlite has a URL for postgres. Write SqlAdapter({ sqlite: "auth.db" })',
    ],
    "a URL without a scheme": [
      { postgres: "root:hidden@localhost/app" },
      "SqlAdapter: postgres has a URL with an invalid scheme. " +
        'Write SqlAdapter({ postgres: "postgres://user:password@localhost:5432/app" })',
    ],
    "a number": [
      { mysql: 3306 },
      "SqlAdapter: mysql is a value of type number. " +
        'Write SqlAdapter({ mysql: "mysql://user:password@localhost:3306/app" })',
    ],
    "an object as a file": [
      { sqlite: {} },
      'SqlAdapter: sqlite is a value of type object, not a file name. Write SqlAdapter({ sqlite: "auth.db" })',
    ],
    "no database": [{}, 'SqlAdapter: the database is missing. Write for example SqlAdapter({ sqlite: "auth.db" })'],
    nothing: [undefined, 'SqlAdapter: the database is missing. Write for example SqlAdapter({ sqlite: "auth.db" })'],
    "two databases": [
      { sqlite: "a.db", postgres: "postgres://localhost/app" },
      "SqlAdapter: sqlite and postgres are set. Set only one of them",
    ],
    "a value that is not a Kysely instance": [
      { db: {}, dialect: "sqlite" },
      'SqlAdapter: db is not a Kysely instance. Write SqlAdapter({ db: kysely, dialect: "postgres" })',
    ],
    "an unknown dialect": [
      { db: { withoutPlugins() {}, transaction() {}, connection() {} }, dialect: "mssql" },
      'SqlAdapter: db needs the dialect "sqlite", "postgres" or "mysql"; it is "mssql". Write SqlAdapter({ db: kysely, dialect: "postgres" })',
    ],
    "an unknown table": [
      { sqlite: "a.db", tables: { user: "members" } },
      "SqlAdapter: tables.user is not a table of the adapter; the tables are users, accounts, sessions, verificationTokens, authenticators, store",
    ],
    "an invalid table name": [
      { sqlite: "a.db", tables: { users: 'users"; DROP TABLE x; --' } },
      String.raw`SqlAdapter: tables.users is "users\"; DROP TABLE x; --"; write up to 50 letters, digits and _, ` +
        'not beginning with a digit, optionally with a schema: "auth.name"',
    ],
    "one name for two tables": [
      { sqlite: "a.db", tables: { users: "sessions" } },
      "SqlAdapter: two of the tables have the same name: sessions, accounts, sessions, verification_tokens, authenticators, store_records",
    ],
  }

  it.each(Object.entries(WRONG))("%s", (_, [options, message]) => {
    let thrown: unknown
    try {
      SqlAdapter(options as SqlAdapterOptions)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toEqual(new TypeError(message))
    expect(Reflect.get(Object(thrown), "name")).toBe("TypeError")
    expect(message).not.toContain("hidden")
  })
})

describe("SqlAdapter with a SQLite file", () => {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-files-"))
  const before = process.cwd()
  afterAll(() => {
    process.chdir(before)
    rmSync(folder, { recursive: true })
  })

  it.each([
    ["as a file name", (name: string) => name],
    ["in the notation of Prisma", (name: string) => `file:./${name}`],
    ["as a URL", (name: string) => `file://${folder}/${name}`],
    ["with the prefix sqlite:", (name: string) => `sqlite:${name}`],
    ["relative to the working directory at creation", (name: string) => `./${name}`],
  ])("accepts a path %s", async (_, toAddress) => {
    process.chdir(folder)
    const name = `${crypto.randomUUID()} 1.db`
    const adapter = SqlAdapter({ sqlite: toAddress(name) })
    process.chdir(before)
    await adapter.migrate()
    const { id } = await adapter.createUser(newUser())
    await adapter.close()
    const reopened = SqlAdapter({ sqlite: join(folder, name) })
    expect((await reopened.getUser(id))?.id).toBe(id)
    await reopened.close()
  })

  it("accepts an in-memory database", async () => {
    const adapter = SqlAdapter({ sqlite: ":memory:" })
    await adapter.migrate()
    const user = await adapter.createUser(newUser())
    expect(await adapter.getUser(user.id)).toEqual(user)
    await adapter.close()
  })

  it("rejects a path in a missing folder", async () => {
    const adapter = SqlAdapter({ sqlite: join(folder, "nowhere", "auth.db") })
    await expect(adapter.migrate()).rejects.toThrow(/unable to open database|directory does not exist/)
    await adapter.close()
  })

  it("enables foreign keys, a write-ahead log and a busy timeout", async () => {
    const adapter = SqlAdapter({ sqlite: join(folder, "pragmas.db") })
    await adapter.migrate()
    const session = { sessionToken: "t", userId: "nobody", expires: new Date() }
    await expect(adapter.createSession(session)).rejects.toThrow(/FOREIGN KEY/)
    expect(existsSync(join(folder, "pragmas.db-wal"))).toBe(true)
    await adapter.close()
  })
})

describeStore("SqlAdapter with a pool of pg", postgres, ({ create }) => {
  it("uses the pool and leaves it open", async () => {
    const { database, close } = await create()
    const pool = new Pool({ connectionString: database.address })
    const adapter = SqlAdapter({ postgres: pool })
    const { id } = await adapter.createUser(newUser())
    await adapter.close()
    expect((await pool.query("SELECT id FROM users")).rows).toEqual([{ id }])
    await pool.end()
    await close()
  })

  it("accepts pool options", async () => {
    const { database, close } = await create()
    const adapter = SqlAdapter({ postgres: { connectionString: database.address, max: 1 } })
    await expect(adapter.createUser(newUser())).resolves.toBeTruthy()
    await adapter.close()
    await close()
  })
})

describeStore("SqlAdapter with a pool of mysql2", mysql, ({ create }) => {
  it.each([
    ["with callbacks", (address: string) => createPool(address)],
    ["with promises", (address: string) => createPromisePool(address)],
  ])("uses the pool and leaves it open, %s", async (_, open) => {
    const { database, close } = await create()
    const pool = open(database.address)
    const adapter = SqlAdapter({ mysql: pool })
    const { id } = await adapter.createUser(newUser())
    await adapter.close()
    const query = "promise" in pool ? pool.promise() : pool
    expect(await query.query("SELECT id FROM users")).toMatchObject([[{ id }], expect.anything()])
    await query.end()
    await close()
  })

  it("rejects the SQL mode NO_BACKSLASH_ESCAPES, in which visitors could inject SQL, at every migration", async () => {
    const { database, close } = await create()
    const pool = createPool({ uri: database.address, connectionLimit: 1 })
    const adapter = SqlAdapter({ mysql: pool })
    await adapter.migrate()
    await pool.promise().query("SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_BACKSLASH_ESCAPES'")
    // Demonstrates the attack: the text ends at the quote, and the rest is executed.
    await adapter.createVerificationToken({ identifier: "ada", token: "hash", expires: new Date(Date.now() + 60_000) })
    await expect(adapter.useVerificationToken({ identifier: "' OR 1 -- ", token: "" })).resolves.toBeTruthy()
    await expect(adapter.migrate()).rejects.toThrow(
      "SqlAdapter can't use connections with the SQL mode NO_BACKSLASH_ESC",
    )
    await pool.promise().end()
    await close()
  })

  it("accepts pool options and sets the SQL mode first", async () => {
    const { database, close } = await create()
    const { hostname, port, pathname, username: user, password } = new URL(database.address)
    let sent = ""
    const proxy = createServer((client) => {
      const server = connect(Number(port), hostname)
      client.on("data", (chunk) => {
        sent += chunk.toString("latin1")
      })
      client.pipe(server).pipe(client)
    }).listen(0, "127.0.0.1")
    await once(proxy, "listening")
    const own = { host: "127.0.0.1", port: Reflect.get(Object(proxy.address()), "port"), user, password }
    const adapter = SqlAdapter({ mysql: { ...own, database: pathname.slice(1), connectionLimit: 2 } })
    await Promise.all([adapter.getUser("1"), adapter.getUser("2")])
    await adapter.close()
    proxy.close()
    await close()
    // With this mode too long text is rejected and a backslash escapes, whatever mode the server has.
    const setting = "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'"
    const statements = sent.match(/SET SESSION[^']*'[^']*'|select \*/g)
    expect(statements?.filter((statement) => statement === setting)).toHaveLength(2)
    expect(statements?.[0]).toBe(setting)
  })
})

it("SqlAdapter rejects calls after close(), which can be called twice", async () => {
  const adapter = SqlAdapter({ sqlite: ":memory:" })
  await adapter.migrate()
  await adapter.close()
  await adapter.close()
  await expect(adapter.getUser("1")).rejects.toThrow(/destroyed/)
})

it("SqlAdapter creates an id for a user without one", async () => {
  const adapter = SqlAdapter({ sqlite: ":memory:" })
  await adapter.migrate()
  const create = (email: string) =>
    // Violates the type, as JavaScript callers may.
    adapter.createUser({ email, emailVerified: null } as unknown as Parameters<typeof adapter.createUser>[0])
  const [first, second] = [await create("a@x.test"), await create("b@x.test")]
  expect([first.id, second.id]).toEqual([
    expect.stringMatching(/^[\da-f-]{36}$/),
    expect.stringMatching(/^[\da-f-]{36}$/),
  ])
  expect(await adapter.getUser(first.id)).toMatchObject({ email: "a@x.test" })
  await adapter.close()
})

it("SqlAdapter creates SQLite files with mode 600 and keeps the mode of existing ones", async () => {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-mode-"))
  const readMode = (name: string) => (statSync(join(folder, name)).mode & 0o777).toString(8)
  writeFileSync(join(folder, "shared.db"), "", { mode: 0o640 })
  for (const name of ["auth.db", "shared.db"]) {
    const adapter = SqlAdapter({ sqlite: join(folder, name) })
    await adapter.migrate()
    await adapter.createUser(newUser())
    expect([readMode(name), readMode(`${name}-wal`)]).toEqual(name === "auth.db" ? ["600", "600"] : ["640", "640"])
    await adapter.close()
  }
  rmSync(folder, { recursive: true })
})
