import { setTimeout as pause } from "node:timers/promises"
import { createKeyedMutex } from "../../../lib/cache/keyed-mutex.js"
import { failOnUnhandled } from "../../support/unhandled.js"

failOnUnhandled()

/** Creates work that records its start and its end. */
function recorder() {
  const entries: string[] = []
  const work =
    (name: string, ms = 5) =>
    async () => {
      entries.push(`${name} begins`)
      await pause(ms)
      entries.push(`${name} ends`)
      return name
    }
  return { entries, work }
}

describe("createKeyedMutex", () => {
  it("runs the work of one key one at a time, in the order of the calls", async () => {
    const withLock = createKeyedMutex(1_000)
    const { entries, work } = recorder()
    const names = ["a", "b", "c", "d", "e"]
    expect(await Promise.all(names.map((name, i) => withLock("key", work(name, 20 - 4 * i))))).toEqual(names)
    expect(entries).toEqual(names.flatMap((name) => [`${name} begins`, `${name} ends`]))
  })

  it("does not wait for the work of another key", async () => {
    const withLock = createKeyedMutex(1_000)
    const { entries, work } = recorder()
    await Promise.all([withLock("one", work("slow", 40)), withLock("two", work("quick", 5))])
    expect(entries).toEqual(["slow begins", "quick begins", "quick ends", "slow ends"])
  })

  it("starts the work synchronously if the key is free", () => {
    const { entries, work } = recorder()
    const done = createKeyedMutex(1_000)("key", work("a"))
    expect(entries).toEqual(["a begins"])
    return done
  })

  it("rejects only the caller whose work failed, and runs the next work", async () => {
    const withLock = createKeyedMutex(1_000)
    const { entries, work } = recorder()
    const failure = new Error("no")
    const [first, second, third] = await Promise.allSettled([
      withLock("key", async () => {
        await pause(5)
        throw failure
      }),
      withLock("key", work("b")),
      withLock("key", work("c")),
    ])
    expect([first, second, third]).toEqual([
      { status: "rejected", reason: failure },
      { status: "fulfilled", value: "b" },
      { status: "fulfilled", value: "c" },
    ])
    expect(entries).toEqual(["b begins", "b ends", "c begins", "c ends"])
  })

  it("stops waiting after one timeout, even if several calls are stuck", async () => {
    const withLock = createKeyedMutex(400)
    const stuck = [withLock("key", () => new Promise(() => {})), withLock("key", () => new Promise(() => {}))]
    for (const call of stuck) call.catch(() => {})
    const startedAt = performance.now()
    expect(await withLock("key", async () => "done")).toBe("done")
    expect(performance.now() - startedAt).toBeGreaterThan(395)
    expect(performance.now() - startedAt).toBeLessThan(800)
    expect(await withLock("key", async () => "next")).toBe("next")
  })

  it("runs later work only after the running work, even if a call between them is aborted", async () => {
    const withLock = createKeyedMutex(1_000)
    const { entries, work } = recorder()
    const controller = new AbortController()
    const first = withLock("key", work("a", 40))
    const second = withLock("key", work("b"), controller.signal)
    controller.abort(new Error("timed out"))
    const third = withLock("key", work("c"))
    const results = await Promise.allSettled([first, second, third])
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"])
    expect(entries).toEqual(["a begins", "a ends", "c begins", "c ends"])
  })

  it("stops waiting for work whose signal is aborted, and skips queued work whose signal is aborted", async () => {
    const withLock = createKeyedMutex(1_000_000)
    const { entries, work } = recorder()
    const [stuck, late] = [new AbortController(), new AbortController()]
    void withLock("key", () => new Promise(() => {}), stuck.signal)
    const waiting = withLock("key", work("late"), late.signal)
    const next = withLock("key", work("next"))
    late.abort(new Error("given up"))
    stuck.abort()
    await expect(waiting).rejects.toThrow("given up")
    expect(await next).toBe("next")
    expect(entries).toEqual(["next begins", "next ends"])
  })

  it("runs nested locks of different keys without a deadlock", async () => {
    const withLock = createKeyedMutex(10_000)
    const startedAt = performance.now()
    await Promise.all([
      withLock("a", () => withLock("shared", () => pause(5))),
      withLock("b", () => withLock("shared", () => pause(5))),
      withLock("a", () => withLock("shared", () => pause(5))),
    ])
    expect(performance.now() - startedAt).toBeLessThan(9_000)
  })

  it("frees a key when its work is done", async () => {
    const withLock = createKeyedMutex(1_000)
    for (let i = 0; i < 1_000; i++) await withLock(`key ${i % 10}`, async () => i)
    const { entries, work } = recorder()
    const done = withLock("key 1", work("later"))
    expect(entries).toEqual(["later begins"])
    await done
  })
})
