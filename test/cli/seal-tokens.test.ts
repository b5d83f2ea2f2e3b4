/** `npx latchkey migrate --seal-tokens`: moves provider tokens from the adapter to the store. */
import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { RedisAdapter, type RedisClient } from "../../lib/adapters/redis.js"
import type { SqlAdapter } from "../../lib/adapters/sql.js"
import { requireRuntime } from "../../lib/runtime/runtime.js"
import { TEST_SECRET } from "../support/apps.js"
import { rawSqlite } from "../support/stores/raw.js"
import { ioRedis, redisUrl } from "../support/stores/redis.js"
import { mysql, postgres, sqlite } from "../support/stores/sql.js"
import { describeStore } from "../support/stores.js"
import { until } from "../support/wait.js"
import { Project } from "./support/project.js"

jest.setTimeout(120_000)

let project: Project
beforeEach(() => {
  project = new Project(["kysely", "better-sqlite3", "bindings", "file-uri-to-path", "mysql2", "pg", "ioredis"])
})
afterEach(() => project.remove())

const SEAL = ["migrate", "--seal-tokens"]
/** Each token begins with this text. */
const MARK = "clear-text-token"

const provider = (id: string, options: object = {}) => ({
  ...{ id, type: "oauth", name: id, clientId: "id", clientSecret: "client-secret-of-the-application" },
  ...{ authorization: "https://op.test/authorize", token: "https://op.test/token", userinfo: "https://op.test/me" },
  ...options,
})
const CONFIG = { secret: TEST_SECRET, providers: [provider("kept"), provider("left", { keepTokens: false })] }

/** Writes the module of the configuration. Functions are not needed, because nobody signs in. */
const writeModule = (imports: string, rest: string, config: object = CONFIG) =>
  writeFileSync(
    join(project.folder, "auth.mjs"),
    `${imports}\nexport const authConfig = { ...${JSON.stringify(config)}, ${rest} }`,
  )
const writeSqlModule = (place: object, config?: object) =>
  writeModule(
    `import { SqlAdapter } from "latchkey/adapters/sql"`,
    `adapter: SqlAdapter(${JSON.stringify(place)}), session: { strategy: "jwt" }`,
    config,
  )

const tokensOf = (index: number) => ({
  access_token: `${MARK}-access-${index}`,
  refresh_token: `${MARK}-refresh-${index}`,
  id_token: `${MARK}-id-${index}`,
  expires_at: Math.floor(Date.now() / 1000) + 3600,
})

type Adapter = ReturnType<typeof SqlAdapter>

/** Stores users with an account each. Returns their ids. */
async function seed(adapter: Pick<Adapter, "createUser" | "linkAccount">, count: number, providerId = "kept") {
  const createOne = async (index: number) => {
    const user = await adapter.createUser({ id: "", email: `${providerId}-${index}@example.com`, emailVerified: null })
    const name = { provider: providerId, providerAccountId: String(index), type: "oauth" as const }
    await adapter.linkAccount({ ...tokensOf(index), ...name, userId: user.id })
    return user.id
  }
  const ids: string[] = []
  for (let first = 0; first < count; first += 20)
    ids.push(
      ...(await Promise.all(Array.from({ length: Math.min(20, count - first) }, (_, i) => createOne(first + i)))),
    )
  return ids
}

/** Starts the command in a process group of its own, which can be killed as a whole. */
function startSealing() {
  const file = join(project.folder, "node_modules", "latchkey", "dist", "cli.js")
  const child = spawn(process.execPath, [file, ...SEAL], { cwd: project.folder, detached: true, stdio: "ignore" })
  const ended = new Promise((done) => child.on("close", done))
  return { kill: () => process.kill(-Number(child.pid), "SIGKILL"), ended }
}

const COUNT = 1_200

