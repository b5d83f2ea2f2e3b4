import { setTimeout as pause } from "node:timers/promises"
import { createTimingEqualizer } from "../../../../lib/methods/email/equalize-timing.js"

async function timed(work: Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work
  return performance.now() - startedAt
}

describe("createTimingEqualizer", () => {
  it("waits for a default time before the first measurement", async () => {
    expect(await timed(createTimingEqualizer().wait())).toBeGreaterThan(150)
  })

  it("waits as long as one of the last measurements took, including failed ones", async () => {
    const equalizer = createTimingEqualizer()
    await equalizer.measure(() => pause(40))
    expect(await timed(equalizer.wait())).toBeGreaterThan(30)
    for (let i = 0; i < 32; i++) await equalizer.measure(() => Promise.reject(new Error("at once"))).catch(() => {})
    const waits = []
    for (let i = 0; i < 10; i++) waits.push(await timed(equalizer.wait()))
    expect(Math.min(...waits)).toBeLessThan(30)
  })

  it("measure() resolves or rejects as the work does", async () => {
    const equalizer = createTimingEqualizer()
    expect(await equalizer.measure(async () => 42)).toBe(42)
    const failure = new Error("no")
    await expect(equalizer.measure(() => Promise.reject(failure))).rejects.toBe(failure)
    await expect(
      equalizer.measure(() => {
        throw failure
      }),
    ).rejects.toBe(failure)
  })

  /** Returns the relative difference between the mean duration of a wait and that of a measured send. */
  async function driftOf(equalizer: ReturnType<typeof createTimingEqualizer>): Promise<number> {
    const [sent, waited]: [number[], number[]] = [[], []]
    // A busy process delays its timers.
    const busy = setInterval(() => {
      for (const until = performance.now() + 15; performance.now() < until; );
    }, 21)
    try {
      for (let i = 0; i < 60; i++) {
        sent.push(await timed(equalizer.measure(() => pause(10))))
        waited.push(await timed(equalizer.wait()))
      }
    } finally {
      clearInterval(busy)
    }
    const mean = (values: number[]) => values.slice(20).reduce((sum, value) => sum + value, 0) / (values.length - 20)
    return Math.abs(mean(waited) / mean(sent) - 1)
  }

  it("does not wait longer because timers are late", async () => {
    const drifts: number[] = []
    // Other work on the machine distorts the measurements, so the best of three attempts counts.
    for (let attempt = 0; attempt < 3 && Math.min(1, ...drifts) >= 0.2; attempt++)
      drifts.push(await driftOf(createTimingEqualizer()))
    expect(Math.min(...drifts)).toBeLessThan(0.2)
  })
})
