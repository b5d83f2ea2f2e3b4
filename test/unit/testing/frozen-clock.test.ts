import { frozenClock } from "../../../lib/testing.js"

describe("frozenClock", () => {
  it("always returns the given time", () => {
    const clock = frozenClock("2026-01-01T00:00Z")
    expect([clock(), clock()]).toEqual([1767225600000, 1767225600000])
  })

  it("starts at the current time by default", () => {
    const before = Date.now()
    const at = frozenClock()()
    expect(at).toBeGreaterThanOrEqual(before)
    expect(at).toBeLessThanOrEqual(Date.now())
  })

  it("advance() adds every unit, including negative values, and returns the new time", () => {
    const clock = frozenClock(0)
    expect(clock.advance({ days: 1, hours: 2, minutes: 3, seconds: 4.5 })).toBe(93_784_500)
    expect(clock.advance({ days: -1 })).toBe(7_384_500)
    expect(clock()).toBe(7_384_500)
  })

  it("set() changes the time and returns it", () => {
    const clock = frozenClock()
    expect(clock.set(new Date(5000))).toBe(5000)
    expect(clock.set("1970-01-01T00:00:07Z")).toBe(7000)
    expect(clock()).toBe(7000)
  })

  it.each([
    ["a string that is not a time", () => frozenClock("noon"), '"noon" is not a valid time'],
    ["an unknown unit", () => frozenClock().advance({ minute: 1 } as object), "minute: 1"],
    ["milliseconds instead of an object", () => frozenClock().advance(60_000 as unknown as object), "advance(60000)"],
    ["undefined", () => frozenClock().advance(undefined as unknown as object), "advance(undefined)"],
    ["null", () => frozenClock().advance(null as unknown as object), "advance(null)"],
    ["a list", () => frozenClock().advance([] as object), "advance([])"],
    ["a Date", () => frozenClock().advance(new Date(0) as object), "advance(1970-01-01T00:00:00.000Z)"],
    ["NaN", () => frozenClock().advance({ minutes: Number.NaN }), "minutes: NaN"],
  ])("throws a TypeError for %s", (_, use, message) => {
    expect(use).toThrow(TypeError)
    expect(use).toThrow(message)
  })
})