describe.each([sqlite, postgres, mysql])("npx latchkey migrate --seal-tokens", (kind) => {
  describeStore(`with SqlAdapter on ${kind.name}`, kind, () => {
    it("moves the tokens once, prints only their number, and leaves those of keepTokens: false", async () => {
      const { adapter, database, dump, close } = await kind.create()
      writeSqlModule(database.place)
      const [owner = ""] = await seed(adapter as Adapter, 3)
      await seed(adapter as Adapter, 1, "left")
      const out =
        "latchkey: moved the tokens of 3 accounts from the adapter to the store; left the tokens of 1 account in the adapter: keepTokens is false, the provider is not configured, or the user has just signed in again\n"
      expect(await project.latchkey(SEAL)).toEqual({ code: 0, out, err: "" })
      expect((await dump()).split(MARK)).toHaveLength(1 + 3)
      const { tokens } = requireRuntime({ ...CONFIG, adapter } as never)
      expect(await tokens?.find(owner, { provider: "kept" })).toMatchObject({
        tokens: { refreshToken: `${MARK}-refresh-0` },
      })
      const { out: json } = await project.latchkey([...SEAL, "--json"])
      expect(JSON.parse(json)).toEqual({
        module: "auth.mjs",
        migrated: ["adapter"],
        tokens: { moved: 0, removed: 0, skipped: 1 },
      })
      await close()
    })

    it("keeps the address that the provider has verified, if only the id_token shows it", async () => {
      const { adapter, database, close } = await kind.create()
      writeSqlModule(database.place)
      const { id: userId } = await adapter.createUser({ id: "", email: "ada@example.com", emailVerified: null })
      const claims = { email: "ada@example.com", email_verified: true }
      const id_token = `e.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.s`
      const account = { provider: "kept", providerAccountId: "ada", type: "oauth" as const, userId }
      await adapter.linkAccount({ ...account, access_token: MARK, id_token })
      expect((await project.latchkey(SEAL)).code).toBe(0)
      const [stored] = await adapter.listAccountsByUserId(userId)
      expect([stored?.verifiedEmail, stored?.id_token]).toEqual(["ada@example.com", undefined])
      await close()
    })

    it("can be killed, and is completed by two later runs at once", async () => {
      const { adapter, database, dump, close } = await kind.create()
      writeSqlModule(database.place)
      const owners = await seed(adapter as Adapter, COUNT)
      const countMoved = async () =>
        Number((await database.raw.query("SELECT count(*) AS count FROM store_records"))[0]?.["count"])
      /** Waits for the statements that the killed process had sent: the server still executes them. */
      const countSettled = async (previous = -1): Promise<number> => {
        const count = await countMoved()
        if (count === previous) return count
        await pause(500)
        return countSettled(count)
      }
      const killed = startSealing()
      await until(async () => (await countMoved()) > 50, 30_000)
      killed.kill()
      await killed.ended
      const moved = await countSettled()
      expect(moved).toBeLessThan(COUNT)
      expect(await dump()).toContain(MARK)
      const runs = await Promise.all([1, 2].map(() => project.latchkey([...SEAL, "--json"])))
      const counts = runs.map(({ out }) => JSON.parse(out).tokens)
      expect(counts[0].moved + counts[1].moved).toBe(COUNT - moved)
      expect([await countMoved(), (await dump()).includes(MARK)]).toEqual([COUNT, false])
      const { tokens } = requireRuntime({ ...CONFIG, adapter } as never)
      for (const [index, owner] of owners.entries())
        expect(await tokens?.find(owner, { provider: "kept" })).toMatchObject({
          tokens: { accessToken: `${MARK}-access-${index}`, refreshToken: `${MARK}-refresh-${index}` },
        })
      await close()
    })
  })
})

describeStore("npx latchkey migrate --seal-tokens with RedisAdapter", ioRedis, () => {
  it("moves the tokens of more accounts than one step of a scan returns", async () => {
    const { Redis } = await import("ioredis")
    const redis = new Redis(redisUrl)
    const prefix = `latchkey_${crypto.randomUUID()}:`
    const adapter = RedisAdapter(redis as RedisClient, { prefix })
    const rest = `adapter: RedisAdapter(new Redis(${JSON.stringify(redisUrl)}), { prefix: "${prefix}" }), session: { strategy: "jwt" }`
    writeModule(`import { Redis } from "ioredis"\nimport { RedisAdapter } from "latchkey/adapters/redis"`, rest)
    const owners = await seed(adapter, COUNT)
    const runs = await Promise.all([1, 2].map(() => project.latchkey([...SEAL, "--json"])))
    const moved = runs.map(({ out }) => JSON.parse(out).tokens.moved)
    expect(moved[0] + moved[1]).toBe(COUNT)
    const { tokens } = requireRuntime({ ...CONFIG, adapter } as never)
    for (const [index, owner] of owners.entries()) {
      expect(await tokens?.find(owner, { provider: "kept" })).toMatchObject({
        tokens: { refreshToken: `${MARK}-refresh-${index}` },
      })
      expect(JSON.stringify(await adapter.listAccountsByUserId(owner))).not.toContain(MARK)
    }
    for await (const keys of redis.scanStream({ match: `${prefix}*`, count: 1000 }))
      if (keys.length > 0) await redis.del(keys)
    await redis.quit()
  })
})

/** Makes each token as long as a JWT. */
const PADDING = "x".repeat(2_500)

