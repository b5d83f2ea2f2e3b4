import { setTimeout as pause } from "node:timers/promises"
import { createPace } from "../../../../lib/methods/email/pace.js"

async function timed(work: Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work
  return performance.now() - startedAt
}

describe("the pace of sending", () => {
  it("is a guess before anything was sent", async () => {
    expect(await timed(createPace().wait())).toBeGreaterThan(150)
  })

  it("is that of one of the last times, failures among them", async () => {
    const pace = createPace()
    await pace.measure(() => pause(40))
    expect(await timed(pace.wait())).toBeGreaterThan(30)
    for (let i = 0; i < 32; i++) await pace.measure(() => Promise.reject(new Error("at once"))).catch(() => {})
    const waits = []
    for (let i = 0; i < 10; i++) waits.push(await timed(pace.wait()))
    expect(Math.min(...waits)).toBeLessThan(30)
  })

  it("gives what the work gives, and fails as it fails", async () => {
    const pace = createPace()
    expect(await pace.measure(async () => 42)).toBe(42)
    const failure = new Error("no")
    await expect(pace.measure(() => Promise.reject(failure))).rejects.toBe(failure)
    await expect(
      pace.measure(() => {
        throw failure
      }),
    ).rejects.toBe(failure)
  })

  /** By how much those who wait stay longer or shorter than those who get a mail, as a share. */
  async function driftOf(pace: ReturnType<typeof createPace>): Promise<number> {
    const [sent, waited]: [number[], number[]] = [[], []]
    // Timers are late in a process that has something to do.
    const busy = setInterval(() => {
      for (const until = performance.now() + 15; performance.now() < until; );
    }, 21)
    try {
      for (let i = 0; i < 60; i++) {
        sent.push(await timed(pace.measure(() => pause(10))))
        waited.push(await timed(pace.wait()))
      }
    } finally {
      clearInterval(busy)
    }
    const mean = (values: number[]) => values.slice(20).reduce((sum, value) => sum + value, 0) / (values.length - 20)
    return Math.abs(mean(waited) / mean(sent) - 1)
  }

  it("does not grow by the lateness of timers", async () => {
    const drifts: number[] = []
    // What else the machine does is part of each time: the quietest of three looks counts.
    for (let look = 0; look < 3 && Math.min(1, ...drifts) >= 0.2; look++) drifts.push(await driftOf(createPace()))
    expect(Math.min(...drifts)).toBeLessThan(0.2)
  })
})
