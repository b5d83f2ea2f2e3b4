import { Redis } from "ioredis"
import { createClient, createClientPool, RESP_TYPES } from "redis"
import type { AdapterAccount, AdapterUser, OwnAdapter } from "../../lib/adapters/adapter.js"
import { type IoRedisClient, RedisAdapter, type RedisClient } from "../../lib/adapters/redis.js"
import { testAdapter } from "../../lib/adapters/testing.js"
import { dumpRedis, ioRedis, keysOf, nodeRedis, redisUrl } from "../support/stores/redis.js"
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
  describeStore(`RedisAdapter holds the contract, ${each.name}`, each, (store: Store) => {
    let opened: OpenStore
    beforeAll(async () => {
      opened = await store.create()
    })
    afterAll(() => opened.close())

    testAdapter(it, {
      complete: true,
      passkeys: true,
      // Every case has users and addresses of its own.
      create: () => ({ adapter: opened.adapter, dump: opened.dump }),
    })
  })

describeStore("RedisAdapter", ioRedis, () => {
  let redis: Redis
  let prefix: string
  let adapter: OwnAdapter
  beforeAll(() => {
    redis = new Redis(redisUrl)
  })
  beforeEach(() => {
    prefix = `${uniqueName()}:`
    adapter = RedisAdapter(redis, { prefix })
  })
  afterEach(async () => {
    const keys = await keysOf(redis, prefix)
    if (keys.length > 0) await redis.del(keys)
  })
  afterAll(() => redis.quit())

  const keys = async () => (await keysOf(redis, prefix)).map((key) => key.slice(prefix.length))
  const createSession = (userId: string, life: number, sessionToken = uniqueName()) =>
    adapter.createSession({ sessionToken, userId, expires: inMs(life) })

  describe("what stands in Redis", () => {
    it("has a key for each thing, and neither session tokens nor links (SES-09, EML-06)", async () => {
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

    it("is nothing once everything was deleted", async () => {
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

    it("goes by itself when sessions and links end, and their indices with it", async () => {
      const { id, email } = await adapter.createUser(newUser())
      const { sessionToken } = await createSession(id, 40)
      await adapter.createVerificationToken({ identifier: email, token: uniqueName(), expires: inMs(40) })
      await sleep(60)
      expect(await adapter.getSessionAndUser(sessionToken)).toBeNull()
      expect(await keys()).toEqual([`email:"${email}"`, `user:"${id}"`])
    })

    it("keeps an index as long as the last of its sessions, whatever comes first", async () => {
      const { id } = await adapter.createUser(newUser())
      const index = `${prefix}sessions-of:"${id}"`
      await createSession(id, 10 * MINUTE)
      const { sessionToken } = await createSession(id, MINUTE)
      expect(await redis.pttl(index)).toBeGreaterThan(9 * MINUTE)
      await adapter.updateSession({ sessionToken, expires: inMs(20 * MINUTE) })
      expect(await redis.pttl(index)).toBeGreaterThan(19 * MINUTE)
    })

    it("keeps a session's end when something else of it changes", async () => {
      const { id } = await adapter.createUser(newUser())
      const { sessionToken, expires } = await createSession(id, 10 * MINUTE)
      // Not in the type: a member of the application's own.
      await adapter.updateSession({ sessionToken, device: "phone" } as Parameters<OwnAdapter["updateSession"]>[0])
      expect(await adapter.getSessionAndUser(sessionToken)).toMatchObject({ session: { device: "phone", expires } })
      const [key = ""] = (await keysOf(redis, `${prefix}session:`)).slice(-1)
      expect(await redis.pttl(key)).toBeGreaterThan(9 * MINUTE)
    })

    it("moves a session that is given to another user", async () => {
      const [first, second] = [await adapter.createUser(newUser()), await adapter.createUser(newUser())]
      const { sessionToken } = await createSession(first.id, MINUTE)
      await adapter.updateSession({ sessionToken, userId: second.id })
      await adapter.deleteSessionsByUserId(first.id)
      expect((await adapter.getSessionAndUser(sessionToken))?.user.id).toBe(second.id)
      await adapter.deleteSessionsByUserId(second.id)
      expect(await adapter.getSessionAndUser(sessionToken)).toBeNull()
    })
  })

  describe("a user whose record is gone, by eviction or deletion by hand", () => {
    const newPasskey = (userId: string, credentialID: string) => ({
      userId,
      credentialID,
      providerAccountId: credentialID,
      credentialPublicKey: "",
      counter: 0,
      credentialBackedUp: false,
      credentialDeviceType: "singleDevice",
    })

    async function lostUser() {
      const user = await adapter.createUser(newUser())
      const account = { ...newAccount(user.id), access_token: "of the lost user" }
      await adapter.linkAccount(account)
      const passkey = newPasskey(user.id, uniqueName())
      await adapter.createAuthenticator(passkey)
      await redis.del(`${prefix}user:"${user.id}"`)
      return { user, account, passkey }
    }

    it("leaves the address, the account and the passkey free for another user", async () => {
      const { user: lost, account, passkey } = await lostUser()
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
      const { user: lost } = await lostUser()
      const user = await adapter.createUser(newUser())
      await adapter.updateUser({ id: user.id, email: lost.email })
      expect((await adapter.getUserByEmail(lost.email))?.id).toBe(user.id)
    })

    it("leaves the address to one of 50 users who are created at once", async () => {
      const { user: lost } = await lostUser()
      const all = Array.from({ length: 50 }, () => adapter.createUser(newUser({ email: lost.email })))
      const created = (await Promise.allSettled(all)).filter(({ status }) => status === "fulfilled")
      expect(created).toHaveLength(1)
    })

    it("leaves nothing once the user is deleted", async () => {
      const { user } = await lostUser()
      await adapter.deleteUser(user.id)
      expect(await keys()).toEqual([`email:"${user.email}"`])
    })

    it("keeps an address that an existing user has", async () => {
      const { email } = await adapter.createUser(newUser())
      await expect(adapter.createUser(newUser({ email }))).rejects.toThrow("another user has this e-mail address")
    })
  })

  describe("sweep", () => {
    it("removes the names of sessions and links that have ended, and says how many", async () => {
      const users = [await adapter.createUser(newUser()), await adapter.createUser(newUser())]
      for (const { id, email } of users) {
        for (const life of [MINUTE, 30, 30]) {
          await createSession(id, life)
          await adapter.createVerificationToken({ identifier: email, token: uniqueName(), expires: inMs(life) })
        }
      }
      await sleep(60)
      expect(await adapter.sweep()).toBe(8)
      expect(await redis.scard(`${prefix}sessions-of:"${users[0]?.id}"`)).toBe(1)
      expect(await redis.scard(`${prefix}tokens-of:"${users[1]?.email}"`)).toBe(1)
      expect(await adapter.sweep()).toBe(0)
    })

    it("leaves the keys of others alone, whatever the prefix", async () => {
      const odd = `${prefix}a*[b]?\\^:`
      const [own, other] = [RedisAdapter(redis, { prefix: odd }), RedisAdapter(redis, { prefix: `${prefix}aXb?\\^:` })]
      for (const one of [own, other]) {
        const { id } = await one.createUser(newUser())
        for (const life of [MINUTE, 30])
          await one.createSession({ sessionToken: uniqueName(), userId: id, expires: inMs(life) })
      }
      await sleep(60)
      expect([await own.sweep(), await own.sweep(), await other.sweep()]).toEqual([1, 0, 1])
    })

    it("is done by itself for a user with many sessions", async () => {
      const { id } = await adapter.createUser(newUser())
      for (let i = 0; i < 31; i++) await createSession(id, i === 0 ? MINUTE : 60)
      expect(await redis.scard(`${prefix}sessions-of:"${id}"`)).toBe(31)
      await sleep(100)
      await createSession(id, MINUTE)
      expect(await redis.scard(`${prefix}sessions-of:"${id}"`)).toBe(2)
    })
  })

  describe("calls", () => {
    /** Counts what goes to Redis. */
    const counting = () => {
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
      const counted = counting()
      await counted.adapter.getSessionAndUser(sessionToken)
      expect(counted.calls).toEqual(["evalsha"])
    })

    it("send the script again to a server that does not know it", async () => {
      const forgotten = async () => {
        const counted = counting()
        await redis.script("FLUSH")
        expect(await counted.adapter.getUser("nobody")).toBeNull()
        expect(await counted.adapter.getUser("nobody")).toBeNull()
        return counted.calls
      }
      let calls = await forgotten()
      // Another test on the same server may have sent it in between.
      for (let i = 0; i < 20 && calls.length < 3; i++) calls = await forgotten()
      expect(calls).toEqual(["evalsha", "eval", "evalsha"])
    })

    it("reject with what Redis says, and write nothing", async () => {
      await redis.set(`${prefix}user:"wrong"`, "text")
      await expect(adapter.getUser("wrong")).rejects.toThrow(/WRONGTYPE/)
      await expect(adapter.createUser(newUser({ id: "wrong" }))).rejects.toThrow(/WRONGTYPE/)
      expect(await keys()).toEqual(['user:"wrong"'])
    })

    it("reject when the client is closed, and close() leaves it open", async () => {
      const client = new Redis(redisUrl)
      const own = RedisAdapter(client, { prefix })
      await own.migrate()
      await own.close()
      expect(await own.getUser("nobody")).toBeNull()
      await client.quit()
      await expect(own.getUser("nobody")).rejects.toThrow(/closed/i)
    })

    it("keep two prefixes apart", async () => {
      const other = RedisAdapter(redis, { prefix: `${prefix}other:` })
      const user = await adapter.createUser(newUser())
      expect(await other.getUserByEmail(user.email)).toBeNull()
      await expect(other.createUser(user)).resolves.toEqual(user)
    })

    it("give ids of their own to users without one", async () => {
      const created = await adapter.createUser(newUser({ id: "" }))
      expect(created.id).toMatch(/^[0-9a-f-]{36}$/)
      await expect(adapter.createUser(newUser({ id: created.id }))).rejects.toThrow("a user with this id exists")
    })

    it("keep apart texts that only UTF-8 makes equal", async () => {
      const lone = (half: string) => newUser({ email: `${half}@example.test` })
      const users = [await adapter.createUser(lone("\ud800")), await adapter.createUser(lone("\udbff"))]
      for (const { id, email } of users) expect(await adapter.getUserByEmail(email)).toMatchObject({ id, email })
    })
  })

  describe("a transaction", () => {
    /** Another process. */
    let stranger: OwnAdapter
    beforeEach(() => {
      stranger = RedisAdapter(redis, { prefix })
    })

    it("writes nothing before its end", async () => {
      const user = newUser()
      await adapter.transaction(async (within) => {
        await within.createUser?.(user)
        expect(await within.getUserByEmail?.(user.email)).toEqual(user)
        expect(await stranger.getUserByEmail(user.email)).toBeNull()
        expect(await keys()).toEqual([])
      })
      expect(await adapter.getUserByEmail(user.email)).toEqual(user)
    })

    it("is refused when what it has read was changed meanwhile", async () => {
      const [user, other] = [await adapter.createUser(newUser({ name: "Ada" })), newUser()]
      const work = adapter.transaction(async (within) => {
        const read = await within.getUser?.(user.id)
        await stranger.updateUser({ id: user.id, name: "Grace" })
        await within.createUser?.({ ...other, name: `friend of ${read?.name}` })
      })
      await expect(work).rejects.toThrow(/changed meanwhile: nothing was written/)
      expect(await adapter.getUser(other.id)).toBeNull()
      expect((await adapter.getUser(user.id))?.name).toBe("Grace")
    })

    it("lets one of two use a link (ADV-24)", async () => {
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

    it("does calls that are made at once in their order", async () => {
      const user = newUser()
      await adapter.transaction(async (within) => {
        await Promise.all([within.createUser?.(user), within.linkAccount?.(newAccount(user.id))])
      })
      expect(await adapter.listAccountsByUserId(user.id)).toHaveLength(1)
    })

    it("leaves out what a refused transaction within it did", async () => {
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

    it("refuses calls when it is over", async () => {
      const adapters: { getUser?(id: string): unknown }[] = []
      await adapter.transaction(async (within) => {
        adapters.push(within)
      })
      await expect(async () => adapters[0]?.getUser?.("1")).rejects.toThrow("this transaction is over")
    })
  })

  describe("clients", () => {
    it("may be ioredis with a prefix of its own", async () => {
      const client = new Redis(redisUrl, { keyPrefix: prefix })
      const own = RedisAdapter(client, { prefix: "auth:" })
      const user = await own.createUser(newUser())
      expect(await keys()).toEqual([`auth:email:"${user.email}"`, `auth:user:"${user.id}"`])
      await client.quit()
    })

    it("may be ioredis that puts calls together", async () => {
      const client = new Redis(redisUrl, { enableAutoPipelining: true })
      const own = RedisAdapter(client, { prefix })
      const users = await Promise.all(Array.from({ length: 5 }, () => own.createUser(newUser())))
      expect(await Promise.all(users.map(({ id }) => own.getUser(id)))).toEqual(users)
      await client.quit()
    })

    it("may be node-redis that speaks RESP 2 or 3, or gives buffers", async () => {
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

    it("may be a pool of node-redis", async () => {
      const pool = createClientPool({ url: redisUrl })
      await pool.connect()
      const own = RedisAdapter(pool, { prefix })
      const user = await own.createUser(newUser())
      expect(await own.getUserByEmail(user.email)).toEqual(user)
      await pool.close()
    })

    it.each([
      ["nothing", undefined],
      ["null", null],
      ["an address", redisUrl],
      ["an object", {}],
      ["a memcached client", { get() {}, set() {} }],
    ])("may not be %s", (_, client) => {
      // An application in JavaScript may give anything.
      expect(() => RedisAdapter(client as unknown as RedisClient)).toThrow(
        new TypeError("RedisAdapter needs a client: new Redis(url) of ioredis, or createClient({ url }) of redis"),
      )
    })

    it("may not be one that wants callbacks", async () => {
      const old = { evalsha: () => true, eval: () => true } as unknown as RedisClient
      await expect(RedisAdapter(old).getUser("1")).rejects.toThrow(/^RedisAdapter needs a client: new Redis\(url\) /)
    })
  })
})
