import { Redis } from "ioredis"
import { createClient, createClientPool, RESP_TYPES } from "redis"
import type { AdapterAccount, AdapterUser, BuiltInAdapter } from "../../lib/adapters/adapter.js"
import { type IoRedisClient, RedisAdapter, type RedisClient } from "../../lib/adapters/redis.js"
import { testAdapter } from "../../lib/adapters/testing.js"
import { dumpRedis, ioRedis, listKeys, nodeRedis, redisUrl } from "../support/stores/redis.js"
import { type OpenStore, type Store, uniqueName } from "../support/stores/store.js"
import { describeStore } from "../support/stores.js"

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const inMs = (ms: number) => new Date(Date.now() + ms)
const MINUTE = 60_000

const newUser = (own: Partial<AdapterUser> = {}): AdapterUser => ({
  id: uniqueName(),
  email: `${uniqueName()}@example.test`,
  emailVerified: null,
  ...own,
})
const newAccount = (userId: string): AdapterAccount => ({
  userId,
  provider: "example",
  providerAccountId: uniqueName(),
  type: "oauth",
})

for (const each of [ioRedis, nodeRedis])
  describeStore(`RedisAdapter passes the adapter tests with ${each.name}`, each, (store: Store) => {
    let opened: OpenStore
    beforeAll(async () => {
      opened = await store.create()
    })
    afterAll(() => opened.close())

    testAdapter(it, {
      complete: true,
      passkeys: true,
      // Every test has its own users and addresses.
      create: () => ({ adapter: opened.adapter, dump: opened.dump }),
    })
  })

