import { cached } from "../../../../lib/methods/oauth/cached.js"
import { failureOf } from "./answering.js"
import { NOW } from "./setting.js"

const HOUR_MS = 3_600_000

/** A value that is loaded: a number that counts, or an outage. */
function counted() {
  const time = { now: NOW }
  const state = { loads: 0, isDown: false }
  const load = async () => {
    state.loads++
    if (state.isDown) throw new Error(`outage ${state.loads}`)
    return state.loads
  }
  return { time, state, kept: cached(load, { ttlMs: HOUR_MS, failureMs: 1_000, now: () => time.now }) }
}

describe("a value that is kept", () => {
  it("is good for its time, and loaded anew after it", async () => {
    const { time, kept } = counted()
    for (const [after, value] of [
      [0, 1],
      [HOUR_MS - 1, 1],
      [1, 2],
      [0, 2],
    ] as const) {
      time.now += after
      expect(await kept.get()).toBe(value)
    }
  })

  it.each([1, HOUR_MS, 24 * HOUR_MS])("FLT-13: is loaded anew when the clock is set back by %d ms", async (ms) => {
    const { time, kept } = counted()
    expect(await kept.get()).toBe(1)
    time.now -= ms
    expect(await kept.get()).toBe(2)
    time.now += HOUR_MS - 1
    expect(await kept.get()).toBe(2)
    time.now++
    expect(await kept.get()).toBe(3)
  })

  it("FLT-13: is loaded once by all who come at once after the clock was set back", async () => {
    const { time, state, kept } = counted()
    await kept.get()
    time.now -= HOUR_MS
    expect(await Promise.all([kept.get(), kept.get(), kept.get()])).toEqual([2, 2, 2])
    expect(state.loads).toBe(2)
  })

  it("stays while the clock stands still", async () => {
    const { kept } = counted()
    for (let i = 0; i < 3; i++) expect(await kept.get()).toBe(1)
  })
})

describe("a failure that is held", () => {
  it("is told for a second, and is over then", async () => {
    const { time, state, kept } = counted()
    state.isDown = true
    for (const [after, loads] of [
      [0, 1],
      [999, 1],
      [1, 2],
    ] as const) {
      time.now += after
      expect(await failureOf(kept.get())).toMatchObject({ message: `outage ${loads}` })
    }
  })

  it.each([1, HOUR_MS])("FLT-13: is over when the clock is set back by %d ms", async (ms) => {
    const { time, state, kept } = counted()
    state.isDown = true
    await failureOf(kept.get())
    state.isDown = false
    time.now -= ms
    expect(await kept.get()).toBe(2)
  })

  it("FLT-13: gives way to a reload behind an old value, too", async () => {
    const { time, state, kept } = counted()
    await kept.get()
    time.now += HOUR_MS
    state.isDown = true
    // The reload fails, and the old value does.
    expect(await kept.get()).toBe(1)
    state.isDown = false
    time.now -= 10 * HOUR_MS
    expect(await kept.get()).toBe(3)
  })
})

it("FLT-13: a load that hangs is overdue when the clock is set back", async () => {
  const time = { now: NOW }
  const answers: ((value: string) => void)[] = []
  const load = () => new Promise<string>((resolve) => answers.push(resolve))
  const kept = cached(load, { ttlMs: HOUR_MS, failureMs: 1_000, now: () => time.now })
  const hung = kept.get()
  time.now -= HOUR_MS
  const second = kept.get()
  answers[1]?.("fresh")
  expect(await second).toBe("fresh")
  answers[0]?.("late")
  expect(await hung).toBe("late")
})
