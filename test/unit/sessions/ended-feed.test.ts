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
    // One timer delays the store above, and two are time limits.
    expect([lists, jest.getTimerCount() - timers]).toEqual([2, 3])
    await jest.advanceTimersByTimeAsync(300)
    jest.advanceTimersByTime(500)
    expect([feed.isFresh(), lists]).toEqual([true, 3])
  })

  /** A feed whose writes can be counted, and can fail or wait. */
  function createWatchedFeed() {
    const store = MemoryStore()
    const control = { writes: 0, write: async () => {} }
    const set: typeof store.set = async (...args) => {
      control.writes++
      await control.write()
      return store.set(...args)
    }
    const list = async () => {
      const feed = createEndedFeed(store)
      await feed.refresh()
      return feed
    }
    const count = async () => (await store.list("ended", "feed")).length
    return { control, list, count, feed: createEndedFeed({ ...store, set }) }
  }

  it("has few records for many endings, and few writes for concurrent ones", async () => {
    const { control, count, feed, list } = createWatchedFeed()
    await Promise.all(Array.from({ length: 1_000 }, (_, i) => feed.add({ session: `session-${i}` })))
    for (let i = 0; i < 100; i++) await feed.add({ owner: "ada", except: "one" })
    const read = await list()
    expect([read.mayHaveEnded("session-0", undefined), read.mayHaveEnded("session-999", undefined)]).toEqual([
      true,
      true,
    ])
    expect([read.mayHaveEnded("one", "ada"), read.mayHaveEnded("two", "ada")]).toEqual([false, true])
    expect(await count()).toBeLessThan(15)
    expect(control.writes).toBeLessThan(115)
  })

  it("names all sessions of an owner if two endings of this owner have different exceptions", async () => {
    const { feed, list } = createWatchedFeed()
    for (const except of ["one", "two"]) await feed.add({ owner: "ada", except })
    const read = await list()
    expect([read.mayHaveEnded("one", "ada"), read.mayHaveEnded("two", "ada")]).toEqual([true, true])
  })

  it("keeps each ending for a minute, and not for much longer", async () => {
    const { feed, list } = createWatchedFeed()
    for (let i = 0; i < 10; i++) {
      await feed.add({ session: `session-${i}` })
      await jest.advanceTimersByTimeAsync(10_000)
    }
    const read = await list()
    const found = Array.from({ length: 10 }, (_, i) => read.mayHaveEnded(`session-${i}`, undefined))
    expect([found.slice(0, 1), found.slice(5)]).toEqual([[false], Array(5).fill(true)])
    await jest.advanceTimersByTimeAsync(55_000)
    expect((await list()).mayHaveEnded("session-9", undefined)).toBe(false)
  })

  it("accepts endings again after the store has failed, and does not contain an ending whose add() was rejected", async () => {
    const { control, feed, list } = createWatchedFeed()
    await feed.add({ session: "one" })
    control.write = () => Promise.reject(new Error("unreachable"))
    await expect(feed.add({ session: "two" })).rejects.toThrow("unreachable")
    control.write = async () => {}
    await feed.add({ session: "three" })
    const read = await list()
    expect(["one", "two", "three"].map((id) => read.mayHaveEnded(id, undefined))).toEqual([true, false, true])
  })

  it("keeps later endings if a write that took too long is carried out after them", async () => {
    const { control, feed, list } = createWatchedFeed()
    await feed.add({ session: "one" })
    let release = () => {}
    control.write = () => new Promise((resolve) => (release = resolve))
    const late = feed.add({ session: "two" }).catch((error: Error) => error.message)
    await jest.advanceTimersByTimeAsync(5_000)
    expect(await late).toBe("store.set did not respond within 5 s")
    control.write = async () => {}
    await feed.add({ session: "three" })
    release()
    await jest.advanceTimersByTimeAsync(0)
    const read = await list()
    expect(["one", "two", "three"].map((id) => read.mayHaveEnded(id, undefined))).toEqual([true, true, true])
  })
})
