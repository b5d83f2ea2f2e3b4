import { frozenClock } from "../../../lib/testing.js"

describe("frozenClock", () => {
  it("stands still at the time that it was given", () => {
    const clock = frozenClock("2026-01-01T00:00Z")
    expect([clock(), clock()]).toEqual([1767225600000, 1767225600000])
  })

  it("begins with the present", () => {
    const before = Date.now()
    const at = frozenClock()()
    expect(at).toBeGreaterThanOrEqual(before)
    expect(at).toBeLessThanOrEqual(Date.now())
  })

  it("moves by every part of a span, back too, and gives where it stands", () => {
    const clock = frozenClock(0)
    expect(clock.advance({ days: 1, hours: 2, minutes: 3, seconds: 4.5 })).toBe(93_784_500)
    expect(clock.advance({ days: -1 })).toBe(7_384_500)
    expect(clock()).toBe(7_384_500)
  })

  it("goes where it is set", () => {
    const clock = frozenClock()
    expect(clock.set(new Date(5000))).toBe(5000)
    expect(clock.set("1970-01-01T00:00:07Z")).toBe(7000)
    expect(clock()).toBe(7000)
  })

  it.each([
    ["a word", () => frozenClock("noon"), '"noon" is no time'],
    ["a unit that it doesn't know", () => frozenClock().advance({ minute: 1 } as object), "minute: 1"],
    [
      "milliseconds, as other clocks take them",
      () => frozenClock().advance(60_000 as unknown as object),
      "advance(60000)",
    ],
    ["nothing", () => frozenClock().advance(undefined as unknown as object), "advance(undefined)"],
    ["a number that is none", () => frozenClock().advance({ minutes: Number.NaN }), "minutes: NaN"],
  ])("refuses %s", (_, use, message) => {
    expect(use).toThrow(TypeError)
    expect(use).toThrow(message)
  })
})