describe("npx latchkey migrate --seal-tokens with 20,000 accounts", () => {
  it("needs memory only for some hundred of them", async () => {
    const { adapter, database, close } = await sqlite.create()
    writeSqlModule(database.place)
    const file = rawSqlite(database.address)
    const numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"
    await file.query(`INSERT INTO users (id, email) ${numbers} SELECT 'user-' || i, i || '@example.com' FROM n`, [])
    await file.query(
      `INSERT INTO accounts (provider, provider_account_id, user_id, type, access_token, refresh_token)
       ${numbers} SELECT 'kept', 'account-' || i, 'user-' || i, 'oauth', ? || i || ?, ? || i || ? FROM n`,
      [`${MARK}-`, PADDING, `${MARK}-`, PADDING],
    )
    // All tokens together have 100 MB.
    const env = { NODE_OPTIONS: "--max-old-space-size=64" }
    expect(await project.latchkey(SEAL, { env })).toEqual({
      code: 0,
      out: "latchkey: moved the tokens of 20000 accounts from the adapter to the store\n",
      err: "",
    })
    const kept = "SELECT count(*) AS accounts FROM accounts WHERE refresh_token IS NOT NULL"
    expect(await file.query(kept)).toEqual([{ accounts: 0 }])
    expect(await file.query("SELECT count(*) AS records FROM store_records")).toEqual([{ records: 20_000 }])
    await file.close()
    await adapter.close()
    await close()
  })
})

describe("npx latchkey migrate --seal-tokens, if it can't move tokens,", () => {
  const STATEMENT = `UPDATE "Account" SET access_token = NULL, refresh_token = NULL, id_token = NULL WHERE provider IN ('kept')`
  const METHODS =
    "createUser() {}, getUser() {}, getUserByAccount() {}, getUserByEmail() {}, updateUser() {}, linkAccount() {}"
  const SQL_STORE = `import { SqlStore } from "latchkey/stores/sql"`
  const STORE = `session: { strategy: "jwt" }, store: SqlStore({ sqlite: "store.db" })`

  it.each([
    [
      "with an adapter of another package",
      `adapter: { ${METHODS} }, ${STORE}`,
      `the adapter can't list its accounts: it is neither SqlAdapter nor RedisAdapter. The next sign-in of each user puts new tokens into the store. To remove the old ones from the adapter, run this statement with the name of your table: ${STATEMENT}`,
    ],
    [
      "with one that has updateAccount",
      `adapter: { ${METHODS}, updateAccount() {} }, ${STORE}`,
      `the adapter can't list its accounts: it is neither SqlAdapter nor RedisAdapter. The next sign-in of each user puts new tokens into the store, and removes the old ones from the adapter. To remove all of them now, run this statement with the name of your table: ${STATEMENT}`,
    ],
    [
      "without a store",
      `adapter: { ${METHODS} }, session: { strategy: "jwt" }`,
      "there is no store for the tokens. Write { store: RedisStore(redis) }, or another store of docs/stores.md",
    ],
    ["without an adapter", STORE, "there is no adapter, so no tokens are stored in clear text"],
    [
      "with a store in memory",
      `adapter: { ${METHODS} }, session: { strategy: "jwt" }, store: SqlStore({ sqlite: ":memory:" })`,
      "the store does not keep its records (durable: false), so the tokens would be lost. Use SqlStore or RedisStore",
    ],
  ])("prints what to do %s", async (_, rest, message) => {
    writeModule(SQL_STORE, rest)
    const err = `latchkey: auth.mjs: The tokens were not moved: ${message}\n`
    expect(await project.latchkey(SEAL)).toEqual({ code: 1, out: "", err })
  })

  it.each([
    [[], "--seal-tokens needs the module of the configuration: npx latchkey migrate --seal-tokens auth.js"],
    [
      ["--sqlite", "a.db"],
      "--seal-tokens needs the module of the configuration: npx latchkey migrate --seal-tokens auth.js",
    ],
    [["--print"], "--seal-tokens and --print: use only one of them"],
  ])("prints the fix for %j", async (args, message) => {
    expect(await project.latchkey([...SEAL, ...args])).toEqual({ code: 2, out: "", err: `latchkey: ${message}\n` })
  })

  it("suggests no database instead of a module that can't be loaded, because the module is needed", async () => {
    writeFileSync(join(project.folder, "auth.mjs"), `throw new Error("no variable")`)
    const { code, err } = await project.latchkey(SEAL)
    expect(code).toBe(1)
    expect(err).toMatch(/no variable\. Fix: export only the configuration from this module/)
    expect(err).not.toContain("--sqlite")
  })

  it("prints no token if the database fails", async () => {
    const { adapter, database, close } = await sqlite.create()
    await seed(adapter as Adapter, 1)
    writeSqlModule(database.place)
    await database.raw.query(
      "CREATE TRIGGER broken BEFORE UPDATE ON accounts BEGIN SELECT RAISE(ABORT, 'no: clear-text-token-refresh-0'); END",
    )
    const { code, out, err } = await project.latchkey(SEAL)
    expect({ code, out }).toEqual({ code: 1, out: "" })
    expect(err).toMatch(/^latchkey: auth\.mjs: The tokens were not moved: no: [^\n]*\n$/)
    expect(err).not.toContain("refresh-0")
    await close()
  })
})
