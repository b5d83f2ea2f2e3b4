import { splitValue } from "../../../lib/http/cookie-chunks.js"
import { dropChunked, readChunked } from "../../../lib/http/cookies.js"
import { fc } from "../../support/properties.js"

const NAME = "authjs.session-token"
const KEY = "\u{1f511}"
/** The length of the attributes that Auth.js sets. */
const OVERHEAD = 112
const sizes = (value: string, overhead = OVERHEAD) => splitValue(value, overhead)?.map((part) => part.length)

describe("splitValue", () => {
  it.each([
    ["characters that need no encoding", "a".repeat(7_873), [3_936, 3_936, 1]],
    ["all characters that need no encoding", "aZ09_.~!*'()-".repeat(303), [3_936, 3]],
    ["the maximum length", "a".repeat(10 * 3_936), Array(10).fill(3_936)],
    ["a value with one encoded character that is just too long", `${"a".repeat(3_934)}+`, [1_968, 1_967]],
    ["the longest value with one encoded character that fits", `${"a".repeat(3_933)}+`, [3_934]],
    ["as many characters that are encoded as three as fit into one part", "+".repeat(1_312), [1_312]],
    ["one encoded character more than fits into one part", "+".repeat(1_313), [657, 656]],
    ["as many encoded characters as fit into three parts", "+".repeat(3 * 1_312), [1_312, 1_312, 1_312]],
    ["characters of two code units", KEY.repeat(400), [400, 400]],
    ["a surrogate pair at the position of a cut", `${"+".repeat(656)}${KEY}${"+".repeat(656)}`, [438, 438, 438]],
  ])("splits %s", (_, value, expected) => {
    expect(sizes(value)).toEqual(expected)
    expect(splitValue(value, OVERHEAD)?.join("")).toBe(value)
  })

  it.each([
    ["too long", "a".repeat(10 * 3_936 + 1)],
    ["too long once encoded", "+".repeat(10 * 1_312 + 1)],
    ["of surrogate pairs that every cut would split", KEY.repeat(3_500).slice(1)],
    ["a lone high surrogate", "\ud83d"],
    ["a lone low surrogate", "\udd11"],
  ])("returns undefined for a value that is %s", (_, value) => {
    expect(splitValue(value, OVERHEAD)).toBeUndefined()
  })

  it("makes the parts shorter for a longer name and longer attributes", () => {
    expect(sizes("a".repeat(3_936), 157)).toEqual([3_936])
    expect(sizes("a".repeat(3_936), 158)).toEqual([3_935, 1])
    expect(sizes("a".repeat(3_936), 1_093)).toEqual([3_000, 936])
    expect(sizes("ab", 4_092)).toEqual([1, 1])
    for (const overhead of [4_093, 4_094, 5_000]) expect(sizes("ab", overhead)).toBeUndefined()
  })

  it("returns no parts for an empty value", () => {
    expect(splitValue("", OVERHEAD)).toEqual([])
  })

  it("makes parts that fit into a cookie and that readChunked joins again (property)", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "+", "\u00e9", "\u65e5"), minLength: 1, maxLength: 5_000 })
    fc.assert(
      fc.property(text, (value) => {
        const parts = splitValue(value, OVERHEAD)
        if (!parts) return
        for (const part of parts) expect(encodeURIComponent(part).length).toBeLessThanOrEqual(3_936)
        const cookies = Object.fromEntries(parts.map((part, i) => [parts.length === 1 ? NAME : `${NAME}.${i}`, part]))
        expect(readChunked(cookies, NAME)).toEqual([value])
      }),
    )
  })
})

it("dropChunked clears ten planted chunks at a time, in ascending order", () => {
  const present = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`${NAME}.${29 - i}`, "x"]))
  const first = Array.from({ length: 10 }, (_, i) => ({ drop: "sessionToken", part: String(i) }))
  expect(dropChunked("sessionToken", present, NAME)).toEqual(first)
  const withWhole = dropChunked("sessionToken", { ...present, [NAME]: "x" }, NAME)
  expect([withWhole.length, withWhole]).toEqual([
    10,
    expect.arrayContaining([{ drop: "sessionToken" }, ...first.slice(0, 9)]),
  ])
})
