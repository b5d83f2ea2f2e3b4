import { createRefreshingCache } from "../../../../lib/cache/refreshing-cache.js"
import { failureOf } from "./fake-endpoints.js"
import { NOW } from "./test-site.js"

const HOUR_MS = 3_600_000

/** A cache whose loader returns the number of the load, or fails during an outage. */
function countingCache() {
  const time = { now: NOW }
  const state = { loads: 0, isDown: false }
  const load = async () => {
    state.loads++
    if (state.isDown) throw new Error(`outage ${state.loads}`)
    return state.loads
  }
  return {
    time,
    state,
    cache: createRefreshingCache(load, { ttlMs: HOUR_MS, failureTtlMs: 1_000, now: () => time.now }),
  }
}

describe("createRefreshingCache", () => {
  it("returns a value until its TTL has passed, and then loads it again", async () => {
    const { time, cache } = countingCache()
    for (const [after, value] of [
      [0, 1],
      [HOUR_MS - 1, 1],
      [1, 2],
      [0, 2],
    ] as const) {
      time.now += after
      expect(await cache.get()).toBe(value)
    }
  })

  it.each([1, HOUR_MS, 24 * HOUR_MS])("FLT-13: loads the value again if the clock is set back by %d ms", async (ms) => {
    const { time, cache } = countingCache()
    expect(await cache.get()).toBe(1)
    time.now -= ms
    expect(await cache.get()).toBe(2)
    time.now += HOUR_MS - 1
    expect(await cache.get()).toBe(2)
    time.now++
    expect(await cache.get()).toBe(3)
  })

  it("FLT-13: loads once for concurrent readers after the clock was set back", async () => {
    const { time, state, cache } = countingCache()
    await cache.get()
    time.now -= HOUR_MS
    expect(await Promise.all([cache.get(), cache.get(), cache.get()])).toEqual([2, 2, 2])
    expect(state.loads).toBe(2)
  })

  it("keeps the value if the clock does not move", async () => {
    const { cache } = countingCache()
    for (let i = 0; i < 3; i++) expect(await cache.get()).toBe(1)
  })
})

describe("createRefreshingCache after a failed load", () => {
  it("repeats the failure for a second, and then loads again", async () => {
    const { time, state, cache } = countingCache()
    state.isDown = true
    for (const [after, loads] of [
      [0, 1],
      [999, 1],
      [1, 2],
    ] as const) {
      time.now += after
      expect(await failureOf(cache.get())).toMatchObject({ message: `outage ${loads}` })
    }
  })

  it.each([1, HOUR_MS])("FLT-13: loads again if the clock is set back by %d ms", async (ms) => {
    const { time, state, cache } = countingCache()
    state.isDown = true
    await failureOf(cache.get())
    state.isDown = false
    time.now -= ms
    expect(await cache.get()).toBe(2)
  })

  it("FLT-13: loads again after a failed reload if the clock is set back", async () => {
    const { time, state, cache } = countingCache()
    await cache.get()
    time.now += HOUR_MS
    state.isDown = true
    // The reload fails, so the old value is returned.
    expect(await cache.get()).toBe(1)
    state.isDown = false
    time.now -= 10 * HOUR_MS
    expect(await cache.get()).toBe(3)
  })
})

it("FLT-13: createRefreshingCache starts another load if the clock is set back while a load hangs", async () => {
  const time = { now: NOW }
  const resolvers: ((value: string) => void)[] = []
  const load = () => new Promise<string>((resolve) => resolvers.push(resolve))
  const cache = createRefreshingCache(load, { ttlMs: HOUR_MS, failureTtlMs: 1_000, now: () => time.now })
  const hangingRead = cache.get()
  time.now -= HOUR_MS
  const second = cache.get()
  resolvers[1]?.("fresh")
  expect(await second).toBe("fresh")
  resolvers[0]?.("late")
  expect(await hangingRead).toBe("late")
})
