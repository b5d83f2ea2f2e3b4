import type { Adapter, AdapterSession, AdapterUser, BuiltInAdapter } from "../../lib/adapters/adapter.js"
import { MemoryAdapter } from "../../lib/adapters/memory.js"
import { testAdapter } from "../../lib/adapters/testing.js"
import { memory } from "../support/stores/memory.js"
import type { OpenStore } from "../support/stores/store.js"

const MINUTE = 60_000
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const ada: AdapterUser = { id: "1", email: "ada@example.test", emailVerified: new Date(0), name: "Ada" }
const bob: AdapterUser = { id: "2", email: "bob@example.test", emailVerified: null }
const session = (sessionToken: string, expires: number): AdapterSession => ({
  sessionToken,
  userId: ada.id,
  expires: new Date(expires),
})

describe("MemoryAdapter passes the adapter tests", () => {
  testAdapter(it, { complete: true, passkeys: true, create: () => memory.create() })
})

describe("MemoryAdapter", () => {
  let adapter: BuiltInAdapter
  beforeEach(() => {
    adapter = MemoryAdapter()
  })

  it("returns copies, including nested dates and lists", async () => {
    await adapter.createUser(ada)
    const account = {
      userId: ada.id,
      provider: "a",
      providerAccountId: "1",
      type: "oauth",
      tags: [{ name: "x" }],
    } as const
    const tags = [{ name: "x" }]
    await adapter.linkAccount({ ...account, tags })
    tags[0] = { name: "changed" }
    const [found] = await adapter.listAccountsByUserId(ada.id)
    Object.assign(found?.["tags"] ?? [], [{ name: "changed" }])
    expect(await adapter.getAccount("1", "a")).toEqual(account)
    ;(await adapter.getUser(ada.id))?.emailVerified?.setTime(1)
    expect((await adapter.getUser(ada.id))?.emailVerified).toEqual(new Date(0))
  })

  it("returns dates of the application's realm", async () => {
    const user = await adapter.createUser(ada)
    expect(user.emailVerified).toBeInstanceOf(Date)
  })

  it("keeps a given user id, and creates one if it is missing", async () => {
    expect((await adapter.createUser(ada)).id).toBe("1")
    expect((await adapter.createUser({ ...bob, id: "" })).id).toMatch(/^[0-9a-f-]{36}$/)
    await expect(adapter.createUser({ ...bob, id: "1" })).rejects.toThrow("a user with this id already exists")
  })

  it("does nothing when it is migrated or closed", async () => {
    await adapter.migrate()
    await adapter.createUser(ada)
    await adapter.close()
    await adapter.migrate()
    expect(await adapter.getUser(ada.id)).toEqual(ada)
  })

  it("rejects a second session with the same token", async () => {
    for (const user of [ada, bob]) await adapter.createUser(user)
    await adapter.createSession(session("t", Date.now() + MINUTE))
    await expect(adapter.createSession({ ...session("t", Date.now() + MINUTE), userId: bob.id })).rejects.toThrow(
      "a session with this token already exists",
    )
    expect((await adapter.getSessionAndUser("t"))?.user.id).toBe(ada.id)
  })
})

describe("MemoryAdapter in production", () => {
  const { NODE_ENV } = process.env
  afterEach(() => {
    process.env["NODE_ENV"] = NODE_ENV
  })

  /** The warnings that are printed when an adapter is created. */
  const warningsIn = async (environment: string): Promise<string[]> => {
    const emit = jest.spyOn(process, "emitWarning").mockImplementation(() => undefined)
    process.env["NODE_ENV"] = environment
    MemoryAdapter()
    const warnings = emit.mock.calls.map(([warning]) => String(warning))
    emit.mockRestore()
    return warnings
  }

  it("warns in one line that names the alternative", async () => {
    const [warning = "", ...more] = await warningsIn("production")
    expect(warning).toMatch(/loses all data at a restart.*: use SqlAdapter or RedisAdapter$/)
    expect([warning.includes("\n"), more]).toEqual([false, []])
  })

  it("does not warn outside production", async () => {
    expect([...(await warningsIn("development")), ...(await warningsIn("test"))]).toEqual([])
  })
})

