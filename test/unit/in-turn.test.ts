import { setTimeout as pause } from "node:timers/promises"
import { createTurns } from "../../lib/in-turn.js"
import { failOnUnhandled } from "../support/unhandled.js"

failOnUnhandled()

/** Work that notes when it begins and ends. */
function journal() {
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

describe("work in turn", () => {
  it("is done one after the other, in the order in which it came", async () => {
    const inTurn = createTurns(1_000)
    const { entries, work } = journal()
    const names = ["a", "b", "c", "d", "e"]
    expect(await Promise.all(names.map((name, i) => inTurn("key", work(name, 20 - 4 * i))))).toEqual(names)
    expect(entries).toEqual(names.flatMap((name) => [`${name} begins`, `${name} ends`]))
  })

  it("of another key waits for nobody", async () => {
    const inTurn = createTurns(1_000)
    const { entries, work } = journal()
    await Promise.all([inTurn("one", work("slow", 40)), inTurn("two", work("quick", 5))])
    expect(entries).toEqual(["slow begins", "quick begins", "quick ends", "slow ends"])
  })

  it("begins at once when nobody is before it", () => {
    const { entries, work } = journal()
    const done = createTurns(1_000)("key", work("a"))
    expect(entries).toEqual(["a begins"])
    return done
  })

  it("goes on after a failure, which its own caller gets alone", async () => {
    const inTurn = createTurns(1_000)
    const { entries, work } = journal()
    const failure = new Error("no")
    const [first, second, third] = await Promise.allSettled([
      inTurn("key", async () => {
        await pause(5)
        throw failure
      }),
      inTurn("key", work("b")),
      inTurn("key", work("c")),
    ])
    expect([first, second, third]).toEqual([
      { status: "rejected", reason: failure },
      { status: "fulfilled", value: "b" },
      { status: "fulfilled", value: "c" },
    ])
    expect(entries).toEqual(["b begins", "b ends", "c begins", "c ends"])
  })

  it("waits for no one longer than its patience, however many hang", async () => {
    const inTurn = createTurns(30)
    const hung = [inTurn("key", () => new Promise(() => {})), inTurn("key", () => new Promise(() => {}))]
    for (const one of hung) one.catch(() => {})
    const startedAt = performance.now()
    expect(await inTurn("key", async () => "done")).toBe("done")
    expect(performance.now() - startedAt).toBeGreaterThan(25)
    expect(performance.now() - startedAt).toBeLessThan(500)
    expect(await inTurn("key", async () => "next")).toBe("next")
  })

  it("waits no longer for work whose signal is aborted, and does not begin such work", async () => {
    const inTurn = createTurns(1_000_000)
    const { entries, work } = journal()
    const [hung, late] = [new AbortController(), new AbortController()]
    void inTurn("key", () => new Promise(() => {}), hung.signal)
    const waiting = inTurn("key", work("late"), late.signal)
    const next = inTurn("key", work("next"))
    late.abort(new Error("given up"))
    hung.abort()
    await expect(waiting).rejects.toThrow("given up")
    expect(await next).toBe("next")
    expect(entries).toEqual(["next begins", "next ends"])
  })

  it("within work in turn of another key comes to its end", async () => {
    const inTurn = createTurns(1_000)
    const startedAt = performance.now()
    await Promise.all([
      inTurn("a", () => inTurn("shared", () => pause(5))),
      inTurn("b", () => inTurn("shared", () => pause(5))),
      inTurn("a", () => inTurn("shared", () => pause(5))),
    ])
    expect(performance.now() - startedAt).toBeLessThan(900)
  })

  it("is forgotten when it is done: whoever comes later waits for nothing", async () => {
    const inTurn = createTurns(1_000)
    for (let i = 0; i < 1_000; i++) await inTurn(`key ${i % 10}`, async () => i)
    const { entries, work } = journal()
    const done = inTurn("key 1", work("later"))
    expect(entries).toEqual(["later begins"])
    await done
  })
})
