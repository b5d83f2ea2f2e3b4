import { createEndedFeed } from "../../../lib/sessions/ended-feed.js"
import { MemoryStore } from "../../../lib/store/memory.js"
import type { StoreRecord } from "../../../lib/types.js"

describe("the feed of ended sessions", () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate", "queueMicrotask"] })
  })
  afterEach(() => {
    jest.useRealTimers()
  })

  it("ignores a list that arrives after a later one", async () => {
    const store = MemoryStore()
    const answers: ((records: StoreRecord[]) => void)[] = []
    let isFrozen = true
    const list: typeof store.list = (...args) =>
      isFrozen ? new Promise((resolve) => answers.push(resolve)) : store.list(...args)
    const feed = createEndedFeed({ ...store, list })
    const first = feed.refresh().catch((error: Error) => error.message)
    await jest.advanceTimersByTimeAsync(5_000)
    expect(await first).toBe("store.list did not respond within 5 s")
    isFrozen = false
    await feed.add({ session: "one" })
    await feed.refresh()
    expect(feed.mayHaveEnded("one", undefined)).toBe(true)
    for (const answer of answers) answer([])
    await jest.advanceTimersByTimeAsync(0)
    expect([feed.mayHaveEnded("one", undefined), feed.isFresh()]).toEqual([true, true])
  })

  it("is listed once in the background while many requests use it", async () => {
    const store = MemoryStore()
    let lists = 0
    const list: typeof store.list = async (...args) => {
      lists++
      if (lists > 1) await new Promise((resolve) => setTimeout(resolve, 300))
      return store.list(...args)
    }
    const feed = createEndedFeed({ ...store, list })
    await feed.refresh()
    jest.advanceTimersByTime(600)
    const timers = jest.getTimerCount()
    expect(Array.from({ length: 1_000 }, () => feed.isFresh()).every(Boolean)).toBe(true)
    await jest.advanceTimersByTimeAsync(0)
    // One for the store above, and two time limits.
    expect([lists, jest.getTimerCount() - timers]).toEqual([2, 3])
    await jest.advanceTimersByTimeAsync(300)
    jest.advanceTimersByTime(500)
    expect([feed.isFresh(), lists]).toEqual([true, 3])
  })
})