describe("MemoryAdapter with expired entries", () => {
  let opened: OpenStore
  let now: number
  beforeEach(async () => {
    now = 1_000_000
    opened = await memory.create({ now: () => now })
    await opened.adapter.createUser(ada)
  })

  it("deletes them in deleteExpired, which returns their number", async () => {
    const { adapter, counts } = opened
    await adapter.createSession(session("ended", now + 1))
    await adapter.createSession(session("kept", now + MINUTE))
    await adapter.createVerificationToken({ identifier: ada.email, token: "ended", expires: new Date(now + 1) })
    await adapter.createVerificationToken({ identifier: ada.email, token: "kept", expires: new Date(now + MINUTE) })
    now += 2
    expect(await adapter.deleteExpired()).toBe(2)
    expect(await counts()).toMatchObject({ sessions: 1, links: 1 })
    expect(await adapter.deleteExpired()).toBe(0)
  })

  it("deletes some of them when it creates sessions and links, so that memory stays bounded", async () => {
    const { adapter, counts } = opened
    for (let i = 0; i < 500; i++) {
      await adapter.createSession(session(`s${i}`, now + 1))
      await adapter.createVerificationToken({ identifier: `${i}`, token: `${i}`, expires: new Date(now + 1) })
      now += 1
    }
    const { sessions, links } = await counts()
    expect([sessions < 5, links < 5]).toEqual([true, true])
  })

  it("finds entries that expire soon behind many that expire later", async () => {
    const { adapter, counts } = opened
    for (let i = 0; i < 100; i++) await adapter.createSession(session(`long${i}`, now + MINUTE))
    for (let i = 0; i < 100; i++) await adapter.createSession(session(`short${i}`, now + 1))
    now += 2
    for (let i = 0; i < 20; i++) await adapter.createSession(session(`more${i}`, now + MINUTE))
    expect((await counts()).sessions).toBe(120)
  })
})

describe("a transaction of MemoryAdapter", () => {
  let adapter: BuiltInAdapter
  beforeEach(() => {
    adapter = MemoryAdapter()
  })

  it("blocks other calls until it ends, so that they see all of it or nothing", async () => {
    const work = adapter.transaction(async (within) => {
      await within.createUser?.(ada)
      await sleep(20)
      throw new Error("undone")
    })
    const seen = adapter.getUser(ada.id)
    const written = adapter.createUser(bob)
    await expect(work).rejects.toThrow("undone")
    expect([await seen, await written]).toEqual([null, bob])
    expect(await adapter.getUser(bob.id)).toEqual(bob)
  })

  it("starts after the previous transaction has ended", async () => {
    const order: string[] = []
    const work = (name: string) =>
      adapter.transaction(async () => {
        order.push(`${name} begins`)
        await sleep(5)
        order.push(`${name} ends`)
      })
    await Promise.all([work("first"), work("second"), work("third")])
    expect(order).toEqual(["first begins", "first ends", "second begins", "second ends", "third begins", "third ends"])
  })

  it("includes calls on the outer adapter from within, and does not deadlock", async () => {
    const work = adapter.transaction(async () => {
      await adapter.createUser(ada)
      await adapter.transaction(async (within) => within.createUser?.(bob))
      expect(await adapter.getUser(bob.id)).toEqual(bob)
      throw new Error("undone")
    })
    await expect(work).rejects.toThrow("undone")
    expect([await adapter.getUser(ada.id), await adapter.getUser(bob.id)]).toEqual([null, null])
  })

  it("excludes the changes of a rejected nested transaction", async () => {
    await adapter.transaction(async (within) => {
      await within.createUser?.(ada)
      const part = within.transaction?.(async (inner) => {
        await inner.createUser?.(bob)
        throw new Error("no")
      })
      await expect(part).rejects.toThrow("no")
    })
    expect([await adapter.getUser(ada.id), await adapter.getUser(bob.id)]).toEqual([ada, null])
  })

  it("rejects calls after its end", async () => {
    const adapters: Adapter[] = []
    await adapter.transaction(async (within) => {
      adapters.push(within)
    })
    await expect(async () => adapters[0]?.createUser?.(ada)).rejects.toThrow("this transaction has ended")
    expect(await adapter.getUser(ada.id)).toBeNull()
  })
})