describeStore("RedisAdapter", ioRedis, () => {
  let redis: Redis
  let prefix: string
  let adapter: BuiltInAdapter
  beforeAll(() => {
    redis = new Redis(redisUrl)
  })
  beforeEach(() => {
    prefix = `${uniqueName()}:`
    adapter = RedisAdapter(redis, { prefix })
  })
  afterEach(async () => {
    const keys = await listKeys(redis, prefix)
    if (keys.length > 0) await redis.del(keys)
  })
  afterAll(() => redis.quit())

  const keys = async () => (await listKeys(redis, prefix)).map((key) => key.slice(prefix.length))
  const createSession = (userId: string, life: number, sessionToken = uniqueName()) =>
    adapter.createSession({ sessionToken, userId, expires: inMs(life) })

  describe("the data in Redis", () => {
    it("has one key per object and contains neither session tokens nor links (SES-09, EML-06)", async () => {
      const { id, email } = await adapter.createUser(newUser())
      const account = newAccount(id)
      await adapter.linkAccount(account)
      const { sessionToken } = await createSession(id, MINUTE)
      const token = uniqueName()
      await adapter.createVerificationToken({ identifier: email, token, expires: inMs(MINUTE) })
      const hash = expect.stringMatching(/^(session|token):[0-9a-f]{64}$/)
      expect(await keys()).toEqual([
        `account:["example","${account.providerAccountId}"]`,
        `accounts-of:"${id}"`,
        `email:"${email}"`,
        hash,
        `sessions-of:"${id}"`,
        hash,
        `tokens-of:"${email}"`,
        `user:"${id}"`,
      ])
      const text = await dumpRedis(redis, prefix)
      expect([text.includes(sessionToken), text.includes(token)]).toEqual([false, false])
    })

    it("is empty after everything was deleted", async () => {
      const user = await adapter.createUser(newUser())
      await adapter.updateUser({ id: user.id, email: `${uniqueName()}@example.test` })
      for (const _ of [1, 2]) {
        await adapter.linkAccount(newAccount(user.id))
        await createSession(user.id, MINUTE)
        await adapter.createAuthenticator({
          userId: user.id,
          providerAccountId: uniqueName(),
          credentialID: uniqueName(),
          credentialPublicKey: "",
          counter: 0,
          credentialBackedUp: false,
          credentialDeviceType: "singleDevice",
        })
      }
      const link = { identifier: user.email, token: uniqueName() }
      await adapter.createVerificationToken({ ...link, expires: inMs(MINUTE) })
      await adapter.useVerificationToken(link)
      expect((await keys()).length).toBeGreaterThan(8)
      await adapter.deleteUser(user.id)
      expect(await keys()).toEqual([])
    })

    it("expires with sessions and links, including their indices", async () => {
      const { id, email } = await adapter.createUser(newUser())
      const { sessionToken } = await createSession(id, 40)
      await adapter.createVerificationToken({ identifier: email, token: uniqueName(), expires: inMs(40) })
      await sleep(60)
      expect(await adapter.getSessionAndUser(sessionToken)).toBeNull()
      expect(await keys()).toEqual([`email:"${email}"`, `user:"${id}"`])
    })

    it("keeps an index until its last session expires", async () => {
      const { id } = await adapter.createUser(newUser())
      const index = `${prefix}sessions-of:"${id}"`
      await createSession(id, 10 * MINUTE)
      const { sessionToken } = await createSession(id, MINUTE)
      expect(await redis.pttl(index)).toBeGreaterThan(9 * MINUTE)
      await adapter.updateSession({ sessionToken, expires: inMs(20 * MINUTE) })
      expect(await redis.pttl(index)).toBeGreaterThan(19 * MINUTE)
    })

    it("keeps the expiry of a session when another member changes", async () => {
      const { id } = await adapter.createUser(newUser())
      const { sessionToken, expires } = await createSession(id, 10 * MINUTE)
      // A custom member that the type does not have.
      await adapter.updateSession({ sessionToken, device: "phone" } as Parameters<BuiltInAdapter["updateSession"]>[0])
      expect(await adapter.getSessionAndUser(sessionToken)).toMatchObject({ session: { device: "phone", expires } })
      const [key = ""] = (await listKeys(redis, `${prefix}session:`)).slice(-1)
      expect(await redis.pttl(key)).toBeGreaterThan(9 * MINUTE)
    })

    it("moves a session to another user", async () => {
      const [first, second] = [await adapter.createUser(newUser()), await adapter.createUser(newUser())]
      const { sessionToken } = await createSession(first.id, MINUTE)
      await adapter.updateSession({ sessionToken, userId: second.id })
      await adapter.deleteSessionsByUserId(first.id)
      expect((await adapter.getSessionAndUser(sessionToken))?.user.id).toBe(second.id)
      await adapter.deleteSessionsByUserId(second.id)
      expect(await adapter.getSessionAndUser(sessionToken)).toBeNull()
    })
  })

  describe("a user whose record was evicted or deleted manually", () => {
    const newPasskey = (userId: string, credentialID: string) => ({
      userId,
      credentialID,
      providerAccountId: credentialID,
      credentialPublicKey: "",
      counter: 0,
      credentialBackedUp: false,
      credentialDeviceType: "singleDevice",
    })

    async function createLostUser() {
      const user = await adapter.createUser(newUser())
      const account = { ...newAccount(user.id), access_token: "of the lost user" }
      await adapter.linkAccount(account)
      const passkey = newPasskey(user.id, uniqueName())
      await adapter.createAuthenticator(passkey)
      await redis.del(`${prefix}user:"${user.id}"`)
      return { user, account, passkey }
    }

    it("leaves the address, the account and the passkey free for another user", async () => {
      const { user: lost, account, passkey } = await createLostUser()
      const user = await adapter.createUser(newUser({ email: lost.email }))
      expect(await adapter.getUserByEmail(lost.email)).toEqual(user)
      const { access_token: _, ...linked } = { ...account, userId: user.id }
      await adapter.linkAccount(linked)
      expect(await adapter.getAccount(account.providerAccountId, account.provider)).toEqual(linked)
      await adapter.createAuthenticator({ ...passkey, userId: user.id })
      expect(await adapter.listAuthenticatorsByUserId(user.id)).toHaveLength(1)
      expect(await adapter.listAccountsByUserId(lost.id)).toEqual([])
      expect(await adapter.listAuthenticatorsByUserId(lost.id)).toEqual([])
    })

    it("leaves the address free for a user who changes to it", async () => {
      const { user: lost } = await createLostUser()
      const user = await adapter.createUser(newUser())
      await adapter.updateUser({ id: user.id, email: lost.email })
      expect((await adapter.getUserByEmail(lost.email))?.id).toBe(user.id)
    })

    it("leaves the address to one of 50 concurrently created users", async () => {
      const { user: lost } = await createLostUser()
      const all = Array.from({ length: 50 }, () => adapter.createUser(newUser({ email: lost.email })))
      const created = (await Promise.allSettled(all)).filter(({ status }) => status === "fulfilled")
      expect(created).toHaveLength(1)
    })

    it("leaves only the key of the address once the user is deleted", async () => {
      const { user } = await createLostUser()
      await adapter.deleteUser(user.id)
      expect(await keys()).toEqual([`email:"${user.email}"`])
    })

    it("does not affect an address of an existing user", async () => {
      const { email } = await adapter.createUser(newUser())
      await expect(adapter.createUser(newUser({ email }))).rejects.toThrow("another user has this email address")
    })
  })

  describe("deleteExpired", () => {
    it("removes index entries of expired sessions and links, and returns their number", async () => {
      const users = [await adapter.createUser(newUser()), await adapter.createUser(newUser())]
      for (const { id, email } of users) {
        for (const life of [MINUTE, 30, 30]) {
          await createSession(id, life)
          await adapter.createVerificationToken({ identifier: email, token: uniqueName(), expires: inMs(life) })
        }
      }
      await sleep(60)
      expect(await adapter.deleteExpired()).toBe(8)
      expect(await redis.scard(`${prefix}sessions-of:"${users[0]?.id}"`)).toBe(1)
      expect(await redis.scard(`${prefix}tokens-of:"${users[1]?.email}"`)).toBe(1)
      expect(await adapter.deleteExpired()).toBe(0)
    })

    it("leaves keys of other applications unchanged with any prefix", async () => {
      const odd = `${prefix}a*[b]?\\^:`
      const [own, other] = [RedisAdapter(redis, { prefix: odd }), RedisAdapter(redis, { prefix: `${prefix}aXb?\\^:` })]
      for (const one of [own, other]) {
        const { id } = await one.createUser(newUser())
        for (const life of [MINUTE, 30])
          await one.createSession({ sessionToken: uniqueName(), userId: id, expires: inMs(life) })
      }
      await sleep(60)
      expect([await own.deleteExpired(), await own.deleteExpired(), await other.deleteExpired()]).toEqual([1, 0, 1])
    })

    it("runs automatically for a user with many sessions", async () => {
      const { id } = await adapter.createUser(newUser())
      for (let i = 0; i < 31; i++) await createSession(id, i === 0 ? MINUTE : 60)
      expect(await redis.scard(`${prefix}sessions-of:"${id}"`)).toBe(31)
      await sleep(100)
      await createSession(id, MINUTE)
      expect(await redis.scard(`${prefix}sessions-of:"${id}"`)).toBe(2)
    })
  })

  describe("calls", () => {
    /** An adapter whose client records the commands. */
    const recordCommands = () => {
      const calls: string[] = []
      const client: IoRedisClient = {
        evalsha: (...args) => {
          calls.push("evalsha")
          return redis.evalsha(...args)
        },
        eval: (...args) => {
          calls.push("eval")
          return redis.eval(...args)
        },
      }
      return { calls, adapter: RedisAdapter(client, { prefix }) }
    }

    it("read a session and its user in one round trip", async () => {
      const { id } = await adapter.createUser(newUser())
      const { sessionToken } = await createSession(id, MINUTE)
      const counted = recordCommands()
      await counted.adapter.getSessionAndUser(sessionToken)
      expect(counted.calls).toEqual(["evalsha"])
    })

    it("send the script again if the server does not have it", async () => {
      const readAfterFlush = async () => {
        const counted = recordCommands()
        await redis.script("FLUSH")
        expect(await counted.adapter.getUser("nobody")).toBeNull()
        expect(await counted.adapter.getUser("nobody")).toBeNull()
        return counted.calls
      }
      let calls = await readAfterFlush()
      // A concurrent test on the same server may have loaded the script in between.
      for (let i = 0; i < 20 && calls.length < 3; i++) calls = await readAfterFlush()
      expect(calls).toEqual(["evalsha", "eval", "evalsha"])
    })

    it("reject with Redis's error and write nothing", async () => {
      await redis.set(`${prefix}user:"wrong"`, "text")
      await expect(adapter.getUser("wrong")).rejects.toThrow(/WRONGTYPE/)
      await expect(adapter.createUser(newUser({ id: "wrong" }))).rejects.toThrow(/WRONGTYPE/)
      expect(await keys()).toEqual(['user:"wrong"'])
    })

    it("reject when the client is closed; close() leaves the client open", async () => {
      const client = new Redis(redisUrl)
      const own = RedisAdapter(client, { prefix })
      await own.migrate()
      await own.close()
      expect(await own.getUser("nobody")).toBeNull()
      await client.quit()
      await expect(own.getUser("nobody")).rejects.toThrow(/closed/i)
    })

    it("of two prefixes are independent", async () => {
      const other = RedisAdapter(redis, { prefix: `${prefix}other:` })
      const user = await adapter.createUser(newUser())
      expect(await other.getUserByEmail(user.email)).toBeNull()
      await expect(other.createUser(user)).resolves.toEqual(user)
    })

    it("create an id for users without one", async () => {
      const created = await adapter.createUser(newUser({ id: "" }))
      expect(created.id).toMatch(/^[0-9a-f-]{36}$/)
      await expect(adapter.createUser(newUser({ id: created.id }))).rejects.toThrow(
        "a user with this id already exists",
      )
    })

    it("distinguish texts that UTF-8 encodes equally", async () => {
      const lone = (half: string) => newUser({ email: `${half}@example.test` })
      const users = [await adapter.createUser(lone("\ud800")), await adapter.createUser(lone("\udbff"))]
      for (const { id, email } of users) expect(await adapter.getUserByEmail(email)).toMatchObject({ id, email })
    })
  })

  describe("a transaction", () => {
    /** A second adapter, as in another process. */
    let otherAdapter: BuiltInAdapter
    beforeEach(() => {
      otherAdapter = RedisAdapter(redis, { prefix })
    })

    it("writes nothing before its end", async () => {
      const user = newUser()
      await adapter.transaction(async (within) => {
        await within.createUser?.(user)
        expect(await within.getUserByEmail?.(user.email)).toEqual(user)
        expect(await otherAdapter.getUserByEmail(user.email)).toBeNull()
        expect(await keys()).toEqual([])
      })
      expect(await adapter.getUserByEmail(user.email)).toEqual(user)
    })

    it("is rejected if data that it read was changed meanwhile", async () => {
      const [user, other] = [await adapter.createUser(newUser({ name: "Ada" })), newUser()]
      const work = adapter.transaction(async (within) => {
        const read = await within.getUser?.(user.id)
        await otherAdapter.updateUser({ id: user.id, name: "Grace" })
        await within.createUser?.({ ...other, name: `friend of ${read?.name}` })
      })
      await expect(work).rejects.toThrow(/changed meanwhile: nothing was written/)
      expect(await adapter.getUser(other.id)).toBeNull()
      expect((await adapter.getUser(user.id))?.name).toBe("Grace")
    })

    it("uses a link only once, even if two transactions run concurrently (ADV-24)", async () => {
      const link = { identifier: "ada@example.test", token: uniqueName() }
      await adapter.createVerificationToken({ ...link, expires: inMs(MINUTE) })
      const use = () =>
        adapter.transaction(async (within) => {
          const used = await within.useVerificationToken?.(link)
          await sleep(20)
          return used
        })
      const results = await Promise.allSettled([use(), use()])
      expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
      expect(await adapter.useVerificationToken(link)).toBeNull()
    })

    it("runs concurrent calls in order", async () => {
      const user = newUser()
      await adapter.transaction(async (within) => {
        await Promise.all([within.createUser?.(user), within.linkAccount?.(newAccount(user.id))])
      })
      expect(await adapter.listAccountsByUserId(user.id)).toHaveLength(1)
    })

    it("excludes the changes of a rejected nested transaction", async () => {
      const [kept, dropped] = [newUser(), newUser()]
      await adapter.transaction(async (within) => {
        await within.createUser?.(kept)
        const part = within.transaction?.(async (inner) => {
          await inner.createUser?.(dropped)
          throw new Error("no")
        })
        await expect(part).rejects.toThrow("no")
        expect(await within.getUser?.(dropped.id)).toBeNull()
      })
      expect([await adapter.getUser(kept.id), await adapter.getUser(dropped.id)]).toEqual([kept, null])
    })

    it("rejects calls after its end", async () => {
      const adapters: { getUser?(id: string): unknown }[] = []
      await adapter.transaction(async (within) => {
        adapters.push(within)
      })
      await expect(async () => adapters[0]?.getUser?.("1")).rejects.toThrow("this transaction has ended")
    })
  })

  describe("clients", () => {
    it("can be ioredis with its own key prefix", async () => {
      const client = new Redis(redisUrl, { keyPrefix: prefix })
      const own = RedisAdapter(client, { prefix: "auth:" })
      const user = await own.createUser(newUser())
      expect(await keys()).toEqual([`auth:email:"${user.email}"`, `auth:user:"${user.id}"`])
      await client.quit()
    })

    it("can be ioredis with auto-pipelining", async () => {
      const client = new Redis(redisUrl, { enableAutoPipelining: true })
      const own = RedisAdapter(client, { prefix })
      const users = await Promise.all(Array.from({ length: 5 }, () => own.createUser(newUser())))
      expect(await Promise.all(users.map(({ id }) => own.getUser(id)))).toEqual(users)
      await client.quit()
    })

    it("can be node-redis with RESP 2 or 3, or with buffers", async () => {
      for (const RESP of [2, 3] as const) {
        const client = createClient({ url: redisUrl, RESP })
        await client.connect()
        const asBuffers = client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer })
        for (const one of [client, asBuffers]) {
          const own = RedisAdapter(one, { prefix })
          const user = await own.createUser(newUser({ name: "Zoë 🦊" }))
          expect(await own.getUser(user.id)).toEqual(user)
        }
        await client.close()
      }
    })

    it("can be a pool of node-redis", async () => {
      const pool = createClientPool({ url: redisUrl })
      await pool.connect()
      const own = RedisAdapter(pool, { prefix })
      const user = await own.createUser(newUser())
      expect(await own.getUserByEmail(user.email)).toEqual(user)
      await pool.close()
    })

    it.each([
      ["undefined", undefined],
      ["null", null],
      ["an address", redisUrl],
      ["an object", {}],
      ["a memcached client", { get() {}, set() {} }],
    ])("may not be %s", (_, client) => {
      // JavaScript applications may pass any value.
      expect(() => RedisAdapter(client as unknown as RedisClient)).toThrow(
        new TypeError("RedisAdapter needs a client: new Redis(url) of ioredis, or createClient({ url }) of redis"),
      )
    })

    it("cannot be a client with callbacks", async () => {
      const old = { evalsha: () => true, eval: () => true } as unknown as RedisClient
      await expect(RedisAdapter(old).getUser("1")).rejects.toThrow(/^RedisAdapter needs a client: new Redis\(url\) /)
    })
  })
})
