import { inspect } from "node:util"
import { Redis } from "ioredis"
import type { Adapter, AdapterAccount } from "../../lib/adapters/adapter.js"
import { bindAdapter } from "../../lib/adapters/bind.js"
import { AdapterError } from "../../lib/errors/errors.js"
import { createLogger } from "../../lib/logging/logger.js"
import { allText } from "../support/recording-logger.js"
import { ioRedis, nodeRedis, redisUrl } from "../support/stores/redis.js"
import { mysql, postgres, type SqlStore, sqlite } from "../support/stores/sql.js"
import { describeStore, type OpenStore } from "../support/stores.js"

const TOKENS = {
  access_token: "gho_16C7e42F292c6912E7710c838347Ae178B4a",
  refresh_token: `1//0g${"x9Yb-Lm_".repeat(30)}/+=`,
  id_token: "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.c2lnbmF0dXJlMTIzNDU2Nzg5MA",
  oauth_token_secret: 'O\'Reilly "quoted" \\ s3cret-with-odd-characters',
}

/** The parts of a token that must not appear in logs, because they would help to guess or find the token. */
const listPieces = (token: string) => Array.from({ length: token.length - 7 }, (_, i) => token.slice(i, i + 8))
const PIECES = Object.values(TOKENS).flatMap(listPieces)

/** The error in each form in which a logger may serialise it. */
const serializeError = (error: unknown): string =>
  [allText(error), JSON.stringify(error), inspect(error, { depth: 10, showHidden: true })].join("\n")

const findLeaks = (error: unknown): string[] => PIECES.filter((piece) => serializeError(error).includes(piece))

/** Binds an adapter, with a logger that collects the debug output. */
function bindWithLog(adapter: Adapter): { adapter: Adapter; steps: string[] } {
  const steps: string[] = []
  const logger = createLogger({ logger: { debug: (message) => void steps.push(message) } })
  return { adapter: bindAdapter(adapter, logger), steps }
}

const newAccount = (userId: string): AdapterAccount => ({
  ...TOKENS,
  ...{ userId, provider: "github", providerAccountId: crypto.randomUUID(), type: "oauth" },
})

const newUser = () => ({ id: crypto.randomUUID(), email: `${crypto.randomUUID()}@example.test`, emailVerified: null })

const catchRejection = (work: unknown): Promise<Error> =>
  Promise.resolve(work).then(
    () => Promise.reject(new Error("nothing was rejected")),
    (error: Error) => error,
  )

type Ways = readonly (readonly [string, (adapter: Adapter, userId: string) => unknown])[]

/** The two ways to store an account: directly and in a transaction. */
const LINK_ACCOUNT: Ways = [
  ["linkAccount", async (adapter, userId) => adapter.linkAccount?.(newAccount(userId))],
  [
    "a transaction",
    async (adapter, userId) => adapter.transaction?.(async (within) => within.linkAccount?.(newAccount(userId))),
  ],
]

/** Statements after which accounts cannot be stored, and the database's error text. */
const BROKEN: Readonly<Record<SqlStore["dialect"], readonly (readonly [string, string, RegExp])[]>> = {
  sqlite: [
    ["a missing column", "ALTER TABLE accounts DROP COLUMN access_token", /access_token/],
    [
      "a failing trigger",
      "CREATE TRIGGER strict BEFORE INSERT ON accounts BEGIN SELECT json_extract('{}', NEW.access_token); END",
      /path/i,
    ],
  ],
  postgres: [
    [
      "a violated check whose error contains the row",
      "ALTER TABLE accounts ADD CHECK (length(access_token) < 5)",
      /violates check/,
    ],
    [
      "an invalid value that the error contains",
      "ALTER TABLE accounts ALTER COLUMN access_token TYPE integer USING NULL",
      /invalid input syntax for type integer/,
    ],
  ],
  mysql: [
    ["a violated check", "ALTER TABLE accounts ADD CHECK (char_length(access_token) < 5)", /CONSTRAINT/],
    [
      "an invalid value that the error contains",
      "ALTER TABLE accounts MODIFY COLUMN access_token INTEGER",
      /Incorrect integer value/,
    ],
    ["a missing column", "ALTER TABLE accounts DROP COLUMN id_token", /Unknown column/],
    ["a value that is too long", "ALTER TABLE accounts MODIFY COLUMN refresh_token VARCHAR(20)", /Data too long/],
  ],
}

for (const each of [sqlite, postgres, mysql])
  describeStore(`errors of ${each.name} contain no token`, each, ({ create, dialect }) => {
    describe.each(BROKEN[dialect])("if %s makes the statement fail", (_, statement, debugText) => {
      let store: Awaited<ReturnType<typeof create>>
      let userId: string
      beforeAll(async () => {
        store = await create()
        userId = (await store.adapter.createUser(newUser())).id
        await store.database.raw.query(statement)
      })
      afterAll(() => store.close())

      it.each(LINK_ACCOUNT)("in %s", async (__, link) => {
        const { adapter, steps } = bindWithLog(store.adapter)
        const error = await catchRejection(link(adapter, userId))
        expect(error).toBeInstanceOf(AdapterError)
        expect(Object(error.cause).err.message).toMatch(/, debug: true logs the message$/)
        expect(steps.at(-1)).toMatch(debugText)
        expect(findLeaks([error, steps])).toEqual([])
      })
    })
  })

