import { createLogLimit } from "../../lib/logging/log-limit.js"

describe("createLogLimit", () => {
  it("allows ten records per minute, and counts the omitted ones", () => {
    let now = Date.parse("2030-01-01T00:00:00Z")
    const limit = createLogLimit(() => now)
    expect(Array.from({ length: 10 }, () => limit.take())).toEqual(Array(10).fill(0))
    expect(Array.from({ length: 1_000 }, () => limit.take())).toEqual(Array(1_000).fill(undefined))
    now += 60_000
    expect([limit.take(), limit.take()]).toEqual([1_000, 0])
  })
})
