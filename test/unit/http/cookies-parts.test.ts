import { partsOf } from "../../../lib/http/cookie-parts.js"
import { dropChunked, readChunked } from "../../../lib/http/cookies.js"
import { fc } from "../../support/properties.js"

const NAME = "authjs.session-token"
const KEY = "\u{1f511}"
/** As much as the attributes of Auth.js take. */
const OVERHEAD = 112
const sizes = (value: string, overhead = OVERHEAD) => partsOf(value, overhead)?.map((part) => part.length)

describe("the parts of a value", () => {
  it.each([
    ["text that is written as it stands", "a".repeat(7_873), [3_936, 3_936, 1]],
    ["every such character", "aZ09_.~!*'()-".repeat(303), [3_936, 3]],
    ["as much as fits", "a".repeat(10 * 3_936), Array(10).fill(3_936)],
    ["text of which some is written longer", `${"a".repeat(3_934)}+`, [1_968, 1_967]],
    ["the longest of such that is whole", `${"a".repeat(3_933)}+`, [3_934]],
    ["text that is written three times as long", "+".repeat(1_312), [1_312]],
    ["one character more of it", "+".repeat(1_313), [657, 656]],
    ["as much of it as fits", "+".repeat(3 * 1_312), [1_312, 1_312, 1_312]],
    ["characters of two code units", KEY.repeat(400), [400, 400]],
    ["one at the place where it would be cut", `${"+".repeat(656)}${KEY}${"+".repeat(656)}`, [438, 438, 438]],
  ])("of %s", (_, value, expected) => {
    expect(sizes(value)).toEqual(expected)
    expect(partsOf(value, OVERHEAD)?.join("")).toBe(value)
  })

  it.each([
    ["too long", "a".repeat(10 * 3_936 + 1)],
    ["too long as it is written", "+".repeat(10 * 1_312 + 1)],
    ["cut wherever it is", KEY.repeat(3_500).slice(1)],
    ["half of a character", "\ud83d"],
    ["the other half", "\udd11"],
  ])("are none where it is %s", (_, value) => {
    expect(partsOf(value, OVERHEAD)).toBeUndefined()
  })

  it("are shorter where the name and the attributes are long", () => {
    expect(sizes("a".repeat(3_936), 157)).toEqual([3_936])
    expect(sizes("a".repeat(3_936), 158)).toEqual([3_935, 1])
    expect(sizes("a".repeat(3_936), 1_093)).toEqual([3_000, 936])
    expect(sizes("a", 4_093)).toBeUndefined()
  })

  it("are none of nothing", () => {
    expect(partsOf("", OVERHEAD)).toEqual([])
  })

  it("fit into a cookie each, and make the value again (property)", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "+", "\u00e9", "\u65e5"), minLength: 1, maxLength: 5_000 })
    fc.assert(
      fc.property(text, (value) => {
        const parts = partsOf(value, OVERHEAD)
        if (!parts) return
        for (const part of parts) expect(encodeURIComponent(part).length).toBeLessThanOrEqual(3_936)
        const cookies = Object.fromEntries(parts.map((part, i) => [parts.length === 1 ? NAME : `${NAME}.${i}`, part]))
        expect(readChunked(cookies, NAME)).toEqual([value])
      }),
    )
  })
})

it("parts that were planted are cleared ten at a time, the first first", () => {
  const present = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`${NAME}.${29 - i}`, "x"]))
  const first = Array.from({ length: 10 }, (_, i) => ({ drop: "sessionToken", part: String(i) }))
  expect(dropChunked("sessionToken", present, NAME)).toEqual(first)
  const withWhole = dropChunked("sessionToken", { ...present, [NAME]: "x" }, NAME)
  expect([withWhole.length, withWhole]).toEqual([
    10,
    expect.arrayContaining([{ drop: "sessionToken" }, ...first.slice(0, 9)]),
  ])
})