for (const each of [ioRedis, nodeRedis])
  describeStore(`errors of ${each.name} contain no token`, each, ({ create }) => {
    let store: OpenStore
    let redis: Redis
    let userId: string
    beforeAll(async () => {
      redis = new Redis(redisUrl)
      store = await create()
      userId = (await store.adapter.createUser(newUser())).id
      // Replaces a set by a string, so that the script fails midway.
      const [key = ""] = await findKeys(redis, userId)
      await redis.set(key.replace(":user:", ":accounts-of:"), "no set")
    })
    afterAll(async () => {
      await store.close()
      await redis.quit()
    })

    it.each(LINK_ACCOUNT)("in %s", async (_, link) => {
      const { adapter, steps } = bindWithLog(store.adapter)
      const error = await catchRejection(link(adapter, userId))
      expect(Object(error.cause).err.message).not.toMatch(/WRONGTYPE/)
      expect(steps.at(-1)).toMatch(/WRONGTYPE/)
      expect(findLeaks([error, steps])).toEqual([])
    })
  })

async function findKeys(redis: Redis, text: string): Promise<string[]> {
  const keys: string[] = []
  for await (const found of redis.scanStream({ match: `*:user:*${text}*`, count: 1000 }))
    keys.push(...(found as string[]))
  return keys
}

describe("errors of a custom adapter", () => {
  const link = (adapter: Adapter): unknown => adapter.linkAccount?.(newAccount("7"))
  const failWith = async (thrown: unknown, call = link) => {
    const fails = () => Promise.reject(thrown)
    const { adapter, steps } = bindWithLog({ linkAccount: fails, getSessionAndUser: fails })
    const error = await catchRejection(call(adapter))
    expect(error).toMatchObject({ type: "AdapterError", status: 503 })
    return { all: [error, steps], err: Object(error.cause).err, step: steps.at(-1) }
  }

  it("keep their name, codes and stack, and are logged with their message as a debug step", async () => {
    const own = Object.assign(new RangeError("it is full"), {
      code: "E_FULL",
      errno: 28,
      sqlState: "53100",
      fatal: true,
    })
    const { err, step } = await failWith(own)
    expect(err).toMatchObject({
      name: "RangeError",
      message: "code E_FULL, errno 28, sqlState 53100, fatal true, debug: true logs the message",
      code: "E_FULL",
      errno: 28,
      sqlState: "53100",
    })
    expect(err.stack).toMatch(/^RangeError: code E_FULL, .*\n +at .*adapter-failures/)
    expect(own.message).toBe("it is full")
    expect(step).toBe("adapter_linkAccount failed: it is full")
  })

  it.each([
    ["statements and their values", { sql: JSON.stringify(TOKENS), sqlMessage: JSON.stringify(TOKENS) }],
    ["parameters", { query: "insert …", params: Object.values(TOKENS), parameters: Object.values(TOKENS) }],
    ["a command", { command: { name: "hset", args: Object.values(TOKENS) } }],
    ["a row", { detail: `Failing row contains (${Object.values(TOKENS).join()})`, where: TOKENS.id_token }],
    ["a request", { meta: TOKENS, requestBody: JSON.stringify(TOKENS), config: { data: TOKENS } }],
    ["tokens where a code should be", { code: TOKENS.access_token, constraint: `c_${TOKENS.refresh_token}` }],
    ["another error", { cause: Object.assign(new Error(TOKENS.access_token), { sql: JSON.stringify(TOKENS) }) }],
    ["several errors", { errors: [Object.assign(new Error(TOKENS.access_token), { args: TOKENS })] }],
  ])("do not contain %s", async (_, details) => {
    const { all } = await failWith(Object.assign(new Error("it failed"), details))
    expect(findLeaks(all)).toEqual([])
  })

  it.each([
    ["with all arguments of the call", `create({ data: ${JSON.stringify(newAccount("7"), null, 2)} })\n\nUnique key`],
    ["with the middle of a token", `near '${TOKENS.refresh_token.slice(9, 70)}' at line 1`],
    ["with the end of a token", `…${TOKENS.id_token.slice(-12)}\u{1F98A} is no number`],
    ["that is long", `${"x".repeat(990)}${TOKENS.access_token}${"y".repeat(9_000)}${TOKENS.id_token}`],
  ])("mask tokens in a message %s", async (_, message) => {
    const { all, step } = await failWith(new Error(message))
    expect(findLeaks(all)).toEqual([])
    expect(step).toContain("[masked]")
    expect(step?.length).toBeLessThan(5_000)
  })

  it("keep the codes of the cause", async () => {
    const behind = Object.assign(new Error("duplicate key"), { code: "23505" })
    const { err } = await failWith(new Error("it failed", { cause: behind }))
    expect(err.cause).toMatchObject({ code: "23505", message: "code 23505, debug: true logs the message" })
  })

  it("do not contain the session token that was passed to the method", async () => {
    const token = "8d2f0c1e-5b7a-4f0e-9c64-2f1d6f0e7a55"
    const thrown = Object.assign(new Error(`no table for '${token}'`), { sql: `… = '${token}'` })
    const { all } = await failWith(thrown, (adapter) => adapter.getSessionAndUser?.(token))
    expect(listPieces(token).filter((piece) => serializeError(all).includes(piece))).toEqual([])
  })

  const unreadable = new Proxy(
    {},
    {
      get() {
        throw new Error(TOKENS.access_token)
      },
    },
  )
  const circular = Object.assign(new Error("round"), { cause: undefined as unknown })
  circular.cause = circular

  it.each([
    ["a string", TOKENS.access_token],
    ["an object with a message", { message: `no ${TOKENS.access_token}`, details: TOKENS }],
    ["an object whose members can't be read", unreadable],
    ["an error whose message is not a string", Object.assign(new Error(), { message: TOKENS, stack: undefined })],
    ["an error that is its own cause", circular],
    ["undefined", undefined],
  ])("may be %s", async (_, thrown) => {
    const { all, err } = await failWith(thrown)
    expect(err).toBeInstanceOf(Error)
    expect(findLeaks(all)).toEqual([])
  })
})
