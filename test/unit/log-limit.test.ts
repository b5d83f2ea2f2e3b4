import { createLogLimit } from "../../lib/log-limit.js"

describe("the limit of log records", () => {
  it("lets ten through in a minute, and counts the others", () => {
    let now = Date.parse("2030-01-01T00:00:00Z")
    const limit = createLogLimit(() => now)
    expect(Array.from({ length: 10 }, () => limit.take())).toEqual(Array(10).fill(0))
    expect(Array.from({ length: 1_000 }, () => limit.take())).toEqual(Array(1_000).fill(undefined))
    now += 60_000
    expect([limit.take(), limit.take()]).toEqual([1_000, 0])
  })
})
