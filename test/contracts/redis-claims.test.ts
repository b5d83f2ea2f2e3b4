import { setTimeout as pause } from "node:timers/promises"
import { Redis } from "ioredis"
import type { OwnAdapter } from "../../lib/adapters/adapter.js"
import { RedisAdapter } from "../../lib/adapters/redis.js"
import { dumpRedis, ioRedis, keysOf, redisUrl } from "../support/stores/redis.js"
import { uniqueName } from "../support/stores/store.js"
import { describeStore } from "../support/stores.js"

const MINUTE_MS = 60_000
const inMs = (ms: number) => new Date(Date.now() + ms)

describeStore("what was claimed in Redis", ioRedis, () => {
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

  const newClaim = (life = MINUTE_MS) => ({ id: crypto.randomUUID(), expires: inMs(life) })

  it("has a key under a hash, that goes by itself and that nobody prolongs", async () => {
    const { id, expires } = newClaim()
    expect(await adapter.claimOnce({ id, expires })).toBe(true)
    const [key = "", ...more] = await keysOf(redis, prefix)
    expect([key.slice(prefix.length), more]).toEqual([expect.stringMatching(/^claim:[0-9a-f]{64}$/), []])
    expect(await dumpRedis(redis, prefix)).not.toContain(id)
    expect(await adapter.claimOnce({ id, expires: inMs(2 * MINUTE_MS) })).toBe(false)
    expect(await redis.pexpiretime(key)).toBe(expires.getTime())
  })

  it("is given back when its transaction is undone", async () => {
    const claim = newClaim()
    const work = adapter.transaction(async (within) => {
      expect([await within.claimOnce?.(claim), await within.claimOnce?.(claim)]).toEqual([true, false])
      throw new Error("undone")
    })
    await expect(work).rejects.toThrow("undone")
    expect(await adapter.claimOnce(claim)).toBe(true)
  })

  it("is one transaction's of two", async () => {
    const claim = newClaim()
    const work = () =>
      adapter.transaction(async (within) => {
        const isFirst = await within.claimOnce?.(claim)
        await pause(20)
        return isFirst
      })
    const results = await Promise.allSettled([work(), work()])
    expect(results.filter((result) => result.status === "fulfilled" && result.value)).toHaveLength(1)
    expect(await adapter.claimOnce(claim)).toBe(false)
  })
})
